"""Bounds on tail probabilities that hold for every number of reports: Chernoff's, and Bernstein's.

An approximation that is right near the mean is often wrong where one event in ten million is looked for, and
always in favour of false alarms. A bound costs a little power instead (proofs/alarms.md).
"""

from __future__ import annotations

import math


def binomial_bound(count: float, trials: float, chance: float) -> float:
    """Return at least P(X ≥ count), or P(X ≤ count) below the mean, for X binomial.

    It holds as well for a sum of independent events of several chances, whose mean is `chance`.
    """
    if trials <= 0:
        return 1.0
    share = count / trials
    return math.exp(-trials * _divergence(share, chance))


def _divergence(share: float, chance: float) -> float:
    """The relative entropy of two chances of an event."""
    total = 0.0
    for seen, expected in ((share, chance), (1 - share, 1 - chance)):
        if seen > 0:
            total += seen * math.log(seen / expected) if expected > 0 else math.inf
    return max(0.0, total)


def poisson_bound(count: float, mean: float) -> float:
    """Return at least P(X ≥ count) for X Poisson with this mean; 1 up to the mean."""
    if count <= mean:
        return 1.0
    return math.exp(count - mean - count * math.log(count / mean)) if mean > 0 else 0.0


def gamma_bound(value: float, mean: float, variance: float, skewness: float) -> float:
    """Return at least P(X ≥ value) for the shifted gamma variable with these three moments; 1 up to the mean."""
    if value <= mean:
        return 1.0
    shape = 4 / skewness**2
    relative = 1 + (value - mean) / math.sqrt(variance * shape)
    return math.exp(shape * (1 - relative + math.log(relative)))


def bernstein_bound(excess: float, reports: int, variance: float, largest: float) -> float:
    """Return at least the chance that a mean of independent numbers exceeds its expectation by this much.

    Each number has at most this variance, and exceeds its expectation by at most `largest`.
    """
    if excess <= 0:
        return 1.0
    return math.exp(-reports * excess**2 / (2 * (variance + largest * excess / 3)))
