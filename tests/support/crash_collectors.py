"""Real collectors for tests that break them: in forked processes, which start quickly, or in a thread."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.wire import Report
from pckv.collector.app import create_app
from pckv.collector.http.settings import Settings
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.server import listen, serve, server
from pckv.files.reports.writer import as_arrays, stream_reports
from pckv.store.base import ReportOutcome, Upload
from pckv.store.sqlite import SqliteTransaction
from pckv.store.store import Store

# Every report has its own word, so that a cell that counts 2 proves that one was counted twice.
TASK = Task(name="crash", keys=2**16, values=(0, 1), epsilon=1, mechanism="grr")
TOKEN = "a token for tests of this length"  # noqa: S105
JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
START_SECONDS = STOP_SECONDS = ANSWER_SECONDS = 60.0

# Everything is imported once; a collector is a fork of that, which takes milliseconds instead of a second.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["pckv.collector.server", "pckv.store.sqlite", "pckv.store.postgres", "support.killed_mixers"]
)


Serve = Callable[[Settings, str], None]


class HttpReply(NamedTuple):
    """The status and the JSON body of an answer."""

    status: int
    body: Any


def serve_logging(settings: Settings, log: str) -> None:
    """Serve, with the log in a file."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 2)
    os.environ["PCKV_ADMIN_TOKEN"] = TOKEN
    serve(settings, create_app)


def serve_before_commit(settings: Settings, log: str) -> None:
    """Serve with the planted fault that must be caught: uploads are answered before they are on disk."""
    add = ReportWriter.add
    tasks = set()

    async def adding(self: ReportWriter, upload: Upload) -> list[ReportOutcome]:
        tasks.add(asyncio.create_task(add(self, upload)))
        return [ReportOutcome.STORED] * len(upload.reports)

    ReportWriter.add = adding  # type: ignore[method-assign]
    serve_logging(settings, log)


def serve_spending_later(settings: Settings, log: str) -> None:
    """Serve with the planted fault that must be caught: invitations are spent in a transaction of their own."""
    spend, add = SqliteTransaction.spend_invitations, Store.add_reports
    waiting: list[tuple[int, Sequence[bytes]]] = []

    def adding(self: Store, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
        outcomes = add(self, uploads, day)
        time.sleep(0.01)
        while waiting:
            task, hashes = waiting.pop()
            self._write(lambda tx: spend(tx, task, hashes))  # type: ignore[arg-type] # noqa: B023
        return outcomes

    SqliteTransaction.spend_invitations = lambda _, *spent: waiting.append(spent)  # type: ignore[method-assign]
    Store.add_reports = adding
    serve_logging(settings, log)


class CollectorProcess:
    """A collector in a forked process, or another service with settings of its own."""

    def __init__(
        self, store: str, log: Path, how: Callable[[Any, str], None] = serve_logging, settings: Any = None
    ) -> None:
        self._log = log
        log.unlink(missing_ok=True)
        chosen = settings or Settings(store=store, port=0)
        self.process: BaseProcess = FORKS.Process(target=how, args=(chosen, str(log)), daemon=True)
        self.process.start()

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return what the collector has logged."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def wait(self) -> int:
        """Wait until the collector listens; return its port."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            for event in self.events:
                if event["event"] == "listening":
                    return int(event["port"])
            assert self.process.is_alive(), self.events
            time.sleep(0.002)
        raise TimeoutError

    def kill(self) -> None:
        """Kill the process at once."""
        self.process.kill()
        self.process.join(STOP_SECONDS)

    def terminate(self) -> None:
        """Ask the process to end."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGTERM)

    def exit_code(self) -> int | None:
        """Wait for the end of the process; return its exit code."""
        self.process.join(STOP_SECONDS)
        return self.process.exitcode


@contextmanager
def collector(store: str, log: Path) -> Iterator[CollectorProcess]:
    """Run a collector process while the context lasts."""
    serving = CollectorProcess(store, log)
    try:
        yield serving
    finally:
        serving.kill()


@contextmanager
def collector_in_thread(store: Store) -> Iterator[int]:
    """Run a collector in a thread, with a store that the test can reach; yield the port."""
    with listen("127.0.0.1", 0) as listening:
        running = server(create_app(store, Settings()))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(STOP_SECONDS)


def connect(port: int) -> http.client.HTTPConnection:
    """Open a persistent connection."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)


def ask(
    connection: http.client.HTTPConnection, method: str, path: str, body: bytes = b"", media: str = JSON
) -> HttpReply:
    """Send one request and read its answer."""
    connection.request(method, path, body, {"Content-Type": media, "Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    return HttpReply(answer.status, json.loads(answer.read()))


def as_json(reports: Iterable[Report], invitations: Sequence[str] = ()) -> bytes:
    """Return the body of an upload in JSON, with one invitation per report if there are some."""
    content = [{"id": base64url(report.id), "body": base64url(report.body)} for report in reports]
    for report, invitation in zip(content, invitations, strict=bool(invitations)):
        report["invitation"] = invitation
    return json.dumps({"reports": content}).encode()


def as_arrow(reports: Sequence[Report]) -> bytes:
    """Return the body of an upload as an Arrow stream."""
    file = io.BytesIO()
    stream_reports(file, TASK, [as_arrays(TASK, reports)])
    return file.getvalue()
