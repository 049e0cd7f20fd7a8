"""Smoothed frequencies and means of all rounds, by the local level model (proofs/trends.md).

What is estimated in a round is a level, which takes a random step into every round, plus a transient, which
later rounds do not keep. A movement is the variance of every step and of every transient, relative to the noise
of a typical round: a key stays, moves in every round (it drifts, or swings around its level), or moves once (it
shifts, or has a transient in one round). Movements of one kind differ in nothing but when they happen, and share
one weight, which is learned from all keys together.

Value = level + transient + noise of a known variance. Kalman's filter gives the likelihood of each movement, and
the smoother of Rauch, Tung and Striebel the level of every round given all of them. The estimate is the mean over
all movements, each with its chance. Its interval contains that of the mixture, and that of a key which moves in
every round: an average over all keys is no reason to take a single one for still. A round whose value differs
from what the other rounds lead to expect is marked: its interval is to contain the round's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.results.trend import DIFFERING_BY_NOISE
from pckv.estimators.trends.rounds import RoundCounts

# Variances of a step, relative to that of the noise of one round. Over T rounds a drift below 1/T² cannot be
# told from none, and one above the largest makes smoothed estimates those of single rounds.
DRIFTS = tuple(4.0**power for power in range(-6, 5))
# Variances of a transient in every round.
SWINGS = tuple(4.0**power for power in range(5))
# Variances of what happens once: a step that stays, or a transient.
EVENTS = (16.0, 256.0)
# Before anything is learned, this many keys are imagined: a third of them still, a third moving in every round, a
# third once.
IMAGINED_KEYS = 10
# The weights change by less than this, of all keys, in a step of the iteration that is the last.
CLOSE = 1e-4
MAX_STEPS = 200


class Movements(NamedTuple):
    """All movements: the relative variances of every step and every transient, one row each, and their kinds.

    Kinds come in classes: staying, moving in every round, and once; `classes` says how many kinds each has.
    """

    steps: Floats
    transients: Floats
    kind: Integers
    classes: tuple[int, ...]

    @property
    def in_every_round(self) -> slice:
        """The kinds, each a single movement, that move in every round; staying where there is one round."""
        return slice(1, 1 + self.classes[1]) if len(self.classes) > 1 else slice(1)

    def elsewhere(self) -> Flags:
        """Return by movement and round whether nothing that happens once happens in that round or next to it."""
        is_event = self.kind >= sum(self.classes[:2])
        touched = self.transients > 0
        touched[:, 1:] |= self.steps > 0
        touched[:, :-1] |= self.steps > 0
        return ~(is_event[:, None] & touched)


@lru_cache(maxsize=64)
def movements(gaps: tuple[int, ...]) -> Movements:
    """Return the movements over rounds that are this many rounds apart."""
    apart = np.array(gaps, np.float64)
    rounds = apart.size + 1
    no_steps, no_transients = np.zeros((rounds, apart.size)), np.zeros((rounds, rounds))
    kinds = [(no_steps[:1], no_transients[:1])]
    classes: tuple[int, ...] = (1,)
    if apart.size:
        kinds += [(drift * apart[None], no_transients[:1]) for drift in DRIFTS]
        kinds += [(no_steps[:1], np.full((1, rounds), swing)) for swing in SWINGS]
        kinds += [(size * np.eye(apart.size), no_transients[1:]) for size in EVENTS]
        kinds += [(no_steps, size * np.eye(rounds)) for size in EVENTS]
        classes = 1, len(DRIFTS) + len(SWINGS), 2 * len(EVENTS)
    steps, transients = (np.concatenate(each) for each in zip(*kinds, strict=True))
    return Movements(steps, transients, np.repeat(np.arange(len(kinds)), [len(each) for each, _ in kinds]), classes)


class Chances(NamedTuple):
    """Every key's chances of the movements, by movement and key: of all, and if it moves in every round."""

    of_all: Floats
    if_moving: Floats


def learn_chances(likelihood: Floats, moved: Movements) -> Chances:
    """Return every key's chances of the movements, given their log likelihoods, by movement and key.

    The weights of the kinds are learned by expectation and maximisation on the marginal likelihood, with a
    few imagined keys, so that a single key is not taken for certain. Within a kind all movements have the
    same weight.
    """
    sizes = np.bincount(moved.kind)
    relative = np.exp(likelihood - likelihood.max(axis=0)) / sizes[moved.kind][:, None]
    first = np.searchsorted(moved.kind, np.arange(sizes.size))
    weights = _learned_weights(np.add.reduceat(relative, first, axis=0), moved.classes)
    of_all = _normalised(weights[moved.kind][:, None] * relative)
    return Chances(of_all, _chances_if_moving(likelihood, moved, weights))


def _learned_weights(likelihood: Floats, classes: tuple[int, ...]) -> Floats:
    """Return the weights of the kinds, given their likelihoods by kind and key."""
    weights = prior = np.repeat([1 / len(classes) / size for size in classes], classes)
    for _ in range(MAX_STEPS):
        found = _normalised(weights[:, None] * likelihood).sum(axis=1) + IMAGINED_KEYS * prior
        before, weights = weights, found / found.sum()
        if np.abs(weights - before).max() < CLOSE:
            break
    return weights


def _chances_if_moving(likelihood: Floats, moved: Movements, weights: Floats) -> Floats:
    """Return the chances of movements in every round alone: half of their weights are learned, half are equal.

    Where few keys move among many that do not, the learned weights are those of movements too small to be seen.
    """
    kinds = moved.in_every_round
    learned = weights[kinds] / weights[kinds].sum()
    mixed = (learned + 1 / learned.size) / 2
    relative = np.exp(likelihood[kinds] - likelihood[kinds].max(axis=0))
    chances = np.zeros_like(likelihood)
    chances[kinds] = _normalised(mixed[:, None] * relative)
    return chances


def _normalised(chances: Floats) -> Floats:
    return np.asarray(chances / chances.sum(axis=0))


# Movements, keys and rounds are handled in parts of about this many numbers.
NUMBERS_AT_ONCE = 2**21
# Halvings of the range that the quantiles of a mixture lie in: to a thousandth of a standard error.
HALVINGS = 14
# Intervals are made from this many laws per key: its likeliest movements, and all others as one.
LAWS_PER_KEY = 16
_TINY = 1e-300


class Levels(NamedTuple):
    """Smoothed levels by key and round, their intervals, and whether the round differs from the others."""

    level: Floats
    interval: Interval
    differs: Flags


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
        return Levels(values, Interval(values, values), np.zeros(values.shape, np.bool_))
    moved = movements(gaps)
    parts = list(_parts(values.shape, moved))
    likelihood = [_filter(values[part], variances[part], moved).likelihood for part in parts]
    chances = learn_chances(np.concatenate(likelihood, axis=1), moved)
    found = [
        _mixture(values[part], variances[part], moved, Chances(*(each[:, part] for each in chances)), confidence)
        for part in parts
    ]
    level, low, high, differs = (np.concatenate(each) for each in zip(*found, strict=True))
    return Levels(level, Interval(low, high), differs)


def _parts(shape: tuple[int, ...], moved: Movements) -> Iterator[slice]:
    size = max(1, NUMBERS_AT_ONCE // (moved.kind.size * shape[1]))
    yield from (slice(start, start + size) for start in range(0, shape[0], size))


def _filter(values: Floats, variances: Floats, moved: Movements) -> _Filtered:
    """Run Kalman's filter for all movements and keys; before the first round the level is unknown."""
    keys, rounds = values.shape
    typical, noise = _typical(variances), _around_levels(variances, moved)
    level = np.empty((rounds, moved.kind.size, keys))
    variance, likelihood = np.empty_like(level), np.zeros(level.shape[1:])
    level[0], variance[0] = values[:, 0], noise[0]
    for number in range(1, rounds):
        before = variance[number - 1] + moved.steps[:, number - 1, None] * typical
        expected = before + noise[number]
        error = values[:, number] - level[number - 1]
        likelihood -= (np.log(expected) + error**2 / expected) / 2
        gain = before / expected
        level[number] = level[number - 1] + gain * error
        variance[number] = before * (1 - gain)
    return _Filtered(level, variance, likelihood)


def _typical(variances: Floats) -> Floats:
    """Return the noise of every key's typical round: a new one with few reports changes it little."""
    return np.asarray(np.quantile(variances, 0.5, axis=1, method="lower"))


def _around_levels(variances: Floats, moved: Movements) -> Floats:
    """Return the variances of values around levels, by round, movement and key: of transients, and of noise."""
    return np.asarray(moved.transients.T[:, :, None] * _typical(variances) + variances.T[:, None])


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


class _Smoothed(NamedTuple):
    """Levels and transients together, with their variances, by round, movement and key, given all rounds.

    `errors` are how many standard errors values are away from levels, if the movement is the true one.
    """

    level: Floats
    variance: Floats
    errors: Floats


def _with_transients(values: Floats, variances: Floats, moved: Movements) -> _Smoothed:
    """Add transients to smoothed levels: the share of them in what a value differs from its level by."""
    level, variance = _smooth(values, variances, moved)
    around, noise = _around_levels(variances, moved), variances.T[:, None]
    difference, share = values.T[:, None] - level, 1 - noise / around
    # What is left of a value after its level has the variance of values around levels, less that of the level.
    errors = difference / np.sqrt(np.maximum(around - variance, _TINY))
    return _Smoothed(level + share * difference, share * noise + (1 - share) ** 2 * variance, errors)


def _mixture(
    values: Floats, variances: Floats, moved: Movements, chances: Chances, confidence: float | None
) -> tuple[Floats, Floats, Floats, Flags]:
    """Return the mean over all movements by key and round, the limits of the interval, and what differs."""
    level, variance, errors = _with_transients(values, variances, moved)
    mean = np.einsum("tmk,mk->kt", level, chances.of_all)
    if confidence is None:
        return mean, mean, mean, np.zeros(mean.shape, np.bool_)
    mixtures = [_likeliest(level, np.maximum(variance, 0), each) for each in chances]
    low = np.minimum.reduce([_lower_limit(laws, confidence) for laws in mixtures])
    high = np.minimum.reduce([_lower_limit(laws.mirrored(), confidence) for laws in mixtures])
    return mean, low.T, -high.T, _differs(errors, moved, chances.of_all)


def _differs(errors: Floats, moved: Movements, chances: Floats) -> Flags:
    """Return by key and round whether noise explains the value, unless something happened in that round."""
    elsewhere = moved.elsewhere()
    unless_here = np.einsum("mt,mk->kt", elsewhere, chances)
    tails = 2 * normal_cdf(-np.abs(errors)) * elsewhere.T[:, :, None]
    by_noise = np.einsum("tmk,mk->kt", tails, chances)
    # Where nothing but an event in the round has a chance, both are 0, and the round differs.
    return np.asarray((by_noise < DIFFERING_BY_NOISE * unless_here) | (unless_here == 0))


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
    return found._replace(interval=Interval(found.level - low, found.level + high))


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
