"""What postprocessing `consistent` gains on the same counts: the tables of docs/appendix/consistency.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from experiments.settings import ExperimentSettings
from pckv.estimators.methods.registry import CONSISTENT, METHODS, make_consistent, unclipped_frequency
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import uniform, zipf
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

EPSILONS = ("0.5", "1", "2", "4")
MECHANISMS = ("grr", "ue-compact", "ue", "collision")
TOP, SEED, REPEATS = 50, 20_262, 20
# Gains from here on are printed without decimals.
LARGE = 10
PARTS = ("corrected", "bayes")


class PaddedPopulation(NamedTuple):
    """A population, its sampling model and the padding it is collected with."""

    name: str
    dataset: Dataset
    model: SamplingModel
    padding: int


def populations(clothing: Dataset) -> Iterator[PaddedPopulation]:
    """Yield synthetic populations from fixed seeds, and a real one."""
    for name, dataset, padding in (
        ("uniform, 100 keys", uniform(100_000, 100, default_rng(SEED + 1)), 1),
        ("zipf, 1,000 keys", zipf(100_000, 1000, default_rng(SEED + 2)), 1),
        ("zipf, 3 pairs", zipf(100_000, 1000, default_rng(SEED + 3), pairs=3), 5),
        ("Clothing", clothing, 2),
    ):
        yield PaddedPopulation(f"{name}, padding {padding}", dataset, SamplingModel(dataset), padding)


def measure(population: PaddedPopulation, mechanism: str, epsilon: str, method: str, repeats: int) -> np.ndarray:
    """Return squared errors of frequencies: repeats × (all keys, top keys) × (without, with `consistent`)."""
    dataset, padding, users = population.dataset, population.padding, population.dataset.users
    law = build(mechanism, dataset.keys, padding, Fraction(epsilon), {})
    errors = []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support, dummies, count_law = count_reports(law, population.model.prepare(law, rng), rng)
        moments = CountMoments.of(count_law)
        before = METHODS[method].estimate(support, users, moments)[0]
        unclipped = unclipped_frequency(method, before, support, users, moments)
        after = make_consistent(unclipped, dummies, users, moments, padding)
        squared = (np.stack([before, after]) - dataset.truth[0]) ** 2
        errors.append([squared[:, dataset.top(keys)].mean(axis=1) for keys in (None, TOP)])
    return np.array(errors)


def gain(errors: np.ndarray) -> str:
    """Return how many times lower the second error is, with its standard error over the paired repeats."""
    before, after = errors.T
    ratio = before.mean() / after.mean()
    residual = before - ratio * after
    spread = residual.std(ddof=1) / len(residual) ** 0.5 / after.mean()
    digits = 2 if ratio < LARGE else 0
    return f"{ratio:.{digits}f} ±{spread:.{digits}f}"


def show(method: str, clothing: Dataset, repeats: int) -> None:
    """Print the gains of `consistent` for one method."""
    table = Table(title=f"{method}+{CONSISTENT}: frequency errors × lower than {method}", box=MARKDOWN)
    heads = [f"{keys}, ε {epsilon}" for keys in ("all", f"top {TOP}") for epsilon in EPSILONS]
    for head in ("population", "mechanism", *heads):
        table.add_column(head)
    for population in populations(clothing):
        for mechanism in MECHANISMS:
            errors = [measure(population, mechanism, epsilon, method, repeats) for epsilon in EPSILONS]
            gains = (gain(each[:, keys]) for keys in (0, 1) for each in errors)
            table.add_row(population.name, mechanism, *gains)
    Console(width=170).print(table)


def run(settings: ExperimentSettings) -> bool:
    """Print a table per method."""
    columns = Columns("user", "item", "rating")
    clothing = read_ratings(settings.data / "pckv_clothing_fit.parquet", columns, repeated="last")
    for method in settings.parts or PARTS:
        show(method, clothing, settings.repeats or REPEATS)
    return True
