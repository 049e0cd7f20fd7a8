"""Decoding reports from the bytes of a request: strictly, and without trusting their size or shape."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pckv.canonical import RepeatedMember, base64url, from_base64url, refuse_repeated_members
from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.counting.batches import check_batch
from pckv.errors import ReportError, require
from pckv.files.reports.columns import message_column
from pckv.files.reports.format import ID_MEMBER, report_schema
from pckv.task import Task
from pckv.wire import Report, check_id

MAX_REPORTS_PER_REQUEST = 10_000
MEMBERS = ({"id", "body"}, {"id", "body", "invitation"})
DUPLICATE = "duplicate_in_request"
# Kinds of Arrow messages, and where a record batch says how it is compressed.
SCHEMA_MESSAGE, BATCH_MESSAGE = 1, 3
HEADER_KIND, HEADER, COMPRESSION = 1, 2, 3
# How a stream ends: without it Arrow would accept what a broken connection left.
END_MARK = b"\xff\xff\xff\xff\0\0\0\0"


class Refusal(NamedTuple):
    """A refused report, by the id that it was sent with."""

    id: str
    reason: str


class Decoded(NamedTuple):
    """The content of a request: valid reports, the invitation of each, and refusals."""

    reports: list[Report]
    invitations: list[str | None]
    refused: list[Refusal]


def decode_json(task: Task, body: bytes) -> Decoded:
    """Return the reports of a JSON body."""
    try:
        content = json.loads(
            body.decode(), parse_constant=_no_constants, object_pairs_hook=refuse_repeated_members
        )
    except RepeatedMember as error:
        raise ProblemDetails(ProblemKind.MALFORMED, f"member {str(error)[:20]!r} appears twice") from None
    except (ValueError, RecursionError):
        raise ProblemDetails(ProblemKind.MALFORMED, "the body is not JSON") from None
    if (
        not isinstance(content, dict)
        or content.keys() != {"reports"}
        or not isinstance(content["reports"], list)
    ):
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"reports": […]}')
    _check_count(len(content["reports"]))
    for item in content["reports"]:
        if not isinstance(item, dict) or item.keys() not in MEMBERS or not all(map(_is_text, item.values())):
            raise ProblemDetails(
                ProblemKind.MALFORMED, "a report is an id and a body, and perhaps an invitation: texts"
            )
    return _without_repeats(
        (item["id"], _read(task, item), item.get("invitation")) for item in content["reports"]
    )


def _no_constants(name: str) -> None:
    raise ValueError(name)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _check_count(reports: int) -> None:
    if reports > MAX_REPORTS_PER_REQUEST:
        raise ProblemDetails(
            ProblemKind.TOO_LARGE, f"a request has at most {MAX_REPORTS_PER_REQUEST:,} reports"
        )


def _read(task: Task, item: dict[str, str]) -> Report | str:
    """Return a report, or the reason why it is refused."""
    try:
        report_id = from_base64url(item["id"])
        check_id(report_id)
    except ReportError:
        return "bad_id"
    try:
        body = from_base64url(item["body"])
        task.message_format.decode(body)
    except ReportError as error:
        return error.code
    return Report(report_id, body)


def _without_repeats(rows: Iterable[tuple[str, Report | str, str | None]]) -> Decoded:
    decoded = Decoded([], [], [])
    seen: set[bytes] = set()
    for text, report, invitation in rows:
        if isinstance(report, str):
            decoded.refused.append(Refusal(text, report))
        elif report.id in seen:
            decoded.refused.append(Refusal(text, DUPLICATE))
        else:
            seen.add(report.id)
            decoded.reports.append(report)
            decoded.invitations.append(invitation)
    return decoded


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
    # `check_batch` checks whole columns, many times as fast as one report after the other.
    if not any(check_batch(task, batch, "")[1] for batch in batches):
        ids = [report_id for batch in batches for report_id in batch.column(0).to_pylist()]
        if len(set(ids)) == len(ids):
            bodies = (
                body or b"" for batch in batches for body in message_column(task).to_bodies(batch.column(1))
            )
            return Decoded(list(map(Report, ids, bodies)), [None] * len(ids), [])
    return _without_repeats(
        (base64url(report_id or b""), report, None) for report_id, report in _rows(task, batches)
    )


def _batches(stream: Any) -> Iterator[Any]:
    rows = 0
    for batch in stream:
        batch.validate(full=True)
        rows += len(batch)
        _check_count(rows)
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
        return "bad_id"
    if body is None:
        return "bad_encoding"
    try:
        task.message_format.decode(body)
    except ReportError as error:
        return error.code
    return Report(report_id, body)


def _check_messages(arrow: Any, body: bytes) -> None:
    """Refuse anything but a schema and plain record batches: compressed ones could unpack to any size."""
    source = arrow.BufferReader(body)
    reader = arrow.ipc.MessageReader.open_stream(source)
    for number, message in enumerate(_messages(reader)):
        metadata = message.metadata.to_pybytes()
        root = struct.unpack_from("<I", metadata)[0]
        kind_position, header_position = (_field(metadata, root, field) for field in (HEADER_KIND, HEADER))
        kind = metadata[kind_position] if kind_position else 0
        if kind != (BATCH_MESSAGE if number else SCHEMA_MESSAGE) or not header_position:
            raise ProblemDetails(ProblemKind.MALFORMED, "the stream must be a schema and record batches")
        header = header_position + struct.unpack_from("<I", metadata, header_position)[0]
        if kind == BATCH_MESSAGE and _field(metadata, header, COMPRESSION):
            raise ProblemDetails(ProblemKind.MEDIA, "compressed record batches are not taken")
    if source.tell() != len(body):
        raise ProblemDetails(ProblemKind.MALFORMED, "something follows the end of the stream")
    if not body.endswith(END_MARK):
        raise ProblemDetails(ProblemKind.MALFORMED, "the stream breaks off: its end mark is missing")


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
