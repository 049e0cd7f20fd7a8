"""What requests make a collector hold: bodies, queued reports and answers, all within one budget of bytes.

The time of a body is limited where its bytes arrive: see `protocol`. Large answers are sent in pieces, each
once the one before was read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from fastapi import Request
from fastapi.responses import Response
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

Header = tuple[bytes, bytes]

JSON_TYPE = "application/json"
ANY_OBJECT: dict[str, Any] = {"type": "object"}
CLOSED_OBJECT = ANY_OBJECT | {"additionalProperties": False}
TEXT = {"type": "string"}
# A small lease may use all of the budget but what is kept for tiny ones, a large lease only what small ones on
# all connections leave: a request with a few reports is not refused because others hold large bodies.
MAX_TINY_BYTES = 4 * 2**10
MAX_SMALL_BYTES = 64 * 2**10


class ByteBudget:
    """How many bytes may be held at the same time, and how many are.

    Args:
        total: The most bytes.
        connections: How many connections may hold small leases at once. Half of the bytes are kept for these if
            that is not enough for all.
    """

    def __init__(self, total: int, connections: int) -> None:
        self.total = total
        self._small = total - min(connections * MAX_TINY_BYTES, total // 8)
        self._large = total - min(connections * (MAX_SMALL_BYTES + MAX_TINY_BYTES), total // 2)
        self.used = 0

    def lease(self) -> ByteLease:
        """Return an empty lease."""
        return ByteLease(self)

    def limit(self, size: int) -> int:
        """Return how much of the budget may be in use once a lease has this size."""
        if size <= MAX_TINY_BYTES:
            return self.total
        return self._small if size <= MAX_SMALL_BYTES else self._large


class ByteLease:
    """The bytes that one request holds; they are returned when the context ends."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self.size = 0

    def grow(self, size: int) -> None:
        """Hold more bytes, or raise the problem that the collector is overloaded."""
        budget = self._budget
        if budget.used + size > budget.limit(self.size + size):
            raise ProblemDetails(ProblemKind.OVERLOADED, "too many bytes are held for requests")
        budget.used += size
        self.size += size

    def release(self) -> None:
        """Return all bytes to the budget."""
        self._budget.used -= self.size
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class RequestBody:
    """The body of a request, read as its context begins; it holds its part of the budget until that ends."""

    def __init__(self, scope: Scope, receive: Receive, budget: ByteBudget, max_bytes: int) -> None:
        self._scope, self._receive = scope, receive
        self._lease = budget.lease()
        self._max_bytes = max_bytes
        self.content = b""

    async def __aenter__(self) -> Self:
        """Read the body, or raise the problem that it is too large, or one too many."""
        if declared_length(self._scope) > self._max_bytes:
            raise self._too_large()
        try:
            await self._read()
        except BaseException:
            self._lease.release()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lease.release()

    async def _read(self) -> None:
        # Not a list: many small pieces would take several times their bytes.
        content = bytearray()
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece = message.get("body", b"")
            more = message.get("more_body", False)
            if self._lease.size + len(piece) > self._max_bytes:
                raise self._too_large()
            self._lease.grow(len(piece))
            content += piece
        self.content = bytes(content)

    def hold(self, size: int) -> None:
        """Hold more bytes until the context ends: what was made of the body."""
        self._lease.grow(size)

    def _too_large(self) -> ProblemDetails:
        return ProblemDetails(ProblemKind.TOO_LARGE, f"a body has at most {self._max_bytes:,} bytes here")

    def replay(self) -> Receive:
        """Return a receiving end that gives the body once, and then whatever else arrives."""
        waiting: list[Message] = [{"type": "http.request", "body": self.content, "more_body": False}]

        async def receive() -> Message:
            return waiting.pop() if waiting else await self._receive()

        return receive


def declared_length(scope: Scope) -> int:
    """Return the length that a head declares; 0 if it declares none."""
    length = _header(scope, b"content-length")
    # Some leading digits are enough to refuse it.
    return int(length.lstrip(b"0")[:20] or b"0") if length is not None and length.isdigit() else 0


def has_body(scope: Scope) -> bool:
    """Return whether a body follows the head."""
    return declared_length(scope) > 0 or _header(scope, b"transfer-encoding") is not None


def _header(scope: Scope, name: bytes) -> bytes | None:
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return next((value for key, value in headers if key == name), None)


def json_content(schema: dict[str, Any] = ANY_OBJECT) -> dict[str, Any]:
    """Return the OpenAPI description of JSON in a body."""
    return {"content": {JSON_TYPE: {"schema": schema}}}


def json_body(schema: dict[str, Any] = ANY_OBJECT) -> dict[str, Any]:
    """Return the OpenAPI description of a request with JSON in its body."""
    return {"requestBody": {"required": True, **json_content(schema)}}


def media_type(request: Request) -> str:
    """Return the type that a body is sent as, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_json(request: Request, what: str) -> None:
    """Refuse a body that is not sent as JSON."""
    if media_type(request) != JSON_TYPE:
        raise ProblemDetails(ProblemKind.MEDIA, f"{what} comes as {JSON_TYPE}")


MAX_PIECE_BYTES = 64 * 2**10


class AnswerSender:
    """The sending end of a request: it sends the answer, or the problem that there is no memory for it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, lease: ByteLease, headers: Sequence[Header]) -> None:
        self._scope, self._receive, self._send, self._lease = scope, receive, send, lease
        # What the answer says besides, whatever it is.
        self.headers = [*headers]
        # The start of the answer, until it is known whether the answer can be held.
        self._start: Message | None = None
        self._refused = False
        self.started = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self._start = self._with_headers(message)
            return
        self.started = True
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._start is not None:
            try:
                self._hold(body, more=more)
            except ProblemDetails as problem:
                self._refused = True
                await self._refuse(problem)
                return
            await self._send(self._start)
            self._start = None
        if len(body) <= MAX_PIECE_BYTES:
            await self._send(message)
            return
        for start in range(0, len(body), MAX_PIECE_BYTES):
            end = start + MAX_PIECE_BYTES
            await self._send({**message, "body": body[start:end], "more_body": more or end < len(body)})

    def _with_headers(self, start: Message) -> Message:
        # What an answer says itself stands: browsers would obey both.
        said = {name.lower() for name, _ in start["headers"]}
        return {**start, "headers": [*start["headers"], *(header for header in self.headers if header[0] not in said)]}

    async def _refuse(self, problem: ProblemDetails) -> None:
        async def send(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            await self._send(self._with_headers(message) if is_start else message)

        await problem.response()(self._scope, self._receive, send)

    def _hold(self, body: bytes | memoryview, *, more: bool) -> None:
        """Count an answer that cannot be sent at once: all of it, or two pieces if it comes in pieces.

        One piece waits in the connection and the next one for it. A view costs nothing: see `SharedResponse`.
        """
        if not isinstance(body, memoryview) and (more or len(body) > MAX_PIECE_BYTES):
            self._lease.grow(max(len(body), 2 * MAX_PIECE_BYTES))


class SharedResponse(Response):
    """An answer in views of bytes that are in memory once for all clients."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the answer."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        body = memoryview(self.body)
        for start in range(0, max(1, len(body)), MAX_PIECE_BYTES):
            end = start + MAX_PIECE_BYTES
            await send({"type": "http.response.body", "body": body[start:end], "more_body": end < len(body)})


def accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header names gzip, and not to exclude it."""
    for part in accepted.lower().split(","):
        coding, *options = (piece.strip() for piece in part.split(";"))
        if coding == "gzip":
            return not any(re.fullmatch(r"q=0(\.0*)?", option) for option in options)
    return False
