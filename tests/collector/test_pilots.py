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
    refused,
    report,
    running,
    some_reports,
    wait_until,
)
from support.uploads import SlowStore, arrow_body

PILOT: dict[str, Any] = {"kind": "sizes", "mechanism": "buckets", "padding": 8}


def set_limit(monkeypatch: pytest.MonkeyPatch, reports: int, believed: float = 1000.0) -> None:
    """The most reports of a pilot, and how long their count is believed."""
    for place in ("task_phase", "upload_routes"):
        monkeypatch.setattr(f"pckv.collector.{place}.MAX_PILOT_REPORTS", reports)
    monkeypatch.setattr("pckv.collector.task_cache.CACHE_SECONDS", believed)


def check_enough(answer: Any) -> None:
    check_problem(answer, 403, "closed")
    assert answer.json()["detail"] == "the pilot has the 10 reports that it needs"


def test_a_pilot_that_has_enough_is_closed_to_new_reports_and_knows_the_old_ones(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, 10)
    pilot, pairs = collector.add_task(**PILOT), collector.add_task()
    kept, new = some_reports(range(10), pilot), report(10, task=pilot)
    for each in kept[:8]:
        assert collector.upload(pilot, each) == {}
    assert collector.upload(pilot, *kept[5:]) == {}
    check_enough(collector.send(pilot, as_items(new)))
    # Whoever was not answered sends the same bytes again.
    assert collector.upload(pilot, kept[3]) == collector.upload(pilot, *kept) == {}
    assert refused(collector.post(pilot, arrow_body(pilot, *kept), ARROW)) == {}
    assert refused(collector.send(pilot, [{"id": "", "body": ""}])) == {"": "bad_id"}
    other = Report(kept[0].id, report(0, 3, pilot).body)
    for sent in ([other], [*kept, new]):
        check_enough(collector.send(pilot, as_items(*sent)))
    collector.check(pilot, *kept)
    assert collector.upload(pairs, *some_reports(range(20), pairs)) == {}
    assert collector.upload(pairs, report(20, task=pairs)) == {}
    assert collector.administer("POST", f"/tasks/{pilot.id}/close").json()["closed"] == DAY
    check_problem(collector.send(pilot, as_items(kept[0])), 403, "closed")


def test_an_invited_pilot_knows_the_old_reports_too(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    pilot = small.add_task(**PILOT)
    kept = some_reports(range(10), pilot)
    tokens = small.administer("POST", f"/tasks/{pilot.id}/invitations?count=11").json()["invitations"]
    invited = [item | {"invitation": token} for item, token in zip(as_items(*kept), tokens, strict=False)]
    assert refused(small.send(pilot, invited)) == {}
    assert small.upload(pilot, *kept) == {}
    late = as_items(report(10, task=pilot))[0] | {"invitation": tokens[10]}
    check_enough(small.send(pilot, [late]))


def test_the_reports_of_a_pilot_are_counted_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    with running() as found:
        asked: list[str] = []
        counts = found.store.report_counts

        def report_counts(task_ids: list[str]) -> dict[str, int]:
            asked.extend(task_ids)
            return counts(task_ids)

        monkeypatch.setattr(found.store, "report_counts", report_counts)
        pilot, pairs = found.add_task(**PILOT), found.add_task()
        for number in range(10):
            for task in (pilot, pairs):
                assert found.upload(task, report(number, task=task)) == {}
        check_enough(found.send(pilot, as_items(report(10, task=pilot))))
        assert asked == [pilot.id]


def test_reports_that_came_to_another_collector_count_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10, believed=0)
    store = MemoryStore()
    with running(store) as one, running(store) as two:
        pilot = one.add_task(**PILOT)
        assert two.upload(pilot, *some_reports(range(2), pilot)) == {}
        assert one.upload(pilot, *some_reports(range(2, 10), pilot)) == {}
        check_enough(two.send(pilot, as_items(report(10, task=pilot))))


def test_a_pilot_may_get_more_by_what_was_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    store = SlowStore()
    with running(store) as found:
        pilot = found.add_task(**PILOT)
        sent = some_reports(range(12), pilot)
        store.go.clear()
        threads = [threading.Thread(target=found.upload, args=(pilot, each)) for each in sent]
        for thread in threads:
            thread.start()
        wait_until(lambda: b"pckv_queue_reports 12.0" in found.get("/metrics").content)
        store.go.set()
        for thread in threads:
            thread.join()
        check_enough(found.send(pilot, as_items(report(12, task=pilot))))
        found.check(pilot, *sent)
