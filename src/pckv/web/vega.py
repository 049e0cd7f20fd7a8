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
    script = subprocess.run([sys.executable, "-c", _MAKE], check=True, stdout=subprocess.PIPE).stdout  # noqa: S603
    # Without a folder to write to it is made again at the next start.
    with suppress(OSError):
        file = cache_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(script)
        Path(part).replace(file)
    return script
