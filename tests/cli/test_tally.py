"""`pckv tally`: what is counted, skipped and refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from pckv import Tally, Task
from pckv.files.reports.writer import write_reports
from support.cli import (
    GRR,
    OTHER,
    TALLY,
    UE,
    damaged,
    forged_reports,
    pairs_csv,
    parquet,
    put,
    read_json,
    run,
    run_ok,
    run_refused,
    run_skipping,
)

BAD_INPUTS = {
    "another-task": (OTHER, forged_reports(GRR, [3], pa.int64()), f": reports of another task ('{GRR.id}')"),
    "word-too-large": (
        GRR,
        forged_reports(GRR, [3, 8], pa.int64()),
        ", row group 0: report 1: word 8 is not below 8",
    ),
    "word-negative": (
        GRR,
        forged_reports(GRR, [-1], pa.int64()),
        ", row group 0: report 0: word -1 is not below 8",
    ),
    "word-null": (GRR, forged_reports(GRR, [3, None], pa.int64()), ", row group 0: report 1: no word"),
    "word-text": (GRR, forged_reports(GRR, ["3"], pa.string()), ": column 'word' is string, not int64"),
    "body-short": (
        UE,
        forged_reports(UE, [b"\0"], pa.binary()),
        ", row group 0: report 0: a body has 2 bytes, not 1",
    ),
    "body-long": (
        UE,
        forged_reports(UE, [b"\0\0", b"\0\0\0"], pa.binary()),
        ", row group 0: report 1: a body has 2 bytes, not 3",
    ),
    "spare-bit": (
        UE,
        forged_reports(UE, [b"\0\0", b"\x08\0"], pa.binary()),
        ", row group 0: report 1: a bit beyond the last of 3 keys is set",
    ),
    "stray-sign": (
        UE,
        forged_reports(UE, [b"\0\x01"], pa.binary()),
        ", row group 0: report 0: a sign is set where nothing is present",
    ),
    "no-task": (GRR, parquet(report_id=[bytes(16)], word=[3]), ": not a report file (it names no task)"),
    "column-name": (
        GRR,
        forged_reports(GRR, [3], pa.int64()).replace(b"report_id", b"report\xffid"),
        ": not a report file (",
    ),
    "reports-footer": (GRR, damaged(forged_reports(GRR, [3], pa.int64())), ": not a report file ("),
    "reports-cut": (GRR, forged_reports(GRR, [3], pa.int64())[:-6], ": not a report file ("),
    "tally-of-another": (OTHER, bytes(Tally(GRR)), ": a tally of another task"),
    "tally-cut": (GRR, bytes(Tally(GRR))[:-1], ": not a tally: truncated or edited (the checksum"),
    "tally-edited": (
        GRR,
        bytes(Tally(GRR)).replace(bytes(8), b"\1" + bytes(7), 1),
        ": not a tally: truncated or edited (the checksum",
    ),
    "tally-empty": (GRR, b"", ": the file is empty"),
    "neither": (GRR, pairs_csv("ann,alien,5"), ": neither a report file nor a tally"),
}


@pytest.mark.parametrize(("task", "data", "message"), BAD_INPUTS.values(), ids=BAD_INPUTS)
@pytest.mark.parametrize("command", ["tally bad --out new.tally", "estimate bad --out new.csv --plot new.svg"])
def test_bad_reports_and_tallies(command: str, task: Task, data: bytes, message: str) -> None:
    put({"task.json": task.to_json().encode(), "bad": data})
    assert run_refused(f"{command} --task task.json").startswith(f"pckv: bad{message}")


def test_one_bad_file_among_good_ones_is_named() -> None:
    put({"bad.parquet": forged_reports(GRR, [99], pa.int64())})
    for inputs in ("words.parquet bad.parquet", "bad.parquet good.tally"):
        line = run_refused(f"tally {inputs} --task grr.json --out new.tally")
        assert line.startswith("pckv: bad.parquet, row group 0: report 0: word 99")
    line = run_refused("tally words.parquet other.tally --task grr.json --out new.tally")
    assert line == "pckv: other.tally: a tally of another task\n"


BAD_WORDS = [5, 99, None, 2, -1, 98]


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_skipped_reports_and_files_are_listed(engine: str) -> None:
    put(
        {
            "bad.parquet": forged_reports(GRR, BAD_WORDS, pa.int64()),
            "cut.parquet": forged_reports(GRR, [3], pa.int64())[:-6],
            "ue.parquet": forged_reports(UE, [b"\0\0"], pa.binary()),
        }
    )
    command = f"tally *.parquet --task grr.json --out new.tally --skip-bad --engine {engine}"
    printed, skipped = run_skipping(command)
    assert printed == "10 reports counted into new.tally, 4 skipped, 2 whole files skipped\n"
    assert skipped[0].startswith("skipped: cut.parquet: not a report file (")
    assert skipped[1:] == [
        f"skipped: ue.parquet: reports of another task ('{UE.id}')",
        "skipped: bad.parquet, row group 0: report 2: no word",
        "skipped: bad.parquet, row group 0: report 1: word 99 is not below 8 (and 2 more like it)",
    ]
    printed, _ = run_skipping(f"{command} --force --json")
    summary = read_json(printed)
    assert list(summary) == ["task", "engine", "files", "reports", "repeated", "skipped"]
    assert (summary["task"], summary["engine"], summary["files"], summary["reports"]) == (
        GRR.id,
        engine,
        2,
        10,
    )
    assert summary["skipped"][1:] == [
        {"where": "ue.parquet", "reason": f"reports of another task ('{UE.id}')", "reports": None},
        {"where": "bad.parquet, row group 0", "reason": "report 2: no word", "reports": 1},
        {"where": "bad.parquet, row group 0", "reason": "report 1: word 99 is not below 8", "reports": 3},
    ]
    good = Tally(GRR)
    good.add_many(np.array([5, 5, 5, 2, 2, 0, 6, 7, 5, 2]))
    assert Path("new.tally").read_bytes() == bytes(good)
    assert run_refused(command.replace("new", "newer").replace("--skip-bad", "")).startswith("pckv: cut.parquet: ")


def test_a_long_list_of_skipped_places_is_cut() -> None:
    Path("in").mkdir()
    put({f"in/{number}.parquet": forged_reports(GRR, [99], pa.int64()) for number in range(23)})
    _, skipped = run_skipping("tally in --task grr.json --out new.tally --skip-bad")
    assert len(skipped) == 21
    assert skipped[-1] == "skipped: … and 3 more places (--json lists them)"


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_ids_are_counted_once(engine: str) -> None:
    ids = np.arange(3 * 16, dtype=np.uint8).reshape(3, 16)
    write_reports(Path("a.parquet"), GRR, [(ids, np.array([5, 2, 0]))])
    write_reports(Path("b.parquet"), GRR, [(ids[1:], np.array([2, 0]))])
    write_reports(Path("c.parquet"), GRR, [(ids[:1], np.array([6]))])
    command = f"tally a.parquet b.parquet --task grr.json --out new.tally --dedupe --engine {engine}"
    assert run_ok(command) == "3 reports counted into new.tally, 2 repeated\n"
    assert read_json(run_ok(f"{command} --force --json"))["repeated"] == 2
    assert run_ok(f"{command} --force".replace(" --dedupe", "")).startswith("5 reports counted")
    assert run_refused(command.replace("b.parquet", "c.parquet").replace("new", "newer")) == (
        f"pckv: report id {ids[0].tobytes().hex()} has different bodies: a.parquet, row group 0, report 0, "
        "and c.parquet, row group 0, report 0\n"
    )


def test_a_broken_run_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.counting.job.ROWS_PER_STEP", 1)
    put({"x.parquet": forged_reports(GRR, [99], pa.int64())})
    command = "tally words.parquet x.parquet --task grr.json --out new.tally --resume"
    result = run(command)
    assert result.stderr == "pckv: x.parquet, row group 0: report 0: word 99 is not below 8\n"
    assert Path("new.tally.progress").exists()
    assert not Path("new.tally").exists()
    put({"x.parquet": forged_reports(GRR, [1], pa.int64())})
    assert run_ok(command) == "9 reports counted into new.tally\n"
    assert not Path("new.tally.progress").exists()
    run_ok("tally words.parquet x.parquet --task grr.json --out direct.tally")
    assert Path("new.tally").read_bytes() == Path("direct.tally").read_bytes()
    put({"other.tally.progress": b"garbage"})
    line = run_refused(command.replace("new.tally", "other.tally --force"))
    assert line == "pckv: other.tally.progress: not the progress of this run (remove it to begin again)\n"


def test_a_file_without_reports_gives_an_empty_tally() -> None:
    write_reports(Path("none.parquet"), GRR, [])
    assert run_ok("tally none.parquet --task grr.json --out new.tally") == "0 reports counted into new.tally\n"
    assert Path("new.tally").read_bytes() == bytes(Tally(GRR))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--dedupe --resume",
            "deduplication compares all files with each other, so that it cannot be resumed: leave out --dedupe or --resume",
        ),
        (
            "good.tally --dedupe",
            "good.tally: a tally has no report ids to deduplicate by: leave out --dedupe",
        ),
        ("words.parquet", "words.parquet: given twice, and would be counted twice"),
        ("'*.arrow'", "*.arrow: no file matches"),
        ("- --engine duckdb", "standard input is counted by the numpy engine, in one go"),
        ("- --resume", "standard input is counted by the numpy engine, in one go"),
        ("-", "standard input: not an Arrow stream ("),
        ("in", "in/ue.parquet: reports of another task"),
    ],
)
def test_bad_options_of_tally(options: str, message: str) -> None:
    Path("in").mkdir()
    put({"in/ue.parquet": forged_reports(UE, [b"\0\0"], pa.binary())})
    assert run_refused(f"{TALLY} {options}").startswith(f"pckv: {message}")


def test_counting_loads_nothing_that_takes_longer_than_counting(tmp_path: Path) -> None:
    """Start-up is part of speed: each of these takes a tenth of a second or more."""
    ids = np.zeros((1, 16), np.uint8)
    (tmp_path / "task.json").write_text(GRR.to_json())
    write_reports(tmp_path / "a.parquet", GRR, [(ids, np.array([3]))])
    script = (
        "import sys\n"
        "from pckv.cli import main\n"
        "main(['tally', 'a.parquet', '--task', 'task.json', '--out', 'a.tally'], standalone_mode=False)\n"
        "print(*{'numba', 'pandas', 'rich', 'scipy', 'pckv.planning'} & set(sys.modules))\n"
    )
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["1 report counted into a.tally", ""]
