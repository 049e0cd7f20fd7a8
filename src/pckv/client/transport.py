"""The client's HTTP: fetch a task, ask for admission, send a report, interpret the answer.

A request says nothing about the device: no cookies, a fixed user agent. Redirects are not followed, answers are
bounded in size and time, and an answer that no collector would give (a portal's page, a proxy's error) decides
nothing: the report waits.
"""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from pckv.base.canonical import base64url
from pckv.base.errors import ParameterError
from pckv.base.wire import Report
from pckv.client.outbox import DeliveryOutcome, Status
from pckv.client.retry_policy import RetryPolicy

MAX_TASK_BYTES, MAX_ANSWER_BYTES, CHUNK_BYTES = 2**26, 2**16, 2**16
MAX_NOTE_LENGTH = 200
NO_ANSWER, OK, FORBIDDEN, FIRST_SERVER_ERROR = 0, 200, 403, 500
RETRY_STATUSES = {NO_ANSWER, 408, 425, 429}
# Sending the same report again cannot help.
FINAL_STATUSES = {400, 404, 410, 413, 415}
REASON_CODE = re.compile(r"[a-z][a-z_-]{0,39}")


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
        """Return the JSON object that the answer holds; an empty one if it has another media type or no object."""
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
    """The connection to one collector."""

    def __init__(self, url: str, retry_policy: RetryPolicy) -> None:
        self.url = checked_url(url)
        self._retry_policy = retry_policy
        self._opener = OpenerDirector()
        self._opener.addheaders = [("User-agent", "pckv")]
        for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), _PlainResponses()):
            self._opener.add_handler(handler)

    def fetch(self, path: str) -> Answer:
        """Request the text of a task or a series."""
        return self._request_with_retries(Request(self.url + path), MAX_TASK_BYTES)  # noqa: S310

    def send(self, task_id: str, report: Report, invitation: str | None) -> Delivery:
        """Send a report; it is safe to send it again."""
        members = {"id": base64url(report.id), "body": base64url(report.body)}
        if invitation is not None:
            members["invitation"] = invitation
        answer = self._post(f"/tasks/{task_id}/reports", {"reports": [members]})
        return Delivery(interpret(answer, members["id"]), answer.temporary)

    def ask_admission(self, task_id: str, invitation: str | None) -> Answer:
        """Ask whether a report would be taken; asking spends nothing."""
        return self._post(
            f"/tasks/{task_id}/admission", {} if invitation is None else {"invitation": invitation}
        )

    def _post(self, path: str, content: dict[str, Any]) -> Answer:
        request = Request(  # noqa: S310
            self.url + path,
            data=json.dumps(content).encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        return self._request_with_retries(request, MAX_ANSWER_BYTES)

    def _request_with_retries(self, request: Request, max_bytes: int) -> Answer:
        deadline = time.monotonic() + self._retry_policy.seconds
        for attempt in range(self._retry_policy.tries - 1):
            answer = self._request(request, max_bytes, deadline)
            pause = max(self._retry_policy.pause(attempt), answer.retry_after)
            if not answer.temporary or time.monotonic() + pause >= deadline:
                return answer
            time.sleep(pause)
        return self._request(request, max_bytes, deadline)

    def _request(self, request: Request, max_bytes: int, deadline: float) -> Answer:
        timeout = max(0.001, min(self._retry_policy.timeout, deadline - time.monotonic()))
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return _read(response, max_bytes, deadline)
        except (OSError, HTTPException) as error:
            cause = error.reason if isinstance(error, URLError) else error
            return Answer(NO_ANSWER, note=one_line(f"no answer ({cause or type(cause).__name__})"))


def _read(response: HTTPResponse, max_bytes: int, deadline: float) -> Answer:
    body = bytearray()
    while chunk := response.read1(CHUNK_BYTES):
        body += chunk
        if len(body) > max_bytes:
            return Answer(NO_ANSWER, note=f"an answer of more than {max_bytes:,} bytes")
        if time.monotonic() > deadline:
            return Answer(NO_ANSWER, note="an answer that takes too long")
    if response.length:
        return Answer(NO_ANSWER, note="an answer that was cut off")
    retry_after = _seconds(response.headers.get("Retry-After"))
    return Answer(response.status, response.headers.get_content_type(), bytes(body), retry_after)


def _seconds(retry_after: str | None) -> float:
    text = (retry_after or "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


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


def problem_of(answer: Answer) -> Problem | None:
    """Return the problem that a collector answers a whole request with; None if no collector says so."""
    members = answer.members("application/problem+json")
    if not members:
        return None
    kind = _code(str(members.get("type")).rpartition(":")[2], f"HTTP {answer.status}")
    return Problem(kind, one_line(str(members.get("detail", ""))))


def _code(text: str, default: str) -> str:
    return text if REASON_CODE.fullmatch(text) else default


def one_line(text: str) -> str:
    """Return a text from elsewhere in a form that is safe on a terminal: one line, printable, not long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:MAX_NOTE_LENGTH])
    return " ".join(shown.split())


def checked_url(url: str) -> str:
    """Return a collector's address without a slash at its end, or refuse it."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or parts.username is not None or parts.query or parts.fragment or not _is_plain(url):
        raise ParameterError(f"{url!r} is not a collector's address, like https://example.org")
    return url.rstrip("/")


def _is_plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url
