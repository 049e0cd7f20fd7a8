"""Pairs as people's code gives them: every key once, values of any kind of number, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pckv import Task, perturb
from pckv.base.errors import PairsError, ParameterError
from pckv.base.population import Population
from pckv.base.randomness import Tape
from pckv.device import perturb as single
from pckv.device.perturb import read_pairs
from pckv.device.vectorised import perturb_many
from pckv.mechanisms.padding import Pair, placed
from support.faults import Fault, in_place


def make_task(**members: Any) -> Task:
    least: dict[str, Any] = {
        "name": "t",
        "keys": 9,
        "values": ("0.1", "0.7"),
        "epsilon": 1,
        "padding": 2,
        "mechanism": "grr",
        "size_share": 0,
    }
    return Task(**(least | members))


class RepeatingPairs(Mapping[str, float]):
    """A mapping that gives one of its keys several times, and states another length."""

    def __init__(self, *items: tuple[str, float]) -> None:
        self._items = items

    def __getitem__(self, key: str) -> float:
        return dict(self._items)[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._items)

    def __len__(self) -> int:
        return 1

    def items(self) -> Any:
        return self._items


def check_repeated_keys_are_refused() -> None:
    """A participant who holds a key twice would lose more than ε: nothing of it is reported."""
    repeated: tuple[Mapping[str, float], ...] = (
        RepeatingPairs(("1", 0.5), ("1", 0.5)),
        RepeatingPairs(("1", 0.1), ("2", 0.5), ("1", 0.7)),
        RepeatingPairs(*[("3", 0.5)] * 50),
    )
    for mechanism in ("ue", "grr", "ue-compact", "collision"):
        for pairs in repeated:
            with pytest.raises(PairsError, match="appears twice"):
                perturb(make_task(mechanism=mechanism), pairs)


def test_repeated_keys_are_refused() -> None:
    check_repeated_keys_are_refused()


def test_a_fault_that_takes_repeated_keys_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the device did before: it took every item as a pair of its own."""

    def read(task: Task, pairs: Mapping[str, float]) -> list[Pair]:
        return [(task.key_index(key), *placed(value, task.level_values)) for key, value in pairs.items()]

    monkeypatch.setattr(single, "read_pairs", read)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_repeated_keys_are_refused()


def test_more_pairs_than_are_stated_are_refused() -> None:
    task = make_task(more="refuse")
    with pytest.raises(PairsError, match="task 't' takes at most 2 pairs, not 3"):
        perturb(task, RepeatingPairs(("1", 0.5), ("2", 0.5), ("3", 0.5)))


@pytest.mark.parametrize(
    "value",
    [
        Decimal("0.1"),
        Decimal("0.7"),
        Decimal("0.10"),
        Fraction(1, 10),
        Fraction(7, 10),
        np.float64(0.1),
        np.float32(0.5),
        np.float16(0.5),
        0.1,
        0.7,
    ],
)
def test_a_value_stands_for_the_nearest_float(value: Any) -> None:
    task = make_task()
    assert read_pairs(task, {"3": value}) == [(3, *placed(float(value), task.level_values))]


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.float16(3), Fraction(3), Decimal(3)])
def test_whole_values(value: Any) -> None:
    assert read_pairs(make_task(values=(0, 3)), {"3": value}) == [(3, 0, 2**64)]


@pytest.mark.parametrize(
    "value",
    [
        *(Decimal(text) for text in ("NaN", "-NaN", "sNaN", "Infinity", "-Infinity", "0.09", "1e999999")),
        *(float(text) for text in ("nan", "inf", "-inf")),
        np.float64("nan"),
        np.nextafter(0.7, 1),
        np.nextafter(0.1, 0),
        # As a double it is above the end.
        np.float32(0.7000001),
        10**400,
        -(10**5000),
        Fraction(10**400),
        True,
        False,
        np.True_,
        "0.5",
        b"0.5",
        None,
        0.5 + 0j,
        [0.5],
        np.array(0.5),
    ],
    ids=lambda value: f"{type(value).__name__}-{str(value)[:12] if not isinstance(value, int) else 'whole'}",
)
def test_what_is_not_a_number_in_the_range_is_refused(value: Any) -> None:
    with pytest.raises(PairsError, match=r"of key '3' is not a number within \[0.1, 0.7\]$"):
        perturb(make_task(), {"3": value})


def population(keys: list[int], offsets: list[int]) -> Population:
    return Population(np.array(offsets), np.array(keys, np.int32), np.full(len(keys), 0.5))


@pytest.mark.parametrize(
    ("keys", "offsets", "message"),
    [
        ([1, 1], [0, 2], "key '1' appears twice"),
        ([3, 5, 3], [0, 3], "key '3' appears twice"),
        ([5, 2, 8, 2], [0, 1, 4], "key '2' appears twice"),
        ([0, 8, 8], [0, 0, 3, 3], "key '8' appears twice"),
        ([*range(9), 4], [0, 10], "key '4' appears twice"),
        ([0, *range(8, -1, -1), 8], [0, 1, 11], "key '8' appears twice"),
        ([*range(9), 8], [0, 10], "key '8' appears twice"),
        ([0, 9], [0, 2], "key number 9 is not a key of task 't'"),
        ([-1], [0, 1], "key number -1 is not a key"),
    ],
)
def test_batches_with_wrong_keys_are_refused(keys: list[int], offsets: list[int], message: str) -> None:
    with pytest.raises(PairsError, match=message):
        perturb_many(make_task(), population(keys, offsets))


def check_repeats_are_found_anywhere() -> None:
    """Wherever in a set of any size a key comes again: few are compared each with each, many are sorted."""
    task = make_task(keys=20)
    for size in range(2, 12):
        for first, again in combinations(range(size), 2):
            keys = [*range(size - 1, -1, -1)]
            keys[again] = keys[first]
            # Others hold the same keys before and after.
            offsets = [0, size, 2 * size, 3 * size]
            with suppress(PairsError):
                perturb_many(task, population([*range(size), *keys, *range(size)], offsets))
                raise AssertionError(f"key {keys[first]} is taken twice, at {first} and {again} of {size}")


def test_repeats_are_found_anywhere() -> None:
    check_repeats_are_found_anywhere()


REPEATS = [
    in_place(
        "only near keys are compared",
        "device/checked_pairs.py",
        {"range(1, largest)": "range(1, min(largest, 4))"},
        check_repeats_are_found_anywhere,
        "is taken twice",
    ),
    in_place(
        "many keys are taken to be in order",
        "device/checked_pairs.py",
        {"keys if ascending.all() else keys[np.lexsort((keys, owners))]": "keys"},
        check_repeats_are_found_anywhere,
        "is taken twice",
    ),
]


@pytest.mark.parametrize("fault", REPEATS, ids=str)
def test_repeats_that_a_fault_overlooks_are_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


def check_tables_are_built_for_all() -> None:
    """What grows with the number of keys is built whether a participant holds any: its time would tell."""
    for members in ({"keys": ["a", "b", "c"]}, {"keys": ["a", "b"], "other": "c"}, {"keys": 3}):
        for mechanism in ("ue", "grr", "ue-compact", "collision"):
            text = make_task(mechanism=mechanism, **members).to_json()
            empty, full = Task.from_json(text), Task.from_json(text)
            perturb(empty, {})
            perturb(full, {full.key_name(0): 0.5})
            built, known = (set(vars(task.domain)) for task in (full, empty))
            assert built == known, f"{built - known} is built only for those who hold something"


def test_tables_are_built_for_all() -> None:
    check_tables_are_built_for_all()


def test_a_table_that_is_built_for_the_first_pair_is_caught(tmp_path: Path) -> None:
    replaced = {"    task.domain.index  # noqa: B018\n": ""}
    says = "is built only for those who hold something"
    fault = in_place("a table for the first pair", "device/perturb.py", replaced, check_tables_are_built_for_all, says)
    fault.check_caught(tmp_path, raises=AssertionError)


@pytest.mark.parametrize(
    ("keys", "offsets"),
    [
        ([], [0]),
        ([*range(9), *range(9)], [0, 9, 18]),
        ([*range(8, -1, -1), 0, 8, 1], [0, 9, 10, 12]),
        ([], [0, 0, 0]),
        ([1, 1], [0, 1, 2]),
        ([5, 2, 8, 2, 1], [0, 0, 3, 5, 5]),
        ([1, 1], [0, 1, 1, 2]),
    ],
)
def test_batches_of_different_people_with_the_same_keys(keys: list[int], offsets: list[int]) -> None:
    made = [len(batch.ids) for batch in perturb_many(make_task(), population(keys, offsets))]
    assert sum(made) == len(offsets) - 1


def test_tasks_with_reports_that_are_too_large_are_refused() -> None:
    message = r"^a report of 'ue' would have 65,538 bytes, of at most 65,536: 262,145 keys need a mechanism"
    with pytest.raises(ParameterError, match=message):
        make_task(keys=2**18 + 1, mechanism="ue")
    assert make_task(keys=2**18, mechanism="ue").law.body_bytes == 2**16


@pytest.mark.parametrize(
    "parts",
    [{"mechanism": "ue", "keys": 2**18}, {"mechanism": "collision", "keys": 2**29 - 1, "padding": 2**26}],
)
def test_large_tasks_take_little_memory(parts: dict[str, Any]) -> None:
    """At most 64 KiB of randomness is taken at once, where a report may need gigabytes of it."""
    task = make_task(**parts)
    assert task.draws > 2**18
    taken: list[int] = []
    tape = Tape(task.draws, lambda count: taken.append(count) or bytes(count))  # type: ignore[func-returns-value]
    for _ in range(20_000):
        tape.draw()
    assert max(taken) == 2**16
    assert len(taken) == 3
