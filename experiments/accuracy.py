"""Every mechanism and method on many populations, `bayes` against its bars: docs/appendix/accuracy.md.

Writes the page, its charts and its cells. With some populations only, it prints the bars and writes nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.measured_errors import METHODS, QUANTITIES, TOP, MeasuredErrors, MeasuredPopulation, measure
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.charts.estimates import lines_chart, save_chart
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import amazon, clothing, ecommerce, goodbooks
from pckv.lab.populations import gaussian, movielike, uniform, zipf
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.registry import LAWS

PAPER = ("ue", "grr")
LABELS = ("frequency, all keys", "mean, all keys", f"frequency, top {TOP}", f"mean, top {TOP}")
INTRODUCTION = """# Accuracy

How large are the errors of the estimates? This page has the mean squared errors of every mechanism
and method, simulated on three synthetic populations and on real ratings, relative to the paper's
methods and to the best that could be known. `make experiment NAME=accuracy DATA=FOLDER` writes this
page in 12 minutes on two cores, where FOLDER contains the rating sets.

- Frequencies are shares of all people, and means are on [-1, 1]. A mean is compared only for keys
  with holders.
- All methods read the same reports. `baseline` and `corrected` are the paper's methods; its best is
  the better of `ue` and `grr` with `corrected`.
- `oracle` knows the true distributions of frequencies and means: no method that has only the
  reports is better over all keys. It is not optimised for the top keys, and may be worse there.
- Coverage is that of intervals that know how many pairs people hold. By rank and per ε it is in
  [coverage.md](coverage.md).
- `movielike` is synthetic, with the figures of MovieLens 20M. A third of its sets are larger than
  its padding of 100, which no method corrects. Amazon's ratings are known per item and are assigned
  to people at random.

## What must hold

`bayes` relative to `corrected` over all populations and mechanisms at ε = 0.5, 1, 2 and 4.

"""


def write_page(folder: Path, cells: Sequence[MeasuredErrors], requirements: Sequence[Requirement]) -> None:
    """Write the page and its pictures."""
    parts = [INTRODUCTION, requirements_table(requirements)]
    for name in dict.fromkeys(cell.data for cell in cells):
        own = [cell for cell in cells if cell.data == name]
        picture = f"accuracy/{name.lower()}.svg"
        save_chart(_chart(name, own), folder / picture, ".svg")
        parts += _section(name, own, picture)
    parts.append("\n**Next:** [accuracy by rank](accuracy-by-rank.md).\n")
    (folder / "accuracy.md").write_text("".join(parts), encoding="utf-8")


def _section(name: str, cells: list[MeasuredErrors], picture: str) -> Iterator[str]:
    first = cells[0]
    repeats = sorted({cell.repeats for cell in cells})
    worst = max(
        spread / error
        for cell in cells
        for method in ("corrected", "bayes")
        for spread, error in zip(cell.spread[method], cell.errors[method], strict=True)
    )
    yield (
        f"\n## {name}\n\n{first.users:,} people, {first.keys:,} keys, padding {first.padding}; "
        f"{' to '.join(map(str, repeats))} repeats.\nStandard errors of `corrected` and `bayes` are at most "
        f"{worst:.0%} of the number.\n\n![{name}]({picture})\n"
    )
    for index, label in enumerate(LABELS):
        yield f"\n**{label[0].upper()}{label[1:]}**\n\n"
        yield from _table(cells, index)


def _table(cells: list[MeasuredErrors], index: int) -> Iterator[str]:
    epsilons = list(dict.fromkeys(cell.epsilon for cell in cells))
    by_setting = {(cell.mechanism, cell.epsilon): cell for cell in cells}
    yield "| ε | " + " | ".join(epsilons) + " |\n|---|" + "---:|" * len(epsilons) + "\n"
    paper = [_papers_best(cells, epsilon, index) for epsilon in epsilons]
    yield "| the paper's best | " + " | ".join(f"{error:.2e}" for error in paper) + " |\n"
    for mechanism in dict.fromkeys(cell.mechanism for cell in cells):
        for method in METHODS:
            errors = [by_setting[mechanism, epsilon].errors[method][index] for epsilon in epsilons]
            yield f"| {mechanism}, {method} | " + " | ".join(f"{error:.2e}" for error in errors) + " |\n"
    best = [min(cell.errors["bayes"][index] for cell in cells if cell.epsilon == epsilon) for epsilon in epsilons]
    yield "| best `bayes`, × below the paper's best | "
    yield " | ".join(f"**{theirs / ours:.1f}**" for ours, theirs in zip(best, paper, strict=True)) + " |\n"


def _papers_best(cells: Sequence[MeasuredErrors], epsilon: str, index: int) -> float:
    return min(cell.errors["corrected"][index] for cell in cells if cell.epsilon == epsilon and cell.mechanism in PAPER)


def _chart(name: str, cells: list[MeasuredErrors]) -> object:
    """Draw all four errors against ε: the paper's best, every mechanism with bayes, and the best oracle."""
    rows: list[dict[str, object]] = []

    def add(series: str, epsilon: str, errors: Sequence[float], *, theory: bool = False) -> None:
        named = dict(zip(QUANTITIES, errors, strict=True))
        rows.append({"series": series, "ε": float(epsilon), "theory": theory, **named})

    for epsilon in dict.fromkeys(cell.epsilon for cell in cells):
        indices = range(len(QUANTITIES))
        same_epsilon = [cell for cell in cells if cell.epsilon == epsilon]
        add("the paper's best", epsilon, [_papers_best(cells, epsilon, index) for index in indices])
        for cell in same_epsilon:
            add(f"{cell.mechanism}, bayes", epsilon, cell.errors["bayes"])
        best = [min(cell.errors["oracle"][index] for cell in same_epsilon) for index in indices]
        add("oracle", epsilon, best, theory=True)
    first = cells[0]
    return lines_chart(
        rows,
        x="ε",
        panels=dict(zip(QUANTITIES, LABELS, strict=True)),
        title=name,
        subtitle=f"mean squared errors; {first.users:,} people, {first.keys:,} keys, padding {first.padding}",
        columns=2,
    )


EPSILONS = ("0.5", "1", "2", "3", "4", "5")
# The bars are about these; for the others, which only the charts show, half the repeats are enough.
BAR_EPSILONS = ("0.5", "1", "2", "4")
SEED = 20_261
# The bars: how many times lower than `corrected`'s the error is in the geometric mean, by quantity; how much
# higher it may be in the worst cell of the top keys; and coverage, by quantity.
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


def run_cells(cases: dict[str, AccuracyCase], scale: FigureScale, repeats: int | None = None) -> list[MeasuredErrors]:
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
