"""What the dashboard asks a collector for: overviews, charts, precision, plans, new tasks and estimates."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import pckv
from pckv.collector import estimate_cache
from pckv.estimators.result import COLUMNS
from pckv.moments import CountMoments
from pckv.planning.plan import plan
from pckv.planning.prediction import predict
from pckv.store.parts import merge_parts
from support.collectors import (
    ADMINISTRATOR,
    Running,
    bearer,
    check_problem,
    running,
    some_reports,
    wait_until,
)
from support.site import FORM, HOSTILE, ask
from support.stores import add


def test_the_overview_counts_reports_and_states_the_phase_of_tasks() -> None:
    with running(clock=lambda: "2030-01-15") as site:
        tasks = {
            "open": site.add_task(),
            "waiting": site.add_task(opens="2030-01-16"),
            "closed": site.add_task(closes="2030-01-15"),
        }
        add(site.store, *some_reports(range(12), tasks["open"]), task=tasks["open"])
        listed = {task["id"]: task for task in site.get("/overview").json()["tasks"]}
        for phase, task in tasks.items():
            assert listed[task.id]["phase"] == phase
            assert listed[task.id]["reports"] == (12 if phase == "open" else 0)
            shown = site.get(f"/tasks/{task.id}/overview").json()
            assert shown.items() >= listed[task.id].items()
        [first] = site.get("/overview?limit=1").json()["tasks"]
        rest = site.get(f"/overview?limit=10&after={first['id']}").json()["tasks"]
        assert [first["id"], *(task["id"] for task in rest)] == sorted(listed)


def drawn_estimates(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the estimates that a chart draws, without what it adds to them."""
    return [{name: row[name] for name in COLUMNS} for row in chart["data"]["values"]]


def test_a_pilot_is_shown_as_one(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = site.add_task(keys=["Alien", HOSTILE], kind="sizes", mechanism="buckets", padding=8)
    add(site.store, *some_reports(range(12), task), task=task)
    shown = site.get(f"/tasks/{task.id}/overview").json()
    expected = {
        "kind": "sizes",
        "phase": "open",
        "reports": 12,
        "most_reports": 20_000,
        "method": "consistent",
        "methods": ["consistent"],
        "first_key": "Alien",
    }
    assert shown.items() >= expected.items()
    chart = site.get(f"/tasks/{task.id}/chart").json()
    estimates = site.get(f"/tasks/{task.id}/estimates").json()["estimates"]
    assert drawn_estimates(chart) == estimates
    assert len(chart["hconcat"]) == 1
    # The rows are drawn in their own order.
    assert [row["key"] for row in estimates] == ["0", "1", "2", "3-4", "5+"]
    assert [layer["encoding"]["y"]["sort"] for layer in chart["hconcat"][0]["layer"]] == [None] * 2
    check_problem(site.get(f"/tasks/{task.id}/precision"), 400, "malformed")
    monkeypatch.setattr("pckv.collector.task_phase.MAX_PILOT_REPORTS", 12)
    listed = {task["id"]: task for task in site.get("/overview").json()["tasks"]}
    assert (listed[task.id]["kind"], listed[task.id]["phase"]) == ("sizes", "closed")


def test_a_task_of_pairs_is_not_shown_as_a_pilot(site: Running) -> None:
    shown = site.get(f"/tasks/{site.add_task().id}/overview").json()
    expected = {"kind": "pairs", "most_reports": None, "method": "bayes", "first_key": "0"}
    assert shown.items() >= expected.items()
    assert shown["methods"] == ["baseline", "corrected", "bayes"]


def test_the_chart_shows_the_estimates(site: Running) -> None:
    task = site.add_task(keys=["Alien", HOSTILE, "Heat"])
    add(site.store, *some_reports(range(50), task), task=task)
    chart = site.get(f"/tasks/{task.id}/chart?method=baseline&level=0.9").json()
    estimates = site.get(f"/tasks/{task.id}/estimates?method=baseline&level=0.9&top=20").json()
    assert drawn_estimates(chart) == estimates["estimates"]
    for post in site.get(f"/tasks/{task.id}/overview").json()["posts"]:
        query = f"method=corrected&post={post}"
        chart = site.get(f"/tasks/{task.id}/chart?{query}").json()
        estimates = site.get(f"/tasks/{task.id}/estimates?{query}&top=20").json()
        assert drawn_estimates(chart) == estimates["estimates"]
        assert f"method corrected+{post}," in chart["title"]["subtitle"]
    for wrong in ("method=no", "post=no"):
        check_problem(site.get(f"/tasks/{task.id}/chart?{wrong}"), 400, "malformed")


def test_precision_is_what_plans_predict(site: Running) -> None:
    task = site.add_task(values=(0, 10))
    empty = site.get(f"/tasks/{task.id}/precision").json()
    assert empty["frequency_error"] is None
    assert empty["needed"] > 0
    add(site.store, *some_reports(range(50), task), task=task)
    precision = site.get(f"/tasks/{task.id}/precision?frequency=0.2&wanted=0.05").json()
    moments = CountMoments.of(task.channel.count_law)
    squares = predict(moments, 50, 0.2)
    assert precision["frequency_error"] == math.sqrt(squares.frequency)
    assert precision["mean_error"] == 5 * math.sqrt(squares.mean)
    assert precision["needed"] == math.ceil(moments.frequency_variance(0.2) / 0.05**2)


def values(panel: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that a panel and its layers draw."""
    layers = [panel, *panel["layer"]]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


def test_the_plan_is_that_of_the_library(site: Running) -> None:
    query = "keys=500&users=20000&epsilon=1.5&pairs=3&objective=mean"
    answer = site.get(f"/plan?{query}", ADMINISTRATOR).json()
    expected = plan(500, 20_000, "1.5", 3, objective="mean")
    assert answer["plan"] == json.loads(json.dumps(expected.to_dict()))
    chosen = next(option for option in expected.options if option.mechanism == expected.mechanism)
    for curve in (answer["by_epsilon"], answer["by_users"]):
        marked = [row for panel in curve["hconcat"] for row in values(panel) if row["series"] == "this plan"]
        assert marked
        for row in marked:
            assert row["frequency"] == pytest.approx(chosen.frequency_error)
            assert row["mean"] == pytest.approx(chosen.mean_error)
    assert answer["by_epsilon"]["hconcat"]
    assert answer["by_users"]["hconcat"]
    for wrong in ("keys=0", "keys=2&pairs=3", "epsilon=99", "epsilon=x"):
        query = "&".join({"keys": "keys=5", "epsilon": "epsilon=1", wrong.partition("=")[0]: wrong}.values())
        check_problem(site.get(f"/plan?users=100&{query}", ADMINISTRATOR), 400, "malformed")


def test_a_form_becomes_the_planned_task(site: Running) -> None:
    headers = bearer(ADMINISTRATOR)
    answer = ask(site, "POST", "/tasks/new", headers, json=FORM)
    assert answer.status_code == 201
    task = pckv.Task.from_json(answer.json()["task"])
    chosen = plan(2, 10_000, "1", 1)
    assert (task.name, task.keys, task.mechanism, task.padding) == (
        "movies",
        ("Alien", HOSTILE),
        chosen.mechanism,
        chosen.padding,
    )
    assert answer.headers["location"] == f"/tasks/{task.id}"
    assert site.get(f"/tasks/{task.id}", None).text == answer.json()["task"]
    assert ask(site, "POST", "/tasks/new", headers, json=FORM).status_code == 200
    site.administer("DELETE", f"/tasks/{task.id}")
    check_problem(ask(site, "POST", "/tasks/new", headers, json=FORM), 410, "deleted")
    mistakes: list[dict[str, Any]] = [
        {"keys": []},
        {"keys": ["a", "a"]},
        {"low": "5"},
        {"epsilon": "0"},
        {"opens": "soon"},
        {"x": 1},
    ]
    for wrong in mistakes:
        check_problem(ask(site, "POST", "/tasks/new", headers, json=FORM | wrong), 400, "malformed")


def test_search_ignores_case_and_states_the_number_of_matches(site: Running) -> None:
    task = site.add_task(keys=["Straße", "STRASSE", "other"])
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&limit=1")
    assert answer.headers["x-total-count"] == "2"
    assert [row["key"] for row in answer.json()["estimates"]] == ["Straße"]
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&keys=other&keys=STRASSE")
    assert [row["key"] for row in answer.json()["estimates"]] == ["STRASSE"]


def test_estimates_are_computed_again_only_after_new_reports(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = site.add_task()
    merged: list[str] = []

    def merge(merging: pckv.Task, parts: Iterable[bytes]) -> pckv.Tally:
        merged.append(merging.id)
        return merge_parts(merging, parts)

    monkeypatch.setattr(estimate_cache, "merge_parts", merge)
    for number in range(3):
        add(site.store, *some_reports(range(10 * number, 10 * number + 10), task), task=task)
        for _ in range(3):
            assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 10 * number + 10
        assert len(merged) == number + 1
    site.store.compact(task.id, fully=True)
    assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 30


def test_concurrent_requests_compute_the_same_estimates_once(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = site.add_task()
    add(site.store, *some_reports(range(10), task), task=task)
    go_on, calls = threading.Event(), []

    def slowly(tally: pckv.Tally, method: str, **options: Any) -> pckv.Estimates:
        calls.append(method)
        assert go_on.wait(20)
        return pckv.estimate(tally, method, **options)

    monkeypatch.setattr(estimate_cache, "estimate", slowly)
    # More requests than the server has threads.
    with ThreadPoolExecutor(40) as pool:
        answers = [pool.submit(site.get, f"/tasks/{task.id}/estimates") for _ in range(40)]
        wait_until(lambda: calls)
        assert site.get("/overview").status_code == 200
        go_on.set()
        assert {answer.result().json()["reports"] for answer in answers} == {10}
    assert len(calls) == 1
    assert site.app.state.collector.estimate_cache._in_progress == {}
