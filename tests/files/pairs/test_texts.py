"""Files of the texts that people hold."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv.base.errors import DataError
from pckv.files.pairs import rows
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import open_pairs
from pckv.files.pairs.texts import HeldTexts
from pckv.mechanisms.discovery.prefix_tree import prefix_tree

TREE = prefix_tree("abc ", characters=3)
ROWS = [
    ("u1", "abcc"),
    ("u2", ""),
    ("u1", "abca"),
    ("u3", "ä"),
    ("u1", "a"),
    ("u4", "a"),
    ("u4", "b b"),
    ("u4", "a"),
]
# Cut, and each once.
HELD = [{"abc", "a"}, set(), set(), {"a", "b b"}]


def write_csv(folder: Path) -> Path:
    path = folder / "texts.csv"
    path.write_text("user,term\n" + "".join(f"{user},{text}\n" for user, text in ROWS), encoding="utf-8")
    return path


def held(file: HeldTexts) -> list[set[str]]:
    people = [
        {file.texts[number] for number in population.pairs(person)}
        for population in file.populations()
        for person in range(len(population))
    ]
    return sorted(people, key=sorted)


def test_every_user_holds_every_text_once(tmp_path: Path) -> None:
    table = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"user": [user for user, _ in ROWS], "term": [text for _, text in ROWS]}), table)
    for path in (write_csv(tmp_path), table):
        file = HeldTexts(open_pairs(path, Columns("user", "term")), TREE)
        assert file.left_out == 1
        assert sorted(file.texts) == ["a", "abc", "b b"]
        assert held(file) == sorted(HELD, key=sorted)


def test_many_rows_are_spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS_IN_MEMORY", 1)
    file = HeldTexts(open_pairs(write_csv(tmp_path), Columns("user", "term")), TREE)
    assert held(file) == sorted(HELD, key=sorted)


def test_bad_files_are_refused_with_their_place(tmp_path: Path) -> None:
    path = write_csv(tmp_path)
    with pytest.raises(DataError, match="no column 'key'"):
        HeldTexts(open_pairs(path, Columns("user", "key")), TREE)
    path.write_text("user,term\nu1,a\n,b\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"texts\.csv, line 3: no user"):
        HeldTexts(open_pairs(path, Columns("user", "term")), TREE)
    path.write_text("user,term\n", encoding="utf-8")
    with pytest.raises(DataError, match="no rows"):
        HeldTexts(open_pairs(path, Columns("user", "term")), TREE)
