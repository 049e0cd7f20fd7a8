"""Means over all holders where people hold more pairs than the padding: the bound is exact, and intervals hold the truth.

The bound is checked on random populations, whatever values depend on. Coverage is measured where the bound is
reached: every large set holds the key, and its values are all at one end.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

from pckv import Tally, Task, estimate
from pckv.base.arrays import Floats
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.holders import interval_of_holders
from pckv.estimators.intervals import mean_interval
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.sets import HiddenShare
from pckv.lab.dataset import Dataset
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import any_counts

LOW, HIGH = -1.0, 1.0


class Truth(NamedTuple):
    """Of one key: frequency and mean over holders, the same as reports show them, and what larger sets may hide."""

    frequency: float
    mean: float
    capped: float
    reported: float
    hidden: float

    @property
    def share(self) -> float:
        """The bound of the share of holders that is hidden."""
        return self.hidden / (self.capped + self.hidden)


def truth_of(sizes: Floats, holds: np.ndarray, values: Floats, padding: int) -> Truth:
    """Return the truth of a key that some of people with these numbers of pairs hold, with these values."""
    weights = padding / np.maximum(sizes, padding)
    return Truth(
        holds.mean(),
        values[holds].mean(),
        (weights * holds).mean(),
        np.average(values[holds], weights=weights[holds]),
        (1 - weights).mean(),
    )


def random_truth(rng: np.random.Generator) -> tuple[Truth, int, int]:
    """Return the truth of a random key, the padding and the number of keys: values depend on sizes somehow."""
    keys = int(rng.integers(2, 30))
    padding, people = int(rng.integers(1, keys)), int(rng.integers(1, 60))
    sizes = rng.integers(1, keys + 1, people)
    if rng.random() < 0.3:
        sizes = np.where(rng.random(people) < 0.5, keys, 1)
    holds = rng.random(people) < rng.random() * (sizes > padding if rng.random() < 0.3 else 1)
    holds[rng.integers(people)] = True
    values = rng.uniform(LOW, HIGH, people)
    if rng.random() < 0.6:
        values = np.where(sizes > padding, rng.choice([LOW, HIGH]), values)
    return truth_of(sizes.astype(float), holds, values, padding), padding, keys


def test_the_bound_holds_whatever_values_depend_on() -> None:
    """5,000 random populations, exactly; half the bound is violated by some of them, the control."""
    rng, halved = np.random.default_rng(3), 0
    for _ in range(5_000):
        key, padding, keys = random_truth(rng)
        share = min(key.share, 1 - padding / keys, 1 - key.capped)
        off = key.mean - key.reported
        assert key.reported + share * (LOW - key.reported) - 1e-12 <= key.mean
        assert key.mean <= key.reported + share * (HIGH - key.reported) + 1e-12
        assert key.capped * -off <= key.hidden * (key.mean - LOW) + 1e-12
        assert key.capped * off <= key.hidden * (HIGH - key.mean) + 1e-12
        halved += key.mean < key.reported + share / 2 * (LOW - key.reported) - 1e-12
    assert halved > 25


def test_the_bound_is_reached() -> None:
    """Every large set holds the key, and its values are all at the end."""
    sizes, values = np.array([1.0, 1, 1, 5, 5]), np.array([0.5, 0.5, 0.5, LOW, LOW])
    key = truth_of(sizes, np.ones(5, bool), values, padding=1)
    assert key.mean == pytest.approx(key.reported + key.share * (LOW - key.reported))
    assert key.reported - key.mean > 0.4


@settings(deadline=None)
@given(any_counts())
def test_where_nothing_is_hidden_the_interval_is_that_of_the_reported_pairs(
    counts: tuple[KeySupport, int, CountMoments],
) -> None:
    support, reports, moments = counts
    found, own = interval_of_holders(*counts, 0.95, HiddenShare()), mean_interval(*counts, 0.95)
    held = (support.total / reports - moments.noise) / moments.signal > 1 / reports
    # Where counts point beyond an end, the interval of the reported pairs has the error of that end, and is joined to
    # this one.
    inside = held & (own.low > moments.scale.low) & (own.high < moments.scale.high)
    for limit, same in ((found.low, own.low), (found.high, own.high)):
        assert limit[inside] == pytest.approx(same[inside], abs=1e-6)
    assert (own.low[held] <= found.low[held] + 1e-6).all()
    assert (found.high[held] <= own.high[held] + 1e-6).all()
    more = interval_of_holders(*counts, 0.95, HiddenShare(0.1, 0.01))
    assert (more.low <= found.low + 1e-9).all()
    assert (more.high >= found.high - 1e-9).all()


PEOPLE, KEYS, PADDING, REPEATS = 4_000, 30, 2, 30


@cache
def worst_people() -> Dataset:
    """A fifth of people hold ten pairs, key 0 always, and give the least value.

    The others hold one or two, key 0 half of the time, and four in five of them give the largest value.
    """
    rng = np.random.default_rng(5)
    heavy = np.arange(PEOPLE) < PEOPLE // 5
    sizes = np.where(heavy, 10, rng.integers(1, 3, PEOPLE))
    holds = heavy | (rng.random(PEOPLE) < 0.5)
    held, values = [], []
    for size, is_heavy, has_first in zip(sizes, heavy, holds, strict=True):
        others = rng.choice(np.arange(1, KEYS), size - has_first, replace=False)
        held.append(np.append([0] if has_first else [], others).astype(np.int32))
        end = LOW if is_heavy or rng.random() < 0.2 else HIGH
        values.append(np.full(size, end))
    offsets = np.append(0, np.cumsum(sizes))
    return Dataset("worst", Population(offsets, np.concatenate(held), np.concatenate(values)), KEYS, LOW, HIGH)


def collected(task: Task, seed: int) -> Tally:
    tally = Tally(task)
    for batch in perturb_many(task, worst_people().population, seeded_source(seed)):
        tally.add_many(batch.messages)
    return tally


def make_task(**options: object) -> Task:
    chosen = {"padding": PADDING, "mechanism": "grr", "size_share": "0.1", "epsilon": 4, **options}
    return Task(name="t", keys=KEYS, values=(LOW, HIGH), **chosen)  # type: ignore[arg-type]


@cache
def tallies(levels: int) -> list[Tally]:
    task = make_task(levels=levels)
    return [collected(task, seed) for seed in range(REPEATS)]


@cache
def collections(levels: int, method: str) -> list[Estimates]:
    return [estimate(tally, method) for tally in tallies(levels)]


@pytest.mark.parametrize(
    ("levels", "method"), [(2, "corrected"), pytest.param(2, "bayes", marks=pytest.mark.verify), (3, "corrected")]
)
def test_intervals_of_means_hold_the_truth_where_the_bound_is_reached(levels: int, method: str) -> None:
    """30 collections: a coverage of 0.95 has a standard error of 0.04, and 0.79 is four of them below (α < 1e-3).

    The interval of the reported pairs, the control, misses the mean of key 0 nearly always.
    """
    true = worst_people().truth[1]
    found = collections(levels, method)
    inside = np.array([(each.mean_low <= true) & (true <= each.mean_high) for each in found])
    assert inside[:, 0].mean() >= 0.79
    assert inside.mean() >= 0.93
    reported = np.array([each.reported_mean_low[0] <= true[0] <= each.reported_mean_high[0] for each in found])
    assert reported.mean() < 0.2
    assert all((each.mean_low <= each.reported_mean_low).all() for each in found)
    assert all((each.mean_high >= each.reported_mean_high).all() for each in found)


def test_intervals_of_shares_quantiles_and_deviations_hold_the_truth() -> None:
    """The values of key 0 are at both ends of three levels; α and power as above."""
    true = float((worst_people().truth[1][0] + 1) / 2)
    found = collections(3, "corrected")
    above = np.array([[each.share_above(0.0).low[0], each.share_above(0.0).high[0]] for each in found])
    assert ((above[:, 0] <= true) & (true <= above[:, 1])).mean() >= 0.79
    deviation = 2 * np.sqrt(true * (1 - true))
    assert np.mean([each.deviation_low[0] <= deviation <= each.deviation_high[0] for each in found]) >= 0.79
    median = LOW if true < 0.5 else HIGH
    medians = [each.quantile(0.5) for each in found]
    assert np.mean([each.low[0] <= median <= each.high[0] for each in medians]) >= 0.79


@pytest.mark.parametrize("options", [{"padding": KEYS, "size_share": "0"}, {"padding": 10, "more": "refuse"}])
@pytest.mark.parametrize("levels", [2, 3])
def test_nothing_changes_where_no_set_is_larger(options: dict[str, object], levels: int) -> None:
    options = {**options, "levels": levels} | ({"size_share": "0"} if "more" in options else {})
    found = estimate(collected(make_task(**options), 1))
    assert found.mean_low.tolist() == found.reported_mean_low.tolist()
    assert found.mean_high.tolist() == found.reported_mean_high.tolist()
    assert found.mean_known.tolist() == found.reported_mean_known.tolist()
    assert not any("unknown" in sentence for sentence in found.verdict)


def test_hostile_reports_and_missing_answers_never_narrow_the_interval() -> None:
    task = make_task()
    tally = collected(task, 3)
    plain, hostile = estimate(tally), estimate(tally, hostile="1%")
    assert (hostile.mean_low <= plain.mean_low + 1e-9).all()
    assert (hostile.mean_high >= plain.mean_high - 1e-9).all()
    true = worst_people().truth[1]
    for mechanism in ("ue", "grr"):
        without = estimate(collected(make_task(size_share="0", mechanism=mechanism), 3))
        assert ((without.mean_low <= true) & (true <= without.mean_high))[without.detected].mean() > 0.9


def test_means_that_larger_sets_hide_are_unknown_and_shown_as_those_of_reported_pairs() -> None:
    found = estimate(collected(make_task(padding=1), 2))
    hidden = found.is_mean_hidden
    assert hidden.any()
    assert found.headers()[5:] == ("reported mean", "95 % interval")
    row = found.cells()[int(np.flatnonzero(hidden)[0])]
    assert row[3] == "unknown"
    assert row[5] != "unknown"
    said = next(sentence for sentence in found.verdict if "unknown" in sentence)
    enough = found.sets.sufficient_padding
    assert said == (
        f"The means of {hidden.sum()} keys are unknown for that reason: the mean of the reported pairs stands beside. "
        f"By the answers, a padding of {enough} would hide at most a tenth as much."
    )
    # The claim is true of these people, up to the noise of the answers.
    assert enough is not None
    assert worst_people().hidden_share(enough) <= 0.1 * worst_people().hidden_share(1) + 0.02
    control = estimate(collected(make_task(padding=10), 2))
    assert not any("unknown" in sentence for sentence in control.verdict)


def test_a_padding_that_suffices_is_the_least_that_the_ends_allow() -> None:
    """Rounding to ends never hides less, for 300 random sizes: so the padding suffices, with exact shares."""
    rng, sets = np.random.default_rng(7), collections(2, "corrected")[0].sets
    for _ in range(300):
        keys = int(rng.integers(4, 60))
        padding = int(rng.integers(1, keys - 1))
        question = SizeQuestion(keys, padding, Fraction(1), Fraction(1, 10))
        sizes = rng.integers(padding + 1, keys + 1, 3)
        shares = np.zeros(len(question.ends))
        for size in sizes:
            for end, chance in question.true_answers(int(size)):
                shares[end] += float(chance) / 3
        told = type(sets)(**{**vars(sets), "padding": padding, "ends": question.ends, "shares": tuple(shares)})
        enough = told.sufficient_padding
        assert enough is not None

        def hides(length: int, sizes: np.ndarray = sizes) -> float:
            return float(np.maximum(1 - length / sizes, 0).mean())

        assert hides(enough) <= 0.1 * hides(padding) + 1e-12
