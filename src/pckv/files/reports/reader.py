"""Reading report files, one row group at a time and in batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pckv.base.errors import DataError, require
from pckv.contract.task import Task
from pckv.files.parquet import open_parquet
from pckv.files.reports.columns import ID_COLUMN, message_column
from pckv.files.reports.format import check_reports, read_named_task

# The messages that are read at once, whatever the size of their row group.
BYTES_PER_BATCH = 2**23
READ_BUFFER_BYTES = 2**20


def read_file_task(path: Path) -> Task:
    """Return the task that a report file names."""
    return read_named_task(path, open_parquet(path, "a report file").metadata.metadata or {})


class ReportFile:
    """A report file of one task, whose footer has been read and checked."""

    def __init__(self, path: Path, task: Task) -> None:
        self.path = path
        self.task = task
        file = open_parquet(path, "a report file")
        check_reports(path, file.schema_arrow, file.metadata.metadata or {}, task)
        self.metadata = file.metadata
        if self.rows != sum(map(self.group_rows, range(self.groups))):
            raise DataError("not a report file (its footer contradicts itself)", place=path)
        # Ids that may be missing have to be read to be checked.
        self.ids_may_be_missing = file.schema_arrow.field(ID_COLUMN).nullable and _may_have_nulls(
            file.metadata, ID_COLUMN
        )

    @property
    def rows(self) -> int:
        """The number of reports in the file."""
        return int(self.metadata.num_rows)

    @property
    def groups(self) -> int:
        """The number of row groups in the file."""
        return int(self.metadata.num_row_groups)

    def group_rows(self, group: int) -> int:
        """Return the number of reports in a row group."""
        return int(self.metadata.row_group(group).num_rows)

    def batches(self, group: int, *, ids: bool) -> Iterator[Any]:
        """Yield the record batches of a row group; with report ids only where they are needed."""
        arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
        columns = [message_column(self.task).name] + [ID_COLUMN] * (ids or self.ids_may_be_missing)
        rows = max(1, BYTES_PER_BATCH // self.task.law.body_bytes)
        with parquet.ParquetFile(
            self.path,
            metadata=self.metadata,
            buffer_size=READ_BUFFER_BYTES,
            pre_buffer=False,
            page_checksum_verification=True,
        ) as file:
            read = 0
            for batch in file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False):
                yield batch.select(columns)
                read += len(batch)
            if read != self.group_rows(group):
                raise arrow.ArrowInvalid(f"{read:,} reports where {self.group_rows(group):,} should be")


def _may_have_nulls(metadata: Any, name: str) -> bool:
    """Return whether the statistics of a footer leave it open that a column has nulls."""
    paths = [metadata.schema.column(number).path for number in range(metadata.num_columns)]
    column = paths.index(name)
    groups = (metadata.row_group(group).column(column) for group in range(metadata.num_row_groups))
    return any(not _is_without_nulls(group.statistics) for group in groups)


def _is_without_nulls(statistics: Any) -> bool:
    return statistics is not None and statistics.has_null_count and statistics.null_count == 0
