"""What the postprocessing `consistent` gains on the same counts: `consistency.py DATA [REPEATS]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from pckv.channels import build
from pckv.estimators.methods.registry import METHODS, unclipped_frequency
from pckv.estimators.postprocess import CONSISTENT, full_name, make_consistent
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import count_with_dummies
from pckv.lab.dataset import Dataset
from pckv.lab.datasets import read_ratings
from pckv.lab.populations import uniform, zipf
from pckv.lab.sampling import SamplingModel
from pckv.moments import CountMoments

EPSILONS = ("0.5", "1", "2", "4")
MECHANISMS = ("grr", "ue-compact", "ue", "collision")
TOP, SEED, REPEATS = 50, 20_262, "20"
# Gains from here on are printed without decimals.
LARGE = 10


class Case(NamedTuple):
    """A population, as it is sampled, and the padding it is collected with."""

    name: str
    dataset: Dataset
    model: SamplingModel
    padding: int


def with_paddings(name: str, dataset: Dataset, *paddings: int) -> Iterator[Case]:
    """One population with several paddings."""
    model = SamplingModel(dataset)
    yield from (Case(f"{name}, padding {padding}", dataset, model, padding) for padding in paddings)


def populations(clothing: Dataset) -> Iterator[Case]:
    """Populations made from fixed seeds, and a real one."""
    yield from with_paddings("uniform, 100 keys", uniform(100_000, 100, default_rng(SEED + 1)), 1)
    yield from with_paddings("zipf, 1,000 keys", zipf(100_000, 1000, default_rng(SEED + 2)), 1)
    yield from with_paddings("zipf, 3 pairs", zipf(100_000, 1000, default_rng(SEED + 3), pairs=3), 5)
    yield from with_paddings("Clothing", clothing, 2)


def measure(case: Case, mechanism: str, epsilon: str, method: str, repeats: int) -> np.ndarray:
    """Squared errors of the frequency: repeats × (all keys, top keys) × (without, with `consistent`)."""
    dataset, padding, users = case.dataset, case.padding, case.dataset.users
    channel = build(mechanism, dataset.keys, padding, Fraction(epsilon), {})
    moments = CountMoments.of(channel.count_law)
    found = []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support, dummies = count_with_dummies(channel, case.model.prepare(channel, rng), rng)
        before = METHODS[method].estimate(support, users, moments)[0]
        unclipped = unclipped_frequency(method, before, support, users, moments)
        after = make_consistent(unclipped, dummies, users, moments, padding)
        off = (np.stack([before, after]) - dataset.truth[0]) ** 2
        found.append([off[:, dataset.top(keys)].mean(axis=1) for keys in (None, TOP)])
    return np.array(found)


def gain(errors: np.ndarray) -> str:
    """How many times lower the second error is, with the standard error of that from the paired repeats."""
    before, after = errors.T
    ratio = before.mean() / after.mean()
    left = before - ratio * after
    spread = left.std(ddof=1) / len(left) ** 0.5 / after.mean()
    digits = 2 if ratio < LARGE else 0
    return f"{ratio:.{digits}f} ±{spread:.{digits}f}"


def show(method: str, cases: Iterator[Case], repeats: int) -> None:
    """Print the gains for one method."""
    name = full_name(method, (CONSISTENT,))
    table = Table(title=f"{name}: frequency errors × lower than {method}", box=MARKDOWN)
    heads = [f"{keys}, ε {epsilon}" for keys in ("all", f"top {TOP}") for epsilon in EPSILONS]
    for head in ("population", "mechanism", *heads):
        table.add_column(head)
    for case in cases:
        for mechanism in MECHANISMS:
            errors = [measure(case, mechanism, epsilon, method, repeats) for epsilon in EPSILONS]
            gains = (gain(each[:, keys]) for keys in (0, 1) for each in errors)
            table.add_row(case.name, mechanism, *gains)
    Console(width=170).print(table)


def main() -> None:
    """Print all tables."""
    data, repeats = Path(sys.argv[1]), int((sys.argv[2:] or [REPEATS])[0])
    columns = Columns("user", "item", "rating")
    clothing = read_ratings(data / "pckv_clothing_fit.parquet", columns, repeated="last")
    for method in ("corrected", "bayes"):
        show(method, populations(clothing), repeats)


if __name__ == "__main__":
    main()
