"""Plans for hashed keys: what stands out among the keys that are asked for, and the same choice as a task makes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pckv import Task, plan
from pckv.base.errors import ParameterError
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.planning.prediction import predicted_errors
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, smallest_detected_frequency
from pckv.statistics.moments import CountMoments


@pytest.mark.parametrize("users", [400, 40_000])
def test_the_smallest_frequency_is_detected_four_times_out_of_five_among_candidates(users: int) -> None:
    """800 collections of 100 keys, one of which is held: .76 to .85 is 2.8 standard errors or more on either side, and the seed is fixed.

    The control, four fifths of the frequency, must fail.
    """
    keys, collections = 100, 800
    count_law = build("collision", 2**20, 1, Fraction(3), {}).count_law
    moments, rng = CountMoments.of(count_law), np.random.default_rng(users)
    detection = Detection(keys, 0.95, DEFAULT_FLAG_RATE)

    def power(frequency: float) -> float:
        holders = np.tile(np.arange(keys) == 0, collections) * round(frequency * users)
        totals = draw_counts(count_law, users, holders, np.zeros(holders.size), rng).total.reshape(-1, keys)
        return float(np.mean([detection.detected(row, users, moments)[0] for row in totals]))

    smallest = smallest_detected_frequency(moments, users, keys, rate=DEFAULT_FLAG_RATE)
    assert smallest < 0.5
    assert 0.76 <= power(smallest) <= 0.85
    assert power(0.8 * smallest) < 0.76


def test_a_task_is_what_the_plan_recommends() -> None:
    for hints in ({"pairs": 3}, {"pairs": 1, "most_pairs": 1}, {"pairs": 8, "more": "refuse"}):
        planned = plan(keys="hashed", users=200_000, epsilon=2, values=(1, 5), **hints)
        task = Task(name="t", keys="hashed", values=(1, 5), users=200_000, epsilon=2, **hints)
        assert (planned.mechanism, planned.padding, planned.parameters) == (
            task.mechanism,
            task.padding,
            task.parameters,
        )
        assert planned.size_share == task.size_share
        assert planned.candidates == 10_000


def test_errors_are_those_of_the_law_whoever_else_is_asked_for() -> None:
    few, many = (plan(keys="hashed", users=10**6, epsilon=2, pairs=2, levels=2, candidates=n) for n in (10, 10**5))
    assert few.errors == many.errors
    assert few.smallest_frequency < many.smallest_frequency < 2 * few.smallest_frequency
    law = build("collision", 2**29 - 1, few.padding, Fraction(2), {})
    at = few.errors[0]
    seen = few.seen
    expected = predicted_errors(law, 10**6 * (1 - few.size_share), at.frequency, seen, few.size_share)
    assert at.frequency_error == pytest.approx(expected.frequency)
    assert "of 10,000 keys" not in few.assumed
    assert "among 10 keys that are asked for" in few._repr_html_()


@pytest.mark.parametrize("options", [{"keys": "any"}, {"keys": 3, "candidates": 3}, {"candidates": 0}])
def test_what_is_no_number_of_keys_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=r"keys must be|candidates"):
        plan(**{"keys": "hashed", "users": 100, "epsilon": 1, **options})  # type: ignore[arg-type]
