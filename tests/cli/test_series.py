"""`pckv series`: series are made and shown, run on a collector, and bad ones refused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pckv import Series, Task
from pckv.base.days import days_after, utc_today
from pckv.cli.series import reports_per_year
from support.cli import COLUMNS, GRR, MOVIES, contents, put, read_json, run, run_ok, run_refused
from support.collectors import ADMINISTRATOR, ANALYST, Running, running
from support.tasks import a_task

NEW = "series new --name movies --low 1 --high 5 --epsilon 1 --keys-file keys.txt --mechanism grr --padding 1"
DAYS = "--first 2031-01-06 --period 7 --panels 4"


def named(name: str) -> Task:
    """Return `GRR` under another name: a collector has one survey of a name."""
    return Task(name=name, keys=MOVIES, values=(1, 5), epsilon=20, mechanism="grr", size_share=0)


SERIES = Series(task=GRR, first="2031-01-06", period=7, panels=4, rounds=52)
PAST = Series(task=named("past"), first="2020-01-06", period=7, panels=4)
TOKENS = {name: f"{name}-token-of-the-tests" for name in ("ANALYST", "ADMINISTRATOR")}


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    """Run a collector in the second round of `SERIES`."""
    assert {ADMINISTRATOR, ANALYST}.isdisjoint(TOKENS.values()), "tokens of commands have no spaces"
    patched = pytest.MonkeyPatch()
    for name, token in TOKENS.items():
        patched.setattr(f"support.collectors.{name}", token)
    with running(clock=lambda: "2031-01-13") as started:
        patched.undo()
        yield started


@pytest.fixture
def access(collector: Running) -> str:
    put({f"{name}.token": token.encode() for name, token in TOKENS.items()})
    put({"series.json": SERIES.to_json().encode(), "past.json": PAST.to_json().encode()})
    return f"--url http://127.0.0.1:{collector.port} --token-file ADMINISTRATOR.token"


def test_a_new_series_has_the_requested_parameters() -> None:
    said = run_ok(f"{NEW} {DAYS} --rounds 52 --size-share 0 --out series.json")
    task = a_task(name="movies", keys=["up", "heat", "alien"], values=(1, 5), mechanism="grr", size_share=0)
    series = Series(task=task, first="2031-01-06", period=7, panels=4, rounds=52)
    assert Path("series.json").read_text() == series.to_json()
    assert said == (f"{series.id}  52 rounds of 7 days from 2031-01-06 on, 4 panels, written to series.json\n")
    printed = run(f"{NEW} {DAYS} --rounds 52 --size-share 0 --out -")
    assert printed.stdout == series.to_json()


def test_padding_is_chosen_for_the_people_of_a_round() -> None:
    options = "--name movies --low 1 --high 5 --epsilon 1 --keys 50 --pairs 3 --mechanism grr"
    run_ok(f"task new {options} --users 5000 --out task.json")
    said = run_ok(f"series new {options} --users 20000 {DAYS} --out series.json")
    assert Series.from_json(Path("series.json").read_bytes()).task == Task.from_json(Path("task.json").read_bytes())
    assert "5,000 people" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--first 2031-01-06 --period 0 --panels 4", "period must be at least 1"),
        ("--first 2031-01-06 --period 7 --panels 0", "panels must be at least 1"),
        ("--first 2031-01-06 --period 7 --panels -3", "panels must be at least 1"),
        (f"{DAYS} --rounds 0", "rounds must be at least 1"),
        (f"{DAYS} --rounds 3", "panels must be at most the number of rounds"),
        ("--first 2031-02-30 --period 7 --panels 4", "first must be a day as YYYY-MM-DD"),
        ("--first 2020-01-06 --period 7 --panels 4", "2020-01-06, is in the past: use --force"),
    ],
)
def test_bad_series_are_refused(options: str, message: str) -> None:
    assert message in run_refused(f"{NEW} {options} --out series.json")


def test_no_option_is_offered_that_series_refuse() -> None:
    assert "--coin" in run_ok("task new --help")
    offered = run_ok("series new --help")
    assert not any(option in offered for option in ("--coin", "--opens", "--closes"))


def test_a_first_day_in_the_past_may_be_meant_and_days_are_no_options() -> None:
    run_ok(f"{NEW} --first 2020-01-06 --period 7 --panels 4 --out series.json --force")
    assert Series.from_json(Path("series.json").read_bytes()).first == "2020-01-06"
    before = contents()
    assert "exists: use --force" in run_refused(f"{NEW} {DAYS} --out series.json")
    assert run(f"{NEW} {DAYS} --opens 2031-01-01 --out other.json").exit_code == 2
    assert contents() == before


def test_a_template_with_days_is_refused() -> None:
    text = SERIES.to_json().replace('"opens":null', '"opens":"2031-01-01"')
    put({"series.json": text.encode()})
    for command in ("show series.json", "task series.json --round 1 --out new.json"):
        line = run_refused(f"series {command}")
        assert line.startswith("pckv: series.json: not a series: ")
        assert "no days of its own" in line


def test_a_series_in_place_of_a_task_is_refused_with_the_way_to_a_task() -> None:
    put({"series.json": SERIES.to_json().encode()})
    for command in ("task show series.json", "tally x.parquet --task series.json --out new.tally"):
        line = run_refused(command)
        assert line == "pckv: series.json: a series, not a task: pckv series task writes the task of a round\n"


def test_a_series_is_shown_in_words() -> None:
    put({"series.json": SERIES.to_json().encode(), "past.json": PAST.to_json().encode()})
    facts = read_json(run_ok("series show series.json --json"))
    assert (facts["id"], facts["state"], facts["round"], facts["panels"]) == (SERIES.id, "waiting", None, 4)
    shown = run_ok("series show past.json")
    assert "Any 4 rounds in a row (28 days) hold at most one report of a device, with ε = 20;" in shown
    assert "any 365 days at most ε = 280 in total." in shown
    assert read_json(run_ok("series show past.json --json"))["state"] == "open"
    assert "No such file" in run_refused("series show nothing.json")
    assert "grr.json: not a series" in run_refused("series show grr.json")


@pytest.mark.parametrize(("period", "panels"), [(1, 1), (5, 1), (5, 2), (7, 4), (30, 3), (365, 1), (400, 2)])
def test_the_reports_of_a_year_are_the_most_that_any_365_days_can_hold(period: int, panels: int) -> None:
    series = Series(task=GRR, first="2031-01-06", period=period, panels=panels)
    # A device that reports as late as it can at first, and as early as it can afterwards.
    days = [days_after(series.closes(1), -1)]
    number = 1
    while (number := number + panels) and series.opens(number) < str(days_after(str(days[0]), 365)):
        days.append(series.opens(number))
    assert all(str(one) < str(two) for one, two in pairwise(days))
    assert reports_per_year(series) == len(days)


def test_the_task_of_a_round_is_worked_on_as_any_other() -> None:
    put({"series.json": SERIES.to_json().encode()})
    run_ok("series task series.json --round 3 --out round.json")
    assert Path("round.json").read_text() == SERIES.task_of(3).to_json()
    shown = read_json(run_ok("task show round.json --json"))
    assert shown["series"] == {"id": SERIES.id, "panels": 4, "round": 3}
    run_ok(f"perturb pairs.csv --task round.json {COLUMNS} --out round.parquet")
    estimates = read_json(run_ok("estimate round.parquet --task round.json --json"))
    assert (estimates["task"], estimates["reports"]) == (SERIES.task_of(3).id, 3)


@pytest.mark.parametrize(("number", "message"), [("0", "at least 1"), ("53", "at most 52"), ("-1", "at least 1")])
def test_a_round_that_does_not_exist_is_refused(number: str, message: str) -> None:
    put({"series.json": SERIES.to_json().encode()})
    line = run_refused(f"series task series.json --round {number} --out new.json")
    assert "round must be" in line
    assert message in line


def test_a_series_is_pushed_listed_and_closed(access: str, collector: Running) -> None:
    reading = access.replace("ADMINISTRATOR", "ANALYST")
    assert run_ok(f"series list {reading}") == "no series\n"
    assert run(f"series push past.json {access} --force").stdout == f"{PAST.id}  round 1 opened on {PAST.first}\n"
    for _ in range(2):
        pushed = run(f"series push series.json {access} --force")
        assert pushed.stdout == f"{SERIES.id}  round 1 opens on 2031-01-06\n"
        assert pushed.exit_code == 0
    # Of the same name: devices that answered one would not answer the other.
    put({"again.json": Series(task=GRR, first="2031-01-13", period=7, panels=4).to_json().encode()})
    assert "Browsers and apps tell surveys apart by their names" in run_refused(f"series push again.json {access}")
    assert collector.store.find_task(SERIES.task_of(2).id) is not None
    lines = run_ok(f"series list {reading}").splitlines()
    assert lines[0].split() == ["name", "state", "next", "round", "opens", "round", "reports", "id"]
    assert lines[1].split() == ["movies", "open", "2031-01-20", "2", "0", SERIES.id]
    listed = read_json(run_ok(f"series list {reading} --json"))
    assert [facts["id"] for facts in listed] == [SERIES.id, PAST.id]
    for series in ("series.json", SERIES.id):
        assert run_ok(f"series close {access} {series}") == f"{SERIES.id}  closed on 2031-01-13\n"
    assert run_ok(f"series list {reading}").splitlines()[1].split()[:3] == ["movies", "closed", "–"]
    for series in ("series.json", SERIES.id):
        assert run_ok(f"series reopen {access} {series}") == f"{SERIES.id}  takes reports again\n"
    assert run_ok(f"series list {reading}").splitlines()[1].split()[:3] == ["movies", "open", "2031-01-20"]


def test_a_series_that_is_over_is_pushed_with_a_word_about_it(access: str) -> None:
    over = Series(task=named("over"), first="2020-01-06", period=7, panels=4, rounds=4)
    put({"over.json": over.to_json().encode()})
    pushed = run(f"series push over.json {access} --force").stdout
    assert pushed == f"{over.id}  all rounds are over: it takes no reports\n"


def test_all_pages_are_listed(access: str, collector: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):
        series = Series(task=named(name), first="2031-01-06", period=7, panels=5)
        collector.store.add_series(series, utc_today())
    whole = run_ok(f"series list {access}")
    assert len(whole.splitlines()) > 2
    monkeypatch.setattr("pckv.cli.remote.ROWS_PER_PAGE", 1)
    assert run_ok(f"series list {access}") == whole


def test_what_a_collector_refuses_is_one_line(access: str) -> None:
    late = Series(task=GRR, first="2031-01-12", period=7, panels=4)
    put({"late.json": late.to_json().encode()})
    line = run_refused(f"series push late.json {access}")
    assert "the first day, 2031-01-12, is in the past: use force if that is meant" in line
    assert "no series has this id" in run_refused(f"series close {access} {late.id}")
    assert "not a series" in run_refused(f"series push grr.json {access}")
    put({"round.json": late.task_of(1).to_json().encode()})
    assert f"a round of the series {late.id}" in run_refused(f"task push round.json {access}")
