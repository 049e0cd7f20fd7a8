"""The baselines by name.

How PrivKVM and KVUE sample: every user draws one key of all keys, held or not.

KVUE (Sun et al., 2019), as the authors of PCKV ran it.

PrivKVM (Ye et al., 2019), as the authors of PCKV ran it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats, Integers
from pckv.lab.counting import group_pairs
from pckv.lab.dataset import Dataset


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
        """Let each person draw a key; which one they drew says nothing about them."""
        return self._draw_groups(rng) if self._groups is not None else self._draw_singly(rng)

    def _draw_groups(self, rng: Generator) -> DrawnKeys:
        assert self._groups is not None  # noqa: S101
        keys, values, counts = self._groups
        drawn = rng.multinomial(counts, np.full(self.keys, 1 / self.keys))
        own = drawn[np.arange(keys.size), keys]
        plus = rng.binomial(own, (values + 1) / 2)
        held_plus, held_minus = (
            np.bincount(keys, part, minlength=self.keys).astype(np.int64) for part in (plus, own - plus)
        )
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


def kvue(model: IndexModel, epsilon: float, rng: Generator) -> tuple[Floats, Floats]:
    """Let each user report the state of the key that they drew: held with +, held with -, or not held."""
    e = math.exp(epsilon)
    truth, lie = e / (e + 2), 1 / (e + 2)
    drawn = model.draw(rng)
    asked = drawn.asked
    reported = rng.multinomial(drawn.plus, [truth, lie, lie])
    reported += rng.multinomial(drawn.minus, [lie, truth, lie])
    reported += rng.multinomial(drawn.absent, [lie, lie, truth])
    plus, minus = (
        np.clip((2 * reported[:, sign] - (1 - truth) * asked) / (3 * truth - 1), 0, asked) for sign in (0, 1)
    )
    held = plus + minus
    frequency = np.divide(held, asked, out=np.zeros(model.keys), where=asked > 0)
    mean = np.divide(plus - minus, held, out=np.zeros(model.keys), where=held > 0)
    return frequency, mean


VIRTUAL_ROUNDS = 5
COIN = 0.5


def privkvm(model: IndexModel, epsilon: float, rng: Generator, rounds: int = 1) -> tuple[Floats, Floats]:
    """Frequency from the first round, mean from the last; ε/2 for keys, ε/2 over all rounds' values."""
    key_truth = _truth(epsilon / 2)
    value_truth = _truth(epsilon / (2 * rounds))
    frequency, mean = _round(model, np.zeros(model.keys), key_truth, value_truth, rng)
    for _ in range(rounds - 1):
        # The key has no budget left: whether the bit is 1 is a coin.
        _, mean = _round(model, mean, COIN, value_truth, rng)
    return frequency, mean


def privkvm_virtual(model: IndexModel, epsilon: float, rng: Generator) -> tuple[Floats, Floats]:
    """One real round and five virtual ones (1r5v).

    The virtual rounds' formula is a reconstruction, as the original is not public: it repeats what a
    further round would do to the mean in expectation, and shows the behaviour the paper describes.
    """
    frequency, mean = privkvm(model, epsilon, rng)
    truth = _truth(epsilon / 2)
    f = np.clip(frequency, 1 / max(model.users, 1), 1)
    genuine = f * truth / (f * truth + (1 - f) * (1 - truth))
    grown = mean * (1 - (1 - genuine) ** (VIRTUAL_ROUNDS + 1)) / genuine
    return frequency, np.clip(grown, -1, 1)


def _truth(epsilon: float) -> float:
    """The chance to answer truly under randomized response."""
    return 1 / (1 + math.exp(-epsilon))


def _round(
    model: IndexModel, previous: Floats, key_truth: float, value_truth: float, rng: Generator
) -> tuple[Floats, Floats]:
    drawn = model.draw(rng)
    # Those who do not hold the key and say they do discretise the mean of the previous round.
    fake = rng.binomial(drawn.absent, 1 - key_truth)
    fake_plus = rng.binomial(fake, (1 + previous) / 2)
    truly_plus = rng.binomial(drawn.plus, key_truth) + fake_plus
    truly_minus = rng.binomial(drawn.minus, key_truth) + fake - fake_plus
    plus = rng.binomial(truly_plus, value_truth) + rng.binomial(truly_minus, 1 - value_truth)
    total = truly_plus + truly_minus
    answered = total > 0
    frequency, mean = np.zeros(model.keys), previous.copy()
    if key_truth > COIN:
        share = total[answered] / drawn.asked[answered]
        frequency[answered] = (key_truth - 1 + share) / (2 * key_truth - 1)
    calibrated_plus, calibrated_minus = (
        np.clip(((value_truth - 1) * total + count) / (2 * value_truth - 1), 0, total) for count in (plus, total - plus)
    )
    mean[answered] = np.clip((calibrated_plus - calibrated_minus)[answered] / total[answered], -1, 1)
    return frequency, mean


Baseline = Callable[[IndexModel, float, Generator], tuple[Floats, Floats]]

BASELINE_NAMES = ("privkvm", "privkvm:ROUNDS", "privkvm-1r5v", "kvue")


def find_baseline(name: str) -> Baseline | None:
    """A baseline by name: `privkvm` has one round, `privkvm:3` three; None if it is no baseline."""
    if name == "kvue":
        return kvue
    if name == "privkvm-1r5v":
        return privkvm_virtual
    if found := re.fullmatch(r"privkvm(?::([1-9][0-9]?))?", name):
        rounds = int(found[1] or 1)
        return lambda model, epsilon, rng: privkvm(model, epsilon, rng, rounds)
    return None
