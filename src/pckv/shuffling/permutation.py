"""A uniform permutation of very many messages, in bounded memory. Its proof is proofs/permutation.md."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from pckv.base.arrays import Bytes, Integers, Messages
from pckv.base.randomness import DRAW_BYTES, Source
from pckv.files.spill import Records, SpilledRecords


def random_order(count: int, source: Source) -> Integers:
    """Return a uniform permutation of 0 to count - 1, exactly.

    It is the order of independent keys of 64 bits. Keys that are not all different are drawn again, all of
    them: given that they differ, every order is equally likely.
    """
    while True:
        keys = np.frombuffer(source(DRAW_BYTES * count), "<u8")
        order = np.argsort(keys)
        ordered = keys[order]
        if (ordered[1:] != ordered[:-1]).all():
            return order


def random_groups(count: int, source: Source) -> Bytes:
    """Return an independent, uniform group of spilled records per message: one byte names one of 256."""
    return np.frombuffer(source(count), np.uint8)


class MessageShuffler:
    """Takes in messages, then gives them back in an order that is uniform among all orders.

    Every message goes to a group of its own random choice, and every group is permuted once it is complete.
    How the messages came, in which batches and from which file, changes nothing.
    """

    def __init__(self, kind: np.dtype[Any], source: Source = os.urandom) -> None:
        self._source = source
        self._spilled = SpilledRecords(kind)
        self.close = self._spilled.close

    def add(self, messages: Messages) -> None:
        """Take in messages."""
        self._spilled.add(messages, random_groups(len(messages), self._source))

    def read(self) -> Iterator[Messages]:
        """Yield all messages in their new order, in parts whose sizes are random."""
        for messages in self._spilled.read(self._split):
            yield messages[random_order(len(messages), self._source)]

    def _split(self, messages: Records, _level: int) -> tuple[Records, Bytes]:
        return messages, random_groups(len(messages), self._source)
