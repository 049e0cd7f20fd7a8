"""The guide to distributions: commands run as they stand, in an empty folder, and what they find is true."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from pckv.base.arrays import Floats
from support.cli import run
from support.parts import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = ROOT / "docs" / "how-to" / "whole-distribution.md"
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0)
TOP = 5


def blocks(language: str) -> list[str]:
    """Return the lines of the page's blocks in one language, none for commands."""
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [line for name, block in found for line in block.replace("\\\n", " ").splitlines() if name == language]


def printed_by(command: str) -> str:
    result = run(command)
    assert result.exit_code == 0, (command, result.output)
    return result.stdout


def true_shares(path: Path) -> dict[str, Floats]:
    """Return the shares of the stars among the holders of every movie, ratings moved to the nearest star."""
    found: dict[str, Floats] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            shares = found.setdefault(row["movie"], np.zeros(len(VALUES)))
            stars = float(row["stars"])
            shares[VALUES.index(min(VALUES, key=lambda level: (abs(level - stars), level)))] += 1
    return {movie: shares / shares.sum() for movie, shares in found.items()}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run all commands in order; return the folder and all that was printed."""
    folder = tmp_path_factory.mktemp("empty")
    commands = [line.removeprefix("pckv ") for line in blocks("") if line.startswith("pckv ")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder, "".join(map(printed_by, commands))


def test_every_command_runs(visited: tuple[Path, str]) -> None:
    folder, printed = visited
    assert len(blocks("text")) == 4
    assert all(line in printed.splitlines() for line in blocks("text"))
    assert {"reports.parquet", "shares.svg", "movie.svg"} <= {path.name for path in folder.iterdir()}
    with (folder / "median.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == TOP
    assert {"share_1", "share_5_high", "deviation", "quantile_0.5", "above_3_low"} <= set(rows[0])


def test_the_intervals_hold_the_shares(visited: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At 95 %, at most 12 of 25 miss; more do if the levels are read in reverse order."""
    folder, _ = visited
    monkeypatch.chdir(folder)
    found = json.loads(printed_by(f"estimate counts.tally --task task.json --top {TOP} --json"))
    truth = true_shares(folder / "ratings.csv")
    missed = {1: 0, -1: 0}
    for row in found["estimates"]:
        shares = row["shares"]
        assert [share["value"] for share in shares] == list(VALUES)
        assert sum(share["share"] for share in shares) == pytest.approx(1)
        for step in missed:
            expected = truth[row["key"]][::step]
            missed[step] += sum(
                not share["low"] <= true <= share["high"] for share, true in zip(shares, expected, strict=True)
            )
    assert missed[1] <= 12 < missed[-1], missed
