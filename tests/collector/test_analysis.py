"""What analysts ask for: it never delays uploads, is limited per token, and is answered in bounded time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

import pckv
from pckv.collector.analysis import estimates as estimates_part
from pckv.collector.computations import MAX_PER_ACCOUNT
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    Running,
    check_problem,
    running,
    some_reports,
    wait_until,
)


@contextmanager
def slow_estimates(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[int]]]:
    """Make all estimates wait for an event; yield it, and the numbers of reports of those that have begun."""
    go_on, begun = threading.Event(), []

    def slowly(tally: pckv.Tally, *arguments: Any, **options: Any) -> pckv.Estimates:
        begun.append(tally.reports)
        assert go_on.wait(20)
        return pckv.estimate(tally, *arguments, **options)

    monkeypatch.setattr(estimates_part, "estimate", slowly)
    try:
        yield go_on, begun
    finally:
        go_on.set()


def ask(
    pool: ThreadPoolExecutor, collector: Running, task: pckv.Task, level: int, token: str
) -> Future[httpx2.Response]:
    return pool.submit(collector.get, f"/tasks/{task.id}/estimates?level=0.{level}", token)


def test_uploads_do_not_wait_for_estimates_and_one_token_cannot_take_all(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = collector.add_task()
    collector.upload(task, *some_reports(range(5), task))
    with slow_estimates(monkeypatch) as (go_on, begun), ThreadPoolExecutor(60) as pool:
        asked = [ask(pool, collector, task, level, ANALYST) for level in range(10, 50)]
        wait_until(lambda: sum(answer.done() for answer in asked) == len(asked) - MAX_PER_ACCOUNT)
        other = ask(pool, collector, task, 60, ADMINISTRATOR)
        for number in range(5, 10):
            assert collector.upload(task, *some_reports(range(number, number + 1), task)) == {}
        assert collector.get("/overview").status_code == 200
        assert len(begun) == 2
        go_on.set()
        answers = [answer.result() for answer in asked]
        assert other.result().status_code == 200
    taken = [answer for answer in answers if answer.status_code == 200]
    assert len(taken) == MAX_PER_ACCOUNT
    for answer in answers:
        if answer not in taken:
            check_problem(answer, 429, "too-often")
    assert collector.get(f"/tasks/{task.id}/estimates?level=0.77").status_code == 200


@pytest.mark.parametrize("keys", [None, ["one", "another"]], ids=["all keys", "keys of a body"])
def test_what_takes_too_long_is_said_and_answered_the_next_time(
    monkeypatch: pytest.MonkeyPatch, keys: list[str] | None
) -> None:
    with running(analysis_seconds=1) as collector:
        task = collector.add_task(**({"keys": "hashed", "mechanism": "collision"} if keys else {}))
        collector.upload(task, *some_reports(range(5), task))

        def answer() -> httpx2.Response:
            return collector.ask(task, keys) if keys else collector.get(f"/tasks/{task.id}/estimates")

        with slow_estimates(monkeypatch) as (go_on, begun):
            late = answer()
            check_problem(late, 503, "overloaded")
            assert late.json()["detail"] == "computing this takes more than 1 s: it goes on, so ask again later"
            # The result is the next answer, although reports have come since; the one after that has them.
            collector.upload(task, *some_reports(range(5, 9), task))
            go_on.set()
            answers = collector.app.state.collector.estimates._results._answers
            wait_until(lambda: answers.size)
            assert [answer().json()["reports"] for _ in range(2)] == [5, 9]
            assert begun == [5, 9]
