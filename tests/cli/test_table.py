"""Tables at any width: one line per row; what has no room is said, and shown by --wide."""

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
from pckv.base.words import percent, two_digits
from pckv.cli.table import Column, fit, print_facts, print_table
from pckv.planning.sections import HALF_RANGE
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
    """Print tables and paragraphs as on a terminal of this width."""
    monkeypatch.setattr("pckv.cli.table.terminal_width", lambda: width)
    monkeypatch.setattr("pckv.cli.common.terminal_width", lambda **_: width)


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
def test_every_row_is_one_line(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns and at 60 no line is longer, and every row begins a line as it does in a pipe."""
    piped = run_ok(command).splitlines()
    for width in (80, 60):
        set_width(monkeypatch, width)
        lines = run_ok(command).splitlines()
        assert max(map(len, lines)) <= width
        for line in piped:
            # What is written into a pipe is a row where it has columns: blanks side by side, or a title's words.
            first = line.split("  ")[0] if "  " in line.strip() else " ".join(line.split()[:2])
            assert any(shown.startswith(first[:24].rstrip()) for shown in lines), line


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_wide_tables_lose_no_word_and_no_digit(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = run_ok(command)
    set_width(monkeypatch, 80)
    if command.startswith("task show"):
        wide = run_ok(command)
        assert words(wide) == words(piped)
        return
    assert words(run_ok(f"{command} --wide")) == words(piped)


def test_what_json_says_is_in_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    [audit] = read_json(run_ok(f"{COMMANDS['audit']} --json"))
    simulated = read_json(run_ok(f"{COMMANDS['simulate']} --json"))
    options = read_json(run_ok(f"{COMMANDS['plan']} --json"))["options"]
    set_width(monkeypatch, 80)
    shown = words(run_ok(COMMANDS["audit"]))
    for part in ("claimed", "enumerated"):
        assert f"{audit[part]:.12f}" in shown
    assert "holds" in shown
    printed = run_ok(COMMANDS["simulate"])
    shown = words(printed)
    for row in simulated:
        numbers = [f"{row[name]:.3g}" for name in ("mse_frequency", "mse_mean")]
        numbers += [f"±{row[f'{name}_se']:.1g}" for name in ("mse_frequency", "mse_mean")]
        for part in (row["mechanism"], *numbers):
            assert part in shown
        assert percent(row["precision"]) in printed
    shown = words(run_ok(COMMANDS["plan"]))
    for option in options:
        assert f"±{two_digits(100 * HALF_RANGE * option['frequency_error'])}" in shown
        assert f"{option['bytes_per_report']:,}" in shown


def test_verdicts_of_all_audits_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    few = standard_audits(1, 1)
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    set_width(monkeypatch, 80)
    assert words(run_ok("audit"))["holds"] == len(few)


def test_a_table_that_fits_is_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 20)
    print_table("", ("key", "error"), [("heat", "1.25"), ("up", "10")])
    assert capsys.readouterr().out == "key   error\nheat   1.25\nup       10\n"


def test_names_of_columns_wrap_before_one_is_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("heat", "0.123456")]
    set_width(monkeypatch, 15)
    print_table("", ("key", "mean error"), rows)
    assert capsys.readouterr().out == "key        mean\n          error\nheat   0.123456\n"
    set_width(monkeypatch, 13)
    print_table("", ("key", "mean error"), rows)
    out = capsys.readouterr().out
    assert out.splitlines()[:2] == ["key", "heat"]
    assert " ".join(out.split()).endswith("Not shown, for lack of room: mean error (--wide shows all columns).")


def test_less_important_columns_are_left_out_first() -> None:
    def columns() -> list[Column]:
        return [Column(name, ["1" * 8], is_text=False) for name in "abcd"]

    assert [column.name for column in fit(columns(), 28)] == ["a", "b", "c"]
    assert [column.name for column in fit(columns(), 28, (1,))] == ["a", "c", "d"]
    assert [column.name for column in fit(columns(), 18, (1,))] == ["a", "c"]


def test_no_number_is_shown_without_its_interval() -> None:
    names = ["key", "frequency", "95 % interval", "mean", "95 % interval", ""]
    for width in range(9, 70):
        columns = [Column(name, ["1" * 9], is_text=False) for name in names]
        shown = fit(columns, width)
        places = [place for place, column in enumerate(columns) if any(column is each for each in shown)]
        assert places in ([0], [0, 1, 2], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5])


def test_a_long_name_is_cut_and_said_to_be(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 40)
    print_table("", ("key", "frequency"), [("x" * 250, "0.5000"), ("é" * 30, "0.1")])
    _, first, second, *note = capsys.readouterr().out.splitlines()
    assert (first, second) == (f"{'x' * 28}…     0.5000", f"{'é' * 28}…        0.1")
    assert " ".join(note) == "Long names are cut (--wide shows them whole)."


def test_facts_stand_beside_their_names_or_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_width(monkeypatch, 32)
    print_facts([("id", "x"), ("keys", "one two three four five six")])
    assert capsys.readouterr().out == "id    x\nkeys  one two three four five\n      six\n"
    set_width(monkeypatch, 12)
    print_facts([("keys", "one two three")])
    assert capsys.readouterr().out == "keys\n  one two\n  three\n"


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


def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exported width is about the terminal, not about a pipe."""
    arguments = COMMANDS["audit"].split()
    unfolded = run_ok(COMMANDS["audit"])
    assert max(map(len, unfolded.splitlines())) > 80
    monkeypatch.setenv("COLUMNS", "60")
    assert run_ok(COMMANDS["audit"]) == unfolded
    assert program(*arguments, stdout=subprocess.PIPE).stdout == unfolded
    shown = in_terminal(arguments, 80).splitlines()
    assert max(map(len, shown)) <= 80
    # The title, the header, the row, and what is not shown.
    assert [line.split()[0] for line in shown[:4]] == ["Exact", "mechanism", "ue-compact", "Not"]
    assert words(in_terminal([*arguments, "--wide"], 80)) == words(unfolded)


def test_without_a_limit_everything_is_on_one_line() -> None:
    columns = [Column("a" * 300, [], is_text=True), Column("b", ["1" * 300], is_text=False)]
    assert fit(columns, None) == columns
    assert [column.width for column in columns] == [300, 300]
