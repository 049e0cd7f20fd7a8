"""The guides to groups and to keys together: commands run as they stand, in an empty folder; what they find is true."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from support.cli import run
from support.parts import ROOT

pytestmark = pytest.mark.verify

GUIDES = ROOT / "docs" / "how-to"
# Reports have the system's randomness: at this level an interval misses once in a million times.
LEVEL = "--level 0.999999 --json"


def printed_by(page: str, folder: Path) -> str:
    """Run all commands of a page in an empty folder; return what they print."""
    text = (GUIDES / page).read_text(encoding="utf-8").replace("\\\n", " ")
    commands = [line for line in text.splitlines() if line.startswith("pckv ")]
    printed = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in commands:
            result = run(command.removeprefix("pckv "))
            assert result.exit_code == 0, (command, result.output)
            printed.append(result.stdout)
    return "".join(printed)


def people(folder: Path) -> dict[str, tuple[str, set[str]]]:
    """Return the age and the movies of everyone in the sample."""
    found: dict[str, tuple[str, set[str]]] = {}
    with (folder / "ratings.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["user"], (row["age"], set()))[1].add(row["movie"])
    return found


def test_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = printed_by("by-group.md", tmp_path)
    assert "Within a label that 33 % of people have" in printed
    assert re.search(r"^movie 000 +under 30 +over 60 ", printed, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    document = json.loads(run(f"estimate reports.parquet --task by-age.json {LEVEL}").stdout)
    held = list(people(tmp_path).values())
    for label in document["segments"]["labels"]:
        share = sum(age == label["label"] for age, _ in held) / len(held)
        assert label["share_low"] <= share <= label["share_high"]
    cells = [cell for cell in document["segments"]["cells"] if cell["key"] in {"movie 000", "movie 001", "movie 099"}]
    assert len(cells) == 9
    for cell in cells:
        of_label = [movies for age, movies in held if age == cell["segment"]]
        share = sum(cell["key"] in movies for movies in of_label) / len(of_label)
        assert cell["share_low"] <= share <= cell["share_high"]
    with Path("by-age.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file))[:2] == ["segment", "key"]


def test_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = printed_by("together.md", tmp_path)
    assert "if 7.3 % of people hold both" in printed
    monkeypatch.chdir(tmp_path)
    document = json.loads(run(f"estimate reports.parquet --task together.json {LEVEL}").stdout)
    rows = document["pairs"]["rows"]
    assert ("movie 000", "movie 001") in {(row["first"], row["second"]) for row in rows}
    held = [movies for _, movies in people(tmp_path).values()]
    for row in rows:
        both = sum({row["first"], row["second"]} <= movies for movies in held)
        first = sum(row["first"] in movies for movies in held)
        assert row["share_low"] <= both / len(held) <= row["share_high"]
        assert row["second_given_first_low"] <= both / first <= row["second_given_first_high"]
