"""Trends of the series that a collector has."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pyarrow.parquet as pq
import pytest

from pckv import Series, Tally
from pckv.base.days import utc_today
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.base.words import Language
from pckv.collector.analysis import trends as trends_part
from pckv.collector.computations import AnalysisThreads
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends import trend as trends
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import trend
from support.collectors import (
    ADMINISTRATOR,
    DAY,
    Running,
    check_problem,
    new_task,
    report,
    some_reports,
    wait_until,
)
from support.stores import add, tally

LANGUAGES: tuple[Language, ...] = ("en", "de")
COUNTS = {1: 300, 2: 200, 3: 250}


def stored_series(collector: Running, **members: Any) -> tuple[Series, list[Tally]]:
    """Store a series with reports of three rounds; return it with their tallies."""
    task = new_task(keys=["up", "heat", "alien"], mechanism="grr", size_share=0, **members)
    series = Series(task=task, first="2030-01-01", period=7, panels=2)
    collector.store.add_series(series, utc_today())
    tallies = []
    for number, count in COUNTS.items():
        of_round = series.task_of(number)
        reports = some_reports(range(number, number + count), of_round)
        collector.store.add_round(of_round, utc_today())
        add(collector.store, *reports, task=of_round)
        tallies.append(tally(reports, of_round))
    return series, tallies


def test_a_trend_is_that_of_the_tallies(collector: Running) -> None:
    series, tallies = stored_series(collector)
    path, expected = f"/series/{series.id}/trend", trend(series, tallies)
    answer = collector.get(path)
    assert answer.text == expected.to_json()
    assert [one["reports"] for one in answer.json()["rounds"]] == list(COUNTS.values())
    file = f"{series.name.replace(' ', '-')}-{DAY}-trend"
    assert answer.headers["content-disposition"] == f'attachment; filename="{file}.json"'
    assert collector.get(path, Accept="text/csv").text == expected.to_csv()
    for language in LANGUAGES:
        written = collector.get(f"{path}?language={language}", Accept=XLSX_TYPE).content
        assert written == expected.to_xlsx(series.task, language, DAY)
    table = pq.read_table(io.BytesIO(collector.get(path, Accept="application/vnd.apache.parquet").content))
    assert table.column("key").to_pylist() == expected.table()["key"]
    asked = trend(series, tallies, 0.9, ["heat", "up"], false_discovery_rate=0.2).since(1, 0.2)
    query = "?level=0.9&keys=heat&keys=up&keys=heat&false_discovery_rate=0.2&since=1"
    assert collector.get(f"{path}{query}").text == asked.to_json()
    assert collector.get(f"{path}?top=1").text == expected.moved_most(1).to_json()
    # Rounds without reports are not among the last ones.
    for number in (4, 5):
        collector.store.add_round(series.task_of(number), utc_today())
    assert collector.get(f"{path}?limit=2").text == trend(series, tallies[1:]).to_json()


@pytest.mark.verify
def test_a_trend_of_keys_without_values_has_no_means(collector: Running) -> None:
    series, tallies = stored_series(collector, values=None)
    path, expected = f"/series/{series.id}/trend", trend(series, tallies)
    answer = collector.get(path)
    assert answer.text == expected.to_json()
    # A reader of the tables is told which columns there are.
    assert "mean" not in answer.text.replace("has_means", "")
    assert "mean" not in collector.get(path, Accept="text/csv").text
    file = collector.get(path, Accept="application/vnd.apache.parquet").content
    assert not [name for name in pq.read_schema(io.BytesIO(file)).names if "mean" in name]


def test_a_trend_changes_with_its_reports_and_closed_rounds_are_decoded_once(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    series, tallies = stored_series(collector)
    decoded: list[int] = []
    decode = RoundCounts.of

    def counting(series: Series, tally: Tally, *others: Any) -> RoundCounts:
        counts = decode(series, tally, *others)
        decoded.append(counts.number)
        return counts

    monkeypatch.setattr(RoundCounts, "of", counting)
    # However busy the machine is, the trend is waited for.
    monkeypatch.setattr(trends_part, "MAX_WAIT_SECONDS", 20)
    path = f"/series/{series.id}/trend"
    first = collector.get(path)
    tag = first.headers["etag"]
    assert (collector.get(path, **{"If-None-Match": tag}).status_code, decoded) == (304, [1, 2, 3])
    assert collector.get(f"{path}?level=0.8").status_code == 200
    assert decoded == [1, 2, 3]
    new = report(999, task=series.task_of(3))
    # Its round is not over: that of DAY.
    assert collector.upload(series.task_of(3), new) == {}
    tallies[2].add(new)
    second = collector.get(path, **{"If-None-Match": tag})
    assert (second.status_code, decoded) == (200, [1, 2, 3, 3])
    assert second.headers["etag"] != tag
    assert second.text == trend(series, tallies).to_json()


def test_nobody_waits_long_for_reports_that_have_just_come(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    series, tallies = stored_series(small)
    path = f"/series/{series.id}/trend"
    before, go_on, computed = small.get(path).text, threading.Event(), []

    def slow(*arguments: Any, **options: Any) -> Trend:
        computed.append(1)
        go_on.wait(20)
        return trend(*arguments, **options)

    monkeypatch.setattr(trends_part, "trend", slow)
    monkeypatch.setattr(trends_part, "MAX_WAIT_SECONDS", 0.02)
    for number in (997, 998, 999):
        new = report(number, task=series.task_of(3))
        assert small.upload(series.task_of(3), new) == {}
        tallies[2].add(new)
        assert small.get(path).text == before
        # It has read what the first of them found.
        wait_until(lambda: computed)
    go_on.set()
    after = trend(series, tallies).to_json()
    wait_until(lambda: small.get(path).text == after)
    # One for the first of them, which the others waited for, and one for all.
    assert len(computed) == 2
    go_on.clear()
    small.store.delete_task(series.task_of(1).id, DAY)
    threading.Timer(0.2, go_on.set).start()
    assert small.get(path).text == trend(series, tallies[1:]).to_json(), "nothing is shown of a deleted round"


def test_a_trend_is_not_computed_again_for_a_request_that_comes_while_it_ends(
    small: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    series, tallies = stored_series(small)
    path, go_on, computed = f"/series/{series.id}/trend", threading.Event(), []
    answers: list[Future[Any]] = []
    wait = AnalysisThreads.wait

    def slow(*arguments: Any, **options: Any) -> Trend:
        computed.append(1)
        go_on.wait(20)
        return trend(*arguments, **options)

    async def wait_late(threads: AnalysisThreads, result: Awaitable[Any]) -> Any:
        """Begin to wait only after what the first request began has ended and been answered."""
        go_on.set()
        await asyncio.wait([asyncio.wrap_future(answers[0])])
        return await wait(threads, result)

    monkeypatch.setattr(trends_part, "trend", slow)
    with ThreadPoolExecutor() as clients:
        answers.append(clients.submit(small.get, path))
        wait_until(lambda: computed)
        with monkeypatch.context() as patch:
            # The first request renders with it too, and must not wait for itself.
            patch.setattr(AnalysisThreads, "run", lambda _, __, work: asyncio.to_thread(work))
            patch.setattr(AnalysisThreads, "wait", wait_late)
            second = small.get(path).text
    assert second == answers[0].result().text == trend(series, tallies).to_json()
    assert len(computed) == 1


def test_reports_that_were_deleted_or_forgotten(collector: Running) -> None:
    series, tallies = stored_series(collector)
    path = f"/series/{series.id}/trend"
    collector.store.forget_reports(series.task_of(1).id, DAY)
    assert collector.get(path).text == trend(series, tallies).to_json()
    collector.store.delete_task(series.task_of(1).id, DAY)
    assert collector.get(path).text == trend(series, tallies[1:]).to_json()


def test_a_series_without_reports(small: Running) -> None:
    series = Series(task=new_task(), first="2030-01-01", period=7, panels=2)
    small.store.add_series(series, utc_today())
    answer = small.get(f"/series/{series.id}/trend?top=3").json()
    assert (answer["rounds"], answer["verdict"]) == ([], ["There are no reports yet."])


@pytest.mark.parametrize(
    "query",
    [
        "keys=unlisted",
        "since=9",
        "since=3",
        "since=0",
        "level=1",
        "false_discovery_rate=0",
        "limit=0",
        "top=0",
        "limit=1001",
    ],
)
def test_bad_queries(small: Running, query: str) -> None:
    series, _ = stored_series(small)
    check_problem(small.get(f"/series/{series.id}/trend?{query}"), 400, "malformed")


def test_who_gets_a_trend_and_in_which_form(small: Running) -> None:
    series, _ = stored_series(small)
    path = f"/series/{series.id}/trend"
    check_problem(small.get(path, None), 401, "bad-token")
    assert small.get(path, ADMINISTRATOR).status_code == 200
    check_problem(small.get(path, Accept="text/html"), 406, "not-acceptable")
    check_problem(small.get(f"/series/{43 * 'A'}/trend"), 404, "unknown")


def test_of_too_many_keys_those_wanted_are_named(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    series, tallies = stored_series(small)
    monkeypatch.setattr(trends, "MAX_ESTIMATES", 8)
    path = f"/series/{series.id}/trend"
    refused = small.get(path)
    check_problem(refused, 400, "malformed")
    assert "name the keys wanted" in refused.json()["detail"]
    for keys in (["heat"], ["alien", "up"]):
        query = "&".join(f"keys={key}" for key in keys)
        assert small.get(f"{path}?{query}").text == trend(series, tallies, keys=keys).to_json()
