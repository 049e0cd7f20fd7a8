"""Counting reports of `collision`, whose words are not cells: every engine gives the bytes of a direct count."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from pckv import Task
from pckv.base.errors import DataError
from pckv.cli import main
from pckv.counting import job as counting_job
from pckv.counting.engines.spark import _tally_batches, tally
from pckv.counting.job import CountResult, Job, find_engine
from pckv.files.reports.reader import ReportFile
from support.counting import collect
from support.counting import refusal as input_refusal
from support.failing_tasks import failing_at_first
from support.sample_reports import (
    CollectionFactory,
    damage,
    direct_tally,
    forged_file,
    id_list,
    make_task,
    report_file,
    reports_table,
    some_ids,
    some_messages,
)

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

TASK = make_task("collision", 40, 3)
LIMIT = TASK.word_limit or 0
# A tally keeps the words of hashed keys.
HASHED = Task(name="t", keys="hashed", values=(0, 1), epsilon=1)
# The largest words that there are, and no answers about sizes.
DISCOVERY = Task.discovery(name="t", epsilon=20, characters=64)
HEADER_AND_CHECKSUM = 96


@pytest.fixture(params=["numpy", "compiled", "duckdb", "spark"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that counts small files in many steps; `compiled` is numpy with compiled loops, on several threads."""
    monkeypatch.setattr("pckv.counting.engines.numpy.ROWS_PER_SPAN", 20)
    monkeypatch.setattr("pckv.counting.engines.duckdb.ROWS_PER_BATCH", 16)
    monkeypatch.setattr("pckv.files.reports.reader.BYTES_PER_BATCH", 200)
    if request.param == "spark":
        request.getfixturevalue("spark")
    # Plain loops, whatever another test has loaded.
    monkeypatch.setattr("pckv.tally.supports.COMPILED_LOOPS", "never loaded")
    if request.param == "compiled":
        monkeypatch.setattr("pckv.tally.supports.SUPPORTS_WORTH_COMPILING", 0)
        monkeypatch.setattr("pckv.tally.supports.SUPPORTS_PER_THREAD", 1000)
    chosen: str = request.param
    return "numpy" if chosen == "compiled" else chosen


def run(engine: str, task: Task, *paths: Path, **options: Any) -> CountResult:
    return find_engine(engine)(Job(task, tuple(ReportFile(path, task) for path in paths), **options))


def refusal(engine: str, *paths: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        run(engine, TASK, *paths, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write(path: Path, words: Sequence[int | None], ids: Sequence[bytes | None]) -> Path:
    """Write a report file in two row groups, whatever its contents."""
    table, half = reports_table(TASK, words, ids), len(words) // 2
    return forged_file(path, TASK, table.slice(0, half), table.slice(half))


@pytest.mark.parametrize("task", [TASK, HASHED, DISCOVERY], ids=["supports", "words", "discovery"])
def test_good_bad_repeated_and_missing_reports(engine: str, task: Task, tmp_path: Path) -> None:
    """Two files: 60 reports, ten of them twice, answers about sizes, equal words, five bad words and two missing ids."""
    limit = task.word_limit or 0
    good = some_messages(task, 60).tolist()
    good[20:25] = [good[20]] * 5
    assert task.size_question is None or any(word >= (task.law.word_limit or 0) for word in good)
    ids: list[bytes | None] = list(id_list(some_ids(67)))
    bad = [limit, -1, 2**63 - 1, -(2**63), None, good[3], good[4]]
    ids[65:] = [None, None]
    a = forged_file(tmp_path / "a.parquet", task, reports_table(task, good[:40] + bad, ids[:40] + ids[60:]))
    again = reports_table(task, good[40:] + good[35:45], ids[40:60] + ids[35:45])
    b = forged_file(tmp_path / "b.parquet", task, again.slice(0, 11), again.slice(11))
    for order in ((a, b), (b, a))[: 1 if engine == "spark" else 2]:
        counted = run(engine, task, *order, skip_bad=True)
        assert bytes(counted.tally) == direct_tally(task, np.array(good + good[35:45]))
        assert (counted.repeated, sum(skipped.reports or 0 for skipped in counted.skipped)) == (0, 7)
        once = run(engine, task, *order, skip_bad=True, dedupe=True)
        assert bytes(once.tally) == direct_tally(task, np.array(good))
        assert (once.repeated, once.skipped) == (10, counted.skipped)


def test_the_first_bad_report_is_named(engine: str, tmp_path: Path) -> None:
    ids = id_list(some_ids(8))
    path = write(tmp_path / "a.parquet", [1, 2, 3, 4, 5, 6, LIMIT, 7], ids)
    for dedupe in (False, True):
        assert refusal(engine, path, dedupe=dedupe) == (
            f"{path}, row group 1: report 2: word {LIMIT} is not below {LIMIT}"
        )


def test_two_words_under_one_id_are_named(engine: str, tmp_path: Path) -> None:
    """Also where both words support the same keys that anyone looks at: it is words that are compared."""
    ids = id_list(some_ids(8))
    a = write(tmp_path / "a.parquet", list(range(8)), ids)
    b = write(tmp_path / "b.parquet", [9, 9, 9, 9, 9, 6], [*id_list(some_ids(5, 7)), ids[5]])
    assert refusal(engine, a, b, dedupe=True) == (
        f"report id {ids[5].hex()} has different bodies: {a}, row group 1, report 1, and {b}, row group 1, report 2"
    )
    assert run(engine, TASK, a, b).tally.reports == 14


def test_an_interrupted_run_continues(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(counting_job, "ROWS_PER_STEP", 1)
    parts = [some_messages(TASK, 40, seed) for seed in range(3)]
    for number, part in enumerate(parts):
        report_file(Path(f"{number}.parquet"), TASK, part, seed=number)
    damage(Path("1.parquet"), 0)
    options: dict[str, Any] = {"engine": engine, "checkpoint": Path("out.progress")}
    names = [f"{number}.parquet" for number in range(3)]
    assert input_refusal(TASK, *names, **options).startswith("1.parquet, row group 0: ")
    report_file(Path("1.parquet"), TASK, parts[1], seed=1)
    assert bytes(collect(TASK, *names, **options).tally) == direct_tally(TASK, *parts)


def test_workers_of_spark_send_counts_whatever_the_number_of_reports() -> None:
    """One row per share of the reports, with a tally that is bounded by the keys; so it is for bad reports alone."""
    bound = 8 * (2 * TASK.key_count + 1 + 4) + HEADER_AND_CHECKSUM
    for reports in (0, 10, 5000):
        words = some_messages(TASK, reports)
        batches = [pa.record_batch({"word": pa.array(part)}) for part in np.array_split(words, 3)]
        (part,) = _tally_batches(TASK.to_json())(iter(batches))
        assert part.num_rows == 1
        assert part.column("tally")[0].as_py() == direct_tally(TASK, words)
        assert len(part.column("tally")[0].as_py()) <= bound
    (part,) = _tally_batches(TASK.to_json())(iter([pa.record_batch({"word": pa.array([LIMIT, None, -1])})]))
    assert (part.column("bad")[0].as_py(), part.column("tally")[0].as_py()) == (3, direct_tally(TASK))


# Many reports


def test_many_reports_on_every_engine(many_reports: CollectionFactory, spark: Any, tmp_path: Path) -> None:
    """The engines, and Spark with tasks that fail: the same parts of the same tasks at any number of reports."""
    many = many_reports("collision")
    for engine in ("numpy", "duckdb", "spark"):
        assert bytes(find_engine(engine)(many.job()).tally) == many.expected, engine
    (marks := tmp_path / "marks").mkdir()
    frame = spark.read.parquet(*map(str, many.paths)).select("word")
    assert bytes(tally(frame.mapInArrow(failing_at_first(marks), frame.schema), many.task)) == many.expected
    assert list(marks.iterdir())


# The command


def pckv(command: str, *, given: bytes | None = None) -> str:
    result = CliRunner().invoke(main, command.split(), input=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates come to the same from reports, a resumed tally, tallies of parts, and reports and tallies together."""
    monkeypatch.chdir(tmp_path)
    Path("task.json").write_text(TASK.to_json())
    parts = [some_messages(TASK, 300, seed) for seed in range(3)]
    for number, part in enumerate(parts):
        report_file(Path(f"{number}.parquet"), TASK, part, seed=number)
    damage(Path("2.parquet"), 0)
    tally_all = "tally 0.parquet 1.parquet 2.parquet --task task.json --out all.tally --resume"
    assert CliRunner().invoke(main, tally_all.split()).exit_code == 1
    report_file(Path("2.parquet"), TASK, parts[2], seed=2)
    assert pckv(tally_all) == "900 reports counted into all.tally\n"
    assert Path("all.tally").read_bytes() == direct_tally(TASK, *parts)
    for number in range(3):
        pckv(f"tally {number}.parquet --task task.json --out {number}.tally --engine duckdb")
    results = [
        json.loads(pckv(f"estimate {inputs} --task task.json --json"))
        for inputs in (
            "all.tally",
            "0.parquet 1.parquet 2.parquet",
            "0.tally 1.tally 2.tally",
            "0.tally 1.parquet 2.tally",
        )
    ]
    assert len(results[0]["estimates"]) == TASK.key_count
    # Only reports can be checked for alarms.
    assert all(result | {"alarms": None} == results[0] for result in results)
