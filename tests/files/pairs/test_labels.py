"""Labels in files of pairs and in tables: one per person, in every row of theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Segment, Task, perturb_frame, tally_frame
from pckv.base.errors import DataError, ParameterError
from pckv.base.population import Population
from pckv.files.pairs.population import population_of, read_populations
from pckv.files.pairs.rows import Columns, TextForm
from pckv.files.pairs.sources import open_pairs
from support.faults import Fault, in_place

AGES = Segment("age", ["young", "old"])
TASK = Task(name="t", keys=["alien", "heat", "up"], epsilon=2, segment=AGES)
RATED = Task(name="t", keys=["alien", "heat", "up"], values=(1, 5), epsilon=2, segment=AGES)
COLUMNS = Columns("user", "key", segment="age")
Row = tuple[Any, ...]
GOOD: list[Row] = [("a", "alien", "old"), ("b", "", "young"), ("a", "up", "old"), ("c", "heat", "young")]
HELD = [({0, 2}, 1), (set(), 0), ({1}, 0)]


def csv_file(path: Path, rows: list[Row], header: str = "user,key,age") -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def parquet_file(path: Path, rows: list[Row]) -> Path:
    users, keys, ages = (list(column) for column in zip(*rows, strict=True))
    pq.write_table(pa.table({"age": pa.array(ages).dictionary_encode(), "user": users, "key": keys}), path)
    return path


def people(population: Population) -> list[tuple[set[int], int]]:
    assert population.labels is not None
    held = [set(population.pairs(number)) for number in range(len(population))]
    return list(zip(held, population.labels.tolist(), strict=True))


def read(path: Path) -> list[tuple[set[int], int]]:
    return people(population_of(open_pairs(path, COLUMNS), TASK).population)


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_people_have_labels(tmp_path: Path, write: Callable[[Path, list[Row]], Path]) -> None:
    assert read(write(tmp_path / "a", GOOD)) == HELD


def test_lists_have_one_label(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    lists = {"user": ["a", "b", "c"], "key": [["alien", "up"], [], ["heat"]], "age": ["old", "young", "young"]}
    pq.write_table(pa.table(lists), path)
    assert read(path) == HELD


def test_blanks_around_labels_are_left_out_where_that_is_asked(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", [("a", "alien", " old")])
    trimmed = open_pairs(path, COLUMNS, form=TextForm(trim=True))
    assert people(population_of(trimmed, TASK).population) == [({0}, 1)]


def refusal(path: Path) -> str:
    """Return the line that refuses a file before any of it is used; empty where none does."""
    try:
        next(read_populations(open_pairs(path, COLUMNS), TASK))
    except DataError as error:
        return str(error)
    return ""


def check_one_label_per_person(tmp_path: Path) -> None:
    """Assert that the first row of a person decides, in memory and on disk, and that another label is refused."""
    many = [
        (f"u{number % 50}", TASK.key_name(number % 3), "old" if number % 50 < 20 else "young") for number in range(150)
    ]
    path = csv_file(tmp_path / "many.csv", many)
    other = csv_file(tmp_path / "other.csv", [*many, ("u3", "heat", "young"), ("u30", "up", "old")])
    refused = f"{other}, line 152: this user has another label in an earlier row"
    for rows in (10**9, 10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", rows)
            patch.setattr("pckv.files.pairs.rows.ROWS_PER_BATCH", 40)
            parts = [part.population for part in read_populations(open_pairs(path, COLUMNS), TASK)]
            found = [person for part in parts for person in people(part)]
            assert sorted(label for _, label in found) == [0] * 30 + [1] * 20
            assert {label for held, label in found if len(held) == 3} == {0, 1}
            assert refusal(other) in {refused, refused.replace("152", "153")}
            counted = open_pairs(other, COLUMNS)
            counted.count_faults()
            assert sum(len(part.population) for part in read_populations(counted, TASK)) == 50
            assert [fault.count for fault in (counted.findings.faults or {}).values()] == [2]


def test_one_label_per_person(tmp_path: Path) -> None:
    check_one_label_per_person(tmp_path)


FAULTS = [
    in_place(
        "the last label counts",
        "files/pairs/population.py",
        {"new = known[first] < 0": "new = known[first] < 99"},
        check_one_label_per_person,
    ),
    in_place(
        "a label on disk is that of any row",
        "files/pairs/population.py",
        {'_refuse_second_labels(self.file, records["row"][others])': "pass"},
        check_one_label_per_person,
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, tmp_path, raises=AssertionError)


@pytest.mark.parametrize("write", [csv_file, parquet_file])
@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("c", "heat", "odd"), "label 'odd' is not one of the segment 'age': young, old"),
        (("c", "heat", ""), "the segment 'age' needs a label: young, old"),
        (("c", "", ""), "the segment 'age' needs a label: young, old"),
        (("a", "heat", "young"), "this user has another label in an earlier row"),
    ],
    ids=["unknown", "missing", "without-pairs", "second"],
)
def test_a_bad_label_is_named(tmp_path: Path, write: Any, row: Row, problem: str) -> None:
    path = write(tmp_path / "a", [*GOOD, row])
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}, {'line 6' if write is csv_file else 'row 4'}: {problem}"


def test_tables_with_values_and_labels() -> None:
    frame = pd.DataFrame({"u": [1, 1, 2], "k": ["alien", "up", "heat"], "v": [5, 3, 4], "age": ["old", "old", "young"]})
    reports = perturb_frame(RATED, frame, user="u", key="k", value="v", segment="age")
    assert tally_frame(RATED, reports).reports == 2
    assert len(perturb_frame(TASK, frame, user="u", key="k", segment="age")) == 2
    with pytest.raises(ParameterError, match=r"^name the column of labels$"):
        perturb_frame(TASK, frame, user="u", key="k")
    with pytest.raises(ParameterError, match=r"^task 'plain' has no segment$"):
        perturb_frame(Task(name="plain", keys=3, epsilon=1), frame, user="u", key="k", segment="age")
    with pytest.raises(DataError, match=r"^DataFrame: no column 'years'; there are 'u', 'k', 'v', 'age'$"):
        perturb_frame(TASK, frame, user="u", key="k", segment="years")
    missing = frame.assign(age=["old", "", "young"])
    with pytest.raises(DataError, match=r"^DataFrame, row 1: the segment 'age' needs a label: young, old$"):
        perturb_frame(TASK, missing, user="u", key="k", segment="age")
