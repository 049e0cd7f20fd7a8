"""Tasks as requests ask for them: the store is asked once for all who wait, and old news is never kept."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from pckv.base.days import utc_today
from pckv.collector.contracts import contracts
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.problem_details import ProblemDetails
from pckv.store.base import StoredTask
from support.collectors import DAY, NO_DUTIES, THREADS, new_task
from support.memory_store import MemoryStore


class AskedStore(MemoryStore):
    """A store that counts how often it is asked for a task, and can be made to wait before it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.answering, self.go = threading.Event(), threading.Event()
        self.go.set()

    def find_task(self, task_id: str) -> StoredTask | None:
        self.asked += 1
        stored = super().find_task(task_id)
        self.answering.set()
        assert self.go.wait(20)
        return stored


def tasks_of(store: MemoryStore) -> Contracts:
    return Contracts(store, lambda: DAY, lambda _: None, THREADS.lookups, THREADS.task_texts, NO_DUTIES)


def test_the_store_is_asked_once_for_all_who_wait() -> None:
    store, task = AskedStore(), new_task()
    store.add_task(task, utc_today())
    unknown = new_task().id

    async def ask() -> list[Any]:
        cache = tasks_of(store)
        ids = [task.id] * 50 + [unknown] * 50
        answers = await asyncio.gather(*map(cache.find, ids), return_exceptions=True)
        texts = await asyncio.gather(*(cache.text(task) for _ in range(50)))
        assert len({id(text) for text in texts}) == 1
        assert texts[0].content == task.to_json().encode()
        return answers

    answers = asyncio.run(ask())
    assert [answer.task for answer in answers[:50]] == [task] * 50
    assert {type(answer) for answer in answers[50:]} == {ProblemDetails}
    assert store.asked == 2


def test_what_was_looked_up_before_a_change_is_not_kept() -> None:
    store, task = AskedStore(), new_task()
    store.add_task(task, utc_today())

    async def ask() -> tuple[StoredTask, StoredTask]:
        cache = tasks_of(store)
        store.go.clear()
        before = asyncio.create_task(cache.find(task.id))
        await asyncio.to_thread(store.answering.wait, 20)
        store.close_task(task.id, DAY)
        cache.invalidate(task.id)
        store.go.set()
        return await before, await cache.find(task.id)

    before, after = asyncio.run(ask())
    assert (before.closed, after.closed) == (None, DAY)


@pytest.mark.parametrize("cancelled", [1, 2])
def test_a_client_that_disconnects_does_not_cancel_the_lookup_of_others(cancelled: int) -> None:
    store, task = AskedStore(), new_task()
    store.add_task(task, utc_today())

    async def ask() -> StoredTask:
        cache = tasks_of(store)
        store.go.clear()
        waiting = [asyncio.create_task(cache.find(task.id)) for _ in range(2)]
        await asyncio.to_thread(store.answering.wait, 20)
        for client in waiting[:cancelled]:
            client.cancel()
        await asyncio.sleep(0)
        store.go.set()
        return await (waiting[1] if cancelled == 1 else cache.find(task.id))

    assert asyncio.run(ask()).task == task
    assert store.asked == 1


def test_nobody_waits_while_a_task_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store, task = AskedStore(), new_task()
    store.add_task(task, utc_today())
    monkeypatch.setattr(contracts, "CACHE_SECONDS", 0.0)

    async def ask() -> tuple[StoredTask, StoredTask]:
        cache = tasks_of(store)
        await cache.find(task.id)
        store.close_task(task.id, DAY)
        store.go.clear()
        before = await cache.find(task.id)
        store.go.set()
        await asyncio.gather(*cache._tasks._running.values())
        monkeypatch.setattr(contracts, "CACHE_SECONDS", 60.0)
        after = await cache.find(task.id)
        # What is older than that is not used at all.
        monkeypatch.setattr(contracts, "CACHE_SECONDS", 0.0)
        monkeypatch.setattr(contracts, "MAX_CACHE_SECONDS", 0.0)
        store.delete_task(task.id, DAY)
        with pytest.raises(ProblemDetails):
            await cache.find(task.id)
        return before, after

    before, after = asyncio.run(ask())
    assert (before.closed, after.closed) == (None, DAY)


def test_a_task_is_kept_however_large_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request for it would have to wait otherwise."""
    monkeypatch.setattr(contracts, "MAX_TASK_BYTES", 10)
    monkeypatch.setattr(contracts, "MAX_TEXT_BYTES", 10)
    store, task = AskedStore(), new_task()
    store.add_task(task, utc_today())

    async def ask() -> None:
        cache = tasks_of(store)
        for _ in range(3):
            assert (await cache.find(task.id)).task == task
        assert await cache.text(task) is await cache.text(task)

    asyncio.run(ask())
    assert store.asked == 1
