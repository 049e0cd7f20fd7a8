"""The state folder: files that are whole or not there, on disk when a call returns, for their owner alone."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pckv.errors import ClientError, DataError

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]

LOCK, PART = "lock", ".part"
FOLDER_MODE, FILE_MODE = 0o700, 0o600
WRITABLE_BY_OTHERS = 0o022
SEAL_BYTES = 66


class Folder:
    """Named texts in a folder, each sealed by a checksum."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other processes from writing; a process that dies lets go."""
        if fcntl is None:  # pragma: no cover
            raise ClientError("not_sent", "the client needs a system with POSIX file locks")
        self._make()
        handle = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._sweep()
            yield
        finally:
            os.close(handle)

    def _make(self) -> None:
        missing = [place for place in (self.path, *self.path.parents) if not place.exists()]
        for place in reversed(missing):
            with suppress(FileExistsError):
                place.mkdir(FOLDER_MODE)
            sync(place.parent)
        # Who can remove a report from here can make the client perturb again.
        if self.path.stat().st_mode & WRITABLE_BY_OTHERS:
            raise ClientError("not_sent", f"{self.path}: others may write to this folder (chmod 700 it)")

    def _sweep(self) -> None:
        # What a killed process left half done was never seen by anyone, and never will be.
        for part in self.path.glob(f".*{PART}"):
            part.unlink(missing_ok=True)

    def put(self, name: str, text: str, *, replace: bool = False) -> bool:
        """Bring a text into place, under the lock; whether it is there now. Unless told, the first one stays.

        A link is made or not made as one step and never replaces anything: the first of two processes
        wins even where the file system's locks do not work.
        """
        part, place = self.path / f".{name}.{secrets.token_hex(8)}{PART}", self.path / name
        won = True
        try:
            _write(part, _sealed(text))
            if replace:
                part.replace(place)
            else:
                os.link(part, place)
        except FileExistsError:
            won = False
        finally:
            part.unlink(missing_ok=True)
        self.sync()
        return won

    def get(self, name: str) -> str | None:
        """A text as it was put, None if there is none; a damaged file is refused."""
        try:
            data = (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        try:
            text = data[:-SEAL_BYTES].decode()
        except UnicodeDecodeError:
            text = ""
        if _sealed(text) != data:
            raise self.damage(name)
        return text

    def remove(self, name: str) -> None:
        """Take a file away, under the lock."""
        (self.path / name).unlink(missing_ok=True)
        self.sync()

    def names(self, suffix: str) -> list[str]:
        """The files of one kind, in order, without their suffix."""
        return sorted(place.name.removesuffix(suffix) for place in self.path.glob(f"[!.]*{suffix}"))

    def sync(self) -> None:
        """Bring the names of all files to the disk."""
        sync(self.path)

    def damage(self, name: str, what: str = "damaged or edited") -> DataError:
        """The one line about a file that is not as it was written."""
        return DataError(f"{self.path / name}: {what}; nothing is perturbed or sent for its task")


def sync(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sealed(text: str) -> bytes:
    data = text.encode()
    return b"%s\n%s\n" % (data, hashlib.sha256(data).hexdigest().encode())
