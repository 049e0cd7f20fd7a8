"""Decoding reports from an Arrow stream: strictly, and without trusting its size or shape."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from pckv.base.canonical import MAX_NAME_BYTES, base64url
from pckv.base.errors import require
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.base.wire import Report
from pckv.collector.http.problem_details import BAD_ID, ProblemDetails, ProblemKind
from pckv.collector.ingest.decoding import (
    MAX_REPORTS_PER_REQUEST,
    Decoded,
    check_body,
    check_count,
    without_repeats,
)
from pckv.contract.task import Task
from pckv.counting.batches import check_batch
from pckv.files.reports.columns import message_column
from pckv.files.reports.format import ID_MEMBER, report_schema

# A batch costs far more than its bytes: what takes thousands is slow for everybody.
MAX_BATCHES_PER_REQUEST = 64
# What a batch has besides its rows, what a row has besides id and body (an offset, and two bits that tell nulls), and
# what a schema has besides the task's text.
MAX_BATCH_FRAME_BYTES, MAX_ROW_FRAME_BYTES, MAX_SCHEMA_FRAME_BYTES = 2**10, 8, 2**14
# A key's name in the task's text: every character may be escaped, and there are quotation marks and a comma.
MAX_WRITTEN_NAME_BYTES = 2 * MAX_NAME_BYTES + 3
# Kinds of Arrow messages, and where a record batch says how many rows it has and how it is compressed.
SCHEMA_MESSAGE, BATCH_MESSAGE = 1, 3
HEADER_KIND, HEADER = 1, 2
ROWS, COMPRESSION = 0, 3
# How a stream ends: without it Arrow would accept what a broken connection left.
END_MARK = b"\xff\xff\xff\xff\0\0\0\0"


def max_arrow_bytes(task: Task) -> int:
    """Return the size of the largest stream of a task's reports; its schema may hold the task's text."""
    row = REPORT_ID_BYTES + task.message_format.body_bytes + MAX_ROW_FRAME_BYTES
    batches = MAX_BATCHES_PER_REQUEST * MAX_BATCH_FRAME_BYTES
    names = len(task.keys) * MAX_WRITTEN_NAME_BYTES if isinstance(task.keys, tuple) else 0
    return MAX_REPORTS_PER_REQUEST * row + batches + MAX_SCHEMA_FRAME_BYTES + names


def decode_arrow(task: Task, body: bytes) -> Decoded:
    """Return the reports of an Arrow stream, which has no column for invitations."""
    arrow = require("pyarrow", extra="files")
    try:
        _check_messages(arrow, body)
        with arrow.ipc.open_stream(body) as stream:
            _check_schema(task, stream.schema)
            batches = list(_batches(stream))
    except (arrow.ArrowException, OSError, UnicodeDecodeError, struct.error):
        raise ProblemDetails(ProblemKind.MALFORMED, "the body is not an Arrow stream of reports") from None
    # `check_batch` checks whole columns, many times as fast as one report after the other, but it knows no coins.
    if task.coin != SERVER_COIN and not any(check_batch(task, batch, "")[1] for batch in batches):
        ids = [report_id for batch in batches for report_id in batch.column(0).to_pylist()]
        if len(set(ids)) == len(ids):
            bodies = (
                body or b"" for batch in batches for body in message_column(task).to_bodies(batch.column(1))
            )
            return Decoded(list(map(Report, ids, bodies)), [None] * len(ids), [])
    return without_repeats(
        (base64url(report_id or b""), report, None) for report_id, report in _rows(task, batches)
    )


def _batches(stream: Any) -> Iterator[Any]:
    for batch in stream:
        batch.validate(full=True)
        yield batch


def _check_schema(task: Task, schema: Any) -> None:
    expected = report_schema(task)
    if (schema.metadata or {}).get(ID_MEMBER.encode(), task.id.encode()) != task.id.encode():
        raise ProblemDetails(ProblemKind.MALFORMED, "the stream says that it is another task's")
    if schema.names != expected.names or schema.types != expected.types:
        raise ProblemDetails(
            ProblemKind.MALFORMED, f"the stream must have the columns {', '.join(map(str, expected))}"
        )


def _rows(task: Task, batches: Iterable[Any]) -> Iterator[tuple[bytes | None, Report | str]]:
    for batch in batches:
        ids, messages = batch.column(0).to_pylist(), message_column(task).to_bodies(batch.column(1))
        for report_id, body in zip(ids, messages, strict=True):
            yield report_id, _checked(task, report_id, body)


def _checked(task: Task, report_id: bytes | None, body: bytes | None) -> Report | str:
    if report_id is None:
        return BAD_ID
    if body is None:
        return "bad_encoding"
    return check_body(task, Report(report_id, body))


def _check_messages(arrow: Any, body: bytes) -> None:
    """Refuse anything but a schema and some plain record batches, before any of them is decoded."""
    source = arrow.BufferReader(body)
    reader = arrow.ipc.MessageReader.open_stream(source)
    rows = 0
    for number, message in enumerate(_messages(reader)):
        if number > MAX_BATCHES_PER_REQUEST:
            raise ProblemDetails(
                ProblemKind.TOO_LARGE, f"a stream has at most {MAX_BATCHES_PER_REQUEST} record batches"
            )
        rows += _check_message(message.metadata.to_pybytes(), BATCH_MESSAGE if number else SCHEMA_MESSAGE)
        check_count(rows)
    if source.tell() != len(body):
        raise ProblemDetails(ProblemKind.MALFORMED, "something follows the end of the stream")
    if not body.endswith(END_MARK):
        raise ProblemDetails(ProblemKind.MALFORMED, "the stream breaks off: its end mark is missing")


def _check_message(metadata: bytes, expected: int) -> int:
    """Return how many rows a message says that it has; compressed ones could unpack to any size."""
    root = struct.unpack_from("<I", metadata)[0]
    kind_position, header_position = (_field(metadata, root, field) for field in (HEADER_KIND, HEADER))
    kind = metadata[kind_position] if kind_position else 0
    if kind != expected or not header_position:
        raise ProblemDetails(ProblemKind.MALFORMED, "the stream must be a schema and record batches")
    if kind == SCHEMA_MESSAGE:
        return 0
    header = header_position + struct.unpack_from("<I", metadata, header_position)[0]
    if _field(metadata, header, COMPRESSION):
        raise ProblemDetails(ProblemKind.MEDIA, "compressed record batches are not taken")
    position = _field(metadata, header, ROWS)
    rows: int = struct.unpack_from("<q", metadata, position)[0] if position else 0
    if rows <= 0:
        raise ProblemDetails(ProblemKind.MALFORMED, "a record batch is empty")
    return rows


def _messages(reader: Any) -> Iterator[Any]:
    while True:
        try:
            yield reader.read_next_message()
        except StopIteration:
            return


def _field(data: bytes, table: int, number: int) -> int:
    """Return the position of a field of a flatbuffers table; 0 if the table does not have it."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    place = 4 + 2 * number
    offset = struct.unpack_from("<H", data, vtable + place)[0] if place + 2 <= size else 0
    return table + offset if offset else 0
