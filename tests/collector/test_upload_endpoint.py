"""Uploads beside one another: large bodies delay no other, and what waits is counted in bytes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pckv import Task
from pckv.base.wire import Report
from pckv.collector.http.bodies import JSON_TYPE, MAX_SMALL_BYTES
from pckv.collector.http.problem_details import REFUSAL_REASONS
from pckv.collector.ingest import routes
from pckv.collector.ingest.decoding import Decoded, decode_json, max_json_bytes
from pckv.collector.ingest.routes import UploadFormat
from support.collectors import check_problem, report, running, some_reports, wait_until
from support.uploads import SlowStore, items


def test_a_large_body_is_decoded_while_small_uploads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow_decode(task: Task, body: bytes) -> Decoded:
        if len(body) > MAX_SMALL_BYTES:
            begun.set()
            assert go.wait(20)
        return decode_json(task, body)

    monkeypatch.setitem(routes.FORMATS, JSON_TYPE.encode(), UploadFormat(slow_decode, max_json_bytes))
    with running() as collector, ThreadPoolExecutor(1) as threads:
        task = collector.add_task()
        reports = some_reports(range(2001), task)
        large = threads.submit(collector.upload, task, *reports[1:])
        assert begun.wait(20)
        assert collector.upload(task, reports[0]) == {}
        go.set()
        assert large.result() == {}
        collector.check(task, *reports)


def test_what_waits_to_be_written_is_counted_in_bytes() -> None:
    """Two requests fill the budget with 60 reports, far fewer than may wait; a request of few bytes still fits."""
    store = SlowStore()
    with running(store, budget_bytes=2**20) as collector, ThreadPoolExecutor(2) as threads:
        large, small = collector.add_task(mechanism="ue", keys=32_000), collector.add_task()
        reports = [Report(report(number).id, bytes(8_000)) for number in range(61)]
        store.go.clear()
        waiting = [threads.submit(collector.upload, large, *reports[:20])]
        wait_until(lambda: b"pckv_queue_reports 20.0" in collector.get("/metrics").content)
        waiting.append(threads.submit(collector.upload, small, report(1, task=small)))
        wait_until(lambda: b"pckv_queue_reports 21.0" in collector.get("/metrics").content)
        check_problem(collector.post(large, items(*reports[20:])), 503, "overloaded")
        store.go.set()
        assert [sent.result() for sent in waiting] == [{}, {}]
        assert collector.upload(large, *reports[20:40]) == {}
        collector.check(large, *reports[:40])
        # Nothing is leased once all are answered.
        assert collector.app.state.collector.budget.used == 0


def test_every_refusal_is_counted_from_the_start() -> None:
    with running() as collector:
        page = collector.get("/metrics").text
        for reason in REFUSAL_REASONS:
            assert f'pckv_reports_refused_total{{reason="{reason}"}} 0.0' in page
