"""What levels are worth: exact in their decimals, whatever their number, and rounded once."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import pytest

from pckv.base.errors import ParameterError
from pckv.base.levels import checked_levels, level_values, listed

# Ends with more digits than a decimal context keeps; the last digits of one decide which double is nearest.
LONG_ENDS = (
    (f"-0.{'3' * 37}", "0.10000000000000001249000902703301107977"),
    ("-123456789012345678901234567890", "123456789012345678901234567891"),
    (f"-1.{'0' * 36}1", f"0.{'0' * 36}1"),
)


@pytest.mark.parametrize("number", [2, 3, 7, 16])
@pytest.mark.parametrize(("low", "high"), LONG_ENDS)
def test_equally_spaced_levels_are_the_doubles_nearest_to_them(low: str, high: str, number: int) -> None:
    values = level_values(number, low, high)
    assert (values[0], values[-1]) == (float(low), float(high))
    start, span = Fraction(low), Fraction(high) - Fraction(low)
    assert values == tuple(float(start + span * level / (number - 1)) for level in range(number))


@pytest.mark.parametrize(
    "levels", [count(), range(10**12), 10**5000, -(10**5000)], ids=["endless", "many", "huge", "low"]
)
def test_too_many_levels_are_refused_at_once_and_not_written_out(levels: range | int) -> None:
    with pytest.raises(ParameterError, match=r"^levels must be at least 2 and at most 16$"):
        checked_levels(levels, "0", "16")


def test_a_level_with_too_many_digits_is_not_written_out() -> None:
    with pytest.raises(ParameterError, match=r"^level 2 needs more than 40 digits$"):
        checked_levels([0, 10**5000], "0", "1")


def test_levels_are_listed_as_they_can_be_typed() -> None:
    values = level_values(4, "0", "123456789012345")
    assert tuple(map(float, listed(values).split(", "))) == values
    assert listed(values).startswith("0, 41152263004115, ")
