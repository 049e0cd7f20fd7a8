"""The guide to unlisted keys: commands run as they stand, in an empty folder, and what they find is true."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from support.cli import run
from support.parts import ROOT

BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = ROOT / "docs" / "how-to" / "unlisted-keys.md"
LISTED = 50


def commands() -> list[str]:
    """Return the commands of the page."""
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [line for block in found for line in block.replace("\\\n", " ").splitlines()]


def printed_by(command: str) -> str:
    """Run a command of the page; `head` is played by Python."""
    if command.startswith("head "):
        lines, source, target = re.fullmatch(r"head -n (\d+) (\S+) > (\S+)", command).groups()  # type: ignore[union-attr]
        chosen = Path(source).read_text(encoding="utf-8").splitlines(keepends=True)[: int(lines)]
        Path(target).write_text("".join(chosen), encoding="utf-8")
        return ""
    result = run(command.removeprefix("pckv "))
    assert result.exit_code == 0, (command, result.output)
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run all commands in order; return the folder."""
    empty = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(empty)
        for command in commands():
            printed_by(command)
    return empty


def estimates(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> dict[str, dict[str, float]]:
    """Return estimates of reports whose randomness is the system's, with intervals that miss once in 10^5 runs.

    Of 5,600 intervals at 99.99 %, 2 missed; at 99.9999 % one of ten does in about one run of 10^5.
    """
    monkeypatch.chdir(folder)
    return {row["key"]: row for row in json.loads(printed_by(f"{command} --level 0.999999 --json"))["estimates"]}


def holders(folder: Path) -> dict[str, set[str]]:
    """Return who holds every movie."""
    found: dict[str, set[str]] = {}
    with (folder / "ratings.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["movie"], set()).add(row["user"])
    return found


def test_the_interval_of_other_holds_the_share_of_those_who_hold_something_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = holders(folder)
    people = len(set().union(*held.values()))
    listed = (folder / "half.txt").read_text(encoding="utf-8").splitlines()
    assert len(listed) == LISTED
    share = len(set().union(*(held[movie] for movie in held if movie not in listed))) / people
    found = estimates(folder, monkeypatch, "estimate half.parquet --task half.json")["other"]
    assert found["frequency_low"] <= share <= found["frequency_high"] < share + 0.16
    none = estimates(folder, monkeypatch, "estimate listed.parquet --task listed.json")["other"]
    assert none["frequency_low"] == 0
    assert none["frequency_high"] < share / 2


def test_the_intervals_of_hashed_keys_hold_their_frequencies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = holders(folder)
    people = len(set().union(*held.values()))
    found = estimates(folder, monkeypatch, "estimate hashed.tally --task hashed.json --keys-file keys.txt --top 10")
    for movie, row in found.items():
        assert row["frequency_low"] <= len(held[movie]) / people <= row["frequency_high"]
    assert "movie 000" in found


def test_frequent_movies_are_discovered_and_make_the_list_of_a_measurement(folder: Path) -> None:
    """The two most frequent are ten standard deviations above what is followed, in every group."""
    found = (folder / "found.txt").read_text(encoding="utf-8").splitlines()
    assert {"movie 000", "movie 001"} <= set(found)
    measured = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
    assert (measured["keys"], measured["other"]) == (found, "other")
