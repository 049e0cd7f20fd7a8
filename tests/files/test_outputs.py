"""Outputs that are complete or absent."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
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


def test_of_two_runs_with_one_output_one_is_refused(tmp_path: Path) -> None:
    """Whichever comes second, told to replace or not; and once the first is done, it is an output that exists."""
    path = tmp_path / "out.csv"
    with whole_file(path, force=False) as part:
        part.write_bytes(b"first")
        for force in (False, True):
            with (
                pytest.raises(ParameterError, match=r"out\.csv: another run is writing it$"),
                whole_file(path, force=force),
            ):
                pytest.fail("the block was entered")
        # Other outputs of the folder are free.
        with whole_file(tmp_path / "other.csv", force=False) as other:
            other.write_bytes(b"other")
    assert contents_of(tmp_path) == {"out.csv": b"first", "other.csv": b"other"}
    with pytest.raises(OutputExists), whole_file(path, force=False):
        pytest.fail("the block was entered")


def test_an_output_that_appears_before_the_lock_is_held_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv"
    results: Iterator[OutputExists | None] = iter([None, OutputExists("out.csv exists")])

    def check(*_: object, **__: object) -> None:
        if (error := next(results)) is not None:
            raise error

    monkeypatch.setattr("pckv.files.outputs.check_free", check)
    path.write_bytes(b"first")
    with pytest.raises(OutputExists), whole_file(path, force=False):
        pytest.fail("the block was entered")
    assert contents_of(tmp_path) == {"out.csv": b"first"}


def test_a_lock_that_a_killed_run_left_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    (tmp_path / ".out.csv.lock").touch()
    with whole_file(path, force=False) as part:
        part.write_bytes(b"new")
    assert contents_of(tmp_path) == {"out.csv": b"new"}


def test_of_many_processes_exactly_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom pckv.files.outputs import whole_file\n"
        "from pckv.base.errors import PckvError\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "try:\n    with whole_file(Path(sys.argv[1]), force=False) as part: part.write_text(sys.argv[2])\n"
        "except PckvError: sys.exit(3)\n"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(4)
    ]
    for run in runs:
        assert run.stdout
        run.stdout.readline()
    for run in runs:
        run.communicate(b"\n")
    winners = [number for number, run in enumerate(runs) if run.returncode == 0]
    assert sorted(run.returncode for run in runs) == [0, 3, 3, 3]
    assert contents_of(tmp_path) == {"out.csv": str(winners[0]).encode()}
