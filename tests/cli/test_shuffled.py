"""What a shuffler buys: `pckv plan --shuffled` and `pckv audit --shuffled`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pckv import Task, audit, plan, shuffled_privacy
from pckv.base.words import rounded_up
from support.cli import UE, put, read_json, run, run_ok, run_refused

PLAN = "plan --keys 100 --users 100000"
SHUFFLED = "--shuffled 100000 --delta 1e-7"


def test_a_plan_prints_the_central_guarantee_next_to_the_local_one() -> None:
    expected = plan(100, 100_000, 4, shuffled=100_000, delta=1e-7)
    assert expected.shuffled is not None
    printed = run_ok(f"{PLAN} --epsilon 4 {SHUFFLED}")
    lines = printed.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("Each report alone"))
    assert "ε = 4 (local)" in lines[place]
    central = rounded_up(expected.shuffled.central_epsilon)
    assert f"After a shuffle of 100,000 honest reports: ε = {central} with δ = 1e-07 (central)" in lines[place + 1]
    words = " ".join(printed.split())
    assert all(condition in words for condition in expected.shuffled.conditions)
    assert read_json(run_ok(f"{PLAN} --epsilon 4 {SHUFFLED} --json")) == json.loads(json.dumps(expected.to_dict()))


def test_a_plan_without_a_shuffle_says_nothing_of_one() -> None:
    assert "shuffle" not in run_ok(f"{PLAN} --epsilon 4")
    assert read_json(run_ok(f"{PLAN} --epsilon 4 --json"))["shuffled"] is None


def test_a_plan_for_a_central_epsilon_reaches_it_with_the_task_it_writes() -> None:
    wanted = "--central 0.3 --shuffled 20000 --delta 1e-7 --colluding 5000"
    printed = run_ok(f"{PLAN} {wanted} --name shuffled --low 1 --high 5 --out central.json")
    task = Task.from_json(Path("central.json").read_text(encoding="utf-8"))
    reached = shuffled_privacy(task, 20_000, 1e-7, 5_000)
    assert 0.98 * 0.3 < reached.central_epsilon <= 0.3
    assert task.epsilon > 3
    assert f"ε = {rounded_up(task.epsilon)} (local)" in printed


def test_where_a_shuffle_buys_nothing_the_local_epsilon_is_the_central_one() -> None:
    planned = plan(100, 100, central=0.5, shuffled=1, delta=1e-9)
    assert planned.epsilon == 0.5
    printed = run_ok("plan --keys 100 --users 100 --central 0.5 --shuffled 1 --delta 1e-9")
    assert "the shuffle is not known to add anything" in printed


def test_an_audit_prints_the_central_guarantee_after_the_table() -> None:
    expected = shuffled_privacy(UE, 5000, 1e-6, 100)
    printed = run_ok("audit --task ue.json --shuffled 5000 --delta 1e-6 --colluding 100")
    said = f"After a shuffle of 4,900 honest reports (100 colluding ones not counted): ε = {rounded_up(expected.central_epsilon)}"
    assert printed.index("holds") < printed.index(said)
    (audited,) = read_json(run_ok("audit --task ue.json --shuffled 5000 --delta 1e-6 --colluding 100 --json"))
    assert audited["shuffled"]["central_epsilon"] == expected.central_epsilon
    assert audited["shuffled"]["local_epsilon"] == UE.realised_epsilon
    (audited,) = read_json(run_ok("audit --task ue.json --json"))
    assert "shuffled" not in audited


def test_an_audit_that_fails_has_no_central_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(audit(UE), holds=False)
    monkeypatch.setattr("pckv.cli.audit.audit", lambda *_: broken)
    for options in ("", "--json"):
        result = run(f"audit --task ue.json --shuffled 5000 --delta 1e-6 {options}")
        assert result.exit_code == 1
        assert "central" not in result.stdout


def test_a_task_with_a_coin_is_refused() -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=3, padding=2, coin="server")
    put({"coin.json": task.to_json().encode()})
    assert "hands out coins" in run_refused("audit --task coin.json --shuffled 5000 --delta 1e-6")
    plan_of = "plan --keys 100 --users 5000 --coin server --shuffled 5000 --delta 1e-6"
    for wanted in ("--epsilon 4", "--central 1"):
        assert "hands out coins" in run_refused(f"{plan_of} {wanted}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 4 --shuffled 0 --delta 1e-7", "shuffled reports must be at least 1, not 0"),
        ("--epsilon 4 --shuffled 10 --delta 0", "delta must be above 0 and below 1, not 0"),
        ("--epsilon 4 --shuffled 10 --delta 1", "delta must be above 0 and below 1, not 1"),
        (
            "--epsilon 4 --shuffled 10 --delta 1e-7 --colluding 10",
            "fewer than the 10 that are shuffled, not 10",
        ),
        ("--central 21 --shuffled 10 --delta 1e-7", "central epsilon must be above 0 and at most 20, not 21"),
        ("--central 0 --shuffled 10 --delta 1e-7", "central epsilon must be above 0 and at most 20, not 0"),
        ("--central 1e-9 --shuffled 10 --delta 1e-7", "central epsilon must be at least 0.000001"),
    ],
)
def test_what_is_no_shuffle_is_refused_in_one_line(options: str, message: str) -> None:
    assert message in run_refused(f"{PLAN} {options}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{PLAN} --epsilon 4 --shuffled 10", "--shuffled needs --delta"),
        (f"{PLAN} --epsilon 4 --delta 1e-7", "give --shuffled, too"),
        (f"{PLAN} --epsilon 4 --colluding 3", "give --shuffled, too"),
        (PLAN, "give either --epsilon or --central"),
        (f"{PLAN} --epsilon 4 --central 1 {SHUFFLED}", "give either --epsilon or --central"),
        (f"{PLAN} --central 1", "give --shuffled and --delta, too"),
        ("audit --shuffled 10 --delta 1e-7", "give --task, too"),
        ("audit --task ue.json --shuffled 10", "--shuffled needs --delta"),
    ],
)
def test_wrong_usage(command: str, message: str) -> None:
    result = run(command)
    assert result.exit_code == 2
    assert message in result.stderr


def test_more_reports_than_people_are_refused() -> None:
    refused = run_refused("plan --keys 10 --users 100 --epsilon 1 --shuffled 200 --delta 0.001")
    assert refused == "pckv: 200 reports cannot be shuffled where 100 people take part\n"
