"""People without pairs: what is planned from an average and a share is near what is planned from the histogram."""

from __future__ import annotations

from fractions import Fraction

import pytest

from experiments.empty_sets import GEOMETRIC, HINTS, HISTOGRAM, EmptySetting, chosen, draw_people, error_of, judge
from pckv import plan
from pckv.mechanisms.registry import build
from pckv.planning.people import expect


@pytest.mark.parametrize("empty", [0.0, 0.3, 0.6, 0.9])
def test_hints_lead_to_an_error_near_that_of_the_histogram(empty: float) -> None:
    """By exact errors, and 2,000 collections: at a power of 0.75, less than 0.7 would have a chance of 10^-6.

    Control: a padding of 1, as if all people held one pair. The wide version is `make experiment NAME=empty-sets`.
    """
    setting = EmptySetting(100, 100_000, "3", empty, GEOMETRIC, 2.5, 1.0)
    people = draw_people(100, GEOMETRIC, 2.5, 1.0)
    judged = judge(1, setting, 2000)
    assert judged.ratios[HINTS] <= 1.5
    assert judged.power is not None
    assert judged.power >= 0.7
    assert judged.held >= 0.7
    _, error = chosen(setting, people, HISTOGRAM)
    alone = build("collision", 100, 1, Fraction(3), {})
    assert error_of(alone, "0.05", people, setting) > 1.5 * error


def test_what_is_surely_seen_allows_for_a_long_tail() -> None:
    """Where no more than an average is known; a limit, a histogram or a refusal are believed."""
    assumed = expect(100, pairs=1.2, holding=0.4)
    assert assumed.least_seen(9) == 1
    assert 0.8 < assumed.surely_seen(9) < 1
    assert assumed.surely_seen(5) < assumed.least_seen(5) < 1
    for known in ({"most_pairs": 9}, {"more": "refuse"}):
        believed = expect(100, pairs=1.2, holding=0.4, **known)
        assert believed.surely_seen(9) == believed.least_seen(9) == 1
    assert expect(100, sizes={0: 6, 3: 4}).surely_seen(2) == expect(100, sizes={0: 6, 3: 4}).least_seen(2)
    assert expect(100).surely_seen(1) == 1
    told, silent = (plan(100, 20_000, 2, 1.2, holding=0.4, most_pairs=most) for most in (9, None))
    assert told.padding == silent.padding
    assert told.smallest_frequency < silent.smallest_frequency
