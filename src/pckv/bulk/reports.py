"""Report files: Parquet that explains itself, with the task's JSON in its metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.errors import DataError, ReportError, require
from pckv.report import ID_BYTES
from pckv.tally import Tally
from pckv.task import Task

Messages = NDArray[np.int64] | NDArray[np.uint8]

TASK_MEMBER, ID_MEMBER = "pckv.task", "pckv.task_id"
PARQUET_MAGIC = b"PAR1"


def is_report_file(path: Path) -> bool:
    """Whether a file begins like Parquet."""
    with path.open("rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def write_reports(path: Path, task: Task, batches: Iterable[tuple[NDArray[np.uint8], Messages]]) -> int:
    """Write batches of ids and messages as one report file; how many reports there were."""
    arrow, parquet = _arrow()
    schema = arrow.schema(
        [
            arrow.field("report_id", arrow.binary(ID_BYTES), nullable=False),
            arrow.field("word", arrow.int64(), nullable=False)
            if task.word_limit is not None
            else arrow.field("body", arrow.binary(), nullable=False),
        ]
    )
    written = 0
    with parquet.ParquetWriter(path, schema) as writer:
        for ids, messages in batches:
            columns = [_fixed_binary(arrow, ids), _message_column(arrow, messages)]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))
            written += len(ids)
        writer.add_key_value_metadata({TASK_MEMBER: task.to_json(), ID_MEMBER: task.id})
    return written


def _fixed_binary(arrow: Any, rows: NDArray[np.uint8]) -> Any:
    data = arrow.py_buffer(np.ascontiguousarray(rows))
    return arrow.Array.from_buffers(arrow.binary(rows.shape[1]), len(rows), [None, data])


def _message_column(arrow: Any, messages: Messages) -> Any:
    if messages.dtype == np.int64:
        return arrow.array(messages)
    return _fixed_binary(arrow, messages.astype(np.uint8, copy=False)).cast(arrow.binary())


def tally_reports(
    tally: Tally, paths: Iterable[Path], progress: Callable[[float], None] = lambda _: None
) -> None:
    """Add all reports of some files to a tally."""
    files = [(path, open_reports(path, tally.task)) for path in paths]
    total = sum(file.metadata.num_rows for _, file in files) or 1
    done = 0
    for path, file in files:
        for group, messages in _row_groups(path, file, tally.task):
            try:
                tally.add_many(messages)
            except ReportError as error:
                raise DataError(f"{path}, row group {group}: {error}") from None
            done += len(messages)
            progress(done / total)


def open_reports(path: Path, task: Task) -> Any:
    """Open a report file and check that it is one, and of this task."""
    arrow, _ = _arrow()
    file = open_parquet(path, "a report file")
    owner = (file.metadata.metadata or {}).get(ID_MEMBER.encode())
    if owner is None:
        raise DataError(f"{path}: not a report file (it names no task)")
    if owner != task.id.encode():
        raise DataError(f"{path}: reports of another task ({owner.decode(errors='replace')!r})")
    message = "body" if task.word_limit is None else "word"
    wanted = {message: arrow.binary() if task.word_limit is None else arrow.int64()}
    for column, kind in {"report_id": arrow.binary(ID_BYTES), **wanted}.items():
        if column not in file.schema_arrow.names:
            raise DataError(f"{path}: column {column!r} is missing")
        found = file.schema_arrow.field(column).type
        if found != kind:
            raise DataError(f"{path}: column {column!r} is {found}, not {kind}")
    return file


def _row_groups(path: Path, file: Any, task: Task) -> Iterator[tuple[int, Messages]]:
    arrow, _ = _arrow()
    column = "body" if task.word_limit is None else "word"
    for group in range(file.num_row_groups):
        try:
            values = file.read_row_group(group, columns=[column]).column(column)
        except (arrow.ArrowException, OSError) as error:
            raise DataError(f"{path}, row group {group}: {str(error).splitlines()[0]}") from None
        if values.null_count:
            raise DataError(f"{path}, row group {group}: a report has no {column}")
        if task.word_limit is not None:
            yield group, values.to_numpy()
            continue
        for chunk in values.chunks:
            try:
                rows = chunk.cast(arrow.binary(task.channel.body_bytes))
            except arrow.ArrowInvalid:
                raise DataError(
                    f"{path}, row group {group}: a body has not {task.channel.body_bytes} bytes"
                ) from None
            data = np.frombuffer(rows.buffers()[1], np.uint8)
            size = task.channel.body_bytes
            yield group, data[rows.offset * size : (rows.offset + len(rows)) * size].reshape(-1, size)


def open_parquet(path: Path, what: str) -> Any:
    """Open a Parquet file; the message names the file and what it is not."""
    arrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(path)
        _ = file.schema_arrow.names
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not {what} ({str(error).splitlines()[0]})") from None
    return file


def _arrow() -> tuple[Any, Any]:
    return require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
