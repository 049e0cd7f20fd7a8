"""How PrivKVM and KVUE sample: every user draws one key of all keys, held or not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Integers
from pckv.lab.dataset import Dataset
from pckv.lab.sampling import group_pairs


class DrawnKeys(NamedTuple):
    """By key, how many of those who drew it hold it with sign +, with sign -, or not at all."""

    plus: Integers
    minus: Integers
    absent: Integers

    @property
    def asked(self) -> Integers:
        """How many drew each key."""
        return self.plus + self.minus + self.absent


class IndexModel:
    """A population as these mechanisms see it."""

    def __init__(self, dataset: Dataset) -> None:
        self.keys, self.users = dataset.keys, dataset.users
        population = dataset.population
        # Users with one pair who hold the same pair are drawn together where that is less work.
        self._groups = group_pairs(dataset) if bool((population.sizes == 1).all()) else None
        if self._groups is not None and self._groups.counts.size * self.keys > self.users:
            self._groups = None
        if self._groups is None:
            places = np.repeat(np.arange(self.users), population.sizes) * self.keys + population.keys
            order = np.argsort(places, kind="stable")
            self._places = places[order]
            self._chance = (dataset.scaled(population.values[order]) + 1) / 2

    def draw(self, rng: Generator) -> DrawnKeys:
        """Let everybody draw a key; which one they drew says nothing about them."""
        return self._draw_groups(rng) if self._groups is not None else self._draw_singly(rng)

    def _draw_groups(self, rng: Generator) -> DrawnKeys:
        assert self._groups is not None  # noqa: S101
        keys, values, counts = self._groups
        drawn = rng.multinomial(counts, np.full(self.keys, 1 / self.keys))
        own = drawn[np.arange(keys.size), keys]
        plus = rng.binomial(own, (values + 1) / 2)
        held_plus, held_minus = (self._by_key(keys, part) for part in (plus, own - plus))
        return DrawnKeys(held_plus, held_minus, drawn.sum(axis=0) - held_plus - held_minus)

    def _draw_singly(self, rng: Generator) -> DrawnKeys:
        keys = rng.integers(0, self.keys, self.users)
        wanted = np.arange(self.users) * self.keys + keys
        found = np.searchsorted(self._places, wanted)
        inside = np.flatnonzero(found < self._places.size)
        held = inside[self._places[found[inside]] == wanted[inside]]
        positive = rng.random(held.size) < self._chance[found[held]]
        plus, minus = (np.bincount(keys[held][sign], minlength=self.keys) for sign in (positive, ~positive))
        return DrawnKeys(plus, minus, np.bincount(keys, minlength=self.keys) - plus - minus)

    def _by_key(self, keys: Integers, counts: Integers) -> Integers:
        return np.bincount(keys, counts, minlength=self.keys).astype(np.int64)
