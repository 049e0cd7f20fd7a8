"""Outputs that are whole or absent: written to a temporary file in the same folder, then renamed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
def whole_file(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a temporary file that becomes `path` at the end, or is removed if anything fails."""
    check_free(path, force=force)
    part = path.parent / f".{path.name}.{secrets.token_hex(8)}.part"
    try:
        part.touch(exist_ok=False)
        yield part
        part.replace(path)
    except OSError as error:
        # People know the name of the output, not that of the temporary file.
        if error.filename in (None, str(part), part):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        part.unlink(missing_ok=True)
