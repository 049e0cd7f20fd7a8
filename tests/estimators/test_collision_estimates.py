"""`collision`: coverage of intervals, and collections from end to end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from pckv import Tally, Task, estimate, perturb
from pckv.base.arrays import Integers
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many
from pckv.estimators.intervals import frequency_interval, mean_interval, score_interval
from pckv.estimators.linear import corrected, unbiased_frequency
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport, key_support
from support.counts import sign_chances, signed_support
from support.laws import collision_law

USERS, COLLECTIONS = 40_000, 20_000


def counts_of(law: CollisionLaw, f: float, m: float, users: int, seed: int, size: int = COLLECTIONS) -> KeySupport:
    """Draw the counts of one key over many collections from the count law."""
    rng = default_rng(seed)
    holders = round(users * f)
    positive = rng.binomial(holders, (1 + m) / 2, size)
    count_law = law.count_law
    plus, minus = np.zeros(size, np.int64), np.zeros(size, np.int64)
    own, other, both = sign_chances(count_law.holder)
    for number, chances in (
        (positive, (own, other, both)),
        (holders - positive, (other, own, both)),
        (np.full(size, users - holders), sign_chances(count_law.absent)),
    ):
        counts = rng.multinomial(number, [*chances, 1 - sum(chances)])
        plus += counts[:, 0] + counts[:, 2]
        minus += counts[:, 1] + counts[:, 2]
    return signed_support(plus, minus)


@pytest.mark.parametrize(("padding", "epsilon"), [(1, "1"), (3, "4"), (10, "1")])
@pytest.mark.parametrize(("f", "m"), [(0.5, 0.0), (0.5, 0.9), (0.05, -1.0), (0.005, 0.5)])
def test_coverage(padding: int, epsilon: str, f: float, m: float) -> None:
    """At 95 %, over 20,000 collections of 40,000 users: one standard error of a share is .15 points.

    94 to 96 % is 6 standard errors on either side. The control is the next test.
    """
    law = collision_law(20, padding, epsilon)
    moments = CountMoments.of(law.count_law)
    support = counts_of(law, f, m, USERS, seed=11)
    low, high = score_interval(unbiased_frequency(support, USERS, moments), USERS, moments, 0.95)
    assert 0.94 < np.mean((low <= f) & (f <= high)) < 0.96
    low, high = frequency_interval(support, USERS, moments, 0.95)
    assert np.mean((low <= f) & (f <= high)) > 0.94
    low, high, _ = mean_interval(support, USERS, moments, 0.95)
    covered = np.mean((low <= m) & (m <= high))
    # Sets are cut at the ends of the range, and for means inside Var(v) adds slack (proofs/intervals.md).
    assert covered > 0.94


def test_exclusive_counts_would_cover_too_little() -> None:
    """The control: with Var S = s(1 - s), which forgets `both`, coverage falls below 90 %."""
    law = collision_law(20, 1, "1")
    moments = CountMoments.of(law.count_law)
    support = counts_of(law, 0.3, 0.0, USERS, seed=12)
    exclusive = replace(
        moments,
        holder=replace(moments.holder, mean_square_sum=moments.holder.mean_sum),
        absent=replace(moments.absent, mean_square_sum=moments.absent.mean_sum),
    )
    covered = []
    for taken in (moments, exclusive):
        low, high = frequency_interval(support, USERS, taken, 0.95)
        covered.append(np.mean((low <= 0.3) & (high >= 0.3)))
    assert covered[0] > 0.94
    assert covered[1] < 0.9


@pytest.mark.parametrize(("users", "f"), [(2000, 0.0), (2000, 0.002), (2000, 0.05), (300, 0.5)])
def test_few_counts_are_covered_at_least(users: int, f: float) -> None:
    """n·2/t below 50, where the count is Bin(h, α) + Bin(2n - h, β): coverage at least 95 %, less 5 standard errors."""
    law = collision_law(20, 1, "6")
    moments = CountMoments.of(law.count_law)
    assert users * moments.noise < 50
    support = counts_of(law, f, 0.2, users, seed=13, size=5000)
    low, high = frequency_interval(support, users, moments, 0.95)
    assert np.mean((low <= round(users * f) / users) & (round(users * f) / users <= high)) > 0.95 - 5 * 0.0031


def crowd(users: int, rng: np.random.Generator) -> Population:
    """Return people with up to four of six keys each, popular ones often together, and different values."""
    held = rng.random((users, 6)) < np.array([0.6, 0.5, 0.3, 0.1, 0.02, 0.0])
    held[np.flatnonzero(held.sum(axis=1) > 4), 0] = False
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
    keys = np.nonzero(held)[1].astype(np.int32)
    return Population(offsets, keys, np.array([0.8, -0.5, 0.0, 1.0, -1.0, 0.0])[keys])


def test_a_collection_from_end_to_end() -> None:
    """Real words and the real decode: frequencies and means within 4.5 standard errors of the truth.

    α = 1e-5 per number. The control, the same words decoded with each function's number one too high, is
    uniform over all keys: it misses the three popular keys.
    """
    people = crowd(60_000, default_rng(21))
    task = Task(name="t", keys=6, values=(-1, 1), epsilon=2, padding=4, mechanism="collision")
    law = task.law
    assert isinstance(law, CollisionLaw)
    words = np.concatenate([batch.messages for batch in perturb_many(task, people, default_rng(22).bytes)])
    frequency, mean = people.truth(6)
    moments = CountMoments.of(law.count_law)
    error = np.sqrt(moments.frequency_variance(frequency) / len(people))

    def misses(shifted: Integers) -> NDArray[np.bool_]:
        tally = Tally(task)
        tally.add_many(shifted)
        measured = CountMoments.of(tally.count_law)
        frequencies, means = corrected(key_support(tally), tally.pair_reports, measured)
        popular = frequency > 0.05
        mean_error = np.sqrt(moments.mean_variance(frequency[popular], mean[popular]) / len(people))
        wrong_mean = np.abs(means - mean)[popular] > 4.5 * mean_error
        return np.append(np.abs(frequencies - np.maximum(frequency, 1 / len(people))) > 4.5 * error, wrong_mean)

    assert not misses(words).any()
    assert misses((words + law.symbols) % law.word_limit)[:3].all()


def test_one_report_at_a_time() -> None:
    """The plain path, from the operating system's randomness, to estimates with intervals."""
    task = Task(name="t", keys=["alien", "heat"], values=(1, 5), epsilon=4, padding=2, mechanism="collision")
    tally = Tally(task)
    tally.add_many(perturb(task, {"alien": 5, "heat": 1}) for _ in range(400))
    estimates = estimate(tally)
    assert np.all(estimates.frequency_high > 0.8)
    assert estimates.mean[0] > estimates.mean[1]
