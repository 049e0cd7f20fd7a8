"""The guide to distributions: commands run as they stand, in an empty folder, and what they find is true."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from pckv.arrays import Floats
from pckv.levels import level_below
from support.cli import run
from support.parts import ROOT

BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = ROOT / "docs" / "how-to" / "whole-distribution.md"
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0)
TOP = 5


def commands() -> list[str]:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line.removeprefix("pckv ") for line in lines if line.startswith("pckv ")]


def printed_by(command: str) -> str:
    result = run(command)
    assert result.exit_code == 0, (command, result.output)
    return result.stdout


def true_shares(path: Path) -> dict[str, Floats]:
    """Return the shares of the levels among the holders of every movie, values between two counted at both."""
    found: dict[str, Floats] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            value, shares = float(row["stars"]), found.setdefault(row["movie"], np.zeros(len(VALUES)))
            below = level_below(value, VALUES)
            shares[below : below + 2] += VALUES[below + 1] - value, value - VALUES[below]
    return {movie: shares / shares.sum() for movie, shares in found.items()}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run all commands in order."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in commands():
            printed_by(command)
    return folder


def test_every_command_runs(visited: Path) -> None:
    written = {path.name for path in visited.iterdir()}
    assert {"task.json", "reports.parquet", "counts.tally", "shares.svg", "movie.svg"} <= written
    with (visited / "median.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == TOP
    assert {"share_1", "share_5_high", "deviation", "quantile_0.5", "above_3_low"} <= set(rows[0])


def test_the_intervals_hold_the_shares(visited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 95 %, at most 12 of 25 miss; where levels are read in reverse order, more do."""
    monkeypatch.chdir(visited)
    found = json.loads(printed_by(f"estimate counts.tally --task task.json --top {TOP} --json"))
    truth = true_shares(visited / "ratings.csv")
    missed = {False: 0, True: 0}
    for row in found["estimates"]:
        shares = row["shares"]
        assert [share["value"] for share in shares] == list(VALUES)
        assert sum(share["share"] for share in shares) == pytest.approx(1)
        for is_reversed in missed:
            expected = truth[row["key"]][:: -1 if is_reversed else 1]
            outside = [
                not share["low"] <= true <= share["high"]
                for share, true in zip(shares, expected, strict=True)
            ]
            missed[is_reversed] += sum(outside)
    assert missed[False] <= 12 < missed[True]
