"""Tables at any width: folded, never cut."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
from collections import Counter
from contextlib import suppress

import pytest

from pckv import Task
from pckv.auditing.audit import standard_audits
from pckv.base.words import two_digits
from pckv.cli.table import Column, arrange, print_table
from support.cli import SIMULATE, pairs_csv, program, program_command, put, read_json, run_ok

WIDE_TASK = Task(name="wide", keys=5850, values=(1, 5), epsilon=1, padding=3, mechanism="ue-compact")
COMMANDS = {
    "simulate": f"{SIMULATE} --epsilon 0.5 --epsilon 4 --mechanism ue-compact --mechanism collision --mechanism "
    "privkvm-1r5v --padding 1 --padding 12 --method corrected --method bayes",
    "plan": "plan --keys 5850 --users 105508 --epsilon 1 --pairs 3",
    "plan-sizes": "plan --keys 5850 --users 105508 --epsilon 2 --sizes sizes.csv",
    "audit": "audit --task wide.json",
    "show": "task show wide.json",
}


def set_width(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Print tables as on a terminal of this width."""
    monkeypatch.setattr("pckv.cli.table._terminal_width", lambda _: width)


def words(text: str) -> Counter[str]:
    return Counter(text.split())


@pytest.fixture(autouse=True)
def files() -> None:
    rows = [f"{user},{key},{1 + (user + key) % 5}" for user in range(200) for key in range(user % 20)]
    put(
        {
            "pairs.csv": pairs_csv(*rows),
            "sizes.csv": b"size,people\n1,700\n2,150\n4,100\n9,40\n60,10\n",
            "wide.json": WIDE_TASK.to_json().encode(),
        }
    )


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_narrow_terminal_loses_no_word_and_no_digit(
    command: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """At 80 columns and at 40; with --all at 60, too, where the next test looks for all numbers."""
    unfolded = run_ok(command)
    for width in (80, 60, 40) if request.config.getoption("--all") else (80, 40):
        set_width(monkeypatch, width)
        folded = run_ok(command)
        if width >= 50:
            assert words(folded) == words(unfolded)
        # Words that are longer than the terminal is wide are broken, but lose no character.
        assert Counter("".join(folded.split())) == Counter("".join(unfolded.split()))
        assert max(len(line) for line in table_lines(folded)) <= width


def table_lines(text: str) -> list[str]:
    """Return the lines of tables; sentences are left to the terminal to wrap."""
    return [line for line in text.splitlines() if not line.endswith(".")]


def test_what_json_says_is_in_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    [audit] = read_json(run_ok(f"{COMMANDS['audit']} --json"))
    simulated = read_json(run_ok(f"{COMMANDS['simulate']} --json"))
    options = read_json(run_ok(f"{COMMANDS['plan']} --json"))["options"]
    set_width(monkeypatch, 60)
    shown = words(run_ok(COMMANDS["audit"]))
    for part in ("claimed", "closed_form", "enumerated"):
        assert f"{audit[part]:.12f}" in shown
    assert "holds" in shown
    shown = words(run_ok(COMMANDS["simulate"]))
    for row in simulated:
        numbers = [f"{row[name]:.3g}" for name in ("mse_frequency", "mse_mean")]
        numbers += [f"±{row[f'{name}_se']:.1g}" for name in ("mse_frequency", "mse_mean")]
        for part in (row["mechanism"], row["method"], f"{row['precision']:.0%}", *numbers):
            assert part in shown
    shown = words(run_ok(COMMANDS["plan"]))
    for option in options:
        assert f"±{two_digits(100 * option['frequency_error'])}" in shown
        assert f"{option['bytes_per_report']:,}" in shown


def test_verdicts_of_all_audits_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    few = standard_audits(1, 1)
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    set_width(monkeypatch, 80)
    assert words(run_ok("audit"))["holds"] == len(few)


def test_a_table_that_fits_is_not_folded(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 20)
    print_table("", ("key", "error"), [("heat", "1.25"), ("up", "10")])
    assert capsys.readouterr().out == "key   error\nheat   1.25\nup       10\n"


def test_names_wrap_before_rows_fold(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("a long name", "0.123456")]
    set_width(monkeypatch, 16)
    print_table("", ("key", "mean error"), rows)
    assert capsys.readouterr().out == "key         mean\n           error\na long  0.123456\nname\n"
    set_width(monkeypatch, 11)
    print_table("", ("key", "mean error"), rows)
    assert capsys.readouterr().out == "key\n       mean\n      error\na long\nname\n   0.123456\n"


def test_a_word_wider_than_the_terminal_is_folded_without_loss(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_width(monkeypatch, 40)
    print_table("", ("key", "frequency"), [("x" * 250, "0.5000")])
    printed = capsys.readouterr().out
    assert printed.count("x") == 250
    assert "0.5000" in printed
    assert max(map(len, printed.splitlines())) <= 40


def in_terminal(arguments: list[str], width: int) -> str:
    """Run the program in a terminal of this width; return what it shows, without styles."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    shown = b""
    with subprocess.Popen(
        program_command(*arguments), stdin=follower, stdout=follower, env=environment | {"TERM": "xterm"}
    ) as process:
        os.close(follower)
        # Linux ends a terminal without writers with an error.
        with suppress(OSError):
            while part := os.read(leader, 1 << 16):
                shown += part
    os.close(leader)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")


def test_only_a_terminal_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exported width is about the terminal, not about a pipe."""
    arguments = COMMANDS["audit"].split()
    unfolded = run_ok(COMMANDS["audit"])
    assert max(map(len, unfolded.splitlines())) > 80
    monkeypatch.setenv("COLUMNS", "60")
    assert run_ok(COMMANDS["audit"]) == unfolded
    assert program(*arguments, stdout=subprocess.PIPE).stdout == unfolded
    folded = in_terminal(arguments, 80)
    assert words(folded) == words(unfolded)
    assert max(len(line) for line in table_lines(folded)) <= 80


def test_without_a_limit_everything_is_on_one_line() -> None:
    columns = [Column("a" * 300, [], is_text=True), Column("b", ["1" * 300], is_text=False)]
    assert arrange(columns, None) == [columns]
    assert [column.width for column in columns] == [300, 300]
