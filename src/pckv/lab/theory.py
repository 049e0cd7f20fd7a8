"""The paper's formulas as printed: Theorem 4, g and h, and its rules for choosing between PCKV-UE and PCKV-GRR."""

from __future__ import annotations

import math
from typing import NamedTuple


class Theorem4(NamedTuple):
    """The paper's Theorem 4 as printed, for n users, frequency f, mean m and padding ℓ.

    Its frequency variance misses the sampling step: the exact one is larger by f(ℓ - 1)/n.
    """

    frequency_variance: float
    mean_expectation: float
    mean_variance: float


def theorem4(a: float, b: float, p: float, *, padding: int, n: float, f: float, m: float) -> Theorem4:
    """Evaluate Theorem 4.

    >>> round(theorem4(0.5, 0.35, 0.73, padding=1, n=1e6, f=0.01, m=0).frequency_variance, 8)
    1.012e-05
    """
    delta = (a - b) * f / padding
    gamma = a * (2 * p - 1) * f / padding
    return Theorem4(
        padding**2 * b * (1 - b) / (n * (a - b) ** 2) + padding * f * (1 - a - b) / (n * (a - b)),
        m * (1 + (1 - b - delta) * b / (n * delta**2)),
        (b + delta) / (n * gamma**2) + (b * (1 - b) - delta) * m**2 / (n * delta**2),
    )


def g_and_h(a: float, b: float, p: float) -> tuple[float, float]:
    """The paper's g and h: MSE_f ≈ ℓ²h/n and MSE_m ≈ ℓ²/(nf²)·(g + h·m²)."""
    return b / (a * (2 * p - 1)) ** 2, b * (1 - b) / (a - b) ** 2


def frequency_crossover(padding: int, epsilon: float) -> float:
    """The paper's rule for frequency, by h: PCKV-UE is better with more keys than this, else PCKV-GRR."""
    return 1 + padding * (4 * padding - 1) * (math.exp(epsilon) + 1) / 2


def mean_crossover(padding: int, epsilon: float) -> float:
    """The paper's rule for the mean, by g."""
    e = math.exp(epsilon)
    return padding * (4 * padding * (e + 1) / (e + 3) - 1) * (e + 1) / 2
