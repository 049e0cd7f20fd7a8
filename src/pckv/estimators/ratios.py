"""Ratios of frequencies that the same reports tell of: shares within a label, and lift (proofs/derived-estimates.md).

Fieller: a ratio r is accepted where the numerator less r times the denominator is within its own error. No quotient of
noisy numbers is taken, so that nothing is lost where the denominator is not known well: then any ratio is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from pckv.base.arrays import Floats
from pckv.estimators.intervals import Interval, reach_from_end, roots_of, two_sided_z

# From a ratio to the variance of the numerator less that many times the denominator: a quadratic.
RatioVariance: TypeAlias = Callable[[float | Floats], Floats]


def ratio_interval(
    numerator: Floats, denominator: Floats, variance: RatioVariance, level: float, largest: float = 1.0
) -> Interval:
    """Return all ratios from 0 to the largest that are not contradicted at this level.

    Where the ratio points beyond an end, the interval reaches as far to the other side, up to the end's own error.
    """
    width = two_sided_z(level) ** 2
    # A quadratic is known by three of its values.
    at_zero, above, below = variance(0.0), variance(1.0), variance(-1.0)
    square, linear = (above + below) / 2 - at_zero, (above - below) / 2
    leading = denominator**2 - width * square
    roots = roots_of(leading, -2 * numerator * denominator - width * linear, np.asarray(numerator**2 - width * at_zero))
    known = (denominator > 0) & (leading > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator / denominator
        end = np.clip(ratio, 0, largest)
        error = np.maximum(at_zero + linear * end + square * end**2, 0) / denominator**2
        reach = reach_from_end(ratio - end, error, width)
    # No real root: only ratios next to the estimate are accepted, which are none.
    low, high = (np.where(np.isfinite(limit), limit, ratio) for limit in (roots.min(axis=0), roots.max(axis=0)))
    low, high = (np.clip(limit, 0, largest) for limit in (np.minimum(low, ratio), np.maximum(high, ratio)))
    return Interval(
        np.where(known, np.minimum(low, np.maximum(end - reach, 0)), 0.0),
        np.where(known, np.maximum(high, np.minimum(end + reach, largest)), largest),
    )


def skewed_deviate(deviate: Floats, mean: Floats, variance: Floats) -> Floats:
    """Return normal deviates with the chances of deviates of a count of this mean and variance, at least.

    The far tail of a small count is heavier above its mean than a normal one: its chance is that of a Poisson count
    with the same relation of mean and variance, by its deviance. Below the mean it is lighter, which is not used.
    """
    like_poisson = np.maximum(mean, 1e-12) ** 2 / variance
    beyond = np.maximum(deviate, 0) / np.sqrt(like_poisson)
    deviance = 2 * like_poisson * ((1 + beyond) * np.log1p(beyond) - beyond)
    return np.where(deviate > 0, np.sqrt(np.maximum(deviance, 0)), deviate)


def upper_chances(deviates: Floats) -> Floats:
    """Return the chances that a normal number is above each of these."""
    return np.array([math.erfc(deviate * math.sqrt(0.5)) / 2 for deviate in np.ravel(deviates).tolist()]).reshape(
        np.shape(deviates)
    )
