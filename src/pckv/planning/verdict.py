"""What a plan comes to, in a sentence or two that a person without statistics can act on."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from pckv.base.errors import ParameterError
from pckv.base.limits import AUTO, MAX_EPSILON
from pckv.base.words import TOO_RARE, percent
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import build
from pckv.planning.assessment import planned_size_share
from pckv.planning.people import MAX_USERS, Expectations
from pckv.planning.prediction import smallest_frequency
from pckv.planning.selection import choose_law

# How finely the people or the ε that would be enough are searched: to two digits of what is printed.
SEARCH_STEPS = 12
# With more people or a larger ε another padding is chosen, and the search is repeated for that, this often at most.
MAX_ROUNDS = 4


def verdict(law: Law, expected: Expectations) -> str:
    """Return what will be learned, and what it would take to learn about the keys that matter."""
    wanted, reached = expected.frequencies[-1], _least(law, expected)
    people = f"With {expected.users:,} people at ε = {float(law.epsilon):g}"
    if reached == 1:
        known = f"{people} all keys are {TOO_RARE}"
    else:
        known = f"{people} keys below {percent(reached)} are often {TOO_RARE}"
    return f"{known}." if reached <= wanted else f"{known}. {_remedy(law, expected)}"


def _least(law: Law, expected: Expectations) -> float:
    """The least frequency that stands out from the noise four times out of five."""
    share = Fraction(planned_size_share(law, expected))
    seen = expected.shown(law.padding)[-1] / expected.frequencies[-1]
    return smallest_frequency(law, expected.users, seen, share, expected.candidates)


def _is_enough(law: Law, expected: Expectations) -> bool:
    return _least(law, expected) <= expected.frequencies[-1]


def _remedy(law: Law, expected: Expectations) -> str:
    wanted = percent(expected.frequencies[-1])
    ways = []
    if (users := _needed_users(law, expected)) is not None:
        ways.append(f"about {_rounded(users)} people")
    if (epsilon := _needed_epsilon(law, expected)) is not None:
        ways.append(f"ε = {epsilon:.2g}")
    if not ways:
        return f"Neither more people nor a larger ε would do for keys of {wanted}."
    return f"For keys of {wanted} you need {', or '.join(ways)}."


def _needed_users(law: Law, expected: Expectations) -> float | None:
    """Return how many people are enough, with what would be chosen for that many."""
    users: float | None = float(expected.users)
    for _ in range(MAX_ROUNDS):
        users = _enough_users(users or 1.0, law, expected)
        if users is None:
            return None
        more = replace(expected, users=math.ceil(users))
        law = choose_law(law.epsilon, {"name": AUTO}, None, more)
        if _is_enough(law, more):
            return users
    return users


def _enough_users(users: float, law: Law, expected: Expectations) -> float | None:
    def is_enough(number: float) -> bool:
        return _is_enough(law, replace(expected, users=math.ceil(number)))

    high = users
    while not is_enough(high):
        high *= 2
        if high > MAX_USERS:
            return None
    return _bisected(max(users, high / 2), high, is_enough)


def _needed_epsilon(law: Law, expected: Expectations) -> float | None:
    """Return an ε that is enough, with what would be chosen for it; rounded up, so that what is printed is enough."""
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
            return _is_enough(
                build(law.name, law.keys, law.padding, _exact(larger), {}, law.levels),
                expected,
            )
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


def _rounded(number: float) -> str:
    """A number of people with two digits, rounded up."""
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / digits) * digits:,}"
