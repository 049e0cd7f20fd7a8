"""Figures that are formulas: 4 (g and h), 11 (Ψ and Φ), and the crossover rules of section 4.5.

The paper's formulas as printed: Theorem 4, g and h, and its rules for choosing between PCKV-UE and PCKV-GRR.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pckv.base.budget import ALLOCATIONS
from pckv.base.progress import Progress
from pckv.lab.figures.figure import Figure, FigureScale, Point
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments


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


PHI_EPSILONS = (0.2, 0.5, 0.85, 1.0, 2.0)
CROSSOVER_EPSILONS = ("1", "3", "5")
RULES = {"frequency": frequency_crossover, "mean": mean_crossover}


def psi(epsilon: float) -> float:
    """The appendix's Ψ: above m², the mean's error grows with θ all the way."""
    e = math.exp(epsilon)
    return (e + 1) * (3 * e * e + 12 * e + 1) / (e + 3) ** 3


def phi(epsilon: float, theta: float) -> float:
    """MSE_m/μ at m² = 1, as a function of θ = e^ε1 along the budgets that compose to ε."""
    g = 4 / ((theta + 1) * (math.exp(epsilon) / theta - 1) ** 2)
    h = 4 * theta / (theta - 1) ** 2
    return g + h


def _allocations(_scale: FigureScale, progress: Progress) -> list[Point]:
    points = []
    for allocation in ALLOCATIONS:
        for step in range(1, 61):
            epsilon = Fraction(step, 10)
            a, b, p = map(float, build("ue", 100, 1, epsilon, {"allocation": allocation}).probabilities)
            g, h = g_and_h(a, b, p)
            points.append({"series": allocation, "theory": False, "ε": float(epsilon), "g": g, "h": h})
    progress(1)
    return points


def _appendix(_scale: FigureScale, progress: Progress) -> list[Point]:
    points: list[Point] = [
        {"series": "Ψ", "theory": False, "x": epsilon, "psi": psi(epsilon), "phi": None}
        for epsilon in np.linspace(0.05, 6, 120).tolist()
    ]
    for epsilon in PHI_EPSILONS:
        least, most = (math.exp(epsilon) + 1) / 2, math.exp(epsilon)
        for share in np.linspace(0, 0.9, 46).tolist():
            theta = least + share * (most - least)
            at = {"series": f"Φ at ε = {epsilon:g}", "theory": False, "x": share}
            points.append(at | {"psi": None, "phi": phi(epsilon, theta)})
    progress(1)
    return points


def measured_crossover(quantity: str, padding: int, epsilon: str) -> float:
    """The same from the exact variances at the frequency 0.01: the least number of keys where ue is better."""

    def ue_is_better(keys: int) -> bool:
        errors = []
        for name in ("ue", "grr"):
            moments = CountMoments.of(build(name, keys, padding, Fraction(epsilon), {}).count_law)
            of_frequency = quantity == "frequency"
            errors.append(moments.frequency_variance(0.01) if of_frequency else moments.mean_variance(0.01, 0.0))
        return errors[0] < errors[1]

    return 1.0 + bisect_left(range(1, 2**31), x=True, key=ue_is_better)


def _crossovers(_scale: FigureScale, progress: Progress) -> list[Point]:
    points = []
    for epsilon in CROSSOVER_EPSILONS:
        for padding in (1, 2, 3, 5, 10, 20, 50, 100):
            for theory in (True, False):
                found = {
                    rule: RULES[rule](padding, float(epsilon)) if theory else measured_crossover(rule, padding, epsilon)
                    for rule in RULES
                }
                points.append({"series": f"ε = {epsilon}", "theory": theory, "padding": padding, **found})
    progress(1)
    return points


FIGURES = (
    Figure(
        "4",
        "g and h of PCKV-UE under three budget allocations",
        "ε",
        {"g": "g", "h": "h"},
        _allocations,
        note=lambda _: "MSE of the mean ≈ ℓ²/(nf²)·(g + h·m²)",
    ),
    Figure(
        "11",
        "Ψ(ε), and Φ(θ) in the worst case m² = 1",
        "x",
        {"psi": "Ψ(ε), x = ε", "phi": "Φ(θ), x = share of the way from (E+1)/2 to E"},
        _appendix,
    ),
    Figure(
        "crossover",
        "The number of keys above which PCKV-UE is better than PCKV-GRR",
        "padding",
        {"frequency": "keys, by frequency", "mean": "keys, by mean"},
        _crossovers,
        log_x=True,
        note=lambda _: "points: exact variances at f = 0.01; dashed: the two rules of section 4.5",
    ),
)
