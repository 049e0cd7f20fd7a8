"""Collectors for tests: the real application on a real socket, over any store, clock and settings."""

from __future__ import annotations

import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import httpx2
import uvicorn
from fastapi import FastAPI

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.days import utc_today
from pckv.base.randomness import Tape
from pckv.base.seeded import seeded_source
from pckv.base.wire import Report
from pckv.collector.app import CollectorThreads
from pckv.collector.contracts.contracts import RecipientDuties
from pckv.collector.http import logs
from pckv.collector.http.auth import token_hash
from pckv.collector.http.problem_details import MEDIA_TYPE, URN
from pckv.collector.http.settings import Settings
from pckv.collector.server import listen, server
from pckv.collector.workers import accepting_sockets
from pckv.device.perturb import perturb_from
from pckv.store.base import Role
from pckv.store.store import Store
from pckv.web.site import create_site
from support.memory_store import MemoryStore
from support.stores import report, some_reports, stored_reports, tally, total

ADMINISTRATOR, ANALYST = "the administrator's token", "an analyst's token"
JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
SECONDS = 120.0
# The day of collectors in most tests.
DAY = "2030-01-15"

# For requests without TLS: reading the certificates of the machine takes longer than most of them.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

_numbers = itertools.count()
# For parts of a collector that are tested alone.
THREADS = CollectorThreads()


# Of a collector without mixed tasks.
NO_DUTIES = RecipientDuties(lambda _: None, lambda _: None)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def new_task(**members: Any) -> Task:
    """Return a task that no other test has."""
    defaults: dict[str, Any] = {"name": f"task {next(_numbers)}", "keys": 11, "values": (0, 1), "epsilon": 1}
    return Task(**(defaults | {"mechanism": "grr"} | members))


def perturbed(task: Task, *held: dict[str, float], times: int) -> list[Report]:
    """Return reports of people with some pairs: the same in every run, as long as the task has the same id."""
    source = seeded_source(1)
    return [perturb_from(Tape(task.draws, source), task, pairs) for pairs in held for _ in range(times)]


def as_items(*reports: Report) -> list[dict[str, str]]:
    """Return reports as they are sent in JSON."""
    return [{"id": base64url(report.id), "body": base64url(report.body)} for report in reports]


@dataclass
class Running:
    """A running collector, and an HTTP client for it."""

    app: FastAPI
    store: Store
    port: int
    client: httpx2.Client = field(repr=False)
    server: uvicorn.Server = field(repr=False)

    def add_task(self, **members: Any) -> Task:
        task = new_task(**members)
        self.store.add_task(task, utc_today())
        return task

    def get(self, path: str, token: str | None = ANALYST, **headers: str) -> httpx2.Response:
        return self.client.get(path, headers=(bearer(token) if token else {}) | headers)

    def administer(self, method: str, path: str, content: bytes = b"") -> httpx2.Response:
        headers = bearer(ADMINISTRATOR) | {"Content-Type": JSON}
        return self.client.request(method, path, headers=headers, content=content)

    def post(self, task: Task | str, content: Any, media: str = JSON, **headers: str) -> httpx2.Response:
        task_id = task if isinstance(task, str) else task.id
        return self.client.post(f"/tasks/{task_id}/reports", content=content, headers={"Content-Type": media} | headers)

    def send(self, task: Task | str, items: list[Any]) -> httpx2.Response:
        """Send reports as JSON."""
        return self.post(task, json.dumps({"reports": items}).encode())

    def ask(self, task: Task | str, keys: bytes | list[str], query: str = "", **headers: str) -> httpx2.Response:
        """Ask for estimates of keys, by name or in a body as it is."""
        task_id = task if isinstance(task, str) else task.id
        content = keys if isinstance(keys, bytes) else json.dumps({"keys": keys}).encode()
        sent = bearer(ANALYST) | {"Content-Type": JSON} | headers
        return self.client.post(f"/tasks/{task_id}/estimates?{query}", content=content, headers=sent)

    def upload(self, task: Task, *reports: Report) -> dict[str, str]:
        """Send reports; return the reasons of refusals by id."""
        return refusals(self.send(task, as_items(*reports)))

    def check(self, task: Task, *reports: Report) -> None:
        """Check that exactly these reports are stored, and counted once."""
        assert sorted(stored_reports(self.store, task)) == sorted(reports)
        assert bytes(total(self.store, task)) == bytes(tally(reports, task))

    def talk(self, *pieces: bytes, pause: float = 0.0) -> bytes:
        """Send bytes; return all that the collector answers before it closes the connection."""
        with closing(socket.create_connection(("127.0.0.1", self.port), SECONDS)) as connection:
            try:
                for piece in pieces:
                    connection.sendall(piece)
                    time.sleep(pause)
            except ConnectionError:
                pass  # It closed the connection early; its answer can still be read.
            return read_all(connection)


def read_all(line: socket.socket) -> bytes:
    """Return all that arrives until the connection ends, in whatever way."""
    answer = b""
    try:
        while piece := line.recv(2**16):
            answer += piece
    except ConnectionError:
        pass
    return answer


def refusals(answer: httpx2.Response) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    return {refusal["id"]: refusal["reason"] for refusal in answer.json()["refused"]}


def check_problem(answer: httpx2.Response, status: int, kind: str, field: str | None = None) -> None:
    """Check that an answer is a documented problem of this kind, and about this field where one is named."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, MEDIA_TYPE), answer.text
    problem = answer.json()
    assert (problem["type"], problem["status"]) == (URN + kind, status)
    assert problem.keys() <= {"type", "title", "status", "detail", "field"}
    assert field is None or problem["field"] == field
    assert ("retry-after" in answer.headers) == (status in {429, 503})


@contextmanager
def running(store: Store | None = None, clock: Callable[[], str] = utc_today, **settings: Any) -> Iterator[Running]:
    """Run a collector while the context lasts."""
    store = MemoryStore() if store is None else store
    store.set_token(Role.ADMINISTRATOR, token_hash(ADMINISTRATOR))
    store.set_token(Role.ANALYST, token_hash(ANALYST))
    app = create_site(store, Settings(**settings), clock=clock)
    with served(app) as (port, client, started):
        yield Running(app, store, port, client, started)


@contextmanager
def served(app: FastAPI) -> Iterator[tuple[int, httpx2.Client, uvicorn.Server]]:
    """Serve an application on a port of its own, with an HTTP client for it, while the context lasts."""
    started = server(app)
    # No line is written later, while another test reads what is printed.
    with closing(listen("127.0.0.1", 0)) as line, patch.object(logs, "Timer"):
        port = line.getsockname()[1]
        thread = threading.Thread(target=started.run, kwargs={"sockets": accepting_sockets(line)})
        thread.start()
        try:
            wait_until(lambda: started.started or not thread.is_alive())
            address = f"http://127.0.0.1:{port}"
            with httpx2.Client(base_url=address, timeout=SECONDS, verify=NO_CERTIFICATES) as client:
                yield port, client, started
        finally:
            started.should_exit = True
            thread.join(SECONDS)


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    ends = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.005)


__all__ = [
    "ADMINISTRATOR",
    "ANALYST",
    "ARROW",
    "DAY",
    "JSON",
    "NO_CERTIFICATES",
    "NO_DUTIES",
    "THREADS",
    "Running",
    "as_items",
    "bearer",
    "check_problem",
    "new_task",
    "perturbed",
    "read_all",
    "refusals",
    "report",
    "running",
    "served",
    "some_reports",
    "wait_until",
]
