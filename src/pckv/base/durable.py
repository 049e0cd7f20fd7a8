"""Files that are complete or absent, and on disk when a call returns."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckv.base.errors import DataError

TEMPORARY_SUFFIX = ".part"
# Modes of new files, before the process's mask: as that allows, and for their owner alone.
DEFAULT_MODE, PRIVATE_MODE = 0o666, 0o600


@contextmanager
def durable_file(path: Path, *, mode: int = DEFAULT_MODE, replace: bool = True) -> Iterator[Path]:
    """Yield an empty temporary file of the same folder that becomes `path`, or is removed on a failure.

    Without `replace`, a file of this name stays, and is a `FileExistsError`.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}{TEMPORARY_SUFFIX}")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield part
        sync(part)
        if replace:
            part.replace(path)
        else:
            # Creating a link is atomic and never replaces a file, even where the file system has no locks.
            os.link(part, path)
    except OSError as error:
        # Callers know the name of the file, not that of the temporary one.
        if error.filename in (None, str(part), part):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        part.unlink(missing_ok=True)
    sync(path.parent)


def write_new(path: Path, content: bytes, mode: int = PRIVATE_MODE) -> None:
    """Write a new file under its own name; one that exists is a `FileExistsError` and stays."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        sync(path)
        sync(path.parent)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def read_private(path: Path, what: str, max_bytes: int) -> bytes:
    """Return the start of a file, up to a number of bytes; one that others than its owner can read is a `DataError`."""
    try:
        # Opening a pipe would wait until something is written to it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise DataError(error.strerror or str(error), place=path) from error
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise DataError("is not a file", place=path)
        if stat.S_IMODE(mode) & ~PRIVATE_MODE:
            reason = f"the permissions of {what} are at most 0600, not {stat.S_IMODE(mode):04o}"
            raise DataError(reason, place=path)
        return os.read(handle, max_bytes)
    finally:
        os.close(handle)


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
