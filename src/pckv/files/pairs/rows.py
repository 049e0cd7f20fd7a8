"""Rows of a CSV or Parquet file with a user, a key and a value column, in batches of columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.errors import DataError, require
from pckv.files.reports.format import is_report_file, open_parquet

ROWS_A_BATCH = 2**16
# So many rows take about a gigabyte; a line of CSV has at least this many bytes.
ROWS_IN_MEMORY = 2**24
LEAST_LINE = 8

Progress = Callable[[float], None]


class Columns(NamedTuple):
    """The names of the three columns."""

    user: str
    key: str
    value: str


class Coded(NamedTuple):
    """A column of names: the distinct ones, and which of them each row has."""

    names: list[str]
    codes: NDArray[np.int64]

    def rows_with(self, name: str) -> NDArray[np.bool_]:
        """The rows that have this name."""
        return np.array([known == name for known in self.names], np.bool_)[self.codes]


class Batch(NamedTuple):
    """Some rows: their numbers, who, what, how much; blank ones hold neither key nor value."""

    rows: NDArray[np.int64]
    users: Coded
    keys: Coded
    values: NDArray[np.float64]
    blank: NDArray[np.bool_]


class RowFile:
    """A file of rows, which knows how to name a place in it."""

    def __init__(self, path: Path, columns: Columns, name: str | None = None) -> None:
        self.path, self.columns = path, columns
        # What messages call the file.
        self.name = name or str(path)
        self.parquet = is_report_file(path)

    @property
    def is_large(self) -> bool:
        """Whether there are too many rows to hold in memory, as far as can be told without reading them."""
        if self.parquet:
            return bool(
                open_parquet(self.path, "a Parquet file", self.name).metadata.num_rows > ROWS_IN_MEMORY
            )
        return self.path.stat().st_size > ROWS_IN_MEMORY * LEAST_LINE

    def refusal(self, row: int, problem: str) -> DataError:
        """An error that names a row: by its line in CSV, which is only looked up here."""
        place = f"row {row}" if self.parquet else f"line {self._line_of(row)}"
        return DataError(f"{self.name}, {place}: {problem}")

    def batches(self, progress: Progress = lambda _: None) -> Iterator[Batch]:
        """All rows; those without a user, or with a value that is no number, are refused."""
        start = 0
        for users, keys, values in self._parquet(progress) if self.parquet else self._csv(progress):
            rows = np.arange(start, start + len(values))
            nameless = users.rows_with("")
            if nameless.any():
                raise self.refusal(int(rows[np.argmax(nameless)]), "no user")
            blank = keys.rows_with("")
            if blank.any():
                blank &= np.array([value in ("", None) for value in values], np.bool_)
            yield Batch(rows, users, keys, self._numbers(values, blank, start), blank)
            start += len(values)

    def _numbers(self, values: Sequence[Any], blank: NDArray[np.bool_], start: int) -> NDArray[np.float64]:
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
        raise self.refusal(start + row, f"value {values[row] or ''!r} is not a number")

    def _csv(self, progress: Progress) -> Iterator[tuple[Coded, Coded, list[str]]]:
        size, start = self.path.stat().st_size or 1, 0
        with self.path.open("rb") as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            try:
                header = next(reader, None)
                if header is None:
                    raise DataError(f"{self.name}: the file is empty")
                picks = [itemgetter(header.index(name)) for name in self._present(header)]
                while batch := list(islice(reader, ROWS_A_BATCH)):
                    rows = [fields for fields in batch if fields]
                    for row, width in enumerate(map(len, rows)):
                        if width != len(header):
                            problem = f"{width} fields where the header has {len(header)}"
                            raise self.refusal(start + row, problem)
                    users, keys, values = (list(map(pick, rows)) for pick in picks)
                    yield _coded(users), _coded(keys), values
                    start += len(rows)
                    progress(raw.tell() / size)
            except csv.Error as error:
                raise DataError(f"{self.name}, line {reader.line_num}: {error}") from None
            except UnicodeDecodeError:
                raise DataError(f"{self.name}, line {self._line_not_utf8()}: not UTF-8") from None

    def _line_of(self, row: int) -> int:
        with self.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            reader = csv.reader(file)
            rows = (fields for fields in reader if fields)
            next(islice(rows, row + 1, None), None)
            return reader.line_num

    def _line_not_utf8(self) -> int:
        with self.path.open("rb") as file:
            return next(number for number, line in enumerate(file, 1) if not _is_utf8(line))

    def _parquet(self, progress: Progress) -> Iterator[tuple[Coded, Coded, Any]]:
        file = open_parquet(self.path, "a Parquet file", self.name)
        arrow = require("pyarrow", extra="files")
        self._present(file.schema_arrow.names)
        done = 0
        try:
            for batch in file.iter_batches(ROWS_A_BATCH, columns=list(self.columns)):
                user, key, value = (batch.column(name) for name in self.columns)
                yield _coded_arrow(arrow, user), _coded_arrow(arrow, key), _arrow_values(arrow, value)
                done += len(batch)
                progress(done / file.metadata.num_rows)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataError(f"{self.name}: cannot be read ({str(error).splitlines()[0]})") from None

    def _present(self, header: list[str]) -> Columns:
        for name in self.columns:
            if header.count(name) != 1:
                problem = "two columns" if name in header else "no column"
                raise DataError(f"{self.name}: {problem} {name!r}; there are {', '.join(map(repr, header))}")
        return self.columns


def _coded(names: list[str]) -> Coded:
    distinct = list(dict.fromkeys(names))
    code = {name: number for number, name in enumerate(distinct)}
    return Coded(distinct, np.fromiter(map(code.__getitem__, names), np.int64, len(names)))


def _coded_arrow(arrow: Any, column: Any) -> Coded:
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    encoded = column.dictionary_encode(null_encoding="encode")
    names = encoded.dictionary.cast(arrow.string()).fill_null("").to_pylist()
    return Coded(names, encoded.indices.to_numpy().astype(np.int64))


def _arrow_values(arrow: Any, column: Any) -> Any:
    """Numbers as they are, with None where there is none; anything else as text."""
    numeric = arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type)
    if numeric:
        column = column.cast(arrow.float64())
        return column.to_pylist() if column.null_count else column.to_numpy()
    return column.cast(arrow.string()).to_pylist()


def _all_plain(values: Sequence[Any]) -> bool:
    """Whether no text among the values has digits that only Python reads as a number."""
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


def shown(value: float) -> str:
    """A number in full, without a decimal point where it needs none."""
    return repr(float(value)).removesuffix(".0")
