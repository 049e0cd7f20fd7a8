"""Commands that ask a collector which answers what no collector would."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, Any

import pytest

import pckv
from pckv import Series, Task
from support.cli import GRR, put, run_ok, run_refused
from support.endless import ENDLESS_ANSWERS, endless_collector

URL = "https://collect.example"
ACCESS = f"--url {URL} --token-file good.token"
# What clears a terminal and sets its title.
CONTROLS = "\x1b[2J\x1b]0;title\x07"
NOT_ITS_ANSWER = f"pckv: {URL}: this is not the answer of a collector\n"
SERIES = Series(task=GRR, first="2031-01-06", period=7, panels=4)
OVERVIEW: dict[str, Any] = {
    "id": GRR.id,
    "number": 1,
    "name": "movies",
    "phase": "open",
    "reports": 0,
    "target": None,
    "last_report": None,
    "created": "2030-01-15",
    "opens": None,
    "closes": None,
    "closed": None,
    "by_invitation": True,
    "public_results": False,
    "keep_reports": None,
    "alarms": None,
    "about": GRR.about.to_dict(),
    "mixer": None,
    "batch": None,
    "facts": [],
}
COMMANDS = (
    "task push grr.json",
    "task close grr.json",
    "task delete grr.json --yes",
    "task list",
    "task status grr.json",
    "estimate grr.json",
    "discover grr.json",
    "card grr.json --no-audit",
    "invitations new grr.json --count 1 --out new.txt",
    "series push series.json",
    "series close series.json",
    "series list",
    "trend series.json",
)
Script = Callable[[str], bytes]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Script], None]:
    """Set what the collector answers, given the path."""
    put({"good.token": b"secret", "series.json": SERIES.to_json().encode()})

    def set_script(script: Script) -> None:
        @contextmanager
        def answered(_collector: object, _method: str, path: str, *_: object) -> Iterator[IO[bytes]]:
            yield BytesIO(script(path))

        monkeypatch.setattr("pckv.cli.remote.RemoteCollector._answer", answered)

    return set_script


def scripted(estimates: dict[str, Any] | None = None, overview: dict[str, Any] | None = None) -> Script:
    """Return a script that answers as a collector does, but for some members."""
    known = pckv.estimate(pckv.Tally(GRR)).to_dict() | (estimates or {})
    facts = OVERVIEW | (overview or {})

    def script(path: str) -> bytes:
        if path.startswith("/overview"):
            return json.dumps({"tasks": [facts]}).encode()
        if path.startswith("/series?"):
            listed = {"last_round": None, "next_round": {"opens": CONTROLS}}
            return json.dumps({"series": [facts | listed]}).encode()
        if "/estimates" in path:
            return json.dumps(known).encode()
        return json.dumps({"invitations": [CONTROLS]} if "/invitations" in path else facts).encode()

    return script


@pytest.mark.parametrize("content", [b"null", b"[]", b"<html>", b"\xff", b"[" * 100_000, b"9" * 5000])
@pytest.mark.parametrize("command", COMMANDS)
def test_another_answer_is_one_line(answer: Callable[[Script], None], command: str, content: bytes) -> None:
    answer(lambda _: content)
    assert run_refused(f"{command} {ACCESS}") == NOT_ITS_ANSWER


@pytest.mark.parametrize(
    ("command", "members"),
    [
        ("estimate grr.json", {"estimates": {"reports": "many"}}),
        ("estimate grr.json", {"estimates": {"estimates": [{"key": "alien"}]}}),
        ("estimate grr.json", {"overview": {"alarms": "none"}}),
        ("task status grr.json", {"overview": {"target": 0}}),
        ("card grr.json --no-audit", {"overview": {"reports": "many"}}),
        ("card grr.json --no-audit", {"overview": {"phase": "[open](https://evil.example)"}}),
        ("card grr.json --no-audit", {"overview": {"keep_reports": "for ever"}}),
        ("estimate grr.json", {"overview": {"about": "stars"}}),
        ("invitations new grr.json --count 1 --out new.txt", {}),
    ],
)
def test_members_of_other_types_are_one_line(
    answer: Callable[[Script], None], command: str, members: dict[str, dict[str, Any]]
) -> None:
    answer(scripted(**members))
    assert run_refused(f"{command} {ACCESS}") == NOT_ITS_ANSWER


@pytest.mark.parametrize("frequency", [float("nan"), float("inf"), "0.5 %", None])
def test_a_frequency_that_is_no_number_is_not_shown(answer: Callable[[Script], None], frequency: object) -> None:
    rows = pckv.estimate(pckv.Tally(GRR)).to_dict()["estimates"]
    answer(scripted({"estimates": [rows[0] | {"frequency": frequency}]}))
    assert run_refused(f"estimate grr.json {ACCESS}") == NOT_ITS_ANSWER


@pytest.mark.parametrize(
    ("row", "members"),
    [
        ({"frequency": float("nan")}, {}),
        ({"key": "a\nb"}, {}),
        ({"key": CONTROLS}, {}),
        ({"key": ""}, {}),
        ({}, {"epsilon": float("inf")}),
        ({}, {"reports": "many"}),
        ({}, {"tree": [{}]}),
        ({}, {}),
    ],
)
def test_an_answer_that_is_no_discovery_is_one_line(
    answer: Callable[[Script], None], row: dict[str, Any], members: dict[str, Any]
) -> None:
    key = {"key": "ab", "frequency": 0.1, "frequency_low": 0, "frequency_high": 1, "is_cut": False} | row
    numbers = {"reports": 9, "characters": 3, "padding": 1, "epsilon": 1, "level": 0.9}
    rates = {"false_discovery_rate": 0.1, "smallest_frequency": 0.5, "keys_level": 0.99, "tree_level": 0.99}
    found = {"task": GRR.id, "keys": [key], "tree": []} | numbers | rates | members
    answer(lambda _: json.dumps(found).encode())
    command = f"discover grr.json {ACCESS} --out new.txt"
    if row or members:
        assert run_refused(command) == NOT_ITS_ANSWER
    else:
        # Nothing but those is wrong with it.
        assert "1 key found among 9 reports" in run_ok(command)


def test_estimates_of_another_task_are_refused(answer: Callable[[Script], None]) -> None:
    other = Task(name="other", keys=3, values=(0, 1), epsilon=1)
    answer(scripted({"task": other.id}))
    line = run_refused(f"estimate grr.json {ACCESS}")
    assert line == f"pckv: {URL}: it answers with another task, {other.id}\n"


@pytest.mark.parametrize(
    "command",
    [
        "estimate grr.json",
        "task list",
        "task status grr.json",
        "task close grr.json",
        "series list",
        "series close series.json",
    ],
)
def test_no_answer_controls_the_terminal(answer: Callable[[Script], None], command: str) -> None:
    row = pckv.estimate(pckv.Tally(GRR)).to_dict()["estimates"][0] | {"key": CONTROLS}
    estimates = {"method": CONTROLS, "verdict": [CONTROLS], "estimates": [row]}
    mixed = {"batch": {"sentence": CONTROLS}, "facts": [["mixer", CONTROLS]]}
    answer(scripted(estimates, {"name": CONTROLS, "last_report": CONTROLS, "closed": CONTROLS} | mixed))
    printed = run_ok(f"{command} {ACCESS}")
    assert "[2J" in printed
    assert all(letter.isprintable() or letter == "\n" for letter in printed)


def test_an_answer_is_read_up_to_a_limit(answer: Callable[[Script], None], monkeypatch: pytest.MonkeyPatch) -> None:
    answer(scripted())
    run_ok(f"task status grr.json {ACCESS}")
    monkeypatch.setattr("pckv.cli.remote.MAX_ANSWER_BYTES", 100)
    line = run_refused(f"task status grr.json {ACCESS}")
    assert line == f"pckv: {URL}: an answer of more than 100 bytes\n"


@pytest.mark.parametrize("endless", ENDLESS_ANSWERS)
def test_any_endless_answer_ends(endless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put({"good.token": b"secret"})
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("pckv.cli.remote.TIMEOUT_SECONDS", 0.5)
    began = time.monotonic()
    with endless_collector(endless) as collector:
        line = run_refused(f"task list --url {collector.url} --token-file good.token")
    assert line == f"pckv: {collector.url}: an answer that takes too long\n"
    assert time.monotonic() - began < 20


def test_pages_without_an_end_are_refused(answer: Callable[[Script], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.remote.ROWS_PER_PAGE", 1)
    answer(scripted())
    assert run_refused(f"task list {ACCESS}").endswith(NOT_ITS_ANSWER)
