"""Alarms of a collector: when it checks, what the operator sees, and what it forgets."""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from pckv import Series, Task
from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.base.wire import Report
from pckv.collector import upkeep
from pckv.collector.http.metrics import Metrics
from pckv.collector.upkeep import AlarmWatch
from pckv.store.base import AlarmCheck, Upload
from support.collectors import Running, new_task, wait_until
from support.faults import in_place
from support.memory_store import MemoryStore


def same_word(count: int, word: int = 0) -> list[Report]:
    return [Report(os.urandom(16), struct.pack("<q", word)) for _ in range(count)]


def compact_task() -> Task:
    return new_task(mechanism={"name": "ue-compact", "q": 5}, keys=100, padding=1, size_share=0)


class Watched:
    """A store, its watch, and a clock that stands still."""

    def __init__(self) -> None:
        self.store, self.metrics, self.now = MemoryStore(), Metrics(), 1_900_000_000.0
        self.watch = AlarmWatch(self.store, self.metrics, lambda: self.now)

    def add(self, task: Task, reports: list[Report]) -> None:
        self.store.add_task(task, utc_today())
        self.store.add_reports([Upload(task.id, reports)], utc_today())

    def checked(self, task: Task) -> int | None:
        self.watch.check_due()
        found = self.watch.find(task.id)
        return None if found is None else found.reports


def test_a_task_is_checked_at_most_once_per_hour_and_only_if_it_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(upkeep.MIN_REPORTS - 1))
    assert watched.checked(task) is None
    watched.add(task, same_word(1))
    assert watched.checked(task) == 100
    watched.add(task, same_word(50))
    watched.now += 3599
    assert watched.checked(task) == 100
    watched.now += 1
    assert watched.checked(task) == 150
    assert upkeep.SECONDS_BETWEEN_CHECKS == 3600
    watched.now += 3600
    monkeypatch.setattr(watched.store, "reports", lambda _: pytest.fail("nothing has grown"))
    assert watched.checked(task) == 150


def test_unusual_reports_are_counted_and_forgotten_with_their_task() -> None:
    watched, quiet, loud = Watched(), compact_task(), compact_task()
    for word in range(0, 625, 2):
        watched.add(quiet, same_word(1, word))
    watched.add(loud, same_word(300))
    watched.watch.check_due()
    assert b"pckv_task_alarms 1.0" in watched.metrics.page()
    found = watched.watch.find(loud.id)
    assert found is not None
    assert found.to_dict()["checked"] == "2030-03-17T17:46+00:00"
    assert "heaviest function" in found.to_dict()["unusual"]
    watched.store.delete_task(loud.id, "2030-01-15")
    watched.watch.check_due()
    assert b"pckv_task_alarms 0.0" in watched.metrics.page()
    assert watched.watch.find(loud.id) is None


def check_alarms_of_all_pages() -> None:
    """Assert that every task with unusual reports is counted, on whichever page of tasks it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upkeep, "TASKS_PER_PAGE", 2)
        watched = Watched()
        for _ in range(5):
            watched.add(compact_task(), same_word(upkeep.MIN_REPORTS))
        for _ in range(2):
            # The first time they are checked, the second time what was found is read.
            watched.watch.check_due()
            assert b"pckv_task_alarms 5.0" in watched.metrics.page()


def test_alarms_of_all_pages_of_tasks_are_counted() -> None:
    check_alarms_of_all_pages()


PAGES_FAULT = in_place(
    "alarms are counted on the last page of tasks alone",
    "collector/upkeep.py",
    {
        "            after = page[-1].task.id\n": "            after = page[-1].task.id\n            tasks_with_alarms = 0\n"
    },
    check_alarms_of_all_pages,
)


def test_a_fault_of_pages_is_caught(tmp_path: Path) -> None:
    PAGES_FAULT.check_caught(tmp_path, raises=AssertionError)


def test_reports_that_were_forgotten_are_not_checked() -> None:
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(200))
    watched.store.close_task(task.id, "2030-01-15")
    watched.store.forget_reports(task.id, "2030-01-16")
    assert watched.checked(task) is None


def test_one_store_error_does_not_lose_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(200))
    assert watched.checked(task) == 200

    def fail(_: str) -> None:
        raise StoreError("gone")

    watched.now += 3600
    watched.add(task, same_word(1))
    monkeypatch.setattr(watched.store, "reports", fail)
    with pytest.raises(StoreError):
        watched.watch.check_due()
    assert watched.watch.find(task.id) is not None


def test_a_restart_checks_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 24 restarts per day exceeded the rate of false alarms."""
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(200))
    assert watched.checked(task) == 200
    before = watched.watch.find(task.id)
    watched.add(task, same_word(1))
    watched.now += 3599
    metrics = Metrics()
    again = AlarmWatch(watched.store, metrics, lambda: watched.now)
    monkeypatch.setattr(watched.store, "reports", lambda _: pytest.fail("checked within the hour"))
    again.check_due()
    assert again.find(task.id) == before
    assert b"pckv_task_alarms 1.0" in metrics.page()


def test_a_check_that_failed_is_repeated_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(200))
    with monkeypatch.context() as patch:
        patch.setattr(watched.store, "reports", lambda _: (_ for _ in ()).throw(StoreError("gone")))
        with pytest.raises(StoreError):
            watched.watch.check_due()
    watched.now += 3599
    assert watched.checked(task) is None
    watched.now += 1
    assert watched.checked(task) == 200


@pytest.mark.parametrize(
    "damaged",
    ["", "[]", "{}", "[" * 10**5, '{"reports": 1e999, "tests": []}', '{"reports": 1, "tests": [{"name": "x"}]}'],
)
def test_a_damaged_result_counts_as_none(damaged: str) -> None:
    watched, task = Watched(), compact_task()
    watched.add(task, same_word(200))
    assert watched.checked(task) == 200
    watched.store.record_alarm_check(task.id, AlarmCheck(int(watched.now), 200, damaged))
    assert watched.checked(task) is None
    watched.now += 3600
    assert watched.checked(task) == 200


def test_the_page_of_a_task_shows_what_was_found(collector: Running) -> None:
    task = compact_task()
    collector.store.add_task(task, utc_today())
    assert collector.get(f"/tasks/{task.id}/overview").json()["alarms"] is None
    collector.upload(task, *same_word(300))
    collector.app.state.collector.alarm_watch.check_due()
    shown = collector.get(f"/tasks/{task.id}/overview").json()["alarms"]
    assert shown["reports"] == 300
    assert "heaviest function" in shown["unusual"]
    assert shown["sentences"][0] == "These reports are unusual, and numbers that come from them may be wrong."
    assert (
        shown["sentences"][-1]
        == "Find where these reports come from, and count again without them: nothing is dropped."
    )
    assert "pckv_task_alarms 1.0" in collector.get("/metrics").text
    # Nothing is dropped.
    assert collector.get(f"/tasks/{task.id}/overview").json()["reports"] == 300


def test_rounds_and_their_series_are_marked(collector: Running) -> None:
    today = collector.app.state.collector.contracts.today()
    series = Series(task=compact_task(), first=today, period=7, panels=1)
    path = f"/series/{series.id}"
    collector.administer("POST", "/series", series.to_json().encode()).raise_for_status()
    collector.upload(series.task_of(1), *same_word(300))

    def marks() -> list[bool]:
        [listed] = [each for each in collector.get("/series").json()["series"] if each["id"] == series.id]
        shown, alone = (collector.get(f"{path}/rounds{one}").json() for one in ("", "/1"))
        first = {one["number"]: one for one in shown["rounds"]}[1]
        each = [listed, listed["last_round"], shown["series"], first, alone]
        assert first == listed["last_round"] == alone
        return [one["has_alarms"] for one in each]

    assert marks() == [False] * 5
    collector.app.state.collector.alarm_watch.check_due()
    assert marks() == [True] * 5
    collector.administer("DELETE", f"/tasks/{series.task_of(1).id}").raise_for_status()
    assert collector.get(f"{path}/rounds").json()["series"]["has_alarms"] is False


def test_every_worker_shows_what_the_first_one_found(collector: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of a task said "not checked yet" unless the first worker served it."""
    task = collector.add_task(mechanism={"name": "ue-compact", "q": 5}, keys=100, padding=1, size_share=0)
    collector.upload(task, *same_word(300))
    first = AlarmWatch(collector.store, Metrics())
    first.check_due()
    # The collector itself may have begun the check.
    wait_until(lambda: first.find(task.id))
    find = collector.store.alarm_checks

    def find_in_thread(task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return find(task_ids)

    monkeypatch.setattr(collector.store, "alarm_checks", find_in_thread)
    assert "heaviest function" in collector.get(f"/tasks/{task.id}/overview").json()["alarms"]["unusual"]
