"""People whose keys stay, drift and jump over the rounds of a series, each key by itself.

A person has a few slots, and each slot proposes one key, drawn once. They hold that key in a round if a
number that is also drawn once is below the key's frequency in that round, relative to its largest. So no
person holds more pairs than there are slots, and a key that stays is held by the same people in every round,
whatever others do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats, Integers
from pckv.base.population import Population

STAYING, DRIFTING, JUMPING = "staying", "drifting", "jumping"
KINDS = (STAYING, DRIFTING, JUMPING)


class Paths(NamedTuple):
    """Frequencies and means of keys by round, the kind of each, the first round after a jump (0: none)."""

    frequency: Floats
    mean: Floats
    kind: Integers
    jump: Integers


class Crowd(NamedTuple):
    """People by slot: the key that each proposes, and the number that decides whether it is held."""

    keys: Integers
    numbers: Floats
    paths: Paths

    def held(self, number: int) -> np.ndarray:
        """Return which slots hold their key in a round."""
        path = self.paths.frequency
        return np.asarray(self.numbers < (path[:, number] / path.max(axis=1))[self.keys])

    def truth(self, number: int) -> Floats:
        """Return the frequencies of a round among all people."""
        people = len(self.keys)
        return np.bincount(self.keys[self.held(number)], minlength=len(self.paths.kind)) / people

    def population(self, people: Integers, number: int) -> Population:
        """Return the pairs of some people in a round; values are at two ends, with the path's mean."""
        held, keys = self.held(number)[people], self.keys[people]
        offsets = np.append(0, np.cumsum(held.sum(axis=1)))
        chosen = keys[held]
        # A holder's number, relative to its limit, is uniform: it decides the value as well.
        path = self.paths.frequency
        rank = self.numbers[people][held] / (path[:, number] / path.max(axis=1))[chosen]
        values = np.where(rank < (1 + self.paths.mean[chosen, number]) / 2, 1.0, -1.0)
        return Population(offsets, chosen.astype(np.int32), values)

    def mean_truth(self, number: int) -> Floats:
        """Return the means of a round among all holders; 0 where a key has no holders."""
        population = self.population(np.arange(len(self.keys)), number)
        return population.truth(len(self.paths.kind))[1]


def draw_crowd(paths: Paths, people: int, slots: int, rng: Generator) -> Crowd:
    """Draw people: key k belongs to slot k mod slots, and is proposed as often as its largest frequency."""
    largest = paths.frequency.max(axis=1)
    keys = np.empty((people, slots), np.int64)
    numbers = rng.random((people, slots))
    for slot in range(slots):
        own = np.arange(slot, largest.size, slots)
        total = largest[own].sum()
        if total > 1:
            message = f"the frequencies of slot {slot} add up to {total:.2f}"
            raise ValueError(message)
        keys[:, slot] = rng.choice(own, people, p=largest[own] / total)
        # A slot that proposes nothing is one whose number is above every limit.
        numbers[rng.random(people) >= total, slot] = 2.0
    return Crowd(keys, numbers, paths)
