"""Uploads for tests: bodies of requests, and a store that is slow or fails."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

from pckv import Task
from pckv.base.wire import Report
from pckv.files.reports.writer import as_arrays, stream_reports
from pckv.store.base import ReportOutcome
from support.collectors import as_items
from support.memory_store import MemoryStore


def items(*reports: Report) -> bytes:
    return json.dumps({"reports": as_items(*reports)}).encode()


class SlowStore(MemoryStore):
    """A store that waits for `go` before it writes, for `answers` before it says that it is ready.

    It raises `error` instead if that is set.
    """

    def __init__(self) -> None:
        super().__init__()
        self.go, self.answers = threading.Event(), threading.Event()
        self.go.set()
        self.answers.set()
        self.error: Exception | None = None

    def check_writable(self) -> None:
        assert self.answers.wait(20)
        if self.error is not None:
            raise self.error

    def add_reports(self, uploads: Any, day: str) -> list[list[ReportOutcome]]:
        assert self.go.wait(20)
        self.check_writable()
        return super().add_reports(uploads, day)


def arrow_body(task: Task, *reports: Report) -> bytes:
    sink = io.BytesIO()
    stream_reports(sink, task, [as_arrays(task, list(reports))])
    return sink.getvalue()
