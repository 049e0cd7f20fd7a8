"""The pairs that a population's reports are made from, as counts: how many participants sampled each level of a key.

Participants with one pair who hold the same key and value are drawn together, in one multinomial:
the same distribution, at a cost that does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.arrays import Floats, Integers
from pckv.channels import Channel, SamplingChannel
from pckv.lab.dataset import Dataset


class SampledCounts(NamedTuple):
    """How many participants sampled each level of each key, one row per level; the others sampled a dummy.

    Where a report is made from several pairs, how many took each level of a key.
    """

    counts: Integers
    users: int

    @property
    def dummies(self) -> int:
        """How many sampled a dummy."""
        return self.users - int(self.counts.sum())


class PairGroups(NamedTuple):
    """Distinct pairs of a key and its value on [-1, 1], and how many hold each."""

    keys: Integers
    values: Floats
    counts: Integers


class PlacedValues(NamedTuple):
    """The levels below values, and the chances of the next ones."""

    below: Integers
    chances: Floats

    @classmethod
    def of(cls, values: Floats, levels: Sequence[float]) -> PlacedValues:
        """Place values between levels, both on [-1, 1]."""
        edges = np.array(levels)
        below = np.clip(np.searchsorted(edges, values, "right") - 1, 0, edges.size - 2)
        low, high = edges[below], edges[below + 1]
        return cls(below, (values - low) / (high - low))

    def take(self, places: Integers) -> PlacedValues:
        """Return some of them."""
        return PlacedValues(self.below[places], self.chances[places])


class SamplingModel:
    """One population, prepared for sampling many times with levels on [-1, 1]: by default two, the signs."""

    def __init__(self, dataset: Dataset, levels: Sequence[float] = (-1.0, 1.0)) -> None:
        population = dataset.population
        self.keys, self.users, self.levels = dataset.keys, dataset.users, len(levels)
        sizes = population.sizes
        several = sizes > 1
        self._sizes, self._starts = sizes[several], population.offsets[:-1][several]
        self._single = group_pairs(dataset, ~np.repeat(several, sizes) if several.any() else None)
        self._placed_singles = PlacedValues.of(self._single.values, levels)
        self._pair_keys = population.keys
        values = dataset.scaled(population.values) if several.any() else np.zeros(0)
        self._placed = PlacedValues.of(values, levels)

    def prepare(self, channel: Channel, rng: Generator, left_out: float = 0.0) -> SampledCounts:
        """Sample what everybody's report is made from: one pair, or as many as the padding.

        `left_out` is the share of people, chosen at random, whose reports are about something else.
        """
        sampled = isinstance(channel, SamplingChannel)
        counts = (self.draw if sampled else self.take)(channel.padding, rng)
        if not left_out:
            return counts
        return (_keep_participants if sampled else _keep_per_key)(counts, 1 - left_out, rng)

    def draw(self, padding: int, rng: Generator) -> SampledCounts:
        """Let everybody pad, sample one pair and turn its value into a level."""
        counts = self._draw_singles(padding, rng)
        slots = rng.integers(0, np.maximum(self._sizes, padding))
        chosen = (self._starts + slots)[slots < self._sizes]
        below, chances = self._placed.take(chosen)
        levels = below + (rng.random(chosen.size) < chances)
        return SampledCounts(counts + self._count(self._pair_keys[chosen], levels), self.users)

    def take(self, most: int, rng: Generator) -> SampledCounts:
        """Let everybody take at most this many of their pairs and turn the values into levels.

        Those who hold more take each pair with chance most/|S|, independently of their others: the law of one
        key's counts is exact, the joint law of two keys' is not.
        """
        counts = self._draw_singles(1, rng)
        keys, placed, sizes = self._pairs_of_several
        taken = np.minimum(1, most / sizes)
        numbers = rng.random(keys.size)
        held = np.flatnonzero(numbers < taken)
        levels = placed.below[held] + (numbers[held] < taken[held] * placed.chances[held])
        return SampledCounts(counts + self._count(keys[held], levels), self.users)

    def _count(self, keys: NDArray[Any], levels: Integers) -> Integers:
        """Return how often each level of each key occurs, one row per level."""
        found = np.bincount(levels * self.keys + keys, minlength=self.levels * self.keys)
        return found.reshape(self.levels, self.keys)

    @cached_property
    def _pairs_of_several(self) -> tuple[NDArray[np.int32], PlacedValues, Integers]:
        """The pairs of those who hold more than one: key, value, and how many pairs their owner holds."""
        sizes = np.repeat(self._sizes, self._sizes)
        firsts = np.repeat(self._starts - (np.cumsum(self._sizes) - self._sizes), self._sizes)
        places = firsts + np.arange(sizes.size)
        return self._pair_keys[places], self._placed.take(places), sizes

    def _draw_singles(self, padding: int, rng: Generator) -> Integers:
        share = self._placed_singles.chances / padding
        chances = np.stack([share, 1 / padding - share, np.full_like(share, 1 - 1 / padding)], axis=1)
        drawn = rng.multinomial(self._single.counts, np.clip(chances, 0, 1))
        counts = np.zeros((self.levels, self.keys), np.int64)
        for place, levels in enumerate((self._placed_singles.below + 1, self._placed_singles.below)):
            np.add.at(counts, (levels, self._single.keys), drawn[:, place])
        return counts


def _keep_participants(counts: SampledCounts, share: float, rng: Generator) -> SampledCounts:
    """Keep a random share of people who sampled one pair or dummy each."""
    kept = rng.binomial(counts.counts, share)
    dummies = rng.binomial(counts.dummies, share)
    return SampledCounts(kept, int(kept.sum()) + int(dummies))


def _keep_per_key(counts: SampledCounts, share: float, rng: Generator) -> SampledCounts:
    """Keep a random share of people who took several pairs: exact for one key, as `take` is."""
    users = int(rng.binomial(counts.users, share))
    return SampledCounts(rng.hypergeometric(counts.counts, counts.users - counts.counts, users), users)


def group_pairs(dataset: Dataset, chosen: NDArray[np.bool_] | None = None) -> PairGroups:
    """Group the pairs that are equal: all of a dataset's, or those chosen."""
    keys, values = dataset.population.keys, dataset.population.values
    if chosen is not None:
        keys, values = keys[chosen], values[chosen]
    one_value = np.zeros(dataset.keys)
    one_value[keys] = values
    if np.array_equal(one_value[keys], values):
        # Every key has one value, as in the paper's populations: counting is enough.
        counts = np.bincount(keys, minlength=dataset.keys)
        held = np.flatnonzero(counts)
        return PairGroups(held, dataset.scaled(one_value[held]), counts[held])
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    new = np.ones(keys.size, np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
    starts = np.flatnonzero(new)
    scaled = dataset.scaled(values[starts])
    return PairGroups(keys[starts].astype(np.int64), scaled, np.diff(np.append(starts, keys.size)))
