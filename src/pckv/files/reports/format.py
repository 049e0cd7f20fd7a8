"""Report files: Parquet that explains itself, with the task's JSON in its metadata.

The same columns travel as Arrow streams, with the task in the schema's metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Messages
from pckv.errors import DataError, require
from pckv.limits import REPORT_ID_BYTES
from pckv.task import Task
from pckv.wire import Report

Batches = Iterable[tuple[NDArray[np.uint8], Messages]]

TASK_MEMBER, ID_MEMBER = "pckv.task", "pckv.task_id"
PARQUET_MAGIC = b"PAR1"
ENCODINGS = {"word": "DELTA_BINARY_PACKED", "body": "DELTA_LENGTH_BYTE_ARRAY"}
# Rows are written in groups of about this many, but of no more bytes than that.
ROWS_A_GROUP = 2**20
BYTES_A_GROUP = 2**26
# Rows that are read at once, whatever the size of their group.
BYTES_A_BATCH = 2**23
READ_BUFFER = 2**20


def is_report_file(path: Path) -> bool:
    """Whether a file begins like Parquet."""
    with path.open("rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def message_column(task: Task) -> str:
    """The column that holds what reports say."""
    return task.channel.message_format.column


class ReportFile:
    """An open report file of one task."""

    def __init__(self, path: Path, task: Task) -> None:
        self.path = path
        self.task = task
        file = open_parquet(path, "a report file")
        check_reports(str(path), file.schema_arrow, file.metadata.metadata or {}, task)
        self.metadata = file.metadata
        if self.rows != sum(map(self.group_rows, range(self.groups))):
            raise DataError(f"{path}: not a report file (its footer contradicts itself)")
        # Where the schema allows for ids that are missing, they have to be looked at.
        self.ids_may_be_missing = file.schema_arrow.field("report_id").nullable

    @property
    def rows(self) -> int:
        """How many reports the file has."""
        return int(self.metadata.num_rows)

    @property
    def groups(self) -> int:
        """How many row groups the file has."""
        return int(self.metadata.num_row_groups)

    def group_rows(self, group: int) -> int:
        """How many reports a row group has."""
        return int(self.metadata.row_group(group).num_rows)

    def batches(self, group: int, *, ids: bool) -> Iterator[Any]:
        """The record batches of a row group, of bounded size: ids only where they are wanted."""
        arrow, parquet = _arrow()
        columns = [message_column(self.task)] + ["report_id"] * (ids or self.ids_may_be_missing)
        rows = max(1, BYTES_A_BATCH // self.task.channel.body_bytes)
        with parquet.ParquetFile(
            self.path,
            metadata=self.metadata,
            buffer_size=READ_BUFFER,
            pre_buffer=False,
            page_checksum_verification=True,
        ) as file:
            read = 0
            for batch in file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False):
                yield batch.select(columns)
                read += len(batch)
            if read != self.group_rows(group):
                raise arrow.ArrowInvalid(f"{read:,} reports where {self.group_rows(group):,} should be")


def report_schema(task: Task) -> Any:
    """The columns of reports."""
    arrow, _ = _arrow()
    message = {"word": arrow.int64(), "body": arrow.binary()}[message_column(task)]
    return arrow.schema(
        [
            arrow.field("report_id", arrow.binary(REPORT_ID_BYTES), nullable=False),
            arrow.field(message_column(task), message, nullable=False),
        ]
    )


def write_reports(path: Path | BinaryIO, task: Task, batches: Batches) -> int:
    """Write batches of ids and messages as one report file; how many reports there were.

    Ids and bodies are noise and stay as they are; words are packed to the bits that they need.
    """
    arrow, parquet = _arrow()
    schema = report_schema(task)
    column = message_column(task)
    encoding = {"report_id": "PLAIN", column: ENCODINGS[column]}
    written = 0
    with parquet.ParquetWriter(
        path,
        schema,
        use_dictionary=False,
        compression="none",
        column_encoding=encoding,
        write_page_checksum=True,
    ) as writer:
        for group in _groups(task, batches):
            table = arrow.Table.from_batches(group, schema)
            writer.write_table(table, row_group_size=max(1, len(table)))
            written += len(table)
        writer.add_key_value_metadata({TASK_MEMBER: task.to_json(), ID_MEMBER: task.id})
    return written


def as_arrays(task: Task, reports: Sequence[Report]) -> tuple[NDArray[np.uint8], Messages]:
    """Reports as the arrays that files are written from."""
    ids = np.frombuffer(b"".join(report.id for report in reports), np.uint8).reshape(-1, REPORT_ID_BYTES)
    bodies = b"".join(report.body for report in reports)
    return ids, task.channel.message_format.to_array(bodies)


def stream_reports(file: BinaryIO, task: Task, batches: Batches) -> int:
    """Write the same as an Arrow stream; one that fails half-way is left without its end mark."""
    arrow, _ = _arrow()
    schema = report_schema(task).with_metadata({TASK_MEMBER: task.to_json(), ID_MEMBER: task.id})
    written = 0
    writer = arrow.ipc.new_stream(file, schema)
    for batch in _record_batches(task, batches):
        writer.write_batch(batch)
        written += len(batch)
    writer.close()
    file.flush()
    return written


class ReportStream:
    """An Arrow stream of reports of one task, which is read to its end mark or refused.

    Arrow itself takes the end of a file for the end of a stream, so that what a writer who was
    stopped half-way leaves behind would look whole.
    """

    def __init__(self, file: BinaryIO, name: str, task: Task) -> None:
        arrow, _ = _arrow()
        self.name = name
        self._columns = report_schema(task).names
        self._bytes = _Watched(file)
        try:
            self._stream = arrow.ipc.open_stream(arrow.PythonFile(self._bytes, mode="r"))
        except (arrow.ArrowException, OSError) as error:
            raise DataError(f"{name}: not an Arrow stream ({first_line(error)})") from None
        check_reports(name, self._stream.schema, self._stream.schema.metadata or {}, task)

    def batches(self) -> Iterator[Any]:
        """The record batches, each checked to be one."""
        arrow, _ = _arrow()
        number = 0
        try:
            for batch in self._stream:
                batch.validate(full=True)
                yield batch.select(self._columns)
                number += 1
        except (arrow.ArrowException, OSError) as error:
            # What comes after a broken place cannot be found again, so that there is nothing to pass over.
            raise DataError(f"{self.name}, batch {number}: {first_line(error)}") from None
        if self._bytes.ended:
            raise DataError(f"{self.name}: breaks off after {number:,} batches")
        if self._bytes.read(1):
            raise DataError(f"{self.name}: goes on after its end")


class _Watched:
    """Bytes that are read, and whether more were asked for than there are."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.ended = False

    def read(self, size: int) -> bytes:
        """Read so many bytes, or all that are left."""
        data = self._file.read(size)
        self.ended |= len(data) < size
        return data


def _groups(task: Task, batches: Batches) -> Iterator[list[Any]]:
    """Record batches, collected into groups that are worth a place of their own."""
    rows = min(ROWS_A_GROUP, max(1, BYTES_A_GROUP // task.channel.body_bytes))
    group: list[Any] = []
    for batch in _record_batches(task, batches):
        group.append(batch)
        if sum(map(len, group)) >= rows:
            yield group
            group = []
    if group:
        yield group


def _record_batches(task: Task, batches: Batches) -> Iterator[Any]:
    arrow, _ = _arrow()
    schema = report_schema(task)
    for ids, messages in batches:
        columns = [_fixed_binary(arrow, ids), _message_array(arrow, messages)]
        yield arrow.RecordBatch.from_arrays(columns, schema=schema)


def _fixed_binary(arrow: Any, rows: NDArray[np.uint8]) -> Any:
    data = arrow.py_buffer(np.ascontiguousarray(rows))
    return arrow.Array.from_buffers(arrow.binary(rows.shape[1]), len(rows), [None, data])


def _message_array(arrow: Any, messages: Messages) -> Any:
    if messages.dtype == np.int64:
        return arrow.array(messages)
    return _fixed_binary(arrow, messages.astype(np.uint8, copy=False)).cast(arrow.binary())


def check_reports(where: str, schema: Any, metadata: Mapping[bytes, bytes], task: Task) -> None:
    """Refuse what are not reports of this task."""
    owner = metadata.get(ID_MEMBER.encode())
    if owner is None:
        raise DataError(f"{where}: not a report file (it names no task)")
    if owner != task.id.encode():
        raise DataError(f"{where}: reports of another task ({owner.decode(errors='replace')!r})")
    for wanted in report_schema(task):
        if wanted.name not in schema.names:
            raise DataError(f"{where}: column {wanted.name!r} is missing")
        # In SQL, WORD is a word too.
        if sum(name.lower() == wanted.name for name in schema.names) > 1:
            raise DataError(f"{where}: column {wanted.name!r} is there twice")
        found = schema.field(wanted.name).type
        if found != wanted.type:
            raise DataError(f"{where}: column {wanted.name!r} is {found}, not {wanted.type}")


def open_parquet(path: Path, what: str, name: str | None = None) -> Any:
    """Open a Parquet file; the message names the file and what it is not."""
    arrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(path)
        _ = file.schema_arrow.names
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{name or path}: not {what} ({first_line(error)})") from None
    return file


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _arrow() -> tuple[Any, Any]:
    return require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
