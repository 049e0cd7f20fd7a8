"""How accurate every mechanism and method is, and `bayes` beside its bars: `accuracy.py DATA [OUT [REPEATS]]`.

Writes docs/accuracy.md, its charts and its cells into OUT. REPEATS, for a quick look, takes the place of all others.
`accuracy.py others` shows the bars for populations that no constant of `bayes` was chosen on, and writes nothing.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from accuracy_page import LABELS, write_page
from pckv.channels import CHANNELS, build
from pckv.estimators.methods.bayes.bayes import learn
from pckv.lab.accuracy import LEVEL, QUANTITIES, MeasuredPopulation, Measurement, measure
from pckv.lab.choices import draw_counts
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import Scale
from pckv.lab.figures.realdata import amazon, clothing, ecommerce, goodbooks
from pckv.lab.populations import gaussian, movielike, uniform, zipf
from pckv.lab.processes import map_in_processes
from pckv.moments import CountMoments

EPSILONS = ("0.5", "1", "2", "3", "4", "5")
# What the bars are about; elsewhere half the repeats show as much as a chart needs.
BAR_EPSILONS = ("0.5", "1", "2", "4")
SEED = 20_261
# The bars: geometric means of errors beside corrected's, the worst cell of the top keys, coverage.
LEAST_GAINS = (3, 1.8, 1.5, 1.5)
MOST_LOST = 1.75
LEAST_COVER = (0.93, 0.93, 0.80, 0.80)
SMALL_KEYS = 100
MANY_KEYS, MANY_USERS = 250_000, 10**6
MOST_SECONDS, MOST_GIGABYTES = 60, 2


class Case(NamedTuple):
    """A population, the padding it is collected with, and how often."""

    make: Callable[[Scale], Dataset]
    padding: int
    repeats: int


CASES = {
    "uniform": Case(lambda _: uniform(100_000, 100, default_rng(SEED + 1)), 1, 50),
    "gaussian": Case(lambda _: gaussian(100_000, 100, default_rng(SEED + 2)), 1, 50),
    "zipf": Case(lambda _: zipf(100_000, 1000, default_rng(SEED + 3)), 1, 50),
    "E-commerce": Case(ecommerce, 1, 20),
    "Clothing": Case(clothing, 2, 20),
    "Goodbooks": Case(goodbooks, 5, 20),
    "Amazon": Case(amazon, 2, 20),
    "movielike": Case(lambda _: movielike(default_rng(SEED + 4)), 100, 20),
}

OTHERS = {
    "uniform, 500 keys": Case(lambda _: uniform(30_000, 500, default_rng(11)), 1, 20),
    "gaussian, 300 keys": Case(lambda _: gaussian(300_000, 300, default_rng(12), key_scale=80), 1, 20),
    "zipf 0.8, 2 pairs": Case(lambda _: zipf(50_000, 3000, default_rng(13), 2, 0.8), 2, 20),
    "zipf 1.5": Case(lambda _: zipf(200_000, 2000, default_rng(14), 1, 1.5), 1, 20),
    "zipf 1.1, 5 pairs": Case(lambda _: zipf(100_000, 1000, default_rng(15), 5, 1.1), 5, 20),
    "zipf 1, 3 pairs": Case(lambda _: zipf(20_000, 20_000, default_rng(16), 3, 1.0), 3, 20),
}


def run(cases: dict[str, Case], scale: Scale, repeats: int | None = None) -> list[Measurement]:
    """All cells, one population after another, so that one is in memory at a time."""
    cells: list[Measurement] = []
    for name, case in cases.items():
        started = time.perf_counter()
        population = MeasuredPopulation(case.make(scale), case.padding)
        jobs = [
            (mechanism, epsilon, repeats or (case.repeats if epsilon in BAR_EPSILONS else case.repeats // 2))
            for mechanism in CHANNELS
            for epsilon in EPSILONS
        ]
        measured = map_in_processes(partial(_measure, population), jobs, os.cpu_count() or 1)
        found = list(track(measured, name, total=len(jobs)))
        cells += [Measurement(**{**cell.to_dict(), "data": name}) for cell in found]
        print(f"{name}: {time.perf_counter() - started:.0f} s")
    return cells


def _measure(population: MeasuredPopulation, mechanism: str, epsilon: str, repeats: int) -> Measurement:
    return measure(population, mechanism, epsilon, repeats, SEED)


class Bar(NamedTuple):
    """What must hold, what was measured, and whether it does."""

    what: str
    bar: str
    measured: str
    holds: bool


def bars(cells: list[Measurement]) -> list[Bar]:
    """The bars of `bayes` against `corrected`."""
    counted = [cell for cell in cells if cell.epsilon in BAR_EPSILONS]
    gains = 1 / np.exp(np.mean([np.log(cell.ratio) for cell in counted], axis=0))
    found = [
        Bar(f"{label}: geometric mean", f"≥ {least} × lower", f"{gain:.2f} ×", bool(gain >= least))
        for label, least, gain in zip(LABELS, LEAST_GAINS, gains, strict=True)
    ]
    for place in range(len(QUANTITIES)):
        found.append((_worst_ratio if "top" in QUANTITIES[place] else _worst_bound)(counted, place))
        found.append(_least_cover(counted, place))
    return found


def _least_cover(cells: list[Measurement], place: int) -> Bar:
    covers = {
        name: float(np.mean([cell.cover[place] for cell in cells if cell.data == name]))
        for name in dict.fromkeys(cell.data for cell in cells)
    }
    name, least = min(covers, key=lambda each: covers[each]), LEAST_COVER[place]
    return Bar(
        f"{LABELS[place]}: coverage of 95 % intervals, worst population",
        f"≥ {least:.0%}",
        f"{covers[name]:.1%} ({name})",
        covers[name] >= least,
    )


def _worst_ratio(cells: list[Measurement], place: int) -> Bar:
    worst = max(cells, key=lambda cell: cell.ratio[place])
    return Bar(
        f"{LABELS[place]}: worst cell",
        f"≤ {MOST_LOST} × higher",
        f"{worst.ratio[place]:.2f} × ({_name(worst)})",
        worst.ratio[place] <= MOST_LOST,
    )


def _worst_bound(cells: list[Measurement], place: int) -> Bar:
    def beyond(cell: Measurement) -> float:
        return cell.bound[place] - (1.05 if cell.keys <= SMALL_KEYS else 1.02)

    worst = max(cells, key=beyond)
    return Bar(
        f"{LABELS[place]}: upper 95 % bound of the ratio, worst cell",
        "< 1.02 (1.05 for d ≤ 100)",
        f"{worst.bound[place]:.3f} ({_name(worst)})",
        beyond(worst) < 0,
    )


def _name(cell: Measurement) -> str:
    return f"{cell.data}, {cell.mechanism}, ε {cell.epsilon}"


def many_keys() -> Bar:
    """What very many keys take, from their counts to estimates and intervals."""
    rng = default_rng(SEED)
    weights = np.arange(1, MANY_KEYS + 1) ** -1.1
    holders = rng.binomial(MANY_USERS, weights / weights.sum())
    law = build("ue", MANY_KEYS, 1, Fraction(1), {}).count_law
    support = draw_counts(law, MANY_USERS, holders, rng.uniform(-0.9, 0.9, MANY_KEYS), rng)
    start = time.perf_counter()
    found = learn(support, MANY_USERS, CountMoments.of(law))
    found.estimates()
    found.intervals(LEVEL)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Bar(
        f"{MANY_KEYS:,} keys: estimates and intervals",
        f"< {MOST_SECONDS} s, {MOST_GIGABYTES} GB",
        f"{seconds:.1f} s, {peak:.2f} GB in the whole process",
        seconds < MOST_SECONDS and peak < MOST_GIGABYTES,
    )


def show(found: list[Bar]) -> None:
    """Print bars."""
    for bar in found:
        print(f"{'ok    ' if bar.holds else 'MISSED'} {bar.what}: {bar.measured} ({bar.bar})")


def main() -> None:
    """Run all cells, print the bars, write the page."""
    if sys.argv[1:] == ["others"]:
        show(bars(run(OTHERS, Scale())))
        return
    data, out, *repeats = [*sys.argv[1:], "docs"] if len(sys.argv[1:]) == 1 else sys.argv[1:]
    started, scaled = time.perf_counter(), many_keys()
    cells = run(CASES, Scale(data=Path(data)), int(repeats[0]) if repeats else None)
    found = [*bars(cells), scaled]
    show(found)
    folder = Path(out)
    (folder / "accuracy").mkdir(parents=True, exist_ok=True)
    (folder / "accuracy" / "cells.json").write_text(
        "[\n" + ",\n".join(json.dumps(cell.to_dict()) for cell in cells) + "\n]\n", encoding="utf-8"
    )
    write_page(folder, cells, found)
    print(f"{(time.perf_counter() - started) / 60:.1f} minutes in all")


if __name__ == "__main__":
    main()
