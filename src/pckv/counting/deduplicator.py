"""Counting every report id once, in bounded memory.

Reports are dealt out to files by their id, so that equal ids meet in one of them; each file is
then small enough to be sorted.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.counting.batches import Counted, Problem, messages_of, plane_rows, sift
from pckv.errors import DataError, require
from pckv.files.reports.format import ReportFile, message_column
from pckv.files.spill import Parts
from pckv.limits import REPORT_ID_BYTES
from pckv.tally import Tally
from pckv.task import Task

Bytes = NDArray[np.uint8]


class Sieve:
    """Takes reports in, and counts those with an id that was not there before."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._record = REPORT_ID_BYTES + task.channel.body_bytes
        # Ids are chosen by devices: which part they fall into must not be.
        self._mixers = np.array([secrets.randbits(63) * 2 + 1 for _ in range(2)], np.uint64)
        self._parts = Parts(np.dtype(np.uint8))
        self.close = self._parts.close

    def add(self, batch: Any, where: str, start: int, problems: list[Problem], *, skip: bool) -> None:
        """Take in the sound reports of a record batch."""
        sound, found = sift(self.task, batch, where, start)
        if found and not skip:
            raise found[0].refused()
        problems += found
        batch = batch.filter(sound) if found else batch
        if not len(batch):
            return
        ids = plane_rows(batch.column("report_id"), REPORT_ID_BYTES)
        messages = np.ascontiguousarray(messages_of(self.task, batch)).view(np.uint8).reshape(len(ids), -1)
        halves = np.ascontiguousarray(ids).view(np.uint64)
        marks = (halves * self._mixers).sum(axis=1, dtype=np.uint64) >> np.uint64(32)
        self._parts.deal(np.concatenate([ids, messages], axis=1), marks)

    def count(self, files: Iterable[ReportFile]) -> Counted:
        """The tally of the reports that came first, and how many came again."""
        counted = Counted(Tally(self.task))
        for part in self._parts.read():
            records = part.reshape(-1, self._record)
            first, second = np.ascontiguousarray(records[:, :REPORT_ID_BYTES]).view(np.uint64).T
            order = np.lexsort((second, first))
            again = np.zeros(order.size, np.bool_)
            again[1:] = (np.diff(first[order]) == 0) & (np.diff(second[order]) == 0)
            repeats, before = order[again], order[np.flatnonzero(again) - 1]
            conflicts = repeats[(records[repeats] != records[before]).any(axis=1)]
            if conflicts.size:
                raise conflict(files, records[conflicts[0], :REPORT_ID_BYTES].tobytes())
            counted.repeated += repeats.size
            self._add(counted, records[order[~again], REPORT_ID_BYTES:])
        return counted

    def _add(self, counted: Counted, bodies: Bytes) -> None:
        counted.tally.add_many(self.task.channel.message_format.to_array(bodies.tobytes()))


def conflict(files: Iterable[ReportFile], report_id: bytes) -> DataError:
    """The error that one id has two bodies, naming both places where they are known."""
    places = list(_places(files, report_id))
    differing = [place for place, body in places if body != places[0][1]]
    named = f": {places[0][0]}, and {differing[0]}" if differing else ""
    return DataError(f"report id {report_id.hex()} has different bodies{named}")


def _places(files: Iterable[ReportFile], report_id: bytes) -> Iterator[tuple[str, bytes]]:
    for file in files:
        for group in range(file.groups):
            # What cannot be read was passed over before.
            with suppress(require("pyarrow", extra="files").ArrowException, OSError):
                yield from _places_in(file, group, report_id)


def _places_in(file: ReportFile, group: int, report_id: bytes) -> Iterator[tuple[str, bytes]]:
    wanted = np.frombuffer(report_id, np.uint8)
    start = 0
    for batch in file.batches(group, ids=True):
        sound, _ = sift(file.task, batch, "")
        ids = plane_rows(batch.column("report_id").fill_null(bytes(REPORT_ID_BYTES)), REPORT_ID_BYTES)
        same = (ids == wanted).all(axis=1) & sound.to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(same):
            body = batch.column(message_column(file.task))[int(row)].as_py()
            yield f"{file.path}, row group {group}, report {start + row}", body
        start += len(batch)
