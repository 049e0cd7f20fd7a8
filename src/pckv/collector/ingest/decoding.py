"""Decoding the reports of a request, JSON or Arrow: strictly, without trusting its size or shape."""

from __future__ import annotations

import json
import re
import struct
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

from pckv.base.canonical import (
    MAX_NAME_BYTES,
    RepeatedMember,
    base64url,
    from_base64url,
    refuse_repeated_members,
)
from pckv.base.errors import ReportError, require
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.base.wire import Report, check_id
from pckv.collector.http.problem_details import BAD_ID, DUPLICATE, WRONG_COIN, ProblemDetails, ProblemKind
from pckv.contract.coins import follows_coin
from pckv.contract.task import Task
from pckv.counting.batches import check_batch
from pckv.files.reports.columns import ID_MEMBER, message_column, report_schema

MAX_REPORTS_PER_REQUEST = 10_000
MEMBERS = ({"id", "body"}, {"id", "body", "invitation"})
# What a report in JSON has besides id and body: names of members, an invitation, generous white space.
MAX_JSON_FRAME_BYTES = 256
# How often a character of JSON's syntax may appear, per report and besides: what is parsed takes many times
# the memory of its text, `[[],[],…` thirty times.
MAX_PER_REPORT = {b"{": 1, b",": 3, b":": 3, b'"': 12}
MAX_OUTSIDE_REPORTS = 16
# How much of an id an answer repeats: all of one that is an id. Whole ones made answers three times as large
# as bodies.
MAX_REPEATED_CHARACTERS = 32
# Nearly all requests send one report with a word, written as below. Whatever matches is JSON and canonical
# base64url (the last characters are those that end 16 and 8 bytes), so that it can be read without parsing
# and says the same.
_ONE_WORD = re.compile(
    rb'\{"reports": ?\[\{"id": ?"([\w-]{21}[AQgw])", ?"body": ?"([\w-]{10}[AEIMQUYcgkosw048])"'
    rb'(?:, ?"invitation": ?"([\w-]*)")?\}\]\}'
)
_TO_BASE64 = bytes.maketrans(b"-_", b"+/")


class Refusal(NamedTuple):
    """A refused report, by the id that it was sent with, or the beginning of what is too long for one."""

    id: str
    reason: str


class Decoded(NamedTuple):
    """The content of a request: valid reports, the invitation of each, and refusals."""

    reports: list[Report]
    invitations: list[str | None]
    refused: list[Refusal]


class _NumberFound(ValueError):
    """A number, which no request has."""


def max_json_bytes(task: Task) -> int:
    """Return the size of the largest body with a task's reports."""
    return MAX_REPORTS_PER_REQUEST * (MAX_JSON_FRAME_BYTES + 4 * -(-task.message_format.body_bytes // 3))


def decode_json(task: Task, body: bytes) -> Decoded:
    """Return the reports of a JSON body."""
    if match := _ONE_WORD.fullmatch(body):
        return _one_word(task, *match.groups())
    items = _items(body)
    return _without_repeats(
        (item["id"], _read(task, item["id"], item["body"]), item.get("invitation")) for item in items
    )


def _one_word(task: Task, report_id: bytes, word: bytes, invitation: bytes | None) -> Decoded:
    report = Report(a2b_base64(report_id.translate(_TO_BASE64) + b"=="), a2b_base64(word.translate(_TO_BASE64) + b"="))
    checked = _check_body(task, report)
    if isinstance(checked, str):
        return Decoded([], [], [Refusal(report_id.decode(), checked)])
    return Decoded([report], [None if invitation is None else invitation.decode()], [])


def _items(body: bytes) -> list[dict[str, str]]:
    """Return the reports of a body as they were sent: texts under the right names, and not too many."""
    _check_shape(body)
    content = _parse(body)
    if not isinstance(content, dict) or content.keys() != {"reports"} or not isinstance(content["reports"], list):
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"reports": […]}')
    items = content["reports"]
    _check_count(len(items))
    for item in items:
        if (
            not isinstance(item, dict)
            or item.keys() not in MEMBERS
            or not all(isinstance(text, str) for text in item.values())
        ):
            raise _not_a_report()
    return items


def _check_shape(body: bytes) -> None:
    """Refuse a body with more of JSON's syntax than the most reports need, before any of it is parsed."""
    for character, per_report in MAX_PER_REPORT.items():
        if body.count(character) > MAX_REPORTS_PER_REQUEST * per_report + MAX_OUTSIDE_REPORTS:
            raise _too_many()
    if body.count(b"[") > MAX_REPORTS_PER_REQUEST + MAX_OUTSIDE_REPORTS:
        raise ProblemDetails(ProblemKind.MALFORMED, "the body has many lists instead of one")


def _parse(body: bytes) -> object:
    try:
        return _DECODER.decode(body.decode())
    except RepeatedMember as error:
        raise ProblemDetails(ProblemKind.MALFORMED, f"member {str(error)[:20]!r} appears twice") from None
    except _NumberFound:
        raise _not_a_report() from None
    except (ValueError, RecursionError):
        raise ProblemDetails(ProblemKind.MALFORMED, "the body is not JSON") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse_number(text: str) -> NoReturn:
    raise _NumberFound(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=refuse_repeated_members,
    parse_constant=_refuse_constant,
    parse_int=_refuse_number,
    parse_float=_refuse_number,
)


def _not_a_report() -> ProblemDetails:
    return ProblemDetails(ProblemKind.MALFORMED, "a report is an id and a body, and perhaps an invitation: texts")


def _check_count(reports: int) -> None:
    if reports > MAX_REPORTS_PER_REQUEST:
        raise _too_many()


def _too_many() -> ProblemDetails:
    return ProblemDetails(ProblemKind.TOO_LARGE, f"a request has at most {MAX_REPORTS_PER_REQUEST:,} reports")


def _read(task: Task, report_id: str, body: str) -> Report | str:
    """Return a report, or the reason why it is refused."""
    try:
        binary_id = from_base64url(report_id)
        check_id(binary_id)
    except ReportError:
        return BAD_ID
    try:
        return _check_body(task, Report(binary_id, from_base64url(body)))
    except ReportError as error:
        return error.code


def _check_body(task: Task, report: Report) -> Report | str:
    """Return a report whose body fits the task and follows its coin, or the reason why it is refused."""
    try:
        message = task.message_format.decode(report.body)
    except ReportError as error:
        return error.code
    if task.coin == SERVER_COIN and not follows_coin(task, report.id, message):
        return WRONG_COIN
    return report


def _without_repeats(rows: Iterable[tuple[str, Report | str, str | None]]) -> Decoded:
    """Sort the reports of a request: the first of each id, and those that are refused, as (id, reason)."""
    decoded = Decoded([], [], [])
    seen: set[bytes] = set()
    for text, report, invitation in rows:
        if isinstance(report, str):
            decoded.refused.append(Refusal(text[:MAX_REPEATED_CHARACTERS], report))
        elif report.id in seen:
            decoded.refused.append(Refusal(text, DUPLICATE))
        else:
            seen.add(report.id)
            decoded.reports.append(report)
            decoded.invitations.append(invitation)
    return decoded


# A batch costs far more than its bytes: a stream of thousands would slow all requests down.
MAX_BATCHES_PER_REQUEST = 64
# What a batch has besides its rows, what a row has besides id and body (an offset, and two bits that tell
# nulls), and what a schema has besides the task's text.
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
            batches = list(stream)
        for batch in batches:
            batch.validate(full=True)
    except (arrow.ArrowException, OSError, UnicodeDecodeError, struct.error):
        raise ProblemDetails(ProblemKind.MALFORMED, "the body is not an Arrow stream of reports") from None
    # `check_batch` checks whole columns, many times as fast as one report after the other, but it knows no
    # coins.
    if task.coin != SERVER_COIN and not any(check_batch(task, batch, "")[1] for batch in batches):
        ids = [report_id for batch in batches for report_id in batch.column(0).to_pylist()]
        if len(set(ids)) == len(ids):
            bodies = (body or b"" for batch in batches for body in message_column(task).to_bodies(batch.column(1)))
            return Decoded(list(map(Report, ids, bodies)), [None] * len(ids), [])
    return _without_repeats((base64url(report_id or b""), report, None) for report_id, report in _rows(task, batches))


def _check_schema(task: Task, schema: Any) -> None:
    expected = report_schema(task)
    if (schema.metadata or {}).get(ID_MEMBER.encode(), task.id.encode()) != task.id.encode():
        raise ProblemDetails(ProblemKind.MALFORMED, "the stream says that it is another task's")
    if schema.names != expected.names or schema.types != expected.types:
        raise ProblemDetails(ProblemKind.MALFORMED, f"the stream must have the columns {', '.join(map(str, expected))}")


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
    return _check_body(task, Report(report_id, body))


def _check_messages(arrow: Any, body: bytes) -> None:
    """Refuse anything but a schema and some plain record batches, before any of them is decoded."""
    source = arrow.BufferReader(body)
    reader = arrow.ipc.MessageReader.open_stream(source)
    rows = 0
    for number, message in enumerate(reader):
        if number > MAX_BATCHES_PER_REQUEST:
            raise ProblemDetails(
                ProblemKind.TOO_LARGE, f"a stream has at most {MAX_BATCHES_PER_REQUEST} record batches"
            )
        rows += _check_message(message.metadata.to_pybytes(), BATCH_MESSAGE if number else SCHEMA_MESSAGE)
        _check_count(rows)
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


def _field(data: bytes, table: int, number: int) -> int:
    """Return the position of a field of a flatbuffers table; 0 if the table does not have it."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    place = 4 + 2 * number
    offset = struct.unpack_from("<H", data, vtable + place)[0] if place + 2 <= size else 0
    return table + offset if offset else 0
