"""Interrupted runs: what a checkpoint remembers, and when it is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pckv import Task
from pckv.base.arrays import Messages
from pckv.counting import job as counting_job
from pckv.counting.engines import numpy as numpy_engine
from pckv.counting.job import BadReports, Job
from pckv.files.reports.reader import ReportFile
from support.counting import OTHER, collect, put, refusal
from support.sample_reports import GRR, TASKS, damage, direct_tally, forged_file, report_file, reports_table


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PROGRESS = Path("out.progress")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting_job, "ROWS_PER_STEP", 1)


def put_four(task: Task) -> list[Messages]:
    """Write four files, the third of which is damaged; return their messages."""
    messages = [put(f"in/{number}.parquet", task, 40, seed=number) for number in range(4)]
    damage(Path("in/2.parquet"), 0)
    return messages


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_broken_run_continues(task: Task, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = put_four(task)
    assert refusal(task, "in", engine=engine, checkpoint=PROGRESS).startswith("in/2.parquet, row group 0: ")
    assert PROGRESS.exists()
    report_file(Path("in/2.parquet"), task, messages[2], seed=2)
    read: list[str] = []
    batches = ReportFile.batches

    def recording(file: ReportFile, group: int, *, ids: bool) -> Iterator[Any]:
        read.append(file.path.name)
        return batches(file, group, ids=ids)

    monkeypatch.setattr(ReportFile, "batches", recording)
    result = collect(task, "in", checkpoint=PROGRESS)
    assert read == ["2.parquet", "3.parquet"]
    assert bytes(result.tally) == direct_tally(task, *messages)
    assert result.files == 4
    # Everything is done: another run has nothing to read.
    assert bytes(collect(task, "in", checkpoint=PROGRESS).tally) == bytes(result.tally)
    assert read == ["2.parquet", "3.parquet"]


@pytest.mark.usefixtures("small_steps")
def test_a_checkpoint_remembers_what_was_skipped() -> None:
    good = [put(f"in/{number}.parquet", seed=number) for number in range(2)]
    table = reports_table(GRR, [99, 5], [bytes(16), bytes(16)])
    forged_file(Path("in/1b.parquet"), GRR, table)
    put("in/2.parquet", seed=2)
    cut = Path("in/2.parquet").read_bytes()
    Path("in/2.parquet").write_bytes(b"PAR1" + cut[4:-7])
    options: dict[str, Any] = {"checkpoint": PROGRESS, "skip_bad": True}
    expected = [BadReports("in/1b.parquet, row group 0", "report 0: word 99 is not below 28", 1)]
    for _ in range(2):
        result = collect(GRR, "in", **options)
        assert result.skipped[1:] == expected
        assert result.skipped[0].where == "in/2.parquet"
        assert bytes(result.tally) == direct_tally(GRR, *good, np.array([5]))


@pytest.mark.usefixtures("small_steps")
def test_tallies_are_merged_into_a_continued_run_once() -> None:
    messages = put_four(GRR)
    Path("b.tally").write_bytes(direct_tally(GRR, messages[0]))
    refusal(GRR, "in", "b.tally", checkpoint=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, messages[2], seed=2)
    result = collect(GRR, "in", "b.tally", checkpoint=PROGRESS)
    assert bytes(result.tally) == direct_tally(GRR, *messages, messages[0])


def test_small_files_are_counted_together() -> None:
    """No file is finished before the step that it belongs to."""
    put_four(GRR)
    refusal(GRR, "in", checkpoint=PROGRESS)
    assert not PROGRESS.exists()


@pytest.mark.usefixtures("small_steps")
def test_progress_of_a_continued_run() -> None:
    messages = put_four(GRR)
    refusal(GRR, "in", checkpoint=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, messages[2], seed=2)
    counted_rows: list[int] = []
    job = Job(
        GRR,
        tuple(ReportFile(path, GRR) for path in sorted(Path("in").iterdir())),
        progress=counted_rows.append,
    )
    counting_job.Checkpoint(PROGRESS, job).count(numpy_engine.count)
    assert counted_rows == [120, 160]


def edit_progress(change: Callable[[dict[str, Any]], None]) -> None:
    """Change the contents of a progress file, with a valid checksum."""
    _, head, tally = PROGRESS.read_bytes().split(b"\n", 2)
    header = json.loads(head)
    change(header)
    text = json.dumps(header).encode() + b"\n" + tally
    PROGRESS.write_bytes(counting_job._checksum(text) + b"\n" + text)


def garbage(data: bytes) -> Callable[[], object]:
    return lambda: PROGRESS.write_bytes(data)


def cut_progress() -> None:
    PROGRESS.write_bytes(PROGRESS.read_bytes()[:-1])


def flip(position: int) -> Callable[[], None]:
    def change() -> None:
        data = bytearray(PROGRESS.read_bytes())
        data[position] ^= 1
        PROGRESS.write_bytes(data)

    return change


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize(
    "spoil",
    [
        garbage(b""),
        garbage(b"\n"),
        garbage(b"{}\n"),
        garbage(b"\xff\xfe\n\n"),
        garbage(b'{"finished": [], "problems": [], "format": 1, "skip_bad": false}\n'),
        cut_progress,
        flip(0),
        flip(80),
        flip(150),
        flip(-1),
        lambda: edit_progress(lambda header: header.update(format="pckv progress 2")),
        lambda: edit_progress(lambda header: header.pop("finished")),
        lambda: edit_progress(lambda header: header["finished"].update({"/elsewhere": [1, 2]})),
        lambda: Path("in/0.parquet").rename("in/other.parquet"),
    ],
)
def test_progress_of_another_run_is_refused(spoil: Callable[[], object]) -> None:
    put_four(GRR)
    refusal(GRR, "in", checkpoint=PROGRESS)
    spoil()
    before = PROGRESS.read_bytes()
    line = refusal(GRR, "in", checkpoint=PROGRESS)
    assert line == "out.progress: not the progress of this run (remove it to begin again)"
    assert PROGRESS.read_bytes() == before


@pytest.mark.usefixtures("small_steps")
def test_progress_of_another_task_or_with_other_options() -> None:
    put_four(GRR)
    refusal(GRR, "in", checkpoint=PROGRESS)
    put("else/a.parquet", OTHER)
    message = "out.progress: not the progress of this run (remove it to begin again)"
    assert refusal(OTHER, "else", checkpoint=PROGRESS) == message
    assert refusal(GRR, "in", checkpoint=PROGRESS, skip_bad=True) == message


@pytest.mark.usefixtures("small_steps")
def test_a_finished_file_that_has_changed() -> None:
    messages = put_four(GRR)
    refusal(GRR, "in", checkpoint=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, messages[2], seed=2)
    changed = Path("in/1.parquet")
    os.utime(changed, ns=(1, 1))
    line = refusal(GRR, "in", checkpoint=PROGRESS)
    assert line == (f"{changed.resolve()}: changed since it was counted (remove out.progress to begin again)")


@pytest.mark.usefixtures("small_steps")
def test_a_file_that_changes_while_it_is_counted_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = put_four(GRR)
    count = numpy_engine.count

    def change_file(job: Job) -> Any:
        counted = count(job)
        if job.files[0].path.name == "1.parquet":
            os.utime(job.files[0].path, ns=(1, 1))
        return counted

    with monkeypatch.context() as patch:
        patch.setattr(numpy_engine, "count", change_file)
        refusal(GRR, "in", checkpoint=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, messages[2], seed=2)
    assert "1.parquet: changed since it was counted" in refusal(GRR, "in", checkpoint=PROGRESS)


def test_a_killed_run_continues() -> None:
    """The process is killed at the third file; the next run continues from what it left behind."""
    messages = [put(f"in/{number}.parquet", seed=number) for number in range(4)]
    Path("task.json").write_text(GRR.to_json())
    program = """
        import os, signal, sys
        from pckv.counting import job as counting_job
        from pckv.files.reports.reader import ReportFile
        from pckv.cli import main

        counting_job.ROWS_PER_STEP = 1
        batches = ReportFile.batches

        def dying(file, group, *, ids):
            if file.path.name == sys.argv[1]:
                os.kill(os.getpid(), signal.SIGKILL)
            return batches(file, group, ids=ids)

        ReportFile.batches = dying
        main("tally in --task task.json --out new.tally --resume".split())
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    killed = subprocess.run([*command, "2.parquet"], check=False, timeout=60, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert sorted(path.name for path in Path().iterdir()) == ["in", "new.tally.progress", "task.json"]
    # It would be killed again if it read a finished file.
    finished = subprocess.run([*command, "1.parquet"], check=False, timeout=60, capture_output=True)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert Path("new.tally").read_bytes() == direct_tally(GRR, *messages)
    assert sorted(path.name for path in Path().iterdir()) == ["in", "new.tally", "task.json"]
