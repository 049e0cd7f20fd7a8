"""`pckv audit`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

import pytest

from audit.wrong_tasks import KINDS, QUICK, WITH_QUESTION, one_unit
from pckv.auditing.audit import Audit, standard_audits
from pckv.base.limits import SERVER_COIN
from pckv.cli import audit as audit_module
from pckv.mechanisms.registry import LAWS
from support.cli import read_json, run, run_ok
from support.faults import faulty_module, in_source
from support.tiers import wide

BROKEN = "pckv: a mechanism loses more than it claims\n"


@lru_cache
def few_audits() -> list[Audit]:
    """Return audits of every mechanism at the smallest size, which are made once."""
    return standard_audits(1, 1)


def test_audit_of_a_task() -> None:
    printed = run_ok("audit --task ue.json").splitlines()
    assert ["  holds  " in line for line in printed] == [False, False, True]
    (audit,) = read_json(run_ok("audit --task ue.json --json"))
    assert (audit["mechanism"], audit["keys"], audit["holds"]) == ("ue", 3, True)
    assert 0 < audit["enumerated"] <= audit["closed_form"] <= audit["asked"] == 1


def test_audit_of_every_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes that the command audits take longer: tests/audit/test_audit.py has them."""
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few_audits())
    audits = read_json(run_ok("audit --json"))
    assert {audit["mechanism"] for audit in audits} == set(LAWS)
    assert all(audit["holds"] for audit in audits)


def test_every_audit_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    few = few_audits()
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    title, header, *rows = run_ok("audit").splitlines()
    assert title.startswith("Exact ε")
    assert header.split()[:3] == ["mechanism", "verdict", "keys"]
    assert ["  holds  " in row for row in rows] == [True] * len(few)


def test_a_broken_promise_is_shown_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, broken = few_audits()[:2]
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: [sound, replace(broken, holds=False)])
    result = run("audit")
    assert (result.exit_code, result.stderr) == (1, BROKEN)
    assert ["  BROKEN  " in line for line in result.stdout.splitlines()[-2:]] == [False, True]


@pytest.mark.parametrize("kind", [QUICK, *wide(*(kind for kind in KINDS if kind != QUICK))])
def test_a_task_with_a_threshold_that_is_off_by_one_fails(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file holds such a task: its contract is refused before the audit would see it."""
    monkeypatch.setattr("pckv.cli.audit.read_task", lambda _: KINDS[kind])
    assert ["  holds  " in line for line in run_ok("audit --task ue.json").splitlines()] == [False, False, True]
    monkeypatch.setattr("pckv.cli.audit.read_task", lambda _: one_unit(KINDS[kind]))
    result = run("audit --task ue.json")
    assert (result.exit_code, result.stderr) == (1, BROKEN)
    assert ["  BROKEN  " in line for line in result.stdout.splitlines()] == [False, False, True]
    # A collector that hands out coins knows reports by them.
    shuffled = "" if KINDS[kind].coin == SERVER_COIN else "--shuffled 1000000 --delta 1e-7"
    result = run(f"audit --task ue.json --json {shuffled}")
    assert (result.exit_code, result.stderr) == (1, BROKEN)
    [found] = read_json(result.stdout)
    assert (found["holds"], "shuffled" in found) == (False, False)


# Device code that draws with a threshold one unit off, while the task's own integers stay as they are.
DEVICES = {
    "grr": {"if number < law.kept:": "if number <= law.kept:"},
    "ue": {"plus = number < fake": "plus = number < fake - 1"},
    "ue_compact": {"tape.bernoulli(law.kept)": "tape.bernoulli(law.kept + 1)"},
    "collision": {"number < len(own) * law.hit": "own and number <= len(own) * law.hit", "number // law.hit": "number // (law.hit + 1)"},
    "size_question": {"tape.bernoulli(question.kept)": "tape.bernoulli(question.kept + 1)"},
}  # fmt: skip


@pytest.mark.parametrize("device", ["grr", *wide(*list(DEVICES)[1:])])
def test_a_device_with_a_threshold_that_is_off_by_one_fails(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_source(f"mechanisms/{device}/device.py", DEVICES[device])(monkeypatch)
    of_mechanism = [kind for kind, task in KINDS.items() if task.mechanism.replace("-", "_") == device]
    for kind in of_mechanism or WITH_QUESTION:
        monkeypatch.setattr("pckv.cli.audit.read_task", lambda _, kind=kind: KINDS[kind])
        result = run("audit --task ue.json")
        assert (result.exit_code, result.stdout) == (1, "")
        assert re.fullmatch(r"pckv: interval tape: .* has another (chance|law) than stated\n", result.stderr)


def test_one_broken_promise_of_several_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever it is: the first, the last or one between."""
    audits = few_audits()[:3]
    for place in range(len(audits)):
        judged = [replace(each, holds=number != place) for number, each in enumerate(audits)]
        monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda judged=judged, **_: judged)
        for options in ("", " --json"):
            result = run(f"audit{options}")
            assert (result.exit_code, result.stderr) == (1, BROKEN)


def test_a_command_that_cannot_fail_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """No result is looked at, or one that holds suffices."""
    for right, wrong in (("if not holds:", "if not audits:"), ("all(result.holds for", "any(result.holds for")):
        with monkeypatch.context() as patch:
            faulty = faulty_module("cli/audit.py", {right: wrong})
            patch.setattr(audit_module.audit_command.callback, "__code__", faulty.audit_command.callback.__code__)
            with pytest.raises(AssertionError):
                test_one_broken_promise_of_several_fails(patch)


def test_printed_losses_are_rounded_up() -> None:
    assert audit_module._shown(18.999999999998114) == "18.999999999999"
    assert audit_module._shown(1.0) == "1.000000000000"
