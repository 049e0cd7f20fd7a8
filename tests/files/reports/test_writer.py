"""Report files as they are written: what is in them, and in which row groups."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports
from support.report_files import batches_file, counted
from support.sample_reports import GRR as WORDS
from support.sample_reports import UE as PLANES
from support.sample_reports import direct_tally, message_list, report_file, some_ids, some_messages


@pytest.fixture(params=[WORDS, PLANES], ids=["words", "planes"])
def task(request: pytest.FixtureRequest) -> Task:
    chosen: Task = request.param
    return chosen


@pytest.mark.parametrize("sizes", [(), (0,), (1,), (1000,), (3, 0, 5), (700, 300)], ids=str)
def test_reports_survive_parquet(tmp_path: Path, task: Task, sizes: tuple[int, ...]) -> None:
    groups = [some_messages(task, size, seed) for seed, size in enumerate(sizes)]
    ids = [some_ids(size, seed) for seed, size in enumerate(sizes)]
    path = tmp_path / "a.parquet"
    assert write_reports(path, task, zip(ids, groups, strict=True)) == sum(sizes)
    read_back = counted(task, path)
    assert read_back.reports == sum(sizes)
    assert bytes(read_back) == direct_tally(task, *groups)
    table = pq.read_table(path)
    assert table.column("report_id").to_pylist() == [row.tobytes() for part in ids for row in part]
    assert table.column(1).to_pylist() == [row for group in groups for row in message_list(task, group)]


def test_several_files_are_one_tally(tmp_path: Path, task: Task) -> None:
    messages = some_messages(task, 90)
    paths = [
        report_file(tmp_path / str(part), task, messages[part : part + 20], messages[part + 20 : part + 30])
        for part in (0, 30, 60)
    ]
    assert bytes(counted(task, *paths)) == direct_tally(task, messages)


def test_a_report_file_explains_itself(tmp_path: Path, task: Task) -> None:
    file = pq.ParquetFile(report_file(tmp_path / "a.parquet", task, some_messages(task, 4)))
    message = "word: int64 not null" if task is WORDS else "body: binary not null"
    assert [str(field).removeprefix("pyarrow.Field<").rstrip(">") for field in file.schema_arrow] == [
        "report_id: fixed_size_binary[16] not null",
        message,
    ]
    about = file.metadata.metadata
    assert Task.from_json(about[b"pckv.task"]) == task
    assert about[b"pckv.task_id"] == task.id.encode()


def group_sizes(path: Path, task: Task) -> list[int]:
    file = ReportFile(path, task)
    return [file.group_rows(group) for group in range(file.groups)]


def test_small_batches_share_a_row_group(tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.files.reports.writer.ROWS_PER_GROUP", 10)
    sizes = (4, 4, 4, 25, 9, 0, 1, 3)
    path = batches_file(tmp_path / "a.parquet", task, *sizes)
    assert group_sizes(path, task) == [12, 25, 10, 3]


def test_long_reports_make_short_row_groups(tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.files.reports.writer.BYTES_PER_GROUP", 3 * task.law.body_bytes)
    path = batches_file(tmp_path / "a.parquet", task, *[1] * 7)
    assert group_sizes(path, task) == [3, 3, 1]
