"""The keys of rows as integers, so that keys that a task counts as one can be told apart while rows are merged."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers
from pckv.contract.task import Task

# Bits of the hash of a text. Only keys of one user are compared, and of those that are hashed only such with the same number.
UNLISTED_BITS, HASHED_BITS = 62, 32
_LOWEST = (1 << HASHED_BITS) - 1


class RowKeys(NamedTuple):
    """How rows name keys: integers that are equal for equal texts, from which the numbers of keys follow.

    A key that a task lists is its own number. All others are numbers of their texts above those; and so are hashes, with the
    number of the key in the upper bits.
    """

    # How long these integers are.
    kind: np.dtype[np.int32] | np.dtype[np.int64]
    # The integer of a text; raises a `PairsError` where it is no key.
    of_text: Callable[[str], int]
    numbers: Callable[[Integers | NDArray[np.int32]], NDArray[np.int32]]
    # What a row's key is called in messages about it.
    name: Callable[[int], str]


def row_keys(task: Task) -> RowKeys:
    """Return how rows name the keys of a task."""
    if task.is_hashed:
        return RowKeys(
            np.dtype(np.int64),
            _hashed_key(task.key_hash, task.key_count),
            lambda keys: (keys >> HASHED_BITS).astype(np.int32),
            lambda _: "the same key",
        )
    if task.other_index is None:
        return listed_keys(task.key_index, task.key_name)
    other = task.other_index

    def of_text(text: str) -> int:
        number = task.held_index(text)
        return number if number < other or text == task.other else other + 1 + _text_number(text)

    return RowKeys(
        np.dtype(np.int64),
        of_text,
        lambda keys: np.minimum(keys, other).astype(np.int32),
        lambda key: f"key {task.key_name(key)!r}" if key <= other else "the same key",
    )


def listed_keys(number: Callable[[str], int], name: Callable[[int], str]) -> RowKeys:
    """Return how rows name keys that all have numbers and names of their own."""
    return RowKeys(
        np.dtype(np.int32),
        number,
        lambda keys: keys.astype(np.int32, copy=False),
        lambda key: f"key {name(key)!r}",
    )


def _text_number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 64 - UNLISTED_BITS


def _hashed_key(key_hash: Callable[[str], int], key_count: int) -> Callable[[str], int]:
    def of_text(text: str) -> int:
        found = key_hash(text)
        return found % key_count << HASHED_BITS | found & _LOWEST

    return of_text
