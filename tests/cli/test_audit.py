"""`pckv audit`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from pckv.auditing.audit import standard_audits
from pckv.cli import audit as audit_module
from pckv.mechanisms.registry import LAWS
from support.cli import read_json, run, run_ok


def test_audit_of_a_task() -> None:
    printed = run_ok("audit --task ue.json").splitlines()
    assert ["  holds  " in line for line in printed] == [False, False, True]
    (audit,) = read_json(run_ok("audit --task ue.json --json"))
    assert (audit["mechanism"], audit["keys"], audit["holds"]) == ("ue", 3, True)
    assert 0 < audit["enumerated"] <= audit["closed_form"] <= audit["asked"] == 1


def test_audit_of_every_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes that the command audits take longer: tests/audit/test_audit.py has them."""
    monkeypatch.setattr("pckv.cli.audit.standard_audits", partial(standard_audits, 1))
    audits = read_json(run_ok("audit --json"))
    assert {audit["mechanism"] for audit in audits} == set(LAWS)
    assert all(audit["holds"] for audit in audits)


def test_every_audit_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    few = standard_audits(1, 1)
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    title, header, *rows = run_ok("audit").splitlines()
    assert title.startswith("Exact ε")
    assert header.split()[:3] == ["mechanism", "verdict", "keys"]
    assert ["  holds  " in row for row in rows] == [True] * len(few)


def test_a_broken_promise_is_shown_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, broken = standard_audits(1, 1)[:2]
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: [sound, replace(broken, holds=False)])
    result = run("audit")
    assert (result.exit_code, result.stderr) == (1, "pckv: a mechanism loses more than it claims\n")
    assert ["  BROKEN  " in line for line in result.stdout.splitlines()[-2:]] == [False, True]


def test_printed_losses_are_rounded_up() -> None:
    assert audit_module._shown(18.999999999998114) == "18.999999999999"
    assert audit_module._shown(1.0) == "1.000000000000"
