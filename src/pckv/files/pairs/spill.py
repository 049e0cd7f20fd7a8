"""Pairs of very many people: spilled to disk by user, so that all pairs of a user are in one group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import DataError
from pckv.base.population import Population
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task
from pckv.files.pairs.open_pairs import open_pairs
from pckv.files.pairs.population import (
    NO_REPAIRS,
    PairRules,
    RepairedPopulation,
    Repairs,
    build_population,
    most_pairs,
    no_rows,
    on_levels,
    population_of,
    read_task_rows,
)
from pckv.files.pairs.row_keys import RowKeys, row_keys
from pckv.files.pairs.rows import Columns, PairsSource, RowBatch
from pckv.files.spill import SpilledRecords

# A user is identified by 128 bits of a hash; a row without a pair has no key.
RECORD = np.dtype([("user", "<u8", (2,)), ("row", "<i8"), ("value", "<f8"), ("key", "<i8")])
NO_KEY = -1


class SpilledRows:
    """Rows of pairs on disk, until they are built into populations, one per group."""

    def __init__(self, file: PairsSource, keys: RowKeys) -> None:
        self.file = file
        self._keys = keys
        self._spill = SpilledRecords(RECORD)
        self.close = self._spill.close

    def add(self, batch: RowBatch, keys: Integers, values: Floats, used: Flags) -> None:
        """Add a batch; the user of a row that is not used is a participant all the same."""
        hashes = b"".join(blake2b(name.encode(), digest_size=16).digest() for name in batch.users.names)
        records = np.zeros(len(batch.rows), RECORD)
        records["user"] = np.frombuffer(hashes, "<u8").reshape(-1, 2)[batch.users.codes]
        records["row"], records["value"] = batch.rows, values
        records["key"] = np.where(used, keys, NO_KEY)
        self._spill.add(records, records["user"][:, 0])

    def populations(self, repeated: str | None, most: int | None) -> Iterator[tuple[Population, int]]:
        """Yield everybody's pairs, some people at a time, and how many rows were merged into others."""
        empty = True
        for records in self._spill.read():
            empty = False
            yield self._population(records, repeated, most)
        if empty:
            raise no_rows(self.file)

    def _population(
        self, records: NDArray[Any], repeated: str | None, most: int | None
    ) -> tuple[Population, int]:
        order = np.lexsort(records["user"].T)
        new = np.ones(order.size, np.bool_)
        new[1:] = (records["user"][order[1:]] != records["user"][order[:-1]]).any(axis=1)
        users = np.empty(order.size, np.int32)
        users[order] = np.cumsum(new) - 1
        used = records["key"] != NO_KEY
        pairs = records[used]

        def row_error(index: int, reason: str, code: str) -> DataError:
            return self.file.row_error(int(pairs["row"][index]), reason, code)

        return build_population(
            users[used],
            pairs["key"],
            pairs["value"],
            participants=int(new.sum()),
            rules=PairRules(repeated, most, self._keys, row_error),
        )


def read_populations(
    path: Path,
    task: Task,
    columns: Columns,
    repairs: Repairs = NO_REPAIRS,
    progress: Progress = no_progress,
    *,
    name: str | None = None,
) -> Iterator[RepairedPopulation]:
    """Read everybody's pairs: all at once where memory allows, else some people at a time.

    `name` is what messages call the file, where that is not its path.
    """
    file = open_pairs(path, columns, name)
    if not file.is_large:
        yield population_of(file, task, repairs, progress)
        return
    with closing(SpilledRows(file, row_keys(task))) as spilled:
        clipped = read_task_rows(file, spilled.add, task, repairs, progress)
        most = most_pairs(task)
        if most is not None:
            # A file in which anybody has too many pairs is refused whole, before any of it is used.
            for _ in spilled.populations(repairs.repeated, most):
                pass
        for population, merged in spilled.populations(repairs.repeated, most):
            yield RepairedPopulation(on_levels(file, population, task, repairs), clipped, merged)
            clipped = 0
