"""With two levels, words, thresholds and estimates are those from before there were more.

The file was written by the release before levels; it is never made anew. Limits were changed since where
counts point beyond an end, and only outward: intervals of means contain the end that T points to at every level,
and no interval is a point at an end; `baseline` does not estimate that end. Estimates of `bayes` are others since.
Intervals of means were those of the reported pairs. Limits of few counts are whole numbers of holders among all
people now, and were of those among the people who reported pairs, a random part: they differ by less than one.
Upper limits of frequencies may be lower since, by a second bound of what larger sets hide.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pckv import Tally, Task, estimate
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments

GOLDEN = Path(__file__).parent / "golden" / "two-levels.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
SAME = ("frequency", "frequency_low", "mean")
NOW_CALLED = {name: name for name in SAME} | {name: f"reported_{name}" for name in ("mean_low", "mean_high")}
REPORTS, SHOWN = 600, [0.7, 0.5, 0.3, 0.2]


def same_reports(task: Task) -> np.ndarray:
    """Return messages that depend on a seed and the number of words alone."""
    rng = np.random.default_rng(5)
    if task.word_limit is None:
        present = rng.random((REPORTS, 4)) < SHOWN
        sign = (rng.random((REPORTS, 4)) < 0.7) & present
        planes = [np.packbits(plane, axis=1, bitorder="little") for plane in (present, sign)]
        return np.concatenate(planes, axis=1)
    words = rng.integers(0, task.word_limit, REPORTS)
    words[:200] = words[0]
    return words


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['mechanism']}-{case['padding']}-{case['method']}")
def test_two_levels_give_what_they_gave(case: dict[str, Any]) -> None:
    task = Task(
        name="golden",
        keys=4,
        values=(1, 5),
        epsilon="2",
        padding=case["padding"],
        mechanism=case["mechanism"],
        levels=2,
    )
    assert task.word_limit == case["word_limit"]
    assert [task.realised.numerator % 10**12, task.realised.denominator % 10**12] == case["realised"]
    tally = Tally(task)
    tally.add_many(same_reports(task))
    found = estimate(tally, method=case["method"])
    few = tally.pair_reports * CountMoments.of(task.law.count_law).noise < GAUSSIAN_NOISE
    whole = 1 / tally.pair_reports if few else 1e-9
    for name, now in NOW_CALLED.items():
        tolerance = whole if name == "frequency_low" else 1e-9
        assert getattr(found, now) == pytest.approx(case[name], rel=1e-9, abs=tolerance), name
    assert (found.frequency_high <= np.array(case["frequency_high"]) + whole).all()
