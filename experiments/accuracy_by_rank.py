"""`bayes` by the rank of the key, on populations that no constant was chosen on: docs/appendix/accuracy-by-rank.md.

The part *few* has from 1 to 10^9 reports and from 1 to 2^20 keys. With some parts only, bars are printed and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.few_reports import FewReports, few_requirements, measure_few
from experiments.measured_errors import MeasuredPopulation, oracle, standard_errors
from experiments.rank_page import write_page
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv.base.arrays import Floats
from pckv.estimators.linear import corrected
from pckv.estimators.methods.bayes import learn
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import amazon
from pckv.lab.populations import weighted_sets
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.registry import LAWS, build
from pckv.statistics.moments import CountMoments

SEED = 20_281
EPSILONS = ("0.5", "1", "2", "4")
METHODS = ("corrected", "bayes", "oracle")
# Groups of keys by the rank of their true frequency: the first, and the end.
GROUPS = {
    "all keys": (0, None),
    "top 50": (0, 50),
    "top 10": (0, 10),
    "rank 1": (0, 1),
    "ranks 2 to 10": (1, 10),
    "ranks 11 to 50": (10, 50),
    "the rest": (50, None),
}
FEW = "few"
# How many times lower errors must be than those of `corrected`, in the geometric mean; and in the worst cell.
MIN_GAINS = {("frequency", "all keys"): 4.5, ("mean", "all keys"): 2.7}
MIN_GAINS |= {("frequency", "top 50"): 3.0, ("frequency", "top 10"): 2.4}
MIN_WORST = {"top 50": 0.85, "top 10": 0.65, "rank 1": 0.5}


class RankedPopulation(NamedTuple):
    """A population, the padding it is collected with, and the number of repeats."""

    make: Callable[[FigureScale], Dataset]
    padding: int
    repeats: int


class RankErrors(NamedTuple):
    """One mechanism at one ε on one population.

    `frequency` and `mean` are mean squared errors, one row per method and one column per group of `GROUPS`; `spread` are
    the standard errors of how many times lower the frequency's are with `bayes` than with `corrected`.
    """

    data: str
    mechanism: str
    epsilon: str
    repeats: int
    frequency: Floats
    mean: Floats
    spread: Floats

    def gain(self, quantity: str, group: str, method: str = "bayes") -> float:
        """Return how many times lower the error of a method is than that of `corrected`."""
        errors: Floats = getattr(self, quantity)[:, list(GROUPS).index(group)]
        return float(errors[0] / errors[METHODS.index(method)])


def _weighted(users: int, pairs: int, weights: Floats, seed: int) -> Callable[[FigureScale], Dataset]:
    sizes = np.full(users, pairs)
    return lambda _: weighted_sets("", sizes, weights, default_rng(SEED + seed))


def _few_sets(_: FigureScale) -> Dataset:
    rng = default_rng(SEED + 8)
    return weighted_sets("", rng.integers(1, 4, 5_000), 1 / np.arange(3.0, 23.0), rng)


def _raised(keys: int, first: int, weight: float) -> Floats:
    """Return equal weights but for the first keys, which have a larger one."""
    return np.append(np.full(first, weight), np.ones(keys - first))


_ORDER = np.arange(30_000.0)
CASES = {
    "geometric": RankedPopulation(_weighted(60_000, 1, 0.97 ** _ORDER[:200], 1), 1, 200),
    "two classes": RankedPopulation(_weighted(150_000, 2, _raised(400, 40, 8), 2), 2, 200),
    "log-normal": RankedPopulation(
        _weighted(80_000, 1, default_rng(SEED).lognormal(0, 1.5, 5_000), 3), 1, 40
    ),
    "one leader": RankedPopulation(_weighted(40_000, 1, np.append(25, 1.5 - _ORDER[1:600] / 600), 4), 1, 200),
    "Zipf-Mandelbrot": RankedPopulation(_weighted(250_000, 4, (_ORDER + 10) ** -1.05, 5), 4, 20),
    "zipf 0.6": RankedPopulation(_weighted(30_000, 3, (_ORDER[:800] + 1) ** -0.6, 6), 3, 200),
    "ten of many": RankedPopulation(_weighted(100_000, 1, _raised(2_000, 10, 35), 7), 1, 40),
    "20 keys": RankedPopulation(_few_sets, 3, 200),
    "zipf 1.3": RankedPopulation(_weighted(3_000, 1, (_ORDER[:500] + 1) ** -1.3, 9), 1, 200),
    "Amazon": RankedPopulation(amazon, 2, 20),
}
PARTS = (*CASES, FEW)


def run(settings: ExperimentSettings) -> bool:
    """Run all cells, print the bars and write the page; return whether all bars are met."""
    chosen = settings.parts or PARTS
    cells = [
        cell
        for name in chosen
        if name != FEW
        for cell in run_population(name, CASES[name], FigureScale(data=settings.data), settings.repeats)
    ]
    few: list[FewReports] = measure_few(settings.repeats) if FEW in chosen else []
    requirements = [*(requirements_of(cells) if cells else ()), *(few_requirements(few) if few else ())]
    if not settings.parts:
        write_page(settings.out, cells, few, requirements)
    return show_requirements(requirements)


def run_population(
    name: str, case: RankedPopulation, scale: FigureScale, repeats: int | None
) -> list[RankErrors]:
    """Return the cells of one population."""
    population = MeasuredPopulation(case.make(scale), case.padding)
    jobs = [(mechanism, epsilon) for mechanism in LAWS for epsilon in EPSILONS]
    job = partial(measure_ranks, name, population, repeats or case.repeats)
    results = map_in_processes(job, jobs, os.cpu_count() or 1)
    return list(track(results, name, total=len(jobs)))


def measure_ranks(
    name: str, population: MeasuredPopulation, repeats: int, mechanism: str, epsilon: str
) -> RankErrors:
    """Simulate collections, and give every method the same counts."""
    dataset = population.dataset
    law = build(mechanism, dataset.keys, population.padding, Fraction(epsilon), {})
    errors = []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support, _, count_law = count_reports(law, population.model.prepare(law, rng), rng)
        moments = CountMoments.of(count_law)
        found = (
            corrected(support, dataset.users, moments),
            learn(support, dataset.users, moments).estimates(),
            oracle(population, support, moments),
        )
        errors.append([_by_group(population, *estimates) for estimates in found])
    table = np.array(errors)
    averages = table.mean(axis=0)
    own, ours = table[:, 0, 0], table[:, METHODS.index("bayes"), 0]
    gain = own.mean(axis=0) / ours.mean(axis=0)
    spread = standard_errors(own - gain * ours) / ours.mean(axis=0)
    return RankErrors(name, mechanism, epsilon, repeats, averages[:, 0], averages[:, 1], spread)


def _by_group(population: MeasuredPopulation, frequency: Floats, mean: Floats) -> list[list[float]]:
    """Return mean squared errors of frequency and mean by group; frequencies are those that reports show."""
    ranked = np.argsort(-population.shown, kind="stable")
    held = ranked[population.frequency[ranked] > 0]
    squares = (((frequency - population.shown) ** 2)[ranked], ((mean - population.mean) ** 2)[held])
    return [[_mean(each[first:end]) for first, end in GROUPS.values()] for each in squares]


def _mean(numbers: Floats) -> float:
    return float(numbers.mean()) if numbers.size else np.nan


def requirements_of(cells: list[RankErrors]) -> list[Requirement]:
    """Return what must hold of `bayes` relative to `corrected`."""
    requirements = []
    for (quantity, group), bar in MIN_GAINS.items():
        gain = geometric_mean([cell.gain(quantity, group) for cell in cells])
        requirements.append(
            Requirement(
                f"{quantity}, {group}: geometric mean", f"≥ {bar} × lower", f"{gain:.2f} ×", gain >= bar
            )
        )
    for group, bar in MIN_WORST.items():
        worst = min(cells, key=lambda cell: cell.gain("frequency", group))
        gain, spread = worst.gain("frequency", group), worst.spread[list(GROUPS).index(group)]
        where = f"{worst.data}, {worst.mechanism}, ε {worst.epsilon}"
        requirements.append(
            Requirement(
                f"frequency, {group}: worst of {len(cells)} cells",
                f"≥ {bar} × lower",
                f"{gain:.2f} ± {spread:.2f} ({where})",
                gain >= bar,
            )
        )
    return requirements


def geometric_mean(numbers: list[float]) -> float:
    """Return the geometric mean of those that are numbers."""
    return float(np.exp(np.nanmean(np.log(numbers))))
