"""The client's HTTP, to a collector or a mixer: fetch a task, ask for admission, send a report, interpret the answer.

A request says nothing about the device: no cookies, a fixed user agent. Redirects are not followed, answers
are bounded in size and time, and an answer that no collector would give (a portal's page, a proxy's error)
decides nothing: the report waits.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, OpenerDirector, ProxyHandler, Request

from pckv.base.canonical import base64url, from_base64url
from pckv.base.deadline import BoundedHTTPHandler, BoundedHTTPSHandler, TimedRequest
from pckv.base.errors import ClientError, ParameterError, ReportError
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.base.wire import Report
from pckv.base.words import one_line
from pckv.client.outbox import DeliveryOutcome, Status
from pckv.contract.task import Task

JITTER_STEPS = 1 << 20


@dataclass(frozen=True)
class RetryPolicy:
    """How one call retries.

    The pause after an attempt is drawn uniformly between 0 and a bound, so that many devices do not return at
    the same moment. The bound starts at `first_pause` seconds and doubles with each attempt.

    Attributes:
        tries: How many attempts are made at most.
        seconds: How long they may take together.
        first_pause: The first bound of pauses, in seconds.
        timeout: How many seconds one attempt may take.
    """

    tries: int = 4
    seconds: float = 20.0
    first_pause: float = 0.5
    timeout: float = 10.0

    def pause(self, attempt: int) -> float:
        """Return how many seconds to pause after an `attempt`, whose numbers begin with 0."""
        bound = self.first_pause * 2.0**attempt
        return bound * secrets.randbelow(JITTER_STEPS) / JITTER_STEPS


MAX_TASK_BYTES, MAX_ANSWER_BYTES, CHUNK_BYTES = 2**26, 2**16, 2**16
NO_ANSWER, OK, FORBIDDEN, NOT_FOUND, FIRST_SERVER_ERROR = 0, 200, 403, 404, 500
RETRY_STATUSES = {NO_ANSWER, 408, 425, 429}
# Sending the same report again cannot help.
FINAL_STATUSES = {400, 404, 410, 413, 415}
REASON_CODE = re.compile(r"[a-z][a-z_-]{0,39}")
INVITATION_HEADER = "PCKV-Invitation"
# What ends a sealed report besides: a collector says the same of an invitation report by report.
FINAL_KINDS = {"closed", "invitation-spent", "invitation-unknown"}


class Answer(NamedTuple):
    """An answer, or why there was none (status 0)."""

    status: int
    media: str = ""
    body: bytes = b""
    retry_after: float = 0.0
    note: str = ""

    @property
    def temporary(self) -> bool:
        """Whether another attempt may succeed, whatever is sent."""
        return self.status in RETRY_STATUSES or self.status >= FIRST_SERVER_ERROR

    def members(self, media: str) -> dict[str, Any]:
        """Return the JSON object of the answer; an empty one for another media type or no object."""
        try:
            value = json.loads(self.body) if self.media == media else None
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def __str__(self) -> str:
        return self.note or f"HTTP {self.status}"


class Problem(NamedTuple):
    """Why a collector refuses a whole request."""

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind


class Delivery(NamedTuple):
    """The result of sending a report; `unreachable` if no other report would have got through either."""

    outcome: DeliveryOutcome
    unreachable: bool


class _PlainResponses(HTTPErrorProcessor):
    """Returns every answer as it is: errors are not raised, redirects not followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002
        return response

    https_response = http_response


class Transport:
    """The connection to one collector or mixer."""

    def __init__(self, url: str, retry_policy: RetryPolicy) -> None:
        self.url = checked_url(url)
        self._retry_policy = retry_policy
        self._opener = OpenerDirector()
        self._opener.addheaders = [("User-agent", "pckv")]
        for handler in (ProxyHandler(), BoundedHTTPHandler(), BoundedHTTPSHandler(), _PlainResponses()):
            self._opener.add_handler(handler)

    def at(self, url: str) -> Transport:
        """Return the connection to an address, with the same retry policy."""
        return self if url == self.url else Transport(url, self._retry_policy)

    def fetch(self, path: str) -> Answer:
        """Request the text of a task or a series."""
        return self._request_with_retries(TimedRequest(self.url + path), MAX_TASK_BYTES)

    def send(self, task_id: str, report: Report, invitation: str | None) -> Delivery:
        """Send a report; it is safe to send it again."""
        members = {"id": base64url(report.id), "body": base64url(report.body)}
        if invitation is not None:
            members["invitation"] = invitation
        answer = self.post(f"/tasks/{task_id}/reports", {"reports": [members]})
        return Delivery(interpret(answer, members["id"]), answer.temporary)

    def send_sealed(self, task_id: str, sealed: bytes, invitation: str | None) -> Delivery:
        """Send sealed bytes to a mixer, which holds the same bytes once, however often they come."""
        headers = {"Content-Type": "application/octet-stream"}
        if invitation is not None:
            headers[INVITATION_HEADER] = invitation
        answer = self._post(f"/tasks/{task_id}/sealed", sealed, headers)
        return Delivery(interpret_sealed(answer), answer.temporary)

    def post(self, path: str, content: dict[str, Any]) -> Answer:
        """Send a JSON object."""
        return self._post(path, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _post(self, path: str, data: bytes, headers: dict[str, str]) -> Answer:
        request = TimedRequest(self.url + path, data=data, headers=headers, method="POST")
        return self._request_with_retries(request, MAX_ANSWER_BYTES)

    def _request_with_retries(self, request: TimedRequest, max_bytes: int) -> Answer:
        request.deadline = deadline = time.monotonic() + self._retry_policy.seconds
        for attempt in range(self._retry_policy.tries - 1):
            answer = self._request(request, max_bytes)
            pause = max(self._retry_policy.pause(attempt), answer.retry_after)
            if not answer.temporary or time.monotonic() + pause >= deadline:
                return answer
            time.sleep(pause)
        return self._request(request, max_bytes)

    def _request(self, request: TimedRequest, max_bytes: int) -> Answer:
        timeout = max(0.001, min(self._retry_policy.timeout, request.deadline - time.monotonic()))
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return _read(response, max_bytes)
        except (OSError, HTTPException) as error:
            cause = error.reason if isinstance(error, URLError) else error
            return Answer(NO_ANSWER, note=one_line(f"no answer ({cause or type(cause).__name__})"))


def _read(response: HTTPResponse, max_bytes: int) -> Answer:
    body = bytearray()
    while chunk := response.read1(CHUNK_BYTES):
        body += chunk
        if len(body) > max_bytes:
            return Answer(NO_ANSWER, note=f"an answer of more than {max_bytes:,} bytes")
    if response.length:
        return Answer(NO_ANSWER, note="an answer that was cut off")
    retry_after = _seconds(response.headers.get("Retry-After"))
    return Answer(response.status, response.headers.get_content_type(), bytes(body), retry_after)


def _seconds(retry_after: str | None) -> float:
    """Return how long to wait; a date counts as nothing, since who waits until it shows how its clock is set."""
    text = (retry_after or "").strip()
    return float(text) if text.isascii() and text.isdecimal() else 0.0


def interpret(answer: Answer, report_id: str) -> DeliveryOutcome:
    """Return what an answer means for the one report that was sent."""
    if answer.status == OK:
        match answer.members("application/json"):
            case {"refused": []}:
                return DeliveryOutcome(Status.SENT)
            case {"refused": [{"id": refused, "reason": str(reason)}]} if refused == report_id:
                return DeliveryOutcome(Status.REFUSED, _code(reason, "an unknown reason"))
        return DeliveryOutcome(Status.WAITING, "an answer that is not a collector's")
    problem = problem_of(answer)
    if problem is None:
        return DeliveryOutcome(Status.WAITING, str(answer))
    final = answer.status in FINAL_STATUSES or (answer.status == FORBIDDEN and problem.kind == "closed")
    return DeliveryOutcome(Status.REFUSED if final else Status.WAITING, str(problem))


def interpret_sealed(answer: Answer) -> DeliveryOutcome:
    """Return what a mixer's answer means for the sealed bytes that were sent."""
    if answer.status == OK:
        # Another service may say in JSON that it did not understand.
        if answer.media == "application/json" and answer.body == b'{"held":true}':
            return DeliveryOutcome(Status.SENT)
        return DeliveryOutcome(Status.WAITING, "an answer that is not a mixer's")
    problem = problem_of(answer)
    if problem is None:
        return DeliveryOutcome(Status.WAITING, str(answer))
    final = answer.status in FINAL_STATUSES or (answer.status == FORBIDDEN and problem.kind in FINAL_KINDS)
    reason = str(problem._replace(kind=problem.kind.replace("-", "_")))
    return DeliveryOutcome(Status.REFUSED if final else Status.WAITING, reason)


def problem_of(answer: Answer) -> Problem | None:
    """Return the problem that a collector answers a whole request with; None if no collector says so."""
    members = answer.members("application/problem+json")
    if not members:
        return None
    kind = _code(str(members.get("type")).rpartition(":")[2], f"HTTP {answer.status}")
    return Problem(kind, one_line(str(members.get("detail", ""))))


def _code(text: str, default: str) -> str:
    return text if REASON_CODE.fullmatch(text) else default


def checked_url(url: str) -> str:
    """Return a collector's address without a slash at its end, or refuse it."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    plain = url.isascii() and url.isprintable() and " " not in url
    if not valid or parts.username is not None or parts.query or parts.fragment or not plain:
        raise ParameterError(f"{url!r} is not a collector's address, like https://example.org")
    return url.rstrip("/")


MEANINGS = {
    "closed": "the task takes no more reports",
    "not_open": "the task does not take reports yet",
    "unknown": "there is no such task",
    "deleted": "the task was deleted",
    "invitation_unknown": "the invitation is missing or unknown",
    "invitation_spent": "the invitation was used before",
    "conflict": "there is another report with the same id",
}


def explain(reason: str, noun: str = "task") -> str:
    """Return a reason in words: what its code means, then what the collector adds to it.

    The noun says what the reason is about. A code without its own meaning is written as words, and what
    is no code is returned as it is.

    >>> explain("invitation-spent")
    'the invitation was used before'
    >>> explain("not-open: it opens on 2030-01-01")
    'the task does not take reports yet (it opens on 2030-01-01)'
    >>> explain("wrong_length"), explain("HTTP 404")
    ('wrong length', 'HTTP 404')
    """
    first, _, detail = reason.partition(": ")
    if not REASON_CODE.fullmatch(first):
        return reason
    code = first.replace("-", "_")
    meaning = MEANINGS.get(code, code.replace("_", " ")).replace("task", noun)
    return f"{meaning} ({detail})" if detail else meaning


class Admission(NamedTuple):
    """What a collector says about a report that is not made yet.

    Attributes:
        coin: The coin that the report is to be made with, where the task needs one.
        undecided: Why the collector did not answer; empty if it did.
        refusal: Why the collector would refuse the report; None if it would not.
    """

    coin: bytes | None = None
    undecided: str = ""
    refusal: Problem | None = None


def ask_admission(transport: Transport, task: Task, invitation: str | None) -> Admission:
    """Ask a collector whether it would take a report of a task; asking spends nothing."""
    content = {} if invitation is None else {"invitation": invitation}
    answer = transport.post(f"/tasks/{task.id}/admission", content)
    if answer.status == OK:
        members = answer.members("application/json")
        coin = _coin(members.get("coin"))
        if "coin" in members and (coin is None) == (task.coin != SERVER_COIN):
            return Admission(coin)
    problem = problem_of(answer)
    if problem is not None and not answer.temporary:
        return Admission(refusal=problem)
    shown = "an answer that is not a collector's" if answer.status == OK else str(problem or answer)
    return Admission(undecided=shown)


def require_admission(task: Task, admission: Admission) -> None:
    """Raise a `ClientError` for a report that the collector would refuse, or without the coin that it needs.

    A collector that cannot be reached decides nothing: a report that needs no coin can be made and wait. A mixer must
    answer: it takes reports until the closing day alone, and what comes later is never counted.
    """
    problem = admission.refusal
    if problem is not None:
        raise ClientError(
            problem.kind.replace("-", "_"),
            f"no report of task {task.id} can be made: {explain(str(problem))}; nothing was perturbed",
        )
    if admission.undecided and task.coin == SERVER_COIN:
        raise ClientError(
            "not_sent",
            f"task {task.id} needs a coin from its collector ({admission.undecided}); nothing was perturbed",
        )
    if admission.undecided and task.mixer is not None:
        raise ClientError(
            "not_sent",
            f"the mixer {task.mixer.url} did not say whether it takes a report ({admission.undecided}); nothing was "
            "perturbed",
        )


def _coin(text: object) -> bytes | None:
    """Return the coin of an answer, None if it has none."""
    try:
        coin = from_base64url(text) if isinstance(text, str) else b""
    except ReportError:
        return None
    return coin if len(coin) == REPORT_ID_BYTES else None
