"""People with labels, and people whose keys go together or exclude each other, with exact truths about all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.population import Population

SEED = 41
KEYS_BY_GROUP, KEYS_TOGETHER = 100, 50
# A relation among people counts as one if chance gives it to independent people less than once in 10,000 times: the
# noise of reports hides all weaker ones, so that tests would find them as often as none at all.
RELATION_Z = 4.0


@dataclass(frozen=True, eq=False)
class KnownPeople:
    """Which keys every person holds, a row each, and their labels, where they have any.

    Attributes:
        held: Whether each person, a row, holds each key, a column.
        labels: The numbers of the people's labels, or None.
        told: What the operator believes that people hold on average, relative to the truth.
    """

    held: Flags
    labels: Integers | None = None
    told: float = 1.0

    @property
    def users(self) -> int:
        """How many people there are."""
        return int(self.held.shape[0])

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return int(self.held.shape[1])

    @cached_property
    def expected_pairs(self) -> float:
        """How many keys people hold on average, as the operator says it: with one decimal."""
        return round(self.told * float(self.held.sum() / self.users), 1)

    @cached_property
    def population(self) -> Population:
        """The same people in compressed rows."""
        owners, keys = np.nonzero(self.held)
        offsets = np.append(0, np.cumsum(np.bincount(owners, minlength=self.users)))
        return Population(offsets, keys.astype(np.int32), np.zeros(keys.size), self.labels)

    def reported(self, padding: int) -> Floats:
        """Return the share of people whose reports show each item, where they keep so many of their keys at random."""
        sizes = np.maximum(self.held.sum(axis=1), padding)[:, None]
        keys = self.held * (padding / sizes)
        if self.labels is not None:
            children = [keys[self.labels == label].sum(axis=0) for label in range(self.label_sizes.size)]
            return np.concatenate([self.label_sizes, *children]) / self.users
        pairs = keys * np.divide(padding - 1, sizes - 1)
        both = (pairs.T @ self.held)[np.triu_indices(self.keys, 1)]
        return np.append(keys.sum(axis=0), both) / self.users

    @cached_property
    def label_sizes(self) -> Integers:
        """How many people have each label."""
        assert self.labels is not None  # noqa: S101
        return np.bincount(self.labels)

    @cached_property
    def holders_by_label(self) -> Integers:
        """How many people of each label, a row, hold each key."""
        return np.stack([self.held[self.labels == label].sum(axis=0) for label in range(self.label_sizes.size)])

    @property
    def within_labels(self) -> Floats:
        """The share of each label's people, a row, who hold each key."""
        return np.asarray(self.holders_by_label / self.label_sizes[:, None])

    def differences(self, first: int, second: int) -> Integers:
        """Return, per key, within which label a larger share holds it: 1 the first, -1 the second, 0 none."""
        shares, sizes = self.within_labels[[first, second]], self.label_sizes[[first, second]]
        pooled = self.holders_by_label[[first, second]].sum(axis=0) / sizes.sum()
        return _signs(shares[0] - shares[1], pooled * (1 - pooled) * (1 / sizes).sum())

    @cached_property
    def both(self) -> Floats:
        """The share of people who hold both of two keys; of a key with itself, who hold it."""
        held = self.held.astype(np.float32)
        # Sums of up to 2^24 ones are exact.
        return np.asarray((held.T @ held).astype(np.float64) / self.users)

    @property
    def given(self) -> Floats:
        """The share of each key's holders, a row, who hold another key; 0 where it has none."""
        return np.asarray(self.both / np.maximum(np.diag(self.both), 1 / self.users)[:, None])

    @property
    def lift(self) -> Floats:
        """How many times more people hold both keys than if they were independent; not a number where one has none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.both / np.outer(np.diag(self.both), np.diag(self.both)))

    @property
    def relations(self) -> Integers:
        """Whether two keys go together (1), exclude each other (-1), or neither."""
        shares = np.diag(self.both)
        spread = shares * (1 - shares)
        return _signs(self.both - np.outer(shares, shares), np.outer(spread, spread) / self.users)


def _signs(differences: Floats, variances: Floats) -> Integers:
    """Return the signs of what independent people show by chance hardly ever, and 0 elsewhere."""
    return np.where(np.abs(differences) > RELATION_Z * np.sqrt(variances), np.sign(differences), 0).astype(np.int64)


def _falling(keys: int, average: float) -> Floats:
    """Return shares that fall with the rank, so that people hold this many keys on average; none above 60 %."""
    shares = np.arange(1.0, keys + 1) ** -0.8
    return np.asarray(np.minimum(shares * average / shares.sum(), 0.6))


def _labels(users: int, shares: list[float], rng: Generator) -> Integers:
    return np.asarray(rng.choice(len(shares), users, p=shares))


def _regions(users: int, rng: Generator) -> KnownPeople:
    """Five labels (40 to 8 % of people); every fifth key is held 2.2 times as often within one of them."""
    labels = _labels(users, [0.4, 0.25, 0.15, 0.12, 0.08], rng)
    own = np.arange(KEYS_BY_GROUP) % 5 == np.arange(5)[:, None]
    chances = np.minimum(_falling(KEYS_BY_GROUP, 2.2) * np.where(own, 2.2, 1.0), 0.8)
    return KnownPeople(rng.random((users, KEYS_BY_GROUP)) < chances[labels], labels)


def _alike(users: int, rng: Generator) -> KnownPeople:
    """Three labels (50, 30, 20 %), which differ in four keys: 15 points more of the second label's people hold them.

    A quarter of the people hold three times as many keys as the others.
    """
    labels = _labels(users, [0.5, 0.3, 0.2], rng)
    chances = np.tile(_falling(KEYS_BY_GROUP, 1.5), (3, 1))
    chances[1, :4] += 0.15
    activity = np.where(rng.random(users) < 0.25, 3.0, 1.0)  # noqa: PLR2004
    return KnownPeople(
        rng.random((users, KEYS_BY_GROUP)) < np.minimum(chances[labels] * activity[:, None], 0.9), labels
    )


def _unlike_sizes(users: int, rng: Generator) -> KnownPeople:
    """Two labels (80, 20 %), whose people hold 2.5 and 8.5 keys on average; the operator expects half as many.

    40 keys are held alike within both, 6 of them by 30 %, and 60 keys by a tenth of the second label's people each and
    by none of the first.
    """
    labels = _labels(users, [0.8, 0.2], rng)
    alike = np.repeat([0.3, 0.02], [6, 34])
    chances = np.array([[*alike, *np.full(60, own)] for own in (0.0, 0.1)])
    return KnownPeople(rng.random((users, KEYS_BY_GROUP)) < chances[labels], labels, told=0.5)


def _half_empty(users: int, rng: Generator) -> KnownPeople:
    """Four labels (30, 30, 25, 15 %), of which 20, 40, 60 and 80 % hold any key; the others hold nothing."""
    labels = _labels(users, [0.3, 0.3, 0.25, 0.15], rng)
    holds = rng.random(users) < np.array([0.2, 0.4, 0.6, 0.8])[labels]
    return KnownPeople((rng.random((users, KEYS_BY_GROUP)) < _falling(KEYS_BY_GROUP, 3)) & holds[:, None], labels)


def _baskets(users: int, rng: Generator) -> KnownPeople:
    """Four themes of 12 keys, three of which people with that theme hold with chance .6 each; 15 % hold nothing.

    They hold the other keys of their theme with chance .08, those of other themes with .02, and two more with .4.
    """
    theme = rng.choice(5, users, p=[0.25, 0.25, 0.2, 0.15, 0.15])
    own = np.tile(np.repeat([0.6, 0.08], [3, 9]), 4)
    chances = np.zeros((5, KEYS_TOGETHER))
    for number in range(4):
        chances[number, :48] = np.where(np.arange(48) // 12 == number, own, 0.02)
        chances[number, 48:] = 0.4
    return KnownPeople(rng.random((users, KEYS_TOGETHER)) < chances[theme])


def _independent(users: int, rng: Generator) -> KnownPeople:
    """Independent keys, 8 of 35 % and 42 of 5 %; the operator expects a third of the average, which is five.

    But for two keys that nearly always go together, and two that exclude each other.
    """
    held = rng.random((users, KEYS_TOGETHER)) < np.repeat([0.35, 0.05], [8, 42])
    held[:, 1] = np.where(rng.random(users) < 0.9, held[:, 0], held[:, 1])  # noqa: PLR2004
    chosen = rng.random(users)
    held[:, 2], held[:, 3] = chosen < 0.35, chosen > 0.65  # noqa: PLR2004
    return KnownPeople(held, told=1 / 3)


def _active(users: int, rng: Generator) -> KnownPeople:
    """Four in ten hold 20 keys on average, the others two; the operator expects what most people hold.

    There are eight times two keys of which the active hold exactly one, and a tenth of the others both.
    """
    is_active = rng.random(users) < 0.4  # noqa: PLR2004
    held = rng.random((users, KEYS_TOGETHER)) < np.where(is_active, 0.35, 0.01)[:, None]
    for first in range(0, 16, 2):
        is_first, has_both = rng.random(users) < 0.5, rng.random(users) < 0.1  # noqa: PLR2004
        held[:, first] = np.where(is_active, is_first, has_both)
        held[:, first + 1] = np.where(is_active, ~is_first, has_both)
    return KnownPeople(held, told=0.25)


def _alternatives(users: int, rng: Generator) -> KnownPeople:
    """Three in ten hold nothing, the others exactly one of six keys; the first of these brings two more.

    They hold those two with chance .6 (.05 with another of the six), and each of the other 42 keys with chance .03.
    """
    chosen = rng.choice(7, users, p=[0.25, 0.15, 0.12, 0.08, 0.06, 0.04, 0.3])
    held = rng.random((users, KEYS_TOGETHER)) < 0.03  # noqa: PLR2004
    held[:, :6] = chosen[:, None] == np.arange(6)
    held[:, 6:8] = rng.random((users, 2)) < np.where(chosen == 0, 0.6, 0.05)[:, None]
    return KnownPeople(held & (chosen < 6)[:, None])  # noqa: PLR2004


def _circles(users: int, rng: Generator) -> KnownPeople:
    """Five circles of people, who draw 1 to 20 keys, each ten of them 8 times as often; popularity is lognormal.

    This one was made after the rules for the largest of what is shown.
    """
    own = np.arange(KEYS_TOGETHER) % 5 == (np.arange(users) % 5)[:, None]
    popularity = rng.normal(0, 1.2, KEYS_TOGETHER) + np.where(own, np.log(8), 0.0)
    sizes = np.minimum(rng.geometric(1 / 3, users), 20)
    # The largest of noisy logarithms are keys that are drawn one after another, by weight.
    order = np.argsort(-(popularity + rng.gumbel(size=popularity.shape)), axis=1)
    held = np.zeros(popularity.shape, np.bool_)
    np.put_along_axis(held, order, np.arange(KEYS_TOGETHER) < sizes[:, None], axis=1)
    return KnownPeople(held)


BY_GROUP: dict[str, Callable[[int, Generator], KnownPeople]] = {
    "regions": _regions,
    "alike": _alike,
    "unlike sizes": _unlike_sizes,
    "half empty": _half_empty,
}
TOGETHER: dict[str, Callable[[int, Generator], KnownPeople]] = {
    "baskets": _baskets,
    "independent": _independent,
    "active": _active,
    "alternatives": _alternatives,
    "circles": _circles,
}
POPULATIONS = BY_GROUP | TOGETHER


def make_people(name: str, users: int) -> KnownPeople:
    """Return so many people of a population, the same ones in every run."""
    return POPULATIONS[name](users, default_rng([SEED, list(POPULATIONS).index(name), users]))
