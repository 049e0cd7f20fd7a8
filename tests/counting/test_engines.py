"""Engines: numpy, DuckDB and Spark give the same tally of the same files, and refuse the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from pckv import Task
from pckv.base.arrays import Messages
from pckv.base.errors import DataError, ParameterError, TallyError
from pckv.counting.engines.duckdb import WORDS as WORDS_QUERY
from pckv.counting.engines.duckdb import _connection as duckdb_connection
from pckv.counting.job import BadReports, CountResult, Job, find_engine
from pckv.files.reports.columns import message_column
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports
from support.sample_reports import (
    GRR,
    TASKS,
    damage,
    direct_tally,
    forged_file,
    id_list,
    message_list,
    report_file,
    reports_table,
    some_ids,
    some_messages,
)

ENGINES = ["numpy", "compiled", "duckdb", "spark"]
# Spark knows words and bodies, not mechanisms, and is slow: one task of either kind stands for all others. Every
# other engine counts all tasks.
SPARK_TASKS = ("grr", "ue")
# Names with a special meaning for a shell, SQL, a file system or Spark, and files that they could be
# mistaken for.
ODD_NAMES = [
    "a[1].parquet",
    "a1.parquet",
    "b*.parquet",
    "bb.parquet",
    "c?.parquet",
    "cc.parquet",
    "d{1,2}.parquet",
    "d1.parquet",
    "~e.parquet",
    "two words, 'quoted' \"twice\".parquet",
    "%20 #é ü 数.parquet",
    "word=3/f.parquet",
    "body=3/f.parquet",
    "report_id=3/f.parquet",
    "day=[1]/f.parquet",
]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that counts small files in many steps."""
    monkeypatch.setattr("pckv.counting.engines.numpy.ROWS_PER_SPAN", 20)
    monkeypatch.setattr("pckv.counting.engines.duckdb.ROWS_PER_BATCH", 16)
    monkeypatch.setattr("pckv.files.reports.reader.BYTES_PER_BATCH", 200)
    if request.param == "spark":
        request.getfixturevalue("spark")
    # Use the compiled loops for few reports too.
    least = 2**28 if request.param == "numpy" else 0
    monkeypatch.setattr("pckv.tally.tally.BYTES_WORTH_COMPILING", least)
    chosen: str = request.param
    return "numpy" if chosen == "compiled" else chosen


def cases(*names: str, on_spark: Sequence[str] = SPARK_TASKS) -> pytest.MarkDecorator:
    """Return a mark that runs a test for every engine and these tasks, but for Spark only some of them."""
    pairs = [(engine, name) for engine in ENGINES for name in names if engine != "spark" or name in on_spark]
    return pytest.mark.parametrize(
        ("engine", "task"),
        [(engine, TASKS[name]) for engine, name in pairs],
        ids=["-".join(pair) for pair in pairs],
        indirect=["engine"],
    )


def run(engine: str, task: Task, *paths: Path, **options: Any) -> CountResult:
    return find_engine(engine)(Job(task, tuple(ReportFile(path, task) for path in paths), **options))


def orders(engine: str, paths: list[Path]) -> list[list[Path]]:
    """Return orders of files to count; Spark shares files among its tasks by their sizes, whatever their order."""
    return [paths] if engine == "spark" else [paths, paths[::-1]]


def refusal(engine: str, task: Task, *paths: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        run(engine, task, *paths, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@cases(*TASKS)
def test_special_file_names_are_taken_literally(engine: str, task: Task, tmp_path: Path) -> None:
    messages = [some_messages(task, 6, seed) for seed in range(len(ODD_NAMES))]
    paths = [tmp_path / name for name in ODD_NAMES]
    for seed, (path, group) in enumerate(zip(paths, messages, strict=True)):
        path.parent.mkdir(exist_ok=True)
        report_file(path, task, group, seed=seed)
    for dedupe in (False, True):
        counted = run(engine, task, *paths, dedupe=dedupe)
        assert bytes(counted.tally) == direct_tally(task, *messages)
        assert (counted.repeated, counted.skipped) == (0, [])
    # Files whose names are patterns, without the files that the patterns match.
    assert bytes(run(engine, task, *paths[0:8:2]).tally) == direct_tally(task, *messages[0:8:2])


# Also words that are too many to be counted in one array.
@cases(*TASKS, on_spark=(*SPARK_TASKS, "sparse"))
def test_files_of_all_shapes(engine: str, task: Task, tmp_path: Path) -> None:
    messages = some_messages(task, 300)
    parts = [messages[start:end] for start, end in pairwise([0, 40, 40, 47, 97, 147, 180, 210, 300])]
    ids = [id_list(some_ids(len(part), seed)) for seed, part in enumerate(parts)]
    tables = [reports_table(task, message_list(task, part), of_part) for part, of_part in zip(parts, ids, strict=True)]
    extra = pa.array([None, *range(len(parts[5]) - 1)], pa.int32())
    paths = [
        report_file(tmp_path / "groups.parquet", task, *parts[:3]),
        report_file(tmp_path / "no groups.parquet", task),
        report_file(tmp_path / "empty group.parquet", task, messages[:0]),
        # Columns that may be null, but are not, as most tools write them: with statistics and without.
        forged_file(tmp_path / "nullable.parquet", task, tables[3]),
        forged_file(tmp_path / "no statistics.parquet", task, tables[4], write_statistics=False),
        forged_file(tmp_path / "extra.parquet", task, tables[5].append_column("report", extra)),
        forged_file(tmp_path / "other order.parquet", task, tables[6].select([1, 0])),
        tmp_path / "written.parquet",
    ]
    write_reports(paths[-1], task, [(some_ids(len(parts[7]), 7), parts[7])])
    for order in orders(engine, paths):
        for dedupe in (False, True):
            counted = run(engine, task, *order, dedupe=dedupe)
            assert bytes(counted.tally) == direct_tally(task, messages)
            assert (counted.repeated, counted.skipped) == (0, [])


@cases(*TASKS)
def test_no_reports(engine: str, task: Task, tmp_path: Path) -> None:
    path = report_file(tmp_path / "a.parquet", task)
    for dedupe in (False, True):
        assert bytes(run(engine, task, path, dedupe=dedupe).tally) == direct_tally(task)


def test_progress_never_falls_and_ends_at_the_total(engine: str, tmp_path: Path) -> None:
    for name in SPARK_TASKS if engine == "spark" else TASKS:
        task = TASKS[name]
        messages = some_messages(task, 100)
        paths = [report_file(tmp_path / f"{name}-{n}", task, messages[:30], messages[30:], seed=n) for n in range(3)]
        for dedupe in (False, True):
            done: list[int] = []
            run(engine, task, *paths, dedupe=dedupe, progress=done.append)
            assert done == sorted(done)
            assert (done[0] >= 0, done[-1]) == (True, 300)


# Report ids


def close_ids(count: int) -> list[bytes]:
    """Return ids that differ in a single byte of either half, or share a half with another id."""
    ids = []
    for number in range(count):
        low, high = number.to_bytes(8, "little"), number.to_bytes(8, "big")
        ids += [bytes(8) + low, low + bytes(8), b"\xff" * 8 + high, high + b"\xff" * 8]
    return list(dict.fromkeys(ids))[:count]


@cases(*TASKS)
def test_an_id_is_counted_once(engine: str, task: Task, tmp_path: Path) -> None:
    messages, ids = some_messages(task, 120), close_ids(120)
    rows = list(zip(message_list(task, messages), ids, strict=True))
    assert len(set(ids)) == len(rows) == 120

    def table(*spans: slice) -> Any:
        values, of_rows = zip(*(row for span in spans for row in rows[span]), strict=True)
        return reports_table(task, values, of_rows)

    paths = [
        forged_file(tmp_path / "a.parquet", task, table(slice(60)), table(slice(10), slice(60, 80))),
        forged_file(tmp_path / "b.parquet", task, table(slice(70, 120), slice(119, 120), slice(119, 120))),
        forged_file(tmp_path / "c.parquet", task, table(slice(5)), table(slice(5))),
    ]
    for order in orders(engine, paths):
        counted = run(engine, task, *order, dedupe=True)
        assert bytes(counted.tally) == direct_tally(task, messages)
        assert (counted.repeated, counted.skipped) == (10 + 10 + 2 + 5 + 5, [])
    assert run(engine, task, *paths).tally.reports == 152


def two_bodies(task: Task) -> tuple[Any, Any]:
    return (3, 4) if message_column(task).name == "word" else (b"\1\0\1\0", b"\1\0\0\0")


@cases("grr", "ue", "ue-compact", "collision")
def test_two_bodies_under_one_id_are_named(engine: str, task: Task, tmp_path: Path) -> None:
    one, other = two_bodies(task)
    twin = b"\7" * 16
    ids = id_list(some_ids(40))
    first = reports_table(task, [one] * 40, [*ids[:33], twin, *ids[34:]])
    again = reports_table(task, [one] * 10, [twin, *id_list(some_ids(9, 5))])
    second = reports_table(task, [other] * 30, [*id_list(some_ids(29, 6)), twin])
    a = forged_file(tmp_path / "a.parquet", task, reports_table(task, [], []), first)
    b = forged_file(tmp_path / "b.parquet", task, again, second)
    assert refusal(engine, task, a, b, dedupe=True) == (
        f"report id {twin.hex()} has different bodies: {a}, row group 1, report 33, and {b}, row group 1, report 29"
    )
    assert run(engine, task, a, b).tally.reports == 80


def test_a_bad_report_is_no_body_of_an_id(engine: str, tmp_path: Path) -> None:
    """A skipped report is not counted, and never repeated or in conflict."""
    twin = bytes(16)
    table = reports_table(GRR, [99, None, 3, 3, -1, 5], [twin] * 4 + [None, None])
    path = forged_file(tmp_path / "a.parquet", GRR, table)
    counted = run(engine, GRR, path, dedupe=True, skip_bad=True)
    assert bytes(counted.tally) == direct_tally(GRR, np.array([3]))
    assert (counted.repeated, sum(bad.reports or 0 for bad in counted.skipped)) == (1, 4)
    worse = forged_file(tmp_path / "b.parquet", GRR, table, reports_table(GRR, [7, 4], [None, twin]), table)
    damage(worse, 2)
    assert refusal(engine, GRR, worse, dedupe=True, skip_bad=True) == (
        f"report id {twin.hex()} has different bodies: {worse}, row group 0, report 2, "
        f"and {worse}, row group 1, report 1"
    )


# What cannot be counted


def bad_table(task: Task, good: Messages) -> tuple[Any, list[str]]:
    """Return good reports after one of every bad kind, and the reasons of the bad ones."""
    bad: list[Any]
    if task.word_limit is not None:
        limit = task.word_limit
        bad = [3, None, limit, -1, 2**63 - 1, -(2**63)]
        reasons = [
            "report 0: no report_id",
            "report 1: no word",
            *(f"report {row}: word {bad[row]} is not below {limit}" for row in range(2, 6)),
        ]
    else:
        bad = [bytes(4), None, bytes(3), bytes(5), b"\0\x08\0\0", b"\2\0\4\0"]
        reasons = [
            "report 0: no report_id",
            "report 1: no body",
            "report 2: a body has 4 bytes, not 3",
            "report 3: a body has 4 bytes, not 5",
            "report 4: a bit beyond the last of 11 keys is set",
            "report 5: a sign is set where nothing is present",
        ]
    values = [*bad, *message_list(task, good)]
    return reports_table(task, values, [None, *id_list(some_ids(len(values) - 1))]), reasons


@cases(*TASKS)
def test_bad_reports_are_skipped(engine: str, task: Task, tmp_path: Path) -> None:
    good, others = some_messages(task, 20), some_messages(task, 50, 5)
    table, reasons = bad_table(task, good)
    paths = [
        report_file(tmp_path / "good.parquet", task, others, seed=9),
        # One row group per bad report, so that each is listed separately.
        forged_file(tmp_path / "bad.parquet", task, *(table.slice(row, 1) for row in range(6)), table.slice(6)),
        forged_file(tmp_path / "all bad.parquet", task, table.slice(1, 1)),
    ]
    in_order = [
        BadReports(f"{paths[1]}, row group {row}", reasons[row].replace(f"report {row}", "report 0"), 1)
        for row in range(6)
    ]
    last = BadReports(f"{paths[2]}, row group 0", in_order[1].reason, 1)
    for dedupe in (False, True):
        counted = run(engine, task, *paths, skip_bad=True, dedupe=dedupe)
        assert counted.skipped == [*in_order, last]
        assert bytes(counted.tally) == direct_tally(task, good, others)
        assert counted.repeated == 0


def test_bad_reports_are_counted_by_kind(engine: str, tmp_path: Path) -> None:
    ids = id_list(some_ids(8))
    table = reports_table(GRR, [3, 99, None, -4, None, 5, 99, 1], [*ids[:6], None, ids[7]])
    path = forged_file(tmp_path / "a.parquet", GRR, table)
    where = f"{path}, row group 0"
    for dedupe in (False, True):
        counted = run(engine, GRR, path, skip_bad=True, dedupe=dedupe)
        assert sorted(counted.skipped) == [
            BadReports(where, "report 1: word 99 is not below 28", 2),
            BadReports(where, "report 2: no word", 2),
            BadReports(where, "report 6: no report_id", 1),
        ]
        assert bytes(counted.tally) == direct_tally(GRR, np.array([3, 5, 1]))


@cases(*TASKS)
def test_the_first_bad_report_is_named(engine: str, task: Task, tmp_path: Path) -> None:
    table, reasons = bad_table(task, some_messages(task, 20))
    good = report_file(tmp_path / "good.parquet", task, some_messages(task, 30), seed=9)
    # Spark hands over to numpy, whatever it notices; that it notices every kind is tested where reports are skipped.
    for row in (0, 5) if engine == "spark" else range(6):
        bad = table.take([7, 8, row, 9])
        path = forged_file(tmp_path / f"{row}.parquet", task, table.slice(6), bad)
        for dedupe in (False, True):
            line = refusal(engine, task, good, path, dedupe=dedupe)
            reason = reasons[row].replace(f"report {row}", "report 2")
            assert line == f"{path}, row group 1: {reason}"
            if engine == "spark":
                break


@cases("grr", "ue")
def test_a_damaged_row_group(engine: str, task: Task, tmp_path: Path) -> None:
    groups = [some_messages(task, 30, seed) for seed in range(3)]
    path = damage(report_file(tmp_path / "a.parquet", task, *groups), 1)
    good = report_file(tmp_path / "b.parquet", task, groups[0], seed=9)
    for dedupe in (False, True):
        assert refusal(engine, task, good, path, dedupe=dedupe).startswith(f"{path}, row group 1: ")
        counted = run(engine, task, path, good, dedupe=dedupe, skip_bad=True)
        assert bytes(counted.tally) == direct_tally(task, *groups[::2], groups[0])
        (bad,) = counted.skipped
        assert (bad.where, bad.reports) == (f"{path}, row group 1", 30)


def test_a_file_that_was_cut_after_it_was_opened(engine: str, tmp_path: Path) -> None:
    path = report_file(tmp_path / "a.parquet", GRR, some_messages(GRR, 30), some_messages(GRR, 30))
    job = Job(GRR, (ReportFile(path, GRR),))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DataError) as caught:
        find_engine(engine)(job)
    assert str(path) in str(caught.value)


def test_a_duckdb_that_fails_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.counting.engines.duckdb.WORDS", "SELECT {missing}, $files FROM nowhere")
    path = report_file(tmp_path / "a.parquet", GRR, some_messages(GRR, 30))
    for skip_bad in (False, True):
        assert refusal("duckdb", GRR, path, skip_bad=skip_bad).startswith("DuckDB: Catalog Error")


@pytest.mark.parametrize("lost", ["LIMIT 10", "HAVING word > 3"])
def test_a_row_that_duckdb_loses_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    monkeypatch.setattr("pckv.counting.engines.duckdb.WORDS", f"{WORDS_QUERY} {lost}")
    path = report_file(tmp_path / "a.parquet", GRR, some_messages(GRR, 300))
    for skip_bad in (False, True):
        assert refusal("duckdb", GRR, path, skip_bad=skip_bad).endswith("reports were lost on the way")


def test_a_row_that_duckdb_invents_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.counting.engines.duckdb.WORDS", f"{WORDS_QUERY} UNION ALL SELECT 3, 1, 0, NULL")
    job = Job(GRR, (ReportFile(report_file(tmp_path / "a.parquet", GRR, some_messages(GRR, 300)), GRR),))
    with pytest.raises(TallyError, match="once each"):
        find_engine("duckdb")(job)


def test_duckdb_prints_no_progress_of_its_own() -> None:
    """It would print on stdout, which is for JSON."""
    with duckdb_connection(duckdb) as connection:
        rows = connection.execute("SELECT current_setting('enable_progress_bar_print')").fetchall()
    assert rows == [(False,)]


def test_an_engine_that_does_not_exist() -> None:
    with pytest.raises(ParameterError, match="engine 'excel' does not exist: choose from numpy, duckdb, spa"):
        find_engine("excel")
