"""What report files and streams have in common: their columns, and metadata that names their task.

A report file is Parquet that explains itself, with the task's JSON in its metadata. A stream is Arrow's, with
the same columns and the task in the metadata of its schema. One class per message format knows its column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pckv.base.arrays import Bytes, Flags, Integers, Messages
from pckv.base.errors import DataError, TaskError, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.wire import BitPlanes, MessageFormat, Words
from pckv.contract.task import Task
from pckv.tally.layouts import plane_problems

ID_COLUMN = "report_id"


class InvalidRows(NamedTuple):
    """Rows with one kind of fault, and the sentence that describes it."""

    rows: Flags
    # With {} where the row's own number belongs, if there are numbers.
    sentence: str
    numbers: Integers | None = None

    def describe(self, row: int) -> str:
        """Return what is wrong with a row."""
        return self.sentence if self.numbers is None else self.sentence.format(self.numbers[row])


class MessageColumn(ABC):
    """How the messages of one task are stored in Arrow, Parquet and SQL."""

    name: ClassVar[str]
    parquet_encoding: ClassVar[str]
    spark_type: ClassVar[str]

    def __init__(self, message_format: MessageFormat) -> None:
        self._format = message_format

    @property
    @abstractmethod
    def arrow_type(self) -> Any:
        """The type of the column."""

    @property
    @abstractmethod
    def array_type(self) -> np.dtype[Any]:
        """The type of one message in an array."""

    @abstractmethod
    def to_column(self, messages: Messages) -> Any:
        """Return messages as an Arrow array."""

    @abstractmethod
    def to_messages(self, column: Any) -> Messages:
        """Return the messages of a column without nulls; Arrow refuses bodies of another length."""

    @abstractmethod
    def to_bodies(self, column: Any) -> list[bytes | None]:
        """Return the body of each row, valid or not, and None where it is missing."""

    @abstractmethod
    def invalid_rows(self, column: Any) -> Iterator[InvalidRows]:
        """Yield the faults of a column, nulls aside."""


class WordColumn(MessageColumn):
    """Words: 64-bit integers, packed to the bits that they need."""

    name = Words.column
    parquet_encoding = "DELTA_BINARY_PACKED"
    spark_type = "bigint"

    _format: Words

    @property
    def arrow_type(self) -> Any:
        return require("pyarrow", extra="files").int64()

    @property
    def array_type(self) -> np.dtype[Any]:
        return np.dtype(np.int64)

    def to_column(self, messages: Messages) -> Any:
        return require("pyarrow", extra="files").array(messages)

    def to_messages(self, column: Any) -> Integers:
        # Arrow's own conversion loads pandas where that is installed: that takes longer than millions of words.
        data = column.buffers()[1] or b""
        return np.frombuffer(data, np.int64, len(column), column.offset * np.int64().nbytes)

    def to_bodies(self, column: Any) -> list[bytes | None]:
        bodies = iter(self._format.to_bodies(column.drop_null().to_numpy(zero_copy_only=False)))
        return [next(bodies) if present else None for present in column.is_valid().to_pylist()]

    def invalid_rows(self, column: Any) -> Iterator[InvalidRows]:
        words = column.fill_null(0).to_numpy()
        too_large = words.view(np.uint64) >= np.uint64(self._format.limit)
        yield InvalidRows(too_large, f"word {{}} is not below {self._format.limit}", words)


class BodyColumn(MessageColumn):
    """Bodies: bit planes, which are noise and stay as they are."""

    name = BitPlanes.column
    parquet_encoding = "DELTA_LENGTH_BYTE_ARRAY"
    spark_type = "binary"

    _format: BitPlanes

    @property
    def arrow_type(self) -> Any:
        return require("pyarrow", extra="files").binary()

    @property
    def array_type(self) -> np.dtype[Any]:
        return np.dtype((np.uint8, (self._format.body_bytes,)))

    def to_column(self, messages: Messages) -> Any:
        return bytes_to_column(messages.astype(np.uint8, copy=False)).cast(self.arrow_type)

    def to_messages(self, column: Any) -> Bytes:
        return column_to_bytes(column, self._format.body_bytes)

    def to_bodies(self, column: Any) -> list[bytes | None]:
        return list(column.to_pylist())

    def invalid_rows(self, column: Any) -> Iterator[InvalidRows]:
        compute = require("pyarrow.compute", extra="files")
        size = self._format.body_bytes
        lengths = compute.binary_length(column).fill_null(-1).to_numpy()
        yield InvalidRows(lengths != size, f"a body has {size} bytes, not {{}}", lengths)
        whole = np.flatnonzero(lengths == size)
        for sentence, rows in plane_problems(column_to_bytes(column.take(whole), size), self._format):
            invalid = np.zeros(len(column), np.bool_)
            invalid[whole[rows]] = True
            yield InvalidRows(invalid, sentence)


COLUMNS: dict[str, type[MessageColumn]] = {column.name: column for column in (WordColumn, BodyColumn)}


def message_column(task: Task) -> MessageColumn:
    """Return the column that holds the messages of a task's reports."""
    return COLUMNS[task.message_format.column](task.message_format)


def column_to_ids(column: Any) -> Bytes:
    """Return a column of report ids without nulls as rows of bytes."""
    return column_to_bytes(column, REPORT_ID_BYTES)


def bytes_to_column(rows: Bytes) -> Any:
    """Return rows of bytes as an Arrow array of fixed-size binary values."""
    arrow = require("pyarrow", extra="files")
    data = arrow.py_buffer(np.ascontiguousarray(rows))
    return arrow.Array.from_buffers(arrow.binary(rows.shape[1]), len(rows), [None, data])


def column_to_bytes(column: Any, size: int) -> Bytes:
    """Return a column of binary values of one size as rows of bytes."""
    fixed = column.cast(require("pyarrow", extra="files").binary(size))
    data = np.frombuffer(fixed.buffers()[1] or b"", np.uint8)
    return data[fixed.offset * size : (fixed.offset + len(fixed)) * size].reshape(-1, size)


TASK_MEMBER, ID_MEMBER = "pckv.task", "pckv.task_id"


def report_schema(task: Task) -> Any:
    """Return the columns of a task's reports."""
    arrow = require("pyarrow", extra="files")
    column = message_column(task)
    return arrow.schema(
        [
            arrow.field(ID_COLUMN, arrow.binary(REPORT_ID_BYTES), nullable=False),
            arrow.field(column.name, column.arrow_type, nullable=False),
        ]
    )


def report_metadata(task: Task) -> dict[str, str]:
    """Return the metadata of a task's report files and streams."""
    return {TASK_MEMBER: task.to_json(), ID_MEMBER: task.id}


def read_named_task(place: object, metadata: Mapping[bytes, bytes]) -> Task:
    """Return the task that a file or stream of reports names."""
    text = metadata.get(TASK_MEMBER.encode())
    if text is None:
        raise DataError("not a report file (it names no task)", place=place)
    try:
        return Task.from_json(text)
    except TaskError as error:
        raise DataError(f"not a report file (the task that it names: {error})", place=place) from None


def check_reports(place: object, schema: Any, metadata: Mapping[bytes, bytes], task: Task) -> None:
    """Refuse a file or stream that does not hold reports of this task."""
    check_owner(place, metadata, task, required=True)
    check_columns(place, schema, task)


def check_owner(place: object, metadata: Mapping[bytes, bytes], task: Task, *, required: bool) -> None:
    """Refuse reports whose metadata names another task or, where one is required, none."""
    owner = metadata.get(ID_MEMBER.encode())
    if owner is None and required:
        raise DataError("not a report file (it names no task)", place=place)
    if owner is not None and owner != task.id.encode():
        raise DataError(f"reports of another task ({owner.decode(errors='replace')!r})", place=place)


def check_columns(place: object, schema: Any, task: Task) -> None:
    """Refuse a table without the columns of a task's reports."""
    for wanted in report_schema(task):
        if wanted.name not in schema.names:
            raise DataError(f"column {wanted.name!r} is missing", place=place)
        # In SQL, WORD is a word too.
        if sum(name.lower() == wanted.name for name in schema.names) > 1:
            raise DataError(f"column {wanted.name!r} is there twice", place=place)
        kind = schema.field(wanted.name).type
        if kind != wanted.type:
            raise DataError(f"column {wanted.name!r} is {kind}, not {wanted.type}", place=place)
