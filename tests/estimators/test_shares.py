"""Shares of levels, deviations and their intervals: how often they hold, how wide they are, and what they add up to."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.random import default_rng

from pckv import Tally, Task, estimate
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import default_method
from pckv.estimators.hostile import HonestReports
from pckv.estimators.intervals import Interval, mean_interval
from pckv.estimators.results.distributions import Distributions
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import COLUMNS
from pckv.estimators.shares import (
    LevelShares,
    distributions,
    honest_interval,
    own_interval,
    own_shares,
    with_intervals,
)
from pckv.statistics.moments import CountMoments, Scale
from pckv.statistics.projection import project_to_sum
from support.counts import draw_levels

COLLECTIONS = 2_000
# With 2,000 collections, 95 % intervals fall below this with chance 5e-7, and 90 % ones stay above it with chance 5e-5.
LEAST_COVERAGE = 0.9255
PROFILE = (0.02, 0.05, 0.13, 0.3, 0.5)
NEW_TASK = partial(Task, name="stars", values=(1, 5), levels=5, padding=1, more="refuse", between="refuse")
TASKS = {
    "grr": NEW_TASK(keys=50, epsilon=4, mechanism="grr"),
    "grr, few counts": NEW_TASK(keys=5_000, epsilon=4, mechanism="grr"),
    "ue-compact": NEW_TASK(keys=500, epsilon=2, mechanism="ue-compact"),
    "collision": NEW_TASK(keys=500, epsilon=2, mechanism="collision"),
    "uneven levels": NEW_TASK(keys=50, epsilon=4, mechanism="grr", levels=[1, 1.25, 1.5, 2, 5]),
}
REPORTS = 20_000


def moments_of(task: Task) -> CountMoments:
    return CountMoments.of(task.law.count_law, scale=Scale.of_values(task.level_values))


@pytest.mark.parametrize("frequency", [0.3, 0.02])
@pytest.mark.parametrize("name", TASKS)
def test_intervals_hold_as_often_as_they_say(name: str, frequency: float) -> None:
    task = TASKS[name]
    holders = [round(frequency * REPORTS * share) for share in PROFILE]
    support = draw_levels(task.law.count_law, holders, REPORTS, COLLECTIONS, default_rng(21))
    moments, values = moments_of(task), np.array(task.level_values)
    interval_on = own_interval(support, REPORTS, moments, 0.95)
    of_mean = mean_interval(support, REPORTS, moments, 0.95)
    shares = with_intervals(own_shares(support, REPORTS, moments), interval_on)
    found = distributions(task, shares, Interval(of_mean.low, of_mean.high), interval_on)
    true = np.array(holders) / sum(holders)
    mean = true @ values
    median = found.quantile(0.5)
    covered = {
        "shares": float(_holds(found.shares_low, found.shares_high, true).mean(axis=0).min()),
        **{f"above {value:g}": _coverage(found.share_above(value)[1:], true[values > value].sum()) for value in values},
        "deviation": _coverage((found.deviation_low, found.deviation_high), (true @ (values - mean) ** 2) ** 0.5),
        "median": _coverage(median[1:], values[np.searchsorted(np.cumsum(true), 0.5)]),
        "mean": _coverage((of_mean.low, of_mean.high), float(true @ np.array(moments.scale.values))),
    }
    assert min(covered.values()) >= LEAST_COVERAGE, covered


def _holds(low: np.ndarray, high: np.ndarray, true: np.ndarray | float) -> np.ndarray:
    return np.asarray((low <= true + 1e-9) & (true - 1e-9 <= high))


def _coverage(limits: tuple[np.ndarray, ...], true: float) -> float:
    low, high = limits
    return float(_holds(low, high, true).mean())


def test_the_spread_of_the_levels_narrows_intervals_of_means() -> None:
    task = TASKS["grr"]
    for frequency, ratio in ((0.3, 0.85), (0.02, 1.0), (0.0, 1.0)):
        holders = [round(frequency * REPORTS * share) for share in PROFILE]
        support = draw_levels(task.law.count_law, holders, REPORTS, 200, default_rng(3))
        moments = moments_of(task)
        narrow = mean_interval(support, REPORTS, moments, 0.95)
        # What the mean allows at most, with two levels the only possibility.
        widest = moments.largest_spread(moments.weight(np.zeros(200)))
        ends = mean_interval(
            support, REPORTS, CountMoments(moments.holder, moments.absent, moments.scale, 0.0, widest), 0.95
        )
        assert (narrow.low >= ends.low - 1e-12).all()
        assert (narrow.high <= ends.high + 1e-12).all()
        assert (narrow.high - narrow.low).mean() <= ratio * (ends.high - ends.low).mean()


def test_projected_shares_are_the_nearest_possible() -> None:
    values = default_rng(1).normal(0.2, 0.5, (300, 5))
    found = project_to_sum(values)
    np.testing.assert_allclose(found, [project_to_sum(row) for row in values], atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_intervals_hold_whatever_hostile_reports_say() -> None:
    task, hostile, collections = TASKS["ue-compact"], 500, 400
    holders = [round(0.1 * (REPORTS - hostile) * share) for share in PROFILE]
    true = np.array(holders) / sum(holders)
    count_law, moments = task.law.count_law, moments_of(task)
    support = draw_levels(count_law, holders, REPORTS - hostile, collections, default_rng(5))
    honest = HonestReports.of((count_law, count_law), REPORTS, hostile, 0, moments.scale)
    for level in range(5):
        attacked = support._replace(counts=support.counts + hostile * (np.arange(5) == level)[:, None])
        shares = own_shares(attacked, REPORTS, moments)
        interval_on = own_interval(attacked, REPORTS, moments, 0.95)
        plain = with_intervals(shares, interval_on)
        robust = with_intervals(shares, honest_interval(interval_on, attacked, honest, 0.95))
        # 400 collections of intervals that hold at 95 %: below this with chance 4e-6.
        assert _holds(robust.low, robust.high, true).mean(axis=0).min() >= 0.895
        # The attack is strong enough to mislead intervals that do not allow for it.
        assert _holds(plain.low, plain.high, true)[:, level].mean() < 0.6
        assert (robust.low <= plain.low).all()
        assert (robust.high >= plain.high).all()


def test_rounding_takes_no_deviation_beyond_its_interval() -> None:
    """Half of the holders at either end are spread as much as possible; their shares may add up to a little more than 1."""
    shares = np.array([[0.5 + 2**-51, 0, 0, 0, 0.5]])
    found = distributions(
        TASKS["grr"],
        LevelShares(shares, np.zeros_like(shares), np.ones_like(shares)),
        Interval(-np.ones(1), np.ones(1)),
        lambda scale, _: Interval(np.full(1, scale.low), np.full(1, scale.high)),
    )
    assert found.deviation <= found.deviation_high == 2


def test_rounded_values_may_vary_less_than_their_levels() -> None:
    """Every participant says 2.5: half of them are at 2 and half at 3, and the interval contains the deviation 0."""
    tasks = [NEW_TASK(keys=3, epsilon=8, mechanism="grr", between=between) for between in ("round", "refuse")]
    offsets, keys = np.arange(4_001), np.zeros(4_000, np.int32)
    rounded = _estimates(tasks[0], Population(offsets, keys, np.full(4_000, 2.5)))
    exact = _estimates(tasks[1], Population(offsets, keys, np.where(offsets[1:] % 2, 2.0, 3.0)))
    for found in (rounded, exact):
        assert found.deviation[0] == pytest.approx(0.5, abs=0.02)
        np.testing.assert_allclose(found.shares[0], [0, 0.5, 0.5, 0, 0], atol=0.05)
    assert rounded.deviation_low[0] < 0.1
    assert exact.deviation_low[0] > 0.45


def _estimates(task: Task, population: Population, **options: str) -> Estimates:
    tally = Tally(task)
    for batch in perturb_many(task, population, seeded_source(21)):
        tally.add_many(batch.messages)
    return estimate(tally, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["baseline", "corrected", "bayes"])
@pytest.mark.parametrize("options", [{}, {"hostile": "1%"}, {"post": "consistent"}])
def test_shares_of_every_method_are_possible_and_in_their_intervals(method: str, options: dict[str, str]) -> None:
    task = NEW_TASK(keys=["heat", "up", "never"], epsilon=6, mechanism="ue-compact")
    rng = default_rng(8)
    population = Population(
        np.arange(3_001),
        np.repeat(np.array([0, 1], np.int32), [2_000, 1_000]),
        rng.choice(task.level_values, 3_000, p=PROFILE),
    )
    found = _estimates(task, population, method=method, **options)
    assert found.shares.shape == (3, 5)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1)
    assert (found.shares >= 0).all()
    assert (found.shares_low <= found.shares).all()
    assert (found.shares <= found.shares_high).all()
    assert (found.deviation_low <= found.deviation).all()
    assert (found.deviation <= found.deviation_high).all()
    np.testing.assert_allclose(found.shares[0], PROFILE, atol=0.06)
    for value, low, high in zip(*found.quantile(0.5), strict=True):
        assert low <= value <= high
    for share, low, high in zip(*found.share_above(3), strict=True):
        assert low <= share <= high


def test_without_reports_every_share_is_possible() -> None:
    for between in ("round", "refuse"):
        found = estimate(Tally(NEW_TASK(keys=2, epsilon=1, between=between)))
        np.testing.assert_allclose(found.shares, 0.2)
        assert not found.shares_low.any()
        assert (found.shares_high == 1).all()
        assert (found.deviation_low == 0).all()
        assert (found.deviation_high == 2).all()
        assert [limit.tolist() for limit in found.quantile(0.5)[1:]] == [[1, 1], [5, 5]]
        share, low, high = found.share_above(3)
        np.testing.assert_allclose(share, 0.4)
        assert (low == 0).all()
        assert (high == 1).all()


@pytest.mark.parametrize(("levels", "mean"), [(2, 3), (5, 3), ([1, 1.25, 1.5, 2, 5], 2.15), ([1, 4, 5], 10 / 3)])
def test_without_reports_the_mean_is_that_of_equal_shares(levels: int | list[float], mean: float) -> None:
    found = estimate(Tally(NEW_TASK(keys=2, epsilon=1, levels=levels)))
    np.testing.assert_allclose(found.mean, mean)
    if found.level_values:
        np.testing.assert_allclose(found.shares @ np.array(found.level_values), found.mean)
    assert (found.mean_low <= found.mean).all()
    assert (found.mean <= found.mean_high).all()


def test_two_levels_have_the_columns_that_they_had() -> None:
    found = estimate(Tally(Task(name="stars", keys=2, values=(1, 5), epsilon=1)))
    assert (found.level_values, found.shares.shape, found.deviation.size) == ((), (2, 0), 0)
    assert list(found.table()) == list(COLUMNS)
    [row, _] = found.to_dict()["estimates"]
    assert list(row) == list(COLUMNS)
    assert "between" not in found.to_dict()
    assert found.headers() == ("key", "frequency", "95 % interval", "mean", "95 % interval")
    assert (found["0"].shares, found["0"].deviation) == ((), None)
    assert "levels" not in repr(found)


def test_nothing_is_known_of_an_empty_table_of_two_levels() -> None:
    assert Distributions.none(3).take(np.array([2, 0])).shares.shape == (2, 0)


def test_more_levels_leave_room_for_fewer_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.estimators.estimate.MAX_KEYS_AT_ONCE", 10)
    four, five = (Tally(NEW_TASK(keys=keys, epsilon=1, mechanism="grr")) for keys in (4, 5))
    assert len(estimate(four)) == 4
    assert estimate(four).method == "bayes"
    assert default_method(five.task) == "corrected"
    with pytest.raises(ParameterError, match="5 keys are too many to estimate at once: name the keys wanted"):
        estimate(five)
    assert len(estimate(five, keys=["3"])) == 1
