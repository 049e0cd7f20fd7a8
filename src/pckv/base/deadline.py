"""Exchanges over HTTP that end: a deadline holds at the socket, whatever the other side sends, and however slowly."""

from __future__ import annotations

import io
import json
import socket
import time
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

TOO_LONG = "an answer that takes too long"
# The largest problem that is read.
MAX_PROBLEM_BYTES = 2**16
REDIRECT_STATUSES = range(300, 400)


class _Received(io.RawIOBase):
    """What arrives on a socket until a deadline; every byte that arrived moves it, by at most a rate."""

    def __init__(self, line: socket.socket, deadline: float, bytes_per_second: float) -> None:
        self._line, self._deadline, self._bytes_per_second = line, deadline, bytes_per_second
        self._patience = line.gettimeout()
        # It keeps the socket open until it is closed itself.
        self._source: Any = line.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        is_last = self._patience is None or left < self._patience
        if left <= 0:
            raise TimeoutError(TOO_LONG)
        self._line.settimeout(left if is_last else self._patience)
        try:
            received: int = self._source.readinto(buffer) or 0
        except TimeoutError:
            raise TimeoutError(TOO_LONG if is_last else "timed out") from None
        self._deadline += received / self._bytes_per_second
        return received

    def close(self) -> None:
        self._source.close()
        super().close()


class _BoundedSocket:
    """Makes the file that an answer is read from."""

    def __init__(self, line: socket.socket, deadline: float, bytes_per_second: float) -> None:
        self._received = _Received(line, deadline, bytes_per_second)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._received)


class _Answer(HTTPResponse):
    def __init__(self, line: Any, *arguments: Any, deadline: float, bytes_per_second: float, **others: Any) -> None:
        super().__init__(_BoundedSocket(line, deadline, bytes_per_second), *arguments, **others)  # type: ignore[arg-type]


class TimedRequest(Request):
    """A request whose whole exchange ends at a moment of `time.monotonic`; its time-out bounds single waits."""

    deadline: float


class _WithDeadline:
    """A handler whose answers arrive whole by a deadline: that of a `TimedRequest`, or the time-out of another.

    Args:
        bytes_per_second: How slowly an answer may come, on average, beyond the deadline; infinite if it must have
            arrived by then.
    """

    def __init__(self, bytes_per_second: float = float("inf")) -> None:
        super().__init__()
        self._bytes_per_second = bytes_per_second

    def do_open(self, http_class: Callable[..., HTTPConnection], req: Request, **arguments: Any) -> HTTPResponse:
        def connect(host: str, *, timeout: float, **others: Any) -> HTTPConnection:
            connection = http_class(host, timeout=timeout, **others)
            deadline = req.deadline if isinstance(req, TimedRequest) else time.monotonic() + timeout
            connection.response_class = partial(  # type: ignore[assignment]
                _Answer, deadline=deadline, bytes_per_second=self._bytes_per_second
            )
            return connection

        answer: HTTPResponse = super().do_open(connect, req, **arguments)  # type: ignore[misc]
        return answer


class BoundedHTTPHandler(_WithDeadline, HTTPHandler):
    """Plain HTTP with a deadline."""


class BoundedHTTPSHandler(_WithDeadline, HTTPSHandler):
    """HTTPS with a deadline."""


class _RefusedRedirects(HTTPRedirectHandler):
    """Follows no redirect, which may lead to any host: the request carries a token."""

    def redirect_request(self, *_: object) -> None:
        """Leave a redirect as the answer, which is then an error like any other that is not a success."""


def bounded_opener(bytes_per_second: float = float("inf")) -> OpenerDirector:
    """Return what opens requests with a token: without redirects, and with answers that end, or go on at a rate."""
    bounded = (handler(bytes_per_second) for handler in (BoundedHTTPHandler, BoundedHTTPSHandler))
    return build_opener(_RefusedRedirects, *bounded)


def problem_text(error: HTTPError) -> str:
    """Return what an answer that is not a success says, in one text."""
    location = error.headers.get("Location")
    if location and error.code in REDIRECT_STATUSES:
        return f"it redirects to {location}; give that address if you trust it with the token"
    try:
        problem = json.loads(error.read(MAX_PROBLEM_BYTES))
        return " ".join(filter(None, (problem["title"], problem.get("detail"))))
    except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return f"{error.code} {error.reason}"
