"""Limits on what reaches the routes: size, encoding, time and rate. No address is stored."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from hashlib import blake2b

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pckv.collector.problem_details import ProblemDetails, ProblemKind

# A keyed hash assigns each sender to a bucket; a bucket may send a burst worth this many seconds of its rate.
BUCKETS = 2**16
BURST_SECONDS = 10


class RequestLimits:
    """Middleware around all routes: a request reaches them complete, or not at all."""

    def __init__(self, app: ASGIApp, *, body_bytes: int, body_seconds: float, rate: int) -> None:
        self._app = app
        self._body_bytes, self._body_seconds = body_bytes, body_seconds
        self._rate = RateLimit(rate) if rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            self._check(scope, headers)
            if b"content-length" in headers or b"transfer-encoding" in headers:
                receive = _BufferedBody(await self._read(receive), receive)
        except ProblemDetails as problem:
            # The rest of the body is not waited for: it could come for ever.
            await problem.response({"Connection": "close"})(scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Mapping[bytes, bytes]) -> None:
        if headers.get(b"content-encoding", b"identity") != b"identity":
            raise ProblemDetails(ProblemKind.MEDIA, "content encodings are not taken")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._body_bytes:
            raise self._too_large()
        if self._rate and scope.get("client") and not self._rate.admits(scope["client"][0]):
            raise ProblemDetails(ProblemKind.TOO_OFTEN)

    async def _read(self, receive: Receive) -> bytes:
        """Read a body, bounded in size and time."""
        chunks: list[bytes] = []
        left, more = self._body_bytes, True
        try:
            async with asyncio.timeout(self._body_seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    chunks.append(message.get("body", b""))
                    left -= len(chunks[-1])
                    if left < 0:
                        raise self._too_large()
                    more = message.get("more_body", False)
        except TimeoutError:
            raise ProblemDetails(ProblemKind.SLOW) from None
        return b"".join(chunks)

    def _too_large(self) -> ProblemDetails:
        return ProblemDetails(ProblemKind.TOO_LARGE, f"a body has at most {self._body_bytes:,} bytes")


class _BufferedBody:
    """The receiving end of a request whose body was read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        """Return the body, and then whatever else arrives."""
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class RateLimit:
    """One token bucket per value of a keyed hash; the key is random and never leaves this process."""

    def __init__(self, rate: int, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._now = rate, now
        self._key = secrets.token_bytes(32)
        self._full = float(rate * BURST_SECONDS)
        self._level = [self._full] * BUCKETS
        self._seen = [now()] * BUCKETS

    def admits(self, sender: str) -> bool:
        """Return whether one more request of a sender is within the rate."""
        bucket = int.from_bytes(blake2b(sender.encode(), key=self._key, digest_size=8).digest()) % BUCKETS
        now = self._now()
        level = min(self._full, self._level[bucket] + (now - self._seen[bucket]) * self._rate)
        self._seen[bucket] = now
        self._level[bucket] = level - 1 if level >= 1 else level
        return level >= 1
