"""Outputs that are complete or absent, and never replace a file unless told to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckv.base.durable import DEFAULT_MODE, PRIVATE_MODE, durable_file
from pckv.base.errors import OutputExists, ParameterError

try:
    import fcntl
except ImportError:  # pragma: no cover
    # Windows has no such locks: of two runs, the last one wins there.
    fcntl = None  # type: ignore[assignment]

LOCK_SUFFIX = ".lock"


def check_free(path: Path, *, force: bool) -> None:
    """Refuse, before any work is done, an output that exists already or has no folder to be written to."""
    if path.is_dir():
        raise ParameterError(f"{path} is a folder")
    if not path.parent.is_dir():
        raise ParameterError(f"{path}: there is no folder {path.parent}")
    if path.exists() and not force:
        raise OutputExists(f"{path} exists")


@contextmanager
def whole_file(path: Path, *, force: bool, mode: int = DEFAULT_MODE) -> Iterator[Path]:
    """Yield a temporary file that becomes `path` at the end, or is removed if anything fails.

    Where another run is writing the same file, this one is refused.
    """
    check_free(path, force=force)
    with _locked(path):
        # Another run may have written it since.
        check_free(path, force=force)
        with durable_file(path, mode=mode) as part:
            yield part


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of an output, a hidden file beside it, which a run that is killed leaves without holding it."""
    if fcntl is None:  # pragma: no cover
        yield
        return
    lock = path.with_name(f".{path.name}{LOCK_SUFFIX}")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        if not _takes_lock(handle, lock):
            raise ParameterError(f"{path}: another run is writing it")
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _takes_lock(handle: int, lock: Path) -> bool:
    """Lock an open file, unless another process has; one that is no longer there was another run's until now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), lock.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        # Some file systems have no locks: of two runs, the last one wins there.
        return True
