"""Rows of a CSV or Parquet file with a user, a key and a value column, in batches of columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from pckv.arrays import Flags, Floats, Integers
from pckv.errors import DataError, first_line, require
from pckv.files.parquet import is_parquet, open_parquet
from pckv.progress import Progress, no_progress

ROWS_PER_BATCH = 2**16
# This many rows take about a gigabyte of memory; a line of CSV has at least MIN_LINE_BYTES.
ROWS_IN_MEMORY = 2**24
MIN_LINE_BYTES = 8


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


class RowBatch(NamedTuple):
    """Some rows: their numbers, users, keys and values; blank rows have neither key nor value."""

    rows: Integers
    users: EncodedNames
    keys: EncodedNames
    values: Floats
    blank: Flags


class PairsFile:
    """A file of pairs, one per row, which can name a place in itself.

    `name` is what messages call the file, where that is not its path.
    """

    def __init__(self, path: Path, columns: Columns, name: str | None = None) -> None:
        self.path, self.columns = path, columns
        self.name = name or str(path)
        self.is_parquet = is_parquet(path)

    @property
    def is_large(self) -> bool:
        """Whether there may be too many rows to hold in memory, judged without reading them."""
        if self.is_parquet:
            return bool(self._open_parquet().metadata.num_rows > ROWS_IN_MEMORY)
        return self.path.stat().st_size > ROWS_IN_MEMORY * MIN_LINE_BYTES

    def error(self, reason: str, code: str | None = None) -> DataError:
        """Return an error about the whole file."""
        return DataError(reason, place=self.name, code=code)

    def row_error(self, row: int, reason: str, code: str | None = None) -> DataError:
        """Return an error about a row; the line of a CSV row is looked up only now."""
        place = f"row {row}" if self.is_parquet else f"line {self._line_of(row)}"
        return DataError(reason, place=f"{self.name}, {place}", code=code)

    def batches(self, progress: Progress = no_progress) -> Iterator[RowBatch]:
        """Yield all rows; one without a user, or with a value that is not a number, is refused."""
        start = 0
        for users, keys, values in (
            self._read_parquet(progress) if self.is_parquet else self._read_csv(progress)
        ):
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

    def _read_csv(self, progress: Progress) -> Iterator[tuple[EncodedNames, EncodedNames, list[str]]]:
        size, start = self.path.stat().st_size or 1, 0
        with self._open() as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            try:
                header = next(reader, None)
                if header is None:
                    raise self.error("the file is empty")
                self._check_header(header)
                pickers = [itemgetter(header.index(name)) for name in self.columns]
                while batch := list(islice(reader, ROWS_PER_BATCH)):
                    rows = [fields for fields in batch if fields]
                    for row, width in enumerate(map(len, rows)):
                        if width != len(header):
                            reason = f"{width} fields where the header has {len(header)}"
                            raise self.row_error(start + row, reason)
                    users, keys, values = (list(map(pick, rows)) for pick in pickers)
                    yield _encode(users), _encode(keys), values
                    start += len(rows)
                    progress(raw.tell() / size)
            except csv.Error as error:
                raise DataError(str(error), place=f"{self.name}, line {reader.line_num}") from None
            except UnicodeDecodeError:
                raise DataError("not UTF-8", place=f"{self.name}, line {self._line_not_utf8()}") from None

    def _line_of(self, row: int) -> int:
        with io.TextIOWrapper(self._open(), "utf-8-sig", errors="replace", newline="") as file:
            reader = csv.reader(file)
            rows = (fields for fields in reader if fields)
            next(islice(rows, row + 1, None), None)
            return reader.line_num

    def _line_not_utf8(self) -> int:
        with self._open() as file:
            return next(number for number, line in enumerate(file, 1) if not _is_utf8(line))

    def _open(self) -> BinaryIO:
        file = self.path.open("rb")
        # The path of a descriptor, such as /dev/fd/3, shares its position on some systems.
        file.seek(0)
        return file

    def _open_parquet(self) -> Any:
        return open_parquet(self.path, "a Parquet file", self.name)

    def _read_parquet(self, progress: Progress) -> Iterator[tuple[EncodedNames, EncodedNames, Any]]:
        file = self._open_parquet()
        arrow = require("pyarrow", extra="files")
        self._check_header(file.schema_arrow.names)
        done = 0
        try:
            for batch in file.iter_batches(ROWS_PER_BATCH, columns=list(self.columns)):
                user, key, value = (batch.column(name) for name in self.columns)
                yield _encode_arrow(arrow, user), _encode_arrow(arrow, key), _arrow_values(arrow, value)
                done += len(batch)
                progress(done / file.metadata.num_rows)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self.error(f"cannot be read ({first_line(error)})") from None

    def _check_header(self, header: list[str]) -> None:
        for name in self.columns:
            if header.count(name) != 1:
                problem = "two columns" if name in header else "no column"
                raise self.error(f"{problem} {name!r}; there are {', '.join(map(repr, header))}")


def _encode(names: list[str]) -> EncodedNames:
    distinct = list(dict.fromkeys(names))
    code = {name: number for number, name in enumerate(distinct)}
    return EncodedNames(distinct, np.fromiter(map(code.__getitem__, names), np.int64, len(names)))


def _encode_arrow(arrow: Any, column: Any) -> EncodedNames:
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    encoded = column.dictionary_encode(null_encoding="encode")
    names = encoded.dictionary.cast(arrow.string()).fill_null("").to_pylist()
    return EncodedNames(names, encoded.indices.to_numpy().astype(np.int64))


def _arrow_values(arrow: Any, column: Any) -> Any:
    """Return numbers as they are, with None where one is missing; anything else as text."""
    numeric = arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type)
    if numeric:
        column = column.cast(arrow.float64())
        return column.to_pylist() if column.null_count else column.to_numpy()
    return column.cast(arrow.string()).to_pylist()


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


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def format_number(value: float) -> str:
    """Return a number in full, without a decimal point where it needs none.

    >>> format_number(5.0), format_number(5.0000001)
    ('5', '5.0000001')
    """
    return repr(float(value)).removesuffix(".0")
