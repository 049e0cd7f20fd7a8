"""Rows with a user, a key and a value, in batches of columns, from any source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import DataError
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task

ROWS_PER_BATCH = 2**16
# This many rows take about a gigabyte of memory.
ROWS_IN_MEMORY = 2**24


class Columns(NamedTuple):
    """The names of the three columns."""

    user: str
    key: str
    value: str


class EncodedNames(NamedTuple):
    """A column of names: the distinct ones, and for each row the index of its name."""

    names: list[str]
    codes: Integers

    def rows_with(self, name: str) -> Flags:
        """Return which rows have this name."""
        return np.array([known == name for known in self.names], np.bool_)[self.codes]

    def hashes(self) -> NDArray[np.uint64]:
        """Return 128 bits of a hash of every row's name."""
        hashes = b"".join(blake2b(name.encode(), digest_size=16).digest() for name in self.names)
        return np.frombuffer(hashes, "<u8").reshape(-1, 2)[self.codes]


class RowBatch(NamedTuple):
    """Some rows: their numbers, users, keys and values; blank rows have neither key nor value."""

    rows: Integers
    users: EncodedNames
    keys: EncodedNames
    values: Floats
    blank: Flags


class ColumnBatch(NamedTuple):
    """Some rows as they were read: users, keys, and values that are numbers or texts."""

    users: EncodedNames
    keys: EncodedNames
    values: Any


class PairsSource(ABC):
    """Pairs, one per row, that can name a place among themselves; messages call the source by its `name`."""

    def __init__(self, columns: Columns, name: str) -> None:
        self.columns, self.name = columns, name

    @property
    @abstractmethod
    def possible_rows(self) -> float:
        """How many rows there may be, judged without reading them."""

    @abstractmethod
    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        """Yield the three columns of all rows."""

    def place(self, row: int) -> str:
        """Return what people call the place of a row, given its number from 0."""
        return f"row {row}"

    @property
    def is_large(self) -> bool:
        """Whether there may be too many rows to hold in memory."""
        return self.possible_rows > ROWS_IN_MEMORY

    def error(self, reason: str, code: str | None = None) -> DataError:
        """Return an error about all of the source."""
        return DataError(reason, place=self.name, code=code)

    def row_error(self, row: int, reason: str, code: str | None = None) -> DataError:
        """Return an error about a row, whose place is looked up only now."""
        return DataError(reason, place=f"{self.name}, {self.place(row)}", code=code)

    def batches(self, progress: Progress = no_progress) -> Iterator[RowBatch]:
        """Yield all rows; one without a user, or with a value that is not a number, is refused."""
        start = 0
        for users, keys, values in self.read(ROWS_PER_BATCH, progress):
            rows = np.arange(start, start + len(values))
            nameless = users.rows_with("")
            if nameless.any():
                raise self.row_error(int(rows[np.argmax(nameless)]), "no user")
            blank = keys.rows_with("")
            if blank.any():
                blank &= np.array([value in ("", None) for value in values], np.bool_)
            yield RowBatch(rows, users, keys, self._numbers(values, blank, start), blank)
            start += len(values)

    def _numbers(self, values: Sequence[Any], blank: Flags, start: int) -> Floats:
        if isinstance(values, np.ndarray):
            return values
        if blank.any():
            values = [0.0 if empty else value for value, empty in zip(values, blank.tolist(), strict=True)]
        try:
            if _all_plain(values):
                return np.fromiter(map(float, values), np.float64, len(values))
        except (TypeError, ValueError):
            pass
        row = next(row for row, value in enumerate(values) if not _is_number(value))
        raise self.row_error(start + row, f"value {values[row] or ''!r} is not a number")

    def check_header(self, header: Sequence[object]) -> None:
        """Refuse names of columns among which each of the three is not there once."""
        for name in self.columns:
            if header.count(name) != 1:
                problem = "two columns" if name in header else "no column"
                raise self.error(f"{problem} {name!r}; there are {', '.join(map(repr, header))}")


def encode(names: list[str]) -> EncodedNames:
    """Return a column of names with each distinct one once."""
    distinct = list(dict.fromkeys(names))
    code = {name: number for number, name in enumerate(distinct)}
    return EncodedNames(distinct, np.fromiter(map(code.__getitem__, names), np.int64, len(names)))


def _all_plain(values: Sequence[Any]) -> bool:
    """Return whether no text among the values has digits that only Python reads as a number."""
    texts = "".join(value for value in values if isinstance(value, str))
    return texts.isascii() and "_" not in texts


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return _all_plain([value])


def format_number(value: float) -> str:
    """Return a number in full, without a decimal point where it needs none.

    >>> format_number(5.0), format_number(5.0000001)
    ('5', '5.0000001')
    """
    return repr(float(value)).removesuffix(".0")


# Bits of the hash of a text: only keys of one user are compared, and of hashed ones those with the same number.
UNLISTED_BITS, HASHED_BITS = 62, 32
_LOWEST = (1 << HASHED_BITS) - 1


class RowKeys(NamedTuple):
    """How rows name keys: integers that are equal for equal texts, from which the numbers of keys follow.

    A key that a task lists is its own number. All others are numbers of their texts above those; and so are
    hashes, with the number of the key in the upper bits.
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

        def of_hash(text: str) -> int:
            found = task.key_hash(text)
            return found % task.key_count << HASHED_BITS | found & _LOWEST

        return RowKeys(
            np.dtype(np.int64),
            of_hash,
            lambda keys: (keys >> HASHED_BITS).astype(np.int32),
            lambda _: "the same key",
        )
    if task.other_index is None:
        return listed_keys(task.key_index, task.key_name)
    other = task.other_index

    def of_text(text: str) -> int:
        number = task.held_index(text)
        if number < other or text == task.other:
            return number
        hashed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
        return other + 1 + (hashed >> 64 - UNLISTED_BITS)

    return RowKeys(
        np.dtype(np.int64),
        of_text,
        lambda keys: np.minimum(keys, other).astype(np.int32),
        lambda key: f"key {task.key_name(key)!r}" if key <= other else "the same key",
    )


def listed_keys(number: Callable[[str], int], name: Callable[[int], str]) -> RowKeys:
    """Return how rows name keys that all have their own numbers and names."""
    return RowKeys(
        np.dtype(np.int32),
        number,
        lambda keys: keys.astype(np.int32, copy=False),
        lambda key: f"key {name(key)!r}",
    )
