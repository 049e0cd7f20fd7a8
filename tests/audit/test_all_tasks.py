"""Audits of tasks with any two options of `pckv task new` together: each ends after few paths, and holds.

What they take in seconds and memory is measured by `make experiment NAME=audits`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest
from click.testing import CliRunner

from audit.grids import levels_of
from experiments.task_options import (
    FILES,
    KINDS,
    PAIRS,
    Factors,
    Row,
    all_rows,
    arguments,
    covering_rows,
)
from pckv import Task, audit
from pckv.auditing.audit import audited_task
from pckv.cli.program import main
from pckv.cli.task import new_command
from pckv.mechanisms.registry import LAWS

# What no report depends on, and the tally of an earlier task, which says the same as a file of sizes.
NOT_AUDITED = {"--name", "--out", "--force", "--sizes-task"}
# A path takes up to half a millisecond; more of them would take more than half a minute on a slow machine.
MAX_PATHS = 40_000
ROWS = all_rows()


def shown(row: tuple[Factors, Row]) -> str:
    return " ".join(value for value in row[1].values() if value)


def audited(folder: Path, monkeypatch: pytest.MonkeyPatch, factors: Factors, row: Row) -> None:
    monkeypatch.chdir(folder)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    options = [*arguments(factors, row), "--out", "task.json", "--force"]
    made = CliRunner().invoke(main, ["task", "new", "--name", "audited", *options])
    assert made.exit_code == 0, made.output
    found = audit(Task.from_json((folder / "task.json").read_text(encoding="utf-8")))
    assert found.holds
    assert found.paths <= MAX_PATHS


def test_all_options_have_values() -> None:
    known = {text for factors, _ in KINDS for values in factors.values() for given in values.values() for text in given}  # fmt: skip
    assert {option for parameter in new_command.params for option in parameter.opts} - NOT_AUDITED <= known


@pytest.mark.parametrize(("factors", "may_be"), KINDS)
def test_any_two_values_meet(factors: Factors, may_be: Callable[[Row], bool]) -> None:
    rows, refused = covering_rows(factors, may_be)
    met = {pair for row in rows for pair in combinations(row.items(), 2)}
    wanted = {
        ((first, one), (second, other))
        for first, second in combinations(factors, 2)
        for one, other in product(factors[first], factors[second])
    }
    assert met | refused == wanted
    assert not met & refused
    # Most pairs can be had, or the rule of what cannot is wrong.
    assert len(refused) < len(wanted) / 20


def test_audits_of_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One task per mechanism, with unlisted keys where there may be some, and a discovery."""
    first: dict[str, tuple[Factors, Row]] = {}
    for factors, row in ROWS:
        few = row.get("keys", "40") in {"3", "40", "file"} and row["padding"] in {"", "1", "2", "5"}
        if few and (factors is not PAIRS or row["other"]):
            first.setdefault(row.get("mechanism", row.get("items", "discovery")), (factors, row))
    assert len(first) > 6
    for factors, row in first.values():
        audited(tmp_path, monkeypatch, factors, row)


@pytest.mark.verify
@pytest.mark.parametrize("row", ROWS, ids=shown)
def test_audits_of_any_two_options(row: tuple[Factors, Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(tmp_path, monkeypatch, *row)


@pytest.mark.verify
@pytest.mark.parametrize("name", LAWS)
def test_audits_of_every_number_of_levels(name: str) -> None:
    """With both paddings, and more keys than have all of their sets visited."""
    for levels in levels_of(name):
        found = audit(audited_task({"name": name}, 6, 1 + levels % 2, "1", "0.25", levels=levels))
        assert (found.holds, found.levels) == (True, levels)
        assert found.paths <= MAX_PATHS
