"""The reports of a round are those of a random panel: their intervals are about every participant.

60 seeded rounds of 2,000 of 8,000 people at a large ε, four keys each: 240 intervals, so that a coverage of 0.95 has a
standard error of 0.014. Nearly all of the error is that of the choice of the panel.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from pckv import Series, Tally, Task, estimate
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.hostile import HonestReports
from pckv.estimators.sets import summarise_sets
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

PEOPLE, PANELS, ROUNDS, KEYS = 8_000, 4, 60, 4


def make_series(**options: object) -> Series:
    chosen = {"padding": 1, "mechanism": "grr", "epsilon": 9, "more": "refuse", **options}
    task = Task(name="t", keys=KEYS, values=(-1, 1), **chosen)  # type: ignore[arg-type]
    return Series(task=task, first="2030-01-01", period=7, panels=PANELS)


def without_series(tally: Tally) -> Tally:
    """Return the same counts as if no panel had been left out."""
    task = Task.from_json(tally.task.to_json().replace(f'"series":{_member(tally.task)}', '"series":null'))
    alone = Tally(task, tally.counts)
    alone.reports = tally.reports
    return alone


def _member(task: Task) -> str:
    assert task.series is not None
    return f'{{"id":"{task.series.id}","panels":{task.series.panels},"round":{task.series.round}}}'


@cache
def rounds() -> tuple[list[Tally], np.ndarray]:
    """Return the tallies of rounds, each of a random quarter of the people, and the true frequencies of all."""
    rng = np.random.default_rng(3)
    keys = rng.choice(KEYS, PEOPLE, p=[0.5, 0.3, 0.15, 0.05]).astype(np.int32)
    everybody = Population(np.arange(PEOPLE + 1), keys, rng.uniform(-1, 1, PEOPLE))
    series, tallies = make_series(), []
    for number in range(1, ROUNDS + 1):
        panel = everybody.take(rng.permutation(PEOPLE)[: PEOPLE // PANELS])
        tally = Tally(series.task_of(number))
        for batch in perturb_many(tally.task, panel, seeded_source(number)):
            tally.add_many(batch.messages)
        tallies.append(tally)
    return tallies, everybody.truth(KEYS)[0]


def coverage(tallies: list[Tally], truth: np.ndarray, method: str, **options: int) -> float:
    found = [estimate(tally, method, **options) for tally in tallies]  # type: ignore[arg-type]
    inside = [(each.frequency_low <= truth) & (truth <= each.frequency_high) for each in found]
    return float(np.mean(inside))


@pytest.mark.parametrize("holders", [1, 2, 5])
@pytest.mark.parametrize("reporting", [1, 2, 3])
def test_the_variance_of_a_round_is_not_below_that_over_all_panels(holders: int, reporting: int) -> None:
    """Enumerated in fractions: every choice of a panel, and the law of every report."""
    people, count_law = 6, build("grr", 3, 1, Fraction(2), {}).count_law
    own, other = (support.own + support.other for support in (count_law.holder, count_law.absent))
    means, variances = [], []
    for panel in combinations(range(people), reporting):
        chances = [own if person < holders else other for person in panel]
        means.append(sum(chances) / reporting)
        variances.append(sum(chance * (1 - chance) for chance in chances) / reporting**2)
    centre = sum(means) / len(means)
    spread = sum((mean - centre) ** 2 for mean in means) / len(means)
    exact = float((sum(variances) / len(variances) + spread) / (own - other) ** 2)
    frequency = holders / people
    with_panels = CountMoments.of(count_law, left_out=1 - reporting / people).frequency_variance(frequency)
    assert exact <= with_panels / reporting * (1 + 1e-12)
    # The control: without the choice of the panel, the variance is too small.
    assert CountMoments.of(count_law).frequency_variance(frequency) / reporting < exact


@pytest.mark.parametrize("method", ["corrected", "bayes"])
def test_intervals_of_a_round_are_about_everybody(method: str) -> None:
    tallies, truth = rounds()
    assert coverage(tallies, truth, method) >= 0.93
    assert coverage([without_series(tally) for tally in tallies], truth, method) < 0.85


def test_honest_intervals_of_a_round_are_about_everybody() -> None:
    tallies, _ = rounds()
    honest = HonestReports.of_pairs(tallies[0], 10)
    alone = HonestReports.of_pairs(without_series(tallies[0]), 10)
    assert honest is not None
    assert alone is not None
    assert alone.most.left_out == 0
    # 1,990 honest reports of at least 7,990 honest people.
    assert honest.most.left_out == pytest.approx(6_000 / 7_990)


def test_the_share_of_larger_sets_of_a_round_is_about_everybody() -> None:
    series = make_series(mechanism="collision", more="sample", size_share="0.5")
    tally = Tally(series.task_of(1))
    offsets = np.arange(0, 4001, 2)
    keys = np.tile(np.array([0, 1], np.int32), 2000)
    for batch in perturb_many(tally.task, Population(offsets, keys, np.zeros(4000)), seeded_source(1)):
        tally.add_many(batch.messages)
    found, alone = (summarise_sets(each, 0.95) for each in (tally, without_series(tally)))
    assert found.larger_low < alone.larger_low
    assert tally.people == PANELS * tally.reports
