"""Many processes on one state folder, some of them killed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.days import utc_today
from pckv.client.reports import utc_now
from pckv.contract.series import Series
from support.client_collector import FakeCollector
from support.client_devices import KEYS, MOVIES, device
from support.client_series import TASK, SeriesCollector
from support.parts import SUPPORT
from support.tasks import a_mixed_task

CHILDREN = SUPPORT / "client_children.py"


def run_children(
    collector: FakeCollector, root: Path, action: str, tasks: Sequence[Task | Series], *options: str
) -> list[dict[str, Any]]:
    """Run the program with children; return the rows that they print."""
    collector.tasks |= {task.id: task.to_json().encode() for task in tasks if isinstance(task, Task)}
    file = root / "tasks"
    file.write_text("\n".join(task.to_json() for task in tasks), encoding="utf-8")
    command = [sys.executable, str(CHILDREN), action, collector.url, str(root), str(file), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def numbered_tasks(count: int) -> list[Task]:
    tasks = range(count)
    return [Task(name=f"run-{n}", keys=KEYS, values=(1, 5), epsilon=1, mechanism="grr") for n in tasks]


def mixed_tasks(mixer: FakeCollector, count: int) -> list[Task]:
    """Return tasks whose mixer is at the collector's own address."""
    return [a_mixed_task(task, mixer.url, closes="2999-01-01") for task in numbered_tasks(count)]


def bodies(collector: FakeCollector, task_id: str) -> set[bytes]:
    """Return the distinct uploads that were received for a task, in clear or sealed."""
    paths = {f"/tasks/{task_id}/{kind}" for kind in ("reports", "sealed")}
    return {request.body for request in collector.received if request.path in paths}


def test_killed_at_any_moment_there_is_one_report(
    collector: FakeCollector, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """By default a kill every twelve lines of the client, with `--all` every six; the control has one every 25."""
    tasks, step = (300, "60") if request.config.getoption("--all") else (150, "120")
    rows = run_children(collector, tmp_path, "kill", numbered_tasks(tasks), step)
    assert sum(row["kills"] for row in rows) >= tasks * 2 // 3
    for row in rows:
        assert row["sound"]
        assert len(bodies(collector, row["task"])) == 1
        assert len(collector.reports[row["task"]]) == 1
        assert row["spent"] == "1"
    # No report that was perturbed but not stored is left behind.
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_kills_catch_a_client_that_sends_before_it_stores(collector: FakeCollector, tmp_path: Path) -> None:
    rows = run_children(collector, tmp_path, "send-first", numbered_tasks(60), "250")
    assert max(len(bodies(collector, row["task"])) for row in rows) > 1


def test_killed_at_any_moment_a_report_is_sealed_once(
    collector: FakeCollector, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The same bytes whenever they are sent, and what they cost counted once in both sums."""
    tasks, step = (150, "120") if request.config.getoption("--all") else (15, "1200")
    rows = run_children(collector, tmp_path, "kill", mixed_tasks(collector, tasks), step)
    assert sum(row["kills"] for row in rows) >= tasks // 2
    for row in rows:
        assert row["sound"]
        assert len(bodies(collector, row["task"])) == len(collector.entries[row["task"]]) == 1
        assert (row["spent"], row["delta"], row["local"]) == ("0.5", "0.000001", "1")
    assert collector.reports == {}
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.verify
def test_the_same_kills_catch_a_client_that_sends_sealed_reports_before_it_stores_them(
    collector: FakeCollector, tmp_path: Path
) -> None:
    rows = run_children(collector, tmp_path, "send-first", mixed_tasks(collector, 60), "250")
    assert max(len(bodies(collector, row["task"])) for row in rows) > 1


def test_killed_at_any_moment_and_its_report_removed_nothing_is_sent_twice(
    collector: FakeCollector, tmp_path: Path
) -> None:
    rows = run_children(collector, tmp_path, "remove", numbered_tasks(120), "130")
    assert sum(row["kills"] for row in rows) >= 60
    # Killed before it was recorded, a report was never sent, and another one may be made; killed after that, none may.
    assert {len(bodies(collector, row["task"])) for row in rows} == {0, 1}
    assert {row["spent"] for row in rows} == {"1"}


def test_the_same_kills_catch_a_client_that_records_nothing(collector: FakeCollector, tmp_path: Path) -> None:
    rows = run_children(collector, tmp_path, "remove-without-record", numbered_tasks(40), "400")
    assert max(len(bodies(collector, row["task"])) for row in rows) > 1


def test_racing_processes_send_one_report(collector: FakeCollector, tmp_path: Path) -> None:
    # The cap is enough for exactly one report.
    rows = run_children(collector, tmp_path, "race", [MOVIES], repr(MOVIES.realised_epsilon))
    assert [row["status"] for row in rows] == ["sent"] * 8
    assert sum(row["perturbed"] for row in rows) == 1
    assert len(bodies(collector, MOVIES.id)) == 1


def test_racing_processes_keep_the_cap(collector: FakeCollector, tmp_path: Path) -> None:
    tasks = numbered_tasks(8)
    rows = run_children(collector, tmp_path, "race", tasks, "3.5")
    assert sorted(row["status"] for row in rows) == ["over_budget"] * 5 + ["sent"] * 3
    assert device(collector, tmp_path / "shared").spent <= Decimal("3.5")


def test_racing_processes_answer_a_survey_once(collector: FakeCollector, tmp_path: Path) -> None:
    tasks = [
        Task(name=name, keys=KEYS, values=(1, 5), epsilon=1, closes=f"2999-01-0{day}")
        for day, name in enumerate(("movies", "Movies", "movies ", "MOVIES") * 2, 1)
    ]
    rows = run_children(collector, tmp_path, "race", tasks)
    assert sorted(row["status"] for row in rows) == ["answered"] * 7 + ["sent"]
    assert len(collector.sent) == 1


@pytest.mark.parametrize("panels", [1, 1000])
def test_racing_processes_share_a_panel_and_a_report(tmp_path: Path, panels: int) -> None:
    """With 1,000 panels, processes with panels of their own would wait for rounds of their own."""
    series = Series(task=TASK, first=utc_today(), period=2, panels=panels)
    with SeriesCollector(series, 1).serving() as collector:
        collector.now = utc_now()
        rows = run_children(collector, tmp_path, "race-in-rounds", [series])
    assert [row["error"] for row in rows if "error" in row] == []
    assert len({(row["status"], row["round"]) for row in rows}) == 1
    assert sum(row["perturbed"] for row in rows) == len(set(collector.sent)) <= 1
    if panels == 1:
        assert [row["status"] for row in rows] == ["sent"] * 8
        assert len(set(collector.sent)) == 1
