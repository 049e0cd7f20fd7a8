"""How much `bayes` gains over `corrected` on the same counts, beside its bars: `accuracy.py DATA [REPEATS] [MECHANISM...]`."""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.console import Console
from rich.table import Table

from pckv.bulk.rows import Columns
from pckv.channels import build
from pckv.estimators.bayes import learn
from pckv.estimators.corrected import corrected
from pckv.lab.choices import draw_counts
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.datasets import read_dataset
from pckv.lab.populations import gaussian, uniform, zipf
from pckv.lab.sampling import SamplingModel
from pckv.theory import CountMoments

EPSILONS = ("0.5", "1", "2", "4")
TOP = 50
LEVEL = 0.95
SMALL = 100
SEED = 20_261
MANY_KEYS, MANY_USERS = 250_000, 10**6
REPEATS, MECHANISMS = "20", ("ue", "collision")
COLUMNS = Columns("user", "item", "rating")


class Case(NamedTuple):
    """A population and the padding it is collected with."""

    dataset: Dataset
    padding: int


class Row(NamedTuple):
    """One cell: errors of bayes beside those of corrected, their upper bounds, and coverages."""

    name: str
    mechanism: str
    epsilon: str
    small: bool
    ratios: np.ndarray  # frequency, mean; then the same over the top
    upper: np.ndarray
    coverage: np.ndarray


def cases(data: Path) -> Iterator[Case]:
    """The populations, made from fixed seeds."""
    yield Case(uniform(100_000, 100, default_rng(SEED + 1)), 1)
    yield Case(gaussian(100_000, 100, default_rng(SEED + 2)), 1)
    yield Case(zipf(100_000, 1000, default_rng(SEED + 3)), 1)
    yield Case(read_dataset(data / "ecommerce_womens_clothing.parquet", COLUMNS), 1)
    yield Case(read_dataset(data / "pckv_clothing_fit.parquet", COLUMNS, repeated="last"), 2)


def measure(case: Case, model: SamplingModel, mechanism: str, epsilon: str, repeats: int) -> Row:
    """Simulate one cell; both methods read the same counts."""
    dataset = case.dataset
    channel = build(mechanism, dataset.keys, case.padding, Fraction(epsilon), {})
    moments = CountMoments.of(channel.count_law)
    true_frequency, true_mean = dataset.truth
    everything, top = np.arange(dataset.keys), dataset.top(TOP)
    held = [keys[true_frequency[keys] > 0] for keys in (everything, top)]
    ours, theirs, covered = [], [], []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support = count_reports(channel, model.prepare(channel, rng), rng)
        found = learn(support, dataset.users, moments)

        def errors(frequency: np.ndarray, mean: np.ndarray) -> list[float]:
            return [
                float(np.mean((estimate[keys] - truth[keys]) ** 2))
                for own in ((everything, held[0]), (top, held[1]))
                for estimate, truth, keys in zip(
                    (frequency, mean), (true_frequency, true_mean), own, strict=True
                )
            ]

        ours.append(errors(*found.estimates()))
        theirs.append(errors(*corrected(support, dataset.users, moments)))
        inside = [
            (low <= truth) & (truth <= high)
            for (low, high), truth in zip(found.intervals(LEVEL), (true_frequency, true_mean), strict=True)
        ]
        covered.append(
            [inside[0].mean(), inside[1][held[0]].mean(), inside[0][top].mean(), inside[1][top].mean()]
        )
    ratios, upper = paired(np.array(ours), np.array(theirs))
    name = dataset.name.removesuffix(".parquet")[:12]
    return Row(name, mechanism, epsilon, dataset.keys <= SMALL, ratios, upper, np.mean(covered, axis=0))


def paired(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratios of mean errors, and their one-sided 95 % bounds from the paired repeats."""
    ratios = ours.mean(axis=0) / theirs.mean(axis=0)
    if len(ours) == 1:
        return ratios, ratios
    left = ours - ratios * theirs
    error = left.std(axis=0, ddof=1) / math.sqrt(len(ours)) / theirs.mean(axis=0)
    return ratios, ratios + 1.645 * error


def show(rows: list[Row]) -> None:
    """Print the cells and the bars."""
    table = Table(title="errors of corrected beside those of bayes (× lower), coverage at 95 %")
    for head in (
        "data",
        "mechanism",
        "ε",
        "f",
        "m",
        "f top",
        "m top",
        "bound f",
        "bound m",
        "cover f",
        "m",
        "f top",
        "m top",
    ):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            row.mechanism,
            row.epsilon,
            *(f"{1 / ratio:.2f}" for ratio in row.ratios),
            *(f"{bound:.3f}" for bound in row.upper[:2]),
            *(f"{100 * share:.1f}" for share in row.coverage),
        )
    console = Console(width=150)
    console.print(table)
    gains = 1 / np.exp(np.mean([np.log(row.ratios) for row in rows], axis=0))
    worst = np.max([row.ratios for row in rows], axis=0)
    beyond = max(float(row.upper[:2].max()) - (1.05 if row.small else 1.02) for row in rows)
    coverage = np.mean([row.coverage for row in rows], axis=0)
    least = np.min([row.coverage for row in rows], axis=0)
    at_least = (
        ("frequency, all keys, × lower", gains[0], 3),
        ("mean, all keys, × lower", gains[1], 1.8),
        ("frequency, top 50, × lower", gains[2], 1.5),
        ("mean, top 50, × lower", gains[3], 1.5),
        ("cover, frequency, all keys", coverage[0], 0.93),
        ("cover, mean, all keys", coverage[1], 0.93),
        ("least cover, frequency, top 50", least[2], 0.80),
        ("least cover, mean, top 50", least[3], 0.80),
    )
    at_most = (
        ("worst bound, all keys, beyond 1.02 (1.05 if d ≤ 100)", beyond, 0),
        ("worst top-50 cell, frequency, × higher", worst[2], 1.75),
        ("worst top-50 cell, mean, × higher", worst[3], 1.75),
    )
    met = [value >= bar for _, value, bar in at_least] + [value <= bar for _, value, bar in at_most]
    for (what, value, bar), good in zip(at_least + at_most, met, strict=True):
        console.print(f"{'ok    ' if good else 'MISSED'} {what}: {value:.3f} (bar {bar})")


def scale() -> None:
    """Print what very many keys take, from their counts to estimates and intervals."""
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
    print(f"{MANY_KEYS:,} keys: {seconds:.1f} s (bar 60), the whole process {peak:.2f} GB (bar 2)")


def main() -> None:
    """Run all cells."""
    data, repeats, *mechanisms = [*sys.argv[1:2], *(sys.argv[2:] or [REPEATS])]
    rows = []
    for case in cases(Path(data)):
        model = SamplingModel(case.dataset)
        for mechanism in mechanisms or MECHANISMS:
            rows += [measure(case, model, mechanism, epsilon, int(repeats)) for epsilon in EPSILONS]
    show(rows)
    scale()


if __name__ == "__main__":
    main()
