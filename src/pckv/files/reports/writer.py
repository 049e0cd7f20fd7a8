"""Report files and Arrow streams of reports, written from batches of ids and messages; reading streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pckv.base.arrays import Bytes, Messages
from pckv.base.errors import DataError, first_line, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.files.reports.columns import (
    ID_COLUMN,
    bytes_to_column,
    check_reports,
    message_column,
    read_named_task,
    report_metadata,
    report_schema,
)

# Ids as rows of bytes, and as many messages.
ReportArrays = tuple[Bytes, Messages]

# A row group has about this many rows, but at most about this many bytes of messages.
ROWS_PER_GROUP = 2**20
BYTES_PER_GROUP = 2**26


def write_reports(target: Path | BinaryIO, task: Task, batches: Iterable[ReportArrays]) -> int:
    """Write batches of ids and messages as one report file; return the number of reports."""
    arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
    schema = report_schema(task)
    column = message_column(task)
    written = 0
    with parquet.ParquetWriter(
        target,
        schema,
        use_dictionary=False,
        compression="none",
        column_encoding={ID_COLUMN: "PLAIN", column.name: column.parquet_encoding},
        write_page_checksum=True,
    ) as writer:
        for group in _row_groups(task, batches):
            table = arrow.Table.from_batches(group, schema)
            writer.write_table(table, row_group_size=max(1, len(table)))
            written += len(table)
        writer.add_key_value_metadata(report_metadata(task))
    return written


def rows_per_group(task: Task) -> int:
    """Return the number of rows that make a row group."""
    return min(ROWS_PER_GROUP, max(1, BYTES_PER_GROUP // task.law.body_bytes))


def as_arrays(task: Task, reports: Sequence[Report]) -> ReportArrays:
    """Return reports as the arrays that files and streams are written from."""
    ids = np.frombuffer(b"".join(report.id for report in reports), np.uint8).reshape(-1, REPORT_ID_BYTES)
    bodies = b"".join(report.body for report in reports)
    return ids, task.message_format.to_array(bodies)


def record_batches(task: Task, batches: Iterable[ReportArrays]) -> Iterator[Any]:
    """Yield batches of ids and messages as Arrow record batches."""
    arrow = require("pyarrow", extra="files")
    schema = report_schema(task)
    column = message_column(task)
    for ids, messages in batches:
        columns = [bytes_to_column(ids), column.to_column(messages)]
        yield arrow.RecordBatch.from_arrays(columns, schema=schema)


def _row_groups(task: Task, batches: Iterable[ReportArrays]) -> Iterator[list[Any]]:
    """Yield record batches, collected until they are large enough for a row group."""
    rows = rows_per_group(task)
    group: list[Any] = []
    for batch in record_batches(task, batches):
        group.append(batch)
        if sum(map(len, group)) >= rows:
            yield group
            group = []
    if group:
        yield group


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
    """An Arrow stream of reports of one task, by default the one it names, read to its end mark or refused.

    Arrow itself takes the end of a file for that of a stream: what an interrupted writer leaves would look whole.
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
