"""HTTP on connections: their number, how long each may take, and what one can make the server hold.

The protocol is uvicorn's on httptools.
"""

from __future__ import annotations

import asyncio
import resource
from collections import deque
from typing import Any, NamedTuple

import httptools
from fastapi import Request
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from pckv.collector.http.bodies import ByteBudget, ByteLease
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# The server checks its connections this many times per time-out, and at least once per second.
CHECKS_PER_TIMEOUT = 5
MIN_INTERVAL = 0.02
# Descriptors that are kept for the store, temporary files and the listening socket.
RESERVED_DESCRIPTORS = 128


class ConnectionLimits(NamedTuple):
    """How many connections may be open, and the seconds for a head, a body, and for the peer to read."""

    connections: int
    head_seconds: float
    body_seconds: float
    write_seconds: float


class Connections:
    """The open connections, and what each of them waits for: its peer, or the collector.

    At the limit a new connection replaces another, so that no peer locks others out: the oldest of those that
    wait for their peers, or of those that wait for an answer, whichever are more. Uploads that are being stored
    are kept; if all connections are such, the new one is dropped.

    Args:
        limits: How many connections there may be, and how long each may take.
        budget: The bytes that heads, bodies and answers may take together.
    """

    def __init__(self, limits: ConnectionLimits, budget: ByteBudget) -> None:
        self.limits, self.budget = limits, budget
        self._open: set[CollectorProtocol] = set()
        # Each in the order in which they began to wait. Uploads that are being stored are in neither.
        self._waiting: dict[CollectorProtocol, None] = {}
        self._answering: dict[CollectorProtocol, None] = {}
        shortest = min(limits.head_seconds, limits.body_seconds, limits.write_seconds) / CHECKS_PER_TIMEOUT
        self._interval = min(1.0, max(MIN_INTERVAL, shortest))
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: CollectorProtocol) -> None:
        """Note a new connection, which waits for its first request."""
        self._open.add(connection)
        if len(self._open) > self.limits.connections:
            crowd = max(self._waiting, self._answering, key=len)
            dropped = next(iter(crowd), connection)
            self.remove(dropped)
            dropped.drop()
            if dropped is connection:
                return
        self.wait(connection)
        if self._timer is None:
            self._start_timer()

    def remove(self, connection: CollectorProtocol) -> None:
        """Forget a connection that has ended."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)
        self._answering.pop(connection, None)

    def wait(self, connection: CollectorProtocol) -> None:
        """Note that a connection waits for its peer, unless it does already."""
        if connection in self._open:
            self._answering.pop(connection, None)
            self._waiting.setdefault(connection)

    def answer(self, connection: CollectorProtocol, *, is_upload: bool) -> None:
        """Note that a connection waits for the collector alone, unless it does already."""
        self._waiting.pop(connection, None)
        if is_upload:
            self._answering.pop(connection, None)
        elif connection in self._open:
            self._answering.setdefault(connection)

    def _start_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._interval, self._check)

    def _check(self) -> None:
        now = asyncio.get_running_loop().time()
        for connection in list(self._open):
            connection.check_times(now)
        self._timer = None
        if self._open:
            self._start_timer()


def allowed_connections(wanted: int) -> int:
    """Return how many connections the process has descriptors for, at most as many as wanted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + RESERVED_DESCRIPTORS
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < needed and soft != hard:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - RESERVED_DESCRIPTORS))


# How much is read at once from a connection; more stays with the operating system.
MAX_READ_BYTES = 16 * 2**10
# The largest head of a request, in bytes and in headers: each header costs its bytes and some objects.
MAX_HEAD_BYTES = 16 * 2**10
MAX_HEADERS = 64
BYTES_PER_HEADER = 200
# Limits of what is not body: framing bytes, and pieces that a body comes in. Both grow with the body, by one for
# this many of its bytes. So endless trailers, or chunks of a few bytes each, cannot keep the collector busy.
MAX_FRAMING_BYTES = 2 * MAX_HEAD_BYTES
BODY_BYTES_PER_FRAMING_BYTE = 8
MAX_SMALL_PIECES = 256
BYTES_PER_PIECE = 64
# Requests that a connection may send while another of its own is being answered.
MAX_PIPELINED_REQUESTS = 2
# What the path of an upload ends with.
UPLOAD_PATH = "/reports"


# Where the scope of a request has the event that its peer has left.
LEFT = "pckv.left"


def peer_left(request: Request) -> asyncio.Event:
    """Return the event that the sender of a request has left; browsers end the connection of what they abort."""
    event: asyncio.Event = request.scope.get(LEFT) or asyncio.Event()
    return event


def _malformed(detail: str) -> ProblemDetails:
    return ProblemDetails(ProblemKind.MALFORMED, detail)


class CollectorProtocol(HttpToolsProtocol):
    """One connection of a collector."""

    def __init__(self, peers: Connections, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._peers = peers
        # Bytes of the current request that were body, and others; in how many pieces the body came.
        self._body_bytes = self._framing_bytes = self._read_bytes = self._pieces = 0
        # Whether the head of a request has arrived and its end has not; whether the peer will send no more.
        self._in_body = self._has_ended = False
        # Since when it waits for a head, for a body, and for its peer to read; None if it does not.
        self._head_since: float | None = None
        self._body_since: float | None = None
        self._blocked_since: float | None = None
        # The request that is being answered; `cycle` is the one that arrived last.
        self._answering: RequestResponseCycle | None = None
        # Set once the peer sends no more, or is gone; what is asked for may then be not wanted any more.
        self._left = asyncio.Event()
        # What the heads of requests hold of the budget, in the order in which the requests are answered.
        self._heads: deque[ByteLease] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        # The next piece of an answer is made when the system has taken the last one.
        transport.set_write_buffer_limits(0)
        self._head_since = self.loop.time()
        self._peers.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._peers.remove(self)
        self._left.set()
        while self._heads:
            self._heads.popleft().release()
        if self._answering is not None:
            self._hang_up(self._answering)
        super().connection_lost(exc)

    def drop(self) -> None:
        """End the connection at once: closing it would wait until the peer has read everything."""
        self.transport.abort()

    def check_times(self, now: float) -> None:
        """End the connection if its peer takes too long to read, or to send a head or a body."""
        limits = self._peers.limits
        if not self.transport.is_closing() and not self.transport.get_write_buffer_size():
            self._blocked_since = None
        elif self._blocked_since is None:
            self._blocked_since = now
        elif now - self._blocked_since > limits.write_seconds:
            self.drop()
        if self.transport.is_closing():
            return
        if self._head_since is not None and now - self._head_since > limits.head_seconds:
            if self._framing_bytes:
                self._refuse(ProblemDetails(ProblemKind.SLOW))
            self.transport.close()
        elif self._body_since is not None and now - self._body_since > limits.body_seconds and not self.pipeline:
            self._refuse(ProblemDetails(ProblemKind.SLOW))

    def data_received(self, data: bytes) -> None:
        """Parse some bytes."""
        while data and not self.transport.is_closing():
            self._read_bytes = len(data)
            self._framing_bytes += len(data)
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                # It is answered without an upgrade, and the next request follows.
                data = data[upgrade.args[0] :]
                continue
            except httptools.HttpParserError as error:
                reason = error.__context__
                malformed = ProblemDetails(ProblemKind.MALFORMED)
                self._refuse(reason if isinstance(reason, ProblemDetails) else malformed)
                return
            if self._framing_bytes > MAX_FRAMING_BYTES + self._body_bytes // BODY_BYTES_PER_FRAMING_BYTE:
                self._refuse(_malformed("the head is too large, or the body comes in too small chunks"))
            return

    def on_message_begin(self) -> None:
        """Begin to count the bytes of a request: at most those that are being parsed are its first."""
        super().on_message_begin()
        self._framing_bytes, self._body_bytes, self._pieces = self._read_bytes, 0, 0
        self._heads.append(self._peers.budget.lease())

    def on_url(self, url: bytes) -> None:
        """Add to the path and query."""
        self._heads[-1].grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header to the head; what follows a body is ignored."""
        if not self._in_body:
            if len(self.headers) == MAX_HEADERS:
                raise _malformed(f"a head has at most {MAX_HEADERS} headers")
            self._heads[-1].grow(len(name) + len(value) + BYTES_PER_HEADER)
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to answer a request, unless its head is not acceptable."""
        self._check_head()
        self._head_since = None
        self._in_body = True
        super().on_headers_complete()

    def _check_head(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES:
            raise _malformed(f"a head has at most {MAX_HEAD_BYTES:,} bytes")
        if len(self.pipeline) == MAX_PIPELINED_REQUESTS:
            raise _malformed("too many requests at once")
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):
            raise _malformed("a request names one host")
        coding = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if coding not in ([], [b"chunked"]):
            raise _malformed("the only transfer encoding is chunked")
        # The parser would take the body of a request for an upgrade for the next request.
        lengths = {value.strip() for name, value in self.headers if name == b"content-length"}
        if self.parser.should_upgrade() and (coding or lengths - {b"0"}):
            raise _malformed("a request for an upgrade has no body here")

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of a body."""
        self._body_bytes += len(body)
        self._framing_bytes -= len(body)
        self._pieces += 1
        if self._pieces > MAX_SMALL_PIECES + self._body_bytes // BYTES_PER_PIECE:
            raise _malformed("the body comes in too small chunks")
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that it is the collector's turn."""
        self._in_body = False
        self._body_since = None
        self._framing_bytes = self._body_bytes = 0
        self._note_answering()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Answer the next request, or wait for it."""
        self.server_state.total_requests += 1
        # None is left if the connection was lost.
        if self._heads:
            self._heads.popleft().release()
        if self.transport.is_closing():
            return
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            if not self._in_body:
                self._note_answering()
        elif self._in_body or self._has_ended:
            # The rest of the body is not waited for: it could come for ever.
            self.transport.close()
        else:
            self._head_since = self.loop.time()
            self._peers.wait(self)
        self.flow.resume_reading()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Return whether to keep the connection: requests that arrived whole are answered first."""
        self._has_ended = True
        self._left.set()
        return self._is_answering and not self._in_body

    @property
    def _is_answering(self) -> bool:
        return self._answering is not None and not self._answering.response_complete

    def pause_writing(self) -> None:
        """Wait until the peer reads."""
        super().pause_writing()
        self._blocked_since = self.loop.time()
        self._peers.wait(self)

    def resume_writing(self) -> None:
        """Go on with an answer."""
        super().resume_writing()
        self._blocked_since = None
        if self._head_since is None and not self._in_body:
            self._note_answering()

    def _note_answering(self) -> None:
        """Note that the collector has whole requests to answer, the first of which may be an upload."""
        scope: Any = self._answering.scope if self._answering else {}
        self._peers.answer(self, is_upload=scope.get("method") == "POST" and scope["path"].endswith(UPLOAD_PATH))

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not HTTP."""
        self._refuse(ProblemDetails(ProblemKind.MALFORMED, msg))

    def _refuse(self, problem: ProblemDetails) -> None:
        """Answer the arriving request with a problem, and hang up; nothing may mix with another answer."""
        cycle = self.cycle
        answered = cycle is None or cycle.response_complete
        if self.pipeline or not (answered or (self._in_body and not cycle.response_started)):
            self.drop()
            return
        answer = problem.response({"Connection": "close"})
        head = b"".join(b"%s: %s\r\n" % header for header in answer.raw_headers)
        self.transport.write(STATUS_LINE[answer.status_code] + head + b"\r\n" + bytes(answer.body))
        if not answered:
            self._hang_up(cycle)
        self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        scope: Any = cycle.scope
        scope[LEFT] = self._left
        # A body that waits for the answer to another request is not late.
        self._body_since = self.loop.time() if self._in_body else None
        super()._start_asgi_task(cycle, app)

    @staticmethod
    def _hang_up(cycle: RequestResponseCycle) -> None:
        """Tell the application that no peer waits for the answer any more."""
        cycle.disconnected = True
        cycle.message_event.set()


class BoundedReader(asyncio.BufferedProtocol):
    """Reads at most some bytes at once for a connection, into one buffer for all."""

    def __init__(self, connection: CollectorProtocol, buffer: memoryview) -> None:
        self._connection, self._buffer = connection, buffer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        self._connection.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._connection.connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the peer reads."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Go on with an answer."""
        self._connection.resume_writing()

    def eof_received(self) -> bool:
        """Return whether to keep the connection, of which nothing more arrives."""
        return self._connection.eof_received()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return where to read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Parse what was read."""
        self._connection.data_received(bytes(self._buffer[:nbytes]))


class ProtocolFactory:
    """Makes the protocols of a server's connections, as uvicorn asks for them."""

    def __init__(self, peers: Connections) -> None:
        self._peers = peers
        self._buffer = memoryview(bytearray(MAX_READ_BYTES))

    def __call__(self, **arguments: Any) -> BoundedReader:
        """Return the protocol of a new connection."""
        return BoundedReader(CollectorProtocol(self._peers, **arguments), self._buffer)
