"""Many processes on one state folder, some of them killed."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

from pckv import Task
from support.client_collector import Double
from support.client_devices import (
    KEYS,
    MOVIES,
    PILOT,
    device,
)
from support.parts import SUPPORT

CHILDREN = SUPPORT / "client_children.py"


def children(double: Double, root: Path, what: str, tasks: list[Task], *more: str) -> list[dict[str, Any]]:
    """What the children of another process say."""
    double.tasks |= {task.id: task.to_json().encode() for task in tasks}
    file = root / "tasks"
    file.write_text("\n".join(task.to_json() for task in tasks), encoding="utf-8")
    command = [sys.executable, str(CHILDREN), what, double.url, str(root), str(file), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs(count: int) -> list[Task]:
    return [Task(name=f"run-{place}", keys=KEYS, values=(1, 5), epsilon=1) for place in range(count)]


def bodies(double: Double, task_id: str) -> set[bytes]:
    """All different uploads that were ever seen for a task."""
    return {request.body for request in double.received if request.path == f"/tasks/{task_id}/reports"}


def test_killed_at_any_moment_there_is_one_report(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "kill", runs(300), "35")
    assert sum(row["kills"] for row in said) >= 200
    for row in said:
        assert row["sound"]
        assert len(bodies(double, row["task"])) == 1
        assert len(double.reports[row["task"]]) == 1
    # Nothing is left of what was perturbed and never stored.
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_kills_catch_a_client_that_sends_before_it_stores(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "hasty", runs(60), "250")
    assert max(len(bodies(double, row["task"])) for row in said) > 1


def test_racing_processes_send_one_report(double: Double, tmp_path: Path) -> None:
    # The cap is enough for one report, and one is all there is.
    said = children(double, tmp_path, "race", [MOVIES], repr(MOVIES.realised_epsilon))
    assert [row["status"] for row in said] == ["sent"] * 8
    assert sum(row["perturbed"] for row in said) == 1
    assert len(bodies(double, MOVIES.id)) == 1


def test_racing_processes_keep_the_cap(double: Double, tmp_path: Path) -> None:
    tasks = runs(8)
    said = children(double, tmp_path, "race", tasks, "3.5")
    assert sorted(row["status"] for row in said) == ["over_budget"] * 5 + ["sent"] * 3
    assert device(double, tmp_path / "shared").spent <= Decimal("3.5")


def test_racing_processes_serve_in_a_pilot_or_its_main_task(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "race", [MOVIES, PILOT])
    assert sorted(row["status"] for row in said) == ["already_served"] * 4 + ["sent"] * 4
    assert sum(row["perturbed"] for row in said) == 1
    assert len(device(double, tmp_path / "shared").ledger) == 1
