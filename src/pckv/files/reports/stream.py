"""Arrow streams of reports, written and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from pckv.base.errors import DataError, first_line, require
from pckv.contract.task import Task
from pckv.files.reports.format import check_reports, read_named_task, report_metadata, report_schema
from pckv.files.reports.writer import ReportArrays, record_batches


def stream_reports(file: BinaryIO, task: Task, batches: Iterable[ReportArrays]) -> int:
    """Write batches of ids and messages as an Arrow stream; return the number of reports.

    A stream that fails half-way is left without its end mark.
    """
    arrow = require("pyarrow", extra="files")
    written = 0
    writer = arrow.ipc.new_stream(file, report_schema(task).with_metadata(report_metadata(task)))
    for batch in record_batches(task, batches):
        writer.write_batch(batch)
        written += len(batch)
    writer.close()
    file.flush()
    return written


class ReportStream:
    """An Arrow stream of reports of one task, by default the one it names; it is read to its end mark or refused.

    Arrow itself takes the end of a file for the end of a stream: what an interrupted writer leaves behind
    would look whole.
    """

    def __init__(self, file: BinaryIO, name: str, task: Task | None = None) -> None:
        arrow = require("pyarrow", extra="files")
        self.name = name
        self._bytes = _TrackedReader(file)
        try:
            self._stream = arrow.ipc.open_stream(arrow.PythonFile(self._bytes, mode="r"))
        except (arrow.ArrowException, OSError) as error:
            raise DataError(f"not an Arrow stream ({first_line(error)})", place=name) from None
        metadata = self._stream.schema.metadata or {}
        self.task = task or read_named_task(name, metadata)
        check_reports(name, self._stream.schema, metadata, self.task)
        self._columns = report_schema(self.task).names

    def batches(self) -> Iterator[Any]:
        """Yield the record batches, each of them validated."""
        arrow = require("pyarrow", extra="files")
        number = 0
        try:
            for batch in self._stream:
                batch.validate(full=True)
                yield batch.select(self._columns)
                number += 1
        except (arrow.ArrowException, OSError) as error:
            # What follows a broken place cannot be found again, so that there is nothing to skip to.
            raise DataError(first_line(error), place=f"{self.name}, batch {number}") from None
        if self._bytes.ended:
            raise DataError(f"breaks off after {number:,} batches", place=self.name)
        if self._bytes.read(1):
            raise DataError("goes on after its end", place=self.name)


class _TrackedReader:
    """A file that remembers whether more bytes were asked for than it has."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.ended = False

    def read(self, size: int) -> bytes:
        """Read this many bytes, or all that are left."""
        data = self._file.read(size)
        self.ended |= len(data) < size
        return data
