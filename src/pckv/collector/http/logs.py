"""Logs on stderr that name neither people nor times of day: JSON objects on lines, or words on a terminal."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Timer

# Lines of one kind within some seconds; what goes beyond is counted, and the number logged afterwards.
MAX_LINES_PER_WINDOW = 10
WINDOW_SECONDS = 10.0


class LogRate:
    """Decides which lines are logged: many lines can neither fill the disk nor stop the service."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        # When the window of a kind began, and how many lines there were since.
        self._windows: dict[str, tuple[float, int]] = {}
        self._lock = Lock()

    def count(self, kind: str) -> int:
        """Count a line of a kind; return how many lines were to be left out of its window so far."""
        with self._lock:
            now = self._now()
            start, lines = self._windows.get(kind, (now, 0))
            if lines <= MAX_LINES_PER_WINDOW and now - start >= WINDOW_SECONDS:
                start, lines = now, 0
            self._windows[kind] = (start, lines + 1)
            return max(0, lines + 1 - MAX_LINES_PER_WINDOW)

    def end(self, kind: str) -> int:
        """End the window of a kind; return how many lines were left out."""
        with self._lock:
            _, lines = self._windows.pop(kind, (0.0, 0))
            return max(0, lines - MAX_LINES_PER_WINDOW)


_rate = LogRate()


def log(event: str, **facts: object) -> None:
    """Log an event of the collector itself, unless too many of its kind were logged just now."""
    # Libraries say different things with one event.
    kind = f"{event} {facts.get('logger', '')}".strip()
    left_out = _rate.count(kind)
    if not left_out:
        _write({"event": event, **facts})
    elif left_out == 1:
        timer = Timer(WINDOW_SECONDS, log_left_out, [kind])
        timer.daemon = True
        timer.start()


def log_left_out(kind: str) -> None:
    """Log how many lines of a kind were left out."""
    _write({"event": "lines_left_out", "kind": kind, "lines": _rate.end(kind)})


def _write(line: dict[str, object]) -> None:
    # A log that is not read any more is no reason to stop collecting.
    with suppress(OSError):
        text = _in_words(line) if sys.stderr.isatty() else json.dumps(line, ensure_ascii=False, default=str)
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _in_words(line: dict[str, object]) -> str:
    """Return a line for people: "Commit failed: kind DiskFull"."""
    facts = {name.replace("_", " "): fact for name, fact in line.items() if name != "event" and fact != ""}
    told = ", ".join(str(fact) if name == "reason" else f"{name} {fact}" for name, fact in facts.items())
    event = str(line["event"]).replace("_", " ").capitalize()
    return f"{event}: {told}" if told else f"{event}."


class LibraryLogHandler(logging.Handler):
    """Logs what libraries log: their errors by kind, without the request that led to them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log that a library reported something."""
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        log("library", logger=record.name, level=record.levelname.lower(), kind=kind)
