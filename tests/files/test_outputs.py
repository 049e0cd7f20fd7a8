"""Outputs that are complete or absent."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pckv.base.errors import OutputExists, ParameterError
from pckv.files.outputs import check_free, whole_file


def contents_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_exists_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with whole_file(path, force=False) as part:
        part.write_bytes(b"first")
        assert part.parent == tmp_path
        assert not path.exists()
        part.write_bytes(b"first and last")
    assert contents_of(tmp_path) == {"out.csv": b"first and last"}


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        with whole_file(path, force=True) as part:
            part.write_bytes(b"new")
            assert path.read_bytes() == b"old"
        # An open reader still reads the old file to its end: it is replaced, not overwritten.
        assert reader.read() == b"old"
    assert contents_of(tmp_path) == {"out.csv": b"new"}


@pytest.mark.parametrize("failure", [OSError, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [{}, {"out.csv": b"old"}], ids=["fresh", "old"])
def test_a_failure_leaves_the_old_file(tmp_path: Path, failure: type[BaseException], old: dict[str, bytes]) -> None:
    for name, data in old.items():
        (tmp_path / name).write_bytes(data)

    def fail_half_way() -> None:
        with whole_file(tmp_path / "out.csv", force=True) as part:
            part.write_bytes(b"ha")
            raise failure

    with pytest.raises(failure):
        fail_half_way()
    assert contents_of(tmp_path) == old


def test_an_existing_output_is_refused_before_any_work(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(OutputExists, match=r"out\.csv exists$"):
        check_free(path, force=False)
    check_free(path, force=True)
    check_free(tmp_path / "new.csv", force=False)

    def write() -> None:
        with whole_file(path, force=False):
            pytest.fail("the block was entered")

    with pytest.raises(OutputExists):
        write()
    assert contents_of(tmp_path) == {"out.csv": b"old"}


@pytest.fixture(params=[0o022, 0o077, 0o002, 0o027], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    mask: int = request.param
    before = os.umask(mask)
    yield mask
    os.umask(before)


def test_permissions_follow_the_umask(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "out.csv"
    with whole_file(path, force=False) as part:
        part.write_bytes(b"")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert os.umask(umask) == umask


def test_a_missing_folder_names_the_output(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "out.csv"
    for write in (partial(check_free, path, force=True), partial(_write, path)):
        with pytest.raises(ParameterError, match=r"nowhere/out\.csv: there is no folder .*nowhere$"):
            write()


def _write(path: Path) -> None:
    with whole_file(path, force=True) as part:
        part.write_text("never")


def test_a_folder_is_no_output(tmp_path: Path) -> None:
    for force in (False, True):
        with pytest.raises(ParameterError, match="is a folder"):
            check_free(tmp_path, force=force)
