"""The command `pckv submit`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pckv import Segment, Task
from pckv.base.days import utc_today
from pckv.cli import main
from pckv.cli.ledger import default_state
from pckv.client.ledger import realised_epsilon
from support.client_collector import FakeCollector, Reply, problem
from support.client_devices import KEYS, MOVIES, OTHERS, reply_with


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["submit", *map(str, arguments)])


def ledger(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["ledger", *map(str, arguments)])


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text('{"alien": 5}', encoding="utf-8")
    return path


def summary(spent: str, most: str = "10 in all") -> list[str]:
    """Return what the ledger says of both sums where nothing was mixed."""
    return [
        f"Towards recipients, ε = {spent} is spent, of at most {most}.",
        f"Whatever fails, ε = {spent} is spent, of at most 40 in all.",
    ]


def test_submit_sends(collector: FakeCollector, state: Path, pairs_file: Path) -> None:
    options = ("--url", collector.url, "--task", MOVIES.id, "--state", state)
    first, again = run(pairs_file, *options), run(pairs_file, *options)
    epsilon = f"{MOVIES.realised_epsilon:g}"
    spent = "".join(f"{sentence}\n" for sentence in summary(epsilon))
    assert first.stdout == f"{MOVIES.id}  Sent.\n{spent}"
    assert again.stdout == f"{MOVIES.id}  Already answered; these pairs were not used.\n{spent}"
    assert (first.exit_code, again.exit_code, len(collector.sent)) == (0, 0, 1)
    printed = json.loads(run(pairs_file, *options, "--json").stdout)
    assert printed == {
        "task": MOVIES.id,
        "status": "sent",
        "epsilon": epsilon,
        "perturbed": False,
        "reason": None,
        "spent": epsilon,
        "spent_delta": "0",
        "local_spent": epsilon,
        "cap": "10",
        "local_cap": "40",
    }


def test_a_label_is_sent_within_the_report_and_stored_nowhere(
    collector: FakeCollector, state: Path, tmp_path: Path
) -> None:
    task = Task(name="by age", keys=["tea", "milk"], epsilon=1, segment=Segment("age", ["young", "grey-haired"]))
    collector.tasks[task.id] = task.to_json().encode()
    (keys := tmp_path / "keys.json").write_text('["tea"]', encoding="utf-8")
    options = (keys, "--url", collector.url, "--task", task.id, "--state", state)
    refused = "the segment 'age' needs a label: young, grey-haired", "label 'old' is not one of the segment 'age'"
    for problem_text, more in zip(refused, ((), ("--segment", "old")), strict=True):
        result = run(*options, *more)
        assert (result.exit_code, len(collector.sent)) == (1, 0)
        assert problem_text in result.stderr
    assert run(*options, "--segment", "grey-haired").stdout.startswith(f"{task.id}  Sent.\n")
    assert len(collector.sent) == 1
    stored = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
    # The labels of the task are stored with it, and no other.
    assert stored.count(b"grey-haired") == stored.count(b"young") > 0


def test_texts_are_sent_to_a_discovery_once(collector: FakeCollector, state: Path, tmp_path: Path) -> None:
    task = Task.discovery(name="terms", epsilon=1, alphabet="ab", characters=2)
    collector.tasks[task.id] = task.to_json().encode()
    (texts := tmp_path / "texts.json").write_text('["ab"]', encoding="utf-8")
    options = ("--url", collector.url, "--task", task.id, "--state", state)
    first, again = run(texts, *options), run(texts, *options)
    assert first.stdout.startswith(f"{task.id}  Sent.\n")
    assert "Already answered; these answers were not used." in again.stdout
    assert len(collector.sent) == 1


def test_keys_without_values_are_a_list(collector: FakeCollector, state: Path, tmp_path: Path) -> None:
    """Anything else is refused in one line, before anything is perturbed, stored or sent."""
    drinks = Task(name="drinks", keys=["tea", "milk"], epsilon=1)
    for task in (drinks, MOVIES):
        collector.tasks[task.id] = task.to_json().encode()
    held = tmp_path / "held.json"
    for task, text, message in (
        (drinks, '{"tea": 1}', "task 'drinks' takes a list of keys, which have no values"),
        (drinks, '[["tea", 1]]', f"{held}: not an object from keys to numbers, nor a list of texts"),
        (drinks, '["tea", 1]', f"{held}: not an object from keys to numbers, nor a list of texts"),
        (drinks, '["cola"]', "'cola' is not a key of task 'drinks'"),
        (MOVIES, '["alien"]', f"task {MOVIES.name!r} takes a mapping of keys to values"),
    ):
        held.write_text(text, encoding="utf-8")
        refused = run(held, "--url", collector.url, "--task", task.id, "--state", state)
        assert refused.exit_code == 1
        assert refused.stderr.count("\n") == 1
        assert message in refused.stderr
    assert not collector.sent
    held.write_text('["tea", "tea"]', encoding="utf-8")
    options = ("--url", collector.url, "--task", drinks.id, "--state", state)
    first, again = run(held, *options), run(held, *options)
    assert first.stdout.startswith(f"{drinks.id}  Sent.\n")
    assert "Already answered; these answers were not used." in again.stdout
    assert len(collector.sent) == 1


@pytest.mark.usefixtures("pauses")
def test_submit_says_that_a_report_waits(
    collector: FakeCollector, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, Reply(500), monkeypatch, 8)
    options = ("--url", collector.url, "--state", state)
    result = run(pairs_file, *options, "--task", MOVIES.id, "--json", "--invitation", "tokeN")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (1, "waiting")
    assert result.stderr == (
        "pckv: the report is stored and waits (HTTP 500): "
        f"send it by pckv submit --flush --url {collector.url} --state {state}\n"
    )
    result = run("--flush", *options)
    assert (result.exit_code, result.stdout) == (1, f"{MOVIES.id}  waiting: HTTP 500\n")
    assert result.stderr == "pckv: not everything was sent: 1 waiting, 0 refused\n"
    result = run("--flush", *options, "--json")
    assert (result.exit_code, [row["status"] for row in json.loads(result.stdout)]) == (0, ["sent"])
    result = run("--flush", *options)
    assert (result.exit_code, result.stderr) == (0, f"nothing waits for {collector.url}\n")


@pytest.mark.usefixtures("pauses")
def test_submit_says_what_is_refused(
    collector: FakeCollector, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--url", collector.url, "--state", state)
    result = run(pairs_file, *options, "--task", MOVIES.id, "--cap", "0.5")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "over the cap of 0.5 in all (pckv ledger shows what was spent" in result.stderr
    result = run(pairs_file, *options, "--task", MOVIES.id)
    assert "over the cap of 0.5 in all" in result.stderr
    assert ledger("--state", state, "--cap", "10").stdout.splitlines() == summary("0")
    reply_with(collector, Reply(500), monkeypatch, 4)
    run(pairs_file, *options, "--task", MOVIES.id)
    reply_with(collector, problem(403, "closed"), monkeypatch)
    result = run("--flush", *options)
    assert (result.exit_code, result.stdout) == (1, f"{MOVIES.id}  refused: the task takes no more reports\n")
    assert result.stderr == "pckv: not everything was sent: 0 waiting, 1 refused\n"
    result = run(pairs_file, *options, "--task", MOVIES.id)
    assert result.stderr == (
        f"pckv: the report of task {MOVIES.id} was refused: the task takes no more reports; ε = 1 is spent\n"
    )


def test_a_second_task_of_a_survey_is_refused(collector: FakeCollector, state: Path, pairs_file: Path) -> None:
    again = Task(name="Movies ", keys=KEYS, values=(1, 5), epsilon=2)
    collector.tasks[again.id] = again.to_json().encode()
    options = ("--url", collector.url, "--state", state)
    assert run(pairs_file, *options, "--task", MOVIES.id).exit_code == 0
    result = run(pairs_file, *options, "--task", again.id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"pckv: this device has answered the survey 'movies' (task {MOVIES.id}); "
        "another run of it needs another name; nothing was perturbed\n"
    )


def test_the_ledger_shows_every_survey(
    collector: FakeCollector, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = ledger("--state", state)
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert nothing.stderr == (f"pckv: {state}: there is no such folder, so it is not known what was spent\n")
    assert not state.exists()
    options = ("--url", collector.url, "--state", state)
    run(pairs_file, *options, "--task", MOVIES.id)
    reply_with(collector, problem(403, "closed"), monkeypatch)
    run(pairs_file, *options, "--task", OTHERS.id)
    (state / f"{MOVIES.id}.report").unlink()
    epsilon = {task: f"{realised_epsilon(task):f}" for task in (MOVIES, OTHERS)}
    spent, today = f"{realised_epsilon(MOVIES) + realised_epsilon(OTHERS):f}", utc_today()
    lines = ledger("--state", state).stdout.splitlines()
    assert lines == [
        f"On {today}, a report for “movies” spent ε = {epsilon[MOVIES]}; the report was removed from this device.",
        f"On {today}, a report for “others” spent ε = {epsilon[OTHERS]}; the collector refused the report.",
        *summary(spent),
    ]
    caps = ("--cap", "3.5", "--cap-per-period", "3", "365")
    printed = json.loads(ledger("--state", state, *caps, "--json").stdout)
    assert (printed["spent"], printed["cap"]) == (spent, "3.5")
    assert printed["cap_per_period"] == {"epsilon": "3", "days": 365}
    assert printed["reports"] == [
        {
            "survey": task.name,
            "task": task.id,
            "series": None,
            "round": None,
            "day": today,
            "epsilon": epsilon[task],
            "claim": None,
            "status": status,
            "text": text,
        }
        for task, status, text in zip((MOVIES, OTHERS), ("removed", "refused"), lines[:2], strict=True)
    ]
    last = ledger("--state", state).stdout.splitlines()[-2:]
    assert last == summary(spent, "3.5 in all, and at most 3 in any 365 days")
    refused = ledger("--state", state, "--cap-per-period", "3", "0")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "pckv: the days of the cap per period must be at least 1 and at most 36,525, not 0\n",
    )
    refused = ledger("--state", state, "--cap", "-1")
    assert (refused.exit_code, refused.stderr) == (1, "pckv: the cap must not be below 0: -1\n")


def test_help_states_the_cap() -> None:
    for command in ("submit", "ledger"):
        text = " ".join(CliRunner().invoke(main, [command, "--help"]).output.split())
        assert "[default: the one given last, or 10]" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"alien": 5, "alien": 5}', "key 'alien' appears twice"),
        (b'{"alien": "5"}', "the value of key 'alien' is not a number"),
        (b'{"alien": true}', "the value of key 'alien' is not a number"),
        (b"[5]", "not an object from keys to numbers, nor a list of texts"),
        (b'["alien"]', "takes a mapping of keys to values"),
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
    collector: FakeCollector, state: Path, pairs_file: Path, text: bytes, message: str
) -> None:
    pairs_file.write_bytes(text)
    result = run(pairs_file, "--url", collector.url, "--task", MOVIES.id, "--state", state)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert message in result.stderr
    assert collector.sent == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["pairs.json"],
        ["--task", MOVIES.id],
        ["--flush", "pairs.json"],
        ["--flush", "--cap", "1"],
        ["--flush", "--cap-per-period", "1", "2"],
        ["pairs.json", "--task", MOVIES.id, "--cap-per-period", "1"],
    ],
)
def test_submit_needs_either_pairs_and_a_task_or_flush(arguments: list[str]) -> None:
    result = run(*arguments, "--url", "http://localhost")
    assert (result.exit_code, result.exception.__class__) == (2, SystemExit)


def test_the_default_state_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    for folder in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", folder)
        assert default_state() == tmp_path / ".local" / "state" / "pckv"
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    assert default_state() == Path("/elsewhere/pckv")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_state() == tmp_path / "Library" / "Application Support" / "pckv"
