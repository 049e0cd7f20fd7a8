"""Values that are computed once per state for all who wait: bounded, and without keeping failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pckv
from pckv import Tally, Task
from pckv.base.stopping import check_stop
from pckv.collector.analysis.tallies import MAX_KEPT_RESULTS, MAX_RESULT_BYTES, result_bytes
from pckv.collector.computations import MAX_STOPPABLE, AnalysisThreads, Computations, bytes_held
from pckv.collector.http.problem_details import ProblemDetails
from pckv.estimators.trends.trend import trend
from support.rounds import collect_round, make_series


class Endless:
    """Work that goes on until it is stopped, or for so long that a test fails."""

    def __init__(self) -> None:
        self.running = 0

    def __call__(self) -> str:
        self.running += 1
        try:
            until = time.monotonic() + 20
            while time.monotonic() < until:
                check_stop()
                time.sleep(0.001)
        finally:
            self.running -= 1
        return "never stopped"


class Work:
    """Computations that end when they are told to, and are counted."""

    def __init__(self) -> None:
        self.begun: list[asyncio.Future[str]] = []

    def __call__(self) -> asyncio.Future[str]:
        self.begun.append(asyncio.get_running_loop().create_future())
        return self.begun[-1]


def in_loop(test: Callable[[Computations[str], Work], Awaitable[Any]]) -> None:
    async def run() -> None:
        await test(Computations(2, lambda _: 1), Work())

    asyncio.run(run())


def test_kept_values_are_bounded_by_their_sizes() -> None:
    kept: Computations[str] = Computations(10, len)
    for key, value in (("a", "1234"), ("b", "5678"), ("a", "12345")):
        kept.keep(key, value)
    assert kept.known("b") is not None
    assert kept.size == 9
    # The one that was not used for the longest makes room.
    kept.keep("c", "abcde")
    assert [kept.known(key) is not None for key in "abc"] == [False, True, True]
    # The last is kept whatever it takes.
    kept.keep("d", "too large" * 9)
    assert [kept.known(key) is not None for key in "bcd"] == [False, False, True]
    kept.keep("e", "1")
    assert [kept.known(key) is not None for key in "de"] == [False, True]
    for key in "dee":
        kept.forget(key)
    assert kept.size == 0


def test_estimates_count_for_the_bytes_that_they_take() -> None:
    task = Task(name="many", keys=20_000, values=(1, 5), levels=5, epsilon=1, mechanism="collision", padding=1)
    estimates = pckv.estimate(Tally(task))
    arrays = [value for value in vars(estimates).values() if isinstance(value, np.ndarray)]
    shares = estimates.shares.nbytes
    assert sum(each.nbytes for each in arrays) + 3 * shares <= bytes_held(estimates) < 60 * shares
    assert result_bytes(estimates) == max(MAX_RESULT_BYTES // MAX_KEPT_RESULTS, bytes_held(estimates))


def test_trends_count_for_the_bytes_that_they_take() -> None:
    series = make_series()
    found = trend(series, [collect_round(series, number, [0.5, 0.3, 0.2], 100) for number in (1, 2)])
    columns = sum(column.nbytes for column in found.columns.values())
    assert bytes_held(found) == bytes_held(replace(found, columns={})) + columns


def test_a_value_is_computed_once_per_state_for_all_who_wait() -> None:
    async def check(values: Computations[str], work: Work) -> None:
        waiting = [asyncio.create_task(values.get("key", 1, work)) for _ in range(3)]
        other = asyncio.create_task(values.get("key", 2, work))
        await asyncio.sleep(0)
        # A client that disconnects does not cancel it for the others.
        waiting[0].cancel()
        await asyncio.sleep(0)
        assert len(work.begun) == 2
        work.begun[0].set_result("one")
        assert [await waiting[1], await waiting[2], await values.get("key", 1, work)] == ["one"] * 3
        work.begun[1].set_result("two")
        assert await other == await values.get("key", 2, work) == "two"
        assert len(work.begun) == 2

    in_loop(check)


def test_a_failure_reaches_those_who_wait_and_is_not_kept() -> None:
    async def check(values: Computations[str], work: Work) -> None:
        waiting = [asyncio.create_task(values.get("key", 1, work)) for _ in range(2)]
        await asyncio.sleep(0)
        work.begun[0].set_exception(ZeroDivisionError())
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [ZeroDivisionError] * 2
        again = asyncio.create_task(values.get("key", 1, work))
        await asyncio.sleep(0)
        work.begun[1].set_result("right")
        assert await again == "right"

        def refuse() -> asyncio.Future[str]:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await values.get("key", 2, refuse)
        # Nothing began, so there is nothing that another request would wait for.
        assert values._running == {}

    in_loop(check)


def test_what_came_too_late_is_the_answer_to_the_next_request_and_only_to_that() -> None:
    async def check(values: Computations[str], work: Work) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(values.get("key", 1, work), 0.01)
        work.begun[0].set_result("late")
        await asyncio.sleep(0)
        assert await values.get("key", 2, work) == "late"
        new = asyncio.create_task(values.get("key", 2, work))
        await asyncio.sleep(0)
        work.begun[1].set_result("new")
        assert await new == "new"

    in_loop(check)


def test_the_value_that_is_kept_is_returned_after_some_patience() -> None:
    async def check(values: Computations[str], work: Work) -> None:
        first = asyncio.create_task(values.renew("key", None, work, 0.0))
        await asyncio.sleep(0.01)
        assert not first.done(), "nothing is kept yet"
        work.begun[0].set_result("first")
        assert await first == "first"
        for _ in range(3):
            assert await values.renew("key", None, work, 0.0) == "first"
        patient = asyncio.create_task(values.renew("key", None, work))
        await asyncio.sleep(0.01)
        work.begun[1].set_result("second")
        assert await patient == "second"
        assert len(work.begun) == 2

    in_loop(check)


def test_what_is_forgotten_while_it_is_computed_is_not_kept() -> None:
    async def check(values: Computations[str], work: Work) -> None:
        before = asyncio.create_task(values.get("key", 1, work))
        await asyncio.sleep(0)
        values.forget("key")
        after = asyncio.create_task(values.get("key", 1, work))
        await asyncio.sleep(0)
        work.begun[1].set_result("new")
        work.begun[0].set_result("old")
        assert (await before, await after) == ("old", "new")
        assert await values.get("key", 1, work) == "new"

    in_loop(check)


async def ended(work: Endless) -> None:
    async with asyncio.timeout(5):
        while work.running:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def test_work_that_is_given_up_stops_and_frees_its_thread() -> None:
    async def check() -> None:
        threads, work, left = AnalysisThreads(pool, 60), Endless(), asyncio.Event()
        waiting = asyncio.create_task(threads.run_wanted(b"a", work, left))
        cancelled = asyncio.create_task(threads.run_wanted(b"a", work, asyncio.Event()))
        while work.running < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        left.set()
        with pytest.raises(ProblemDetails, match="given up"):
            await waiting
        cancelled.cancel()
        await ended(work)
        assert await threads.run_wanted(b"a", lambda: "done", asyncio.Event()) == "done"
        # Errors of the work are those of the request, and an event that comes later stops nothing.
        with pytest.raises(ZeroDivisionError):
            await threads.run_wanted(b"a", lambda: 1 // 0, asyncio.Event())

    with ThreadPoolExecutor(2) as pool:
        asyncio.run(check())


def test_what_an_account_asked_for_first_makes_room_and_the_last_is_done() -> None:
    async def check() -> None:
        threads, work = AnalysisThreads(pool, 60), Endless()
        others = asyncio.create_task(threads.run_wanted(b"b", lambda: "another's", asyncio.Event()))
        first = [asyncio.create_task(threads.run_wanted(b"a", work, asyncio.Event())) for _ in range(20)]
        await asyncio.sleep(0)
        for _ in range(MAX_STOPPABLE):
            last = asyncio.create_task(threads.run_wanted(b"a", lambda: "done", asyncio.Event()))
        assert (await last, await others) == ("done", "another's")
        found = await asyncio.gather(*first, return_exceptions=True)
        assert {str(each) for each in found} == {"this was given up, or something newer was asked for meanwhile"}
        await ended(work)

    with ThreadPoolExecutor(2) as pool:
        asyncio.run(check())
