"""Commands that read from a collector, or make invitations there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

import numpy as np
import pytest

from pckv import Segment, Series, Tally, Task, perturb
from pckv.base.canonical import is_id
from pckv.base.days import Phase, utc_today
from pckv.base.wire import Report
from support.cli import GRR, OTHER, contents, put, read_json, run, run_ok, run_refused
from support.collectors import ADMINISTRATOR, ANALYST, DAY, Running, running
from support.stores import total

WORDS = [5, 5, 5, 2, 2, 0, 6, 7]
LATER = Task(name="Later", keys=3, values=(0, 1), epsilon=1, mechanism="grr", opens="2030-02-01")
# The digits of base64url.
ALPHABET = ascii_uppercase + ascii_lowercase + digits + "-_"
# Tokens of commands have no spaces.
ANALYST_TOKEN, ADMINISTRATOR_TOKEN = ANALYST.replace(" ", "-"), ADMINISTRATOR.replace(" ", "-")


# Without noise to speak of: words are 5·key + level.
STARS = Task(
    name="Stars",
    keys=["up", "heat"],
    values=(1, 5),
    levels=5,
    epsilon=20,
    padding=1,
    mechanism="grr",
    size_share=0,
)
BY_AGE = Task(name="Ages", keys=["tea", "milk"], epsilon=8, segment=Segment("age", ["young", "old"]))
TOGETHER = Task(name="Together", keys=["tea", "milk", "water"], epsilon=8, padding=2, together=True)
TERMS = Task.discovery(name="Terms", epsilon=4, alphabet="ab", characters=3)


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    """Run a collector that has the reports of `good.tally`, those of a task with levels, and two tasks without any."""
    patched = pytest.MonkeyPatch()
    patched.setattr("support.collectors.ANALYST", ANALYST_TOKEN)
    patched.setattr("support.collectors.ADMINISTRATOR", ADMINISTRATOR_TOKEN)
    with running(clock=lambda: DAY) as started:
        patched.undo()
        for task in (GRR, OTHER, LATER):
            started.store.add_task(task, utc_today())
        started.store.close_task(OTHER.id, DAY)
        reports = [Report(bytes([number]) * 16, GRR.message_format.encode(word)) for number, word in enumerate(WORDS)]
        assert started.upload(GRR, *reports) == {}
        stars = [Report(number.to_bytes(16), STARS.message_format.encode(number % 10)) for number in range(200)]
        started.store.add_task(STARS, utc_today())
        assert started.upload(STARS, *stars) == {}
        started.store.add_task(TERMS, utc_today())
        for held in (["ab"], ["ab"], ["b"], []):
            assert started.upload(TERMS, *(perturb(TERMS, held) for _ in range(100))) == {}
        for task, label in ((BY_AGE, "old"), (TOGETHER, None)):
            started.store.add_task(task, utc_today())
            reports = [perturb(task, ["tea", "milk"], segment=label) for _ in range(300)]
            assert started.upload(task, *reports) == {}
        yield started


@pytest.fixture
def access(collector: Running) -> str:
    """Return the options that name the collector, with an analyst's token."""
    put({"analyst.token": ANALYST_TOKEN.encode(), "administrator.token": ADMINISTRATOR_TOKEN.encode()})
    return f"--url http://127.0.0.1:{collector.port} --token-file analyst.token"


@pytest.mark.parametrize(
    ("task", "table", "row"), [(BY_AGE, "--within", ["old", "tea"]), (TOGETHER, "--pairs", ["tea", "milk"])]
)
def test_a_collector_has_tables_within_labels_and_together(access: str, task: Task, table: str, row: list[str]) -> None:
    command = f"estimate {task.id} {access}"
    for printed in (run_ok(f"{command} {table}"), run_ok(f"{command} {table} --key tea --out table.csv")):
        assert any(line.split()[:2] == row for line in printed.splitlines())
    assert Path("table.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[0]
    assert read_json(run_ok(f"{command} --key tea --json"))["reports"] == 300
    assert "stand" in run_ok(command)


def test_no_id_is_taken_for_an_option(access: str, collector: Running) -> None:
    """Ids of thousands of tasks and series begin with a letter, whatever their hashes; commands take the worst of them.

    Every hash has one chance in 64 of beginning with the bits of "-", and as much of having that as second character.
    """
    same: dict[str, Any] = {
        "keys": 2,
        "values": (0, 1),
        "epsilon": 1,
        "mechanism": "grr",
        "padding": 1,
        "size_share": 0,
    }
    tasks = [Task(name=f"task {number}", **same) for number in range(1_500)]
    series = [Series(task=task, first="2031-01-06", period=7, panels=2) for task in tasks[:500]]
    ids = [*(task.id for task in tasks), *(each.id for each in series)]
    assert all(is_id(each) and each[0] in "ABCDEFGHIJKLMNOP" for each in ids)
    assert any(task.digest[0] >> 2 == ALPHABET.index("-") for task in tasks)
    worst = max(tasks, key=lambda task: (task.id[1] == "-", task.id.count("-")))
    assert worst.id[1] == "-"
    collector.store.add_task(worst, utc_today())
    administrator = access.replace("analyst.token", "administrator.token")
    assert worst.name in run_ok(f"task status {worst.id} {access}")
    assert run_ok(f"estimate {worst.id} {access}")
    assert worst.name in run_ok(f"card {worst.id} {access} --no-audit")
    run_ok(f"task close {worst.id} {administrator}")
    for command, said in (
        (f"task delete {worst.id}", "deleted; it can be restored until "),
        (f"task restore {worst.id}", "restored"),
        (f"task close {worst.id}", "closed on "),
        (f"task reopen {worst.id}", "takes reports again"),
        (f"task delete {worst.id} --now --yes", "erasure done"),
    ):
        assert said in run_ok(f"{command} {administrator}")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--json",
        "--method baseline --level 0.9 --top 2",
        "--key heat --key alien --key heat",
        "--key up --json --hostile 1 --post consistent",
        "--hostile 10%",
    ],
)
def test_a_collector_estimates_as_files_do(access: str, options: str) -> None:
    of_files = run_ok(f"estimate good.tally --task grr.json {options}")
    assert run_ok(f"estimate grr.json {access} {options}") == of_files
    assert run_ok(f"estimate {access} {options} {GRR.id}") == of_files


@pytest.mark.parametrize("options", ["", "--quantile 0.5 --above 3", "--json --below 2 --key heat --hostile 2"])
def test_a_collector_estimates_shares_as_files_do(access: str, options: str) -> None:
    tally = Tally(STARS)
    tally.add_many(np.arange(200) % 10)
    put({"stars.json": STARS.to_json().encode(), "stars.tally": bytes(tally)})
    of_files = run_ok(f"estimate stars.tally --task stars.json {options}")
    found = run_ok(f"estimate stars.json {access} {options}")
    if "--json" in options:
        # Alarms differ by design: a collector says what its last check found, and a tally has no reports to check.
        without_alarms = [read_json(text) | {"alarms": None} for text in (found, of_files)]
        assert without_alarms[0] == without_alarms[1]
    else:
        assert found == of_files
    assert "not within [1, 5]" in run_refused(f"estimate stars.json {access} --above 7")


def test_a_collectors_shares_are_drawn_as_those_of_files(access: str) -> None:
    tally = Tally(STARS)
    tally.add_many(np.arange(200) % 10)
    put({"stars.json": STARS.to_json().encode(), "stars.tally": bytes(tally)})
    run_ok("estimate stars.tally --task stars.json --key heat --plot files.svg")
    run_ok(f"estimate stars.json {access} --key heat --plot collected.svg")
    assert Path("files.svg").read_bytes() == Path("collected.svg").read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_a_collectors_estimates_are_written_as_those_of_files(access: str, suffix: str) -> None:
    run_ok(f"estimate good.tally --task grr.json --out files.{suffix}")
    run_ok(f"estimate grr.json {access} --out collected.{suffix}")
    assert Path(f"collected.{suffix}").read_bytes() == Path(f"files.{suffix}").read_bytes()


@pytest.mark.parametrize("options", ["", "--json --top 1", "--level 0.8 --false-discovery-rate 0.2"])
def test_a_collector_finds_keys_as_files_do(access: str, collector: Running, options: str) -> None:
    put({"terms.json": TERMS.to_json().encode(), "terms.tally": bytes(total(collector.store, TERMS))})
    for suffix in ("txt", "csv", "json"):
        of_files = run_ok(f"discover terms.tally --task terms.json {options} --out files.{suffix}")
        assert run_ok(f"discover terms.json {access} {options} --out collected.{suffix}") == of_files
        assert Path(f"collected.{suffix}").read_bytes() == Path(f"files.{suffix}").read_bytes()
    assert run_ok(f"discover {access} {options} {TERMS.id}") == of_files
    assert Path("files.txt").read_text(encoding="utf-8").startswith("ab\n")


def test_a_collectors_chart_has_the_name_of_the_task(access: str) -> None:
    run_ok(f"estimate grr.json {access} --plot new.svg")
    assert b"movies: 3 keys" in Path("new.svg").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        "estimate",
        "estimate good.tally",
        "estimate good.tally --task grr.json --token-file analyst.token",
        "estimate --url http://127.0.0.1:9",
        "estimate grr.json other.json --url http://127.0.0.1:9",
        "estimate grr.json --task grr.json --url http://127.0.0.1:9",
        "discover",
        "discover good.tally",
        "discover grr.json other.json --url http://127.0.0.1:9",
    ],
)
def test_files_and_a_collector_are_not_mixed(command: str) -> None:
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")


def test_tasks_are_listed(access: str) -> None:
    lines = run_ok(f"task list {access}").splitlines()
    assert lines[0].split() == ["name", "state", "reports", "target", "last", "report", "id"]
    assert [line.split()[:3] for line in lines[1:]] == [
        ["Together", "open", "300"],
        ["Ages", "open", "300"],
        ["Terms", "open", "400"],
        ["Stars", "open", "200"],
        ["Later", "waiting", "0"],
        ["others", "closed", "0"],
        ["movies", "open", "8"],
    ]
    assert lines[-1].split()[3:] == ["–", DAY, GRR.id]
    assert [line.split()[0] for line in run_ok(f"task list {access} --search OTH").splitlines()[1:]] == ["others"]
    for state in Phase:
        found = read_json(run_ok(f"task list {access} --state {state} --json"))
        assert {task["state"] for task in found} == {state}
    assert list(found[0]) == ["id", "name", "state", "reports", "target", "last_report", "created"]
    assert run_ok(f"task list {access} --search nothing") == "no tasks\n"
    assert run_ok(f"task list {access} --search nothing --json") == "[]\n"


def test_all_pages_are_listed(access: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_ok(f"task list {access}")
    monkeypatch.setattr("pckv.cli.remote.ROWS_PER_PAGE", 1)
    assert run_ok(f"task list {access}") == whole


def test_the_status_of_a_task(access: str, collector: Running) -> None:
    answer = collector.client.patch(
        f"/tasks/{GRR.id}",
        content=b'{"target": 40}',
        headers={"Authorization": f"Bearer {ADMINISTRATOR_TOKEN}", "Content-Type": "application/json"},
    )
    assert answer.status_code == 200, answer.text
    facts = read_json(run_ok(f"task status grr.json {access} --json"))
    assert facts["id"] == GRR.id
    assert (facts["state"], facts["reports"], facts["target"], facts["last_report"]) == ("open", 8, 40, DAY)
    printed = run_ok(f"task status {access} {GRR.id}")
    assert "8 of 40 wanted (20 %)" in printed
    assert f"last report        {DAY}" in printed
    assert "anyone with the link" in printed
    assert f"closed, closed early on {DAY}" in run_ok(f"task status other.json {access}")


def test_a_card_of_a_collection(access: str) -> None:
    card = read_json(run_ok(f"card {access} --no-audit --json {GRR.id}"))
    assert card["task"] == GRR.id
    assert (card["collection"]["reports"], card["collection"]["phase"]) == (8, "open")
    assert card["retention"]["known"]
    assert read_json(run_ok(f"card grr.json {access} --no-audit --json")) == card
    assert "no such task or page here" in run_refused(f"card nothing {access} --no-audit")


def test_a_pushed_task_is_answered_with_the_link_for_participants(access: str, collector: Running) -> None:
    put({"later.json": LATER.to_json().encode()})
    link = f"http://127.0.0.1:{collector.port}/join/{LATER.id}"
    said = run_ok(f"task push later.json {access.replace('analyst', 'administrator')}")
    assert said == f"{LATER.id}  link for participants: {link}\n"


def test_invitations_are_written_for_their_owner_only(access: str, collector: Running) -> None:
    administrator = access.replace("analyst", "administrator")
    put({"later.json": LATER.to_json().encode()})
    command = f"invitations new later.json {administrator} --count 3 --out links.txt"
    before = contents()
    declined = run(command, stdin=b"n\n")
    assert declined.exit_code == 1
    assert "Take reports by invitation only, for good?" in declined.output
    assert contents() == before
    assert run_ok(f"{command} --yes") == "3 invitations to 'Later' written to links.txt; each takes one report\n"
    assert Path("links.txt").stat().st_mode & 0o777 == 0o600
    links = Path("links.txt").read_text(encoding="ascii").splitlines()
    place = f"http://127.0.0.1:{collector.port}/join/{LATER.id}#invitation="
    assert len({link.removeprefix(place) for link in links}) == 3
    assert all(link.startswith(place) for link in links)
    assert run_refused(command) == "pckv: links.txt exists: use --force to replace it\n"
    # It is by invitation now, so that there is nothing to confirm.
    run_ok(f"{command} --force")
    assert not set(links) & set(Path("links.txt").read_text(encoding="ascii").splitlines())


@pytest.mark.parametrize("name", ["typo.json", "folder/typo"])
def test_a_misspelt_task_file_is_not_taken_for_an_id(access: str, name: str) -> None:
    assert run_refused(f"task status {name} {access}") == f"pckv: {name}: No such file or directory\n"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("estimate nothing", "no such task or page here"),
        ("discover nothing", "no such task or page here"),
        ("discover grr.json", "task 'movies' is not a discovery"),
        ("task status nothing", "no such task or page here"),
        ("estimate grr.json --key jaws", "'jaws' is not a key of task 'movies'"),
        ("invitations new grr.json --count 1 --out new.txt --yes", "this token does not allow it"),
        ("invitations new nothing --count 1 --out new.txt --yes", "no such task or page here"),
    ],
)
def test_what_a_collector_refuses_is_one_line(access: str, command: str, problem: str) -> None:
    line = run_refused(f"{command} {access}")
    assert line.startswith("pckv: http://127.0.0.1:")
    assert problem.lower() in line.lower()


@pytest.mark.parametrize(
    "command",
    [
        "estimate x",
        "discover x",
        "task list",
        "task status x",
        "invitations new x --count 1 --out new.txt --yes",
    ],
)
def test_a_collector_that_does_not_answer_is_one_line(command: str) -> None:
    put({"good.token": b"secret"})
    line = run_refused(f"{command} --url http://127.0.0.1:9 --token-file good.token")
    assert line.startswith("pckv: http://127.0.0.1:9: ")
    assert "no token" in run_refused(f"{command} --url http://127.0.0.1:9")


def test_impossible_counts_come_first_from_files_and_from_a_collector(collector: Running, access: str) -> None:
    """300 copies of one word: the same warning above the table, in JSON and in CSV, and the exit code stays 0."""
    task = Task(name="Copied", keys=9, values=(1, 5), epsilon=1, padding=1, mechanism="grr", size_share=0)
    words = [*range(task.law.word_limit or 0)] * 15 + [3] * 300
    tally = Tally(task)
    tally.add_many(np.array(words))
    put({"copied.json": task.to_json().encode(), "copied.tally": bytes(tally)})
    collector.store.add_task(task, utc_today())
    reports = [Report(number.to_bytes(16), task.message_format.encode(word)) for number, word in enumerate(words)]
    assert collector.upload(task, *reports) == {}
    printed = run_ok("estimate copied.tally --task copied.json").splitlines()
    assert printed[0].startswith("Do not use these numbers")
    assert printed[1].startswith("“1” with the value 5 is counted 315 times in 600 reports")
    table = next(number for number, line in enumerate(printed) if line.strip().startswith("600 reports, grr"))
    assert printed[table - 1].startswith("Some reports were copied")
    assert sum("Do not use" in line for line in printed) == 1
    assert run_ok(f"estimate copied.json {access}").splitlines()[: len(printed)] == printed
    found = read_json(run_ok("estimate copied.tally --task copied.json --json"))
    assert [test["name"] for test in found["impossible"]] == ["key with a value", "key"]
    assert found["verdict"][: len(found["warning"])] == found["warning"] == printed[:table]
    run_ok("estimate copied.tally --task copied.json --out copied.csv")
    assert Path("copied.csv").read_text(encoding="utf-8").count("Do not use these numbers") == 9
