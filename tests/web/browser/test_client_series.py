"""Reports to series from real pages: tabs, crashes and clocks, with the browser's own database and a real collector."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from pckv.base.days import utc_today
from pckv.contract.series import Series
from support.browser import Tab, url, wait_for
from support.collectors import Running, new_task
from support.stores import stored_reports

PAIRS = {"1": 1, "4": 0.25}


def add_series(collector: Running, **members: Any) -> Series:
    """Add a series whose first round is open."""
    given: dict[str, Any] = {"first": utc_today(), "period": 7, "panels": 1} | members
    series = Series(task=new_task(), **given)
    assert collector.administer("POST", "/series", series.to_json().encode()).status_code == 201
    return series


def in_two_tabs(context: Any, port: int, collector: Running, series: Series) -> list[dict[str, Any]]:
    """Let two tabs report at the same time: both wait for the series, and get it together."""
    tabs = [Tab(context, port), Tab(context, port)]
    held: list[Any] = []
    context.route("**/series/*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    for tab in tabs:
        tab.start(url(collector), {}, "report", series.id, PAIRS)
    wait_for(tabs[0].page, lambda: len(held) == 2)
    while held:
        held.pop().continue_()
    results = [tab.result() for tab in tabs]
    assert [tab.errors for tab in tabs] == [[], []]
    context.unroute("**/series/*")
    return results


def test_two_tabs_make_one_report_per_round(context: Any, port: int, collector: Running) -> None:
    series = add_series(collector)
    results = in_two_tabs(context, port, collector, series)
    assert [result["status"] for result in results] == ["sent", "sent"]
    assert sorted(result["perturbed"] for result in results) == [False, True]
    tab = Tab(context, port)
    again = tab.call(url(collector), {}, "report", series.id, {"no such key": 7})
    assert (again["status"], again["perturbed"], again["round"]) == ("sent", False, 1)
    # By a clock that is a week ahead, the collector does not take the report yet, and nothing is spent.
    tab.set_clock((dt.datetime.now(dt.UTC) + dt.timedelta(7)).isoformat())
    early = tab.call(url(collector), {}, "report", series.id, PAIRS)
    assert (early["status"], early["round"], early["epsilon"]) == ("refused", 2, "0")
    [entry] = tab.call(url(collector), {}, "ledger")
    assert (entry["series"], entry["round"], entry["day"]) == (series.id, 1, utc_today())
    assert len(stored_reports(collector.store, series.task_of(1))) == 1


def test_two_tabs_draw_one_panel(context: Any, port: int, collector: Running) -> None:
    """Of 1,000 panels, two draws would give the same one with probability .001."""
    series = add_series(collector, period=1, panels=1000)
    first, second = in_two_tabs(context, port, collector, series)
    again = Tab(context, port).call(url(collector), {}, "report", series.id, PAIRS)
    assert first["round"] == second["round"] == again["round"]


def test_a_page_that_ends_while_it_sends_leaves_the_bytes_to_the_next(
    context: Any, port: int, collector: Running
) -> None:
    series, sent = add_series(collector), list[Any]()
    tab = Tab(context, port)
    tab.page.route("**/reports", lambda route: sent.append(route.request.post_data))
    tab.start(url(collector), {}, "report", series.id, PAIRS)
    wait_for(tab.page, lambda: bool(sent))
    tab.page.close()
    tab = Tab(context, port)
    tab.page.on("request", lambda request: sent.append(request.post_data) if "/reports" in request.url else None)
    receipt = tab.call(url(collector), {}, "report", series.id, PAIRS)
    assert (receipt["status"], receipt["perturbed"]) == ("sent", False)
    assert len(sent) == 2
    assert json.loads(sent[0]) == json.loads(sent[1])
