"""Participants' pairs from files: many rows into compressed ones, what is wrong refused or mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.errors import DataError, PairsError
from pckv.files.pairs.rows import Batch, Columns, Progress, RowFile, shown
from pckv.population import Population
from pckv.task import Task

REPEATED = ("last", "mean")


class Leniency(NamedTuple):
    """What is mended instead of refused."""

    clip: bool = False
    ignore_unknown: bool = False
    repeated: str | None = None


STRICT = Leniency()

Add = Callable[[Batch, NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]], None]


class PopulationFile(NamedTuple):
    """A population, and how many rows were mended on the way."""

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
    *,
    name: str | None = None,
) -> PopulationFile:
    """Read everybody's pairs; a row with an empty key and value is somebody without pairs.

    Users whose keys are all ignored stay participants: leaving them out would bias every share.
    """
    rows = RowFile(path, columns, name)
    pairs = PairRows(rows)
    mended = read_rows(rows, pairs.add, task, leniency, progress)
    population, merged = pairs.compress(leniency.repeated, task.key_name)
    return PopulationFile(population, *mended, merged)


def read_rows(rows: RowFile, add: Add, task: Task, leniency: Leniency, progress: Progress) -> tuple[int, int]:
    """Pass all rows on, checked against a task; how many were clipped and how many ignored."""
    clipped = ignored = 0
    for batch in rows.batches(progress):
        keys, unknown = _task_keys(rows, batch, task, leniency)
        used = ~(unknown | batch.blank)
        values, moved = _task_values(rows, batch, used, task, leniency)
        clipped, ignored = clipped + moved, ignored + int(unknown.sum())
        add(batch, keys, values, used)
    return clipped, ignored


def _task_keys(
    rows: RowFile, batch: Batch, task: Task, leniency: Leniency
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    numbers = np.full(len(batch.keys.names), -1, np.int64)
    for place, name in enumerate(batch.keys.names):
        try:
            numbers[place] = task.key_index(name)
        except PairsError as error:
            if leniency.ignore_unknown:
                continue
            unknown = (batch.keys.codes == place) & ~batch.blank
            if unknown.any():
                first = int(batch.rows[np.argmax(unknown)])
                raise rows.refusal(first, f"{error} (--ignore-unknown leaves such rows out)") from None
    keys = numbers[batch.keys.codes]
    return keys, (keys < 0) & ~batch.blank


def _task_values(
    rows: RowFile, batch: Batch, used: NDArray[np.bool_], task: Task, leniency: Leniency
) -> tuple[NDArray[np.float64], int]:
    values = batch.values
    bad = used & ~((values >= task.low) & (values <= task.high))
    for place in np.flatnonzero(bad & (np.isnan(values) | (not leniency.clip))):
        problem = (
            "value is NaN"
            if np.isnan(values[place])
            else f"value {shown(values[place])} is outside [{task.low:g}, {task.high:g}] (--clip moves it to the nearest end)"
        )
        raise rows.refusal(int(batch.rows[place]), problem)
    return np.clip(values, task.low, task.high), int(bad.sum())


class PairRows:
    """Rows of pairs as they come, until they are compressed into a population."""

    def __init__(self, rows: RowFile) -> None:
        self.rows = rows
        self.users: dict[str, int] = {}
        self._user = _Column(np.dtype(np.int32))
        self._key = _Column(np.dtype(np.int32))
        self._value = _Column(np.dtype(np.float64))
        self._left_out = _Column(np.dtype(np.int64))

    def add(
        self, batch: Batch, keys: NDArray[np.int64], values: NDArray[np.float64], used: NDArray[np.bool_]
    ) -> None:
        """Take in a batch; rows that are not used still make their user a participant."""
        codes = [self.users.setdefault(name, len(self.users)) for name in batch.users.names]
        users = np.array(codes, np.int32)[batch.users.codes]
        self._user.extend(users[used])
        self._key.extend(keys[used])
        self._value.extend(values[used])
        self._left_out.extend(batch.rows[~used])

    def compress(self, repeated: str | None, key_name: Callable[[int], str]) -> tuple[Population, int]:
        """Everybody's pairs in order; how many rows were merged into others."""
        if not self.users:
            raise DataError(f"{self.rows.name}: no rows")
        return compress(
            self._user.taken(),
            self._key.taken(),
            self._value.taken(),
            participants=len(self.users),
            repeated=repeated,
            refusal=lambda place, key: self.rows.refusal(self._row_of(place), repeated_key(key_name(key))),
        )

    def _row_of(self, used: int) -> int:
        """The number of a row, given how many used ones stand before it."""
        left_out = self._left_out.taken()
        before = np.searchsorted(left_out - np.arange(left_out.size), used, side="right")
        return used + int(before)


def repeated_key(name: str) -> str:
    """What is said of a key that a user has twice."""
    return f"key {name!r} again for the same user (--repeated last or mean)"


def compress(
    users: NDArray[np.int32],
    keys: NDArray[np.int32],
    values: NDArray[np.float64],
    *,
    participants: int,
    repeated: str | None,
    refusal: Callable[[int, int], DataError],
) -> tuple[Population, int]:
    """Rows of pairs as a population, and how many were merged into others; `refusal` names a place and a key."""
    # A stable order: rows of one user and key stay as they came.
    order = np.lexsort((keys, users))
    users = users[order]
    keys = keys[order]
    values = values[order]
    again = np.zeros(users.size, np.bool_)
    again[1:] = (users[1:] == users[:-1]) & (keys[1:] == keys[:-1])
    if again.any():
        if repeated is None:
            first = int(np.flatnonzero(again)[np.argmin(order[again])])
            raise refusal(int(order[first]), int(keys[first]))
        values = _merged(values, again, repeated)
        users, keys = users[~again], keys[~again]
    offsets = np.zeros(participants + 1, np.int64)
    np.cumsum(np.bincount(users, minlength=participants), out=offsets[1:])
    return Population(offsets, keys, values), int(again.sum())


class _Column:
    """An array that grows in place: there may be many millions of rows, and no room for them twice."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._array = np.empty(0, kind)
        self._size = 0

    def extend(self, part: NDArray[Any]) -> None:
        end = self._size + part.size
        if end > self._array.size:
            self._array.resize(max(end, 2 * self._array.size), refcheck=False)
        self._array[self._size : end] = part
        self._size = end

    def taken(self) -> NDArray[Any]:
        """The whole array, which the column gives up."""
        whole, self._array = self._array, np.empty(0, self._array.dtype)
        whole.resize(self._size, refcheck=False)
        self._size = 0
        return whole


def _merged(values: NDArray[np.float64], again: NDArray[np.bool_], how: str) -> NDArray[np.float64]:
    """One value for every run of rows that are the same pair again; most runs have one row."""
    merged = values[~again]
    repeats = np.flatnonzero(again)
    starts = repeats[np.flatnonzero(~again[repeats - 1])] - 1
    ends = repeats[np.flatnonzero(~np.append(again, False)[repeats + 1])]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        run = values[start : end + 1]
        # Rounding must not carry a mean out of its values, and so perhaps out of the range.
        chosen = run[-1] if how == "last" else np.clip(run.mean(), run.min(), run.max())
        merged[start - np.searchsorted(repeats, start)] = chosen
    return merged
