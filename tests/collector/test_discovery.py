"""Discoveries at a collector: what the library finds, in all formats, cached, and refused where there is nothing to find."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pckv
from pckv.base.days import utc_today
from pckv.base.errors import ParameterError
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.collector.analysis import estimates as discoveries
from pckv.collector.http.metrics import Metrics
from pckv.collector.upkeep import AlarmWatch
from support.collectors import ADMINISTRATOR, DAY, Running, check_problem, perturbed
from support.stores import add, tally

HELD: tuple[dict[str, float], ...] = ({"ab": 1}, {"ab": 1}, {"b": 1}, {})
Collected = tuple[pckv.Task, list[pckv.Report]]


def added(collector: Running, name: str, times: int = 100) -> Collected:
    """Store a discovery, and reports of people who hold texts."""
    task = pckv.Task.discovery(name=name, epsilon=4, alphabet="ab", characters=3)
    collector.store.add_task(task, utc_today())
    reports = perturbed(task, *HELD, times=times)
    add(collector.store, *reports, task=task)
    return task, reports


@pytest.fixture(scope="module")
def terms(small: Running) -> Collected:
    return added(small, "Search terms")


def test_what_is_found_is_what_the_library_finds(small: Running, terms: Collected) -> None:
    task, reports = terms
    counted = tally(reports, task)
    expected = pckv.discover(counted)
    assert {key.key for key in expected.keys} == {"ab", "b"}
    path = f"/tasks/{task.id}/discovery"
    answer = small.get(path)
    assert answer.text == expected.to_json()
    assert {(node["prefix"], node["leads_to_key"]) for node in answer.json()["tree"]} >= {("a", True)}
    assert small.get(path, Accept="text/csv").text == expected.to_csv()
    assert small.get(f"{path}?language=de", Accept=XLSX_TYPE).content == expected.to_xlsx(task, "de", DAY)
    assert small.get(path, Accept="application/vnd.apache.parquet").content == expected.to_parquet()
    listed = small.get(path, Accept="text/plain")
    assert (listed.text, listed.headers["content-type"]) == ("ab\nb\n", "text/plain; charset=utf-8")
    assert 'filename="search-terms-2030-01-15-keys.txt"' in listed.headers["content-disposition"]
    wider = small.get(f"{path}?level=0.5&false_discovery_rate=0.2&top=1").text
    assert wider == pckv.discover(counted, 0.5, false_discovery_rate=0.2).top(1).to_json()
    assert small.get(path, token=ADMINISTRATOR).status_code == 200
    check_problem(small.get(path, token=None), 401, "bad-token")
    check_problem(small.get(path, Accept="image/png"), 406, "not-acceptable")


def test_nothing_is_computed_twice(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task, _ = added(small, "cached", times=20)
    computed: list[int] = []

    def discover(counted: pckv.Tally, **options: Any) -> pckv.Discovery:
        computed.append(counted.reports)
        return pckv.discover(counted, **options)

    monkeypatch.setattr(discoveries, "discover", discover)
    path = f"/tasks/{task.id}/discovery"
    first = small.get(path)
    assert small.get(f"{path}?top=1").json()["tree"] == first.json()["tree"]
    assert small.get(path, **{"If-None-Match": first.headers["etag"]}).status_code == 304
    # Parts that are put together are the same reports.
    small.app.state.collector.compactor.compact(task.id)
    assert small.get(path).text == first.text
    assert computed == [80]
    small.get(f"{path}?level=0.9")
    add(small.store, *(pckv.perturb(task, ["bb"]) for _ in range(10)), task=task)
    later = small.get(path, **{"If-None-Match": first.headers["etag"]})
    assert (later.status_code, later.json()["reports"]) == (200, 90)
    assert computed == [80, 80, 90]


@pytest.mark.parametrize(
    "query",
    ["level=0", "level=1", "level=nan", "false_discovery_rate=0", "false_discovery_rate=1", "top=0", "top=x"],
)
def test_bad_options_are_malformed(small: Running, terms: Collected, query: str) -> None:
    check_problem(small.get(f"/tasks/{terms[0].id}/discovery?{query}"), 400, "malformed")


def test_what_is_no_discovery_or_has_too_few_reports_is_refused(small: Running) -> None:
    listed = small.get(f"/tasks/{small.add_task().id}/discovery")
    check_problem(listed, 400, "malformed")
    assert "is not a discovery" in listed.json()["detail"]
    task = pckv.Task.discovery(name="few", epsilon=4, alphabet="ab", characters=3)
    small.store.add_task(task, utc_today())
    add(small.store, *perturbed(task, {"a": 1.0}, times=2), task=task)
    few = small.get(f"/tasks/{task.id}/discovery")
    check_problem(few, 400, "malformed")
    assert "more groups than reports: 3 groups, 2 reports" in few.json()["detail"]


@pytest.mark.parametrize("path", ["estimates", "estimates?keys=ab", "chart", "precision", "key?name=ab"])
def test_a_discovery_has_no_estimates(small: Running, terms: Collected, path: str) -> None:
    check_problem(small.get(f"/tasks/{terms[0].id}/{path}"), 400, "malformed")


def test_the_refusal_of_estimates_says_what_to_ask_instead(small: Running, terms: Collected) -> None:
    asked = small.ask(terms[0], ["ab"])
    check_problem(asked, 400, "malformed")
    assert f"/tasks/{terms[0].id}/discovery finds them" in asked.json()["detail"]


def test_lists_and_overviews_tell_the_kind(small: Running, terms: Collected) -> None:
    task, reports = terms
    tree = {"alphabet": "ab", "characters": 3, "groups": 3}
    overview = small.get(f"/tasks/{task.id}/overview").json()
    assert (overview["kind"], overview["keys"], overview["reports"]) == ("discovery", tree, len(reports))
    assert (overview["first_key"], overview["posts"]) == ("any text", [])
    listed = small.get("/overview").json()["tasks"] + small.administer("GET", "/tasks").json()["tasks"]
    assert [(each["kind"], each["keys"]) for each in listed if each["id"] == task.id] == [("discovery", tree)] * 2
    other = small.add_task()
    assert small.get(f"/tasks/{other.id}/overview").json()["kind"] == "pairs"


def test_a_discovery_is_uploaded_checked_and_closed_as_any_task(small: Running) -> None:
    task = pckv.Task.discovery(name="uploaded", epsilon=4, alphabet="ab", characters=3)
    assert small.administer("POST", "/tasks", task.to_json().encode()).status_code == 201
    assert small.client.get(f"/tasks/{task.id}").text == task.to_json()
    reports = perturbed(task, {"ab": 1.0}, times=120)
    assert small.upload(task, *reports) == {}
    small.check(task, *reports)
    # No group is reported too often, nor any function.
    AlarmWatch(small.store, Metrics()).check_due()
    alarms = small.get(f"/tasks/{task.id}/overview").json()["alarms"]
    assert (alarms["reports"], alarms["unusual"]) == (120, [])
    public = small.administer("PATCH", f"/tasks/{task.id}", json.dumps({"public_results": True}).encode())
    check_problem(public, 400, "malformed")
    assert "texts of up to 3 characters have no public page" in public.json()["detail"]
    assert small.administer("POST", f"/tasks/{task.id}/close").status_code == 200
    assert [key["key"] for key in small.get(f"/tasks/{task.id}/discovery").json()["keys"]] == ["ab"]


def test_a_discovery_is_not_repeated() -> None:
    task = pckv.Task.discovery(name="terms", epsilon=4, alphabet="ab", characters=3)
    with pytest.raises(ParameterError, match="'terms' is a discovery, which is not repeated"):
        pckv.Series(task=task, first="2030-01-07", period=7, panels=2)
