"""Participants' pairs from a CSV or Parquet file with a user, a key and a value column."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.bulk.reports import is_report_file
from pckv.errors import DataError, PairsError, require
from pckv.population import Population
from pckv.task import Task

REPEATED = ("last", "mean")
ROWS_A_BATCH = 2**16

Progress = Callable[[float], None]


class Columns(NamedTuple):
    """The names of the three columns."""

    user: str
    key: str
    value: str


class Leniency(NamedTuple):
    """What is mended instead of refused."""

    clip: bool = False
    ignore_unknown: bool = False
    repeated: str | None = None


STRICT = Leniency()


class Row(NamedTuple):
    """One row as text, and where it stands."""

    place: int
    user: str
    key: str
    value: str


class PopulationFile(NamedTuple):
    """A population, and what was mended on the way."""

    population: Population
    clipped: int
    ignored: int
    merged: int


def read_population(
    path: Path,
    task: Task,
    columns: Columns,
    leniency: Leniency = STRICT,
    progress: Progress = lambda _: None,
) -> PopulationFile:
    """Read everybody's pairs; a row with an empty key is somebody without pairs.

    Users whose keys are all ignored stay participants: leaving them out would bias every share.
    """
    where = "row" if is_report_file(path) else "line"
    rows = _parquet_rows(path, columns, progress) if where == "row" else _csv_rows(path, columns, progress)
    reader = _Reader(path, where, task, leniency)
    for row in rows:
        reader.add(row)
    return reader.finish()


class _Reader:
    def __init__(self, path: Path, where: str, task: Task, leniency: Leniency) -> None:
        self.path, self.where, self.task, self.leniency = path, where, task, leniency
        self.users: dict[str, int] = {}
        self.columns = {"user": array("q"), "key": array("q"), "place": array("q")}
        self.values = array("d")
        self.clipped = self.ignored = 0

    def refuse(self, place: int, problem: str) -> DataError:
        return DataError(f"{self.path}, {self.where} {place}: {problem}")

    def add(self, row: Row) -> None:
        if not row.user:
            raise self.refuse(row.place, "no user")
        user = self.users.setdefault(row.user, len(self.users))
        if not row.key and not row.value:
            return
        try:
            key = self.task.key_index(row.key)
        except PairsError as error:
            if not self.leniency.ignore_unknown:
                raise self.refuse(row.place, f"{error} (--ignore-unknown leaves such rows out)") from None
            self.ignored += 1
            return
        self.values.append(self._value(row))
        for name, number in (("user", user), ("key", key), ("place", row.place)):
            self.columns[name].append(number)

    def _value(self, row: Row) -> float:
        try:
            value = float(row.value)
        except ValueError:
            raise self.refuse(row.place, f"value {row.value!r} is not a number") from None
        if math.isnan(value):
            raise self.refuse(row.place, "value is NaN")
        low, high = self.task.low, self.task.high
        if low <= value <= high:
            return value
        if not self.leniency.clip:
            raise self.refuse(
                row.place,
                f"value {row.value} is outside [{low:g}, {high:g}] (--clip moves it to the nearest end)",
            )
        self.clipped += 1
        return min(max(value, low), high)

    def finish(self) -> PopulationFile:
        if not self.users:
            raise DataError(f"{self.path}: no rows")
        user, key, place = (np.array(self.columns[name], np.int64) for name in ("user", "key", "place"))
        values = np.array(self.values)
        order = np.lexsort((place, key, user))
        user, key, place, values = user[order], key[order], place[order], values[order]
        again = (
            np.r_[False, (user[1:] == user[:-1]) & (key[1:] == key[:-1])]
            if user.size
            else np.zeros(0, np.bool_)
        )
        if again.any():
            if self.leniency.repeated is None:
                first = int(np.flatnonzero(again)[np.argmin(place[again])])
                name = self.task.key_name(int(key[first]))
                raise self.refuse(
                    int(place[first]), f"key {name!r} again for the same user (--repeated last or mean)"
                )
            values = _merged(values, again, self.leniency.repeated)
            user, key = user[~again], key[~again]
        offsets = np.r_[0, np.cumsum(np.bincount(user, minlength=len(self.users)))]
        return PopulationFile(Population(offsets, key, values), self.clipped, self.ignored, int(again.sum()))


def _merged(values: NDArray[np.float64], again: NDArray[np.bool_], how: str) -> NDArray[np.float64]:
    starts = np.flatnonzero(~again)
    ends = np.r_[starts[1:], values.size]
    if how == "last":
        return np.asarray(values[ends - 1])
    means: NDArray[np.float64] = np.add.reduceat(values, starts) / (ends - starts)
    return means


def _csv_rows(path: Path, columns: Columns, progress: Progress) -> Iterator[Row]:
    size = path.stat().st_size or 1
    with path.open("rb") as raw:
        lines = _decoded_lines(path, raw, size, progress)
        reader = csv.reader(lines, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                raise DataError(f"{path}: the file is empty")
            places = _places(path, header, columns)
            for fields in reader:
                if not fields:
                    continue
                if len(fields) != len(header):
                    raise DataError(
                        f"{path}, line {reader.line_num}: {len(fields)} fields where the header has {len(header)}"
                    )
                yield Row(reader.line_num, *(fields[place] for place in places))
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: {error}") from None


def _decoded_lines(path: Path, raw: Any, size: int, progress: Progress) -> Iterator[str]:
    read = 0
    for number, line in enumerate(raw, 1):
        read += len(line)
        if number % ROWS_A_BATCH == 0:
            progress(read / size)
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise DataError(f"{path}, line {number}: not UTF-8") from None


def _parquet_rows(path: Path, columns: Columns, progress: Progress) -> Iterator[Row]:
    arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise DataError(f"{path}: not a Parquet file ({str(error).splitlines()[0]})") from None
    _places(path, file.schema_arrow.names, columns)
    number = 0
    for batch in file.iter_batches(ROWS_A_BATCH, columns=list(columns)):
        texts = [batch.column(name).cast(arrow.string()).fill_null("").to_pylist() for name in columns]
        for user, key, value in zip(*texts, strict=True):
            yield Row(number, user, key, value)
            number += 1
        progress(number / max(file.metadata.num_rows, 1))


def _places(path: Path, header: list[str], columns: Columns) -> list[int]:
    for name in columns:
        if name not in header:
            raise DataError(f"{path}: no column {name!r}; there are {', '.join(map(repr, header))}")
    return [header.index(name) for name in columns]
