"""Outputs that are complete or absent, and never replace a file unless told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckv.base.durable import DEFAULT_MODE, durable_file
from pckv.base.errors import OutputExists, ParameterError


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
    """Yield a temporary file that becomes `path` at the end, or is removed if anything fails."""
    check_free(path, force=force)
    with durable_file(path, mode=mode) as part:
        yield part
