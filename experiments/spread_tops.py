"""`bayes` relative to `corrected` where the most frequent keys are well measured, and few are alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.measured_errors import standard_errors
from experiments.settings import Requirement
from pckv.base.arrays import Floats
from pckv.estimators.linear import corrected
from pckv.estimators.methods.bayes import bayes
from pckv.lab.counting import draw_counts
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.registry import LAWS, build
from pckv.statistics.moments import CountMoments

SEED, REPEATS = 20_283, 40
MANY_REPORTS = 10**6
# Reports and ε: ranks 2 to 10 at ε = 4, and the top 10 with many reports.
SETTINGS = ((10**4, "4"), (10**5, "4"), (MANY_REPORTS, "4"), (MANY_REPORTS, "2"), (MANY_REPORTS, "1"))
MAX_RATIO = 1.05
# A key stands clear if its frequency is this many standard errors above that of the median key.
CLEAR = 6
_RANK = np.arange(1.0, 2_001)


def _steps(*steps: tuple[int, float]) -> Floats:
    """Return equal weights of as many keys as each step says."""
    return np.concatenate([np.full(keys, weight) for keys, weight in steps])


# How many hold each key, relative to the others. Fixed before anything was chosen.
POPULATIONS: dict[str, Floats] = {
    "Zipf 0.6": _RANK[:1_000] ** -0.6,
    "Zipf 1": _RANK[:500] ** -1,
    "Zipf 1.5": _RANK**-1.5,
    "Zipf 2": _RANK[:300] ** -2,
    "six above a flat tail": np.append([70, 60, 50, 40, 30, 20], np.ones(800)),
    "falling to a flat tail": np.append(np.linspace(40, 7, 12), np.ones(1_000)),
    "steps": _steps((5, 32), (20, 8), (100, 2), (400, 1)),
    "two clusters": np.append(
        30 * default_rng(SEED).uniform(0.9, 1.1, 15), default_rng(SEED + 1).uniform(0.9, 1.1, 600)
    ),
}


class SpreadTop(NamedTuple):
    """One setting: squared errors of `bayes` relative to `corrected`, with the standard error of the second.

    For all keys, for the top 10 with 10^6 reports and ranks 2 to 10 with fewer, and for those of them that
    stand clear of the median key; nan if none does.
    """

    population: str
    reports: int
    epsilon: str
    mechanism: str
    every: float
    top: float
    spread: float
    clear: float


def measure_spread_tops(repeats: int | None) -> list[SpreadTop]:
    """Measure all settings: each person holds one key."""
    jobs = [
        (name, reports, epsilon, mechanism, repeats or REPEATS)
        for name in POPULATIONS
        for reports, epsilon in SETTINGS
        for mechanism in LAWS
    ]
    results = map_in_processes(measure_setting, jobs, os.cpu_count() or 1)
    return list(track(results, "spread tops", total=len(jobs)))


def measure_setting(name: str, reports: int, epsilon: str, mechanism: str, repeats: int) -> SpreadTop:
    """Draw counts from the exact law of single keys, and compare both methods."""
    weights = POPULATIONS[name]
    count_law = build(mechanism, weights.size, 1, Fraction(epsilon), {}).count_law
    moments, chances = CountMoments.of(count_law), weights / weights.sum()
    first = int(reports < MANY_REPORTS)
    rows = []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        holders = rng.multinomial(reports, chances)
        support = draw_counts(count_law, reports, holders, rng.uniform(-0.9, 0.9, weights.size), rng)
        truth: Floats = holders / reports
        group = np.argsort(-truth, kind="stable")[first:10]
        error = np.sqrt(moments.frequency_variance(truth[group]) / reports)
        clear = group[truth[group] - np.median(truth) >= CLEAR * error]
        squares = [(method(support, reports, moments)[0] - truth) ** 2 for method in (corrected, bayes)]
        rows.append([[each.mean(), each[group].sum(), each[clear].sum()] for each in squares])
    own, ours = np.array(rows).transpose(1, 0, 2)
    every, top, clear_ratio = (
        float(mine.mean() / theirs.mean()) if theirs.any() else np.nan
        for mine, theirs in zip(ours.T, own.T, strict=True)
    )
    spread = float(standard_errors(ours[:, 1] - top * own[:, 1]) / own[:, 1].mean())
    return SpreadTop(name, reports, epsilon, mechanism, every, top, spread, clear_ratio)


def spread_requirements(cells: Sequence[SpreadTop]) -> list[Requirement]:
    """Return what must hold of the most frequent keys, and of those that stand clear."""
    settings = f"{len(cells)} settings"
    return [
        _worst(cells, f"spread tops, {settings}: squared error relative to `corrected`", lambda cell: cell.top),
        _worst(cells, f"the same, keys {CLEAR} standard errors above the median", lambda cell: cell.clear),
    ]


def _worst(cells: Sequence[SpreadTop], what: str, ratio: Callable[[SpreadTop], float]) -> Requirement:
    measured = [cell for cell in cells if not np.isnan(ratio(cell))]
    worst = max(measured, key=ratio)
    above = sum(ratio(cell) > MAX_RATIO for cell in measured)
    where = f"{worst.population}, {worst.mechanism}, {worst.reports:,} reports, ε {worst.epsilon}"
    return Requirement(
        what, f"≤ {MAX_RATIO}", f"above in {above} of {len(measured)}, worst {ratio(worst):.2f} ({where})", not above
    )


def spread_table(cells: Sequence[SpreadTop]) -> str:
    """Return a row per population and setting: geometric means over the mechanisms, and the worst of them."""
    lines = [
        "| population | reports | ε | top | worst mechanism | stand clear | all keys |\n",
        "|---|" + "---:|" * 6 + "\n",
    ]
    for name, reports, epsilon in dict.fromkeys((cell.population, cell.reports, cell.epsilon) for cell in cells):
        same = [cell for cell in cells if (cell.population, cell.reports, cell.epsilon) == (name, reports, epsilon)]
        worst = max(same, key=lambda cell: cell.top)
        numbers = [_together(same, "top"), f"{worst.top:.2f} ± {worst.spread:.2f}"]
        numbers += [_together(same, "clear"), _together(same, "every")]
        lines.append(f"| {name} | {reports:,} | {epsilon} | {' | '.join(numbers)} |\n")
    every = float(np.exp(np.mean([np.log(cell.every) for cell in cells])))
    lines.append(f"\nOver all keys, the geometric mean of the {len(cells)} settings is {every:.3f}.\n")
    return "".join(lines)


def _together(cells: Sequence[SpreadTop], quantity: str) -> str:
    """Return the geometric mean of those that are numbers."""
    logarithms = np.log([getattr(cell, quantity) for cell in cells])
    return "none" if np.isnan(logarithms).all() else f"{np.exp(np.nanmean(logarithms)):.2f}"
