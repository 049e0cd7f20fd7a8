"""The routes of series, and the rounds that open and close by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from pckv import Series
from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.collector import background, upkeep
from pckv.collector.contracts.contracts import RoundMaker, due_rounds
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    DAY,
    JSON,
    Running,
    as_items,
    bearer,
    check_problem,
    new_task,
    report,
    running,
    some_reports,
    wait_until,
)
from support.memory_store import MemoryStore
from support.stores import opened, postgres_url, total


def new_series(**members: Any) -> Series:
    """Return a series that no other test has: its second round takes reports on `DAY`."""
    task = new_task(**members.pop("task", {}))
    defaults: dict[str, Any] = {"task": task, "first": "2030-01-08", "period": 7, "panels": 2}
    return Series(**(defaults | members))


def push(collector: Running, series: Series, query: str = "?force=true") -> Any:
    return collector.administer("POST", f"/series{query}", series.to_json().encode())


@pytest.fixture(scope="module")
def dated() -> Iterator[tuple[Running, list[str]]]:
    """A collector in memory, and the day that its clock shows."""
    day = [DAY]
    with running(clock=lambda: day[0]) as started:
        yield started, day


def test_a_series_is_created_once_and_shown_to_all(collector: Running) -> None:
    series = new_series(first=DAY, task={"keys": [f"key {number}" for number in range(200)]})
    created = push(collector, series, "")
    assert (created.status_code, created.headers["location"]) == (201, f"/series/{series.id}")
    assert created.json() == {"id": series.id, "warning": None}
    again = push(collector, series, "")
    assert (again.status_code, again.json()["id"]) == (200, series.id)
    shown = collector.get(f"/series/{series.id}", None)
    assert (shown.content, shown.headers["content-type"]) == (series.to_json().encode(), JSON)
    assert shown.headers["content-encoding"] == "gzip"
    assert shown.headers["access-control-allow-origin"] == "*"
    plain = collector.get(f"/series/{series.id}", None, **{"Accept-Encoding": "identity"})
    assert plain.content == shown.content
    for answer in (shown, plain):
        same = collector.get(f"/series/{series.id}", None, **{"If-None-Match": answer.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")
    for unknown in (new_series().id, "x", "%00"):
        check_problem(collector.get(f"/series/{unknown}", None), 404, "unknown")
        check_problem(collector.get(f"/series/{unknown}/rounds"), 404, "unknown")
        check_problem(collector.administer("POST", f"/series/{unknown}/close"), 404, "unknown")


def test_a_pushed_series_takes_reports_at_once_and_its_rounds_are_listed(collector: Running) -> None:
    series = new_series()
    push(collector, series)
    current, upcoming, over = (series.task_of(number) for number in (2, 3, 1))
    # Every device derives the same task, and the contract can be fetched too.
    assert collector.get(f"/tasks/{current.id}", None).text == current.to_json()
    assert collector.client.post(f"/tasks/{current.id}/admission", json={}).json() == {"coin": None}
    assert collector.upload(current, *some_reports(range(5), current)) == {}
    check_problem(collector.send(upcoming, []), 403, "not-open")
    check_problem(collector.send(over, []), 404, "unknown")
    answer = collector.get(f"/series/{series.id}/rounds").json()
    second = {
        "number": 2,
        "task": current.id,
        "opens": DAY,
        "closes": "2030-01-22",
        "closed": None,
        "reports_forgotten": None,
        "reports": 5,
        "phase": "open",
        "has_alarms": False,
    }
    third = second | {"number": 3, "task": upcoming.id, "opens": "2030-01-22", "closes": "2030-01-29"}
    third |= {"reports": 0, "phase": "waiting"}
    assert answer["rounds"] == [second, third]
    facts = answer["series"]
    assert (facts["name"], facts["phase"], facts["closed"]) == (series.name, "open", None)
    assert (facts["last_round"], facts["next_round"]) == (second, {"number": 3, "opens": "2030-01-22"})
    assert collector.get(f"/series/{series.id}/rounds?limit=1").json()["rounds"] == [third]
    assert collector.get(f"/series/{series.id}/rounds?before=3").json()["rounds"] == [second]
    assert collector.get(f"/series/{series.id}/rounds/2").json() == second
    for number in (1, 4, 10**6):
        check_problem(collector.get(f"/series/{series.id}/rounds/{number}"), 404, "unknown")
    for wrong in ("0", "x", "1000001"):
        check_problem(collector.get(f"/series/{series.id}/rounds/{wrong}"), 400, "malformed")
    assert collector.get("/series").json()["series"][0] == facts


def test_series_are_listed_page_by_page(collector: Running) -> None:
    added = [new_series() for _ in range(3)]
    for series in added:
        push(collector, series)
    listed: list[dict[str, Any]] = []
    query = ""
    while page := collector.get(f"/series?limit=2{query}").json()["series"]:
        listed += page
        query = f"&after={page[-1]['number']}"
    ids = [facts["id"] for facts in listed]
    assert ids[:3] == [series.id for series in reversed(added)]
    assert len(ids) == len(set(ids))


def test_rounds_are_not_in_the_list_of_tasks_unless_asked_for(collector: Running) -> None:
    series = new_series()
    push(collector, series)
    query = f"/overview?search={series.name}, round"
    assert collector.get(query).json()["tasks"] == []
    listed = collector.get(f"{query}&rounds=true").json()["tasks"]
    assert {task["id"] for task in listed} == {series.task_of(number).id for number in (2, 3)}


BAD: dict[str, Callable[[Series], bytes]] = {
    "empty": lambda _: b"",
    "task": lambda series: series.task.to_json().encode(),
    "spaces": lambda series: series.to_json().replace(",", ", ").encode(),
    "period": lambda series: series.to_json().replace('"period":7', '"period":0').encode(),
    "panels": lambda series: series.to_json().replace('"panels":2', '"panels":0').encode(),
    "days": lambda series: series.to_json().replace('"opens":null', '"opens":"2030-01-01"').encode(),
    "trailing": lambda series: series.to_json().encode() + b"\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_series_that_is_not_canonical_is_refused(small: Running, kind: str) -> None:
    series = new_series()
    changed = BAD[kind](series)
    assert changed != series.to_json().encode()
    check_problem(small.administer("POST", "/series?force=true", changed), 400, "malformed")
    assert small.get("/series").json() == {"series": []}


def test_a_first_day_in_the_past_must_be_meant(small: Running) -> None:
    series = new_series(first="2030-01-14")
    answer = push(small, series, "")
    check_problem(answer, 400, "malformed", "first")
    assert answer.json()["detail"].startswith("the first day, 2030-01-14, is in the past")
    check_problem(small.get(f"/series/{series.id}", None), 404, "unknown")
    assert push(small, series).status_code == 201
    # Pushed again, it is known, whatever its first day.
    assert push(small, series, "").status_code == 200


@pytest.mark.parametrize("written", [str, str.upper, "  {} ".format])
def test_a_name_is_that_of_one_survey(collector: Running, written: Callable[[str], str]) -> None:
    series, task = new_series(), collector.add_task()
    assert push(collector, series).json()["warning"] is None
    for taken in (series.name, task.name):
        another = new_series(panels=3, task={"name": written(taken)})
        check_problem(push(collector, another), 409, "name-taken", "name")
        check_problem(collector.get(f"/series/{another.id}", None), 404, "unknown")
        second = new_task(name=written(taken), keys=5)
        check_problem(collector.administer("POST", "/tasks", second.to_json().encode()), 409, "name-taken", "name")
        check_problem(collector.get(f"/tasks/{second.id}", None), 404, "unknown")
    # Its own is no other.
    assert push(collector, series).status_code == 200
    assert collector.administer("POST", "/tasks", task.to_json().encode()).status_code == 200


def test_who_may_do_what(collector: Running) -> None:
    series = new_series()
    text = series.to_json().encode()
    headers = bearer(ANALYST) | {"Content-Type": JSON}
    check_problem(collector.client.post("/series", content=text, headers=headers), 403, "forbidden")
    check_problem(collector.client.post("/series", content=text, headers={"Content-Type": JSON}), 401, "bad-token")
    media = bearer(ADMINISTRATOR) | {"Content-Type": "text/plain"}
    check_problem(collector.client.post("/series", content=text, headers=media), 415, "unsupported-media")
    push(collector, series)
    for path in ("", f"/{series.id}/rounds", f"/{series.id}/rounds/2"):
        check_problem(collector.get(f"/series{path}", None), 401, "bad-token")
        assert collector.get(f"/series{path}").status_code == 200
    check_problem(collector.client.post(f"/series/{series.id}/close", headers=bearer(ANALYST)), 403, "forbidden")


def test_a_round_is_neither_pushed_by_hand_nor_by_invitation(collector: Running) -> None:
    series = new_series()
    answer = collector.administer("POST", "/tasks", series.task_of(2).to_json().encode())
    check_problem(answer, 400, "malformed")
    assert series.id in answer.json()["detail"]
    push(collector, series)
    task = series.task_of(2)
    check_problem(collector.administer("POST", f"/tasks/{task.id}/invitations"), 400, "malformed")
    assert collector.upload(task, report(1, task=task)) == {}


def test_closing_a_series_ends_its_round_and_opens_no_other(dated: tuple[Running, list[str]]) -> None:
    collector, day = dated
    series = new_series()
    push(collector, series)
    current = series.task_of(2)
    assert collector.upload(current, report(1, task=current)) == {}
    for _ in range(2):
        closed = collector.administer("POST", f"/series/{series.id}/close").json()
        assert (closed["closed"], closed["phase"], closed["next_round"]) == (DAY, "closed", None)
    check_problem(collector.send(current, []), 403, "closed")
    state = collector.app.state.collector
    day[0] = "2030-01-22"
    try:
        RoundMaker(state.store, state.compactor.prepare).add_due(day[0])
        check_problem(collector.send(series.task_of(3), []), 403, "closed")
        assert [one.number for one in collector.store.rounds(series.id, 10)] == [2, 3]
    finally:
        day[0] = DAY
    # Pushing it again does not open it again, and says so.
    again = push(collector, series)
    assert again.status_code == 200
    assert again.json()["warning"] == f"the series was closed on {DAY}, and takes no more reports"
    check_problem(collector.send(current, []), 403, "closed")


def test_the_early_close_of_a_series_can_be_undone(dated: tuple[Running, list[str]]) -> None:
    """For seven days; its rounds are there again, also those that were due meanwhile, and none lost its reports."""
    collector, day = dated
    series = new_series()
    push(collector, series)
    current = series.task_of(2)
    assert collector.upload(current, report(1, task=current)) == {}
    path, maintenance = f"/series/{series.id}", collector.app.state.collector.maintenance
    try:
        for number, today in ((2, DAY), (3, "2030-01-22")):
            closed = collector.administer("POST", f"{path}/close").json()
            assert closed["closed"] == DAY
            day[0] = today
            maintenance.finish_closed_tasks(0, today)
            # Reports are kept as long as their round can be opened again.
            assert len(list(collector.store.reports(current.id))) == (today == DAY)
            maintenance._add_rounds()
            task = series.task_of(number)
            check_problem(collector.send(task, []), 403, "closed")
            for _ in range(2):
                reopened = collector.administer("POST", f"{path}/reopen").json()
                assert (reopened["phase"], reopened["closed"], reopened["reopen_until"]) == ("open", None, None)
            assert (reopened["last_round"]["number"], reopened["next_round"]["number"]) == (number, number + 1)
            assert collector.upload(task, report(2, task=task)) == {}
            assert closed["reopen_until"] == "2030-01-22"
        assert collector.administer("POST", f"{path}/close").json()["reopen_until"] == "2030-01-29"
        day[0] = "2030-01-30"
        late = collector.administer("POST", f"{path}/reopen")
        check_problem(late, 409, "not-reopenable")
        assert late.json()["detail"] == "It was closed on 2030-01-22, which could be undone until 2030-01-29."
        assert collector.get(f"{path}/rounds").json()["series"]["reopen_until"] is None
    finally:
        day[0] = DAY
    check_problem(collector.administer("POST", f"/series/{'A' * 43}/reopen"), 404, "unknown")


def has_last_round(store: MemoryStore, series: Series, number: int) -> bool:
    return store.rounds(series.id, 1)[0].number == number


def test_rounds_open_and_close_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN_ROUNDS", 0.02)
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN", 0.02)
    monkeypatch.setattr(background, "STEADY_SECONDS", 0.0)
    day, store = [DAY], MemoryStore()
    series = new_series(rounds=4)
    with running(store, lambda: day[0], keep_reports=1) as collector:
        push(collector, series)
        for number, opens in ((2, DAY), (3, "2030-01-22"), (4, "2030-01-29")):
            day[0], task = opens, series.task_of(number)
            assert collector.upload(task, *some_reports(range(3), task)) == {}
            # The next one is there before it opens, unless this is the last.
            wait_until(partial(has_last_round, store, series, min(number + 1, 4)))
        check_problem(collector.send(series.task_of(3), []), 403, "closed")
        day[0] = "2030-02-05"
        check_problem(collector.send(series.task_of(4), []), 403, "closed")
        facts = collector.get(f"/series/{series.id}/rounds").json()["series"]
        assert (facts["phase"], facts["next_round"], facts["last_round"]["number"]) == ("closed", None, 4)
        # Retention follows the days of each round, and tallies stay.
        wait_until(lambda: not list(store.reports(series.task_of(3).id)))
        assert [total(store, series.task_of(number)).reports for number in (2, 3, 4)] == [3, 3, 3]
        assert len(list(store.reports(series.task_of(4).id))) == 1


def test_a_collector_that_was_off_opens_the_round_of_today_before_its_first_request() -> None:
    store, series = MemoryStore(), new_series()
    store.add_series(series, "2030-01-08")
    with running(store, lambda: "2030-03-05") as collector:
        task = series.task_of(9)
        assert collector.upload(task, report(1, task=task)) == {}
    # Rounds that were missed have no task to report to.
    assert [one.number for one in store.rounds(series.id, 10)] == [9, 10]


def test_a_clock_that_was_wrong_once_keeps_no_round_away(dated: tuple[Running, list[str]]) -> None:
    collector, _ = dated
    series, state = new_series(), collector.app.state.collector
    push(collector, series)
    for day in ("2035-01-02", DAY, "2030-01-22"):
        state.contracts.rounds.add_due(day)
    assert [one.number for one in collector.store.rounds(series.id, 10)] == [2, 3, 4, 261, 262]
    # The round of today closes at once, though it is not among the last ones.
    current = series.task_of(2)
    asking = f"/tasks/{current.id}/admission"
    assert collector.client.post(asking, json={}).status_code == 200
    collector.administer("POST", f"/series/{series.id}/close")
    check_problem(collector.client.post(asking, json={}), 403, "closed")


def test_a_deleted_round_stays_deleted_and_the_others_go_on(dated: tuple[Running, list[str]]) -> None:
    collector, _ = dated
    series, state = new_series(), collector.app.state.collector
    push(collector, series)
    assert collector.administer("DELETE", f"/tasks/{series.task_of(3).id}?now=true").status_code == 200
    stored = collector.store.find_series(series.id)
    assert stored is not None
    for day in (DAY, "2030-01-22"):
        RoundMaker(state.store, state.compactor.prepare).add_rounds(stored, day)
    assert [one.number for one in collector.store.rounds(series.id, 10)] == [2, 4]
    check_problem(collector.get(f"/series/{series.id}/rounds/3"), 404, "unknown")
    check_problem(collector.get(f"/tasks/{series.task_of(3).id}", None), 410, "deleted")


def test_a_series_that_fails_keeps_no_other_from_its_rounds(dated: tuple[Running, list[str]]) -> None:
    collector, _ = dated
    broken, good = new_series(), new_series()

    class FailingStore(MemoryStore):
        def add_round(self, task: Any, day: str) -> bool:
            if task.series.id == broken.id:
                raise StoreError("not now")
            return super().add_round(task, day)

    store = FailingStore()
    for series in (good, broken):
        store.add_series(series, utc_today())
    maker = RoundMaker(store, collector.app.state.collector.compactor.prepare)
    with pytest.raises(StoreError, match="not now"):
        maker.add_due(DAY)
    assert [one.number for one in store.rounds(good.id, 10)] == [2, 3]


def test_two_collectors_on_one_database_agree() -> None:
    url, day, series = postgres_url(), [DAY], new_series()
    with ExitStack() as open_now:
        stores = [open_now.enter_context(opened(url)) for _ in range(2)]
        one, two = (open_now.enter_context(running(store, lambda: day[0])) for store in stores)
        assert push(one, series).status_code == 201
        assert push(two, series).status_code == 200
        for number, opens in ((2, DAY), (3, "2030-01-22")):
            day[0], task = opens, series.task_of(number)
            for collector in (one, two):
                state = collector.app.state.collector
                state.contracts.rounds.add_due(day[0])
            assert one.upload(task, *some_reports(range(4), task)) == {}
            assert two.upload(task, *some_reports(range(2, 7), task)) == {}
        lists = [collector.get(f"/series/{series.id}/rounds").json() for collector in (one, two)]
        assert lists[0] == lists[1]
        assert [listed["reports"] for listed in lists[0]["rounds"]] == [7, 7, 0]
        two.administer("POST", f"/series/{series.id}/close")
        # The other collector may remember the task for some seconds: then the transaction decides.
        task = series.task_of(3)
        late = one.send(task, as_items(report(99, task=task)))
        assert late.status_code == 403
        one.check(task, *some_reports(range(7), task))
        assert one.get(f"/series/{series.id}/rounds").json()["series"]["phase"] == "closed"


def test_which_rounds_are_due() -> None:
    series = new_series(first="2030-01-08", rounds=3)
    days = ("2030-01-01", "2030-01-08", "2030-01-15", "2030-01-22", "2030-01-29")
    assert [due_rounds(series, day) for day in days] == [[1], [1, 2], [2, 3], [3], []]
    endless = new_series(first="9999-12-20", rounds=None)
    assert due_rounds(endless, "9999-12-20") == [1]


def test_a_series_is_json_that_anybody_can_check(small: Running) -> None:
    series = new_series()
    push(small, series)
    members = json.loads(small.get(f"/series/{series.id}", None).text)
    assert members["task"] == json.loads(series.task.to_json())
