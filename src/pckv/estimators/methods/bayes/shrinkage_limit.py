"""How far a frequency may be shrunk toward the distribution that all keys share.

Shrinkage lowers the error of the many rare keys and raises that of the few most frequent ones, which are pulled
toward the rest. The limit is set for every task: the cost for the top keys is predicted from the learned distribution
itself, and the largest limit that serves them well is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pckv.arrays import Floats
from pckv.estimators.methods.bayes.likelihood import CountLikelihood
from pckv.estimators.methods.bayes.prior import ValueGrid, posterior, scaled_likelihood
from pckv.moments import CountMoments

# Limits in standard errors of the key's own estimate, smallest first.
SHRINKAGE_LIMITS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# The most frequent keys, whose squared error after shrinkage may be at most this share of their unshrunk error.
# Predictions are optimistic, since a distribution does not show the few among very many: so the share is well below 1.
TOP_KEYS = 50
MAX_RELATIVE_RISK = 0.65
# Counts that may be observed, in standard deviations from the expected one.
DEVIATIONS = np.linspace(-3.5, 3.5, 29)


class LearnedDistribution(NamedTuple):
    """The learned distribution of the frequencies: a weight per cell, and how many keys it was learned from."""

    cells: ValueGrid
    weights: Floats
    keys: float


def limit_shrinkage(shrunk: Floats, own: Floats, limit: float, reports: int, moments: CountMoments) -> Floats:
    """Return shrunk frequencies moved to within the limit of the keys' own estimates, and within [0, 1]."""
    allowed = limit * np.sqrt(moments.frequency_variance(np.clip(own, 0, 1)) / reports)
    return np.asarray(np.clip(shrunk, np.clip(own - allowed, 0, 1), np.clip(own + allowed, 0, 1)))


def choose_shrinkage_limit(
    distribution: LearnedDistribution,
    unshrunk_keys: float,
    likelihood: CountLikelihood,
    reports: int,
    moments: CountMoments,
) -> float:
    """Return the largest limit that is predicted to leave the top keys at most the allowed share of their error.

    `unshrunk_keys` of them lie beyond the grid: they are among the top keys and are not shrunk at all.
    """
    top = _expected_top_keys(distribution, TOP_KEYS - unshrunk_keys)
    occupied = np.flatnonzero(top)
    points = distribution.cells.points
    true, keys = points[occupied, None], top[occupied, None]
    deviation = np.sqrt(reports * moments.sum_variance(true))
    counts = np.maximum(reports * moments.sum_mean(true) + deviation * DEVIATIONS, 0)
    weights = keys * np.exp(-(DEVIATIONS**2) / 2)
    likelihoods = scaled_likelihood(likelihood.total(counts[..., None], points))
    shrunk = posterior(likelihoods, distribution.weights) @ points
    own = (counts / reports - moments.noise) / moments.signal

    def risk(estimate: Floats) -> float:
        return float((weights * (estimate - true) ** 2).sum())

    max_risk = MAX_RELATIVE_RISK * risk(np.clip(own, 1 / reports, 1))
    largest = SHRINKAGE_LIMITS[0]
    for limit in SHRINKAGE_LIMITS:
        if risk(limit_shrinkage(shrunk, own, limit, reports, moments)) <= max_risk:
            largest = limit
    return largest


def _expected_top_keys(distribution: LearnedDistribution, count: float) -> Floats:
    """Return how many of the most frequent keys are expected in each cell."""
    expected = distribution.keys * distribution.weights
    above = np.cumsum(expected[::-1])[::-1] - expected
    return np.asarray(np.clip(count - above, 0, expected))
