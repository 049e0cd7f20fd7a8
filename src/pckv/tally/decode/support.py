"""From counts to support: how many reports support each level of a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.progress import Progress, no_progress
from pckv.mechanisms.base import Law
from pckv.mechanisms.derivation import ByGroup
from pckv.mechanisms.registry import load_part
from pckv.tally.counts import Counts
from pckv.tally.tally import Tally

# From a law, counts and the numbers of keys to an array of levels × keys.
Decoder = Callable[[Any, Counts, Integers, Progress], Integers]


class KeySupport(NamedTuple):
    """For some keys, how many reports support each level: one row per level, one column per key."""

    counts: Integers

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return int(self.counts.shape[1])

    @property
    def total(self) -> Integers:
        """S: how many reports support each key, whichever level."""
        return np.asarray(self.counts.sum(axis=0))

    def weighted(self, weights: Sequence[float]) -> Floats:
        """T: the weights of the supported levels of each key, added up."""
        return np.asarray(np.asarray(weights) @ self.counts, np.float64)

    def take(self, keys: Integers | slice) -> KeySupport:
        """Return the support of some of the keys."""
        return KeySupport(self.counts[:, keys])


class DummySupport(NamedTuple):
    """How often reports support a dummy, whichever level, and how many dummies they tell of: 0 where none."""

    total: int
    dummies: int


NO_DUMMIES = DummySupport(0, 0)


def key_support(tally: Tally, keys: Integers | None = None, progress: Progress = no_progress) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for: over all labels, where there is a segment."""
    task, derivation = tally.task, tally.task.derivation
    numbers = np.arange(task.key_count) if keys is None else keys
    if not isinstance(derivation, ByGroup):
        return item_support(tally, numbers, progress)
    cells = derivation.child(np.arange(derivation.labels)[:, None], numbers)
    by_label = item_support(tally, cells.reshape(-1), progress).counts.reshape(-1, *cells.shape)
    return KeySupport(np.asarray(by_label.sum(axis=1)))


def item_support(tally: Tally, items: Integers | None = None, progress: Progress = no_progress) -> KeySupport:
    """Decode all items of a tally, or those of some numbers: keys, or what is derived of them."""
    return decode(tally.task.law, tally.counts, items, progress)


def decode(law: Law, counts: Counts, keys: Integers | None = None, progress: Progress = no_progress) -> KeySupport:
    """Decode the counts of a law's reports."""
    numbers = np.arange(law.keys) if keys is None else keys
    decoder: Decoder = load_part(law.name, "decoder")
    return KeySupport(decoder(law, counts, numbers, progress))


def decode_all(law: Law, counts: Counts, progress: Progress = no_progress) -> tuple[KeySupport, DummySupport]:
    """Return all keys, and the dummies where reports tell of them: they are numbered after the keys."""
    keys, dummies = law.keys, law.counted_dummies
    support = decode(law, counts, np.arange(keys + dummies), progress)
    total = int(support.counts[:, keys:].sum())
    return support.take(slice(keys)), DummySupport(total, dummies)


def level_cells(law: Law, counts: Counts, keys: Integers, _progress: Progress) -> Integers:
    """Return the support of keys by `ue` or `grr`, whose cell of a level is number levels·key + level."""
    levels = np.arange(law.levels)[:, None]
    return counts.take((law.levels * keys + levels).reshape(-1)).reshape(law.levels, -1)
