"""Files of pairs that do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from pckv import Task
from pckv.base.errors import DataError
from pckv.base.population import Population
from pckv.files.pairs.population import Repairs, population_of, read_populations
from pckv.files.pairs.sources import open_pairs
from support.pairs_files import MOVIES, NAMES

NAMED_KEYS = ["alien", "heat", "up", "nobody knows", "nobody lists"]
OTHER = Task(name="t", keys=NAMED_KEYS[:3], other="other", values=(1, 5), epsilon=1)
HASHED = Task(name="t", keys="hashed", values=(1, 5), epsilon=1)
REPAIRS = Repairs(repeated="mean")


def held_by_all(populations: Iterable[Population]) -> list[tuple[tuple[int, float], ...]]:
    return sorted(
        tuple(sorted(zip(keys.tolist(), values.tolist(), strict=True)))
        for people in populations
        for keys, values in zip(
            np.split(people.keys, people.offsets[1:-1]),
            np.split(people.values, people.offsets[1:-1]),
            strict=True,
        )
    )


def many_ratings(path: Path) -> Path:
    """Nine hundred people with keys that are not listed, repeated ones, and some without a pair."""
    rng = np.random.default_rng(3)
    lines = ["user,key,value"]
    for user, key, value in zip(*(rng.integers(0, most, 5000) for most in (900, 12, 5)), strict=True):
        lines.append(f"u{user},{NAMED_KEYS[key]},{value + 1}" if key < len(NAMED_KEYS) else f"u{user},,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("task", [OTHER, HASHED], ids=["other", "hashed"])
def test_people_are_the_same_spilled_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    path = many_ratings(tmp_path / "a.csv")
    whole = open_pairs(path, NAMES)
    in_memory = population_of(whole, task, REPAIRS)
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 10)
    spilled = open_pairs(path, NAMES)
    parts = list(read_populations(spilled, task, REPAIRS))
    assert len(parts) > 100
    all_held = held_by_all([in_memory.population])
    assert held_by_all(part.population for part in parts) == all_held
    assert sum(part.merged for part in parts) == in_memory.merged
    assert spilled.findings == whole.findings
    assert in_memory.merged > 0
    if task is OTHER:
        assert max(keys.count(3) for keys in ([key for key, _ in held] for held in all_held)) == 2


def test_a_repeated_key_is_named_when_spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,key,value\na,heat,1\nb,,\na,up,2\n\na,heat,3\n", encoding="utf-8")
    task = Task(name="t", keys=NAMED_KEYS[:3], values=(1, 5), epsilon=1)
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    with pytest.raises(DataError, match=r"a\.csv, line 6: key 'heat' appears twice for this user"):
        list(read_populations(open_pairs(path, NAMES), task))


@pytest.mark.parametrize("text", ["user,key,value\n", "user,key,value\n\n\n"], ids=["header", "blank"])
def test_a_large_file_without_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    with pytest.raises(DataError) as caught:
        next(read_populations(open_pairs(path, NAMES), MOVIES))
    assert str(caught.value) == f"{path}: no rows"
