"""Lines of one kind are limited in rate, and those of libraries name neither people nor what they sent."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from pckv.collector.http import logs
from pckv.collector.http.logs import MAX_LINES_PER_WINDOW, WINDOW_SECONDS, LibraryLogHandler, LogRate
from pckv.store.base import Deletion, ReportOutcome, Upload
from support.collectors import as_items, running
from support.faults import Fault, in_place
from support.memory_store import MemoryStore
from support.stores import report


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time as the log sees it; what is left out is logged when a test says so."""
    now = [0.0]
    monkeypatch.setattr(logs, "_rate", LogRate(lambda: now[0]))
    monkeypatch.setattr(threading.Timer, "start", lambda _: None)
    return now


def lines(captured: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in captured.readouterr().err.splitlines()]


def test_more_lines_of_a_kind_are_counted_instead(moment: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(1000):
        logs.log("fault", number=number)
    logs.log("other")
    expected: list[dict[str, object]] = [{"event": "fault", "number": number} for number in range(MAX_LINES_PER_WINDOW)]
    assert lines(capsys) == [*expected, {"event": "other"}]
    logs.log_left_out("fault")
    logs.log("fault", number=0)
    left_out = {"event": "lines_left_out", "kind": "fault", "lines": 1000 - MAX_LINES_PER_WINDOW}
    assert lines(capsys) == [left_out, expected[0]]
    assert moment == [0.0]


def test_few_lines_are_all_logged(moment: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(5 * MAX_LINES_PER_WINDOW):
        logs.log("fault")
        moment[0] += 1.1 * WINDOW_SECONDS / MAX_LINES_PER_WINDOW
    assert len(lines(capsys)) == 5 * MAX_LINES_PER_WINDOW


@pytest.mark.usefixtures("moment")
def test_lines_of_libraries_are_limited_by_logger(capsys: pytest.CaptureFixture[str]) -> None:
    """A thousand idle connections once made asyncio write 39 MB of them in a minute."""
    handler = LibraryLogHandler()
    for name in ("asyncio", "uvicorn.error"):
        for _ in range(1000):
            handler.emit(logging.LogRecord(name, logging.ERROR, "", 0, "out of descriptors", (), None))
    assert len(lines(capsys)) == 2 * MAX_LINES_PER_WINDOW


def check_libraries_name_nothing() -> None:
    """Assert that lines of libraries hold their kind alone: texts may hold addresses, paths and what people sent."""
    address = "203.0.113.7"
    failure = OSError(f"no route to {address}")
    for message, error in ((f"from {address}", None), ("from %s", None), ("from %s", failure)):
        arguments = (address,) if "%" in message else ()
        trace = None if error is None else (type(error), error, None)
        record = logging.LogRecord("asyncio", logging.ERROR, address, 0, message, arguments, trace)
        with redirect_stderr(StringIO()) as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr(logs, "_rate", LogRate())
            LibraryLogHandler().emit(record)
        kind = "" if error is None else "OSError"
        line = {"event": "library", "logger": "asyncio", "level": "error", "kind": kind}
        assert json.loads(stream.getvalue()) == line


def test_lines_of_libraries_name_nothing() -> None:
    check_libraries_name_nothing()


LOGGED = '_failed", kind=type(error).__name__'
KIND = "level=record.levelname.lower(), kind=kind)"
LIBRARY_FAULTS = [
    in_place(
        f"a line has {what}", "collector/http/logs.py", {KIND: f"{KIND[:-1]}{added})"}, check_libraries_name_nothing
    )
    for what, added in (
        ("the message where there is no error", " or record.getMessage()"),
        ("the arguments", ", about=[str(each) for each in record.args or ()]"),
        ("the text of the error", " and str(record.exc_info[1])"),
    )
]


@pytest.mark.parametrize("fault", LIBRARY_FAULTS, ids=str)
def test_a_fault_of_library_lines_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


class FailingStore(MemoryStore):
    """A store with a bug, whose error says what was sent."""

    def add_reports(self, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
        raise RuntimeError(f"{uploads} on {day}")

    def find_deletion(self, task_id: str) -> Deletion | None:
        raise RuntimeError(task_id)


def check_bugs_name_nothing() -> None:
    """Assert that a bug is logged by its kind alone: neither its text nor the request that led to it."""
    with redirect_stderr(StringIO()) as stream, running(FailingStore()) as collector:
        task = collector.add_task()
        for answer in (collector.send(task, as_items(report(1, task=task))), collector.get(f"/tasks/{'A' * 43}")):
            assert answer.is_server_error
    logged = [json.loads(line) for line in stream.getvalue().splitlines()]
    expected = [{"event": f"{what}_failed", "kind": "RuntimeError"} for what in ("commit", "request", "request")]
    assert [line for line in logged if "failed" in line["event"]] == expected


def test_bugs_name_nothing() -> None:
    check_bugs_name_nothing()


BUG_FAULTS = [
    in_place(f"a line has {what}", f"collector/{file}.py", {f"{LOGGED})": f"{LOGGED}{added})"}, check_bugs_name_nothing)
    for what, file, added in (
        ("the address", "http/gateway", ", client=scope['client'][0]"),
        ("the path", "http/gateway", ", path=scope['path']"),
        ("the text of a bug", "ingest/report_writer", ", reason=str(error)"),
    )
]


@pytest.mark.parametrize("fault", BUG_FAULTS, ids=str)
def test_a_fault_of_lines_about_bugs_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


@pytest.mark.usefixtures("moment")
def test_a_terminal_shows_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    logs.log("ready")
    logs.log("store_failed", reason="the disk is full")
    logs.log("worker_died", worker=2, code=-9)
    logs.log("library", logger="asyncio", level="error", kind="")
    assert capsys.readouterr().err.splitlines() == [
        "Ready.",
        "Store failed: the disk is full",
        "Worker died: worker 2, code -9",
        "Library: logger asyncio, level error",
    ]
