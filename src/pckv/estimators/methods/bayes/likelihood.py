"""How likely a key's counts are for a frequency and a mean: S = n1 + n2, and T = n1 - n2 given S.

Gaussian with the exact moments where noise is plenty. Otherwise S is the binomial of the exact mean
and variance, and T splits S into signs one by one (proofs/bayes.md).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pckv.arrays import Floats
from pckv.estimators.binomial import log_gamma
from pckv.estimators.intervals import GAUSSIAN_NOISE
from pckv.moments import CountMoments

# A binomial with chances this small is as good as Poisson's law.
_LEAST_CHANCE = 1e-9
_LEAST_MEAN = 1e-12
# Counts are whole numbers: nothing is known more exactly.
_LEAST_VARIANCE = 1 / 12
# A count beyond all trials is as good as impossible, the less so the nearer.
_IMPOSSIBLE = -1e4


class CountLikelihood(Protocol):
    """Logarithms of likelihoods, up to what does not hang on frequency and mean; arguments broadcast."""

    def total(self, s: Floats, f: Floats) -> Floats:
        """Of S."""
        ...

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Of T, given S."""
        ...


def count_likelihood(reports: int, moments: CountMoments) -> CountLikelihood:
    """The likelihood that is good enough for so many reports."""
    few = reports * moments.noise < GAUSSIAN_NOISE
    return FewCounts(reports, moments) if few else GaussianCounts(reports, moments)


class GaussianCounts:
    """S and T jointly normal."""

    def __init__(self, reports: int, moments: CountMoments) -> None:
        self.reports, self.moments = reports, moments

    def total(self, s: Floats, f: Floats) -> Floats:
        """Of S: normal."""
        variance = self.reports * self.moments.sum_variance(f)
        return _log_normal(s - self.reports * self.moments.sum_mean(f), variance)

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Of T, given S: normal about its regression on S."""
        n, moments = self.reports, self.moments
        covariance, sum_variance = moments.covariance(f, m), moments.sum_variance(f)
        expected = n * moments.contrast * f * m
        expected = expected + covariance / sum_variance * (s - n * moments.sum_mean(f))
        variance = moments.difference_variance(f, m) - covariance**2 / sum_variance
        return _log_normal(t - expected, n * variance)


class FewCounts:
    """Small counts: binomials."""

    def __init__(self, reports: int, moments: CountMoments) -> None:
        self.reports, self.moments = reports, moments

    def total(self, s: Floats, f: Floats) -> Floats:
        """Of S: the binomial with its exact mean and variance."""
        mean = np.maximum(self.reports * self.moments.sum_mean(f), _LEAST_MEAN)
        variance = self.reports * self.moments.sum_variance(f)
        chance = np.clip(1 - variance / mean, _LEAST_CHANCE, 1 - _LEAST_CHANCE)
        trials = mean / chance
        possible = s <= trials
        rest = np.where(possible, trials - s, 0)
        ways = log_gamma(trials + 1) - log_gamma(rest + 1)
        logarithm = ways + s * np.log(chance) + rest * np.log1p(-chance)
        return np.where(possible, logarithm, _IMPOSSIBLE * (1 + np.maximum(s - trials, 0)))

    def difference(self, t: Floats, s: Floats, f: Floats, m: Floats) -> Floats:
        """Of T, given S: every support has its sign independently."""
        tilt = self.moments.contrast * f * m / np.maximum(self.moments.sum_mean(f), _LEAST_MEAN)
        tilt = np.clip(tilt, -1 + _LEAST_CHANCE, 1 - _LEAST_CHANCE)
        return np.asarray((s + t) / 2 * np.log1p(tilt) + (s - t) / 2 * np.log1p(-tilt))


def _log_normal(distance: Floats, variance: Floats) -> Floats:
    variance = np.maximum(variance, _LEAST_VARIANCE)
    return np.asarray(-(distance**2) / (2 * variance) - np.log(variance) / 2)
