"""The command `pckv submit`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pckv.cli import main
from pckv.cli.submit import default_state
from support.client_collector import Double, Reply, problem
from support.client_devices import (
    MOVIES,
    PILOT,
    tell,
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["submit", *map(str, arguments)])


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    place = tmp_path / "pairs.json"
    place.write_text('{"alien": 5}', encoding="utf-8")
    return place


def test_submit_sends(double: Double, state: Path, pairs_file: Path) -> None:
    options = ("--url", double.url, "--task", MOVIES.id, "--state", state)
    first, again = run(pairs_file, *options), run(pairs_file, *options)
    epsilon = f"{MOVIES.realised_epsilon:g}"
    assert first.stdout == f"{MOVIES.id}  sent, ε {epsilon} of {epsilon} spent in all\n"
    assert "perturbed and stored before" in again.stdout
    assert (first.exit_code, again.exit_code, len(double.sent)) == (0, 0, 1)
    said = json.loads(run(pairs_file, *options, "--json").stdout)
    assert said == {
        "task": MOVIES.id,
        "status": "sent",
        "epsilon": epsilon,
        "perturbed": False,
        "reason": None,
        "spent": epsilon,
    }


@pytest.mark.usefixtures("pauses")
def test_submit_says_that_a_report_waits(
    double: Double, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, Reply(500), monkeypatch, 8)
    place = ("--url", double.url, "--state", state)
    done = run(pairs_file, *place, "--task", MOVIES.id, "--json", "--invitation", "tokeN")
    assert (done.exit_code, json.loads(done.stdout)["status"]) == (1, "waiting")
    assert done.stderr == (
        "pckv: the report is stored and waits (HTTP 500): "
        f"send it by pckv submit --flush --url {double.url} --state {state}\n"
    )
    done = run("--flush", *place)
    assert (done.exit_code, done.stdout) == (1, f"{MOVIES.id}  waiting: HTTP 500\n")
    assert done.stderr == "pckv: not everything was sent: 1 waiting, 0 refused\n"
    done = run("--flush", *place, "--json")
    assert (done.exit_code, [row["status"] for row in json.loads(done.stdout)]) == (0, ["sent"])
    done = run("--flush", *place)
    assert (done.exit_code, done.stderr) == (0, f"nothing waits for {double.url}\n")


@pytest.mark.usefixtures("pauses")
def test_submit_says_what_is_refused(
    double: Double, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--url", double.url, "--state", state)
    done = run(pairs_file, *place, "--task", MOVIES.id, "--cap", "0.5")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "over the cap of 0.5 in all" in done.stderr
    tell(double, Reply(500), monkeypatch, 4)
    run(pairs_file, *place, "--task", MOVIES.id)
    tell(double, problem(403, "closed"), monkeypatch)
    done = run("--flush", *place)
    assert (done.exit_code, done.stdout) == (1, f"{MOVIES.id}  refused: closed\n")
    assert done.stderr == "pckv: not everything was sent: 0 waiting, 1 refused\n"
    done = run(pairs_file, *place, "--task", MOVIES.id)
    assert done.stderr == f"pckv: the collector refuses the report of {MOVIES.id}: closed\n"
    done = run(pairs_file, *place, "--task", PILOT.id)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"served in the main task 'movies', task {MOVIES.id}: it cannot serve in the pilot" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"alien": 5, "alien": 5}', "key 'alien' appears twice"),
        (b'{"alien": "5"}', "the value of key 'alien' is not a number"),
        (b'{"alien": true}', "the value of key 'alien' is not a number"),
        (b'["alien"]', "not an object from keys to numbers"),
        (b"{", "at line 1, column 2"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "the JSON cannot be read"),
        (b'{"alien": ' + b"9" * 5000 + b"}", "the JSON cannot be read"),
        (b'{"alien": NaN}', "not a number within [1, 5]"),
        (b'{"alien": 6}', "not a number within [1, 5]"),
        (b'{"up": 5}', "key 'up' is not a key of task 'movies'"),
    ],
)
def test_submit_refuses_bad_pairs(
    double: Double, state: Path, pairs_file: Path, text: bytes, said: str
) -> None:
    pairs_file.write_bytes(text)
    done = run(pairs_file, "--url", double.url, "--task", MOVIES.id, "--state", state)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert said in done.stderr
    assert double.sent == []


@pytest.mark.parametrize(
    "arguments",
    [[], ["pairs.json"], ["--task", MOVIES.id], ["--flush", "pairs.json"], ["--flush", "--cap", "1"]],
)
def test_submit_is_used_in_two_ways(arguments: list[str]) -> None:
    done = run(*arguments, "--url", "http://localhost")
    assert (done.exit_code, done.exception.__class__) == (2, SystemExit)


def test_submit_remembers_where_programs_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    for given in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", given)
        assert default_state() == tmp_path / ".local" / "state" / "pckv"
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    assert default_state() == Path("/elsewhere/pckv")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_state() == tmp_path / "Library" / "Application Support" / "pckv"
