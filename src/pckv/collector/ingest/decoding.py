"""Decoding reports from the JSON of a request: strictly, and without trusting its size or shape."""

from __future__ import annotations

import json
import re
from binascii import a2b_base64
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from pckv.base.canonical import RepeatedMember, from_base64url, refuse_repeated_members
from pckv.base.errors import ReportError
from pckv.base.limits import SERVER_COIN
from pckv.base.wire import Report, check_id
from pckv.collector.http.problem_details import BAD_ID, DUPLICATE, WRONG_COIN, ProblemDetails, ProblemKind
from pckv.contract.coins import follows_coin
from pckv.contract.task import Task

MAX_REPORTS_PER_REQUEST = 10_000
MEMBERS = ({"id", "body"}, {"id", "body", "invitation"})
# What a report in JSON has besides id and body: names of members, an invitation, generous white space.
MAX_JSON_FRAME_BYTES = 256
# How often a character of JSON's syntax may appear, per report and besides: what is parsed takes many times the memory
# of its text, `[[],[],…` thirty times.
MAX_PER_REPORT = {b"{": 1, b",": 3, b":": 3, b'"': 12}
MAX_OUTSIDE_REPORTS = 16
# How much of an id an answer repeats: all of one that is an id. Whole ones made answers three times as large as bodies.
MAX_REPEATED_CHARACTERS = 32
# Nearly all requests send one report with a word, written as below. Whatever matches is JSON and canonical base64url
# (the last characters are those that end 16 and 8 bytes), so that it can be read without parsing and says the same.
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
    return without_repeats(
        (item["id"], _read(task, item["id"], item["body"]), item.get("invitation")) for item in items
    )


def _one_word(task: Task, report_id: bytes, word: bytes, invitation: bytes | None) -> Decoded:
    report = Report(
        a2b_base64(report_id.translate(_TO_BASE64) + b"=="), a2b_base64(word.translate(_TO_BASE64) + b"=")
    )
    checked = check_body(task, report)
    if isinstance(checked, str):
        return Decoded([], [], [Refusal(report_id.decode(), checked)])
    return Decoded([report], [None if invitation is None else invitation.decode()], [])


def _items(body: bytes) -> list[dict[str, str]]:
    """Return the reports of a body as they were sent: texts under the right names, and not too many."""
    _check_shape(body)
    content = _parse(body)
    if (
        not isinstance(content, dict)
        or content.keys() != {"reports"}
        or not isinstance(content["reports"], list)
    ):
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"reports": […]}')
    items = content["reports"]
    check_count(len(items))
    for item in items:
        if not isinstance(item, dict) or item.keys() not in MEMBERS or not all(map(_is_text, item.values())):
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


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _not_a_report() -> ProblemDetails:
    return ProblemDetails(
        ProblemKind.MALFORMED, "a report is an id and a body, and perhaps an invitation: texts"
    )


def check_count(reports: int) -> None:
    """Refuse more reports than a request may have."""
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
        return check_body(task, Report(binary_id, from_base64url(body)))
    except ReportError as error:
        return error.code


def check_body(task: Task, report: Report) -> Report | str:
    """Return a report whose body is one of the task's and follows its coin, or the reason why it is refused."""
    try:
        message = task.message_format.decode(report.body)
    except ReportError as error:
        return error.code
    if task.coin == SERVER_COIN and not follows_coin(task, report.id, message):
        return WRONG_COIN
    return report


def without_repeats(rows: Iterable[tuple[str, Report | str, str | None]]) -> Decoded:
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
