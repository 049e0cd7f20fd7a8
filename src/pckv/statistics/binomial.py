"""Binomial tails for many counts at once, with numpy alone."""

from __future__ import annotations

import math

import numpy as np

from pckv.base.arrays import Floats

_STIRLING_FROM = 16
_HALF_LOG_TAU = math.log(2 * math.pi) / 2
_TINY = 1e-300
_CLOSE = 1e-12
_MAX_STEPS = 100_000


def binomial_upper_tail(count: Floats, trials: Floats, chance: float) -> Floats:
    """P(X ≥ count) for X binomial, by the beta integral."""
    inside = (count > 0) & (count <= trials)
    tail = np.where(count <= 0, 1.0, 0.0)
    tail[inside] = _incomplete_beta(count[inside], trials[inside] - count[inside] + 1, chance)
    return tail


def binomial_probabilities(most: int, trials: Floats, chance: float) -> Floats:
    """P(X = 0), …, P(X = most) in columns, one row per number of trials."""
    columns = [np.exp(trials * math.log1p(-chance))]
    odds = chance / (1 - chance)
    for successes in range(most):
        columns.append(columns[-1] * np.maximum(trials - successes, 0) / (successes + 1) * odds)
    return np.stack(columns, axis=1)


def log_gamma(x: Floats) -> Floats:
    """ln Γ by Stirling's series, beyond the first few integers by recurrence."""
    shifted = x + _STIRLING_FROM
    product = np.ones_like(x)
    for step in range(_STIRLING_FROM):
        product *= np.where(x < _STIRLING_FROM, x + step, 1.0)
    y = np.where(x < _STIRLING_FROM, shifted, x)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * y * y)) / (y * y)) / (y * y)) / y
    return np.asarray((y - 0.5) * np.log(y) - y + _HALF_LOG_TAU + series - np.log(product))


def _incomplete_beta(a: Floats, b: Floats, x: float) -> Floats:
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
