"""The JavaScript client in several tabs: one report per task, a pilot or its main task, one cap."""

from __future__ import annotations

import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.client.ledger import realised_epsilon
from support.browser import (
    PAIRS,
    Tab,
    check_one,
    pages,
    pilot_of,
    url,
    wait_for,
)
from support.collectors import Running
from support.node import CLIENT
from support.stores import stored_reports

TASK_ADDRESS = re.compile("/tasks/[^/]+$")

RaceResults = list[tuple[Task, list[dict[str, Any]]]]


def race(
    context: Any, port: int, collector: Running, rounds: int, *, with_pilot: bool = False
) -> RaceResults:
    """Let two tabs submit at the same time: both wait for the task, or one for its pilot, and get it together."""
    tabs = [Tab(context, port), Tab(context, port)]
    held: list[Any] = []
    context.route(TASK_ADDRESS, lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    results = []
    for _ in range(rounds):
        task = collector.add_task()
        for tab, submitted in zip(
            tabs, (task, pilot_of(collector, task) if with_pilot else task), strict=True
        ):
            tab.start(url(collector), {}, "submit", submitted.id, PAIRS)
        wait_for(tabs[0], lambda: len(held) == 2)
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


def faulty_client(folder: Path, faults: dict[str, str]) -> Path:
    """Copy the client with some of its lines replaced."""
    copy = folder / "client"
    shutil.copytree(CLIENT, copy)
    text = (copy / "index.js").read_text(encoding="utf-8")
    for right, wrong in faults.items():
        assert right in text
        text = text.replace(right, wrong)
    (copy / "index.js").write_text(text, encoding="utf-8")
    return copy


def test_the_same_race_catches_a_client_that_looks_first_and_writes_later(
    context: Any, collector: Running, tmp_path: Path
) -> None:
    """The control: without the check inside the transaction both tabs perturb."""
    faults = {"if (stored) {": "if (stored && !task) {", 'reports("add"': 'reports("put"'}
    with pages(faulty_client(tmp_path, faults)) as port:
        raced = race(context, port, collector, 2)
    assert all(first["perturbed"] and second["perturbed"] for _, (first, second) in raced)


@pytest.mark.parametrize("pilot_first", [True, False])
def test_nobody_serves_in_a_pilot_and_its_main_task(
    context: Any, port: int, collector: Running, pilot_first: bool
) -> None:
    task = collector.add_task()
    first, second = (pilot_of(collector, task), task) if pilot_first else (task, pilot_of(collector, task))
    tab = Tab(context, port)
    prepared = tab.call(url(collector), {}, "prepare", first.id, PAIRS)
    for sent in (False, True):
        if sent:
            check_one(collector, first, tab.call(url(collector), {}, "submit", first.id, PAIRS))
        refused = tab.call(url(collector), {}, "submit", second.id, PAIRS)
        assert refused["code"] == "already_served"
        assert refused["message"] == (
            f"this device served in the {first.kind} task {first.id} of {task.name}: nobody serves in both"
        )
    assert tab.call(url(collector), {}, "ledger") == {first.id: prepared["epsilon"]}
    assert stored_reports(collector.store, second) == []
    # Another task of the same kind may be served too.
    members = {"name": task.name, "kind": first.kind, "mechanism": first.mechanism, "epsilon": 2}
    assert tab.call(url(collector), {}, "submit", collector.add_task(**members).id, PAIRS)["perturbed"]


def test_two_tabs_serve_in_a_pilot_or_its_main_task(context: Any, port: int, collector: Running) -> None:
    for _, results in race(context, port, collector, 5, with_pilot=True):
        assert sorted(str(result.get("code", result.get("status"))) for result in results) == [
            "already_served",
            "sent",
        ]


def test_the_same_race_catches_a_client_that_looks_for_pilots_too_early(
    context: Any, collector: Running, tmp_path: Path
) -> None:
    """The control: looked for before the transaction, neither is there yet."""
    faults = {
        "const task = checkedId": "const before = await this.#all(), task = checkedId",
        "all.find((each) => each.name": "before.find((each) => each.name",
    }
    with pages(faulty_client(tmp_path, faults)) as port:
        raced = race(context, port, collector, 2, with_pilot=True)
    assert all(first["perturbed"] and second["perturbed"] for _, (first, second) in raced)


def test_tabs_share_the_cap(context: Any, port: int, collector: Running) -> None:
    tasks = [collector.add_task() for _ in range(5)]
    one = realised_epsilon(tasks[0])
    options = {"cap": str(3 * one)}
    tabs = [Tab(context, port) for _ in tasks]
    for tab, task in zip(tabs, tasks, strict=True):
        tab.start(url(collector), options, "submit", task.id, PAIRS)
    results = [tab.result() for tab in tabs]
    assert (
        sorted(result.get("status", result.get("code")) for result in results)
        == ["over_budget"] * 2 + ["sent"] * 3
    )
    assert "over the cap" in next(result["message"] for result in results if "message" in result)
    assert tabs[0].call(url(collector), options, "spent") == str(3 * one)
    just_short = {"cap": str(4 * one - Decimal("1e-15"))}
    left = tasks[[result.get("code") for result in results].index("over_budget")]
    assert tabs[0].call(url(collector), just_short, "submit", left.id, PAIRS)["code"] == "over_budget"
    assert tabs[0].call(url(collector), {"cap": str(4 * one)}, "submit", left.id, PAIRS)["status"] == "sent"


@pytest.mark.parametrize("cap", [-1, "much", "1.0", True])
def test_a_cap_is_a_number(context: Any, port: int, collector: Running, cap: Any) -> None:
    assert Tab(context, port).call(url(collector), {"cap": cap}, "spent")["code"] == "bad_parameter"
