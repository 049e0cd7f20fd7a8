"""Pairs of very many people: dealt out to files by user, so that everybody's pairs meet in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pckv.errors import DataError
from pckv.files.pairs.population import (
    STRICT,
    Leniency,
    PopulationFile,
    compress,
    read_population,
    read_rows,
    repeated_key,
)
from pckv.files.pairs.rows import Batch, Columns, Progress, RowFile
from pckv.files.spill import Parts
from pckv.population import Population
from pckv.task import Task

# A user is told by 128 bits of a hash; a row without a pair has no key.
RECORD = np.dtype([("user", "<u8", (2,)), ("row", "<i8"), ("value", "<f8"), ("key", "<i4")])
NO_KEY = -1


class DealtRows:
    """Rows of pairs on disk, until they are compressed into populations, one a file."""

    def __init__(self, rows: RowFile) -> None:
        self.rows = rows
        self._parts = Parts(RECORD)
        self.close = self._parts.close

    def add(
        self, batch: Batch, keys: NDArray[np.int64], values: NDArray[np.float64], used: NDArray[np.bool_]
    ) -> None:
        """Take in a batch; rows that are not used still make their user a participant."""
        hashes = b"".join(blake2b(name.encode(), digest_size=16).digest() for name in batch.users.names)
        records = np.zeros(len(batch.rows), RECORD)
        records["user"] = np.frombuffer(hashes, "<u8").reshape(-1, 2)[batch.users.codes]
        records["row"], records["value"] = batch.rows, values
        records["key"] = np.where(used, keys, NO_KEY)
        self._parts.deal(records, records["user"][:, 0])

    def populations(
        self, repeated: str | None, key_name: Callable[[int], str]
    ) -> Iterator[tuple[Population, int]]:
        """Everybody's pairs, some people at a time; how many rows were merged into others."""
        for records in self._parts.read():
            order = np.lexsort(records["user"].T)
            new = np.ones(order.size, np.bool_)
            new[1:] = (records["user"][order[1:]] != records["user"][order[:-1]]).any(axis=1)
            users = np.empty(order.size, np.int32)
            users[order] = np.cumsum(new) - 1
            used = records["key"] != NO_KEY
            held = records[used]

            def refusal(place: int, key: int, lines: NDArray[np.int64] = held["row"]) -> DataError:
                return self.rows.refusal(int(lines[place]), repeated_key(key_name(key)))

            yield compress(
                users[used],
                held["key"],
                held["value"],
                participants=int(new.sum()),
                repeated=repeated,
                refusal=refusal,
            )


def read_populations(
    path: Path,
    task: Task,
    columns: Columns,
    leniency: Leniency = STRICT,
    progress: Progress = lambda _: None,
    *,
    name: str | None = None,
) -> Iterator[PopulationFile]:
    """Read everybody's pairs: all at once where memory allows, else some people at a time.

    `name` is what messages call the file, where that is not its path.
    """
    rows = RowFile(path, columns, name)
    if not rows.is_large:
        yield read_population(path, task, columns, leniency, progress, name=name)
        return
    with closing(DealtRows(rows)) as dealt:
        mended = read_rows(rows, dealt.add, task, leniency, progress)
        for population, merged in dealt.populations(leniency.repeated, task.key_name):
            yield PopulationFile(population, *mended, merged)
            mended = (0, 0)
