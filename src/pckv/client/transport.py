"""HTTP, as little as it takes: fetch a task, send a report, judge the answer.

A request says nothing about the device: no cookies, a fixed user agent. Redirects are not followed, answers
are bounded in size and time, and an answer that no collector would give (a portal's page, a proxy's
error) decides nothing: the report waits.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
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

from pckv.canonical import base64url
from pckv.client.outbox import Outcome, Status
from pckv.errors import ParameterError
from pckv.wire import Report

LARGEST_TASK, LARGEST_ANSWER, CHUNK = 2**26, 2**16, 2**16
LONGEST_NOTE = 200
NO_ANSWER, OK, FORBIDDEN, FIRST_SERVER_ERROR = 0, 200, 403, 500
TRIED_AGAIN = {NO_ANSWER, 408, 425, 429}
# Sending the same report again cannot help.
FINAL = {400, 404, 410, 413, 415}
CODE = re.compile(r"[a-z][a-z_-]{0,39}")


@dataclass(frozen=True)
class Patience:
    """How long one call tries: so often, for so many seconds in all, with pauses that double from the first.

    Each pause is drawn between nothing and its bound, so that many devices do not come back at once.
    """

    tries: int = 4
    seconds: float = 20.0
    first_pause: float = 0.5
    timeout: float = 10.0


class Answer(NamedTuple):
    """An answer, or why there was none (status 0)."""

    status: int
    media: str = ""
    body: bytes = b""
    retry_after: float = 0.0
    note: str = ""

    @property
    def passing(self) -> bool:
        """Whether another try may do better, whatever is sent."""
        return self.status in TRIED_AGAIN or self.status >= FIRST_SERVER_ERROR

    def members(self, media: str) -> dict[str, Any]:
        """The JSON object of this media type that the answer holds; nothing if it holds none."""
        try:
            value = json.loads(self.body) if self.media == media else None
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def __str__(self) -> str:
        return self.note or f"HTTP {self.status}"


class Delivery(NamedTuple):
    """What became of a report that was sent; `passing` if nothing else would have got through."""

    outcome: Outcome
    passing: bool


class _AsItIs(HTTPErrorProcessor):
    """Every answer is an answer: errors are not raised, redirects not followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002
        return response

    https_response = http_response


class Transport:
    """The way to one collector."""

    def __init__(self, url: str, patience: Patience) -> None:
        self.url = checked_url(url)
        self._patience = patience
        self._opener = OpenerDirector()
        self._opener.addheaders = [("User-agent", "pckv")]
        for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), _AsItIs()):
            self._opener.add_handler(handler)

    def fetch(self, task_id: str) -> Answer:
        """Ask for a task."""
        return self._patiently(Request(f"{self.url}/tasks/{task_id}"), LARGEST_TASK)  # noqa: S310

    def send(self, task_id: str, report: Report, invitation: str | None) -> Delivery:
        """Send a report; it is safe to send it again."""
        members = {"id": base64url(report.id), "body": base64url(report.body)}
        if invitation is not None:
            members["invitation"] = invitation
        request = Request(  # noqa: S310
            f"{self.url}/tasks/{task_id}/reports",
            data=json.dumps({"reports": [members]}).encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        answer = self._patiently(request, LARGEST_ANSWER)
        return Delivery(judge(answer, members["id"]), answer.passing)

    def _patiently(self, request: Request, most: int) -> Answer:
        ends = time.monotonic() + self._patience.seconds
        bound = self._patience.first_pause
        for _ in range(self._patience.tries - 1):
            answer = self._once(request, most, ends)
            pause = max(bound * secrets.randbelow(1 << 20) / (1 << 20), answer.retry_after)
            if not answer.passing or time.monotonic() + pause >= ends:
                return answer
            time.sleep(pause)
            bound *= 2
        return self._once(request, most, ends)

    def _once(self, request: Request, most: int, ends: float) -> Answer:
        timeout = max(0.001, min(self._patience.timeout, ends - time.monotonic()))
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return _read(response, most, ends)
        except (OSError, HTTPException) as error:
            cause = error.reason if isinstance(error, URLError) else error
            return Answer(NO_ANSWER, note=one_line(f"no answer ({cause or type(cause).__name__})"))


def _read(response: HTTPResponse, most: int, ends: float) -> Answer:
    body = bytearray()
    while chunk := response.read1(CHUNK):
        body += chunk
        if len(body) > most:
            return Answer(NO_ANSWER, note=f"an answer of more than {most:,} bytes")
        if time.monotonic() > ends:
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


def judge(answer: Answer, report_id: str) -> Outcome:
    """What an answer means for the one report that was sent."""
    if answer.status == OK:
        match answer.members("application/json"):
            case {"refused": []}:
                return Outcome(Status.SENT)
            case {"refused": [{"id": refused, "reason": str(reason)}]} if refused == report_id:
                return Outcome(Status.REFUSED, _code(reason, "an unknown reason"))
        return Outcome(Status.WAITING, "an answer that is not a collector's")
    problem = answer.members("application/problem+json")
    if not problem:
        return Outcome(Status.WAITING, str(answer))
    kind = _code(str(problem.get("type")).rpartition(":")[2], f"HTTP {answer.status}")
    detail = one_line(str(problem.get("detail", "")))
    final = answer.status in FINAL or (answer.status == FORBIDDEN and kind == "closed")
    return Outcome(Status.REFUSED if final else Status.WAITING, f"{kind}: {detail}" if detail else kind)


def _code(text: str, otherwise: str) -> str:
    return text if CODE.fullmatch(text) else otherwise


def one_line(text: str) -> str:
    """A text from elsewhere, fit for a terminal: one line, printable, not long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST_NOTE])
    return " ".join(shown.split())


def checked_url(url: str) -> str:
    """A collector's address without a slash at its end."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound or parts.username is not None or parts.query or parts.fragment or not _plain(url):
        raise ParameterError(f"{url!r} is not a collector's address, like https://example.org")
    return url.rstrip("/")


def _plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url
