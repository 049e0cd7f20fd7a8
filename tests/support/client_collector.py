"""A fake collector or mixer for client tests: an HTTP server that records requests and gives scripted answers."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self

from pckv import Task

JSON, PROBLEM = "application/json", "application/problem+json"


class ReceivedRequest(NamedTuple):
    """A request as it was received."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """An answer; `claimed` is its Content-Length if that is wrong, `drip` the seconds between its bytes."""

    status: int
    body: bytes = b""
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    claimed: int | None = None
    drip: float = 0.0

    def __str__(self) -> str:
        return f"{self.status} {self.media} {self.body[:40]!r}"


# The report is stored, and the answer never arrives.
LOST = Reply(0)


def problem(status: int, kind: str, detail: str = "", **headers: str) -> Reply:
    """Return a collector's refusal of a request."""
    content = {"type": f"urn:pckv:problem:{kind}", "title": "…", "status": status, "detail": detail}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(content).encode(), PROBLEM, names)


class FakeCollector:
    """A collector's tasks, the reports of each task, and scripted answers that are given first; it is a mixer, too.

    `answers` are given to any request, `replies` to uploads alone, `admissions` to who asks whether a report
    would be taken.
    """

    def __init__(self, *tasks: Task) -> None:
        self.tasks = {task.id: task.to_json().encode() for task in tasks}
        # Texts by path, besides those of tasks.
        self.others: dict[str, bytes] = {}
        # What a mixer holds, by task: the same bytes are one entry.
        self.entries: dict[str, set[bytes]] = {}
        self.received: list[ReceivedRequest] = []
        self.reports: dict[str, dict[str, str]] = {}
        self.answers: deque[Reply] = deque()
        self.replies: deque[Reply] = deque()
        self.admissions: deque[Reply] = deque()
        self.url = ""

    @property
    def sent(self) -> list[bytes]:
        """Return the bodies of all uploads."""
        return [request.body for request in self.received if request.path.endswith(("/reports", "/sealed"))]

    def answer(self, request: ReceivedRequest) -> Reply:
        """Return the next scripted answer, or else the answer of a collector."""
        self.received.append(request)
        if request.path.endswith("/admission"):
            return self.admissions.popleft() if self.admissions else Reply(200, b'{"coin":null}')
        scripted = self.replies if self.replies and request.method == "POST" else self.answers
        reply = scripted.popleft() if scripted else None
        if reply is not None and reply is not LOST:
            return reply
        task_id = request.path.partition("/tasks/")[2].split("/")[0]
        if request.method == "GET":
            known = self.tasks.get(task_id, self.others.get(request.path))
            return problem(404, "unknown") if known is None else Reply(200, known)
        if request.path.endswith("/sealed"):
            self.entries.setdefault(task_id, set()).add(request.body)
            return reply or Reply(200, b'{"held":true}')
        stored = self.reports.setdefault(task_id, {})
        refused = [
            {"id": report["id"], "reason": "conflict"}
            for report in json.loads(request.body)["reports"]
            if stored.setdefault(report["id"], report["body"]) != report["body"]
        ]
        return reply or Reply(200, json.dumps({"refused": refused}).encode())

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[Self]:
        """Answer on a local port while the context lasts."""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def _handle(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(size)
                if len(body) == size:
                    _send(
                        self,
                        collector.answer(ReceivedRequest(self.command, self.path, dict(self.headers), body)),
                    )

            do_GET = do_POST = _handle  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 64

            def handle_error(self, *_: object) -> None:
                """Ignore clients that hang up: tests make them do so."""

        with Server(("127.0.0.1", port), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}"
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    if reply is LOST:
        return
    handler.send_response(reply.status)
    handler.send_header("Content-Type", reply.media)
    handler.send_header("Content-Length", str(len(reply.body) if reply.claimed is None else reply.claimed))
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    for index in range(len(reply.body)) if reply.drip else ():
        handler.wfile.write(reply.body[index : index + 1])
        # Not time.sleep, which tests of the client's pauses replace.
        threading.Event().wait(reply.drip)
    if not reply.drip:
        handler.wfile.write(reply.body)
