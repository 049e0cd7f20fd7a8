"""Rows of keys that a task does not list: they count as its other key, or by their hashes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.device.vectorised import perturb_many
from support.pairs_files import Row, csv_file, parquet_file, read, refused
from support.tasks import a_task

KEYS = ["alien", "heat", "up"]
OTHER = Task(name="movies", keys=KEYS, other="other", values=(1, 5), epsilon=1, mechanism="grr")
HASHED = Task(name="movies", keys="hashed", values=(1, 5), epsilon=1, padding=2)
WRITERS = pytest.mark.parametrize("write", [csv_file, parquet_file])


def refusing(task: Any) -> Task:
    """Return the same task with room for two pairs."""
    return a_task(name="movies", keys=task.keys, other=task.other, values=(1, 5), padding=2, more="refuse")


def held(path: Path, task: Task, **repairs: Any) -> list[list[tuple[int, float]]]:
    population = read(path, task, **repairs).population
    pairs = list(zip(population.keys.tolist(), population.values.tolist(), strict=True))
    ends = population.offsets.tolist()
    return [pairs[start:stop] for start, stop in pairwise(ends)]


@WRITERS
def test_different_keys_that_are_not_listed_stay_apart(tmp_path: Path, write: Any) -> None:
    rows: list[Row] = [
        (1, "jaws", 4),
        (2, "up", 2),
        (1, "heat", 3),
        (1, "other", 1),
        (1, "x", 5),
        (3, "x", 2),
    ]
    path = write(tmp_path / "a", *rows)
    assert held(path, OTHER) == [[(1, 3.0), (3, 4.0), (3, 1.0), (3, 5.0)], [(2, 2.0)], [(3, 2.0)]]
    [batch] = perturb_many(OTHER, read(path, OTHER).population)
    assert len(batch.ids) == 3


@WRITERS
@pytest.mark.parametrize("task", [OTHER, HASHED], ids=["other", "hashed"])
def test_the_same_key_twice_is_a_repeat(tmp_path: Path, write: Any, task: Task) -> None:
    rows: list[Row] = [(1, "jaws", 4), (1, "x", 5), (2, "jaws", 1), (1, "jaws", 1)]
    path = write(tmp_path / "a", *rows)
    error = refused(path, task)
    place = "line 5" if write is csv_file else "row 3"
    assert str(error) == f"{path}, {place}: this key appears twice for this user"
    assert error.code == "repeated_key"
    numbers = {name: task.held_index(name) for name in ("jaws", "x")}
    for how, value in (("last", 1.0), ("mean", 2.5)):
        repaired = read(path, task, repeated=how)
        assert repaired.merged == 1
        first, second = held(path, task, repeated=how)
        assert sorted(first) == sorted([(numbers["jaws"], value), (numbers["x"], 5.0)])
        assert second == [(numbers["jaws"], 1.0)]


def test_a_repeat_of_a_listed_key_is_named(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "jaws", 4), (1, "up", 5), (1, "up", 1))
    assert str(refused(path, OTHER)).endswith("line 4: key 'up' appears twice for this user")
    path = csv_file(tmp_path / "a.csv", (1, "other", 4), (1, "other", 5))
    assert str(refused(path, OTHER)).endswith("line 3: key 'other' appears twice for this user")


def test_all_keys_that_are_not_listed_count_as_one_pair(tmp_path: Path) -> None:
    rows: list[Row] = [(1, "jaws", 4), (1, "up", 5), (1, "x", 1), (1, "y", 1)]
    path = csv_file(tmp_path / "a.csv", *rows)
    task = refusing(OTHER)
    assert len(held(path, task)[0]) == 4
    assert [len(batch.ids) for batch in perturb_many(task, read(path, task).population)] == [1]
    path = csv_file(tmp_path / "a.csv", *rows, (1, "heat", 1))
    error = refused(path, task)
    assert str(error).startswith(f"{path}, line 6: this user has more than 2 pairs, the most that the task takes")


def test_of_texts_with_one_number_the_first_row_comes_first(tmp_path: Path) -> None:
    task = refusing(HASHED)
    seen: dict[int, str] = {}
    for number in range(10**6):
        if (one := seen.setdefault(task.key_index(str(number)), str(number))) != str(number):
            break
    for first, second in ((one, str(number)), (str(number), one)):
        path = csv_file(tmp_path / "a.csv", (1, first, 2), (1, "alien", 4), (1, second, 5))
        shared = task.key_index(one)
        assert [value for key, value in held(path, task)[0] if key == shared] == [2.0, 5.0]
        assert [len(batch.ids) for batch in perturb_many(task, read(path, task).population)] == [1]


@WRITERS
def test_a_text_that_cannot_be_a_key_is_left_out_as_on_a_device(tmp_path: Path, write: Any) -> None:
    """Its user is a participant, and other forms of Unicode are keys."""
    path = write(tmp_path / "a", (1, "alien", 4), (2, "x" * 257, 4), (3, "a\x00b", 2), (3, "cafe\u0301", 5))
    assert held(path, HASHED) == [[(HASHED.key_index("alien"), 4.0)], [], [(HASHED.key_index("café"), 5.0)]]
    assert read(path, HASHED).findings.left_out == 2
    path = write(tmp_path / "a", (1, "x" * 257, 9))
    assert "value 9 is outside [1, 5]" in str(refused(path, HASHED))


@WRITERS
@pytest.mark.parametrize("task", [OTHER, HASHED], ids=["other", "hashed"])
def test_a_row_without_a_key_is_refused(tmp_path: Path, write: Any, task: Task) -> None:
    path = write(tmp_path / "a", (1, "jaws", 4), (2, None, 4))
    place = "line 3" if write is csv_file else "row 1"
    error = refused(path, task)
    assert str(error).startswith(f"{path}, {place}: a value without a key")
    assert error.code == "bad_data"


def test_values_of_keys_that_are_not_listed_are_checked(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", (1, "jaws", 4), (2, "jaws", 9))
    assert str(refused(path, OTHER)).startswith(f"{path}, line 3: value 9 is outside [1, 5]")
    repaired = read(path, OTHER, clip=True)
    assert (repaired.clipped, repaired.population.values.tolist()) == (1, [4.0, 5.0])


def test_hashes_are_found_once_per_name_and_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = csv_file(tmp_path / "a.csv", *((user, f"site {user % 10}", 3) for user in range(5_000)))
    right, asked = Task.held_hash, list[str]()
    monkeypatch.setattr(Task, "held_hash", lambda task, key: asked.append(key) or right(task, key))  # type: ignore[func-returns-value]
    population = read(path, HASHED).population
    assert (len(population), len(set(population.keys.tolist()))) == (5_000, 10)
    assert len(asked) == 10
