"""How likely a key's counts are for a frequency and a mean: S, the count of all levels, and T given S, their weights.

Gaussian with the exact moments where false supports are many. Otherwise S is binomial with the exact mean
and variance, and T splits S into independent levels, as if there were two (proofs/bayes.md).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pckv.base.arrays import Floats
from pckv.statistics.binomial import log_gamma
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments

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
        """Return the log-likelihood of T, given S: every support has its level independently, one of two ends.

        Levels between the ends count for both, as their value says: their T is less spread than that, so that means are
        judged less certain than they are.
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
