"""Report files: found by name, and read one row group at a time in batches of bounded size."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pckv.base.errors import DataError, require
from pckv.contract.task import Task
from pckv.files.parquet import is_parquet, open_parquet
from pckv.files.reports.columns import ID_COLUMN, check_reports, message_column, read_named_task

REPORT_SUFFIX = ".parquet"


class Inputs(NamedTuple):
    """Files by what they are."""

    reports: tuple[Path, ...]
    tallies: tuple[Path, ...]


def find_inputs(named: Sequence[Path]) -> Inputs:
    """Return every file that is meant, once, in a fixed order."""
    files = [file for path in named for file in _files(path)]
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise DataError("given twice, and would be counted twice", place=file)
        seen.add(file.resolve())
    # An empty report file is a broken report file, not a broken tally.
    reports = {file: None for file in files if is_parquet(file) or file.suffix == REPORT_SUFFIX}
    return Inputs(tuple(reports), tuple(file for file in files if file not in reports))


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        files = sorted(file for file in path.rglob(f"*{REPORT_SUFFIX}") if file.is_file())
        visible = [file for file in files if _is_visible(file.relative_to(path))]
        if not visible:
            raise DataError(f"no report files (*{REPORT_SUFFIX}) in this folder", place=path)
        yield from visible
    elif path.exists() or not glob.has_magic(str(path)):
        yield path
    else:
        matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
        visible = [match for match in matches if _is_visible(Path(match.name))]
        if not visible:
            raise DataError("no file matches", place=path)
        for match in visible:
            yield from _files(match)


def _is_visible(path: Path) -> bool:
    # Names that begin with . or _ are other tools' marks and unfinished work.
    return not any(part.startswith((".", "_")) for part in path.parts)


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
    found = (metadata.row_group(group).column(column).statistics for group in range(metadata.num_row_groups))
    return any(each is None or not each.has_null_count or each.null_count for each in found)
