"""Every mechanism and method on synthetic and real populations, `bayes` against its bars: docs/appendix/accuracy.md.

Writes the page, its charts and its cells. With some populations only, it prints the bars and writes nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.accuracy_page import LABELS, write_page
from experiments.measured_errors import QUANTITIES, MeasuredErrors, MeasuredPopulation, measure
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import amazon, clothing, ecommerce, goodbooks
from pckv.lab.populations import gaussian, movielike, uniform, zipf
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.registry import LAWS

EPSILONS = ("0.5", "1", "2", "3", "4", "5")
# The bars are about these; for the others, which only the charts show, half the repeats are enough.
BAR_EPSILONS = ("0.5", "1", "2", "4")
SEED = 20_261
# The bars: how many times lower than `corrected`'s the error is in the geometric mean, by quantity; how much higher
# it may be in the worst cell of the top keys; and coverage, by quantity.
MIN_GAINS = (3, 1.8, 1.5, 1.5)
MAX_LOSS = 1.75
MIN_COVERAGE = (0.93, 0.93, 0.80, 0.80)
# The bound of the ratio over all keys, for few keys and for more.
FEW_KEYS, MAX_BOUND_FEW_KEYS, MAX_BOUND = 100, 1.05, 1.02


class AccuracyCase(NamedTuple):
    """A population, the padding it is collected with, and the number of repeats."""

    make: Callable[[FigureScale], Dataset]
    padding: int
    repeats: int


CASES = {
    "uniform": AccuracyCase(lambda _: uniform(100_000, 100, default_rng(SEED + 1)), 1, 50),
    "gaussian": AccuracyCase(lambda _: gaussian(100_000, 100, default_rng(SEED + 2)), 1, 50),
    "zipf": AccuracyCase(lambda _: zipf(100_000, 1000, default_rng(SEED + 3)), 1, 50),
    "E-commerce": AccuracyCase(ecommerce, 1, 20),
    "Clothing": AccuracyCase(clothing, 2, 20),
    "Goodbooks": AccuracyCase(goodbooks, 5, 20),
    "Amazon": AccuracyCase(amazon, 2, 20),
    "movielike": AccuracyCase(lambda _: movielike(default_rng(SEED + 4)), 100, 20),
}

PARTS = tuple(CASES)


def run(settings: ExperimentSettings) -> bool:
    """Run all cells, print the bars and write the page; return whether all bars are met."""
    chosen = {name: CASES[name] for name in settings.parts or CASES}
    cells = run_cells(chosen, FigureScale(data=settings.data), settings.repeats)
    requirements = requirements_of(cells)
    if not settings.parts:
        folder = settings.out / "accuracy"
        folder.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(json.dumps(cell.to_dict()) for cell in cells)
        (folder / "cells.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        write_page(settings.out, cells, requirements)
    return show_requirements(requirements)


def run_cells(
    cases: dict[str, AccuracyCase], scale: FigureScale, repeats: int | None = None
) -> list[MeasuredErrors]:
    """Return all cells; one population after another, so that one is in memory at a time."""
    cells: list[MeasuredErrors] = []
    for name, case in cases.items():
        started = time.perf_counter()
        population = MeasuredPopulation(case.make(scale), case.padding)
        jobs = [
            (mechanism, epsilon, repeats or (case.repeats if epsilon in BAR_EPSILONS else case.repeats // 2))
            for mechanism in LAWS
            for epsilon in EPSILONS
        ]
        results = map_in_processes(partial(_measure, population), jobs, os.cpu_count() or 1)
        measured = list(track(results, name, total=len(jobs)))
        cells += [MeasuredErrors(**{**cell.to_dict(), "data": name}) for cell in measured]
        print(f"{name}: {time.perf_counter() - started:.0f} s")
    return cells


def _measure(population: MeasuredPopulation, mechanism: str, epsilon: str, repeats: int) -> MeasuredErrors:
    return measure(population, mechanism, epsilon, repeats, SEED)


def requirements_of(cells: list[MeasuredErrors]) -> list[Requirement]:
    """Return what must hold of `bayes` relative to `corrected`."""
    barred = [cell for cell in cells if cell.epsilon in BAR_EPSILONS]
    gains = 1 / np.exp(np.mean([np.log(cell.ratio) for cell in barred], axis=0))
    requirements = [
        Requirement(f"{label}: geometric mean", f"≥ {bar} × lower", f"{gain:.2f} ×", bool(gain >= bar))
        for label, bar, gain in zip(LABELS, MIN_GAINS, gains, strict=True)
    ]
    for index, quantity in enumerate(QUANTITIES):
        requirements.append((_worst_ratio if "top" in quantity else _worst_bound)(barred, index))
        requirements.append(_worst_coverage(barred, index))
    return requirements


def _worst_coverage(cells: list[MeasuredErrors], index: int) -> Requirement:
    coverage = {
        name: float(np.mean([cell.cover[index] for cell in cells if cell.data == name]))
        for name in dict.fromkeys(cell.data for cell in cells)
    }
    name, bar = min(coverage, key=lambda name: coverage[name]), MIN_COVERAGE[index]
    return Requirement(
        f"{LABELS[index]}: coverage of 95 % intervals, worst population",
        f"≥ {bar:.0%}",
        f"{coverage[name]:.1%} ({name})",
        coverage[name] >= bar,
    )


def _worst_ratio(cells: list[MeasuredErrors], index: int) -> Requirement:
    worst = max(cells, key=lambda cell: cell.ratio[index])
    return Requirement(
        f"{LABELS[index]}: worst cell",
        f"≤ {MAX_LOSS} × higher",
        f"{worst.ratio[index]:.2f} × ({_name(worst)})",
        worst.ratio[index] <= MAX_LOSS,
    )


def _worst_bound(cells: list[MeasuredErrors], index: int) -> Requirement:
    def excess(cell: MeasuredErrors) -> float:
        return cell.bound[index] - (MAX_BOUND_FEW_KEYS if cell.keys <= FEW_KEYS else MAX_BOUND)

    worst = max(cells, key=excess)
    return Requirement(
        f"{LABELS[index]}: upper 95 % bound of the ratio, worst cell",
        f"< {MAX_BOUND} ({MAX_BOUND_FEW_KEYS} for d ≤ {FEW_KEYS})",
        f"{worst.bound[index]:.3f} ({_name(worst)})",
        excess(worst) < 0,
    )


def _name(cell: MeasuredErrors) -> str:
    return f"{cell.data}, {cell.mechanism}, ε {cell.epsilon}"
