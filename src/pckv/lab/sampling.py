"""The pairs that a population's reports are made from, as counts: how many participants sampled each signed key.

Participants with one pair who hold the same key and value are drawn together, in one multinomial:
the same distribution, at a cost that does not grow with their number.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.arrays import Floats, Integers
from pckv.channels import Channel, SamplingChannel
from pckv.lab.dataset import Dataset


class SampledCounts(NamedTuple):
    """How many participants sampled ⟨key, +⟩ and ⟨key, -⟩; the others sampled a dummy.

    Where a report is made from several pairs, how many took each signed key.
    """

    plus: Integers
    minus: Integers
    users: int

    @property
    def dummies(self) -> int:
        """How many sampled a dummy."""
        return self.users - int(self.plus.sum() + self.minus.sum())


class PairGroups(NamedTuple):
    """Distinct pairs of a key and its value's chance of +, and how many hold each."""

    keys: Integers
    chances: Floats
    counts: Integers


class SamplingModel:
    """One population, prepared for sampling many times."""

    def __init__(self, dataset: Dataset) -> None:
        population = dataset.population
        self.keys, self.users = dataset.keys, dataset.users
        sizes = population.sizes
        several = sizes > 1
        self._sizes, self._starts = sizes[several], population.offsets[:-1][several]
        self._single = group_pairs(dataset, ~np.repeat(several, sizes) if several.any() else None)
        self._pair_keys = population.keys
        self._pair_chance = (
            (dataset.scaled(population.values) + 1) / 2 if several.any() else population.values
        )

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
        """Let everybody pad, sample one pair and turn its value into a sign."""
        plus, minus = self._draw_singles(padding, rng)
        slots = rng.integers(0, np.maximum(self._sizes, padding))
        chosen = (self._starts + slots)[slots < self._sizes]
        positive = rng.random(chosen.size) < self._pair_chance[chosen]
        keys = self._pair_keys[chosen]
        plus += np.bincount(keys[positive], minlength=self.keys)
        minus += np.bincount(keys[~positive], minlength=self.keys)
        return SampledCounts(plus, minus, self.users)

    def take(self, most: int, rng: Generator) -> SampledCounts:
        """Let everybody take at most this many of their pairs and turn the values into signs.

        Those who hold more take each pair with chance most/|S|, independently of their others: the law of one
        key's counts is exact, the joint law of two keys' is not.
        """
        plus, minus = self._draw_singles(1, rng)
        keys, chances, sizes = self._pairs_of_several
        taken = np.minimum(1, most / sizes)
        numbers = rng.random(keys.size)
        positive = numbers < taken * chances
        plus += np.bincount(keys[positive], minlength=self.keys)
        minus += np.bincount(keys[~positive & (numbers < taken)], minlength=self.keys)
        return SampledCounts(plus, minus, self.users)

    @cached_property
    def _pairs_of_several(self) -> tuple[NDArray[np.int32], Floats, Integers]:
        """The pairs of those who hold more than one: key, chance of +, and how many pairs their owner holds."""
        sizes = np.repeat(self._sizes, self._sizes)
        firsts = np.repeat(self._starts - (np.cumsum(self._sizes) - self._sizes), self._sizes)
        places = firsts + np.arange(sizes.size)
        return self._pair_keys[places], self._pair_chance[places], sizes

    def _draw_singles(self, padding: int, rng: Generator) -> tuple[Integers, Integers]:
        share = self._single.chances / padding
        chances = np.stack([share, 1 / padding - share, np.full_like(share, 1 - 1 / padding)], axis=1)
        drawn = rng.multinomial(self._single.counts, np.clip(chances, 0, 1))
        plus, minus = (
            np.bincount(self._single.keys, drawn[:, sign], minlength=self.keys).astype(np.int64)
            for sign in (0, 1)
        )
        return plus, minus


def _keep_participants(counts: SampledCounts, share: float, rng: Generator) -> SampledCounts:
    """Keep a random share of people who sampled one pair or dummy each."""
    plus, minus = rng.binomial(counts.plus, share), rng.binomial(counts.minus, share)
    dummies = rng.binomial(counts.dummies, share)
    return SampledCounts(plus, minus, int(plus.sum() + minus.sum()) + int(dummies))


def _keep_per_key(counts: SampledCounts, share: float, rng: Generator) -> SampledCounts:
    """Keep a random share of people who took several pairs: exact for one key, as `take` is."""
    users = int(rng.binomial(counts.users, share))
    plus, minus = (
        rng.hypergeometric(taken, counts.users - taken, users) for taken in (counts.plus, counts.minus)
    )
    return SampledCounts(plus, minus, users)


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
        return PairGroups(held, (dataset.scaled(one_value[held]) + 1) / 2, counts[held])
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    new = np.ones(keys.size, np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
    starts = np.flatnonzero(new)
    chances = (dataset.scaled(values[starts]) + 1) / 2
    return PairGroups(keys[starts].astype(np.int64), chances, np.diff(np.append(starts, keys.size)))
