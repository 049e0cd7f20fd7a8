"""One report per id, in bounded memory.

Reports are spilled to disk by a hash of their id: equal ids are in one group, which is small enough to sort.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Bytes, Messages
from pckv.base.errors import DataError, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.contract.task import Task
from pckv.counting.batches import batch_messages, check_batch
from pckv.counting.job import BadReports, CountResult
from pckv.files.reports.columns import ID_COLUMN, column_to_ids, message_column
from pckv.files.reports.reader import ReportFile
from pckv.files.spill import Records, SpilledRecords
from pckv.tally import Tally


class Deduplicator:
    """Takes in reports, then gives back the messages of one report per id."""

    def __init__(self, task: Task) -> None:
        self.task = task
        # How many reports had an id that another report has; complete once all messages were given back.
        self.repeated = 0
        column = message_column(task)
        self._kind = np.dtype([("id", np.uint64, (2,)), ("message", column.array_type)])
        self._spilled = SpilledRecords(self._kind)
        self.close = self._spilled.close
        # Devices choose the ids, and must not be able to choose the groups that they are spilled to.
        self._multipliers = np.array([secrets.randbits(63) * 2 + 1 for _ in range(2)], np.uint64)

    def add(self, batch: Any, where: str, start: int, skipped: list[BadReports], *, skip_bad: bool) -> None:
        """Take in the valid reports of a record batch; bad ones are an error, or noted as skipped."""
        valid, bad = check_batch(self.task, batch, where, start)
        if bad and not skip_bad:
            raise bad[0].to_error()
        skipped += bad
        batch = batch.filter(valid) if bad else batch
        if not len(batch):
            return
        records = np.empty(len(batch), self._kind)
        records["id"] = np.ascontiguousarray(column_to_ids(batch.column(ID_COLUMN))).view(np.uint64)
        records["message"] = batch_messages(self.task, batch)
        self._spilled.add(records, self._hashes(records, level=0))

    def messages(self, files: Iterable[ReportFile]) -> Iterator[Messages]:
        """Yield the messages of one report per id; `files` are searched for an id that has two bodies."""
        for records in self._spilled.read(lambda part, level: self._split(part, level, files)):
            yield np.ascontiguousarray(self._one_per_id(records, files)["message"])

    def count(self, files: Iterable[ReportFile]) -> CountResult:
        """Return the tally of one report per id, and how many were repeats."""
        tally = Tally(self.task)
        for messages in self.messages(files):
            tally.add_many(messages)
        return CountResult(tally, self.repeated)

    def _hashes(self, records: Records, level: int) -> Bytes:
        """Return one byte of every id's hash, the highest first, which depend on most bits of the id."""
        products: NDArray[np.uint64] = (records["id"] * self._multipliers).sum(axis=1, dtype=np.uint64)
        return (products >> np.uint64(56 - 8 * level)).astype(np.uint8)

    def _split(self, records: Records, level: int, files: Iterable[ReportFile]) -> tuple[Records, Bytes]:
        # No hash divides the copies of one report, so that they have to be removed here.
        records = self._one_per_id(records, files)
        return records, self._hashes(records, level)

    def _one_per_id(self, records: Records, files: Iterable[ReportFile]) -> Records:
        first, second = records["id"].T
        halves = np.sort(first)
        if (halves[1:] != halves[:-1]).all():
            return records
        order = np.lexsort((second, first))
        repeats = np.zeros(order.size, np.bool_)
        repeats[1:] = (np.diff(first[order]) == 0) & (np.diff(second[order]) == 0)
        later, earlier = order[repeats], order[np.flatnonzero(repeats) - 1]
        differ = records["message"][later] != records["message"][earlier]
        conflicts = later[differ if differ.ndim == 1 else differ.any(axis=1)]
        if conflicts.size:
            raise conflict_error(files, records["id"][conflicts[0]].tobytes())
        self.repeated += later.size
        return records[order[~repeats]]


def conflict_error(files: Iterable[ReportFile], report_id: bytes) -> DataError:
    """Return the error that one id has two bodies, naming two places where the files have them."""
    places = list(_places(files, report_id))
    others = [place for place, body in places if body != places[0][1]]
    named = f": {places[0][0]}, and {others[0]}" if others else ""
    return DataError(f"report id {report_id.hex()} has different bodies{named}")


def _places(files: Iterable[ReportFile], report_id: bytes) -> Iterator[tuple[str, object]]:
    """Yield the places of an id, and what the reports there say."""
    wanted = np.frombuffer(report_id, np.uint8)
    for file, group in ((each, group) for each in files for group in range(each.groups)):
        start, messages = 0, message_column(file.task).name
        # A row group that cannot be read was skipped before.
        with suppress(require("pyarrow", extra="files").ArrowException, OSError):
            for batch in file.batches(group, ids=True):
                valid, _ = check_batch(file.task, batch, "")
                ids = column_to_ids(batch.column(ID_COLUMN).fill_null(bytes(REPORT_ID_BYTES)))
                same = (ids == wanted).all(axis=1) & valid.to_numpy(zero_copy_only=False)
                for row in np.flatnonzero(same):
                    place = f"{file.path}, row group {group}, report {start + row}"
                    yield place, batch.column(messages)[int(row)].as_py()
                start += len(batch)
