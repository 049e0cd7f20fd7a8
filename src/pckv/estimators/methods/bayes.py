"""Empirical Bayes: a key's counts combined with what the counts of all keys show (proofs/bayes.md).

Frequencies of all keys share one distribution, means another; both are learned from the counts. An interval
contains a narrower confidence interval of the key's own counts, or the full one where few other keys are like
it. With more than two levels, means are those of the keys' profiles, which are learned instead
(proofs/shares.md).

The mean over all keys of the squared error is least if every error counts once. The most frequent keys then
lose, for they are pulled toward the many others. So errors count more where keys would lose too much:
anywhere, since a key among many others does not show where it is, and at the most frequent keys that the
learned distribution expects. Where that expects few keys, a key keeps its own frequency.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.limits import MIN_LEVELS
from pckv.estimators.intervals import Interval, frequency_interval, mean_interval, two_sided_z
from pckv.estimators.linear import corrected
from pckv.estimators.methods.prior import (
    FREQUENCY_STEP,
    MEAN_CELLS,
    MIN_LIKELIHOOD,
    CountLikelihood,
    Fit,
    ValueGrid,
    arcsine,
    cell_interval,
    count_likelihood,
    frequency_grid,
    learn_common_mean,
    learn_frequencies,
    learn_means,
    mean_grid,
    posterior,
    scaled_likelihood,
)
from pckv.estimators.methods.profiles import KnownFrequencies, Profiles, learn_profiles
from pckv.statistics.detection import Detection, detection_threshold
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally.decode.support import KeySupport

# A key's squared error, wherever its frequency is, may be this many times the variance of its own estimate.
MAX_LOSS = 1.8
# The last ranks of groups of the most frequent keys, and how many times that of their own estimates their
# squared error may be. A prediction from the learned distribution is optimistic: what is allowed is less than
# what is acceptable.
TOP_RANKS = (1, 10, 50)
MAX_TOP_LOSSES = (1.1, 0.95, 0.9)
# The same for all keys together, of whom few do not show much of their distribution.
MAX_TOTAL_LOSS = 0.95
# Where the learned distribution expects about as many keys as this, counted by a normal weight of one standard
# error, half of what it says is believed; with fewer, a key there mostly sees its own noise and that of chance
# neighbours.
MIN_NEIGHBOURS = 8
# Where no key could be detected at this level, none is protected.
DETECTION_LEVEL = 0.95
# A group of fewer expected keys than this is none.
MIN_GROUP = 0.5
# Counts that may be observed: four per standard deviation, up to four beyond the ends of the grid.
COUNTS_PER_DEVIATION, DEVIATIONS = 4, 4
MAX_COUNTS = 600
# Weights are adjusted until every loss is the allowed one up to this, or the weight negligible: in every
# round by this power of the loss, relative to the allowed one.
TOLERANCE = 0.02
ADJUSTMENT = 3
MAX_ROUNDS = 60
FIRST_WEIGHT, MIN_WEIGHT, MAX_WEIGHT = 1e-4, 1e-9, 1e2


class LearnedDistribution(NamedTuple):
    """The learned distribution of the frequencies: a weight per cell, and how many keys it is from."""

    cells: ValueGrid
    weights: Floats
    keys: float


class Risks:
    """Expected squared errors, at every frequency of a grid, of estimates from a key's count S."""

    def __init__(self, cells: ValueGrid, likelihood: CountLikelihood, reports: int, moments: CountMoments) -> None:
        self.points, self.reports, self.moments = cells.points, reports, moments
        counts = _possible_counts(float(self.points[-1]), reports, moments)
        logarithm = likelihood.total(counts[:, None], self.points)
        chances = np.exp(logarithm - logarithm.max(axis=0))
        self.chances = chances / chances.sum(axis=0)
        self.own = self.of(np.clip((counts / reports - moments.noise) / moments.signal, 1 / reports, 1))
        self.variance = moments.frequency_variance(self.points) / reports

    def can_stand_out(self, keys: float) -> bool:
        """Return whether a key that all people hold would be detected; if not, no key needs protection.

        The more keys there are, the more a key must stand out to be detected.
        """
        threshold = detection_threshold(self.moments, self.reports, max(round(keys), 1), DETECTION_LEVEL)
        return threshold <= self.reports * self.moments.sum_mean(1.0)

    def of(self, estimates: Floats) -> Floats:
        """Return the expected squared error at every frequency, of an estimate for each count."""
        return np.asarray(estimates**2 @ self.chances - 2 * self.points * (estimates @ self.chances) + self.points**2)

    def of_weights(self, weights: Floats) -> Floats:
        """Return those of the estimates that are best for these weights of the frequencies."""
        return self.of(self.chances @ (weights * self.points) / np.maximum(self.chances @ weights, MIN_LIKELIHOOD))


def loss_weights(distribution: LearnedDistribution, keys_beyond: float, risks: Risks) -> Floats:
    """Return how much the error of a key counts, relative to others, for every cell of its frequency.

    `keys_beyond` of the most frequent keys lie beyond the grid.
    """
    if not risks.can_stand_out(distribution.keys):
        return np.ones(risks.points.size)
    groups, max_losses = _top_groups(distribution, keys_beyond)
    # One row per bound: anywhere, which is every cell, and for the groups.
    keys = np.vstack([np.eye(risks.points.size), groups])
    allowed = np.append(MAX_LOSS * risks.variance, max_losses * (groups @ risks.own))
    start, added = distribution.weights, np.full(allowed.size, FIRST_WEIGHT)
    weights = start + added @ keys
    for _ in range(MAX_ROUNDS):
        used = keys @ risks.of_weights(weights) / allowed
        if ((used < 1 + TOLERANCE) & ((used > 1 - TOLERANCE) | (added <= MIN_WEIGHT))).all():
            break
        added = np.clip(added * used**ADJUSTMENT, MIN_WEIGHT, MAX_WEIGHT)
        weights = start + added @ keys
    return np.asarray(weights / start)


def _top_groups(distribution: LearnedDistribution, keys_beyond: float) -> tuple[Floats, Floats]:
    """Return where the keys of each group are expected, a row per group, all keys last, and allowed losses.

    A key that stands apart is where it is up to its own error, whatever the learned distribution says.
    """
    expected = distribution.keys * distribution.weights
    above = np.cumsum(expected[::-1])[::-1] - expected
    ends = [np.clip(rank - keys_beyond - above, 0, expected) for rank in TOP_RANKS]
    groups = np.diff(ends, axis=0, prepend=0)
    keys = groups.sum(axis=1)
    present = keys >= MIN_GROUP
    shares = np.vstack([groups[present] / keys[present, None], distribution.weights])
    return shares @ _own_errors(expected.size), np.append(np.array(MAX_TOP_LOSSES)[present], MAX_TOTAL_LOSS)


def belief(distribution: LearnedDistribution, risks: Risks) -> Floats:
    """Return how far the learned distribution is believed at every cell: from 0, where it expects no key, to 1.

    Where no key can stand out, all are alike.
    """
    if not risks.can_stand_out(distribution.keys):
        return np.ones(risks.points.size)
    neighbours = distribution.keys * (_nearness(distribution.weights.size) @ distribution.weights)
    return np.asarray(neighbours**2 / (neighbours**2 + MIN_NEIGHBOURS**2))


def _own_errors(cells: int) -> Floats:
    """Return the normal chances of every cell, given the cell that the own estimate is in."""
    chances = _nearness(cells)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _nearness(cells: int) -> Floats:
    """Return normal weights of the distance of cells, with a deviation of one standard error, 1 if it is 0."""
    distance = (np.arange(cells)[:, None] - np.arange(cells)) * FREQUENCY_STEP
    return np.asarray(np.exp(-(distance**2) / 2))


def _possible_counts(largest: float, reports: int, moments: CountMoments) -> Floats:
    """Return counts from far below a key without holders to far above the largest frequency."""
    deviation, end = (float(np.sqrt(reports * moments.sum_variance(point))) for point in (0.0, largest))
    low = max(reports * moments.sum_mean(0.0) - DEVIATIONS * deviation, 0.0)
    high = reports * moments.sum_mean(largest) + DEVIATIONS * end
    step = max(1.0, deviation / COUNTS_PER_DEVIATION, (high - low) / MAX_COUNTS)
    # Small counts are whole numbers.
    return np.arange(np.floor(low), high + step, step)


# Fewer keys show too little of each other: they keep their own frequencies.
MIN_KEYS = 5
# How far a mean may be shrunk, in standard errors of the key's own.
MEAN_SHRINKAGE_LIMIT = 0.8
# An interval contains the key's own interval with the normal quantile times this: at 95 % that one covers
# 86 %, whatever the learned distribution.
OWN_QUANTILE_FACTOR = 0.75
# A key is isolated if the learned distribution expects fewer keys than this, itself included, within this
# many standard errors of its own frequency: what it learns there is mostly its own noise.
MIN_KEYS_ALIKE = 10
ALIKE_DISTANCE = 2
# A level has a normal quantile up to this one.
MAX_LEVEL_TOGETHER = 1 - 1e-15
# Counts are rounded to bins of this width, in standard deviations.
BIN_WIDTH = 1 / 8
# Keys this many cells below the end of the grid still have all of their likely frequencies on it.
MARGIN_CELLS = 10
# Frequencies with less than this of the chances, or of the expected loss, given S, are left out of the
# likelihood of T.
NEGLIGIBLE_CHANCE = 1e-7
# Likelihoods that are kept for the second time that they are needed: 32 MB.
MAX_KEPT_LIKELIHOODS = 2**22


def bayes(support: KeySupport, reports: int, moments: CountMoments) -> tuple[Floats, Floats]:
    """Return the estimates of frequency and mean."""
    return learn(support, reports, moments).estimates()


class _Bins(NamedTuple):
    """Distinct counts (S, T), sorted: how many keys have each, which one a key has, and its own frequency.

    Those `beyond_grid` are too frequent for the grid: they keep their own estimate.
    """

    s: Floats
    t: Floats
    keys: Floats
    of_key: Integers
    frequency: Floats
    beyond_grid: Flags


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of every key: chances of the cells of frequency and of mean, one row per bin of counts.

    `least_loss` are the frequencies of the least expected loss, and `common_mean` the expected means if keys
    have a mean in common, one number per bin.
    """

    support: KeySupport
    reports: int
    moments: CountMoments
    bins: _Bins
    frequency_cells: ValueGrid
    frequency_chances: Floats
    least_loss: Floats
    known_by_sum: KnownFrequencies
    isolated: Flags
    mean_cells: ValueGrid
    mean_chances: Floats
    common_mean: Floats

    def expected(self) -> tuple[Floats, Floats]:
        """Return posterior means without a limit, and the key's own estimate where the grid adds nothing."""
        own_frequency, own_mean = self._own
        frequency = (self.frequency_chances @ self.frequency_cells.points)[self.bins.of_key]
        mean = self.common_mean[self.bins.of_key]
        return (
            np.where(self._keys_beyond_grid, own_frequency, frequency),
            np.where(self._finer_than_cells, own_mean, mean),
        )

    def estimates(self) -> tuple[Floats, Floats]:
        """Return frequencies of least expected loss and posterior means of the mean, shrinkage limited."""
        expected, mean = self.expected()
        own, own_mean = self._own
        best = self.least_loss[self.bins.of_key]
        # A larger loss somewhere means less shrinkage, not shrinkage toward somewhere else.
        best = np.clip(best, np.minimum(own, expected), np.maximum(own, expected))
        keep_own = self._keys_beyond_grid | (self.support.keys < MIN_KEYS)
        frequency = np.where(keep_own, own, best)
        if self.moments.levels > MIN_LEVELS:
            return frequency, self.profiles.mean(self.moments.scale)
        allowed = MEAN_SHRINKAGE_LIMIT * self._mean_error(frequency, mean)
        return frequency, np.clip(mean, own_mean - allowed, own_mean + allowed)

    def frequency_interval(self, level: float) -> Interval:
        """Return credible intervals of the frequencies that contain the key's own, full or narrower.

        The learned distribution does not pull the lower limit of a detected key to 0.
        """
        credible = self._credible(self.frequency_chances, self.frequency_cells, level)
        full, joined = _joined(credible, self._own_frequency_interval, level, self._isolated_keys)
        frequency = _chosen(self._keys_beyond_grid, full, joined)
        low = np.maximum(frequency.low, self._least(full, level))
        return Interval(low, frequency.high)

    def mean_interval(self, scale: Scale, keys: Integers | slice, level: float) -> Interval:
        """Return intervals of the mean over the holders of some keys of what their levels count for."""
        credible = self.profiles.credible_interval(scale, keys, level)
        own = partial(self._own_mean_interval, scale, keys)
        return _joined(credible, own, level, self._isolated_keys[keys])[1]

    def key_mean_interval(self, level: float) -> Interval:
        """Return the intervals of the means of all keys."""
        scale, every = self.moments.scale, slice(None)
        if self.moments.levels > MIN_LEVELS:
            return self.mean_interval(scale, every, level)
        credible = self._credible(self.mean_chances, self.mean_cells, level)
        own = partial(self._own_mean_interval, scale, every)
        return _chosen(self._finer_than_cells, *_joined(credible, own, level, self._isolated_keys))

    @cached_property
    def profiles(self) -> Profiles:
        """How the holders of every key are spread over the levels."""
        return learn_profiles(self.support, self.reports, self.moments, self.known_by_sum)

    def _least(self, full: Interval, level: float) -> Floats:
        """Return lower limits that hold for all keys at once: above 0 where a key is detected, else 0."""
        keys = self.support.keys
        together = self._own_frequency_interval(min(1 - (1 - level) / keys, MAX_LEVEL_TOGETHER))
        # The interval may be normal where detection is exact; then the key's own limit at the level is above
        # 0.
        above_zero = np.where(together.low > 0, together.low, full.low)
        stands_out = Detection(keys, level).detected(self.support.total, self.reports, self.moments)
        return np.where(stands_out, above_zero, 0.0)

    def _own_frequency_interval(self, level: float) -> Interval:
        return frequency_interval(self.support, self.reports, self.moments, level)

    def _credible(self, chances: Floats, cells: ValueGrid, level: float) -> Interval:
        """Return credible limits of every key from the chances of cells, one row per bin."""
        low, high = cell_interval(chances, cells, level)
        return Interval(low[self.bins.of_key], high[self.bins.of_key])

    def _own_mean_interval(self, scale: Scale, keys: Integers | slice, level: float) -> Interval:
        own = mean_interval(self.support.take(keys), self.reports, self.moments.on(scale), level)
        return Interval(own.low, own.high)

    @cached_property
    def _isolated_keys(self) -> Flags:
        return self.isolated[self.bins.of_key]

    @cached_property
    def _own(self) -> tuple[Floats, Floats]:
        """The keys' own frequencies and means."""
        return corrected(self.support, self.reports, self.moments)

    @cached_property
    def _keys_beyond_grid(self) -> Flags:
        return self.bins.beyond_grid[self.bins.of_key]

    @cached_property
    def _finer_than_cells(self) -> Flags:
        """Keys whose own mean has a standard error below the width of a cell: the grid adds nothing."""
        return np.asarray(self._mean_error(*self._own) < 2 / MEAN_CELLS)

    def _mean_error(self, frequency: Floats, mean: Floats) -> Floats:
        """Return the standard error of a key's own mean if these were the truth."""
        least = np.maximum(frequency, 1 / self.reports)
        return np.sqrt(self.moments.mean_variance(least, mean) / self.reports)


def _joined(
    credible: Interval, own: Callable[[float], Interval], level: float, isolated: Flags
) -> tuple[Interval, Interval]:
    """Return the key's own limits, and credible limits joined with them: narrower ones unless it is isolated."""
    full, narrow = own(level), own(2 * NormalDist().cdf(OWN_QUANTILE_FACTOR * two_sided_z(level)) - 1)
    return full, credible.joined(_chosen(isolated, full, narrow))


def _chosen(first: Flags, interval: Interval, otherwise: Interval) -> Interval:
    """Return the first interval where it is to be taken, otherwise the other one."""
    return Interval(*(np.where(first, one, other) for one, other in zip(interval, otherwise, strict=True)))


def learn(
    support: KeySupport,
    reports: int,
    moments: CountMoments,
    fit_frequencies: Fit | None = None,
    fit_means: Fit = learn_common_mean,
) -> Posterior:
    """Learn the distributions that all keys share, and apply them to every key."""
    fit_frequencies = fit_frequencies or learn_frequencies(support.keys, moments.padding)
    cells, means = frequency_grid(reports, moments), mean_grid(has_means=moments.has_means)
    largest = np.inf if cells.points[-1] >= 1 else float(cells.points[-MARGIN_CELLS])
    bins = _binned(support, reports, moments, largest)
    likelihood = count_likelihood(reports, moments)
    frequencies, chances_by_sum = _learn_frequencies(bins, likelihood, cells, fit_frequencies)
    risks = Risks(cells, likelihood, reports, moments)
    loss = loss_weights(frequencies, bins.keys[bins.beyond_grid].sum(), risks)
    differences = _Differences(bins, likelihood, cells, chances_by_sum, loss, belief(frequencies, risks))
    mean_likelihood = differences.mean_likelihood(means)
    mean_weights = fit_means(mean_likelihood, bins.keys, means)
    frequency_chances, least_loss = differences.frequencies(means, mean_weights)
    return Posterior(
        support=support,
        reports=reports,
        moments=moments,
        bins=bins,
        frequency_cells=cells,
        frequency_chances=frequency_chances,
        least_loss=least_loss,
        known_by_sum=_known_by_sum(bins, cells, chances_by_sum, reports, moments),
        isolated=_isolated(bins, frequencies, reports, moments),
        mean_cells=means,
        mean_chances=posterior(mean_likelihood, learn_means(mean_likelihood, bins.keys, means)),
        common_mean=posterior(mean_likelihood, mean_weights) @ means.points,
    )


def _binned(support: KeySupport, reports: int, moments: CountMoments, largest: float) -> _Bins:
    """Group keys with nearly equal counts; where counts are small, only those with equal ones."""
    sums, s_rank = np.unique(_rounded(support.total, reports * moments.absent.variance_sum), return_inverse=True)
    weighted = support.weighted(moments.scale.weights)
    differences, t_rank = np.unique(
        _rounded(weighted, reports * moments.square_if_absent, 1 / max(moments.levels - 1, 1)), return_inverse=True
    )
    # One integer per pair of ranks, in the order of the pairs: numbers are sorted much faster than rows.
    pairs, of_key, keys = np.unique(s_rank * differences.size + t_rank, return_inverse=True, return_counts=True)
    s, t = sums[pairs // differences.size], differences[pairs % differences.size]
    own = (s / reports - moments.noise) / moments.signal
    return _Bins(s, t, keys.astype(np.float64), of_key, own, own > largest)


def _rounded(count: Integers | Floats, variance: float, unit: float = 1.0) -> Floats:
    width = max(unit, BIN_WIDTH * variance**0.5)
    return np.asarray(np.round(count / width) * width, np.float64)


def _learn_frequencies(
    bins: _Bins, likelihood: CountLikelihood, cells: ValueGrid, fit: Fit
) -> tuple[LearnedDistribution, Floats]:
    """Return the distribution of the frequencies, and the chances of cells given S alone, one row per bin."""
    sums, row = np.unique(bins.s, return_inverse=True)
    sum_likelihood = scaled_likelihood(likelihood.total(sums[:, None], cells.points))
    keys = np.zeros(sums.size)
    np.add.at(keys, row, np.where(bins.beyond_grid, 0.0, bins.keys))
    learned = LearnedDistribution(cells, fit(sum_likelihood, keys, cells), keys.sum())
    return learned, posterior(sum_likelihood, learned.weights)[row]


def _known_by_sum(
    bins: _Bins, cells: ValueGrid, chances_by_sum: Floats, reports: int, moments: CountMoments
) -> KnownFrequencies:
    """Return what S alone tells of the frequencies; beyond the grid, the key's own."""
    _, first, row = np.unique(bins.s, return_index=True, return_inverse=True)
    chances, own = chances_by_sum[first], np.clip(bins.frequency[first], 0, 1)
    mean = chances @ cells.points
    variance = np.maximum(chances @ cells.points**2 - mean**2, 0)
    beyond = bins.beyond_grid[first]
    return KnownFrequencies(
        np.where(beyond, own, mean),
        np.where(beyond, moments.frequency_variance(own) / reports, variance),
        row[bins.of_key],
    )


def _isolated(bins: _Bins, distribution: LearnedDistribution, reports: int, moments: CountMoments) -> Flags:
    """Return which bins have few keys near their own frequency, by the learned distribution."""
    own = np.clip(bins.frequency, 0, 1)
    distance = ALIKE_DISTANCE * np.sqrt(moments.frequency_variance(own) / reports)
    points = distribution.cells.points
    # Weights below a point; the grid is sorted, so that a range of cells is a difference of two sums.
    below = np.append(0.0, np.cumsum(distribution.weights))
    first = np.searchsorted(points, own - distance, side="left")
    beyond = np.searchsorted(points, own + distance, side="right")
    return np.asarray(distribution.keys * (below[beyond] - below[first]) < MIN_KEYS_ALIKE)


class _Differences:
    """What T adds: bins with the same S are handled together, at the frequencies that matter given S.

    These are likely, or an error there counts for much.
    """

    def __init__(  # noqa: PLR0917
        self,
        bins: _Bins,
        likelihood: CountLikelihood,
        cells: ValueGrid,
        chances_by_sum: Floats,
        loss: Floats,
        believed: Floats,
    ) -> None:
        self.bins, self.likelihood, self.cells = bins, likelihood, cells
        self.chances_by_sum, self.loss, self.believed = chances_by_sum, loss, believed
        self.matters = np.maximum(chances_by_sum, posterior(chances_by_sum, loss)) > NEGLIGIBLE_CHANCE
        self.beyond_grid = np.flatnonzero(bins.beyond_grid)
        on_grid = np.flatnonzero(~bins.beyond_grid)
        changes = np.flatnonzero(np.diff(bins.s[on_grid])) + 1
        self.groups = [group for group in np.split(on_grid, changes) if group.size]
        # Likelihoods are needed twice: those of the first groups are kept, by the first bin of the group.
        self._kept: dict[int, tuple[Integers, Floats]] = {}
        self._numbers_left = MAX_KEPT_LIKELIHOODS

    def mean_likelihood(self, means: ValueGrid) -> Floats:
        """Return the likelihood of every mean, one row per bin."""
        found = np.empty((self.bins.s.size, means.points.size))
        for group in self.groups:
            likely, tensor = self._tensor(group, means)
            found[group] = np.einsum("f,bfm->bm", self.chances_by_sum[group[0], likely], tensor)
        rows = self.beyond_grid[:, None]
        found[self.beyond_grid] = scaled_likelihood(
            self.likelihood.difference(
                self.bins.t[rows], self.bins.s[rows], np.minimum(self.bins.frequency[rows], 1), means.points
            )
        )
        return found

    def frequencies(self, means: ValueGrid, mean_weights: Floats) -> tuple[Floats, Floats]:
        """Return the chances of frequencies given S and T, one row per bin, and those of least expected loss.

        A protected key may have any mean: T may show that it stands out, never that it does not. A key that
        is where few are keeps its own frequency.
        """
        chances, least_loss = np.zeros_like(self.chances_by_sum), np.zeros(self.bins.s.size)
        own = np.clip(self.bins.frequency, 0, 1)
        for group in self.groups:
            likely, tensor = self._tensor(group, means)
            by_sum = self.chances_by_sum[group[0], likely]
            learned = by_sum * (tensor @ mean_weights)
            evidence = learned.sum(axis=1, keepdims=True)
            chances[np.ix_(group, likely)] = learned / evidence
            any_mean = np.maximum(tensor @ arcsine(means), evidence)
            weights = learned + by_sum * (self.loss[likely] - 1) * any_mean
            believed = self.believed[likely]
            learned_part = weights @ (believed * self.cells.points[likely])
            own_part = weights @ (1 - believed) * own[group]
            least_loss[group] = (learned_part + own_part) / weights.sum(axis=1)
        chances[self.beyond_grid, -1] = 1.0
        return chances, least_loss

    def _tensor(self, group: Integers, means: ValueGrid) -> tuple[Integers, Floats]:
        """Return which frequencies matter, and likelihoods by bin, frequency and mean."""
        if (kept := self._kept.get(int(group[0]))) is not None:
            return kept
        likely = np.flatnonzero(self.matters[group[0]])
        logarithm = self.likelihood.difference(
            self.bins.t[group, None, None],
            self.bins.s[group, None, None],
            self.cells.points[likely][:, None],
            means.points,
        )
        tensor = np.exp(logarithm - logarithm.max(axis=(1, 2), keepdims=True))
        if tensor.size <= self._numbers_left:
            self._numbers_left -= tensor.size
            self._kept[int(group[0])] = likely, tensor
        return likely, tensor
