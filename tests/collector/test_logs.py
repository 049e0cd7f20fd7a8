"""Lines of one kind are limited in rate, and those of libraries name neither people nor what they sent."""

from __future__ import annotations

import json
import logging
import sys
import threading
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from pckv.collector.http import logs
from pckv.collector.http.logs import MAX_LINES_PER_WINDOW, WINDOW_SECONDS, LibraryLogHandler, LogRate
from support.faults import Fault, in_place


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
