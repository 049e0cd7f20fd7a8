"""Answers: large ones in pieces, each sent once the one before was read, and counted in the budget meanwhile."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastapi.responses import Response
from starlette.types import Message, Receive, Scope, Send

from pckv.collector.http.byte_budget import ByteLease
from pckv.collector.http.problem_details import ProblemDetails

Header = tuple[bytes, bytes]

MAX_PIECE_BYTES = 64 * 2**10


class AnswerSender:
    """The sending end of a request: it sends the whole answer, or the problem that there is no memory for it."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, lease: ByteLease, headers: Sequence[Header]
    ) -> None:
        self._scope, self._receive, self._send, self._lease = scope, receive, send, lease
        # What every answer to the request says besides.
        self._headers = headers
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
        return {**start, "headers": [*start["headers"], *self._headers]}

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
    """An answer whose bytes are in memory for all who ask: it comes in views of them, however many do not read it."""

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
