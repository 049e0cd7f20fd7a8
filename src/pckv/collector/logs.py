"""Structured logs: one JSON object a line on stderr, with nothing about anybody and no time of day."""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress


def log(event: str, **facts: object) -> None:
    """Say that something happened to the collector itself."""
    # Whoever read the log may be gone: that is no reason to stop collecting.
    with suppress(OSError):
        sys.stderr.write(json.dumps({"event": event, **facts}, ensure_ascii=False, default=str) + "\n")
        sys.stderr.flush()


class Quiet(logging.Handler):
    """Takes what libraries log: their errors are said by kind, without the request that led to them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say that something went wrong."""
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        log("library", logger=record.name, level=record.levelname.lower(), kind=kind)
