"""People from rows: bad rows are refused with their place, or repaired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from support.pairs_files import People, Row, csv_file, parquet_file, people, read, refusal, refused


@pytest.mark.parametrize("write", [csv_file, parquet_file])
@pytest.mark.parametrize(
    ("row", "problem", "code"),
    [
        ((None, "alien", 4), "no user", "bad_data"),
        ((2, "jaws", 4), "key 'jaws' is not a key of task 'movies'", "unknown_key"),
        ((2, None, 4), "a value without a key", "bad_data"),
        ((2, "alien", None), "no value", "bad_data"),
        ((2, "alien", float("nan")), "value nan is not a finite number", "bad_data"),
        ((2, "alien", float("inf")), "value inf is not a finite number", "bad_data"),
        ((2, "alien", 0.5), "value 0.5 is outside [1, 5]", "value_outside_range"),
    ],
    ids=["user", "unknown-key", "no-key", "no-value", "nan", "inf", "outside"],
)
def test_a_bad_row_is_named(tmp_path: Path, write: Any, row: Row, problem: str, code: str) -> None:
    path = write(tmp_path / "a", (1, "alien", 4.5), row)
    place = "line 3" if write is csv_file else "row 1"
    error = refused(path)
    assert str(error).startswith(f"{path}, {place}: {problem}")
    assert (error.place, error.code) == (f"{path}, {place}", code)
    assert "--" not in str(error)


def test_a_value_just_outside_is_shown_in_full(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "alien", "5.0000001"))
    assert refusal(path).startswith(f"{path}, line 2: value 5.0000001 is outside [1, 5]")


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_clipping(tmp_path: Path, write: Any) -> None:
    rows = [
        (1, "alien", -3.0),
        (1, "heat", 5.0),
        (1, "up", 1e300),
        (2, "up", -1e300),
        (2, "heat", 5.5),
    ]
    repaired = read(write(tmp_path / "a", *rows), clip=True)
    assert people(repaired.population) == [{0: 1, 1: 5, 2: 5}, {1: 5, 2: 1}]
    assert repaired.clipped == 4
    for value in ("nan", "inf", "-inf"):
        path = write(tmp_path / "b", (1, "alien", float(value)))
        assert refusal(path, clip=True).endswith(f"value {value} is not a finite number")


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
    ("how", "expected"),
    [("last", [{1: 2.0, 2: 2.5}, {0: 4.0, 2: 3.0}]), ("mean", [{1: 2.0, 2: 2.5}, {0: 2.75, 2: 3.0}])],
)
def test_repeated_keys(tmp_path: Path, write: Any, how: str, expected: People) -> None:
    repaired = read(write(tmp_path / "a", *REPEATS), repeated=how)
    assert people(repaired.population) == expected
    assert repaired.merged == 3


def test_the_last_repeat_is_the_last_of_the_file(tmp_path: Path) -> None:
    rows = [(user, "alien", 1 + (user + turn) % 5) for turn in range(3) for user in range(50)]
    repaired = read(csv_file(tmp_path / "a.csv", *rows), repeated="last")
    assert people(repaired.population) == [{0: 1 + (user + 2) % 5} for user in range(50)]


def test_the_first_repeat_of_the_file_is_named(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", *REPEATS)
    error = refused(path)
    assert str(error) == f"{path}, line 5: key 'up' appears twice for this user"
    assert error.code == "repeated_key"


def test_a_mean_stays_between_its_values(tmp_path: Path) -> None:
    task = Task(name="t", keys=["a"], values=(0, "0.1"), epsilon=1)
    repaired = read(csv_file(tmp_path / "a.csv", *[(1, "a", 0.1)] * 3), task, repeated="mean")
    assert people(repaired.population) == [{0: 0.1}]
