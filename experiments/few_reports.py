"""`bayes` relative to `corrected` from 1 to 10^9 reports and 2^20 keys, and sums of frequencies."""

from __future__ import annotations

import os
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
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

SEED, REPEATS = 20_282, 20
MECHANISMS, EPSILONS = ("grr", "ue-compact", "collision"), ("1", "4")
REPORTS = (1, 10, 100, 1_000, 10**4, 10**5, 10**7, 10**9)
KEYS = (1, 2, 5, 8, 20, 100, 1_000, 2**14, 2**20)
# Frequencies are powers of the rank: by Zipf's law, and equal.
POWERS = (-1, 0)
# Small cases vary the most and cost the least.
MORE_REPEATS, FEW_KEYS = 100, 100
MAX_RATIO, MAX_SUM, MIN_REPORTS = 1.05, 1.1, 100


class FewReports(NamedTuple):
    """One setting: the error over all keys relative to that of `corrected`, with its standard error.

    `total` is the sum of the estimates; that of the frequencies is 1.
    """

    mechanism: str
    epsilon: str
    reports: int
    keys: int
    power: int
    ratio: float
    spread: float
    total: float


def measure_few(repeats: int | None) -> list[FewReports]:
    """Measure all settings: each person holds one key."""
    jobs = [
        (mechanism, epsilon, reports, (keys, power), repeats)
        for mechanism in MECHANISMS
        for epsilon in EPSILONS
        for reports in REPORTS
        for keys in KEYS
        for power in POWERS
    ]
    results = map_in_processes(measure_setting, jobs, os.cpu_count() or 1)
    return list(track(results, "few reports", total=len(jobs)))


def measure_setting(
    mechanism: str, epsilon: str, reports: int, population: tuple[int, int], repeats: int | None
) -> FewReports:
    """Draw counts and compare both methods; a population is a number of keys and a power of ranks."""
    keys, power = population
    count_law = build(mechanism, keys, 1, Fraction(epsilon), {}).count_law
    moments = CountMoments.of(count_law)
    weights = np.arange(1.0, keys + 1) ** power
    rows = []
    for repeat in range(repeats or (MORE_REPEATS if keys <= FEW_KEYS else REPEATS if keys < KEYS[-1] else 3)):
        rng = default_rng([SEED, repeat])
        holders = rng.multinomial(reports, weights / weights.sum())
        support = draw_counts(count_law, reports, holders, rng.uniform(-1, 1, keys), rng)
        truth: Floats = holders / reports
        frequency = bayes(support, reports, moments)[0]
        own = corrected(support, reports, moments)[0]
        squares = (((estimate - truth) ** 2).mean() for estimate in (own, frequency))
        rows.append([*squares, frequency.sum()])
    table = np.array(rows)
    own, ours, total = table.mean(axis=0)
    # Where the paper's method knows the truth, as that all people hold the only key, so must ours.
    ratio = ours / own if own else float(ours > 0) + 1
    spread = float(standard_errors(table[:, 1] - ratio * table[:, 0]) / own) if own else 0.0
    return FewReports(mechanism, epsilon, reports, keys, power, ratio, spread, total)


def few_requirements(cells: list[FewReports]) -> list[Requirement]:
    """Return what must hold for few reports and for many."""
    worst = max(cells, key=lambda cell: cell.ratio)
    enough = [cell for cell in cells if cell.reports >= MIN_REPORTS]
    largest = max(enough, key=lambda cell: cell.total)
    beyond = sum(cell.total > MAX_SUM for cell in enough)
    return [
        Requirement(
            f"{len(cells)} settings of few and many reports and keys: error relative to `corrected`, worst",
            f"≤ {MAX_RATIO}",
            f"{worst.ratio:.2f} ± {worst.spread:.2f} ({_name(worst)})",
            worst.ratio <= MAX_RATIO,
        ),
        Requirement(
            f"sum of the frequencies, which is 1, from {MIN_REPORTS} reports on",
            f"≤ {MAX_SUM}",
            f"above in {beyond} of {len(enough)}, up to {largest.total:,.4g} ({_name(largest)})",
            not beyond,
        ),
    ]


def _name(cell: FewReports) -> str:
    shape = "" if cell.power else "equal "
    return f"{cell.mechanism}, ε {cell.epsilon}, {cell.reports:,} reports, {cell.keys:,} {shape}keys"
