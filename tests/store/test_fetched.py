"""How far the batches of mixed tasks are, in every kind of store."""

from __future__ import annotations

from pckv.contract.series import Series
from pckv.sealing.recipient_key import RecipientKey
from pckv.store.base import FetchedBatch, FetchState, KeyedTask
from pckv.store.postgres import PostgresStore
from pckv.store.store import Store
from support.fake_mixer import AFTER, FakeMixer, mixed_task
from support.stores import DAY, TASK, some_reports, stored_reports, tally, together, total

KEY = RecipientKey(bytes(range(32)))
MIXER = FakeMixer(url="https://mix.example")


def test_only_mixed_tasks_have_a_batch(store: Store) -> None:
    task = mixed_task(MIXER, KEY)
    assert store.add_task(task, DAY)
    assert not store.add_task(task, DAY)
    assert store.find_batch(TASK.id) is None
    assert store.fetched_batches([TASK.id, task.id]) == {task.id: FetchedBatch()}
    assert store.unfinished_batches() == [task.id]
    told = FetchedBatch(FetchState.DONE, 9, "ab", 8, 1, 7, DAY, "a reason", 2, 10**10)
    store.record_batch(task.id, told)
    assert (store.find_batch(task.id), store.unfinished_batches()) == (told, [])
    store.delete_task(task.id, DAY)
    store.record_batch(task.id, told)
    assert store.find_batch(task.id) is None


def test_the_tasks_of_a_key_are_known(store: Store) -> None:
    series = Series(task=mixed_task(MIXER, KEY, days=False), first=DAY, period=7, panels=1)
    alone, first = mixed_task(MIXER, KEY), series.task_of(1)
    store.add_series(series, DAY)
    store.add_task(alone, DAY)
    store.add_round(first, DAY)
    store.record_batch(alone.id, FetchedBatch(FetchState.TOO_FEW))
    expected = sorted([KeyedTask(alone.id, None, True), KeyedTask(first.id, series.id, False)])  # noqa: FBT003
    assert alone.mixer is not None
    assert store.tasks_with_key(alone.mixer.key) == expected
    assert store.tasks_with_key("another") == []


def test_a_batch_is_claimed_until_its_time_is_over(store: Store) -> None:
    task = mixed_task(MIXER, KEY)
    store.add_task(task, DAY)
    claimed = [store.claim_batch(task.id, now, 10) for now in (100, 100, 109, 110, 119, 120)]
    assert claimed == [True, False, False, True, False, True]
    assert not store.claim_batch(TASK.id, 100, 10)


def test_one_of_several_collectors_claims_a_batch(shared: tuple[PostgresStore, PostgresStore]) -> None:
    task = mixed_task(MIXER, KEY)
    shared[0].add_task(task, DAY)
    assert together(6, lambda number: shared[number % 2].claim_batch(task.id, 100, 10)).count(True) == 1


def test_opened_reports_are_added_once_though_the_task_is_closed(store: Store) -> None:
    task = mixed_task(MIXER, KEY)
    store.add_task(task, DAY)
    store.close_task(task.id, DAY)
    reports = some_reports(range(6), task)
    for some in (reports[:4], reports[2:], reports):
        assert store.add_opened_reports(task.id, some, AFTER)
    assert sorted(stored_reports(store, task)) == sorted(reports)
    assert bytes(total(store, task)) == bytes(tally(reports, task))
    assert [tuple(day) for day in store.report_days(task.id)] == [(AFTER, 6)]
    store.forget_reports(task.id, AFTER)
    assert not store.add_opened_reports(task.id, reports, AFTER)
    store.delete_task(task.id, AFTER)
    assert not store.add_opened_reports(task.id, reports, AFTER)
