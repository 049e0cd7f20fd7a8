"""A terminal of 80 columns: every command's help, and the tables of the tutorial and the guides, row by row."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pckv.cli import main, table
from pckv.cli.table import Column, fit
from support.cli import commands, put, run
from support.parts import ROOT
from support.tiers import wide

WIDTH = 80
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The fewest characters that a cell without room is cut to.
SHORTEST_CUT = 20


@pytest.mark.parametrize("name", [name for name, _ in commands(main)])
def test_every_help_fits(name: str) -> None:
    shown = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=WIDTH)
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    assert not [line for line in lines if len(line) > WIDTH]
    # Names of options and mechanisms are not broken at their hyphens.
    assert not [line for line in lines if re.search(r"\w-$", line)]


def example_commands(page: str) -> list[str]:
    """Return the commands of a page that need no collector."""
    blocks = BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    lines = [line for language, block in blocks if not language for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("pckv ") and "--url" not in line and " serve " not in line]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Print as on a terminal of 80 columns; return the rows of all tables, by their first cells."""
    monkeypatch.setattr("pckv.cli.table.terminal_width", lambda: WIDTH)
    monkeypatch.setattr("pckv.cli.common.terminal_width", lambda **_: WIDTH)
    tables: list[list[str]] = []

    def noted_fit(columns: Sequence[Column], *others: Any) -> list[Column]:
        tables.append(list(columns[0].cells))
        return fit(columns, *others)

    monkeypatch.setattr(table, "fit", noted_fit)
    return tables


def check_rows(tables: Sequence[Sequence[str]], shown: str) -> None:
    """Check that no line is too long, and that the rows of every table are lines that follow each other."""
    assert not [line for line in shown.splitlines() if len(line) > WIDTH]
    lines = [line.strip() for line in shown.splitlines()]
    for firsts in tables:
        starts = [first.strip()[:SHORTEST_CUT] for first in firsts]
        assert any(
            all(line.startswith(start) for line, start in zip(lines[place:], starts, strict=False))
            for place in range(len(lines) - len(starts) + 1)
        ), firsts


# Each with at least this many rows of tables.
PAGES = {
    "how-to/whole-distribution.md": 20,
    "tutorial.md": 50,
    "how-to/unlisted-keys.md": 20,
    "how-to/read-trends.md": 20,
}


@pytest.mark.parametrize("page", [next(iter(PAGES)), *wide(*list(PAGES)[1:])])
def test_every_row_of_the_examples_is_one_line(page: str, printed: list[list[str]]) -> None:
    Path("keys.txt").unlink()
    for example in example_commands(page):
        _, *arguments = shlex.split(example)
        # Pictures are drawn elsewhere, and one collection shows as much as ten.
        if "--plot" in arguments:
            del arguments[arguments.index("--plot") : arguments.index("--plot") + 2]
        repeats = ["--repeats", "1", "--workers", "1"] if arguments[0] == "simulate" else []
        before = len(printed)
        shown = run(shlex.join([*arguments, *repeats]))
        assert shown.exit_code == 0, shown.output
        check_rows(printed[before:], shown.stdout)
        if arguments[0] == "sample":
            # What the guides make of these files with other tools.
            halves = Path("keys.txt").read_bytes().splitlines(keepends=True)[:50]
            put({"half.txt": b"".join(halves), "later.csv": Path("ratings.csv").read_bytes()})
    assert sum(map(len, printed)) >= PAGES[page]


def test_a_broken_row_would_be_found(printed: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """The control: a row on two lines, a row that is missing, and lines that are too long."""
    table.print_table("", ("key", *"abcdefgh"), [(f"key {number}", *["12.3 to 45.6 %"] * 8) for number in range(3)])
    shown = capsys.readouterr().out
    check_rows(printed, shown)
    for broken in (
        shown.replace("key 1  ", "key 1\n  "),
        shown.replace("key 1  ", ""),
        shown.replace("  12.3", " " * 40 + "12.3"),
    ):
        with pytest.raises(AssertionError):
            check_rows(printed, broken)
