"""Binomial tails for many counts at once, with numpy alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])
_TINY = 1e-300
_CLOSE = 1e-12
_MOST_STEPS = 100_000


def binomial_upper_tail(count: Floats, trials: Floats, chance: Floats) -> Floats:
    """P(X ≥ count) for X binomial; trials need not be whole (the beta integral does not mind)."""
    inside = (count > 0) & (count <= trials)
    tail = np.where(count <= 0, 1.0, 0.0)
    tail[inside] = _incomplete_beta(
        count[inside], trials[inside] - count[inside] + 1, np.clip(chance[inside], 0, 1)
    )
    return tail


def _incomplete_beta(a: Floats, b: Floats, x: Floats) -> Floats:
    """The regularised incomplete beta function; its fraction converges fast below the mean."""
    swap = x > (a + 1) / (a + b + 2)
    left, right, point = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1 - x, x)
    with np.errstate(divide="ignore"):
        logarithm = left * np.log(point) + right * np.log1p(-point)
    logarithm += _log_gamma(a + b) - _log_gamma(a) - _log_gamma(b) - np.log(left)
    value = np.exp(logarithm) * _continued_fraction(left, right, point)
    return np.asarray(np.clip(np.where(swap, 1 - value, value), 0, 1), np.float64)


def _continued_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method."""

    def away_from_zero(number: Floats) -> Floats:
        return np.where(np.abs(number) < _TINY, _TINY, number)

    c = np.ones_like(x)
    d = 1 / away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _MOST_STEPS):
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
