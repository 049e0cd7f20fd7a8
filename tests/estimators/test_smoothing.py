"""Smoothed trends of series whose panels did not all report: the error of choosing people returns with a panel."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import default_rng

from pckv.estimators.trends import smoothing
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.smoothing import returning_error, smooth_frequencies, smooth_means
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import equal_scale

KEYS, PANELS, REPORTS = 400, 4, 2000
PEOPLE = PANELS * REPORTS
# Every holder has one of the two ends of the range as value.
HOLDERS, MEAN = PEOPLE // 2, 0.0


def draw_rounds(numbers: Sequence[int], seed: int) -> list[RoundCounts]:
    """Draw rounds of panels that every participant stays in: half of all people hold a key, half of these with the value 1."""
    rng = default_rng(seed)
    count_law = build("ue", KEYS, 1, Fraction(8), {}).count_law
    left = np.tile(np.array([HOLDERS // 2, HOLDERS // 2, PEOPLE - HOLDERS])[:, None], KEYS)
    panels = []
    for _ in range(PANELS):
        chosen = np.stack([rng.multivariate_hypergeometric(column, REPORTS) for column in left.T], axis=1)
        left = left - chosen
        panels.append(chosen)
    rounds = []
    for number in numbers:
        plus, minus, _ = panels[number % PANELS]
        holders = plus + minus
        support = draw_counts(count_law, REPORTS, holders, (plus - minus) / holders, rng)
        rounds.append(
            RoundCounts(
                number,
                PANELS,
                REPORTS,
                np.zeros(0, np.int64),
                np.arange(KEYS),
                support,
                count_law,
                equal_scale(2),
            )
        )
    return rounds


def coverages(rounds: list[RoundCounts]) -> tuple[float, float]:
    """Return how often the smoothed intervals of frequencies and means hold those of every participant."""
    frequencies = smooth_frequencies(rounds, 0.95)
    means = smooth_means(rounds, frequencies.level, 0.95)
    return tuple(  # type: ignore[return-value]
        float(np.mean((found.interval.low <= truth) & (truth <= found.interval.high)))
        for found, truth in ((frequencies, HOLDERS / PEOPLE), (means, MEAN))
    )


@pytest.mark.parametrize("numbers", [range(1, 33, PANELS), [1, 5, 9, 13, 14, 17, 21, 25]])
def test_intervals_hold_where_one_panel_reports_most(numbers: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = draw_rounds(numbers, 1)
    assert min(coverages(rounds)) >= 0.93
    # The control: as if the people of every round were chosen anew.
    monkeypatch.setattr(smoothing, "returning_error", lambda _: 0.0)
    assert max(coverages(rounds)) < 0.9


def test_nothing_is_added_where_all_panels_report_alike_or_none_returns() -> None:
    for numbers in (range(1, 9), range(1, 7), range(2, 4), [7]):
        assert returning_error(draw_rounds(numbers, 2)) == 0
