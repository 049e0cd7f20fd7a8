"""Structured logs: one JSON object per line on stderr, with nothing about people and no time of day."""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress


def log(event: str, **facts: object) -> None:
    """Log an event of the collector itself."""
    # If nobody reads the log any more, that is no reason to stop collecting.
    with suppress(OSError):
        sys.stderr.write(json.dumps({"event": event, **facts}, ensure_ascii=False, default=str) + "\n")
        sys.stderr.flush()


class LibraryLogHandler(logging.Handler):
    """Logs what libraries log: their errors by kind, without the request that led to them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log that a library reported something."""
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        log("library", logger=record.name, level=record.levelname.lower(), kind=kind)
