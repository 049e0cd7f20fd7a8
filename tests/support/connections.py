"""Connections for tests: heads of requests, and peers that stall."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from support.collectors import JSON, SECONDS, Running

CLOSE = "Connection: close"


def head(method: str, path: str, *headers: str) -> bytes:
    """Return the head of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *headers, "", ""]).encode()


def upload_head(task_id: str, *headers: str) -> bytes:
    return head("POST", f"/tasks/{task_id}/reports", f"Content-Type: {JSON}", *headers)


def connect(collector: Running, receive_bytes: int | None = None) -> socket.socket:
    """Connect; `receive_bytes` bounds what the system reads in advance."""
    line = socket.socket()
    if receive_bytes is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    line.settimeout(SECONDS)
    line.connect(("127.0.0.1", collector.port))
    return line


@contextmanager
def stalled(collector: Running, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Keep connections open that have sent some bytes, and go on neither to send nor to read."""
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(collector, 4096)) for _ in range(count)]
        for line in lines:
            line.sendall(sent)
        yield lines


def read_until(line: socket.socket, end: bytes) -> bytes:
    """Return all that arrives up to an end, in however many pieces."""
    answer = b""
    while not answer.endswith(end):
        piece = line.recv(2**16)
        assert piece, answer
        answer += piece
    return answer
