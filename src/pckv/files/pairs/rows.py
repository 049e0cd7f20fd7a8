"""Rows with a user, a key and a value, in batches of columns, from any source."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import DataError, ParameterError
from pckv.base.levels import KEY_ALONE
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task
from pckv.files.pairs.findings import Fault, RowFindings

ROWS_PER_BATCH = 2**16
# This many rows take about a gigabyte of memory.
ROWS_IN_MEMORY = 2**24


class Columns(NamedTuple):
    """The names of the columns; those of values and of labels are empty where there are none."""

    user: str
    key: str
    value: str = ""
    segment: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns that there are."""
        return [name for name in self if name]

    def checked(self) -> Columns:
        """Return these columns; one that is named twice is a `ParameterError`."""
        roles: dict[str, str] = {}
        for role, name in self._asdict().items():
            if name and (first := roles.setdefault(name, role)) != role:
                raise ParameterError(f"column {name!r} cannot be both {first} and {role}")
        return self


# What may stand between the whole part of a number and its decimals.
DECIMAL_MARKS = POINT, COMMA = ".", ","
# Points are no decimal marks beside commas: "1.500,5" and "1.500" become texts that are no numbers.
_COMMAS_TO_POINTS = str.maketrans({COMMA: POINT, POINT: "_"})

# What is wrong with values that are not numbers.
NO_VALUE, DECIMAL_COMMA, NO_NUMBER = "no value", "value with a decimal comma", "value is not a number"


class TextForm(NamedTuple):
    """How a source writes its texts and numbers.

    Attributes:
        encoding: The encoding of a text file, under a name that Python knows.
        decimal: The mark before the decimals of a number that is a text, one of `DECIMAL_MARKS`.
        trim: Whether blanks around users, keys and names of columns are left out.
    """

    encoding: str = "utf-8-sig"
    decimal: str = POINT
    trim: bool = False

    def check(self) -> None:
        """Refuse an encoding that is none of texts."""
        try:
            codecs.lookup(self.encoding)
            "".encode(self.encoding)
        except (LookupError, ValueError):
            raise ParameterError(f"{self.encoding!r} is not the name of an encoding of texts") from None

    def names(self, names: list[str]) -> list[str]:
        """Return names as they count."""
        return [name.strip() for name in names] if self.trim else names


PLAIN_FORM = TextForm()


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

    def rows(self, which: Flags) -> EncodedNames:
        """Return the names of some rows, without those that only others have."""
        kept, codes = np.unique(self.codes[which], return_inverse=True)
        return EncodedNames([self.names[code] for code in kept.tolist()], codes)


class RowBatch(NamedTuple):
    """Some rows: their numbers, users, keys, values and labels, if any; blank rows have neither key nor value."""

    rows: Integers
    users: EncodedNames
    keys: EncodedNames
    values: Floats
    blank: Flags
    labels: EncodedNames | None = None

    def only(self, which: Flags) -> RowBatch:
        """Return some of the rows."""
        if which.all():
            return self
        users, keys = self.users.rows(which), self.keys.rows(which)
        labels = None if self.labels is None else self.labels.rows(which)
        return RowBatch(self.rows[which], users, keys, self.values[which], self.blank[which], labels)


class ColumnBatch(NamedTuple):
    """Some rows as they were read: their numbers, users, keys, and values (numbers or texts) and labels, if any.

    Where columns hold lists, several rows have one number.
    """

    rows: Integers
    users: EncodedNames
    keys: EncodedNames
    values: Any
    labels: EncodedNames | None = None


class PairsSource(ABC):
    """Pairs, one per row, that can name a place among themselves; messages call the source by its `name`.

    The first row that is refused is an error, unless `count_faults` was called.

    Attributes:
        PLACE: What people call the place of a row.
    """

    PLACE: ClassVar[str] = "row"

    def __init__(self, columns: Columns, name: str, form: TextForm = PLAIN_FORM) -> None:
        form.check()
        self.columns, self.name, self.form = columns, name, form
        self.findings = RowFindings()

    def count_faults(self) -> None:
        """Count rows that are refused from now on, and leave them out, instead of raising an error."""
        self.findings.faults = {}

    @property
    def counts_faults(self) -> bool:
        """Whether rows that are refused are counted."""
        return self.findings.faults is not None

    def refuse(self, rows: Integers, kind: str, reason: str, code: str | None = None, *, differ: bool = False) -> None:
        """Refuse some rows: the first one is an error, or all are counted.

        Args:
            rows: The numbers of the rows.
            kind: What is wrong with all of them.
            reason: What is wrong with the first one.
            code: The code of the error.
            differ: Whether the reason of another one of them reads differently.
        """
        faults = self.findings.faults
        if faults is None:
            raise self.row_error(int(rows[0]), reason, code)
        faults.setdefault(kind, Fault()).add(rows, reason, code, differ)

    @property
    @abstractmethod
    def possible_rows(self) -> float:
        """How many rows there may be, judged without reading them."""

    @abstractmethod
    def read_columns(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        """Yield the columns of all rows, as they are written."""

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        """Yield the columns of all rows; one without a user is refused."""
        for batch in self.read_columns(rows_per_batch, progress):
            rows, values = batch.rows, batch.values
            users, keys = self._names(batch.users), self._names(batch.keys)
            labels = None if batch.labels is None else self._names(batch.labels)
            nameless = users.rows_with("")
            if not nameless.any():
                yield ColumnBatch(rows, users, keys, values, labels)
                continue
            self.refuse(rows[nameless], "no user", "no user")
            named = np.flatnonzero(~nameless)
            some = values[named] if isinstance(values, np.ndarray) else values and [values[row] for row in named]
            of_named = None if labels is None else labels.rows(~nameless)
            yield ColumnBatch(rows[named], users.rows(~nameless), keys.rows(~nameless), some, of_named)

    def _names(self, column: EncodedNames) -> EncodedNames:
        """Return a column of names as they count."""
        return EncodedNames(self.form.names(column.names), column.codes)

    def places(self, rows: Sequence[int]) -> list[int]:
        """Return the numbers of lines or rows, as people call the places of rows with these rising numbers from 0."""
        return list(rows)

    @property
    def is_large(self) -> bool:
        """Whether there may be too many rows to hold in memory."""
        return self.possible_rows > ROWS_IN_MEMORY

    def error(self, reason: str, code: str | None = None) -> DataError:
        """Return an error about all of the source."""
        return DataError(reason, place=self.name, code=code)

    def row_error(self, row: int, reason: str, code: str | None = None) -> DataError:
        """Return an error about a row, whose place is looked up only now."""
        return DataError(reason, place=f"{self.name}, {self.PLACE} {self.places([row])[0]}", code=code)

    def batches(self, progress: Progress = no_progress) -> Iterator[RowBatch]:
        """Yield all rows; one without a user, or with a value that is not a number, is refused."""
        for rows, users, keys, given, labels in self.read(ROWS_PER_BATCH, progress):
            blank = keys.rows_with("")
            values: Any = np.full(rows.size, *KEY_ALONE) if given is None else given
            if given is not None and blank.any():
                blank &= np.array([value in ("", None) for value in values], np.bool_)
            numbers, are_numbers = self._numbers(values, blank, rows)
            yield RowBatch(rows, users, keys, numbers, blank, labels).only(are_numbers)

    def _numbers(self, values: Sequence[Any], blank: Flags, rows: Integers) -> tuple[Floats, Flags]:
        """Return values as numbers, and which of them are some; others are refused."""
        if isinstance(values, np.ndarray):
            return values, np.ones(rows.size, np.bool_)
        if blank.any():
            values = [0.0 if empty else value for value, empty in zip(values, blank.tolist(), strict=True)]
        read = values if self.form.decimal == POINT else list(map(_with_points, values))
        try:
            if _all_plain(read):
                return np.fromiter(map(float, read), np.float64, len(read)), np.ones(rows.size, np.bool_)
        except (TypeError, ValueError):
            pass
        are_numbers = np.fromiter(map(_is_number, read), np.bool_, len(read))
        self._refuse_values(values, np.flatnonzero(~are_numbers), rows)
        numbers = (float(value) if good else 0.0 for value, good in zip(read, are_numbers.tolist(), strict=True))
        return np.fromiter(numbers, np.float64, len(read)), are_numbers

    def _refuse_values(self, values: Sequence[Any], bad: Integers, rows: Integers) -> None:
        """Refuse values that are not numbers: those with a decimal comma, missing ones, and others."""
        kinds: dict[str, list[int]] = {}
        for place in bad.tolist():
            kinds.setdefault(self._kind_of_fault(values[place]), []).append(place)
        # The kind of the first row comes first.
        for kind, places in kinds.items():
            first = values[places[0]]
            reason = NO_VALUE if kind == NO_VALUE else f"value {first!r} is not a number"
            code = "decimal_comma" if kind == DECIMAL_COMMA else None
            differ = kind != NO_VALUE and any(values[place] != first for place in places)
            self.refuse(rows[places], kind, reason, code, differ=differ)

    def _kind_of_fault(self, value: object) -> str:
        """Return what is wrong with a value that is not a number."""
        if value in ("", None):
            return NO_VALUE
        has_comma = self.form.decimal == POINT and _is_number(_with_points(value))
        return DECIMAL_COMMA if has_comma else NO_NUMBER

    def check_header(self, header: Sequence[object]) -> None:
        """Refuse names of columns among which each that is wanted is not there once."""
        for name in self.columns.names:
            if header.count(name) != 1:
                problem = "two columns" if name in header else "no column"
                raise self.error(f"{problem} {name!r}; there are {', '.join(map(repr, header)) or 'none'}")


def encode(names: list[str]) -> EncodedNames:
    """Return a column of names with each distinct one once."""
    distinct = list(dict.fromkeys(names))
    code = {name: number for number, name in enumerate(distinct)}
    return EncodedNames(distinct, np.fromiter(map(code.__getitem__, names), np.int64, len(names)))


def _with_points(value: object) -> object:
    """Return a text with decimal points instead of commas; anything else as it is."""
    return value.translate(_COMMAS_TO_POINTS) if isinstance(value, str) else value


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
NO_KEY = -1
_LOWEST = (1 << HASHED_BITS) - 1


class RowKeys(NamedTuple):
    """How rows name keys: integers that are equal for equal texts, from which the numbers of keys follow.

    A key that a task lists is its own number. All others are numbers of their texts above those; and so are
    hashes, with the number of the key in the upper bits.
    """

    # How long these integers are.
    kind: np.dtype[np.int32] | np.dtype[np.int64]
    # The integer of a text; raises a `PairsError` where it is no key. Of hashed ones, which devices leave out
    # then, it is `NO_KEY`.
    of_text: Callable[[str], int]
    numbers: Callable[[Integers | NDArray[np.int32]], NDArray[np.int32]]
    # What a row's key is called in messages about it.
    name: Callable[[int], str]


def row_keys(task: Task) -> RowKeys:
    """Return how rows name the keys of a task."""
    if task.is_hashed:

        def of_hash(text: str) -> int:
            found = task.held_hash(text)
            if found is None:
                return NO_KEY
            return found % task.key_count << HASHED_BITS | found & _LOWEST

        return RowKeys(
            np.dtype(np.int64),
            of_hash,
            lambda keys: (keys >> HASHED_BITS).astype(np.int32),
            lambda _: "this key",
        )
    if task.other_index is None:
        return listed_keys(task.key_index, task.key_name)
    other = task.other_index

    def of_text(text: str) -> int:
        number = task.held_index(text)
        if number is not None and (number < other or text == task.other):
            return number
        hashed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
        return other + 1 + (hashed >> 64 - UNLISTED_BITS)

    return RowKeys(
        np.dtype(np.int64),
        of_text,
        lambda keys: np.minimum(keys, other).astype(np.int32),
        lambda key: f"key {task.key_name(key)!r}" if key <= other else "this key",
    )


def listed_keys(number: Callable[[str], int], name: Callable[[int], str]) -> RowKeys:
    """Return how rows name keys that all have their own numbers and names."""
    return RowKeys(
        np.dtype(np.int32),
        number,
        lambda keys: keys.astype(np.int32, copy=False),
        lambda key: f"key {name(key)!r}",
    )
