"""The levels of values: their number, what each is worth, and which two a value is between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice, pairwise

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_LEVELS, MIN_LEVELS, Numeric

# A number of equally spaced levels, or the value of each as a decimal text.
Levels = int | tuple[str, ...]

# What a key without a value counts for.
KEY_ALONE = (1.0,)
# Equally spaced levels are computed to this many decimal places more than the ends of the range have.
MORE_PLACES = 30


def checked_levels(levels: Iterable[Numeric] | int, low: str, high: str) -> Levels:
    """Return the levels of a range: how many equally spaced ones there are, or the value of each.

    Too few or too many, or values that do not ascend from `low` to `high`, are a `ParameterError`.
    """
    if isinstance(levels, bool | float | str | bytes | Mapping) or not isinstance(levels, int | Iterable):
        raise ParameterError(f"levels must be a number of them or a list of their values, not {levels!r}")
    # Of too many values, which may have no end, the first ones show that they are.
    checked: Levels = levels if isinstance(levels, int) else _checked_values(islice(levels, MAX_LEVELS + 1), low, high)
    if not MIN_LEVELS <= level_count(checked) <= MAX_LEVELS:
        raise ParameterError(f"levels must be at least {MIN_LEVELS} and at most {MAX_LEVELS}")
    level_values(checked, low, high)
    return checked


def _checked_values(levels: Iterable[Numeric], low: str, high: str) -> tuple[str, ...]:
    values = tuple(decimal_text(value, f"level {number}") for number, value in enumerate(levels, 1))
    for smaller, larger in pairwise(values):
        if not float(smaller) < float(larger):
            raise ParameterError(f"levels must ascend: {smaller} is followed by {larger}")
    for value in values:
        if not float(low) <= float(value) <= float(high):
            raise ParameterError(f"level {value} is not within [{low}, {high}]")
    if values and (values[0], values[-1]) != (low, high):
        raise ParameterError(
            f"the levels must begin with {low} and end with {high}, or values beyond them could not be reported"
        )
    return values


def level_count(levels: Levels) -> int:
    """Return how many levels there are."""
    return levels if isinstance(levels, int) else len(levels)


def level_values(levels: Levels, low: str, high: str) -> tuple[float, ...]:
    """Return what each level is worth.

    Equally spaced ones are computed in whole numbers and rounded once, so that every device has the same.

    >>> level_values(5, "1", "5")
    (1.0, 2.0, 3.0, 4.0, 5.0)
    >>> level_values(("0", "0.5", "10"), "0", "10")
    (0.0, 0.5, 10.0)
    """
    if not isinstance(levels, int):
        return tuple(map(float, levels))
    places = max(_decimal_places(low), _decimal_places(high))
    first, last = (_scaled(end, places) for end in (low, high))
    steps = levels - 1
    scaled = (first * (steps - level) + last * level for level in range(levels))
    values = tuple(float(f"{each * 10**MORE_PLACES // steps}e-{places + MORE_PLACES}") for each in scaled)
    if any(smaller >= larger for smaller, larger in pairwise(values)):
        raise ParameterError(f"{levels} levels between {low} and {high} are too close to be told apart")
    return values


def _decimal_places(text: str) -> int:
    return len(text.partition(".")[2])


def _scaled(text: str, places: int) -> int:
    """Return a decimal times a power of ten, all its digits kept."""
    whole, _, decimals = text.partition(".")
    return int(whole + decimals.ljust(places, "0"))


def listed(values: Iterable[float]) -> str:
    """Return the values of levels for people to read, with all the digits that it takes to name them.

    >>> listed((0.0, 1 / 3, 1000.0))
    '0, 0.3333333333333333, 1000'
    """
    return ", ".join(repr(value).removesuffix(".0") for value in values)
