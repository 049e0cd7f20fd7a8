"""Group commit: a full queue, a failing store, and shared commits."""

from __future__ import annotations

import threading
from pathlib import Path

from pckv.base.errors import StoreError
from support.collectors import as_items, check_problem, report, running, some_reports, wait_until
from support.stores import opened, store_url
from support.uploads import SlowStore, items


def test_a_full_queue_refuses_and_everything_else_is_stored() -> None:
    store = SlowStore()
    with running(store, queue_reports=10) as collector:
        task = collector.add_task()
        reports = some_reports(range(11), task)
        store.go.clear()
        waiting = threading.Thread(target=collector.upload, args=(task, *reports[:10]))
        waiting.start()
        wait_until(lambda: b"pckv_queue_reports 10.0" in collector.get("/metrics").content)
        check_problem(collector.send(task, as_items(reports[10])), 503, "overloaded")
        assert collector.get("/healthz").status_code == 200
        store.go.set()
        waiting.join()
        collector.check(task, *reports[:10])
        assert collector.upload(task, reports[10]) == {}
        collector.check(task, *reports)


def test_a_failing_store_is_503_and_recovers_without_a_restart() -> None:
    store = SlowStore()
    with running(store) as collector:
        task = collector.add_task()
        retried = report(1, task=task)
        assert collector.get("/readyz", None).status_code == 200
        store.error = StoreError("the disk is full")
        check_problem(collector.send(task, as_items(retried)), 503, "overloaded")
        # What was found is the answer for up to a second.
        wait_until(lambda: collector.get("/readyz", None).status_code == 503)
        check_problem(collector.get("/readyz", None), 503, "overloaded")
        store.error = None
        wait_until(lambda: collector.get("/readyz", None).status_code == 200)
        assert collector.upload(task, retried) == {}
        collector.check(task, retried)


def test_an_unexpected_error_does_not_stop_the_writer() -> None:
    store = SlowStore()
    with running(store) as collector:
        task = collector.add_task()
        store.error = ZeroDivisionError("a fault")
        assert collector.post(task, items(report(1, task=task)), Connection="close").status_code == 503
        store.error = None
        assert collector.upload(task, report(2, task=task)) == {}
        collector.check(task, report(2, task=task))


def test_uploads_of_many_connections_share_commits() -> None:
    store = SlowStore()
    with running(store) as collector:
        task = collector.add_task()
        store.go.clear()
        reports = some_reports(range(20), task)
        threads = [threading.Thread(target=collector.upload, args=(task, each)) for each in reports]
        for thread in threads:
            thread.start()
        wait_until(lambda: b"pckv_queue_reports 20.0" in collector.get("/metrics").content)
        store.go.set()
        for thread in threads:
            thread.join()
        collector.check(task, *reports)
        assert len(store.parts(task.id)) < len(reports)


def test_what_was_accepted_survives_the_collector(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as store, running(store) as collector:
        task = collector.add_task()
        collector.upload(task, *some_reports(range(50), task))
    with opened(url) as store, running(store) as collector:
        collector.check(task, *some_reports(range(50), task))
