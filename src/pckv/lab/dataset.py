"""A population with what is known about it: keys, range, and the truth to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Floats
from pckv.population import Population


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everybody's pairs, the number of keys and the range of values."""

    name: str
    population: Population
    keys: int
    low: float
    high: float

    @property
    def users(self) -> int:
        """The number of participants."""
        return len(self.population)

    def scaled(self, values: Floats) -> Floats:
        """Values of the data's own range on [-1, 1]."""
        return 2 * (values - self.low) / (self.high - self.low) - 1

    def with_range(self, low: float, high: float) -> Dataset:
        """The same people with their values stretched to another range."""
        values = low + (self.scaled(self.population.values) + 1) / 2 * (high - low)
        people = Population(self.population.offsets, self.population.keys, np.clip(values, low, high))
        return Dataset(self.name, people, self.keys, low, high)

    @cached_property
    def truth(self) -> tuple[Floats, Floats]:
        """The true frequency of every key, and the mean on [-1, 1] (0 where nobody holds it)."""
        frequency, mean = self.population.truth(self.keys)
        return frequency, np.where(frequency > 0, self.scaled(mean), 0.0)

    def sampled_share(self, padding: int) -> Floats:
        """What f̂ estimates: holders of more pairs than the padding count for less."""
        weights = padding / np.maximum(self.population.sizes, padding)
        spread = np.repeat(weights, self.population.sizes)
        return np.asarray(np.bincount(self.population.keys, spread, minlength=self.keys) / max(self.users, 1))

    @property
    def set_sizes(self) -> dict[int, int]:
        """How many users hold how many pairs."""
        sizes, users = np.unique(self.population.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), users.tolist(), strict=True))

    def hidden_share(self, padding: int) -> float:
        """Return by how much a frequency may exceed what reports show: the mean of 1 - ℓ/m over larger sets m."""
        return float(np.mean(1 - padding / np.maximum(self.population.sizes, padding)))

    def top(self, count: int | None) -> NDArray[np.int64]:
        """The most frequent keys, most frequent first; all keys where no number is given."""
        return np.argsort(-self.truth[0], kind="stable")[:count]
