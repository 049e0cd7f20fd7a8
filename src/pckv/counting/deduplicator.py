"""Counting each report id once, in bounded memory.

Reports are spilled to files by a hash of their id, so that equal ids are in one file; each file is small enough
to be sorted.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from pckv.counting.batches import BadReports, CountResult, batch_messages, check_batch
from pckv.errors import DataError, require
from pckv.files.reports.columns import ID_COLUMN, column_to_ids, message_column
from pckv.files.reports.reader import ReportFile
from pckv.files.spill import SpillFiles
from pckv.limits import REPORT_ID_BYTES
from pckv.tally import Tally
from pckv.task import Task


class Deduplicator:
    """Takes in reports, then counts one report per id."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._record_bytes = REPORT_ID_BYTES + task.channel.body_bytes
        # Devices choose the ids, and must not be able to choose the files that they are spilled to.
        self._multipliers = np.array([secrets.randbits(63) * 2 + 1 for _ in range(2)], np.uint64)
        self._spill = SpillFiles(np.dtype(np.uint8))
        self.close = self._spill.close

    def add(self, batch: Any, where: str, start: int, skipped: list[BadReports], *, skip_bad: bool) -> None:
        """Take in the valid reports of a record batch; bad ones are an error, or noted as skipped."""
        valid, bad = check_batch(self.task, batch, where, start)
        if bad and not skip_bad:
            raise bad[0].to_error()
        skipped += bad
        batch = batch.filter(valid) if bad else batch
        if not len(batch):
            return
        ids = column_to_ids(batch.column(ID_COLUMN))
        messages = np.ascontiguousarray(batch_messages(self.task, batch)).view(np.uint8).reshape(len(ids), -1)
        halves = np.ascontiguousarray(ids).view(np.uint64)
        hashes = (halves * self._multipliers).sum(axis=1, dtype=np.uint64) >> np.uint64(32)
        self._spill.add(np.concatenate([ids, messages], axis=1), hashes)

    def count(self, files: Iterable[ReportFile]) -> CountResult:
        """Return the tally of one report per id, and how many were repeats.

        `files` are searched for the places of an id that has two bodies.
        """
        result = CountResult(Tally(self.task))
        for spilled in self._spill.read():
            records = spilled.reshape(-1, self._record_bytes)
            first, second = np.ascontiguousarray(records[:, :REPORT_ID_BYTES]).view(np.uint64).T
            order = np.lexsort((second, first))
            repeats = np.zeros(order.size, np.bool_)
            repeats[1:] = (np.diff(first[order]) == 0) & (np.diff(second[order]) == 0)
            later, earlier = order[repeats], order[np.flatnonzero(repeats) - 1]
            conflicts = later[(records[later] != records[earlier]).any(axis=1)]
            if conflicts.size:
                raise conflict_error(files, records[conflicts[0], :REPORT_ID_BYTES].tobytes())
            result.repeated += later.size
            bodies = records[order[~repeats], REPORT_ID_BYTES:].tobytes()
            result.tally.add_many(self.task.message_format.to_array(bodies))
        return result


def conflict_error(files: Iterable[ReportFile], report_id: bytes) -> DataError:
    """Return the error that one id has two bodies, naming two places where the files have them."""
    places = list(_places(files, report_id))
    others = [place for place, body in places if body != places[0][1]]
    named = f": {places[0][0]}, and {others[0]}" if others else ""
    return DataError(f"report id {report_id.hex()} has different bodies{named}")


def _places(files: Iterable[ReportFile], report_id: bytes) -> Iterator[tuple[str, object]]:
    for file in files:
        for group in range(file.groups):
            # A row group that cannot be read was skipped before.
            with suppress(require("pyarrow", extra="files").ArrowException, OSError):
                yield from _places_in_group(file, group, report_id)


def _places_in_group(file: ReportFile, group: int, report_id: bytes) -> Iterator[tuple[str, object]]:
    wanted = np.frombuffer(report_id, np.uint8)
    messages = message_column(file.task).name
    start = 0
    for batch in file.batches(group, ids=True):
        valid, _ = check_batch(file.task, batch, "")
        ids = column_to_ids(batch.column(ID_COLUMN).fill_null(bytes(REPORT_ID_BYTES)))
        same = (ids == wanted).all(axis=1) & valid.to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(same):
            place = f"{file.path}, row group {group}, report {start + row}"
            yield place, batch.column(messages)[int(row)].as_py()
        start += len(batch)
