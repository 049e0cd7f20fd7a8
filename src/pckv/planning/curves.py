"""With other people or another ε: the errors of a plan, and what would be enough for the keys that matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from pckv.base.errors import ParameterError
from pckv.base.limits import AUTO, MAX_EPSILON
from pckv.mechanisms.base import Law
from pckv.planning.assessment import Assessment
from pckv.planning.people import MAX_USERS, Expectations
from pckv.planning.prediction import ExpectedErrors
from pckv.planning.selection import choose_law, law_specs, tuned_law

# The curves cover the values of ε that people choose, and multiples of the expected number of people.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
USER_MULTIPLES = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
# How finely the people or the ε that would be enough are searched: to two digits of what is printed.
SEARCH_STEPS = 12
# With more people or a larger ε another padding is chosen, and the search repeated for it, this often at most.
MAX_ROUNDS = 4

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
            [spec] = law_specs(expected, [law.padding], Fraction(str(epsilon)))
            other = Assessment(tuned_law(law.name, spec, expected.aim), expected)
            points.append((epsilon, other.errors_at(frequency)))
    return sorted(points)


def errors_by_users(chosen: Assessment) -> Curve:
    """Return the errors of a law for other numbers of people."""
    people = chosen.expected.people
    numbers = sorted({max(1, round(people.users * multiple)) for multiple in USER_MULTIPLES})
    return [(users, chosen.errors_at(people.typical_frequency, users)) for users in numbers]


@dataclass(frozen=True)
class Enough:
    """The number of people, or the ε, at which all keys that matter stand out; None where there is none."""

    users: float | None
    epsilon: float | None


def enough(law: Law, expected: Expectations) -> Enough | None:
    """Return what would be enough for the keys that matter, chosen anew; None if this law is."""
    if _is_enough(law, expected):
        return None
    return Enough(_needed_users(law, expected), _needed_epsilon(law, expected))


def _is_enough(law: Law, expected: Expectations) -> bool:
    return Assessment(law, expected).smallest_frequency <= expected.people.frequencies[-1]


def _needed_users(law: Law, expected: Expectations) -> float | None:
    users: float | None = float(expected.people.users)
    for _ in range(MAX_ROUNDS):
        users = _enough_users(users or 1.0, law, expected)
        if users is None:
            return None
        more = expected.with_users(math.ceil(users))
        law = choose_law(law.epsilon, {"name": AUTO}, None, more)
        if _is_enough(law, more):
            return users
    return users


def _enough_users(users: float, law: Law, expected: Expectations) -> float | None:
    def is_enough(number: float) -> bool:
        return _is_enough(law, expected.with_users(math.ceil(number)))

    high = users
    while not is_enough(high):
        high *= 2
        if high > MAX_USERS:
            return None
    return _bisected(max(users, high / 2), high, is_enough)


def _needed_epsilon(law: Law, expected: Expectations) -> float | None:
    """Return an ε that is enough; rounded up, so that what is printed is enough."""
    found: float | None = float(law.epsilon)
    for _ in range(MAX_ROUNDS):
        found = _enough_epsilon(found or 0.0, law, expected)
        if found is None:
            return None
        digits = 10 ** (1 - math.floor(math.log10(found)))
        found = min(math.ceil(found * digits) / digits, float(MAX_EPSILON))
        law = choose_law(_exact(found), {"name": AUTO}, None, expected)
        if _is_enough(law, expected):
            return found
    return found


def _enough_epsilon(epsilon: float, law: Law, expected: Expectations) -> float | None:
    """Return the least ε at which this mechanism and padding would do."""

    def is_enough(larger: float) -> bool:
        with suppress(ParameterError):
            [spec] = law_specs(expected, [law.padding], _exact(larger))
            return _is_enough(spec.build(law.name, {}), expected)
        return False

    high = float(MAX_EPSILON)
    return _bisected(epsilon, high, is_enough) if is_enough(high) else None


def _exact(epsilon: float) -> Fraction:
    return Fraction(f"{epsilon:.6f}")


def _bisected(low: float, high: float, is_enough: Callable[[float], bool]) -> float:
    """Return about the least number that is enough, between one that may not be and one that is."""
    for _ in range(SEARCH_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
