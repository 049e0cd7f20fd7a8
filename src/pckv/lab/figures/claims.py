"""What the paper says in words, held against what was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from pckv.base.words import percent
from pckv.estimators.linear import unbiased_frequency
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.figures.figure import FigureScale, Point
from pckv.lab.figures.formulas import psi, theorem4
from pckv.lab.figures.synthetic import DOMAINS
from pckv.lab.populations import zipf
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

Measured = Mapping[str, list[Point]]


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper, what was measured, and whether it holds."""

    claim: str
    measured: str
    holds: bool


Check = Callable[[Measured], tuple[str, bool]]


@dataclass(frozen=True)
class Claim:
    """A claim that can be checked once its figures were computed."""

    text: str
    figures: tuple[str, ...]
    check: Check


# In the order of the paper.
CLAIMS: list[Claim] = []


def _claim(text: str, *figures: str) -> Callable[[Check], Check]:
    """Add a claim, which the function checks."""

    def add(check: Check) -> Check:
        CLAIMS.append(Claim(text, figures, check))
        return check

    return add


def at(points: list[Point], series: str, quantity: str, *, theory: bool = False, **place: float) -> float:
    """One value of one curve."""
    for point in points:
        if point["series"] == series and point["theory"] == theory and all(point[k] == v for k, v in place.items()):
            return float(point[quantity])
    raise KeyError((series, quantity, place))


@_claim("Optimized allocation: a much smaller g, a slightly larger h than non-optimized (Fig. 4)", "4")
def _optimized_has_smaller_g(measured: Measured) -> tuple[str, bool]:
    g, h = (
        [at(measured["4"], allocation, name, ε=1.0) for allocation in ("optimized", "non-optimized", "naive")]
        for name in ("g", "h")
    )
    text = f"at ε 1: g {g[0]:.1f} against {g[1]:.1f} and {g[2]:.1f}; h {h[0]:.1f} against {h[1]:.1f} and {h[2]:.1f}"
    return text, g[0] < min(g[1:]) and h[1] < h[0] < h[2]


@_claim("PCKV has a much smaller frequency error than PrivKVM and KVUE (Fig. 6)", "6a")
def _better_than_others(measured: Measured) -> tuple[str, bool]:
    points, epsilons = measured["6a"], (0.5, 1, 2, 3, 4, 5, 6)
    factor = min(
        min(at(points, other, "frequency", ε=e) for other in ("PrivKVM", "KVUE"))
        / at(points, "PCKV-UE", "frequency", ε=e)
        for e in epsilons
    )
    return f"PCKV-UE's frequency error is at least {factor:.0f} × smaller at every ε ≥ 0.5", factor > 2


@_claim("PrivKVM's mean error does not decrease any more after ε = 0.5 (Fig. 6)", "6a")
def _privkvm_flat(measured: Measured) -> tuple[str, bool]:
    points = measured["6a"]
    start, middle, end = (at(points, "PrivKVM", "mean", ε=e) for e in (0.5, 4, 6))
    text = f"{start:.3f} at ε 0.5, {middle:.3f} at 4, {end:.3f} at 6: nearly flat, but fewer values are fake as ε grows"
    return text, end > 0.9 * start


@_claim("The gap between theory and measurement is small where nothing is clipped (Fig. 6)", "6a")
def _theory_matches(measured: Measured) -> tuple[str, bool]:
    points = measured["6a"]
    off = [
        at(points, name, "frequency", ε=e) / at(points, name, "frequency", theory=True, ε=e)
        for name, es in (("PCKV-UE", (2.0, 3.0, 4.0, 5.0)), ("PCKV-GRR", (3.0, 4.0, 5.0)))
        for e in es
    ]
    return f"measured over printed frequency error: {min(off):.2f} to {max(off):.2f}", min(off) > 0.7 and max(off) < 1.4


@_claim(
    "Gaussian keys: a larger mean error over all keys than uniform ones, a smaller one over the top 20 (Fig. 6)",
    "6a",
    "6b",
    "6c",
)
def _gaussian_tail(measured: Measured) -> tuple[str, bool]:
    every, top, uniform = (at(measured[figure], "PCKV-UE", "mean", ε=2) for figure in ("6b", "6c", "6a"))
    return (
        f"mean error at ε 2: all keys {every:.3g}, top 20 {top:.3g}, uniform {uniform:.3g}",
        top < uniform < every,
    )


def _growth(points: list[Point], name: str) -> float:
    return at(points, name, "frequency", d=2000.0) / at(points, name, "frequency", d=100.0)


@_claim("PCKV-UE's frequency error does not depend on the domain size (Fig. 7)", "7a", "7b")
def _ue_ignores_domain(measured: Measured) -> tuple[str, bool]:
    grown = [_growth(measured[figure], "PCKV-UE") for figure in ("7a", "7b")]
    return (
        f"from d = 100 to 2000 it changes by factors of {grown[0]:.2f} (ε 1) and {grown[1]:.2f} (ε 5)",
        all(0.5 < factor < 2 for factor in grown),
    )


@_claim("The frequency error of PrivKVM, KVUE and PCKV-GRR grows with the domain size (Fig. 7)", "7a", "7b")
def _others_grow(measured: Measured) -> tuple[str, bool]:
    names = ("PrivKVM", "KVUE", "PCKV-GRR")
    factors = {figure: [_growth(measured[figure], name) for name in names] for figure in ("7a", "7b")}
    text = "; ".join(
        f"ε {e}: " + ", ".join(f"{name} {factor:.1f} ×" for name, factor in zip(names, factors[figure], strict=True))
        for figure, e in (("7a", 1), ("7b", 5))
    )
    return f"d grows 20-fold: {text}. Clipping holds the error down at ε 1", min(min(f) for f in factors.values()) > 3


@_claim("Top 10 at ε = 3: PCKV-UE's precision is over 60 % even for large d (Fig. 8)", "8")
def _precision_top_10(measured: Measured) -> tuple[str, bool]:
    points = measured["8"]
    found = {d: at(points, "PCKV-UE", "top10", d=float(d)) for d in DOMAINS}
    text = ", ".join(f"{percent(share)} at d = {d}" for d, share in found.items())
    return text, min(found.values()) > 0.6


@_claim("Top 10 at ε = 3, d = 2000: PrivKVM and KVUE miss almost all (Fig. 8)", "8")
def _baselines_find_none(measured: Measured) -> tuple[str, bool]:
    found = [at(measured["8"], name, "top10", d=2000.0) for name in ("PrivKVM", "KVUE")]
    return f"PrivKVM {percent(found[0])}, KVUE {percent(found[1])}", max(found) <= 0.2


@_claim("Top 20 at ε = 5, d = 2000: PCKV-UE 95 %, PCKV-GRR 85 % (Fig. 8)", "8")
def _precision_top_20(measured: Measured) -> tuple[str, bool]:
    ue, grr = (at(measured["8"], name, "top20", d=2000.0) for name in ("PCKV-UE", "PCKV-GRR"))
    return f"PCKV-UE {percent(ue)}, PCKV-GRR {percent(grr)}", abs(ue - 0.95) <= 0.1 and abs(grr - 0.85) <= 0.1


@_claim("Both tight allocations beat the naive one (Fig. 9)", "9")
def _tight_beats_naive(measured: Measured) -> tuple[str, bool]:
    points = measured["9"]
    lost = [
        f"{mechanism} {quantity} at ε {e:g}"
        for mechanism, quantity, e, tight in product(
            ("PCKV-UE", "PCKV-GRR"),
            ("frequency", "mean"),
            (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
            ("optimized", "non-optimized"),
        )
        if at(points, f"{mechanism}, {tight}", quantity, ε=e) > at(points, f"{mechanism}, naive", quantity, ε=e)
    ]
    return ("in every comparison from ε 1 on" if not lost else f"not for {', '.join(lost)}"), not lost


def _allocation_gap(quantity: str, gap: float, tolerance: float) -> Check:
    def check(measured: Measured) -> tuple[str, bool]:
        plain, best = (
            at(measured["9"], f"PCKV-UE, {allocation}", quantity, ε=1) for allocation in ("non-optimized", "optimized")
        )
        found = abs(best - plain)
        return f"{found:.2g}", abs(found - gap) <= tolerance

    return check


_claim("At ε = 1 the frequency gap of optimized to non-optimized PCKV-UE is 4e-6 (Fig. 9)", "9")(
    _allocation_gap("frequency", 4e-6, 1e-6)
)
_claim("At ε = 1 the mean gap is 0.08 (Fig. 9)", "9")(_allocation_gap("mean", 0.08, 0.02))


@_claim("With a short padding PCKV-UE is best (Fig. 10a-c)", "10a", "10b")
def _ue_best_when_short(measured: Measured) -> tuple[str, bool]:
    wins, cells = 0, 0
    for figure in ("10a", "10b", "10c"):
        if figure in measured:
            for quantity in ("frequency", "mean"):
                for e in (1.0, 2.0, 3.0, 4.0, 5.0):
                    ue = at(measured[figure], "PCKV-UE", quantity, ε=e)
                    others = [at(measured[figure], name, quantity, ε=e) for name in ("PrivKVM", "KVUE", "PCKV-GRR")]
                    wins, cells = wins + (ue <= min(others)), cells + 1
    return f"PCKV-UE is best in {wins} of {cells} comparisons at ε 1 to 5", wins >= 0.9 * cells


@_claim("With a long padding PCKV-GRR beats PCKV-UE (Fig. 10d)", "10d")
def _grr_best_when_long(measured: Measured) -> tuple[str, bool]:
    points = measured["10d"]
    ratios = {
        quantity: [
            at(points, "PCKV-UE", quantity, ε=e) / at(points, "PCKV-GRR", quantity, ε=e)
            for e in (1.0, 2.0, 3.0, 4.0, 5.0)
        ]
        for quantity in ("frequency", "mean")
    }
    text = "; ".join(
        f"{quantity} error of PCKV-UE over PCKV-GRR's at ε 1 to 5: {', '.join(f'{ratio:.2f}' for ratio in found)}"
        for quantity, found in ratios.items()
    )
    return text, min(map(min, ratios.values())) > 1


@_claim("Ψ(0.85) ≈ 1 (Fig. 11)")
def _psi(_measured: Measured) -> tuple[str, bool]:
    return f"Ψ(0.85) = {psi(0.85):.3f}", abs(psi(0.85) - 1) < 0.02


@_claim("The crossover rules of section 4.5 tell where PCKV-UE is better", "crossover")
def _crossovers(measured: Measured) -> tuple[str, bool]:
    off = {}
    for epsilon in ("1", "3", "5"):
        ratios = [
            at(measured["crossover"], f"ε = {epsilon}", "frequency", theory=True, padding=float(padding))
            / at(measured["crossover"], f"ε = {epsilon}", "frequency", padding=float(padding))
            for padding in (1, 2, 3, 5, 10, 20, 50, 100)
        ]
        off[epsilon] = max(*ratios, 1 / min(ratios))
    text = ", ".join(f"within {factor:.2f} × at ε {epsilon}" for epsilon, factor in off.items())
    return f"number of keys by the rule against the exact variances at f = 0.01: {text}", max(off.values()) < 1.5


def sampling_term(repeats: int = 20_000, users: int = 1000, seed: int = 0) -> tuple[float, float]:
    """Measured over printed variance of f̂ for ue at ε 4, ℓ 3 and f .5, and what the exact form says."""
    rng = np.random.default_rng(seed)
    dataset = zipf(users, 6, rng, pairs=3, exponent=0.0)
    model, law = SamplingModel(dataset), build("ue", 6, 3, Fraction(4), {})
    moments = CountMoments.of(law.count_law)
    found = np.array(
        [
            unbiased_frequency(count_reports(law, model.draw(3, rng), rng).support, users, moments)
            for _ in range(repeats)
        ]
    )
    a, b, p = map(float, law.probabilities)
    printed = theorem4(a, b, p, padding=3, n=users, f=0.5, m=0).frequency_variance
    return float(found.var(axis=0).mean() / printed), float(moments.frequency_variance(0.5)) / users / printed


@_claim("Theorem 4 gives the variance of f̂ for every padding")
def _missing_term(_measured: Measured) -> tuple[str, bool]:
    measured, exact = sampling_term()
    text = (
        f"at ε 4, ℓ 3, f .5 the measured variance is {measured:.2f} × the printed one; with the sampling term "
        f"f(ℓ-1)/n it would be {exact:.2f} ×"
    )
    return text, math.isclose(measured, 1, rel_tol=0.05)


def verdicts(measured: Measured, _scale: FigureScale) -> list[Verdict]:
    """Every claim whose figures are there."""
    return [
        Verdict(claim.text, *claim.check(measured))
        for claim in CLAIMS
        if all(figure in measured for figure in claim.figures)
    ]
