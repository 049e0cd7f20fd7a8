"""Files that are complete or absent, and on disk when a call returns."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pckv.base.durable import PRIVATE_MODE, durable_file, write_new


def write_by_rename(path: Path, content: bytes) -> None:
    with durable_file(path, mode=PRIVATE_MODE) as part:
        part.write_bytes(content)


def write_by_link(path: Path, content: bytes) -> None:
    with durable_file(path, mode=PRIVATE_MODE, replace=False) as part:
        part.write_bytes(content)


WRITERS = [write_by_rename, write_by_link, write_new]
Write = Callable[[Path, bytes], None]


@pytest.mark.parametrize("write", WRITERS)
def test_a_file_is_synced_before_its_name_and_private(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, bool]] = []
    sync, path = os.fsync, tmp_path / "file"

    def recording(handle: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(handle).st_mode), path.exists()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", recording)
    write(path, b"content")
    assert synced == [(False, write is write_new), (True, True)]
    assert path.read_bytes() == b"content"
    assert stat.S_IMODE(path.stat().st_mode) == PRIVATE_MODE
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", WRITERS)
def test_a_failure_leaves_what_was_there(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        write(tmp_path / "file", b"content")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_by_link, write_new])
def test_a_file_that_exists_stays(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(FileExistsError) as refused:
        write(path, b"content")
    assert refused.value.filename in (str(path), path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("file", b"before")]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")
    write_by_rename(tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"
