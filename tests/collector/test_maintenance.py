"""What a collector does by itself, and how it stops."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.base.wire import Report
from pckv.collector import background, upkeep
from pckv.collector.analysis.tallies import PARTS_TO_COMPACT
from pckv.collector.app import create_app
from pckv.collector.background import SteadyDay
from pckv.collector.http.settings import Settings
from pckv.collector.upkeep import Maintenance
from pckv.store.base import ReportOutcome, Role, Session, Upload
from support.collectors import Running, new_task, report, running, some_reports, wait_until
from support.memory_store import MemoryStore
from support.stores import opened, stored_reports, total
from support.uploads import SlowStore


def test_what_is_stored_of_sessions_goes_after_their_time() -> None:
    store = MemoryStore()
    now = int(time.time())
    over, goes_on = (
        Session(bytes([number]) * 32, b"token", Role.ANALYST, now + seconds) for number, seconds in ((1, -1), (2, 1000))
    )
    for session in (over, goes_on):
        store.add_session(session)
    with running(store):
        wait_until(lambda: store.find_session(over.hash) is None)
        assert store.find_session(goes_on.hash) == goes_on


def test_parts_are_compacted_while_uploads_go_on(collector: Running) -> None:
    task = collector.add_task()
    reports = some_reports(range(60), task)
    state = collector.app.state.collector

    def send(batch: list[Report]) -> None:
        for sent in batch:
            assert collector.upload(task, sent) == {}

    senders = [threading.Thread(target=send, args=(reports[start::2],)) for start in range(2)]
    for sender in senders:
        sender.start()
    while any(sender.is_alive() for sender in senders):
        state.compactor.compact_all(2)
        time.sleep(0.01)
    for sender in senders:
        sender.join()
    collector.check(task, *reports)
    before = collector.get(f"/tasks/{task.id}/estimates").text
    state.compactor.compact_all(1)
    sizes = sorted(len(part.content) for part in collector.store.parts(task.id))
    assert all(size > sum(sizes[:index]) for index, size in enumerate(sizes))
    collector.administer("POST", f"/tasks/{task.id}/close")
    state.maintenance.finish_closed_tasks(None, state.contracts.today())
    assert len(collector.store.parts(task.id)) == 1
    assert collector.get(f"/tasks/{task.id}/estimates").text == before


def test_the_log_of_a_database_is_emptied_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN_ERASURES", 0.02)
    log = tmp_path / "pckv.db-wal"
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store, running(store) as collector:
        task = collector.add_task()
        for number in range(3):
            assert collector.upload(task, report(number, task=task)) == {}
            wait_until(lambda: log.stat().st_size == 0)
        # A reader is there: the deletion is done, its erasure waits, and asking again tells when it is done.
        with store.snapshot() as snapshot:
            assert list(snapshot.reports(task.id))
            for _ in range(2):
                answer = collector.administer("DELETE", f"/tasks/{task.id}?now=true")
                assert (answer.status_code, answer.json()["erasure"]) == (200, "pending")
        wait_until(lambda: store.pending_erasures() == [])
        assert collector.administer("DELETE", f"/tasks/{task.id}?now=true").json()["erasure"] == "done"


def test_reports_are_forgotten_some_days_after_closing_and_the_tally_stays(collector: Running) -> None:
    state = collector.app.state.collector
    closing, ending, running_on = (
        collector.add_task(),
        collector.add_task(closes="2030-01-20"),
        collector.add_task(),
    )
    for task in (closing, ending, running_on):
        collector.upload(task, *some_reports(range(20), task))
    before = [bytes(total(collector.store, task)) for task in (closing, ending, running_on)]
    collector.administer("POST", f"/tasks/{closing.id}/close")

    def left(day: str) -> list[int]:
        state.maintenance.finish_closed_tasks(7, day)
        stored = (collector.store.reports(task.id) for task in (closing, ending, running_on))
        return [sum(map(len, batches)) for batches in stored]

    assert left("2030-01-21") == [20, 20, 20]
    # The early close can be undone until this day.
    assert left("2030-01-22") == [20, 20, 20]
    assert left("2030-01-23") == [0, 20, 20]
    assert left("2030-01-26") == [0, 20, 20]
    assert left("2030-01-27") == [0, 0, 20]
    assert [bytes(total(collector.store, task)) for task in (closing, ending, running_on)] == before


def test_a_task_that_another_collector_closed_tomorrow_is_finished_but_its_reports_stay(
    collector: Running,
) -> None:
    """A collector whose clock is ahead may close a task: it is closed for all, and no day has passed since."""
    task = collector.add_task()
    reports = some_reports(range(3), task)
    for sent in reports:
        collector.upload(task, sent)
    assert len(collector.store.parts(task.id)) > 1
    collector.store.close_task(task.id, "2030-01-16")
    collector.app.state.collector.maintenance.finish_closed_tasks(0, "2030-01-15")
    assert len(collector.store.parts(task.id)) == 1
    collector.check(task, *reports)


@pytest.mark.parametrize("error", [StoreError("not now"), ZeroDivisionError("a bug of ours"), OSError(28, "full")])
def test_maintenance_runs_by_itself_and_goes_on_after_any_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: Exception
) -> None:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN", 0.02)
    monkeypatch.setattr(background, "SECONDS_AFTER_FAILURE", 0.02)
    monkeypatch.setattr(background, "STEADY_SECONDS", 0.0)
    day, failures = ["2030-01-15"], [3]

    class FailingStore(MemoryStore):
        def forget_reports(self, task_id: str, day: str) -> int:
            failures[0] -= 1
            if failures[0] >= 0:
                raise error
            return super().forget_reports(task_id, day)

    store = FailingStore()
    with running(store, lambda: day[0], keep_reports=3) as collector:
        task = collector.add_task(closes="2030-01-16")
        for number in range(PARTS_TO_COMPACT):
            collector.upload(task, report(number, task=task))
        wait_until(lambda: len(store.parts(task.id)) == 1)
        collector.check(task, *some_reports(range(PARTS_TO_COMPACT), task))
        day[0] = "2030-01-19"
        wait_until(lambda: not list(store.reports(task.id)))
        assert total(store, task).reports == PARTS_TO_COMPACT
    reason = "not now" if isinstance(error, StoreError) else type(error).__name__
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line for line in logged if line["event"] == "maintenance_failed"] == [
        {"event": "maintenance_failed", "reason": reason}
    ] * 3


def test_a_clock_that_jumps_deletes_nothing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A jump of 400 days for some seconds deleted all reports of an open task, and of rounds to come."""
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN", 0.02)
    day, store = ["2030-01-15"], MemoryStore()
    with running(store, lambda: day[0], keep_reports=3) as collector:
        task = collector.add_task(closes="2030-02-16")
        collector.upload(task, *some_reports(range(3), task))
        finish, finished = collector.app.state.collector.maintenance.finish_closed_tasks, threading.Event()

        def note(keep_days: int | None, today: str) -> None:
            finish(keep_days, today)
            if today == day[0]:
                finished.set()

        monkeypatch.setattr(collector.app.state.collector.maintenance, "finish_closed_tasks", note)
        day[0] = "2031-02-19"
        assert finished.wait(60)
        assert len(next(store.reports(task.id))) == 3
        day[0] = "2030-01-15"
        assert collector.upload(task, *some_reports(range(3, 5), task)) == {}
        collector.check(task, *some_reports(range(5), task))
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert {"event": "clock_jumped", "day_before": "2030-01-15", "day": "2031-02-19"} in logged


def test_the_bin_is_emptied_by_a_steady_clock_alone(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = small.add_task()
    small.store.bin_task(task.id, "2030-01-01")
    maintenance = small.app.state.collector.maintenance
    monkeypatch.setattr(maintenance, "_finished", ("", False))
    for is_steady, left in ((False, True), (True, False)):
        monkeypatch.setattr(maintenance, "_steady_day", SimpleNamespace(is_steady=is_steady))
        maintenance._finish_once_per_day()
        assert (small.store.find_task(task.id) is not None) is left


def test_a_clock_is_steady_after_an_hour_without_a_jump() -> None:
    day, seconds = ["2030-01-15"], [1000.0]
    clock = SteadyDay(lambda: day[0], lambda: seconds[0])
    told = []
    for passed, shown in (
        (3599, "2030-01-15"), (1, "2030-01-15"), (10, "2030-01-16"), (3 * 86_400, "2030-01-19"), (8, "2031-02-23"),
        (3600, "2031-02-23"), (1, "2030-01-19"), (3000, "2030-01-19"), (600, "2030-01-20"),
    ):  # fmt: skip
        seconds[0] += passed
        day[0] = shown
        told.append(clock.is_steady)
    assert told == [False, True, True, True, False, True, False, False, True]


def test_pending_reports_are_written_at_shutdown_though_maintenance_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(_: Maintenance) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Maintenance, "run", fail)
    store, task = SlowStore(), new_task()
    store.add_task(task, utc_today())
    store.go.clear()
    app = create_app(store, Settings())

    async def stop_while_reports_are_pending() -> list[list[ReportOutcome]]:
        async with app.router.lifespan_context(app):
            writer = app.state.collector.ingest.writer
            uploads = [Upload(task.id, [pending]) for pending in some_reports(range(3), task)]
            adding = [asyncio.create_task(writer.add(upload)) for upload in uploads]
            await asyncio.sleep(0.05)
            assert writer.pending_reports == 3
            asyncio.get_running_loop().call_later(0.05, store.go.set)
        return await asyncio.wait_for(asyncio.gather(*adding), 10)

    assert asyncio.run(stop_while_reports_are_pending()) == [[ReportOutcome.STORED]] * 3
    assert sorted(stored_reports(store, task)) == sorted(some_reports(range(3), task))
