"""Load for the collector and its baseline: `wrk` at full speed, and a sender of our own at a fixed rate."""

from __future__ import annotations

import secrets
import select
import socket
import subprocess
import sys
import time
from collections import deque
from enum import Enum
from pathlib import Path

import numpy as np

from bench.processes import ROOT
from pckv.base.canonical import base64url

LOAD_CORE = "1"
CONNECTIONS = 64
SECONDS = 5
# The sender waits for answers this long after the last request.
GRACE_SECONDS = 10
# The body of every report: the word 5.
WORD = base64url((5).to_bytes(8, "little"))
# How the answer to an accepted report ends.
ACCEPTED, ANSWER_END = b"HTTP/1.1 200 ", b"]}"
# Unique ids: 14 random characters per sender, 7 of a counter, and a last one that encodes two bits.
REPORTS_SCRIPT = """
local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
local number = 0
local head = {{}}
math.randomseed({seed})
for place = 1, 14 do local d = math.random(64); head[place] = digits:sub(d, d) end
head = table.concat(head)
request = function()
  number = number + 1
  local tail, rest = {{}}, number
  for place = 1, 7 do local d = rest % 64; tail[place] = digits:sub(d + 1, d + 1); rest = math.floor(rest / 64) end
  local body = '{{"reports":[{{"id":"' .. head .. table.concat(tail) .. 'A","body":"{word}"}}]}}'
  return wrk.format("POST", "{path}", {{["Content-Type"] = "application/json", ["Connection"] = "{connection}"}}, body)
end
"""
# Bytes that a mixer cannot tell from a sealed word: 48 random bytes per sender, and 8 of a counter.
SEALED_SCRIPT = """
local number = 0
local head = {{}}
math.randomseed({seed})
for place = 1, 48 do head[place] = string.char(math.random(0, 255)) end
head = table.concat(head)
request = function()
  number = number + 1
  local tail, rest = {{}}, number
  for place = 1, 8 do tail[place] = string.char(rest % 256); rest = math.floor(rest / 256) end
  local headers = {{["Content-Type"] = "application/octet-stream", ["Connection"] = "{connection}"}}
  return wrk.format("POST", "{path}", headers, head .. table.concat(tail))
end
"""


class ConnectionUse(Enum):
    """Whether a connection carries many reports, or one."""

    KEPT = "keep-alive"
    NEW = "close"


def closed_loop(
    port: int,
    path: str,
    folder: Path,
    connections: ConnectionUse,
    *,
    template: str = REPORTS_SCRIPT,
    duration: int = SECONDS,
) -> float:
    """Return the requests per second under wrk; none may be refused."""
    script = folder / "load.lua"
    seed = secrets.randbelow(2**31)
    script.write_text(template.format(seed=seed, word=WORD, path=path, connection=connections.value))
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{duration}s", "-s", str(script)]
    output = subprocess.run(
        ["taskset", "-c", LOAD_CORE, *command, f"http://127.0.0.1:{port}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise RuntimeError(output)
    return float(next(line for line in output.splitlines() if "Requests/sec" in line).split()[-1])


def open_loop(port: int, path: str, rate: float, connections: ConnectionUse) -> float:
    """Return the 99th percentile of seconds to an answer, from when the request was due, at a fixed rate."""
    code = f"from bench.load import *; print(Sender({port}, {path!r}, {connections}).run({rate}))"
    command = ["taskset", "-c", LOAD_CORE, sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


class Sender:
    """Requests at fixed times over many connections; waiting for a free one counts."""

    def __init__(self, port: int, path: str, connections: ConnectionUse) -> None:
        self._address, self._connections = ("127.0.0.1", port), connections
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Connection: {connections.value}\r\nContent-Length: "
        ).encode()
        self._poll = select.epoll()
        self._free: deque[socket.socket | None] = deque([None] * CONNECTIONS)
        # By descriptor: the connection, when its request was due, and what came of the answer.
        self._waiting: dict[int, tuple[socket.socket, float, bytes]] = {}
        self._times: list[float] = []

    def run(self, rate: float) -> float:
        """Send for some seconds; return the 99th percentile of the seconds to an answer."""
        bodies = [self._body() for _ in range(int(rate * SECONDS))]
        begin = time.perf_counter()
        sent = 0
        while len(self._times) < len(bodies):
            now = time.perf_counter()
            if now > begin + SECONDS + GRACE_SECONDS:
                raise RuntimeError(f"{len(bodies) - len(self._times)} requests were not answered")
            while sent < len(bodies) and self._free and begin + sent / rate <= now:
                self._send(bodies[sent], begin + sent / rate)
                sent += 1
            # Polling without a pause: the shortest pause of epoll is longer than most answers take.
            for descriptor, _ in self._poll.poll(0):
                self._receive(descriptor)
        return float(np.percentile(self._times, 99))

    def _body(self) -> bytes:
        body = f'{{"reports":[{{"id":"{base64url(secrets.token_bytes(16))}","body":"{WORD}"}}]}}'.encode()
        return self._head + f"{len(body)}\r\n\r\n".encode() + body

    def _send(self, request: bytes, due: float) -> None:
        connection = self._free.popleft()
        if connection is None:
            connection = socket.create_connection(self._address)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._poll.register(connection, select.EPOLLIN)
        connection.sendall(request)
        self._waiting[connection.fileno()] = (connection, due, b"")

    def _receive(self, descriptor: int) -> None:
        connection, due, answer = self._waiting.pop(descriptor)
        piece = connection.recv(2**16)
        answer += piece
        if not piece or not answer.startswith(ACCEPTED[: len(answer)]):
            raise RuntimeError(f"a report was not accepted: {answer!r}")
        if not answer.endswith(ANSWER_END):
            self._waiting[descriptor] = (connection, due, answer)
            return
        self._times.append(time.perf_counter() - due)
        if self._connections is ConnectionUse.NEW:
            self._poll.unregister(connection)
            connection.close()
            self._free.append(None)
        else:
            self._free.append(connection)
