"""Populations whose values depend on how many pairs a person holds, and tasks of authors who know little of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from pckv import Task
from pckv.base.arrays import Floats, Integers
from pckv.base.population import Population
from pckv.lab.dataset import Dataset
from pckv.lab.populations import weighted_sets

# What the author of a task says of the number of pairs, relative to the right average.
HINTS: dict[str, float | None] = {"right": 1.0, "a third": 1 / 3, "three times": 3.0, "missing": None}


def _people(name: str, sizes: Integers, weights: Floats, rng: Generator, slope: float) -> Dataset:
    """Return people whose values rise by `slope` from the smallest set to the largest, or fall."""
    made = weighted_sets(name, sizes, weights, rng)
    return _with_values(made, rng, slope)


def _with_values(made: Dataset, rng: Generator, slope: float) -> Dataset:
    people = made.population
    own = np.repeat(people.sizes / max(int(people.sizes.max()), 1) - 0.5, people.sizes)
    means = rng.uniform(-0.3, 0.3, made.keys)
    values = np.clip(means[people.keys] + slope * own + rng.normal(0, 0.2, own.size), -1, 1)
    return Dataset(made.name, Population(people.offsets, people.keys, values), made.keys, -1.0, 1.0)


def _zipf(keys: int, exponent: float = 1.0) -> Floats:
    return np.asarray(np.arange(1.0, keys + 1) ** -exponent)


def _rising(rng: Generator) -> Dataset:
    """20,000 people hold 1 to 20 of 50 keys; values rise with the number of pairs."""
    sizes = np.minimum(rng.geometric(0.3, 20_000), 20)
    return _people("rising", sizes, _zipf(50), rng, 1.4)


def _heavy(rng: Generator) -> Dataset:
    """20,000 people and 60 keys; one in ten holds 20 pairs, of keys that others hold rarely, and gives high values."""
    keys, is_heavy = 60, rng.binomial(1, 0.1, 20_000) > 0
    light = weighted_sets("", np.where(is_heavy, 0, rng.integers(1, 4, is_heavy.size)), _zipf(keys), rng)
    heavy = weighted_sets("", np.where(is_heavy, 20, 0), _zipf(keys)[::-1].copy(), rng)
    sizes = light.population.sizes + heavy.population.sizes
    offsets = np.append(0, np.cumsum(sizes))
    held = np.empty(offsets[-1], np.int32)
    for part in (light, heavy):
        held[np.repeat(part.population.sizes > 0, sizes)] = part.population.keys
    people = Population(offsets, held, np.zeros(held.size))
    return _with_values(Dataset("heavy", people, keys, -1.0, 1.0), rng, 1.4)


def _empty(rng: Generator) -> Dataset:
    """Half of 20,000 people hold nothing, the others 1 to 8 of 40 keys; values rise."""
    sizes = rng.binomial(1, 0.5, 20_000) * rng.integers(1, 9, 20_000)
    return _people("empty", sizes, _zipf(40), rng, 1.2)


def _few(rng: Generator) -> Dataset:
    """3,000 people hold 1 to 5 of 6 keys, all alike; values fall."""
    return _people("few", rng.integers(1, 6, 3_000), np.ones(6), rng, -1.6)


def _flat(rng: Generator) -> Dataset:
    """50,000 people hold 1 to 9 of 200 keys, all alike; values rise."""
    return _people("flat", rng.integers(1, 10, 50_000), np.ones(200), rng, 1.4)


def _dominating(rng: Generator) -> Dataset:
    """Most of 20,000 people hold one of 50 keys, six in ten hold no other, the others up to 12; values fall."""
    sizes = np.where(rng.binomial(1, 0.6, 20_000) > 0, 1, rng.integers(2, 13, 20_000))
    weights = np.append(40.0, _zipf(49))
    return _people("dominating", sizes, weights, rng, -1.6)


def _independent(rng: Generator) -> Dataset:
    """20,000 people hold 1 to 5 of 100 keys; values do not depend on it."""
    return _people("independent", rng.integers(1, 6, 20_000), _zipf(100), rng, 0.0)


def _nested(rng: Generator) -> Dataset:
    """20,000 people hold the first 1 to 60 of 60 keys, half of them at most 4: the larger a set, the rarer its keys."""
    sizes = np.minimum(rng.geometric(0.15, 20_000), 60)
    keys = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    people = Population(np.append(0, np.cumsum(sizes)), keys.astype(np.int32), np.zeros(keys.size))
    return _with_values(Dataset("nested", people, 60, -1.0, 1.0), rng, 1.0)


def _lone(rng: Generator) -> Dataset:
    """Nine in ten of 20,000 people hold one of 100 keys, the others 10 to 30."""
    sizes = np.where(rng.binomial(1, 0.9, 20_000) > 0, 1, rng.integers(10, 31, 20_000))
    return _people("lone", sizes, _zipf(100), rng, 1.0)


def _mostly_empty(rng: Generator) -> Dataset:
    """Nine in ten of 20,000 people hold nothing, the others 5 to 15 of 80 keys."""
    sizes = rng.binomial(1, 0.1, 20_000) * rng.integers(5, 16, 20_000)
    return _people("mostly empty", sizes, _zipf(80), rng, 1.0)


POPULATIONS: dict[str, Callable[[Generator], Dataset]] = {
    "rising": _rising,
    "heavy": _heavy,
    "empty": _empty,
    "few": _few,
    "flat": _flat,
    "dominating": _dominating,
    "independent": _independent,
}
# Where a second bound of what larger sets hide matters: of frequencies.
LARGER_SETS: dict[str, Callable[[Generator], Dataset]] = {
    "nested": _nested,
    "lone": _lone,
    "mostly empty": _mostly_empty,
}


def make_hinted_task(dataset: Dataset, epsilon: str, hint: str) -> Task:
    """Return the task that an operator makes who says this of the number of pairs."""
    part = HINTS[hint]
    average = float(dataset.population.sizes.mean())
    pairs = None if part is None else float(np.clip(round(part * average, 1), 1, dataset.keys))
    return Task(name="means", keys=dataset.keys, values=(-1, 1), epsilon=epsilon, pairs=pairs, users=dataset.users)
