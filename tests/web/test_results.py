"""Public results: off by default, the dashboard's numbers, computed at most once per minute."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import pckv
from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.collector.analysis import estimates as estimates_part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.estimators.alarms import check_reports
from pckv.web import results
from pckv.web.results import MAX_KEYS_SHOWN, PublicResults
from support.collectors import Running, check_problem, new_task, report, some_reports
from support.stores import add


def publish(site: Running, task: pckv.Task, *, public: bool = True) -> None:
    content = b'{"public_results": true}' if public else b'{"public_results": false}'
    site.administer("PATCH", f"/tasks/{task.id}", content).raise_for_status()


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of reports that estimates were computed from."""
    counts: list[int] = []

    def estimate(tally: pckv.Tally, *arguments: Any, **options: Any) -> pckv.Estimates:
        counts.append(tally.reports)
        return pckv.estimate(tally, *arguments, **options)

    monkeypatch.setattr(estimates_part, "estimate", estimate)
    return counts


def test_results_are_public_only_while_they_are_switched_on(site: Running) -> None:
    task = site.add_task()
    path = f"/tasks/{task.id}/results"
    add(site.store, *some_reports(range(50), task), task=task)
    for token in (None, "an analyst's token"):
        check_problem(site.get(path, token), 404, "unknown")
    site.administer("PUT", "/organisation", b'{"name": "Tenants of the North"}').raise_for_status()
    publish(site, task)
    answer = site.get(path, None)
    assert (answer.status_code, answer.json()["reports"]) == (200, 50)
    assert (answer.json()["organisation"], answer.json()["logo"]) == ("Tenants of the North", False)
    assert answer.headers["cache-control"] == "public, max-age=60"
    publish(site, task, public=False)
    check_problem(site.get(path, None), 404, "unknown")
    check_problem(site.get(f"/tasks/{43 * 'A'}/results", None), 404, "unknown")
    site.administer("DELETE", f"/tasks/{task.id}?now=true").raise_for_status()
    check_problem(site.get(path, None), 410, "deleted")


def test_the_numbers_and_sentences_are_the_dashboards(site: Running) -> None:
    about = {"question": "Which ones have you seen?", "unit": "stars"}
    task = new_task(about=about, padding=2, closes="2030-02-01")
    site.store.add_task(task, utc_today())
    words = [report(number, 1, task) for number in range(60)]
    add(site.store, *words, *some_reports(range(2000, 3000), task), task=task, day="2030-01-14")
    publish(site, task)
    shown = site.get(f"/tasks/{task.id}/results", None).json()
    estimates = site.get(f"/tasks/{task.id}/estimates").json()
    for name in ("reports", "epsilon", "method", "level", "verdict", "mechanism"):
        assert shown[name] == estimates[name]
    assert sorted(shown["estimates"], key=str) == sorted(estimates["estimates"], key=str)
    order = [(not row["detected"], -row["frequency"]) for row in shown["estimates"]]
    assert order == sorted(order)
    assert shown["about"].items() >= about.items()
    assert (shown["name"], shown["phase"], shown["closes"]) == (task.name, "open", "2030-02-01")
    assert (shown["keys"], shown["last_report"]) == (11, "2030-01-14")


def test_impossible_counts_are_not_published_and_the_operator_sees_them(site: Running) -> None:
    """200 copies of one body: no number is left in the public answer; the administrator's has all and the warning."""
    honest, task = site.add_task(), site.add_task()
    for each in (honest, task):
        publish(site, each)
        add(site.store, *some_reports(range(500), each), task=each)
    add(site.store, *(report(number, 1, task) for number in range(1000, 1200)), task=task)
    assert "withheld" not in site.get(f"/tasks/{honest.id}/results", None).json()
    shown = site.get(f"/tasks/{task.id}/results", None).json()
    assert shown["withheld"] == results.WITHHELD
    assert shown["reports"] == 700
    assert not {"estimates", "verdict", "impossible", "warning", "sizes"} & set(shown)
    estimates = site.get(f"/tasks/{task.id}/estimates").json()
    assert len(estimates["estimates"]) == 11
    assert estimates["impossible"][0]["name"] == "key with a value"
    assert estimates["verdict"][: len(estimates["warning"])] == estimates["warning"]
    key = site.get(f"/tasks/{task.id}/key?name=0").json()
    assert key["warning"] == estimates["warning"]
    chart = site.get(f"/tasks/{task.id}/chart").json()
    assert chart["title"]["subtitle"].startswith("impossible counts, do not use: 700 reports")


def test_repeated_words_do_not_hide_the_public_page(site: Running) -> None:
    """Ten copies of a report are beyond chance, and one participant can send them: the operator alone is told."""
    task = site.add_task(mechanism="collision")
    publish(site, task)
    words = [report(number, task=task) for number in range(400)]
    add(site.store, *words, *(report(number, 7, task) for number in range(1000, 1010)), task=task)
    shown = site.get(f"/tasks/{task.id}/results", None).json()
    assert (shown["reports"], len(shown["estimates"])) == (410, 11)
    assert "withheld" not in shown
    checked = check_reports(task, [np.array([int.from_bytes(each.body, "little") for each in words] + [7] * 10)])
    assert "repeated functions" in [test.name for test in checked.unusual]


def test_only_some_of_many_keys_are_listed(site: Running) -> None:
    task = site.add_task(keys=MAX_KEYS_SHOWN + 50)
    publish(site, task)
    shown = site.get(f"/tasks/{task.id}/results", None).json()
    assert (shown["keys"], len(shown["estimates"])) == (MAX_KEYS_SHOWN + 50, MAX_KEYS_SHOWN)


def test_strangers_have_a_task_computed_once_per_minute(site: Running, computed: list[int]) -> None:
    tasks = [site.add_task() for _ in range(2)]
    for task in tasks:
        publish(site, task)
    for number in range(3):
        for task in tasks:
            add(site.store, report(number, task=task), task=task)
        with ThreadPoolExecutor(8) as pool:
            paths = [f"/tasks/{task.id}/results" for task in tasks for _ in range(4)]
            answers = list(pool.map(lambda path: site.get(path, None), paths))
        assert {answer.json()["reports"] for answer in answers} == {1}
    assert computed == [1, 1]
    # After a minute they are computed again.
    site.app.state.public_results._seconds = 0
    try:
        assert site.get(f"/tasks/{tasks[0].id}/results", None).json()["reports"] == 3
    finally:
        site.app.state.public_results = PublicResults()


@pytest.mark.parametrize("error", [ProblemDetails(ProblemKind.TOO_OFTEN), StoreError("not now")])
def test_a_failure_is_not_kept(site: Running, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """One moment in which the store did not answer made the page fail for a minute."""
    task = site.add_task()
    publish(site, task)
    errors, compute = [error], results._compute

    async def fail_once(*arguments: Any) -> bytes:
        if errors:
            raise errors.pop()
        return await compute(*arguments)

    monkeypatch.setattr(results, "_compute", fail_once)
    statuses = [site.get(f"/tasks/{task.id}/results", None).status_code for _ in range(3)]
    assert statuses == [429 if isinstance(error, ProblemDetails) else 503, 200, 200]
