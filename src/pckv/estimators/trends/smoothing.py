"""Smoothed frequencies and means of all rounds, by the local level model (proofs/trends.md).

A movement is a variance of the level's step into every round, relative to the noise of a typical round: a
key's level does not move, moves a little in every round, or once. Movements of one kind differ in nothing but
when the level shifts, and share one weight, which is learned from all keys together.

Value = level + noise of a known variance, and the level takes a random step into every round. Kalman's filter
gives the likelihood of each movement, and the smoother of Rauch, Tung and Striebel the level of every round
given all of them. The estimate of a level is the mean over all movements, each with its chance. Its interval
contains that of the mixture, and that of a key which drifts: an average over all keys is no reason to take a
single one for still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.trends.rounds import RoundCounts

# Variances of a step, relative to that of the noise of one round. Over T rounds a drift below 1/T² cannot be
# told from none, and one above the largest makes smoothed estimates those of single rounds.
DRIFTS = tuple(4.0**power for power in range(-6, 5))
SHIFTS = (4.0, 64.0, 1024.0)
# Before anything is learned, this many keys are imagined: a third of them still, a third drifting, a third
# shifting.
IMAGINED_KEYS = 10
# The weights change by less than this, of all keys, in a step of the iteration that is the last.
CLOSE = 1e-4
MAX_STEPS = 200


class Movements(NamedTuple):
    """All movements: the relative variance of every step, one row each, and the kind that each is of."""

    steps: Floats
    kind: Integers

    @property
    def kinds(self) -> int:
        """How many kinds there are."""
        return int(self.kind[-1]) + 1


@lru_cache(maxsize=64)
def movements(gaps: tuple[int, ...]) -> Movements:
    """Return the movements over rounds that are this many rounds apart."""
    apart = np.array(gaps, np.float64)
    steps, kind = [np.zeros((1, apart.size))], [0]
    if apart.size:
        steps += [drift * apart[None] for drift in DRIFTS]
        kind += range(1, len(DRIFTS) + 1)
        for size in SHIFTS:
            steps.append(size * np.eye(apart.size))
            kind += [kind[-1] + 1] * apart.size
    return Movements(np.concatenate(steps), np.array(kind))


class Chances(NamedTuple):
    """Every key's chances of the movements, by movement and key: of all, and if the key is taken to drift."""

    of_all: Floats
    if_drifting: Floats


def learn_chances(likelihood: Floats, moved: Movements) -> Chances:
    """Return every key's chances of the movements, given their log likelihoods, by movement and key.

    The weights of the kinds are learned by expectation and maximisation on the marginal likelihood, with a
    few imagined keys, so that a single key is not taken for certain. Within a kind all movements have the
    same weight.
    """
    sizes = np.bincount(moved.kind)
    relative = np.exp(likelihood - likelihood.max(axis=0)) / sizes[moved.kind][:, None]
    first = np.searchsorted(moved.kind, np.arange(moved.kinds))
    weights = _learned_weights(np.add.reduceat(relative, first, axis=0))
    of_all = _normalised(weights[moved.kind][:, None] * relative)
    return Chances(of_all, _chances_if_drifting(likelihood, moved, weights))


def _learned_weights(likelihood: Floats) -> Floats:
    """Return the weights of the kinds, given their likelihoods by kind and key."""
    prior = _prior(len(likelihood))
    weights = prior
    for _ in range(MAX_STEPS):
        found = _normalised(weights[:, None] * likelihood).sum(axis=1) + IMAGINED_KEYS * prior
        before, weights = weights, found / found.sum()
        if np.abs(weights - before).max() < CLOSE:
            break
    return weights


def _chances_if_drifting(likelihood: Floats, moved: Movements, weights: Floats) -> Floats:
    """Return the chances of the drifts alone: half of their weights are learned, and half are equal.

    Where few keys drift among many that do not, the learned weights are those of drifts too small to be seen.
    """
    drifts = slice(1, len(DRIFTS) + 1) if moved.kinds > 1 else slice(0, 1)
    learned = weights[drifts] / weights[drifts].sum()
    mixed = (learned + 1 / learned.size) / 2
    relative = np.exp(likelihood[drifts] - likelihood[drifts].max(axis=0))
    chances = np.zeros_like(likelihood)
    chances[drifts] = _normalised(mixed[:, None] * relative)
    return chances


def _normalised(chances: Floats) -> Floats:
    return np.asarray(chances / chances.sum(axis=0))


def _prior(kinds: int) -> Floats:
    if kinds == 1:
        return np.ones(1)
    return np.repeat([1 / 3, 1 / 3 / len(DRIFTS), 1 / 3 / len(SHIFTS)], [1, len(DRIFTS), len(SHIFTS)])


# Movements, keys and rounds are handled in parts of about this many numbers.
NUMBERS_AT_ONCE = 2**21
# Halvings of the range that the quantiles of a mixture lie in: to a thousandth of a standard error.
HALVINGS = 14
# Intervals are made from this many laws per key: its likeliest movements, and all others as one.
LAWS_PER_KEY = 16
_TINY = 1e-300


class Levels(NamedTuple):
    """Smoothed levels by key and round, and their intervals."""

    level: Floats
    interval: Interval


class _Filtered(NamedTuple):
    """Levels and variances by round, movement and key, given all rounds up to that one; log likelihoods."""

    level: Floats
    variance: Floats
    likelihood: Floats


def smooth_levels(values: Floats, variances: Floats, gaps: tuple[int, ...], confidence: float | None) -> Levels:
    """Return the levels behind values, by key and round, with noise of these variances.

    `gaps` says how many rounds the second is after the first, and so on. Where there is no `confidence`, intervals
    are not needed, and end at the levels.
    """
    if not values.size:
        return Levels(values, Interval(values, values))
    moved = movements(gaps)
    parts = list(_parts(values.shape, moved))
    likelihood = [_filter(values[part], variances[part], moved).likelihood for part in parts]
    chances = learn_chances(np.concatenate(likelihood, axis=1), moved)
    found = [
        _mixture(values[part], variances[part], moved, Chances(*(each[:, part] for each in chances)), confidence)
        for part in parts
    ]
    level, low, high = (np.concatenate(each) for each in zip(*found, strict=True))
    return Levels(level, Interval(low, high))


def _parts(shape: tuple[int, ...], moved: Movements) -> Iterator[slice]:
    size = max(1, NUMBERS_AT_ONCE // (moved.kind.size * shape[1]))
    yield from (slice(start, start + size) for start in range(0, shape[0], size))


def _filter(values: Floats, variances: Floats, moved: Movements) -> _Filtered:
    """Run Kalman's filter for all movements and keys; before the first round the level is unknown."""
    keys, rounds = values.shape
    typical = _typical(variances)
    level = np.empty((rounds, moved.kind.size, keys))
    variance, likelihood = np.empty_like(level), np.zeros(level.shape[1:])
    level[0], variance[0] = values[:, 0], variances[:, 0]
    for number in range(1, rounds):
        before = variance[number - 1] + moved.steps[:, number - 1, None] * typical
        expected = before + variances[:, number]
        error = values[:, number] - level[number - 1]
        likelihood -= (np.log(expected) + error**2 / expected) / 2
        gain = before / expected
        level[number] = level[number - 1] + gain * error
        variance[number] = before * (1 - gain)
    return _Filtered(level, variance, likelihood)


def _typical(variances: Floats) -> Floats:
    """Return the noise of every key's typical round: a new one with few reports changes it little."""
    return np.asarray(np.quantile(variances, 0.5, axis=1, method="lower"))


def _smooth(values: Floats, variances: Floats, moved: Movements) -> tuple[Floats, Floats]:
    """Return levels and variances by round, movement and key, given all rounds."""
    level, variance, _ = _filter(values, variances, moved)
    typical = _typical(variances)
    for number in range(len(level) - 2, -1, -1):
        before = variance[number] + moved.steps[:, number, None] * typical
        gain = variance[number] / before
        level[number] += gain * (level[number + 1] - level[number])
        variance[number] += gain**2 * (variance[number + 1] - before)
    return level, variance


def _mixture(
    values: Floats, variances: Floats, moved: Movements, chances: Chances, confidence: float | None
) -> tuple[Floats, Floats, Floats]:
    """Return the mean over all movements by key and round, and the limits of the interval."""
    level, variance = _smooth(values, variances, moved)
    mean = np.einsum("tmk,mk->kt", level, chances.of_all)
    if confidence is None:
        return mean, mean, mean
    mixtures = [_likeliest(level, np.maximum(variance, 0), each) for each in chances]
    low = np.minimum.reduce([_lower_limit(laws, confidence) for laws in mixtures])
    high = np.minimum.reduce([_lower_limit(laws.mirrored(), confidence) for laws in mixtures])
    return mean, low.T, -high.T


class _NormalLaws(NamedTuple):
    """Normal laws by round, number and key, with the chance of each by number and key."""

    level: Floats
    deviation: Floats
    chance: Floats

    def mirrored(self) -> _NormalLaws:
        """The laws of the numbers with the opposite sign."""
        return self._replace(level=-self.level)


def _likeliest(level: Floats, variance: Floats, chances: Floats) -> _NormalLaws:
    """Return every key's likeliest movements, and the others as one normal law of equal mean and variance."""
    possible = chances.any(axis=1)
    if not possible.all():
        level, variance, chances = level[:, possible], variance[:, possible], chances[possible]
    if len(chances) > LAWS_PER_KEY:
        order = np.argpartition(-chances, LAWS_PER_KEY - 1, axis=0)
        chances = np.take_along_axis(chances, order, axis=0)
        level, variance = (np.take_along_axis(each, order[None], axis=1) for each in (level, variance))
        rest = slice(LAWS_PER_KEY - 1, None)
        chance = chances[rest].sum(axis=0)
        share = np.divide(chances[rest], chance, out=np.zeros_like(chances[rest]), where=chance > 0)
        mean = np.einsum("tmk,mk->tk", level[:, rest], share)
        spread = np.einsum("tmk,mk->tk", variance[:, rest] + (level[:, rest] - mean[:, None]) ** 2, share)
        level, variance = (
            np.concatenate([own[:, : LAWS_PER_KEY - 1], other[:, None]], axis=1)
            for own, other in ((level, mean), (variance, spread))
        )
        chances = np.append(chances[: LAWS_PER_KEY - 1], chance[None], axis=0)
    return _NormalLaws(level, np.sqrt(np.maximum(variance, _TINY)), chances)


def _lower_limit(laws: _NormalLaws, confidence: float) -> Floats:
    """Return lower limits by round and key; the quantile of a mixture lies among those of its laws."""
    ends = laws.level - two_sided_z(confidence) * laws.deviation
    possible = np.where(laws.chance > 0, ends, np.inf), np.where(laws.chance > 0, ends, -np.inf)
    lowest, highest = possible[0].min(axis=1), possible[1].max(axis=1)
    for _ in range(HALVINGS):
        middle = (lowest + highest) / 2
        chances = normal_cdf((middle[:, None] - laws.level) / laws.deviation)
        is_below = np.einsum("tmk,mk->tk", chances, laws.chance) <= (1 - confidence) / 2
        lowest, highest = np.where(is_below, middle, lowest), np.where(is_below, highest, middle)
    return np.asarray(lowest)


# The rational function of Hastings (1955), number 26.2.17 in Abramowitz and Stegun: off by less than 1e-7.
_HASTINGS = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530, 0.0)
_HASTINGS_SCALE = 0.2316419


def normal_cdf(z: Floats) -> Floats:
    """Return the chance of a standard normal number to be at most z.

    >>> normal_cdf(np.array([-1.959964, 0.0])).round(6).tolist()
    [0.025, 0.5]
    """
    distance = np.abs(z)
    tail = np.exp(-(distance**2) / 2) * np.polyval(_HASTINGS, 1 / (1 + _HASTINGS_SCALE * distance))
    tail /= np.sqrt(2 * np.pi)
    return np.asarray(np.where(z < 0, tail, 1 - tail))


def smooth_frequencies(rounds: Sequence[RoundCounts], confidence: float) -> Levels:
    """Return the smoothed frequencies by key and round, not clipped."""
    values = np.stack([each.frequency for each in rounds], axis=1)

    def variances(frequency: Floats) -> Floats:
        possible = np.clip(frequency, 0, 1)
        return np.stack(
            [each.noise_variance(possible[:, number], each.moments.left_out) for number, each in enumerate(rounds)],
            axis=1,
        )

    average = values @ _weights(rounds)
    found = _smoothed_twice(values, variances, average, rounds, confidence)
    possible = np.clip(found.level, 0, 1)
    return _widened(found, returning_error(rounds) * possible * (1 - possible), confidence)


def smooth_means(rounds: Sequence[RoundCounts], frequency: Floats, confidence: float) -> Levels:
    """Return the smoothed means, on [-1, 1] if clipped, of keys that stand out from the noise.

    A round's mean is a ratio of two noisy numbers. Given the smoothed frequency f and any mean m0,
    m0 + (value sum - m0·own frequency)/f is unbiased as far as f is right, and its noise is known.
    """
    own = np.stack([each.frequency for each in rounds], axis=1)
    sums = np.stack([each.value_sum for each in rounds], axis=1)
    weights = _weights(rounds)
    least = 1 / np.array([each.pair_reports for each in rounds])
    average = np.clip((sums @ weights) / np.maximum(own @ weights, least.min()), -1, 1)
    possible = np.clip(frequency, least, 1)
    values = average[:, None] + (sums - average[:, None] * own) / possible

    def variances(mean: Floats) -> Floats:
        inside = np.clip(mean, -1, 1)
        return np.stack(
            [
                each.mechanism_moments.mean_variance(possible[:, number], inside[:, number]) / each.pair_reports
                for number, each in enumerate(rounds)
            ],
            axis=1,
        )

    found = _smoothed_twice(values, variances, average, rounds, confidence)
    # The values of holders vary by 1 - m² at most.
    spread = (1 - np.clip(found.level, -1, 1) ** 2) / possible
    return _widened(found, returning_error(rounds) * spread, confidence)


def returning_error(rounds: Sequence[RoundCounts]) -> float:
    """Return the variance that the model misses where panels lack reports, relative to that between people.

    The error of choosing a panel returns with the panel, and does not fall with the number of its rounds as
    the model takes it to. Where all panels report alike their errors add up to nothing, and nothing is
    missed.
    """
    panels, weights = rounds[0].panels, _weights(rounds)
    by_panel = np.bincount([each.number % panels for each in rounds], weights)
    missed = by_panel @ by_panel - 1 / panels - (1 - 1 / panels) * (weights @ weights)
    reports = weights @ [each.reports for each in rounds]
    return max(float(missed), 0.0) / float(reports)


def _widened(found: Levels, variance: Floats, confidence: float) -> Levels:
    """Return the same levels with intervals for an error of that variance besides their own."""
    reach = two_sided_z(confidence) * np.sqrt(variance)
    low, high = (np.hypot(found.level - limit, reach) for limit in found.interval)
    return Levels(found.level, Interval(found.level - low, found.level + high))


def _smoothed_twice(
    values: Floats,
    variances: Callable[[Floats], Floats],
    average: Floats,
    rounds: Sequence[RoundCounts],
    confidence: float,
) -> Levels:
    gaps = tuple(after.number - before.number for before, after in pairwise(rounds))
    # The noise is that at the smoothed level: the second pass uses what the first one found.
    level = np.repeat(average[:, None], len(rounds), axis=1)
    first = smooth_levels(values, variances(level), gaps, None)
    return smooth_levels(values, variances(first.level), gaps, confidence)


def _weights(rounds: Sequence[RoundCounts]) -> Floats:
    reports = np.array([each.pair_reports for each in rounds], np.float64)
    return np.asarray(reports / reports.sum())
