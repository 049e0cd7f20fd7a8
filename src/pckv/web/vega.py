"""The script that draws charts: Vega out of the installed vl-convert, never from a network.

To make it takes seconds and a JavaScript engine's memory. So a process of its own makes it, once a
version, and a file in the user's cache folder keeps it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from pckv.collector.logs import log
from pckv.collector.problem_details import ProblemDetails, ProblemKind

_MAKE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"


def cache_file() -> Path:
    """Where the script of the installed version is kept."""
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "pckv" / f"vega-{version('vl-convert-python')}.js"


class Vega:
    """The script, made when it is first asked for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._script: bytes | None = None

    def warm(self) -> None:
        """Have the script made by the time that somebody looks at a chart."""
        try:
            self.script()
        except ProblemDetails as problem:
            log("charts_unavailable", reason=problem.detail)

    def script(self) -> bytes:
        """The script; who asks while it is being made waits."""
        with self._lock:
            if self._script is None:
                self._script = _read() or _made()
            return self._script


def _read() -> bytes | None:
    with suppress(OSError):
        return cache_file().read_bytes()
    return None


def _made() -> bytes:
    try:
        # What it says is not for our log.
        done = subprocess.run([sys.executable, "-c", _MAKE], check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        raise ProblemDetails(ProblemKind.OVERLOADED, "the script for charts cannot be made") from None
    script = done.stdout
    # Without a folder to write to it is made again at the next start.
    with suppress(OSError):
        file = cache_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(script)
        Path(part).replace(file)
    return script
