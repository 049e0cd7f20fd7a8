"""The method `bayes`: its promises for any counts, any size, and the public functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pckv import Tally, Task, estimate
from pckv.base.errors import ParameterError
from pckv.estimators.intervals import Interval, frequency_interval, mean_interval
from pckv.estimators.linear import corrected
from pckv.estimators.methods.bayes import MEAN_SHRINKAGE_LIMIT, OWN_QUANTILE_FACTOR, Posterior, bayes, learn
from pckv.lab.populations import uniform
from pckv.lab.simulate import simulate
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import MECHANISMS, any_counts, zipf_counts


def both_intervals(learned: Posterior, level: float) -> tuple[Interval, Interval]:
    return learned.frequency_interval(level), learned.key_mean_interval(level)


@settings(deadline=None)
@given(any_counts())
def test_estimates_are_between_the_keys_own_and_the_expected_ones(
    counts: tuple[KeySupport, int, CountMoments],
) -> None:
    support, reports, moments = counts
    learned = learn(support, reports, moments)
    frequency, mean = learned.estimates()
    assert ((frequency >= 0) & (frequency <= 1)).all()
    assert ((mean >= -1) & (mean <= 1)).all()
    own, _ = corrected(support, reports, moments)
    expected, _ = learned.expected()
    assert (frequency >= np.minimum(own, expected) - 1e-12).all()
    assert (frequency <= np.maximum(own, expected) + 1e-12).all()
    for (low, high), bottom in zip(both_intervals(learned, 0.95), (0, -1), strict=True):
        assert ((low >= bottom) & (low <= high) & (high <= 1)).all()


@settings(deadline=None)
@given(any_counts(), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(counts: tuple[KeySupport, int, CountMoments], random: object) -> None:
    support, reports, moments = counts
    order = np.arange(support.keys)
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = support.take(order)
    for before, after in zip(bayes(support, reports, moments), bayes(shuffled, reports, moments), strict=True):
        assert before[order].tolist() == after.tolist()


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_hold_the_keys_own_narrower_ones(level: float) -> None:
    support, moments, _, _ = zipf_counts("ue", 500, 20_000, "2", seed=3)
    z = OWN_QUANTILE_FACTOR * stats.norm.ppf((1 + level) / 2)
    narrower = 2 * stats.norm.cdf(z) - 1
    own = (frequency_interval, mean_interval)
    for (low, high), interval in zip(both_intervals(learn(support, 20_000, moments), level), own, strict=True):
        least, most, *_ = interval(support, 20_000, moments, narrower)
        assert (low <= least + 1e-12).all()
        assert (high >= most - 1e-12).all()


def test_good_data_are_not_shrunk() -> None:
    """With a billion reports the prior does not matter: both estimates are the corrected ones."""
    support, moments, _, _ = zipf_counts("ue", 10, 10**9, "4", seed=4)
    for ours, theirs in zip(bayes(support, 10**9, moments), corrected(support, 10**9, moments), strict=True):
        assert ours.tolist() == theirs.tolist()


def test_the_mean_moves_by_its_standard_error_at_most() -> None:
    users = 100_000
    support, moments, _, _ = zipf_counts("ue", 1000, users, "2", seed=5)
    frequency, mean = bayes(support, users, moments)
    own = corrected(support, users, moments)[1]
    error = np.sqrt(moments.mean_variance(np.maximum(frequency, 1 / users), np.ones(1000)) / users)
    assert (np.abs(mean - own) <= MEAN_SHRINKAGE_LIMIT * error + 1e-12).all()


# Any number of keys


@pytest.mark.parametrize(
    ("name", "keys", "users", "epsilon"),
    [
        ("ue", 1, 1000, "1"),
        ("collision", 10, 1000, "6"),
        ("grr", 10, 10**9, "1"),
        ("grr", 50_000, 1000, "1"),
        ("grr", 250_000, 10**6, "4"),
        ("ue", 250_000, 10**9, "1"),
    ],
)
def test_any_size(name: str, keys: int, users: int, epsilon: str) -> None:
    support, moments, _, _ = zipf_counts(name, keys, users, epsilon, seed=6)
    learned = learn(support, users, moments)
    columns = (*learned.estimates(), *learned.frequency_interval(0.95), *learned.key_mean_interval(0.95))
    assert all(np.isfinite(column).all() for column in columns)
    # The work grows with the distinct counts, not with the keys.
    assert learned.bins.s.size <= min(keys, 10_000)


# The public functions


def some_tally(name: str) -> Tally:
    keys = ["alien", "heat", "up", "brazil"]
    task = Task(name="movies", keys=keys, values=(1, 5), epsilon=1, mechanism=name)
    tally = Tally(task)
    words = np.random.default_rng(8).integers(0, task.word_limit, 500)
    tally.add_many(words)
    return tally


@pytest.mark.parametrize("name", ["grr", "ue-compact", "collision"])
def test_some_keys_have_the_estimates_that_they_have_among_all(name: str) -> None:
    tally = some_tally(name)
    everything = estimate(tally, method="bayes")
    some = estimate(tally, method="bayes", keys=["up", "alien"])
    assert some.method == "bayes"
    assert some.to_csv() == everything.take(np.array([2, 0])).to_csv()


def test_intervals_hold_their_estimates() -> None:
    estimates = estimate(some_tally("grr"), method="bayes", level=0.5)
    assert ((estimates.frequency_low <= estimates.frequency) & (estimates.frequency <= estimates.frequency_high)).all()
    assert ((estimates.mean_low <= estimates.mean) & (estimates.mean <= estimates.mean_high)).all()
    assert ((estimates.mean_low >= 1) & (estimates.mean_high <= 5)).all()


def test_simulations_support_the_method() -> None:
    people = uniform(2000, 20, np.random.default_rng(9))
    rows = simulate(people, epsilon=["1"], mechanism=MECHANISMS, method=["bayes", "corrected"], repeats=3, workers=1)
    errors = {(row.mechanism, row.method): row.mse_frequency for row in rows}
    assert all(errors[name, "bayes"] < errors[name, "corrected"] for name in MECHANISMS)


def test_too_many_keys_are_refused() -> None:
    task = Task(name="many", keys=2**26, values=(0, 1), epsilon=1, mechanism="grr")
    with pytest.raises(ParameterError, match="take another method"):
        estimate(Tally(task), method="bayes", keys=["7"])
