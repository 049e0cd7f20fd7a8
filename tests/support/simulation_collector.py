"""A collector for the simulator: started, called, stopped and dropped in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import cache
from typing import Any, cast

from fastapi import FastAPI

from pckv.base.errors import StoreError
from pckv.collector.app import Collector, CollectorApp, create_app
from pckv.collector.http.settings import Settings
from pckv.collector.workers import ONLY_WORKER
from pckv.store import open_store
from pckv.store.base import ReportOutcome, Upload
from pckv.store.store import Store
from support.memory_store import MemoryStore
from support.simulation_model import HttpAnswer

# Far more than any answer takes.
ANSWER_SECONDS = 15
TOKEN = "a token for simulated collectors"  # noqa: S105
SETTINGS = Settings(batch_delay=0)


class UnexpectedError(Exception):
    """An error that no store is known to raise."""


class Fault(Enum):
    """Where the next commit fails."""

    BEFORE = "before"
    AFTER = "after"
    BUG = "bug"


class FaultyStore:
    """A store whose next commit fails if `fault` is set: before its transaction, or after it is on disk."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fault: Fault | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def add_reports(self, uploads: list[Upload], day: str) -> list[list[ReportOutcome]]:
        """Add reports, or fail."""
        fault, self.fault = self.fault, None
        if fault is Fault.BEFORE:
            raise StoreError("planned: before the transaction")
        if fault is Fault.BUG:
            raise UnexpectedError
        outcomes = self._store.add_reports(uploads, day)
        if fault is Fault.AFTER:
            raise StoreError("planned: after the commit")
        return outcomes


@cache
def _app_with_routes() -> CollectorApp:
    return create_app(MemoryStore(), SETTINGS)


def _new_app(store: Store, today: Callable[[], str]) -> FastAPI:
    """Return an application that remembers nothing: all but its routes, which take long to build, is new."""
    app = _app_with_routes()
    app.attach(Collector(store, SETTINGS, today, ONLY_WORKER))
    return app


class SimulatedCollector:
    """A collector that can be restarted on the same store."""

    def __init__(self, url: str, today: Callable[[], str]) -> None:
        self._url, self._today = url, today
        self._app: FastAPI
        self.store: FaultyStore
        self._stopping: asyncio.Event
        self._life: asyncio.Task[None]

    async def start(self) -> None:
        """Start a new collector, with nothing in memory, on the existing store."""
        store = open_store(self._url)
        store.prepare()
        self.store = FaultyStore(store)
        self._app = _new_app(cast("Store", self.store), self._today)
        started, self._stopping = asyncio.Event(), asyncio.Event()

        async def live() -> None:
            async with self._app.router.lifespan_context(self._app):
                started.set()
                await self._stopping.wait()

        self._life = asyncio.create_task(live())
        await started.wait()

    async def stop(self) -> None:
        """Stop in an orderly way: pending reports are written. The store stays open for requests in flight."""
        self._stopping.set()
        await asyncio.wait_for(self._life, ANSWER_SECONDS)

    async def drop(self) -> None:
        """Cancel everything at once; a running transaction still ends, with a commit or without."""
        running = asyncio.all_tasks() - {cast("asyncio.Task[Any]", asyncio.current_task())}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.to_thread(self.collector.ingest.writer._thread.shutdown)

    @property
    def collector(self) -> Collector:
        """Return the collector behind the application."""
        collector: Collector = self._app.state.collector
        return collector

    async def call(
        self, method: str, path: str, body: bytes = b"", media: str = "application/json", query: str = ""
    ) -> HttpAnswer:
        """Call the application as a server would."""
        headers = [(b"content-type", media.encode()), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "client": None,
            "server": ("127.0.0.1", 80),
        }
        status, parts = 0, []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            parts.append(message.get("body", b""))

        # A server would only log an error that is raised after the answer.
        with suppress(UnexpectedError):
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._app(scope, receive, send)
        return HttpAnswer(status, b"".join(parts))
