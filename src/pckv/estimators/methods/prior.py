"""The distribution that all keys share, learned from their counts on a grid (proofs/bayes.md).

How likely a key's counts are for a frequency and a mean: S, the count of all levels, and T given S, their
weights. Both are Gaussian with the exact moments where false supports are many. Otherwise S is binomial with
the exact mean and variance, and T splits S into independent levels, as if there were two. The prior is the
nonparametric maximum likelihood on a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from pckv.base.arrays import Floats
from pckv.statistics.binomial import log_gamma
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments

# Cells of frequency are half a standard error wide, and there are at most this many above 0.
FREQUENCY_STEP = 0.5
MAX_FREQUENCY_CELLS = 80
MEAN_CELLS = 81
MAX_STEPS = 300
MIN_WEIGHT = 1e-100
# So many keys may be expected to have frequencies by Zipf's law.
MANY_KEYS = 20
# Means that keys may have in common, how many people's values they are worth, and the chance, before anything
# is observed, that there is none.
COMMON_MEANS = np.linspace(-0.95, 0.95, 20)
COMMON_PEOPLE = 2.0 ** np.arange(9)
NO_COMMON_MEAN = 0.75
# What is impossible has this likelihood, so that quotients and logarithms exist.
MIN_LIKELIHOOD = 1e-300
# Where the scale of Zipf's law is looked for.
_MIN_SCALE, _MAX_SCALE, _BISECTIONS = 1e-12, 1e6, 100


class ValueGrid(NamedTuple):
    """Cells of possible values: one point per cell, and the edges between cells."""

    points: Floats
    edges: Floats

    @classmethod
    def around(cls, points: Floats, low: float, high: float) -> ValueGrid:
        """Return the grid with edges half-way between the points."""
        return cls(points, np.concatenate([[low], (points[1:] + points[:-1]) / 2, [high]]))


# From likelihoods by observation and cell, and how often each observation occurs, to weights of the cells.
Fit = Callable[[Floats, Floats, ValueGrid], Floats]


def frequency_grid(reports: int, moments: CountMoments) -> ValueGrid:
    """Return cells from 0, in steps of half the local standard error, to 1 or the maximal number of cells."""
    points = [0.0]
    while len(points) < MAX_FREQUENCY_CELLS and points[-1] < 1:
        error = (moments.frequency_variance(points[-1]) / reports) ** 0.5
        points.append(min(points[-1] + FREQUENCY_STEP * error, 1.0))
    return ValueGrid.around(np.array(points), 0, 1)


def mean_grid(*, has_means: bool = True) -> ValueGrid:
    """Return equal cells from -1 to 1; one cell for all where keys have no values, so that nothing is learned."""
    return ValueGrid.around(np.linspace(-1, 1, MEAN_CELLS) if has_means else np.zeros(1), -1, 1)


def scaled_likelihood(logarithm: Floats) -> Floats:
    """Return likelihoods relative to the largest of their row."""
    return np.asarray(np.exp(logarithm - logarithm.max(axis=-1, keepdims=True)))


def flat(grid: ValueGrid) -> Floats:
    """Return equal weights for all cells."""
    return np.full(grid.points.size, 1 / grid.points.size)


def zipf_law(grid: ValueGrid, mean: float) -> Floats:
    """Return the weights of Zipf's law on [0, 1] with a given mean: a share c/(x + c) of keys is above x."""
    low, high = _MIN_SCALE, _MAX_SCALE
    for _ in range(_BISECTIONS):
        scale = math.sqrt(low * high)
        expected = scale * ((1 + scale) * math.log1p(1 / scale) - 1)
        low, high = (scale, high) if expected < mean else (low, scale)
    above = scale / (grid.edges + scale)
    weights = np.maximum(above[:-1] - above[1:], MIN_WEIGHT)
    return np.asarray(weights / weights.sum())


def arcsine(grid: ValueGrid) -> Floats:
    """Return the weights of Jeffreys' prior of a share, on [-1, 1]."""
    return np.asarray(np.diff(np.arcsin(grid.edges)) / np.pi)


def learn_frequencies(keys: int, padding: int) -> Fit:
    """Return how to learn the distribution of the frequencies, whose largest possible mean is known."""
    largest = min(padding / keys, 1)

    def fit(likelihood: Floats, counts: Floats, cells: ValueGrid) -> Floats:
        # Zipf's law has the few frequent keys that many keys hide; equal weights prefer no frequency where
        # keys are few.
        start = flat(cells) if keys < MANY_KEYS else (zipf_law(cells, largest) + flat(cells)) / 2
        return lower_mean(fit_weights(likelihood, counts, start), cells.points, largest)

    return fit


def lower_mean(weights: Floats, points: Floats, largest: float) -> Floats:
    """Return the distribution nearest to this one, by its entropy, with at most the largest possible mean."""

    def tilted(slope: float) -> Floats:
        return posterior(weights, np.exp(-slope * (points - points[0])))

    if weights @ points <= largest:
        return weights
    low, high = 0.0, 1.0
    while tilted(high) @ points > largest:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if tilted(middle) @ points > largest else (low, middle)
    return np.maximum(tilted(high), MIN_WEIGHT)


def learn_means(likelihood: Floats, counts: Floats, cells: ValueGrid) -> Floats:
    """Return the distribution of the means: those of few values often lie at the ends of the range."""
    return fit_weights(likelihood, counts, arcsine(cells))


def learn_common_mean(likelihood: Floats, counts: Floats, cells: ValueGrid) -> Floats:
    """Return the distribution of the means if they may lie around a common one, as ratings do.

    It starts as the average of such distributions, and of the one without a common mean, by their chances
    given the counts.
    """
    laws, prior = common_means(cells)
    logarithm = counts @ np.log(np.maximum(likelihood @ laws.T, MIN_LIKELIHOOD))
    return fit_weights(likelihood, counts, posterior(scaled_likelihood(logarithm), prior) @ laws)


def common_means(cells: ValueGrid) -> tuple[Floats, Floats]:
    """Return possible distributions of the means, one per row, and their chances before any observation.

    They are what Jeffreys' prior becomes after some people's values with a common mean: beta distributions.
    """
    middle = (cells.edges[1:] + cells.edges[:-1]) / 2
    centre, people = (each.reshape(-1, 1) for each in np.meshgrid(COMMON_MEANS, COMMON_PEOPLE))
    likelihood = people / 2 * ((1 + centre) * np.log1p(middle) + (1 - centre) * np.log1p(-middle))
    laws = np.vstack([arcsine(cells), posterior(scaled_likelihood(likelihood), arcsine(cells))])
    prior = np.append(NO_COMMON_MEAN, np.full(people.size, (1 - NO_COMMON_MEAN) / people.size))
    return np.maximum(laws, MIN_WEIGHT), prior


def fit_weights(likelihood: Floats, counts: Floats, start: Floats) -> Floats:
    """Return weights of cells (columns) that make the observations (rows, with multiplicities) likely, by EM.

    From a smooth start. The fewer keys there are per occupied cell, the fewer the steps: few keys cannot
    distinguish cells, and their distribution should stay smooth.
    """
    keys, weights = counts.sum(), start
    if not keys:
        return weights
    first = counts @ posterior(likelihood, weights) / keys
    keys_per_cell = keys * (first**2).sum()
    for _ in range(min(int(keys_per_cell**2), MAX_STEPS)):
        weights = weights * (likelihood.T @ (counts / (likelihood @ weights))) / keys
        # No weight reaches zero, so that no observation becomes impossible.
        weights = np.maximum(weights, MIN_WEIGHT)
    return np.asarray(weights / weights.sum())


def posterior(likelihood: Floats, weights: Floats) -> Floats:
    """Return the chances of the cells, one row per observation."""
    joint = likelihood * weights
    return np.asarray(joint / joint.sum(axis=-1, keepdims=True))


def cell_interval(chances: Floats, grid: ValueGrid, level: float) -> tuple[Floats, Floats]:
    """Return limits at cell edges, with at most (1 - level)/2 of the posterior beyond each."""
    below = np.cumsum(chances, axis=1)
    tail = (1 - level) / 2
    last = chances.shape[1] - 1
    first = np.minimum((below <= tail).sum(axis=1), last)
    final = np.minimum((below < 1 - tail).sum(axis=1), last)
    return grid.edges[first], grid.edges[np.maximum(final, first) + 1]


# A binomial with a chance this small is practically a Poisson distribution.
_MIN_CHANCE = 1e-9
_MIN_MEAN = 1e-12
# The variance of rounding to whole numbers: counts have at least that.
_MIN_VARIANCE = 1 / 12
# A count above the number of trials is practically impossible, the more so the further above.
_IMPOSSIBLE = -1e4


class CountLikelihood(Protocol):
    """Logarithms of likelihoods, up to constants; arguments broadcast."""

    def total(self, s: Floats, f: Floats) -> Floats:
        """Return the log-likelihood of S."""
        ...

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Return the log-likelihood of T, given S."""
        ...


def count_likelihood(reports: int, moments: CountMoments) -> CountLikelihood:
    """Return the likelihood that is accurate for this number of reports."""
    few = reports * moments.noise < GAUSSIAN_NOISE
    return FewCounts(reports, moments) if few else GaussianCounts(reports, moments)


class GaussianCounts:
    """S and T jointly normal."""

    def __init__(self, reports: int, moments: CountMoments) -> None:
        self.reports, self.moments = reports, moments

    def total(self, s: Floats, f: Floats) -> Floats:
        """Return the log-likelihood of S: normal."""
        variance = self.reports * self.moments.sum_variance(f)
        return _log_normal(s - self.reports * self.moments.sum_mean(f), variance)

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Return the log-likelihood of T, given S: normal about its regression on S."""
        n, moments = self.reports, self.moments
        covariance, sum_variance = moments.covariance(f, m), moments.sum_variance(f)
        expected = n * moments.contrast * f * moments.weight(m)
        expected = expected + covariance / sum_variance * (s - n * moments.sum_mean(f))
        variance = moments.difference_variance(f, m) - covariance**2 / sum_variance
        return _log_normal(t - expected, n * variance)


class FewCounts:
    """Small counts: binomials."""

    def __init__(self, reports: int, moments: CountMoments) -> None:
        self.reports, self.moments = reports, moments

    def total(self, s: Floats, f: Floats) -> Floats:
        """Return the log-likelihood of S: the binomial with its exact mean and variance."""
        mean = np.maximum(self.reports * self.moments.sum_mean(f), _MIN_MEAN)
        variance = self.reports * self.moments.sum_variance(f)
        chance = np.clip(1 - variance / mean, _MIN_CHANCE, 1 - _MIN_CHANCE)
        trials = mean / chance
        possible = s <= trials
        rest = np.where(possible, trials - s, 0)
        ways = log_gamma(trials + 1) - log_gamma(rest + 1) - log_gamma(s + 1)
        logarithm = ways + s * np.log(chance) + rest * np.log1p(-chance)
        return np.where(possible, logarithm, _IMPOSSIBLE * (1 + np.maximum(s - trials, 0)))

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Return the log-likelihood of T, given S: supports are at either of two ends, independently.

        Levels between the ends count for both, as their value says: their T is less spread than that, so that
        means are judged less certain than they are.
        """
        weight = self.moments.weight(m)
        centre = self.moments.scale.centre
        tilt = centre + self.moments.contrast * f * weight / np.maximum(self.moments.sum_mean(f), _MIN_MEAN)
        tilt = np.clip(tilt, -1 + _MIN_CHANCE, 1 - _MIN_CHANCE)
        value = t + centre * s
        return np.asarray((s + value) / 2 * np.log1p(tilt) + (s - value) / 2 * np.log1p(-tilt))


def _log_normal(distance: Floats, variance: Floats) -> Floats:
    variance = np.maximum(variance, _MIN_VARIANCE)
    return np.asarray(-(distance**2) / (2 * variance) - np.log(variance) / 2)
