"""What a shuffler buys: `pckv audit --shuffled`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pckv import Task, audit, shuffled_privacy
from pckv.base.words import rounded_up
from support.cli import UE, put, read_json, run, run_ok, run_refused

AUDIT = "audit --task ue.json"


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--shuffled 0 --delta 1e-7", "shuffled reports must be at least 1, not 0"),
        ("--shuffled 10 --delta 0", "delta must be above 0 and below 1, not 0"),
        ("--shuffled 10 --delta 1", "delta must be above 0 and below 1, not 1"),
        (
            "--shuffled 10 --delta 1e-7 --colluding 10",
            "fewer than the 10 that are shuffled, not 10",
        ),
    ],
)
def test_what_is_no_shuffle_is_refused_in_one_line(options: str, message: str) -> None:
    assert message in run_refused(f"{AUDIT} {options}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{AUDIT} --delta 1e-7", "give --shuffled, too"),
        (f"{AUDIT} --colluding 3", "give --shuffled, too"),
        ("audit --shuffled 10 --delta 1e-7", "give --task, too"),
        (f"{AUDIT} --shuffled 10", "--shuffled needs --delta"),
    ],
)
def test_wrong_usage(command: str, message: str) -> None:
    result = run(command)
    assert result.exit_code == 2
    assert message in result.stderr
