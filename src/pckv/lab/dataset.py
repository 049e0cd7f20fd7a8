"""A population with what is known about it: keys, range, and the truth to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.population import Population


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everybody's pairs, the number of keys and the range of values.

    Attributes:
        name: What the data are called in tables and charts.
        population: Everybody's pairs.
        keys: The number of keys.
        low: The smallest value that is possible.
        high: The largest value that is possible.
    """

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
        """Return values on [-1, 1].

        Args:
            values: Values in the data's own range.

        Returns:
            The same values on [-1, 1].
        """
        return 2 * (values - self.low) / (self.high - self.low) - 1

    def with_range(self, low: float, high: float) -> Dataset:
        """Stretch the values to another range.

        Args:
            low: The end of the range that the smallest value goes to.
            high: The end that the largest value goes to.

        Returns:
            The same people with other values.
        """
        values = low + (self.scaled(self.population.values) + 1) / 2 * (high - low)
        people = Population(self.population.offsets, self.population.keys, np.clip(values, low, high))
        return Dataset(self.name, people, self.keys, low, high)

    @cached_property
    def truth(self) -> tuple[Floats, Floats]:
        """The true frequency of every key, and the mean on [-1, 1] (0 where nobody holds it)."""
        frequency, mean = self.population.truth(self.keys)
        return frequency, np.where(frequency > 0, self.scaled(mean), 0.0)

    def sampled_share(self, padding: int) -> Floats:
        """Return the frequencies that reports show.

        Args:
            padding: How many pairs a report stands for at most.

        Returns:
            The frequency of every key, in which holders of more pairs count for less.
        """
        weights = padding / np.maximum(self.population.sizes, padding)
        spread = np.repeat(weights, self.population.sizes)
        return np.asarray(np.bincount(self.population.keys, spread, minlength=self.keys) / max(self.users, 1))

    @property
    def set_sizes(self) -> dict[int, int]:
        """How many users hold how many pairs."""
        sizes, users = np.unique(self.population.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), users.tolist(), strict=True))

    def hidden_share(self, padding: int) -> float:
        """Return by how much a frequency may exceed what reports show.

        Args:
            padding: How many pairs a report stands for at most, ℓ.

        Returns:
            The mean of 1 - ℓ/m over all people, where somebody holds m > ℓ pairs.
        """
        return float(np.mean(1 - padding / np.maximum(self.population.sizes, padding)))

    def top(self, count: int | None) -> NDArray[np.int64]:
        """Return the most frequent keys.

        Args:
            count: How many; all keys if it is None.

        Returns:
            Numbers of keys, the most frequent first.
        """
        return np.argsort(-self.truth[0], kind="stable")[:count]
