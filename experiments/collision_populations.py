"""The populations that the functions of `collision` are judged on, and which of their keys are looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.random import default_rng

from pckv.base.arrays import Integers
from pckv.contract.task import Task
from pckv.files.pairs.rows import Columns
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import movielike, zipf
from pckv.mechanisms.collision.law import CollisionLaw

EPSILONS = ("1", "4")
TOP_KEYS, RARE_KEYS = 50, 100


class JudgedPopulation(NamedTuple):
    """How to make or read a population, given the folder of rating sets, and the padding that suits it."""

    load: Callable[[Path], Dataset]
    padding: int


class LookedAt(NamedTuple):
    """The most frequent keys, and keys at equal distances in rank over the less frequent half."""

    top: Integers
    rare: Integers


def clothing(folder: Path) -> Dataset:
    """Read the ratings of clothes, keys numbered as the file brings them."""
    columns = Columns("user", "item", "rating")
    return read_ratings(folder / "pckv_clothing_fit.parquet", columns, low=2, high=10, repeated="last")


POPULATIONS = {
    "zipf": JudgedPopulation(lambda _: zipf(100_000, 1000, default_rng(1), 5), 5),
    "clothing": JudgedPopulation(clothing, 2),
    "movielike": JudgedPopulation(lambda _: movielike(default_rng(1)), 100),
}


def looked_at(data: Dataset) -> LookedAt:
    """Choose the keys that are looked at."""
    order = data.top(None)
    return LookedAt(order[:TOP_KEYS], at_equal_distances(order[data.keys // 2 :], RARE_KEYS))


def at_equal_distances(keys: Integers, count: int) -> Integers:
    """Return some of the keys at equal distances, or all where there are no more."""
    return keys[np.linspace(0, keys.size - 1, min(count, keys.size)).astype(np.int64)]


def task_for(data: Dataset, padding: int, epsilon: str) -> tuple[Task, CollisionLaw]:
    """Return a task of `collision` for these people, all of whom report pairs, and its law."""
    task = Task(
        name=data.name,
        keys=data.keys,
        values=(data.low, data.high),
        epsilon=epsilon,
        padding=padding,
        mechanism="collision",
        size_share=0,
    )
    return task, cast("CollisionLaw", task.law)
