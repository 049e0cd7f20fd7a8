"""`pckv shuffle`: what is written, refused and cleaned up."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pckv.files.reports.writer import stream_reports, write_reports
from support.cli import GRR, UE, contents, program_command, put, run, run_ok, run_refused
from support.sample_reports import some_ids, some_messages

SHUFFLE = "shuffle in --out new.parquet"


@pytest.fixture(autouse=True)
def reports(folder_with_files: Path) -> None:
    """Two files of reports in a folder, and copies of three of them in another file."""
    (folder_with_files / "in").mkdir()
    for number in range(2):
        batch = some_ids(40, number), some_messages(GRR, 40, number)
        write_reports(Path(f"in/{number}.parquet"), GRR, [batch])
    write_reports(Path("copies.parquet"), GRR, [(batch[0][:3], batch[1][:3])])


def test_estimates_are_the_same_before_and_after() -> None:
    assert run_ok(SHUFFLE) == "80 reports written to new.parquet\n"
    run_ok("tally in --task grr.json --out before.tally")
    run_ok("tally new.parquet --task grr.json --out after.tally")
    assert Path("before.tally").read_bytes() == Path("after.tally").read_bytes()


def test_copies_are_named() -> None:
    printed = run_ok("shuffle in copies.parquet --task grr.json --at-least 80 --out new.parquet")
    assert printed == "80 reports written to new.parquet, 3 copies left out\n"


def test_streams_in_and_out() -> None:
    file = io.BytesIO()
    stream_reports(file, GRR, [(some_ids(5), some_messages(GRR, 5))])
    result = run("shuffle - in --out -", file.getvalue())
    assert (result.exit_code, result.stderr) == (0, "85 reports written to standard output\n")
    table = pa.ipc.open_stream(result.stdout_bytes).read_all()
    assert len(table) == 85
    put({"shuffled": result.stdout_bytes})
    counted = run("tally - --task grr.json --out new.tally", result.stdout_bytes)
    assert counted.stdout == "85 reports counted into new.tally\n"
    cut = file.getvalue()[:-8]
    assert run_refused("shuffle - --out new.parquet", cut) == ("pckv: standard input: breaks off after 1 batches\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{SHUFFLE} --at-least 81", "a batch of 80 reports is too small: at least 81 are wanted"),
        (f"{SHUFFLE} --task ue.json", f"in/0.parquet: reports of another task ('{GRR.id}')"),
        (f"{SHUFFLE} --task gone.json", "gone.json: No such file or directory"),
        ("shuffle in --out new.csv", "new.csv: reports are written as .parquet, or to - as an Arrow stream"),
        ("shuffle gone.parquet --out new.parquet", "gone.parquet: No such file or directory"),
        ("shuffle pairs.csv --out new.parquet", "pairs.csv: not a report file ("),
        ("shuffle good.tally --out new.parquet", "good.tally: not a report file ("),
        (
            "shuffle words.parquet --out new.parquet",
            f"report id {'00' * 16} has different bodies: words.parquet",
        ),
        ("shuffle in ue.parquet --out new.parquet", f"ue.parquet: reports of another task ('{UE.id}')"),
        ("shuffle none.parquet --out new.parquet", "there are no reports to shuffle"),
        ("shuffle - - --out new.parquet", "-: standard input was given twice"),
        ("shuffle - --out new.parquet", "standard input: not an Arrow stream ("),
    ],
)
def test_refusals(command: str, message: str) -> None:
    write_reports(Path("ue.parquet"), UE, [(some_ids(1), np.zeros((1, 2), np.uint8))])
    write_reports(Path("none.parquet"), GRR, [])
    assert run_refused(command).startswith(f"pckv: {message}")


def test_an_output_is_replaced_only_by_force() -> None:
    put({"new.parquet": b"old"})
    assert run_refused(SHUFFLE) == "pckv: new.parquet exists: use --force to replace it\n"
    run_ok(f"{SHUFFLE} --force")


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.inputs.write_reports", no_space)
    assert run_refused(SHUFFLE) == "pckv: new.parquet: No space left on device\n"


def test_a_full_temporary_folder_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class FullFile(io.RawIOBase):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: FullFile())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run_refused(SHUFFLE) == f"pckv: {tmp_path}: No space left on device\n"


def test_a_temporary_folder_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one would leave reports where no command looks for them."""
    monkeypatch.setenv("TMPDIR", "not-there")
    before = contents()
    refused = run_refused(SHUFFLE)
    assert "not-there" in refused
    assert refused.endswith(": No such file or directory\n")
    assert contents() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_writing_leaves_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Iterator[Any]:
        yield some_ids(5), some_messages(GRR, 5)
        assert list(Path().glob(".new.parquet.*"))
        os.kill(os.getpid(), number)
        pytest.fail("the signal was not noticed")

    monkeypatch.setattr("pckv.shuffling.shuffle.report_blocks", interrupted)
    if signal.getsignal(number) is signal.SIG_IGN:
        # As under nohup, where a hang-up is to be ignored.
        signal.signal(number, signal.SIG_DFL)
    before, handler = contents(), signal.getsignal(number)
    result = run(SHUFFLE)
    assert (result.exit_code, result.stderr) == (128 + number, "pckv: interrupted\n")
    assert contents() == before
    assert signal.getsignal(number) == handler


def test_a_signal_while_reading_leaves_nothing(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    file = io.BytesIO()
    stream_reports(file, GRR, [(some_ids(5), some_messages(GRR, 5))])
    before = contents()
    with subprocess.Popen(
        program_command("shuffle", "-", "--out", "new.parquet"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(temporary)},
    ) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(file.getvalue()[:-8])
        process.stdin.flush()
        wait_for_spilled_file(process.pid, temporary)
        process.terminate()
        assert process.stderr.read() == b"pckv: interrupted\n"
        assert process.wait(60) == 128 + signal.SIGTERM
    assert contents() == before
    assert not list(temporary.iterdir())


def wait_for_spilled_file(pid: int, folder: Path) -> None:
    """Wait until a process has a file without a name in a folder.

    Before that, tempfile tries the folder with an empty file, which is not what this is about.
    """
    deadline = time.monotonic() + 60
    while not any(link.startswith(str(folder)) and link.endswith(" (deleted)") for link in open_files(pid)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def open_files(pid: int) -> Iterator[str]:
    for link in Path(f"/proc/{pid}/fd").iterdir():
        # Files are closed while they are listed.
        with suppress(FileNotFoundError):
            yield str(link.readlink())
