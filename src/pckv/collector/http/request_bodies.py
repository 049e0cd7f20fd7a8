"""Reading the body of a request: bounded in size, and counted in the budget as it arrives.

Its time is limited where its bytes arrive: see `http_protocol`.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from pckv.collector.http.byte_budget import ByteBudget
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind


class RequestBody:
    """The body of a request, read as its asynchronous context begins; it holds its part of the budget until the context ends."""

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
        pieces: list[bytes] = []
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
            pieces.append(piece)
        self.content = pieces[0] if len(pieces) == 1 else b"".join(pieces)

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
