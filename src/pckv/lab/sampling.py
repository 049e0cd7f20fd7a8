"""The pairs that a population's reports are made from.

Where a report is made from one pair they are counts: how many participants sampled each level of a key.
Participants with one pair who hold the same key and value are drawn together, in one multinomial: the same
distribution, at a cost that does not grow with their number. Where a report is made from several pairs, they
are each participant's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.base.arrays import Floats, Integers
from pckv.device.vectorised import VectorisedTape, choose_rows
from pckv.lab.dataset import Dataset
from pckv.mechanisms.base import Law, SamplingLaw


class SampledCounts(NamedTuple):
    """How many participants sampled each level of each key, one row per level; the others sampled a dummy."""

    counts: Integers
    users: int

    @property
    def dummies(self) -> int:
        """How many sampled a dummy."""
        return self.users - int(self.counts.sum())

    def of_some(self, share: float, rng: Generator) -> SampledCounts:
        """Keep a random share of the participants."""
        kept = rng.binomial(self.counts, share)
        return SampledCounts(kept, int(kept.sum()) + int(rng.binomial(self.dummies, share)))


class TakenPairs(NamedTuple):
    """The pairs that reports are made from, up to as many per participant as one takes, and whose they are.

    Owners are numbers below `users`, in order; a participant who is not there takes no pair.
    """

    owners: Integers
    keys: Integers
    levels: Integers
    users: int

    def of_some(self, share: float, rng: Generator) -> TakenPairs:
        """Keep a random share of the participants."""
        kept = rng.random(self.users) < share
        of_kept = kept[self.owners]
        owners = (np.cumsum(kept) - 1)[self.owners[of_kept]]
        return TakenPairs(owners, self.keys[of_kept], self.levels[of_kept], int(kept.sum()))


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
        self._dataset, self._level_values = dataset, levels

    def prepare(self, law: Law, rng: Generator, left_out: float = 0.0) -> SampledCounts | TakenPairs:
        """Sample what each participant's report is made from: one pair, or as many as the padding.

        `left_out` is the share of people, chosen at random, whose reports are about something else.
        """
        prepare = self.draw if isinstance(law, SamplingLaw) else self.take
        prepared = prepare(law.padding, rng)
        return prepared.of_some(1 - left_out, rng) if left_out else prepared

    def draw(self, padding: int, rng: Generator) -> SampledCounts:
        """Let each participant pad, sample one pair and turn its value into a level."""
        counts = self._draw_singles(padding, rng)
        if not self._sizes.size:
            return SampledCounts(counts, self.users)
        slots = rng.integers(0, np.maximum(self._sizes, padding))
        chosen = (self._starts + slots)[slots < self._sizes]
        found = np.bincount(
            self._drawn_levels(chosen, rng) * self.keys + self._dataset.population.keys[chosen],
            minlength=self.levels * self.keys,
        )
        return SampledCounts(counts + found.reshape(counts.shape), self.users)

    def take(self, most: int, rng: Generator) -> TakenPairs:
        """Let each participant take at most this many of their pairs and turn the values into levels."""
        population = self._dataset.population
        owners, rows = choose_rows(population, most, np.arange(self.users), VectorisedTape(rng.bytes))
        keys = population.keys[rows].astype(np.int64)
        return TakenPairs(owners, keys, self._drawn_levels(rows, rng), self.users)

    def _drawn_levels(self, rows: Integers, rng: Generator) -> Integers:
        """Turn the values of some pairs into levels."""
        below, chances = self._placed.take(rows)
        return below + (rng.random(rows.size) < chances)

    @cached_property
    def _placed(self) -> PlacedValues:
        """The values of all pairs, between levels."""
        return PlacedValues.of(self._dataset.scaled(self._dataset.population.values), self._level_values)

    def _draw_singles(self, padding: int, rng: Generator) -> Integers:
        share = self._placed_singles.chances / padding
        chances = np.stack([share, 1 / padding - share, np.full_like(share, 1 - 1 / padding)], axis=1)
        drawn = rng.multinomial(self._single.counts, np.clip(chances, 0, 1))
        counts = np.zeros((self.levels, self.keys), np.int64)
        for place, levels in enumerate((self._placed_singles.below + 1, self._placed_singles.below)):
            np.add.at(counts, (levels, self._single.keys), drawn[:, place])
        return counts


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
