"""What a plan comes to, in a sentence or two that a person without statistics can act on."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

from pckv.channels import Channel, build
from pckv.errors import ParameterError
from pckv.limits import MAX_EPSILON
from pckv.planning.expectations import MAX_USERS, Expectations
from pckv.planning.precision import smallest_frequency
from pckv.texts import percent

# How finely the people or the ε that would be enough are searched: to two digits of what is printed.
SEARCH_STEPS = 12


def verdict(channel: Channel, expected: Expectations, size_share: Fraction) -> str:
    """Return what will be learned, and what it would take to learn about the keys that matter."""
    seen = expected.shown(channel.padding)[-1] / expected.frequencies[-1]
    wanted = expected.frequencies[-1]

    def least(users: float, used: Channel = channel) -> float:
        return smallest_frequency(used, users, seen, size_share)

    reached = least(expected.users)
    people = f"With {expected.users:,} people at ε = {float(channel.epsilon):g}"
    if reached <= wanted:
        return (
            f"{people} keys that {percent(reached)} of people or more hold can be told from zero; of those below "
            "you will learn nothing."
        )
    nothing = "any key" if reached == 1 else f"keys below {percent(reached)}"
    return f"{people} you will learn nothing about {nothing}. {_remedy(channel, expected, wanted, least)}"


def _remedy(channel: Channel, expected: Expectations, wanted: float, least: Callable[..., float]) -> str:
    ways = []
    if (users := _enough_users(expected.users, lambda number: least(number) <= wanted)) is not None:
        ways.append(f"about {_rounded(users)} people")
    if (epsilon := _enough_epsilon(channel, lambda used: least(expected.users, used) <= wanted)) is not None:
        ways.append(f"ε = {epsilon:.2g}")
    if not ways:
        return f"Neither more people nor a larger ε would do for keys of {percent(wanted)}."
    return f"For keys of {percent(wanted)} you need {', or '.join(ways)}."


def _enough_users(users: int, is_enough: Callable[[float], bool]) -> float | None:
    high = float(users)
    while not is_enough(high):
        high *= 2
        if high > MAX_USERS:
            return None
    low = high / 2
    for _ in range(SEARCH_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _enough_epsilon(channel: Channel, is_enough: Callable[[Channel], bool]) -> float | None:
    """The least ε, rounded up to two digits, at which the same mechanism and padding would do."""

    def is_enough_at(epsilon: float) -> bool:
        with suppress(ParameterError):
            return is_enough(
                build(channel.name, channel.keys, channel.padding, Fraction(f"{epsilon:.6f}"), {})
            )
        return False

    low, high = float(channel.epsilon), float(MAX_EPSILON)
    if not is_enough_at(high):
        return None
    for _ in range(SEARCH_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_enough_at(middle) else (middle, high)
    digits = 10.0 ** (1 - math.floor(math.log10(high)))
    return min(math.ceil(high * digits) / digits, float(MAX_EPSILON))


def _rounded(number: float) -> str:
    """A number of people with two digits, rounded up."""
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / digits) * digits:,}"
