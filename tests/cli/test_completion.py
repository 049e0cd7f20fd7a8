"""What a shell offers when the Tab key is pressed."""

from __future__ import annotations

import sys

import pytest
from click.shell_completion import ShellComplete

from pckv.base.budget import ALLOCATIONS
from pckv.cli import main
from pckv.cli.program import COMMANDS
from pckv.counting.job import ENGINES
from pckv.estimators.methods.registry import METHODS, POSTS
from pckv.lab.baselines import BASELINE_NAMES
from pckv.mechanisms.registry import LAWS
from pckv.planning.prediction import OBJECTIVES
from support.cli import run_ok
from support.scripts import run_script


def offered(line: str, incomplete: str = "") -> list[str]:
    """Return what is offered after some words."""
    found = ShellComplete(main, {}, "pckv", "_PCKV_COMPLETE").get_completions(line.split(), incomplete)
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ("estimate --method", METHODS),
        ("estimate --post", POSTS),
        ("simulate --mechanism", ["auto", *LAWS, *BASELINE_NAMES]),
        ("simulate --method", METHODS),
        ("simulate --post", POSTS),
        ("simulate --objective", OBJECTIVES),
        ("task new --mechanism", ["auto", *LAWS]),
        ("task new --allocation", [*ALLOCATIONS, "tuned"]),
        ("task new --objective", OBJECTIVES),
        ("plan --objective", OBJECTIVES),
        ("tally --engine", ENGINES),
    ],
)
def test_choices_are_complete(line: str, choices: object) -> None:
    assert offered(line) == list(choices)  # type: ignore[call-overload]


def test_commands_and_options_are_offered() -> None:
    assert offered("") == sorted(COMMANDS)
    assert offered("", "st") == ["store"]
    assert "new" in offered("task")
    assert "--verbose" in offered("plan", "--v")


def test_offering_commands_imports_none() -> None:
    """A shell waits for it."""
    run_script(
        "import sys\n"
        "from click.shell_completion import ShellComplete\n"
        "from pckv.cli import main\n"
        "found = ShellComplete(main, {}, 'pckv', 'X').get_completions([], 's')\n"
        "assert [item.value for item in found] == ['sample', 'series', 'serve', 'shuffle', 'simulate', 'store', 'submit']\n"
        "assert not {'numpy', 'pckv.cli.simulate'} & set(sys.modules)"
    )
    assert "pckv" in sys.modules


def test_help_says_how_to_switch_it_on() -> None:
    printed = run_ok("--help")
    for shell in ("bash", "zsh", "fish"):
        assert f"_PCKV_COMPLETE={shell}_source pckv" in printed
