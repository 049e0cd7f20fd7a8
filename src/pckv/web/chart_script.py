"""The script that draws charts: Vega as bundled by the installed vl-convert, never from a network.

Bundling takes seconds and a JavaScript engine's memory. A child process does it once per version, and a
file in the user's cache folder keeps the result.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from pckv.collector.http.logs import log
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# How long nothing is tried after a failure.
SECONDS_AFTER_FAILURE = 60.0
_BUNDLE_COMMAND = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"


def cache_file() -> Path:
    """Return the path at which the script of the installed version is cached."""
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "pckv" / f"vega-{version('vl-convert-python')}.js"


class ChartScript:
    """The script, bundled when it is first requested."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._script: bytes | None = None
        self._clock = clock
        self._failed: float | None = None

    def warm(self) -> None:
        """Bundle the script ahead of the first request; a failure is logged."""
        try:
            self.get()
        except ProblemDetails as problem:
            log("charts_unavailable", reason=problem.detail)

    def get(self) -> bytes:
        """Return the script; requests that come while it is being bundled wait."""
        with self._lock:
            if self._script is None:
                self._script = _read_cache() or self._try_to_bundle()
            return self._script

    def _try_to_bundle(self) -> bytes:
        # Any client may ask for the script: failures must not start one process per request.
        if self._failed is not None and self._clock() < self._failed + SECONDS_AFTER_FAILURE:
            raise _cannot_be_made()
        try:
            return _bundle()
        except ProblemDetails:
            self._failed = self._clock()
            raise


def _read_cache() -> bytes | None:
    with suppress(OSError):
        return cache_file().read_bytes()
    return None


def _cannot_be_made() -> ProblemDetails:
    return ProblemDetails(ProblemKind.OVERLOADED, "the script for charts cannot be made")


def _bundle() -> bytes:
    try:
        # Its output stays out of the collector's log.
        done = subprocess.run([sys.executable, "-c", _BUNDLE_COMMAND], check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        raise _cannot_be_made() from None
    script = done.stdout
    # Without a writable cache folder the script is bundled again at the next start.
    with suppress(OSError):
        file = cache_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(script)
        Path(part).replace(file)
    return script
