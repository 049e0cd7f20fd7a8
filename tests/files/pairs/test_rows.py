"""Rows of CSV and Parquet files: how they may be written, and how a place in them is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Task
from pckv.base.errors import DataError
from pckv.files.pairs import rows as rows_module
from pckv.files.pairs.population import population_of
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import open_pairs
from support.pairs_files import (
    MOVIES,
    NAMES,
    NUMBERED,
    People,
    Row,
    csv_file,
    parquet_file,
    people,
    read,
    refusal,
)
from support.sample_reports import make_hole

CATEGORIES = pa.dictionary(pa.int32(), pa.string())


@pytest.mark.parametrize(
    ("task", "rows", "expected"),
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
def test_csv_and_parquet_give_the_same_people(tmp_path: Path, task: Task, rows: list[Row], expected: People) -> None:
    for path in (csv_file(tmp_path / "a.csv", *rows), parquet_file(tmp_path / "a.parquet", *rows)):
        result = read(path, task)
        assert people(result.population) == expected
        assert (result.clipped, result.merged) == (0, 0)


def test_any_population_survives_both_kinds_of_file(tmp_path: Path) -> None:
    held = st.dictionaries(st.integers(0, 11), st.floats(-1, 1), max_size=4)

    @settings(max_examples=60)
    @given(st.lists(held, min_size=1, max_size=6), st.randoms(use_true_random=False))
    def check(crowd: People, shuffler: Any) -> None:
        rows: list[Row] = [(user, key, value) for user, pairs in enumerate(crowd) for key, value in pairs.items()]
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
    """Pandas turns a column of whole numbers into floats if one is missing."""
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
    monkeypatch.setattr(rows_module, "ROWS_PER_BATCH", 2)
    rows = [(user, "alien", 4) for user in range(5)]
    assert people(read(parquet_file(tmp_path / "a.parquet", *rows)).population) == [{0: 4}] * 5
    bad = parquet_file(tmp_path / "b.parquet", *rows, (5, "alien", 9))
    assert refusal(bad).startswith(f"{bad}, row 5: value 9")


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_progress_never_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    monkeypatch.setattr(rows_module, "ROWS_PER_BATCH", 2)
    shares: list[float] = []
    path = write(tmp_path / "a", *((user, "alien", 4) for user in range(7)))
    population_of(open_pairs(path, NAMES), MOVIES, progress=shares.append)
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1


def test_a_short_float_is_the_same_number_in_a_column_with_an_empty_one(tmp_path: Path) -> None:
    short = pa.array([2.1, None], pa.float32())
    both = pa.table({"user": [1, 2], "key": ["alien", None], "value": short})
    pq.write_table(both, tmp_path / "both.parquet")
    pq.write_table(both.slice(0, 1), tmp_path / "one.parquet")
    alone, with_empty = (people(read(tmp_path / name).population)[0] for name in ("one.parquet", "both.parquet"))
    assert alone == with_empty


@pytest.mark.parametrize("value", ["four", "4,5", "0x4", "4 5", "true"])
def test_words_are_no_values(tmp_path: Path, value: str) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "alien", f'"{value}"'))
    assert refusal(path) == f"{path}, line 2: value {value!r} is not a number"


@pytest.mark.parametrize("value", ["1_0", "٤", "４"])
def test_numbers_are_plain_decimals(tmp_path: Path, value: str) -> None:
    task = Task(name="movies", keys=["alien"], values=(1, 50), epsilon=1)
    path = csv_file(tmp_path / "a.csv", (1, "alien", value))
    assert refusal(path, task) == f"{path}, line 2: value {value!r} is not a number"


def test_a_missing_column_is_named_with_the_existing_ones(tmp_path: Path) -> None:
    for path in (csv_file(tmp_path / "a", (1, "up", 3)), parquet_file(tmp_path / "b", (1, "up", 3))):
        with pytest.raises(DataError) as caught:
            population_of(open_pairs(path, Columns("user", "movie", "value")), MOVIES)
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
    pq.write_table(pa.table({name: pa.array([], pa.string()) for name in NAMES.names}), path)
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
        pa.Table.from_arrays([pa.array([1]), pa.array(["up"]), pa.array([3]), pa.array([4])], [*NAMES.names, "value"]),
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


def test_a_repeated_csv_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,key,value,value\n1,up,3,4\n")
    assert refusal(path).startswith(f"{path}: two columns 'value'")
