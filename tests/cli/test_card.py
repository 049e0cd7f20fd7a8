"""`pckv card`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pckv import audit
from pckv.auditing.audit import Audit
from pckv.card.card import card_markdown, privacy_card
from support.cli import GRR, contents, put, read_json, run, run_ok, run_refused


@pytest.fixture(scope="module")
def audited() -> Audit:
    return audit(GRR)


def test_a_card_is_printed_or_written(audited: Audit) -> None:
    expected = privacy_card(GRR, audit=audited)
    assert read_json(run_ok("card grr.json --json")) == expected
    assert run_ok("card grr.json --out card.md") == "written to card.md\n"
    assert Path("card.md").read_text(encoding="utf-8") == card_markdown(expected)
    run_ok("card grr.json --json --no-audit --out card.json")
    assert read_json(Path("card.json").read_text(encoding="utf-8")) == privacy_card(GRR)
    assert "8 reports so far" in run_ok("card grr.json --no-audit --tally good.tally")


def test_a_task_whose_audit_fails_gets_no_card(monkeypatch: pytest.MonkeyPatch, audited: Audit) -> None:
    broken = replace(audited, holds=False)
    monkeypatch.setattr("pckv.cli.card.audit", lambda *_: broken)
    line = run_refused("card grr.json --out card.md")
    assert line == f"pckv: task {GRR.id} loses more than it claims: there is no card for it\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("gone.json", "gone.json: No such file or directory"),
        ("keys.txt", "keys.txt: not a task"),
        ("grr.json --tally other.tally", "other.tally: "),
        ("grr.json --tally keys.txt", "keys.txt: "),
        ("grr.json --out card.pdf", "card.pdf: a card is written as .md, or as .json with --json"),
        ("grr.json --out card.json", "card.json: a card is written as .md, or as .json with --json"),
        ("grr.json --out keys.md", "keys.md exists: use --force to replace it"),
    ],
)
def test_bad_cards(options: str, problem: str) -> None:
    put({"keys.md": b"mine"})
    assert run_refused(f"card --no-audit {options}").startswith(f"pckv: {problem}")


@pytest.mark.parametrize("options", ["--url http://127.0.0.1:9 --tally good.tally", "--token-file keys.txt"])
def test_wrong_usage(options: str) -> None:
    before = contents()
    assert run(f"card grr.json {options}").exit_code == 2
    assert contents() == before
