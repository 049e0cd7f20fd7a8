"""A pilot takes a limited number of reports."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pckv.store.memory import MemoryStore
from pckv.wire import Report
from support.collectors import (
    ARROW,
    DAY,
    Running,
    as_items,
    check_problem,
    refusals,
    report,
    running,
    some_reports,
    wait_until,
)
from support.uploads import SlowStore, arrow_body

PILOT: dict[str, Any] = {"kind": "sizes", "mechanism": "buckets", "padding": 8}


def set_limit(monkeypatch: pytest.MonkeyPatch, reports: int, cache_seconds: float = 1000.0) -> None:
    """Set the largest number of reports of a pilot, and how long their count is cached."""
    for module in ("task_phase", "upload_routes"):
        monkeypatch.setattr(f"pckv.collector.{module}.MAX_PILOT_REPORTS", reports)
    monkeypatch.setattr("pckv.collector.task_cache.CACHE_SECONDS", cache_seconds)


def check_enough(answer: Any) -> None:
    check_problem(answer, 403, "closed")
    assert answer.json()["detail"] == "the pilot has the 10 reports that it needs"


def test_a_pilot_that_has_enough_refuses_new_reports_and_accepts_repeated_ones(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, 10)
    pilot, pairs = collector.add_task(**PILOT), collector.add_task()
    accepted, new = some_reports(range(10), pilot), report(10, task=pilot)
    for sent_report in accepted[:8]:
        assert collector.upload(pilot, sent_report) == {}
    assert collector.upload(pilot, *accepted[5:]) == {}
    check_enough(collector.send(pilot, as_items(new)))
    # Senders without an answer send the same bytes again.
    assert collector.upload(pilot, accepted[3]) == collector.upload(pilot, *accepted) == {}
    assert refusals(collector.post(pilot, arrow_body(pilot, *accepted), ARROW)) == {}
    assert refusals(collector.send(pilot, [{"id": "", "body": ""}])) == {"": "bad_id"}
    other = Report(accepted[0].id, report(0, 3, pilot).body)
    for sent in ([other], [*accepted, new]):
        check_enough(collector.send(pilot, as_items(*sent)))
    collector.check(pilot, *accepted)
    assert collector.upload(pairs, *some_reports(range(20), pairs)) == {}
    assert collector.upload(pairs, report(20, task=pairs)) == {}
    assert collector.administer("POST", f"/tasks/{pilot.id}/close").json()["closed"] == DAY
    check_problem(collector.send(pilot, as_items(accepted[0])), 403, "closed")


def test_a_pilot_by_invitation_accepts_repeated_reports_too(
    small: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, 10)
    pilot = small.add_task(**PILOT)
    accepted = some_reports(range(10), pilot)
    tokens = small.administer("POST", f"/tasks/{pilot.id}/invitations?count=11").json()["invitations"]
    invited = [item | {"invitation": token} for item, token in zip(as_items(*accepted), tokens, strict=False)]
    assert refusals(small.send(pilot, invited)) == {}
    assert small.upload(pilot, *accepted) == {}
    late = as_items(report(10, task=pilot))[0] | {"invitation": tokens[10]}
    check_enough(small.send(pilot, [late]))


def test_the_reports_of_a_pilot_are_counted_without_asking_the_store_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_limit(monkeypatch, 10)
    with running() as collector:
        counted_ids: list[str] = []
        counts = collector.store.report_counts

        def report_counts(task_ids: list[str]) -> dict[str, int]:
            counted_ids.extend(task_ids)
            return counts(task_ids)

        monkeypatch.setattr(collector.store, "report_counts", report_counts)
        pilot, pairs = collector.add_task(**PILOT), collector.add_task()
        for number in range(10):
            for task in (pilot, pairs):
                assert collector.upload(task, report(number, task=task)) == {}
        check_enough(collector.send(pilot, as_items(report(10, task=pilot))))
        assert counted_ids == [pilot.id]


def test_reports_that_came_to_another_collector_count_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10, cache_seconds=0)
    store = MemoryStore()
    with running(store) as one, running(store) as two:
        pilot = one.add_task(**PILOT)
        assert two.upload(pilot, *some_reports(range(2), pilot)) == {}
        assert one.upload(pilot, *some_reports(range(2, 10), pilot)) == {}
        check_enough(two.send(pilot, as_items(report(10, task=pilot))))


def test_uploads_in_progress_may_exceed_the_limit_of_a_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    store = SlowStore()
    with running(store) as collector:
        pilot = collector.add_task(**PILOT)
        sent = some_reports(range(12), pilot)
        store.go.clear()
        threads = [
            threading.Thread(target=collector.upload, args=(pilot, sent_report)) for sent_report in sent
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: b"pckv_queue_reports 12.0" in collector.get("/metrics").content)
        store.go.set()
        for thread in threads:
            thread.join()
        check_enough(collector.send(pilot, as_items(report(12, task=pilot))))
        collector.check(pilot, *sent)
