"""What the dashboard asks a collector for: overviews, charts, verdicts and estimates."""

from __future__ import annotations

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow.parquet as pq
import pytest

import pckv
from pckv.collector.analysis import estimates as estimates_part
from pckv.estimators.results.key_estimate import COLUMNS
from support.collectors import Running, check_problem, new_task, report, running, some_reports, wait_until
from support.site import HOSTILE
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
            # The page of a task has the alarms themselves.
            assert listed[task.id].pop("has_alarms") is False
            assert shown.items() >= listed[task.id].items()
        [first] = site.get("/overview?limit=1").json()["tasks"]
        rest = site.get(f"/overview?limit=10&after={first['number']}").json()["tasks"]
        newest = [task.id for task in reversed(tasks.values())]
        assert [first["id"], *(task["id"] for task in rest)] == newest == list(listed)


def test_tasks_are_found_by_name_and_state() -> None:
    with running(clock=lambda: "2030-01-15") as site:
        tasks = [site.add_task(name=name, opens=opens) for name, opens in (("Heat", None), ("ALIEN", "2030-02-01"))]
        found = {
            "search=lie": [tasks[1]],
            "search=a": [tasks[1], tasks[0]],
            "search=a&state=open": [tasks[0]],
            "state=waiting": [tasks[1]],
            "state=closed": [],
            "search=%00": [],
        }
        for query, expected in found.items():
            listed = site.get(f"/overview?{query}").json()["tasks"]
            assert [task["id"] for task in listed] == [task.id for task in expected]
        for wrong in ("state=lost", "after=x", "after=0", f"after={2**63}", "search=" + 257 * "x"):
            check_problem(site.get(f"/overview?{wrong}"), 400, "malformed")


def test_the_overview_tells_days_and_what_participants_read() -> None:
    day = ["2030-01-15"]
    with running(clock=lambda: day[0]) as site:
        about = {"question": "Which ones?", "contact": "us@example.org"}
        task = new_task(about=about)
        site.administer("POST", "/tasks", task.to_json().encode()).raise_for_status()
        path = f"/tasks/{task.id}/overview"
        assert site.get(path).json().items() >= {"created": day[0], "days": [], "last_report": None}.items()
        for day[0], numbers in (("2030-01-16", range(5)), ("2030-01-18", range(4, 7))):
            assert site.upload(task, *some_reports(numbers, task)) == {}
        shown = site.get(path).json()
        assert shown["days"] == [{"day": "2030-01-16", "reports": 5}, {"day": "2030-01-18", "reports": 2}]
        assert (shown["created"], shown["last_report"]) == ("2030-01-15", "2030-01-18")
        assert shown["about"].items() >= about.items()
        assert site.get("/overview").json()["tasks"][0]["last_report"] == "2030-01-18"


def drawn_estimates(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the estimates that a chart draws, without what it adds to them."""
    return [{name: row[name] for name in COLUMNS} for row in chart["data"]["values"]]


def test_a_task_is_shown_with_what_happens_to_larger_sets(site: Running) -> None:
    for members in ({"padding": 2}, {"padding": 2, "size_share": "0.1"}, {"padding": 2, "more": "refuse"}):
        task = site.add_task(**members)
        expected = {
            "padding": 2,
            "more": task.more,
            "size_share": task.size_share,
            "method": "bayes",
            "methods": ["baseline", "corrected", "bayes"],
            "bytes_per_report": 16 + task.law.body_bytes,
            "first_key": "0",
        }
        assert site.get(f"/tasks/{task.id}/overview").json().items() >= expected.items()


def test_the_verdict_is_about_all_keys_whichever_are_asked_for(site: Running) -> None:
    task = site.add_task(padding=2)
    assert task.law.word_limit is not None
    # Three of four people say that they hold more than two pairs.
    sizes = [report(number, task.law.word_limit + number % 4, task) for number in range(300)]
    add(site.store, *some_reports(range(1000, 1300), task), *sizes, task=task)
    whole, part = (site.get(f"/tasks/{task.id}/estimates?{query}").json() for query in ("", "search=1&limit=1"))
    assert len(part["estimates"]) == 1
    assert whole["verdict"] == part["verdict"]
    detected = sum(row["detected"] for row in whole["estimates"])
    sets, found = whole["verdict"]
    assert "of 11 keys stand" in found or not detected
    assert "out from the noise" in found
    assert 0 < whole["sizes"]["larger_low"] < whole["sizes"]["larger"]
    assert "of people hold more than 2 pairs" in sets


def test_all_parts_of_a_page_are_from_one_snapshot(site: Running) -> None:
    """Reports that come meanwhile are in none of its parts; what is not kept any more is refused."""
    task = site.add_task(keys=["Alien", "Heat"])
    path = f"/tasks/{task.id}"
    add(site.store, *some_reports(range(50), task), task=task)
    first = site.get(f"{path}/estimates")
    asked = f"snapshot={first.headers['X-Snapshot']}"
    add(site.store, *some_reports(range(50, 80), task), task=task)
    later = site.get(f"{path}/estimates")
    assert (first.json()["reports"], later.json()["reports"]) == (50, 80)
    assert later.headers["X-Snapshot"] != first.headers["X-Snapshot"]
    assert site.get(f"{path}/estimates?{asked}").json() == first.json()
    assert "50 reports" in site.get(f"{path}/chart?{asked}").json()["title"]["subtitle"]
    assert site.get(f"{path}/precision?{asked}").json()["reports"] == 50
    assert site.get(f"{path}/key?name=Heat&{asked}").json()["reports"] == 50
    assert site.get(f"{path}/key/levels?name=Heat&{asked}").json()["chart"]["title"]["subtitle"].startswith("50 rep")
    check_problem(site.get(f"{path}/estimates?snapshot={'0' * 64}"), 409, "outdated")
    check_problem(site.get(f"{path}/estimates?snapshot=no"), 400, "malformed")


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
    chart = site.get(f"/tasks/{task.id}/chart?hostile=2%25").json()
    assert "intervals hold whatever 1 of the reports say" in chart["title"]["subtitle"]
    assert len(chart["hconcat"]) == 2
    for wrong in ("method=no", "post=no", "hostile=no"):
        check_problem(site.get(f"/tasks/{task.id}/chart?{wrong}"), 400, "malformed")


def test_the_chart_has_a_bar_of_shares_per_key(site: Running) -> None:
    task = site.add_task(keys=["Alien", HOSTILE], values=(1, 5), levels=[1, 2, 5], epsilon=4)
    add(site.store, *some_reports(range(50), task), task=task)
    _, _, bars = site.get(f"/tasks/{task.id}/chart").json()["hconcat"]
    rows = site.get(f"/tasks/{task.id}/estimates?sort=-frequency").json()["estimates"]
    parts = {(part["key"], part["level"]): part["share"] for part in bars["layer"][0]["data"]["values"]}
    assert parts == {(row["key"], f"{share['value']:g}"): share["share"] for row in rows for share in row["shares"]}


@pytest.mark.parametrize("keys", [["Alien", HOSTILE, "Heat"], "hashed"], ids=["listed", "hashed"])
def test_nothing_is_said_of_means_where_keys_have_no_values(site: Running, keys: list[str] | str) -> None:
    task = site.add_task(keys=keys, values=None, padding=2, epsilon=4, mechanism="collision")
    path, asked = f"/tasks/{task.id}", "keys=Alien&keys=Heat"
    overview = site.get(f"{path}/overview").json()
    assert (overview["low"], overview["high"], overview["level_values"]) == (None, None, [1])
    add(site.store, *some_reports(range(300), task), task=task)
    places = ["overview", f"estimates?{asked}", "precision", "key?name=Alien", "key/levels?name=Alien"]
    if not task.is_hashed:
        site.administer("PATCH", path, b'{"public_results": true}').raise_for_status()
        places += ["results", "chart", "chart?hostile=1%25"]
    for place in places:
        answer = site.get(f"{path}/{place}")
        assert answer.status_code == 200, place
        # A reader of the table is told which columns there are.
        assert "mean" not in answer.text.replace('"has_means": false', "").replace('"has_means":false', ""), place
    [row, _] = site.get(f"{path}/estimates?{asked}").json()["estimates"]
    assert {*row} - {"collides"} == {"key", "frequency", "frequency_low", "frequency_high", "detected"}
    header = site.get(f"{path}/estimates?{asked}", Accept="text/csv").text.partition("\n")[0]
    assert "frequency" in header
    assert "mean" not in header
    file = site.get(f"{path}/estimates?{asked}", Accept="application/vnd.apache.parquet").content
    assert not [name for name in pq.read_schema(io.BytesIO(file)).names if "mean" in name]
    for sort in ("mean", "-mean"):
        answer = site.get(f"{path}/estimates?{asked}&sort={sort}")
        check_problem(answer, 400, "malformed")
        assert answer.json()["detail"] == "sort by mean needs values: the keys of this task have none"
    check_problem(site.get(f"{path}/estimates?{asked}&quantile=0.5"), 400, "malformed")


def test_search_ignores_case_and_states_the_number_of_matches(site: Running) -> None:
    task = site.add_task(keys=["Straße", "STRASSE", "other"])
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&limit=1")
    assert answer.headers["x-total-count"] == "2"
    assert [row["key"] for row in answer.json()["estimates"]] == ["Straße"]
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&keys=other&keys=STRASSE")
    assert [row["key"] for row in answer.json()["estimates"]] == ["STRASSE"]


def test_estimates_are_computed_again_only_after_new_reports(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = site.add_task()
    computed: list[int] = []

    def estimate(tally: pckv.Tally, *arguments: Any, **options: Any) -> pckv.Estimates:
        computed.append(tally.reports)
        return pckv.estimate(tally, *arguments, **options)

    monkeypatch.setattr(estimates_part, "estimate", estimate)
    for number in range(3):
        add(site.store, *some_reports(range(10 * number, 10 * number + 10), task), task=task)
        for _ in range(3):
            assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 10 * number + 10
    site.store.compact(task.id, fully=True)
    assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 30
    assert computed == [10, 20, 30]


def test_concurrent_requests_compute_the_same_estimates_once(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = site.add_task()
    add(site.store, *some_reports(range(10), task), task=task)
    go_on, calls = threading.Event(), []

    def slowly(tally: pckv.Tally, method: str, **options: Any) -> pckv.Estimates:
        calls.append(method)
        assert go_on.wait(20)
        return pckv.estimate(tally, method, **options)

    monkeypatch.setattr(estimates_part, "estimate", slowly)
    # More requests than the server has threads.
    with ThreadPoolExecutor(40) as pool:
        answers = [pool.submit(site.get, f"/tasks/{task.id}/estimates") for _ in range(40)]
        wait_until(lambda: calls)
        assert site.get("/overview").status_code == 200
        go_on.set()
        assert {answer.result().json()["reports"] for answer in answers} == {10}
    assert len(calls) == 1
    assert site.app.state.collector.estimates._results._answers._running == {}
