"""Which keys will stand out from the noise, and the light: how that compares with what is plausible.

Both follow from the `reach` of a plan: a frequency from which all keys that matter stand out together, four
times out of five. It is that of a reference, the best mechanism at a padding that depends neither on the
number of people nor on ε, so that a light never gets worse with more of them (proofs/light.md). What is chosen
for the people expected has no larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pckv.base.limits import MAX_ADVISED_EPSILON
from pckv.planning.assessment import Assessment
from pckv.planning.people import MAX_USERS, Expectations, Scenario
from pckv.planning.sections import LIGHTS, Light
from pckv.planning.selection import reference_laws

# How finely the people or the ε that would be enough are searched: to two digits of what is printed.
SEARCH_STEPS = 12


@dataclass(frozen=True)
class Enough:
    """The number of people in all, or the ε, with which the light is green; None where there is none."""

    users: float | None
    epsilon: float | None


@dataclass(frozen=True)
class Outlook:
    """What will stand out from the noise.

    Attributes:
        light: `green`, `amber` or `red`.
        keys: How many keys matter: the most frequent ten, or all where there are fewer.
        reach: A frequency from which that many keys stand out all together, four times out of five; None
            where not even keys that all people hold are sure to.
        scenarios: How frequent the keys that matter may be, and how many of them have at least that frequency.
        rarest: The least plausible frequency of any of them: the light is green if it is reached.
        enough: What would make the light green; None where it is.
    """

    light: Light
    keys: int
    reach: float | None
    scenarios: tuple[CountedScenario, ...]
    rarest: float
    enough: Enough | None


@dataclass(frozen=True)
class CountedScenario:
    """How frequent the keys that matter may be, the most frequent first, and how many of them stand out."""

    shape: str
    frequencies: tuple[float, ...]
    standing_out: int


def expected_outlook(chosen: Assessment, reference: Sequence[Assessment], panels: int = 1) -> Outlook:
    """Return what will stand out from the noise with what was chosen, which has no worse light than the reference.

    The people expected are those of a round: of one of the panels.
    """
    people = chosen.expected.people
    light = _best_light(reference or [chosen])
    # Where the light is not that of what was chosen, its reach is not either.
    reach = chosen.reach if not reference else _worse(_least_reach(reference), chosen.reach)
    return Outlook(
        light=light,
        keys=len(people.frequencies),
        reach=reach,
        scenarios=tuple(_counted(scenario, reach) for scenario in people.scenarios),
        rarest=people.rarest,
        enough=None if light == "green" else _enough(chosen, reference, panels),
    )


def _best_light(laws: Sequence[Assessment]) -> Light:
    return max((law.light for law in laws), key=LIGHTS.index, default="red")


def _worse(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)


def _least_reach(laws: Sequence[Assessment]) -> float | None:
    return min((law.reach for law in laws if law.reach is not None), default=None)


def _counted(scenario: Scenario, reach: float | None) -> CountedScenario:
    standing_out = 0 if reach is None else sum(frequency >= reach for frequency in scenario.frequencies)
    return CountedScenario(scenario.shape, scenario.frequencies, standing_out)


def _enough(chosen: Assessment, reference: Sequence[Assessment], panels: int) -> Enough:
    users = _enough_users(chosen.expected, reference)
    epsilon = _enough_epsilon(chosen.expected, float(chosen.law.epsilon))
    return Enough(None if users is None else users * panels, epsilon)


def _enough_users(expected: Expectations, laws: Sequence[Assessment]) -> float | None:
    def is_enough(users: float) -> bool:
        more = expected.with_users(math.floor(users))
        return _best_light([Assessment(each.law, more) for each in laws]) == "green"

    users = high = float(expected.people.users)
    while not is_enough(high):
        high *= 2
        if high > MAX_USERS:
            return None
    return _bisected(max(users, high / 2), high, is_enough)


def _enough_epsilon(expected: Expectations, epsilon: float) -> float | None:
    """Return an ε that is enough and not too weak to advise; rounded up, so that what is printed is enough."""

    def is_enough(larger: float) -> bool:
        return _best_light(reference_laws(expected, Fraction(f"{larger:.6f}"))) == "green"

    if epsilon >= MAX_ADVISED_EPSILON or not is_enough(MAX_ADVISED_EPSILON):
        return None
    found = _bisected(epsilon, MAX_ADVISED_EPSILON, is_enough)
    digits = 10.0 ** (1 - math.floor(math.log10(found)))
    return min(math.ceil(found * digits) / digits, float(MAX_ADVISED_EPSILON))


def _bisected(low: float, high: float, is_enough: Callable[[float], bool]) -> float:
    """Return about the least number that is enough, between one that may not be and one that is."""
    for _ in range(SEARCH_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
