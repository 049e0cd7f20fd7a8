"""What levels are worth: exact in their decimals, whatever their number, and rounded once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pckv.levels import level_values

# Ends with more digits than a decimal context keeps; the last digits of one decide which double is nearest.
LONG_ENDS = (
    (f"-0.{'3' * 37}", "0.10000000000000001249000902703301107977"),
    ("-123456789012345678901234567890", "123456789012345678901234567891"),
    (f"-1.{'0' * 36}1", f"0.{'0' * 36}1"),
)


@pytest.mark.parametrize("count", [2, 3, 7, 16])
@pytest.mark.parametrize(("low", "high"), LONG_ENDS)
def test_equally_spaced_levels_are_the_doubles_nearest_to_them(low: str, high: str, count: int) -> None:
    values = level_values(count, low, high)
    assert (values[0], values[-1]) == (float(low), float(high))
    start, span = Fraction(low), Fraction(high) - Fraction(low)
    assert values == tuple(float(start + span * level / (count - 1)) for level in range(count))
