"""Spark in an existing session: many reports, failing tasks, DataFrames of users."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pckv import Tally, Task
from pckv.base.errors import DataError
from pckv.cli import main
from pckv.counting.engines.spark import tally
from pckv.counting.job import find_engine
from pckv.files.reports.columns import message_column
from support.failing_tasks import failing_at_first
from support.sample_reports import (
    COMPACT,
    GRR,
    MANY,
    MECHANISMS,
    SPARSE,
    TASKS,
    TEN_MILLION,
    UE,
    CollectionFactory,
    direct_tally,
    id_list,
    make_task,
    message_list,
    report_file,
    some_ids,
    some_messages,
)

# Spark warns about a pandas version, although no row passes through pandas in these tests.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


# Every engine counts the same words, so that the same keys are found.
DISCOVERY = Task.discovery(name="terms", epsilon=4)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_many_reports_on_every_engine(
    many_reports: CollectionFactory, mechanism: str, spark: Any, request: pytest.FixtureRequest
) -> None:
    """200,000 reports by default, several batches of every file, with --slow ten million."""
    assert spark.sparkContext.master == "local[2,3]"
    collection = many_reports(mechanism)
    for engine in ("numpy", "duckdb", "spark"):
        counted = find_engine(engine)(collection.job())
        assert counted.tally.reports == (TEN_MILLION if request.config.getoption("--slow") else MANY)
        assert bytes(counted.tally) == collection.expected


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_many_reports_with_failing_tasks(
    many_reports: CollectionFactory, mechanism: str, spark: Any, tmp_path: Path
) -> None:
    """200,000 reports by default, with --slow ten million: the same parts of the same tasks fail."""
    (marks := tmp_path / "marks").mkdir()
    collection = many_reports(mechanism)
    frame = spark.read.parquet(*map(str, collection.paths)).select(message_column(collection.task).name)
    counted = tally(frame.mapInArrow(failing_at_first(marks), frame.schema), collection.task)
    assert list(marks.iterdir())
    assert bytes(counted) == collection.expected


# DataFrames of users


def own_frame(spark: Any, task: Task, values: list[Any], ids: Sequence[bytes | None] | None = None) -> Any:
    column = "body binary" if task is UE else "word bigint"
    if ids is None:
        return spark.createDataFrame([(value,) for value in values], column)
    return spark.createDataFrame(list(zip(ids, values, strict=True)), f"report_id binary, {column}")


def frame_refusal(frame: Any, task: Task, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        tally(frame, task, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("task", [GRR, UE, SPARSE, DISCOVERY], ids=["grr", "ue", "sparse", "discovery"])
def test_a_frame_of_a_user(spark: Any, task: Task, tmp_path: Path) -> None:
    messages, ids = some_messages(task, 60), id_list(some_ids(60))
    values = message_list(task, messages)
    expected = direct_tally(task, messages)
    assert bytes(tally(own_frame(spark, task, values), task)) == expected
    twice = own_frame(spark, task, values + values[:20], ids + ids[:20])
    assert bytes(tally(twice, task, dedupe=True)) == expected
    assert bytes(tally(twice, task)) == direct_tally(task, messages, messages[:20])
    path = report_file(tmp_path / "a%20 [ü].parquet", task, messages[:40], messages[40:])
    (tmp_path / "folder").mkdir()
    path.rename(tmp_path / "folder" / path.name)
    assert bytes(tally(spark.read.parquet(str(tmp_path / "folder")), task)) == expected
    assert bytes(tally(own_frame(spark, task, []), task)) == direct_tally(task)
    # The session belongs to the user.
    assert spark.range(3).count() == 3


@pytest.mark.parametrize(
    ("task", "schema", "problem"),
    [
        (GRR, "body binary", "the DataFrame has no column 'word'"),
        (GRR, "Word bigint", "the DataFrame has no column 'word'"),
        (UE, "word bigint", "the DataFrame has no column 'body'"),
        (GRR, "word int", "column 'word' of the DataFrame is int, not bigint"),
        (GRR, "word decimal(20,0)", "column 'word' of the DataFrame is decimal(20,0), not bigint"),
        (GRR, "word string", "column 'word' of the DataFrame is string, not bigint"),
        (UE, "body string", "column 'body' of the DataFrame is string, not binary"),
    ],
)
def test_the_columns_of_a_frame(spark: Any, task: Task, schema: str, problem: str) -> None:
    assert frame_refusal(spark.createDataFrame([], schema), task) == problem


def test_deduplication_needs_ids(spark: Any) -> None:
    frame = own_frame(spark, GRR, [3])
    assert frame_refusal(frame, GRR, dedupe=True) == "the DataFrame has no column 'report_id'"
    texts = spark.createDataFrame([("a", 3)], "report_id string, word bigint")
    assert frame_refusal(texts, GRR, dedupe=True) == "column 'report_id' of the DataFrame is string, not binary"


@pytest.mark.parametrize("dedupe", [False, True])
@pytest.mark.parametrize(
    ("task", "bad"),
    [
        (GRR, [28, -1, None]),
        (COMPACT, [COMPACT.word_limit, 2**63 - 1, -(2**63)]),
        (SPARSE, [SPARSE.word_limit, None, None]),
        (UE, [None, bytes(3), b"\0\0\1\0"]),
    ],
    ids=["grr", "ue-compact", "sparse", "ue"],
)
def test_bad_rows_are_refused(spark: Any, task: Task, bad: list[Any], dedupe: bool) -> None:
    values = message_list(task, some_messages(task, 7)) + bad
    frame = own_frame(spark, task, values, id_list(some_ids(10)))
    assert frame_refusal(frame, task, dedupe=dedupe) == ("3 rows of the DataFrame are not reports of task 't'")


@pytest.mark.parametrize("task", [GRR, UE], ids=lambda task: task.mechanism)
def test_bad_ids_are_refused(spark: Any, task: Task) -> None:
    values = message_list(task, some_messages(task, 4))
    frame = own_frame(spark, task, values, [None, bytes(15), bytes(17), bytes(16)])
    assert frame_refusal(frame, task, dedupe=True) == ("3 rows of the DataFrame are not reports of task 't'")


@pytest.mark.parametrize("task", [GRR, UE], ids=lambda task: task.mechanism)
def test_two_bodies_under_one_id(spark: Any, task: Task) -> None:
    one, other = (3, 4) if task is GRR else (b"\1\0\1\0", b"\1\0\0\0")
    frame = own_frame(spark, task, [one, other, one], [bytes(16), bytes(16), b"\1" * 16])
    assert frame_refusal(frame, task, dedupe=True) == f"report id {'00' * 16} has different bodies"
    assert tally(frame, task).reports == 3


@pytest.mark.parametrize("name", ["plain.parquet", "a%20 'é' [1]#.parquet"])
def test_a_frame_of_another_tasks_files(spark: Any, tmp_path: Path, name: str) -> None:
    other = make_task("grr", 12)
    path = report_file(tmp_path / name, other, np.array([1, 2]))
    frame = spark.read.parquet(str(tmp_path))
    assert bytes(tally(frame, other)) == direct_tally(other, np.array([1, 2]))
    assert frame_refusal(frame.where("word > 1"), GRR) == (f"{path}: reports of another task ({other.id!r})")


def always(action: Callable[[], None]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def fail(batches: Iterator[Any]) -> Iterator[Any]:
        action()
        yield from batches

    return fail


def test_a_task_that_always_fails_is_one_line(spark: Any) -> None:
    frame = own_frame(spark, GRR, [1, 2, 3])

    def raise_error() -> None:
        raise ValueError("no\nluck")

    def leave() -> None:
        os._exit(3)

    for action, message in (
        (raise_error, "Spark: ValueError: no"),
        (leave, "Spark: Job aborted due to stage"),
    ):
        assert frame_refusal(frame.mapInArrow(always(action), frame.schema), GRR).startswith(message)
    assert tally(frame, GRR).reports == 3


# The command


def test_workers_that_cannot_start_leave_no_tally(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/bin/false")
    Path("task.json").write_text(UE.to_json())
    report_file(Path("a.parquet"), UE, some_messages(UE, 10))
    command = "tally a.parquet --task task.json --out new.tally --engine spark"
    result = CliRunner().invoke(main, command.split())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("pckv: Spark: ")
    assert len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "task.json"]


def test_the_example_of_the_document(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/how-to/scale-out.md, word for word except the folder: the existing session runs in another one."""
    assert spark.getActiveSession() is not None
    document = (Path(__file__).parents[2] / "docs" / "how-to" / "scale-out.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", document, re.DOTALL)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    task = TASKS["ue-compact"]
    messages = some_messages(task, 200)
    Path("task.json").write_text(task.to_json(), encoding="utf-8")
    Path("reports").mkdir()
    report_file(Path("reports/a.parquet"), task, messages)
    code = example[1].replace('"reports"', repr(str(tmp_path / "reports")))
    exec(compile(code, "docs/how-to/scale-out.md", "exec"), {})  # noqa: S102
    expected = Tally(task)
    expected.add_many(messages)
    assert Path("counts.tally").read_bytes() == bytes(expected)
