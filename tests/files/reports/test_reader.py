"""Report files that are damaged, forged or of another task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.files.reports.reader import ReportFile
from support.report_files import batches_file, counted, report_refusal
from support.sample_reports import GRR as WORDS
from support.sample_reports import UE as PLANES
from support.sample_reports import damage, forged_file, forged_table, make_hole, report_file, some_messages

WORD_ROW = forged_table("word", [3], pa.int64())
BODY_ROW = forged_table("body", [b"\x01\0\x01\0"], pa.binary())


@pytest.fixture(params=[WORDS, PLANES], ids=["words", "planes"])
def task(request: pytest.FixtureRequest) -> Task:
    chosen: Task = request.param
    return chosen


@pytest.mark.parametrize(
    ("task", "second", "problem"),
    [
        (WORDS, forged_table("word", [3, 28], pa.int64()), "report 1: word 28 is not below 28"),
        (WORDS, forged_table("word", [-1], pa.int64()), "report 0: word -1 is not below 28"),
        (WORDS, forged_table("word", [3, None], pa.int64()), "report 1: no word"),
        (PLANES, forged_table("body", [bytes(4), None], pa.binary()), "report 1: no body"),
        (PLANES, forged_table("body", [bytes(3)], pa.binary()), "report 0: a body has 4 bytes, not 3"),
        (
            PLANES,
            forged_table("body", [bytes(4), bytes(5)], pa.binary()),
            "report 1: a body has 4 bytes, not 5",
        ),
        (PLANES, forged_table("body", [b""], pa.binary()), "report 0: a body has 4 bytes, not 0"),
        (
            PLANES,
            forged_table("body", [bytes(3), bytes(5)], pa.binary()),
            "report 0: a body has 4 bytes, not 3",
        ),
        (PLANES, forged_table("body", [b"\0\x08\0\0"], pa.binary()), "report 0: a bit beyond the last of 11"),
        (
            PLANES,
            forged_table("body", [bytes(4), b"\x02\0\x04\0"], pa.binary()),
            "report 1: a sign is set where nothing is present",
        ),
    ],
    ids=[
        "too-large",
        "negative",
        "no-word",
        "no-body",
        "short",
        "long",
        "nothing",
        "short-and-long",
        "spare-bit",
        "stray-sign",
    ],
)
def test_the_row_group_of_a_bad_report_is_named(tmp_path: Path, task: Task, second: Any, problem: str) -> None:
    first = WORD_ROW if task is WORDS else BODY_ROW
    path = forged_file(tmp_path / "a.parquet", task, first, second)
    assert report_refusal(path, task).startswith(f"{path}, row group 1: {problem}")


@pytest.mark.parametrize(
    ("task", "table", "problem"),
    [
        (WORDS, BODY_ROW, "column 'word' is missing"),
        (PLANES, WORD_ROW, "column 'body' is missing"),
        (WORDS, WORD_ROW.drop_columns("report_id"), "column 'report_id' is missing"),
        (WORDS, forged_table("word", [3], pa.int32()), "column 'word' is int32, not int64"),
        (WORDS, forged_table("word", [3], pa.uint64()), "column 'word' is uint64, not int64"),
        (WORDS, forged_table("word", ["3"], pa.string()), "column 'word' is string, not int64"),
        (
            PLANES,
            forged_table("body", [bytes(4)], pa.binary(4)),
            "column 'body' is fixed_size_binary[4], not binary",
        ),
        (PLANES, forged_table("body", ["abcd"], pa.string()), "column 'body' is string, not binary"),
        (
            WORDS,
            pa.table({"report_id": [bytes(16)], "word": [3]}),
            "column 'report_id' is binary, not fixed_size_binary[16]",
        ),
    ],
    ids=["word", "body", "id", "int32", "uint64", "text", "fixed", "text-body", "id-type"],
)
def test_missing_and_mistyped_columns_are_refused(tmp_path: Path, task: Task, table: Any, problem: str) -> None:
    path = forged_file(tmp_path / "a.parquet", task, table)
    assert report_refusal(path, task) == f"{path}: {problem}"


NO_ID = pa.table({"report_id": pa.array([None], pa.binary(16)), "word": [3]})


def test_ids_are_read_where_they_may_be_missing(tmp_path: Path) -> None:
    """Most tools write columns that may be null, and a footer that counts the nulls of every row group."""
    own = report_file(tmp_path / "own.parquet", WORDS, some_messages(WORDS, 3))
    whole = forged_file(tmp_path / "whole.parquet", WORDS, WORD_ROW, WORD_ROW)
    silent = forged_file(tmp_path / "silent.parquet", WORDS, WORD_ROW, write_statistics=False)
    missing = forged_file(tmp_path / "missing.parquet", WORDS, WORD_ROW, NO_ID)
    both = [
        forged_file(tmp_path / f"{number}.parquet", WORDS, table, NO_ID, write_statistics=False)
        for number, table in enumerate((WORD_ROW, NO_ID))
    ]
    paths = [own, whole, silent, missing, *both]
    may_be = [ReportFile(path, WORDS).ids_may_be_missing for path in paths]
    assert may_be == [False, False, True, True, True, True]
    for path, group in ((missing, 1), (both[0], 1), (both[1], 0)):
        assert report_refusal(path, WORDS) == f"{path}, row group {group}: report 0: no report_id"


def test_ids_are_found_among_nested_columns(tmp_path: Path) -> None:
    """The footer counts the nulls of every leaf, and the leaf of another column has the same name."""
    nested = pa.array([{"report_id": 1, "day": 2}])
    for name, inner in (
        ("whole", nested),
        ("within", pa.array([{"report_id": None, "day": 2}], nested.type)),
    ):
        table = WORD_ROW.add_column(0, "more", inner)
        path = forged_file(tmp_path / f"{name}.parquet", WORDS, table)
        assert not ReportFile(path, WORDS).ids_may_be_missing
    path = forged_file(tmp_path / "missing.parquet", WORDS, NO_ID.add_column(0, "more", nested))
    assert ReportFile(path, WORDS).ids_may_be_missing
    assert report_refusal(path, WORDS) == f"{path}, row group 0: report 0: no report_id"


def test_further_columns_do_no_harm(tmp_path: Path) -> None:
    path = forged_file(tmp_path / "a.parquet", WORDS, WORD_ROW.append_column("day", pa.array(["monday"])))
    assert counted(WORDS, path).counts.take(np.array([3])).tolist() == [1]


def test_reports_of_another_task(tmp_path: Path, task: Task) -> None:
    other = PLANES if task is WORDS else WORDS
    path = report_file(tmp_path / "a.parquet", other, some_messages(other, 2))
    message = report_refusal(path, task)
    assert message.startswith(f"{path}: reports of another task")
    assert other.id in message


def test_parquet_that_names_no_task(tmp_path: Path) -> None:
    pq.write_table(WORD_ROW, tmp_path / "a.parquet")
    assert (
        report_refusal(tmp_path / "a.parquet", WORDS)
        == f"{tmp_path / 'a.parquet'}: not a report file (it names no task)"
    )


@pytest.mark.parametrize("length", [4, 7, 12, 100, -1])
def test_truncated_report_files(tmp_path: Path, task: Task, length: int) -> None:
    path = report_file(tmp_path / "a.parquet", task, some_messages(task, 50))
    path.write_bytes(path.read_bytes()[:length])
    assert report_refusal(path, task).startswith(f"{path}: not a report file (")


def test_a_damaged_footer(tmp_path: Path, task: Task) -> None:
    path = report_file(tmp_path / "a.parquet", task, some_messages(task, 50))
    data = path.read_bytes()
    make_hole(path, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
    assert report_refusal(path, task).startswith(f"{path}: not a report file (")


def test_a_damaged_row_group_is_named(tmp_path: Path, task: Task) -> None:
    path = report_file(tmp_path / "a.parquet", task, some_messages(task, 50), some_messages(task, 50))
    damage(path, 1)
    assert report_refusal(path, task).startswith(f"{path}, row group 1: ")
    assert "\n" not in report_refusal(path, task)


def claiming(path: Path, claimed: int, *indexes: int) -> Path:
    """Change the number of reports (50) that the footer states: of the file, its columns, its row group."""
    # Integers of 64 bits are encoded as a tag and twice the number.
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    parts = data[start:].split(b"\x16\x64")
    assert len(parts) == 5
    tags = [bytes([0x16, 2 * (claimed if index in indexes else 50)]) for index in range(4)]
    path.write_bytes(data[:start] + parts[0] + b"".join(map(b"".join, zip(tags, parts[1:], strict=True))))
    return path


def test_a_row_group_with_fewer_reports_than_it_says(tmp_path: Path) -> None:
    path = claiming(batches_file(tmp_path / "a.parquet", WORDS, 50), 60, 0, 1, 2, 3)
    assert report_refusal(path, WORDS) == f"{path}, row group 0: 50 reports where 60 should be"


@pytest.mark.parametrize("index", [0, 3], ids=["file", "group"])
@pytest.mark.parametrize("claimed", [40, 60])
def test_a_footer_that_contradicts_itself(tmp_path: Path, index: int, claimed: int) -> None:
    path = claiming(batches_file(tmp_path / "a.parquet", WORDS, 50), claimed, index)
    assert report_refusal(path, WORDS) == f"{path}: not a report file (its footer contradicts itself)"


@pytest.mark.parametrize("other", ["word", "WORD", "Report_ID"])
@pytest.mark.parametrize("first", [True, False])
def test_repeated_columns_are_refused_in_any_case(tmp_path: Path, other: str, first: bool) -> None:
    columns = [(other, pa.array([5])), *zip(WORD_ROW.column_names, WORD_ROW.columns, strict=True)]
    names, arrays = zip(*(columns if first else columns[::-1]), strict=True)
    path = forged_file(tmp_path / "a.parquet", WORDS, pa.Table.from_arrays(arrays, names))
    assert report_refusal(path, WORDS) == f"{path}: column {other.lower()!r} is there twice"


def test_a_task_name_with_a_newline_stays_one_line(tmp_path: Path) -> None:
    path = forged_file(tmp_path / "a.parquet", WORDS, WORD_ROW, owner="another\ntask")
    assert "\n" not in report_refusal(path, WORDS)
