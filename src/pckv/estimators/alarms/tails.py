"""Bounds on tail probabilities that hold for every number of reports, all of them Chernoff's.

An approximation that is right near the mean is often wrong where one event in ten million is looked for, and
always in favour of false alarms. A bound costs a little power instead (proofs/alarms.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable

# Where the best exponent is looked for, relative to that of a normal law; every one gives a bound.
TILTS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)


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


def mean_bound(excess: float, reports: int, variance: float, beyond: Callable[[float], float]) -> float:
    """Return at least the chance that a mean of independent numbers exceeds its expectation by this much.

    Args:
        excess: By how much it does.
        reports: How many numbers there are.
        variance: About the variance of one; it only says where the best exponent is looked for.
        beyond: For every tilt λ, at least the expectation of e^(λx) - 1 - λx, x being a number minus its expectation.
    """
    if excess <= 0 or variance <= 0:
        return 1.0
    tilts = [excess / variance * relative for relative in TILTS]
    return math.exp(-reports * max(0.0, *(tilt * excess - math.log1p(beyond(tilt)) for tilt in tilts)))


def excess_of_exponential(exponent: float) -> float:
    """Return e^x - 1 - x."""
    return math.expm1(exponent) - exponent
