"""Closing early and deleting by mistake can be mended, by HTTP; afterwards a task is gone for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.collector.http.auth import new_token, token_hash
from pckv.store.base import Role
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    DAY,
    Running,
    as_items,
    bearer,
    check_problem,
    new_task,
    report,
    running,
)
from support.stores import KINDS, opened, store_url

UNTIL = "2030-01-22"


@pytest.fixture(params=KINDS)
def dated(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Running, list[str]]]:
    """Run a collector whose day is the last of a list."""
    days = [DAY]
    with opened(store_url(request.param, tmp_path)) as store, running(store, lambda: days[-1]) as collector:
        yield collector, days


def ask(collector: Running, method: str, task: Task, what: str = "") -> Any:
    return collector.administer(method, f"/tasks/{task.id}{what}")


def test_an_early_close_is_undone_by_one_request(dated: tuple[Running, list[str]]) -> None:
    collector, days = dated
    task = collector.add_task(closes="2030-01-20")
    collector.upload(task, report(1, task=task))
    closed = ask(collector, "POST", task, "/close").json()
    # The closing day itself cannot be undone.
    assert (closed["closed"], closed["reopen_until"]) == (DAY, "2030-01-19")
    days.append("2030-01-19")
    for _ in range(2):
        assert ask(collector, "POST", task, "/reopen").json() == closed | {"closed": None, "reopen_until": None}
    collector.upload(task, report(2, task=task))
    collector.check(task, report(1, task=task), report(2, task=task))
    ask(collector, "POST", task, "/close")
    days.append("2030-01-20")
    late = ask(collector, "POST", task, "/reopen")
    check_problem(late, 409, "not-reopenable")
    assert late.json()["detail"] == "Its closing day, 2030-01-20, has come."
    assert collector.get(f"/tasks/{task.id}/overview").json()["reopen_until"] is None
    check_problem(ask(collector, "POST", new_task(), "/reopen"), 404, "unknown")


def test_a_deleted_task_waits_in_the_bin(dated: tuple[Running, list[str]]) -> None:
    collector, days = dated
    task, other = collector.add_task(), collector.add_task()
    collector.upload(task, report(1, task=task))
    collector.administer("PATCH", f"/tasks/{task.id}", b'{"public_results": true}')
    before = collector.get(f"/tasks/{task.id}/overview").json()
    estimates = collector.get(f"/tasks/{task.id}/estimates").content
    for _ in range(2):
        assert ask(collector, "DELETE", task).json() == {"task": task.id, "until": UNTIL}
        days.append("2030-01-16")
    listed = {"id": task.id, "name": task.name, "deleted": DAY, "until": UNTIL, "reports": 1}
    assert collector.get("/deleted", ADMINISTRATOR).json() == {"tasks": [listed]}
    # To participants it is closed.
    assert collector.get(f"/tasks/{task.id}", None).content == task.to_json().encode()
    check_problem(collector.send(task, as_items(report(2, task=task))), 403, "closed")
    check_problem(collector.client.post(f"/tasks/{task.id}/admission", json={}), 403, "closed")
    # To all others it is not there.
    for what in ("/overview", "/estimates", "/reports", "/results", "/chart"):
        check_problem(collector.get(f"/tasks/{task.id}{what}"), 404, "unknown")
    for what in ("/close", "/reopen", "/invitations"):
        check_problem(ask(collector, "POST", task, what), 404, "unknown")
    check_problem(collector.administer("PATCH", f"/tasks/{task.id}", b"{}"), 404, "unknown")
    for path in ("/tasks", "/overview"):
        assert [one["id"] for one in collector.get(path, ADMINISTRATOR).json()["tasks"]] == [other.id]
    again = collector.administer("POST", "/tasks", task.to_json().encode())
    check_problem(again, 410, "deleted")
    assert "in the bin" in again.json()["detail"]
    days.append(UNTIL)
    collector.app.state.collector.maintenance.empty_bin(UNTIL)
    for _ in range(2):
        assert ask(collector, "POST", task, "/restore").status_code == 200
    assert collector.get(f"/tasks/{task.id}/overview").json() == before
    assert collector.get(f"/tasks/{task.id}/estimates").content == estimates
    assert collector.get("/deleted", ADMINISTRATOR).json() == {"tasks": []}
    collector.upload(task, report(2, task=task))


def test_the_bin_is_emptied_and_now_means_now(dated: tuple[Running, list[str]]) -> None:
    collector, days = dated
    waiting, gone, later = (collector.add_task() for _ in range(3))
    for task in (waiting, gone, later):
        collector.upload(task, report(1, task=task))
    ask(collector, "DELETE", waiting)
    ask(collector, "DELETE", gone)
    deleted = ask(collector, "DELETE", gone, "?now=true").json()
    assert (deleted["day"], deleted["reports"], deleted["erasure"] in {"done", "pending"}) == (DAY, 1, True)
    check_problem(ask(collector, "POST", gone, "/restore"), 410, "deleted")
    days.append("2030-01-23")
    ask(collector, "DELETE", later)
    check_problem(ask(collector, "POST", waiting, "/restore"), 410, "deleted")
    collector.app.state.collector.maintenance.empty_bin("2030-01-23")
    assert [one["id"] for one in collector.get("/deleted", ADMINISTRATOR).json()["tasks"]] == [later.id]
    deletion = collector.store.find_deletion(waiting.id)
    assert deletion is not None
    assert (deletion.day, deletion.reports) == ("2030-01-23", 1)
    check_problem(ask(collector, "DELETE", waiting), 410, "deleted")
    check_problem(ask(collector, "DELETE", new_task()), 404, "unknown")
    check_problem(ask(collector, "POST", new_task(), "/restore"), 404, "unknown")


def test_a_name_is_given_once_and_is_free_in_the_bin(collector: Running) -> None:
    first = collector.add_task()
    second = new_task(name=first.name.upper(), keys=5)
    text = second.to_json().encode()
    refused = collector.administer("POST", "/tasks", text)
    check_problem(refused, 409, "name-taken", "name")
    assert refused.json()["title"] == "This name is taken."
    assert refused.json()["detail"].startswith("Another survey has this name. Browsers and apps ")
    ask(collector, "DELETE", first)
    assert collector.administer("POST", "/tasks", text).status_code == 201
    check_problem(ask(collector, "POST", first, "/restore"), 409, "name-taken", "name")
    ask(collector, "DELETE", second, "?now=true")
    assert ask(collector, "POST", first, "/restore").json()["id"] == first.id


def test_a_last_day_that_is_over_is_refused(dated: tuple[Running, list[str]]) -> None:
    collector, days = dated
    today, yesterday = (new_task(opens="2030-01-01", closes=day) for day in ("2030-01-16", DAY))
    refused = collector.administer("POST", "/tasks", yesterday.to_json().encode())
    check_problem(refused, 400, "malformed", "closes")
    assert refused.json()["detail"] == "The last day, 2030-01-14, is over."
    assert collector.administer("POST", "/tasks", today.to_json().encode()).status_code == 201
    days.append("2030-01-16")
    # It is there already.
    assert collector.administer("POST", "/tasks", today.to_json().encode()).status_code == 200


def test_another_worker_refuses_reports_to_a_deleted_task_at_once(tmp_path: Path) -> None:
    """What it remembers of the task is a second old; its transaction sees the store."""
    url = store_url("sqlite", tmp_path)
    with opened(url) as one, opened(url) as two, running(one) as deleting, running(two) as other:
        token = new_token()
        one.set_token(Role.ADMINISTRATOR, token_hash(token))
        task = deleting.add_task()
        other.upload(task, report(1, task=task))
        answer = deleting.client.delete(f"/tasks/{task.id}", headers=bearer(token))
        assert answer.status_code == 200
        check_problem(other.send(task, as_items(report(2, task=task))), 403, "closed")
        other.check(task, report(1, task=task))
        assert deleting.get(f"/tasks/{task.id}/overview", ANALYST).status_code == 404
