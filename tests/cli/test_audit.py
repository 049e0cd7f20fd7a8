"""`pckv audit`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pckv.auditing.audit import standard_audits
from pckv.channels import MECHANISMS
from support.cli import (
    done,
    read_json,
    run,
)


def test_audit_of_a_task() -> None:
    printed = done("audit --task ue.json").splitlines()
    assert [line.endswith("holds") for line in printed] == [False, False, True]
    (audit,) = read_json(done("audit --task ue.json --json"))
    assert (audit["mechanism"], audit["keys"], audit["holds"]) == ("ue", 3, True)
    assert 0 < audit["enumerated"] <= audit["closed_form"] <= audit["asked"] == 1


def test_audit_of_every_mechanism() -> None:
    audits = read_json(done("audit --json"))
    assert {audit["mechanism"] for audit in audits} == set(MECHANISMS)
    assert all(audit["holds"] for audit in audits)


def test_audits_are_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    few = standard_audits(1, 1)
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    title, header, *rows = done("audit").splitlines()
    assert title.startswith("Exact ε")
    assert header.split()[:2] == ["mechanism", "keys"]
    assert [row.split()[-1] for row in rows] == ["holds"] * len(few)


def test_a_broken_promise_is_shown_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, broken = standard_audits(1, 1)[:2]
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: [kept, replace(broken, holds=False)])
    result = run("audit")
    assert (result.exit_code, result.stderr) == (1, "pckv: a mechanism loses more than it claims\n")
    assert [line.split()[-1] for line in result.stdout.splitlines()[-2:]] == ["holds", "BROKEN"]
