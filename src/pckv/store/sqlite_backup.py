"""Copies of a SQLite store while it is in use."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from pckv.errors import ParameterError
from pckv.files.outputs import whole_file
from pckv.progress import Progress

# Steps of SQLite's virtual machine between two looks at how far the copy is.
STEPS_BETWEEN_PROGRESS = 20_000


def back_up(source: apsw.Connection, path: Path, *, force: bool, progress: Progress) -> None:
    """Write the database, as of one moment, to a file that only its owner can read.

    The copy is made row by row: it has no free pages, and rows lie in the order of their keys.
    """
    if path.exists() and path.samefile(source.filename):
        raise ParameterError(f"{path} is the store itself")
    pages, size = (int(str(source.execute(f"PRAGMA {name}").get)) for name in ("page_count", "page_size"))
    with whole_file(path, force=force) as part:
        part.chmod(0o600)

        def report() -> bool:
            progress(min(1.0, part.stat().st_size / (pages * size)))
            return False

        source.set_progress_handler(report, STEPS_BETWEEN_PROGRESS)
        try:
            source.execute("VACUUM INTO $1", (str(part),)).fetchall()
        finally:
            source.set_progress_handler(None)
        _sync(part)
    _sync(path.parent)
    progress(1.0)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
