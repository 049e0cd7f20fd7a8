"""Lines of one kind are limited in rate: they cannot fill the disk, and their number is not lost."""

from __future__ import annotations

import json
import logging
import sys
import threading

import pytest

from pckv.collector.http import logs
from pckv.collector.http.logs import MAX_LINES_PER_WINDOW, WINDOW_SECONDS, LibraryLogHandler, LogRate


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
