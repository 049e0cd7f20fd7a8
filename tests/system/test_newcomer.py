"""A newcomer's first minutes: what `make demo` sets up, and how `make newcomer` measures it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from support.parts import ROOT
from support.scripts import printed_lines

# What only the tests need.
FOR_TESTS = ("java", "chromium", "nodejs", "--group dev", "bare", "[all]")


@pytest.fixture(scope="module")
def newcomer() -> dict[str, Any]:
    """The names of the script, which is no package."""
    return runpy.run_path(str(ROOT / "tools" / "newcomer.py"))


def recipe(target: str, folder: Path) -> str:
    """Return what make would run for a target where nothing is set up."""
    return "\n".join(printed_lines("make", "--no-print-directory", "-n", f"VENV={folder / 'new'}", target))


def test_the_demo_installs_only_what_it_needs(tmp_path: Path) -> None:
    demo, everything = recipe("demo", tmp_path), recipe("lint", tmp_path)
    assert "[serve]" in demo
    assert not [part for part in FOR_TESTS if part in demo]
    assert all(part in everything for part in FOR_TESTS)


def test_nothing_of_this_machine_is_set_up_for_a_newcomer(newcomer: dict[str, Any], tmp_path: Path) -> None:
    here = {"PATH": "/bin", "HOME": "/home/me", "PIP_CERT": "kept", "LANG": "C"}
    elsewhere = {
        "VIRTUAL_ENV": "x",
        "PYTHONPATH": "x",
        "XDG_CACHE_HOME": "x",
        "PCKV_PORT": "1",
        "MAKEFLAGS": "x",
    }
    assert newcomer["newcomer_environment"](here | elsewhere, tmp_path) == here | {"HOME": str(tmp_path)}


def test_newcomers_follow_the_commands_of_the_tutorial(newcomer: dict[str, Any], tmp_path: Path) -> None:
    commands = newcomer["page_commands"](ROOT / newcomer["PAGE"])
    assert commands[0] == "pckv sample"
    assert any(command.startswith("pckv serve") for command in commands)
    page = tmp_path / "page.md"
    page.write_text("```\npckv one\nls\n```\n```python\npckv two\n```\n```\npckv three\n```\n", encoding="utf-8")
    assert newcomer["page_commands"](page) == ["pckv one", "pckv three"]


def test_a_step_above_its_limit_is_marked(newcomer: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    step, show = newcomer["Step"], newcomer["show"]
    assert show(step("the demo alone", 30.0, 1.0))
    assert not show(step("the demo alone", 30.1, 1.0))
    assert [line.endswith("above the limit") for line in capsys.readouterr().out.splitlines()] == [
        False,
        True,
    ]
