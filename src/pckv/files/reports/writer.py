"""Writing report files from batches of ids and messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pckv.base.arrays import Bytes, Messages
from pckv.base.errors import require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.files.reports.columns import ID_COLUMN, bytes_to_column, message_column
from pckv.files.reports.format import report_metadata, report_schema

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
