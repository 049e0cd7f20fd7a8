"""Outputs that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckv.errors import OutputExists


def check_free(path: Path, *, force: bool) -> None:
    """Refuse, before any work is done, an output that is there already."""
    if path.exists() and not force:
        raise OutputExists(f"{path} exists: use --force to replace it")


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[Path]:
    """A place to write to that becomes `path` at the end, or vanishes if anything fails."""
    check_free(path, force=force)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
