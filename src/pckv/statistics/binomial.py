"""Binomial tails for many counts at once, Chernoff's bounds of tails, and sums of independent counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from pckv.base.arrays import Floats

_STIRLING_FROM = 16
_HALF_LOG_TAU = math.log(2 * math.pi) / 2
_TINY = 1e-300
_CLOSE = 1e-12
_MAX_STEPS = 100_000


def binomial_upper_tail(count: Floats, trials: Floats, chance: float | Floats) -> Floats:
    """P(X ≥ count) for X binomial, by the beta integral; chances may differ between counts."""
    inside = (count > 0) & (count <= trials)
    tail = np.where(count <= 0, 1.0, 0.0)
    chances = np.broadcast_to(np.asarray(chance, np.float64), count.shape)[inside]
    tail[inside] = _incomplete_beta(count[inside], trials[inside] - count[inside] + 1, chances)
    return tail


def log_gamma(x: Floats) -> Floats:
    """ln Γ by Stirling's series, beyond the first few integers by recurrence."""
    shifted = x + _STIRLING_FROM
    product = np.ones_like(x)
    for step in range(_STIRLING_FROM):
        product *= np.where(x < _STIRLING_FROM, x + step, 1.0)
    y = np.where(x < _STIRLING_FROM, shifted, x)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * y * y)) / (y * y)) / (y * y)) / y
    return np.asarray((y - 0.5) * np.log(y) - y + _HALF_LOG_TAU + series - np.log(product))


def _incomplete_beta(a: Floats, b: Floats, x: Floats) -> Floats:
    """The regularised incomplete beta function; its fraction converges fast below the mean."""
    swap = x > (a + 1) / (a + b + 2)
    left, right, point = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1 - x, x)
    logarithm = left * np.log(point) + right * np.log1p(-point)
    logarithm += log_gamma(a + b) - log_gamma(a) - log_gamma(b) - np.log(left)
    value = np.exp(logarithm) * _continued_fraction(left, right, point)
    return np.asarray(np.clip(np.where(swap, 1 - value, value), 0, 1), np.float64)


def _continued_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method."""

    def away_from_zero(number: Floats) -> Floats:
        return np.where(np.abs(number) < _TINY, _TINY, number)

    c = np.ones_like(x)
    d = 1 / away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            c = away_from_zero(1 + numerator / c)
            d = 1 / away_from_zero(1 + numerator * d)
            step = c * d
            fraction = fraction * step
        if np.all(np.abs(step - 1) < _CLOSE):
            return fraction
    raise ArithmeticError("the binomial tail did not converge")


# Bounds on tail probabilities, all of them Chernoff's, hold for every number of reports: an approximation
# that is right near the mean is often wrong where one event in ten million is looked for, and always in
# favour of false alarms. A bound costs a little power instead (proofs/alarms.md).
# Where the best exponent is looked for, relative to that of a normal law; every one gives a bound.
TILTS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)


def convolution_power(chances: Sequence[float] | Floats, times: int, size: int) -> Floats:
    """Return the chances that this many numbers, 0, 1, … by the same `chances`, add up to 0, …, size - 1."""
    result, power = np.eye(1, size)[0], np.zeros(size)
    power[: len(chances)] = chances[:size]
    while times:
        if times & 1:
            result = np.convolve(result, power)[:size]
        power, times = np.convolve(power, power)[:size], times >> 1
    return np.asarray(result)


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
    """Return at least P(X ≥ value) for the shifted gamma law with these three moments; 1 up to the mean."""
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
        beyond: For every tilt λ, at least the expectation of e^(λx) - 1 - λx, x being a number minus its
            expectation.
    """
    if excess <= 0 or variance <= 0:
        return 1.0
    tilts = [excess / variance * relative for relative in TILTS]
    return math.exp(-reports * max(0.0, *(tilt * excess - math.log1p(beyond(tilt)) for tilt in tilts)))


def bennett_bound(excess: float, reports: int, variance: float, largest: float) -> float:
    """Return at least the chance that a mean of independent numbers exceeds its expectation by this much.

    None varies more than `variance`, and none exceeds its own expectation by more than `largest` (Bennett).
    """
    if excess <= 0:
        return 1.0
    ratio = excess * largest / variance
    return math.exp(-reports * variance / largest**2 * ((1 + ratio) * math.log1p(ratio) - ratio))


def excess_of_exponential(exponent: float) -> float:
    """Return e^x - 1 - x."""
    return math.expm1(exponent) - exponent
