"""The JavaScript client in several tabs: one report per task, one cap."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.client.ledger import realised_epsilon
from support.browser import PAIRS, Tab, check_one, pages, url, wait_for
from support.collectors import Running
from support.faults import faulty_client

TASK_ADDRESS = re.compile("/tasks/[^/]+$")

RaceResults = list[tuple[Task, list[dict[str, Any]]]]


def race(context: Any, port: int, collector: Running, rounds: int) -> RaceResults:
    """Let two tabs submit at the same time: both wait for the task and get it together."""
    tabs = [Tab(context, port), Tab(context, port)]
    held: list[Any] = []
    context.route(TASK_ADDRESS, lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    results = []
    for _ in range(rounds):
        task = collector.add_task()
        for tab in tabs:
            tab.start(url(collector), {}, "submit", task.id, PAIRS)
        wait_for(tabs[0].page, lambda: len(held) == 2)
        while held:
            held.pop().continue_()
        results.append((task, [tab.result() for tab in tabs]))
    assert [tab.errors for tab in tabs] == [[], []]
    return results


def test_two_tabs_send_one_report(context: Any, port: int, collector: Running) -> None:
    for task, (first, second) in race(context, port, collector, 5):
        assert sorted((first["perturbed"], second["perturbed"])) == [False, True]
        assert first["report"] == second["report"]
        check_one(collector, task, first)


def test_the_same_race_catches_a_client_that_looks_first_and_writes_later(
    context: Any, collector: Running, tmp_path: Path
) -> None:
    """The control: without the check inside the transaction both tabs perturb."""
    faults = {
        "await this._allow(on, task);\n      if (!entry) return false;": "this._spending(task, []);",
        '"add"': '"put"',
    }
    with pages(faulty_client(tmp_path, "index.js", faults)) as port:
        raced = race(context, port, collector, 2)
    assert all(first["perturbed"] and second["perturbed"] for _, (first, second) in raced)


def test_two_tabs_answer_a_survey_once(
    context: Any, port: int, collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under two ids, as a collector that lies hands them out; both tabs have fetched their tasks before."""
    monkeypatch.setattr(collector.store, "_take_survey", lambda _: None)
    tabs = [Tab(context, port), Tab(context, port)]
    for number in range(3):
        tasks = [collector.add_task(name=name) for name in (f"survey {number}", f"SURVEY {number} ")]
        for tab, task in zip(tabs, tasks, strict=True):
            tab.call(url(collector), {}, "task", task.id)
        for tab, task in zip(tabs, tasks, strict=True):
            tab.start(url(collector), {}, "submit", task.id, PAIRS)
        results = [tab.result() for tab in tabs]
        assert sorted(result.get("status", result.get("code")) for result in results) == ["answered", "sent"]


def test_tabs_share_the_cap(context: Any, port: int, collector: Running) -> None:
    tasks = [collector.add_task() for _ in range(5)]
    one = realised_epsilon(tasks[0])
    options = {"cap": str(3 * one)}
    tabs = [Tab(context, port) for _ in tasks]
    for tab, task in zip(tabs, tasks, strict=True):
        tab.start(url(collector), options, "submit", task.id, PAIRS)
    results = [tab.result() for tab in tabs]
    assert sorted(result.get("status", result.get("code")) for result in results) == ["over_budget"] * 2 + ["sent"] * 3
    assert "over the cap" in next(result["message"] for result in results if "message" in result)
    assert tabs[0].call(url(collector), options, "spent") == str(3 * one)
    just_short = {"cap": str(4 * one - Decimal("1e-15"))}
    left = tasks[[result.get("code") for result in results].index("over_budget")]
    assert tabs[0].call(url(collector), just_short, "submit", left.id, PAIRS)["code"] == "over_budget"
    assert tabs[0].call(url(collector), {"cap": str(4 * one)}, "submit", left.id, PAIRS)["status"] == "sent"


@pytest.mark.parametrize("cap", [-1, "much", "1.0", True])
def test_a_cap_is_a_number(context: Any, port: int, collector: Running, cap: Any) -> None:
    assert Tab(context, port).call(url(collector), {"cap": cap}, "spent")["code"] == "bad_parameter"
