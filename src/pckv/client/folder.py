"""The state folder: files that are complete or absent, on disk, and private to their owner."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pckv.base.durable import PRIVATE_MODE, TEMPORARY_SUFFIX, durable_file, sync
from pckv.base.errors import ClientError, DataError

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]

LOCK_NAME, FOLDER_MODE = "lock", 0o700
WRITABLE_BY_OTHERS = 0o022
# A newline, the SHA-256 in hexadecimal, and a newline.
SEAL_BYTES = 66


class StateFolder:
    """Named texts in a folder, each with a checksum."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            # It would look like a folder in which nothing waits.
            raise DataError(f"{path}: not a folder")
        self.path = path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other processes from writing; a process that dies releases the lock."""
        if fcntl is None:  # pragma: no cover
            raise ClientError("not_sent", "the client needs a system with POSIX file locks")
        self._create()
        handle = os.open(self.path / LOCK_NAME, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # What a killed process left unfinished was never sent, and never will be.
            for temporary in self.path.glob(f".*{TEMPORARY_SUFFIX}"):
                temporary.unlink(missing_ok=True)
            yield
        finally:
            os.close(handle)

    def _create(self) -> None:
        missing = [place for place in (self.path, *self.path.parents) if not place.exists()]
        for place in reversed(missing):
            with suppress(FileExistsError):
                place.mkdir(FOLDER_MODE)
            sync(place.parent)
        # Who can remove a report can make the client perturb again.
        if self.path.stat().st_mode & WRITABLE_BY_OTHERS:
            raise ClientError("not_sent", f"{self.path}: others may write to this folder (chmod 700 it)")

    def put(self, name: str, text: str, *, replace: bool = False) -> bool:
        """Store a text, under the lock; without `replace`, an existing text stays, and False is returned.

        Creating a link is atomic and never replaces anything: the first of two processes wins even where the
        file system's locks do not work.
        """
        try:
            with durable_file(self.path / name, mode=PRIVATE_MODE, replace=replace) as part:
                part.write_bytes(_sealed(text))
        except FileExistsError:
            # The process that stored it may have died before its name was on disk.
            sync(self.path)
            return False
        return True

    def get(self, name: str) -> str | None:
        """Return a text as it was stored, None if there is none; a damaged file is refused."""
        try:
            data = (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        try:
            text = data[:-SEAL_BYTES].decode()
        except UnicodeDecodeError:
            text = ""
        if _sealed(text) != data:
            raise self.damage_error(name)
        return text

    def remove(self, name: str) -> None:
        """Delete a file, under the lock."""
        (self.path / name).unlink(missing_ok=True)
        self.sync()

    def names(self, suffix: str) -> list[str]:
        """Return the names of the files with a suffix, in order, without the suffix."""
        return sorted(place.name.removesuffix(suffix) for place in self.path.glob(f"[!.]*{suffix}"))

    def sync(self) -> None:
        """Flush the names of all files to disk."""
        sync(self.path)

    def damage_error(self, name: str, what: str = "damaged or edited") -> DataError:
        """Return the error about a file that is not as it was written."""
        return DataError(f"{self.path / name}: {what}; nothing is perturbed or sent for its task")


def _sealed(text: str) -> bytes:
    data = text.encode()
    return b"%s\n%s\n" % (data, hashlib.sha256(data).hexdigest().encode())
