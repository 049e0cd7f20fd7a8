"""Files: pairs in, report files in and out, outputs that are whole or not there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Tally, Task
from pckv.counting.engines.numpy import count
from pckv.counting.job import Job
from pckv.errors import DataError, OutputExists
from pckv.files.outputs import check_free, whole_file
from pckv.files.pairs import rows as rows_module
from pckv.files.pairs.population import Leniency, PopulationFile, read_population
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.spill import read_populations
from pckv.files.reports.format import ReportFile, is_report_file, write_reports
from pckv.population import Population
from support.made_reports import GRR as WORDS
from support.made_reports import UE as PLANES
from support.made_reports import (
    damage,
    direct_tally,
    forged_file,
    forged_table,
    make_hole,
    message_list,
    report_file,
    some_ids,
    some_messages,
)

MOVIES = Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, mechanism="grr")
NUMBERED = Task(name="numbered", keys=12, values=(-1, 1), epsilon=1, mechanism="grr")
NAMES = Columns("user", "key", "value")
CATEGORIES = pa.dictionary(pa.int32(), pa.string())

Row = tuple[Any, Any, Any]
People = list[dict[int, float]]


def csv_file(path: Path, *rows: Row) -> Path:
    lines = [",".join(NAMES), *(",".join("" if part is None else str(part) for part in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parquet_file(path: Path, *rows: Row) -> Path:
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip(NAMES, map(list, columns), strict=True))), path)
    return path


def people(population: Population) -> People:
    return [population.pairs(participant) for participant in range(len(population))]


def read(path: Path, task: Task = MOVIES, **leniency: Any) -> PopulationFile:
    return read_population(path, task, NAMES, Leniency(**leniency))


def refusal(path: Path, task: Task = MOVIES, **leniency: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(path, task, **leniency)
    return str(caught.value)


# Pairs


@pytest.mark.parametrize(
    ("task", "rows", "wanted"),
    [
        (MOVIES, [(7, "alien", 5), (8, "up", 1), (7, "up", 2)], [{0: 5, 2: 2}, {2: 1}]),
        (
            MOVIES,
            [(0.5, "alien", 1.25), (1.5, "alien", 4.75), (0.5, "heat", 3.1)],
            [{0: 1.25, 1: 3.1}, {0: 4.75}],
        ),
        (
            MOVIES,
            [("ann", "heat", "2.5"), ("Ann", "heat", "1e0"), ("ann ", "up", "5")],
            [{1: 2.5}, {1: 1}, {2: 5}],
        ),
        (NUMBERED, [("ann", 11, 0.1), ("bob", 0, -1.0), ("ann", 3, 1e-300)], [{3: 1e-300, 11: 0.1}, {0: -1}]),
        (NUMBERED, [(2**53, 1, 1), (2**53 + 1, 1, 0), (-1, 2, -1)], [{1: 1}, {1: 0}, {2: -1}]),
        (MOVIES, [(1, None, None), (2, "up", 3), (3, None, None)], [{}, {2: 3}, {}]),
        (MOVIES, [(1, None, None), (1, "heat", 3)], [{1: 3}]),
        (MOVIES, [(1, "heat", 3), (1, None, None), (1, None, None)], [{1: 3}]),
    ],
    ids=["ints", "floats", "strings", "numbered", "large", "empty", "empty-first", "empty-again"],
)
def test_csv_and_parquet_give_the_same_people(
    tmp_path: Path, task: Task, rows: list[Row], wanted: People
) -> None:
    for path in (csv_file(tmp_path / "a.csv", *rows), parquet_file(tmp_path / "a.parquet", *rows)):
        made = read(path, task)
        assert people(made.population) == wanted
        assert (made.clipped, made.ignored, made.merged) == (0, 0, 0)


def test_any_population_survives_both_kinds_of_file(tmp_path: Path) -> None:
    held = st.dictionaries(st.integers(0, 11), st.floats(-1, 1), max_size=4)

    @settings(max_examples=60)
    @given(st.lists(held, min_size=1, max_size=6), st.randoms(use_true_random=False))
    def check(crowd: People, shuffler: Any) -> None:
        rows: list[Row] = [
            (user, key, value) for user, pairs in enumerate(crowd) for key, value in pairs.items()
        ]
        shuffler.shuffle(rows)
        rows = [(user, None, None) for user in range(len(crowd))] + rows
        for path in (csv_file(tmp_path / "a.csv", *rows), parquet_file(tmp_path / "a.parquet", *rows)):
            assert people(read(path, NUMBERED).population) == crowd

    check()


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("user", pa.large_string()),
        ("user", CATEGORIES),
        ("key", CATEGORIES),
        ("value", pa.decimal128(5, 2)),
        ("value", pa.float32()),
        ("value", pa.int8()),
    ],
    ids=["large", "user-category", "key-category", "decimal", "short-float", "short-int"],
)
def test_parquet_columns_of_other_types(tmp_path: Path, column: str, kind: Any) -> None:
    columns = {"user": ["1", "2"], "key": ["alien", "up"], "value": [4, 2]}
    arrays = {name: pa.array(part, kind if name == column else None) for name, part in columns.items()}
    pq.write_table(pa.table(arrays), tmp_path / "a.parquet")
    assert people(read(tmp_path / "a.parquet").population) == [{0: 4}, {2: 2}]


def test_numbered_keys_may_be_whole_floats(tmp_path: Path) -> None:
    """As pandas makes them of whole numbers beside an absent one."""
    good = parquet_file(tmp_path / "good.parquet", (1, 11.0, 0.5), (2, None, None))
    assert people(read(good, NUMBERED).population) == [{11: 0.5}, {}]
    bad = parquet_file(tmp_path / "bad.parquet", (1, 11.0, 0.5), (2, 2.5, 0.5))
    assert refusal(bad, NUMBERED).startswith(f"{bad}, row 1: key '2.5' is not a key")


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfuser,key,value\nann,alien,4\n",
        b"user,key,value\r\nann,alien,4\r\n",
        b"user,key,value\nann,alien,4",
        b"user,key,value\n\nann,alien,4\n\n",
        b'"user","key","value"\n"ann","alien","4"\n',
        b"value,stars,user,key\n4,x,ann,alien\n",
    ],
    ids=["bom", "crlf", "no-last-newline", "blank-lines", "quotes", "other-order"],
)
def test_ways_to_write_the_same_csv(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    assert people(read(path).population) == [{0: 4}]


def test_a_newline_in_quotes_belongs_to_the_name(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", ('"a\nb"', "alien", 4), ('"a\nc"', "alien", 5), ('"a\nb"', "up", 1))
    assert people(read(path).population) == [{0: 4, 2: 1}, {0: 5}]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("user,key,value\nann,alien,9\n", "line 2"),
        ("user,key,value\n\n\nann,alien,9\n", "line 4"),
        ('user,key,value\n"a\n\nnn",alien,4\nbob,alien,9\n', "line 5"),
        ('user,key,"val\nue",value\nann,alien,4,9\n', "line 3"),
        ('user,key,value\n"ann\n",alien,9\n', "line 3"),
    ],
    ids=["plain", "blank", "after-quotes", "header", "in-quotes"],
)
def test_lines_are_counted_as_an_editor_does(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert refusal(path).startswith(f"{path}, {place}: value 9 is outside [1, 5]")


def test_rows_are_counted_over_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "ROWS_A_BATCH", 2)
    rows = [(user, "alien", 4) for user in range(5)]
    assert people(read(parquet_file(tmp_path / "a.parquet", *rows)).population) == [{0: 4}] * 5
    bad = parquet_file(tmp_path / "b.parquet", *rows, (5, "alien", 9))
    assert refusal(bad).startswith(f"{bad}, row 5: value 9")


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_progress_never_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    monkeypatch.setattr(rows_module, "ROWS_A_BATCH", 2)
    shares: list[float] = []
    path = write(tmp_path / "a", *((user, "alien", 4) for user in range(7)))
    read_population(path, MOVIES, NAMES, progress=shares.append)
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1


@pytest.mark.parametrize("write", [csv_file, parquet_file])
@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ((None, "alien", 4), "no user"),
        ((2, "jaws", 4), "key 'jaws' is not a key of task 'movies' (--ignore-unknown"),
        ((2, None, 4), "key '' is not a key"),
        ((2, "alien", None), "value '' is not a number"),
        ((2, "alien", float("nan")), "value is NaN"),
        ((2, "alien", float("inf")), "value inf is outside [1, 5] (--clip"),
        ((2, "alien", 0.5), "value 0.5 is outside [1, 5]"),
    ],
    ids=["user", "unknown-key", "no-key", "no-value", "nan", "inf", "outside"],
)
def test_a_bad_row_is_named(tmp_path: Path, write: Any, row: Row, problem: str) -> None:
    path = write(tmp_path / "a", (1, "alien", 4.5), row)
    place = "line 3" if write is csv_file else "row 1"
    assert refusal(path).startswith(f"{path}, {place}: {problem}")


def test_a_value_just_outside_is_shown_in_full(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "alien", "5.0000001"))
    assert refusal(path).startswith(f"{path}, line 2: value 5.0000001 is outside [1, 5]")


def test_a_short_float_is_the_same_number_beside_an_empty_one(tmp_path: Path) -> None:
    short = pa.array([2.1, None], pa.float32())
    both = pa.table({"user": [1, 2], "key": ["alien", None], "value": short})
    pq.write_table(both, tmp_path / "both.parquet")
    pq.write_table(both.slice(0, 1), tmp_path / "one.parquet")
    one, beside = (people(read(tmp_path / name).population)[0] for name in ("one.parquet", "both.parquet"))
    assert one == beside


@pytest.mark.parametrize("value", ["four", "4,5", "0x4", "4 5", "true"])
def test_words_are_no_values(tmp_path: Path, value: str) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "alien", f'"{value}"'))
    assert refusal(path) == f"{path}, line 2: value {value!r} is not a number"


@pytest.mark.parametrize("value", ["1_0", "٤", "４"])
def test_numbers_are_plain_decimals(tmp_path: Path, value: str) -> None:
    task = Task(name="movies", keys=["alien"], values=(1, 50), epsilon=1)
    path = csv_file(tmp_path / "a.csv", (1, "alien", value))
    assert refusal(path, task) == f"{path}, line 2: value {value!r} is not a number"


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_clipping(tmp_path: Path, write: Any) -> None:
    rows = [
        (1, "alien", -3.0),
        (1, "heat", 5.0),
        (1, "up", float("inf")),
        (2, "up", float("-inf")),
        (2, "heat", 5.5),
    ]
    made = read(write(tmp_path / "a", *rows), clip=True)
    assert people(made.population) == [{0: 1, 1: 5, 2: 5}, {1: 5, 2: 1}]
    assert made.clipped == 4
    path = write(tmp_path / "b", (1, "alien", float("nan")))
    assert refusal(path, clip=True).endswith("value is NaN")


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_those_whose_keys_are_all_unknown_stay(tmp_path: Path, write: Any) -> None:
    rows = [(1, "jaws", 4), (2, "up", 2), (2, "jaws", 99), (3, "alien", 3)]
    made = read(write(tmp_path / "a", *rows), ignore_unknown=True)
    assert people(made.population) == [{}, {2: 2}, {0: 3}]
    assert made.ignored == 2


REPEATS = [
    (1, "up", 4.0),
    (2, "alien", 1.5),
    (1, "heat", 2.0),
    (1, "up", 1.0),
    (2, "up", 3.0),
    (1, "up", 2.5),
    (2, "alien", 4.0),
]


@pytest.mark.parametrize("write", [csv_file, parquet_file])
@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ("last", [{1: 2.0, 2: 2.5}, {0: 4.0, 2: 3.0}]),
        ("mean", [{1: 2.0, 2: 2.5}, {0: 2.75, 2: 3.0}]),
    ],
)
def test_repeated_keys(tmp_path: Path, write: Any, how: str, wanted: People) -> None:
    made = read(write(tmp_path / "a", *REPEATS), repeated=how)
    assert people(made.population) == wanted
    assert made.merged == 3


def test_the_last_is_the_last_of_the_file(tmp_path: Path) -> None:
    rows = [(user, "alien", 1 + (user + turn) % 5) for turn in range(3) for user in range(50)]
    made = read(csv_file(tmp_path / "a.csv", *rows), repeated="last")
    assert people(made.population) == [{0: 1 + (user + 2) % 5} for user in range(50)]


def test_the_first_repeat_of_the_file_is_named(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", *REPEATS)
    assert refusal(path) == f"{path}, line 5: key 'up' again for the same user (--repeated last or mean)"


def test_a_mean_stays_between_its_values(tmp_path: Path) -> None:
    task = Task(name="t", keys=["a"], values=(0, "0.1"), epsilon=1)
    made = read(csv_file(tmp_path / "a.csv", *[(1, "a", 0.1)] * 3), task, repeated="mean")
    assert people(made.population) == [{0: 0.1}]


def test_a_missing_column_is_named_beside_those_there(tmp_path: Path) -> None:
    for path in (csv_file(tmp_path / "a", (1, "up", 3)), parquet_file(tmp_path / "b", (1, "up", 3))):
        with pytest.raises(DataError) as caught:
            read_population(path, MOVIES, Columns("user", "movie", "value"))
        assert str(caught.value) == f"{path}: no column 'movie'; there are 'user', 'key', 'value'"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", ": the file is empty"),
        (b"user,key,value\n", ": no rows"),
        (b"user,key,value\n\n\n", ": no rows"),
        (b"user,key,value\n1,alien,4\n2,alien\n", ", line 3: 2 fields where the header has 3"),
        (b"user,key,value\n1,alien,4,\n", ", line 2: 4 fields where the header has 3"),
        (b'user,key,value\n1,"alien"s,4\n', ", line 2: ',' expected"),
        (b'user,key,value\n1,alien,4\n2,"alien,4\n', ", line 3: unexpected end of data"),
        (b"user,key,value\n1,alien,4\n2,\xff,4\n", ", line 3: not UTF-8"),
        (b"us\xffer,key,value\n", ", line 1: not UTF-8"),
        (b"user,key,value\n1," + b"x" * 200_000 + b",4\n", ", line 2: field larger"),
    ],
    ids=["empty", "header", "blank", "short", "long", "quote", "open-quote", "utf8", "utf8-header", "huge"],
)
def test_bad_csv(tmp_path: Path, text: bytes, problem: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    assert refusal(path).startswith(f"{path}{problem}")


def test_parquet_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({name: pa.array([], pa.string()) for name in NAMES}), path)
    assert refusal(path) == f"{path}: no rows"


def test_truncated_parquet_of_pairs(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "a.parquet", (1, "up", 3))
    path.write_bytes(path.read_bytes()[:-5])
    assert refusal(path).startswith(f"{path}: not a Parquet file (")


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"user": [[1]], "key": ["up"], "value": [3]}),
        pa.table({"user": [{"id": 1}], "key": ["up"], "value": [3]}),
        pa.table({"user": [b"\xff"], "key": ["up"], "value": [3]}),
        pa.Table.from_arrays(
            [pa.array([1]), pa.array(["up"]), pa.array([3]), pa.array([4])], [*NAMES, "value"]
        ),
    ],
    ids=["lists", "structs", "not-utf8", "twice"],
)
def test_parquet_columns_that_cannot_be_read(tmp_path: Path, table: Any) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    assert refusal(path).startswith(f"{path}")


def test_damaged_parquet_of_pairs(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "a.parquet", (1, "up", 3))
    make_hole(path, pq.read_metadata(path).row_group(0).column(0).data_page_offset)
    assert refusal(path).startswith(f"{path}")


def test_a_csv_column_that_is_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,key,value,value\n1,up,3,4\n")
    assert refusal(path).startswith(f"{path}: two columns 'value'")


# Report files


def counted(task: Task, *paths: Path) -> Tally:
    return count(Job(task, tuple(ReportFile(path, task) for path in paths))).tally


def report_refusal(path: Path, task: Task) -> str:
    with pytest.raises(DataError) as caught:
        counted(task, path)
    return str(caught.value)


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


def batches_file(path: Path, task: Task, *sizes: int) -> Path:
    write_reports(path, task, ((some_ids(size), some_messages(task, size)) for size in sizes))
    return path


def group_sizes(path: Path, task: Task) -> list[int]:
    file = ReportFile(path, task)
    return [file.group_rows(group) for group in range(file.groups)]


def test_small_batches_share_a_row_group(tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.files.reports.format.ROWS_A_GROUP", 10)
    sizes = (4, 4, 4, 25, 9, 0, 1, 3)
    path = batches_file(tmp_path / "a.parquet", task, *sizes)
    assert group_sizes(path, task) == [12, 25, 10, 3]


def test_long_reports_make_short_row_groups(
    tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pckv.files.reports.format.BYTES_A_GROUP", 3 * task.channel.body_bytes)
    path = batches_file(tmp_path / "a.parquet", task, *[1] * 7)
    assert group_sizes(path, task) == [3, 3, 1]


@pytest.mark.parametrize(
    ("data", "wanted"), [(b"PAR1", True), (b"PAR", False), (b"", False), (b"user,key,value\n", False)]
)
def test_parquet_is_told_by_its_beginning(tmp_path: Path, data: bytes, wanted: bool) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    assert is_report_file(tmp_path / "a.csv") is wanted


WORD_ROW = forged_table("word", [3], pa.int64())
BODY_ROW = forged_table("body", [b"\x01\0\x01\0"], pa.binary())


@pytest.mark.parametrize(
    ("task", "second", "problem"),
    [
        (WORDS, forged_table("word", [3, 24], pa.int64()), "report 1: word 24 is not below 24"),
        (WORDS, forged_table("word", [-1], pa.int64()), "report 0: word -1 is not below 24"),
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
def test_the_row_group_of_a_bad_report_is_named(
    tmp_path: Path, task: Task, second: Any, problem: str
) -> None:
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
def test_columns_are_there_and_of_their_type(tmp_path: Path, task: Task, table: Any, problem: str) -> None:
    path = forged_file(tmp_path / "a.parquet", task, table)
    assert report_refusal(path, task) == f"{path}: {problem}"


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


@pytest.mark.parametrize("kept", [4, 7, 12, 100, -1])
def test_truncated_report_files(tmp_path: Path, task: Task, kept: int) -> None:
    path = report_file(tmp_path / "a.parquet", task, some_messages(task, 50))
    path.write_bytes(path.read_bytes()[:kept])
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


def claiming(path: Path, claimed: int, *places: int) -> Path:
    """Change how many reports (50 in truth) the footer says there are: in the file, its columns, its group."""
    # Integers of 64 bits stand there as a tag and twice the number.
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    parts = data[start:].split(b"\x16\x64")
    assert len(parts) == 5
    tags = [bytes([0x16, 2 * (claimed if place in places else 50)]) for place in range(4)]
    path.write_bytes(data[:start] + parts[0] + b"".join(map(b"".join, zip(tags, parts[1:], strict=True))))
    return path


def test_a_row_group_with_fewer_reports_than_it_says(tmp_path: Path) -> None:
    path = claiming(batches_file(tmp_path / "a.parquet", WORDS, 50), 60, 0, 1, 2, 3)
    assert report_refusal(path, WORDS) == f"{path}, row group 0: 50 reports where 60 should be"


@pytest.mark.parametrize("place", [0, 3], ids=["file", "group"])
@pytest.mark.parametrize("claimed", [40, 60])
def test_a_footer_that_contradicts_itself(tmp_path: Path, place: int, claimed: int) -> None:
    path = claiming(batches_file(tmp_path / "a.parquet", WORDS, 50), claimed, place)
    assert report_refusal(path, WORDS) == f"{path}: not a report file (its footer contradicts itself)"


@pytest.mark.parametrize("other", ["word", "WORD", "Report_ID"])
@pytest.mark.parametrize("first", [True, False])
def test_columns_are_there_once_in_any_case(tmp_path: Path, other: str, first: bool) -> None:
    columns = [(other, pa.array([5])), *zip(WORD_ROW.column_names, WORD_ROW.columns, strict=True)]
    names, arrays = zip(*(columns if first else columns[::-1]), strict=True)
    path = forged_file(tmp_path / "a.parquet", WORDS, pa.Table.from_arrays(arrays, names))
    assert report_refusal(path, WORDS) == f"{path}: column {other.lower()!r} is there twice"


def test_a_task_name_with_a_newline_stays_one_line(tmp_path: Path) -> None:
    path = forged_file(tmp_path / "a.parquet", WORDS, WORD_ROW, owner="another\ntask")
    assert "\n" not in report_refusal(path, WORDS)


# Files of pairs that memory does not hold


def held_by_all(populations: Iterable[Population]) -> list[tuple[tuple[int, float], ...]]:
    return sorted(
        tuple(sorted(people.pairs(one).items())) for people in populations for one in range(len(people))
    )


def many_ratings(path: Path) -> Path:
    """Nine hundred people with unknown keys, repeated ones, and some without a pair."""
    rng = np.random.default_rng(3)
    lines = ["user,key,value"]
    for user, key, value in zip(*(rng.integers(0, most, 5000) for most in (900, 12, 5)), strict=True):
        lines.append(f"u{user},{NAMED_KEYS[key]},{value + 1}" if key < len(NAMED_KEYS) else f"u{user},,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


NAMED_KEYS = ["alien", "heat", "up", "nobody knows"]
LENIENT = Leniency(ignore_unknown=True, repeated="mean")


def test_people_are_the_same_dealt_out_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many_ratings(tmp_path / "a.csv")
    task = Task(name="t", keys=NAMED_KEYS[:3], values=(1, 5), epsilon=1)
    whole = read_population(path, task, NAMES, LENIENT)
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 10)
    parts = list(read_populations(path, task, NAMES, LENIENT))
    assert len(parts) > 100
    assert held_by_all(part.population for part in parts) == held_by_all([whole.population])
    for mended in ("clipped", "ignored", "merged"):
        assert sum(getattr(part, mended) for part in parts) == getattr(whole, mended)
    assert whole.ignored > 0 < whole.merged


def test_a_repeated_key_is_named_when_dealt_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,key,value\na,heat,1\nb,,\na,up,2\n\na,heat,3\n", encoding="utf-8")
    task = Task(name="t", keys=NAMED_KEYS[:3], values=(1, 5), epsilon=1)
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    with pytest.raises(DataError, match=r"a\.csv, line 6: key 'heat' again for the same user"):
        list(read_populations(path, task, NAMES))


# Outputs


def whats_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_there_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with whole_file(path, force=False) as part:
        part.write_bytes(b"first")
        assert part.parent == tmp_path
        assert not path.exists()
        part.write_bytes(b"first and last")
    assert whats_in(tmp_path) == {"out.csv": b"first and last"}


def test_the_old_file_stands_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        with whole_file(path, force=True) as part:
            part.write_bytes(b"new")
            assert path.read_bytes() == b"old"
        # Who reads it already reads it to its end: it is replaced, not written over.
        assert reader.read() == b"old"
    assert whats_in(tmp_path) == {"out.csv": b"new"}


@pytest.mark.parametrize("failure", [OSError, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [{}, {"out.csv": b"old"}], ids=["fresh", "old"])
def test_a_failure_leaves_what_was(
    tmp_path: Path, failure: type[BaseException], old: dict[str, bytes]
) -> None:
    for name, data in old.items():
        (tmp_path / name).write_bytes(data)

    def fail_half_way() -> None:
        with whole_file(tmp_path / "out.csv", force=True) as part:
            part.write_bytes(b"ha")
            raise failure

    with pytest.raises(failure):
        fail_half_way()
    assert whats_in(tmp_path) == old


def test_an_output_that_is_there_is_refused_before_any_work(tmp_path: Path) -> None:
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
    assert whats_in(tmp_path) == {"out.csv": b"old"}


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

    def write() -> None:
        with whole_file(path, force=False):
            pytest.fail("the block was entered")

    with pytest.raises(OSError, match="nowhere") as caught:
        write()
    assert "part" not in str(caught.value.filename)
