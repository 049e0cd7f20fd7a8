"""What a plan comes to, in a sentence or two that a person without statistics can act on."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from pckv.channels import Channel, build
from pckv.errors import ParameterError
from pckv.limits import AUTO, MAX_EPSILON
from pckv.planning.assessment import planned_size_share
from pckv.planning.expectations import MAX_USERS, Expectations
from pckv.planning.precision import smallest_frequency
from pckv.planning.selection import choose_channel
from pckv.texts import TOO_RARE, percent

# How finely the people or the ε that would be enough are searched: to two digits of what is printed.
SEARCH_STEPS = 12
# With more people or a larger ε another padding is chosen, and the search is repeated for that, this often at most.
MAX_ROUNDS = 4


def verdict(channel: Channel, expected: Expectations) -> str:
    """Return what will be learned, and what it would take to learn about the keys that matter."""
    wanted, reached = expected.frequencies[-1], _least(channel, expected)
    people = f"With {expected.users:,} people at ε = {float(channel.epsilon):g}"
    if reached == 1:
        known = f"{people} all keys are {TOO_RARE}"
    else:
        known = f"{people} keys below {percent(reached)} are often {TOO_RARE}"
    return f"{known}." if reached <= wanted else f"{known}. {_remedy(channel, expected)}"


def _least(channel: Channel, expected: Expectations) -> float:
    """The least frequency that stands out from the noise four times out of five."""
    share = Fraction(planned_size_share(channel, expected))
    seen = expected.shown(channel.padding)[-1] / expected.frequencies[-1]
    return smallest_frequency(channel, expected.users, seen, share, expected.candidates)


def _is_enough(channel: Channel, expected: Expectations) -> bool:
    return _least(channel, expected) <= expected.frequencies[-1]


def _remedy(channel: Channel, expected: Expectations) -> str:
    wanted = percent(expected.frequencies[-1])
    ways = []
    if (users := _needed_users(channel, expected)) is not None:
        ways.append(f"about {_rounded(users)} people")
    if (epsilon := _needed_epsilon(channel, expected)) is not None:
        ways.append(f"ε = {epsilon:.2g}")
    if not ways:
        return f"Neither more people nor a larger ε would do for keys of {wanted}."
    return f"For keys of {wanted} you need {', or '.join(ways)}."


def _needed_users(channel: Channel, expected: Expectations) -> float | None:
    """Return how many people are enough, with what would be chosen for that many."""
    users: float | None = float(expected.users)
    for _ in range(MAX_ROUNDS):
        users = _enough_users(users or 1.0, channel, expected)
        if users is None:
            return None
        more = replace(expected, users=math.ceil(users))
        channel = choose_channel(channel.epsilon, {"name": AUTO}, None, more)
        if _is_enough(channel, more):
            return users
    return users


def _enough_users(users: float, channel: Channel, expected: Expectations) -> float | None:
    def is_enough(number: float) -> bool:
        return _is_enough(channel, replace(expected, users=math.ceil(number)))

    high = users
    while not is_enough(high):
        high *= 2
        if high > MAX_USERS:
            return None
    return _bisected(max(users, high / 2), high, is_enough)


def _needed_epsilon(channel: Channel, expected: Expectations) -> float | None:
    """Return an ε that is enough, with what would be chosen for it; rounded up, so that what is printed is enough."""
    found: float | None = float(channel.epsilon)
    for _ in range(MAX_ROUNDS):
        found = _enough_epsilon(found or 0.0, channel, expected)
        if found is None:
            return None
        digits = 10 ** (1 - math.floor(math.log10(found)))
        found = min(math.ceil(found * digits) / digits, float(MAX_EPSILON))
        channel = choose_channel(_exact(found), {"name": AUTO}, None, expected)
        if _is_enough(channel, expected):
            return found
    return found


def _enough_epsilon(epsilon: float, channel: Channel, expected: Expectations) -> float | None:
    """Return the least ε at which this mechanism and padding would do."""

    def is_enough(larger: float) -> bool:
        with suppress(ParameterError):
            return _is_enough(
                build(channel.name, channel.keys, channel.padding, _exact(larger), {}, channel.levels),
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
