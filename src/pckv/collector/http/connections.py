"""All connections of a server: how many there may be, and how long each may keep it waiting."""

from __future__ import annotations

import asyncio
import resource
from typing import NamedTuple, Protocol

# The server looks after its connections this many times per time-out, and at least once per second.
CHECKS_PER_TIMEOUT = 5
MIN_INTERVAL = 0.02
# Descriptors that are kept for the store, temporary files and the listening socket.
RESERVED_DESCRIPTORS = 128


class ConnectionLimits(NamedTuple):
    """How many connections may be open, and for how many seconds one may wait for a head, a body, or its peer to read."""

    connections: int
    head_seconds: float
    body_seconds: float
    write_seconds: float


class ServedConnection(Protocol):
    """What a server needs to know of a connection."""

    def check_times(self, now: float) -> None:
        """End the connection if its peer takes too long."""

    def drop(self) -> None:
        """End the connection at once."""


class Connections:
    """The open connections, and which of them wait for their peers.

    At the limit a new connection replaces the one whose peer has been silent for the longest, so that nobody can
    lock others out by opening connections. If all are being answered the new one is dropped.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: set[ServedConnection] = set()
        # In the order in which they began to wait.
        self._waiting: dict[ServedConnection, None] = {}
        shortest = min(limits.head_seconds, limits.body_seconds, limits.write_seconds) / CHECKS_PER_TIMEOUT
        self._interval = min(1.0, max(MIN_INTERVAL, shortest))
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: ServedConnection) -> None:
        """Note a new connection, which waits for its first request."""
        self._open.add(connection)
        if len(self._open) > self.limits.connections:
            dropped = next(iter(self._waiting), connection)
            self.remove(dropped)
            dropped.drop()
            if dropped is connection:
                return
        self.wait(connection)
        if self._timer is None:
            self._start_timer()

    def remove(self, connection: ServedConnection) -> None:
        """Forget a connection that has ended."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)

    def wait(self, connection: ServedConnection) -> None:
        """Note that a connection waits for its peer, unless it does already."""
        if connection in self._open:
            self._waiting.setdefault(connection)

    def work(self, connection: ServedConnection) -> None:
        """Note that a connection waits for nobody but the collector."""
        self._waiting.pop(connection, None)

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
