"""With other people or another ε: the errors of a plan."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from pckv.base.errors import ParameterError
from pckv.planning.assessment import Assessment
from pckv.planning.prediction import ExpectedErrors
from pckv.planning.selection import law_specs, tuned_law

# The curves cover the values of ε that people choose, and multiples of the expected number of people.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
USER_MULTIPLES = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
# Values of ε, or numbers of people, and the errors of a typical one of the keys that matter.
Curve = list[tuple[float, ExpectedErrors]]


def errors_by_epsilon(chosen: Assessment) -> Curve:
    """Return the errors of a mechanism and padding at several ε, its parameters tuned for each of them.

    The best mechanism for each ε would take a plan per point, too slow for a page that follows what is typed.
    """
    expected, law = chosen.expected, chosen.law
    frequency = expected.people.typical_frequency
    points = [(float(law.epsilon), chosen.errors_at(frequency))]
    for epsilon in set(EPSILONS) - {float(law.epsilon)}:
        # Not every mechanism exists at every ε: such a point is left out.
        with suppress(ParameterError):
            [spec] = law_specs(expected, [chosen.padding], Fraction(str(epsilon)))
            other = Assessment(tuned_law(law.name, spec, expected.aim), expected)
            points.append((epsilon, other.errors_at(frequency)))
    return sorted(points)


def errors_by_users(chosen: Assessment) -> Curve:
    """Return the errors of a law for other numbers of people."""
    people = chosen.expected.people
    numbers = sorted({max(1, round(people.users * multiple)) for multiple in USER_MULTIPLES})
    return [(users, chosen.errors_at(people.typical_frequency, users)) for users in numbers]
