"""Checks for alarms: begun by one collector at a time, kept with their task, and gone with it."""

from __future__ import annotations

from pckv import Series, Task
from pckv.store.base import AlarmCheck
from pckv.store.postgres import PostgresStore
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import DAY, OTHER, TASK, add, opened, some_reports, together

HOUR = 3600
FIRST, SECOND = AlarmCheck(5000, 100, '{"first": "π"}'), AlarmCheck(9000, 2**40, "{}")


def test_a_check_begins_once_per_pause(store: Store) -> None:
    assert store.claim_alarm_check(TASK.id, 5000, HOUR)
    assert not store.claim_alarm_check(TASK.id, 5000, HOUR)
    assert not store.claim_alarm_check(TASK.id, 5000 + HOUR - 1, HOUR)
    # The clock of another collector may be slow; one that was years ahead must not end all checks.
    assert not store.claim_alarm_check(TASK.id, 5000 - HOUR + 1, HOUR)
    assert store.claim_alarm_check(TASK.id, 5000 + HOUR, HOUR)
    assert store.claim_alarm_check(TASK.id, 4_000_000_000, HOUR)
    assert store.claim_alarm_check(TASK.id, 1_900_000_000, HOUR)
    assert store.alarm_checks([TASK.id]) == {}


def test_the_last_result_stays_until_there_is_another(store: Store) -> None:
    store.add_task(OTHER, DAY)
    store.claim_alarm_check(TASK.id, 5000, HOUR)
    store.record_alarm_check(TASK.id, FIRST)
    assert store.claim_alarm_check(TASK.id, 9000, HOUR)
    assert store.alarm_checks([TASK.id, OTHER.id, "nobody"]) == {TASK.id: FIRST}
    store.record_alarm_check(TASK.id, SECOND)
    assert store.alarm_checks([TASK.id]) == {TASK.id: SECOND}
    assert store.alarm_checks([]) == {}


def test_the_checks_of_a_series_are_those_of_its_rounds(store: Store) -> None:
    series = Series(task=Task(name="weekly", keys=3, epsilon=1), first=DAY, period=7, panels=1)
    store.add_series(series, DAY)
    rounds = [series.task_of(number) for number in (1, 2)]
    for task in (*rounds, OTHER):
        (store.add_task if task is OTHER else store.add_round)(task, DAY)
        store.claim_alarm_check(task.id, 5000, HOUR)
    for task in (rounds[0], OTHER):
        store.record_alarm_check(task.id, FIRST)
    assert store.round_alarm_checks(series.id) == {rounds[0].id: FIRST}
    store.bin_task(rounds[0].id, DAY)
    assert store.round_alarm_checks(series.id) == {}


def test_only_a_check_that_was_claimed_is_recorded(store: Store) -> None:
    store.record_alarm_check(TASK.id, FIRST)
    assert store.alarm_checks([TASK.id]) == {}
    assert not store.claim_alarm_check("nobody", 5000, HOUR)
    store.record_alarm_check("nobody", FIRST)
    assert store.alarm_checks(["nobody"]) == {}


def test_a_check_is_deleted_with_its_task(store: Store) -> None:
    add(store, *some_reports(range(3)))
    store.claim_alarm_check(TASK.id, 5000, HOUR)
    store.record_alarm_check(TASK.id, FIRST)
    assert store.delete_task(TASK.id, DAY) is not None
    # A check that ends after the deletion leaves nothing behind.
    store.record_alarm_check(TASK.id, SECOND)
    assert not store.claim_alarm_check(TASK.id, 99_999, HOUR)
    assert store.alarm_checks([TASK.id]) == {}


def test_forgetting_reports_keeps_what_was_found(store: Store) -> None:
    store.claim_alarm_check(TASK.id, 5000, HOUR)
    store.record_alarm_check(TASK.id, FIRST)
    store.close_task(TASK.id, DAY)
    store.forget_reports(TASK.id, DAY)
    assert store.alarm_checks([TASK.id]) == {TASK.id: FIRST}


def test_of_several_collectors_one_checks(shared: tuple[PostgresStore, PostgresStore]) -> None:
    def claim_all(now: int) -> list[bool]:
        return together(8, lambda number: shared[number % 2].claim_alarm_check(TASK.id, now, HOUR))

    for hour in range(5):
        assert sorted(claim_all(hour * HOUR)) == [False] * 7 + [True]


def test_a_check_outlives_its_process(sqlite: SqliteStore) -> None:
    sqlite.claim_alarm_check(TASK.id, 5000, HOUR)
    sqlite.record_alarm_check(TASK.id, FIRST)
    sqlite.close()
    with opened(f"sqlite:///{sqlite.path}") as again:
        assert again.alarm_checks([TASK.id]) == {TASK.id: FIRST}
        assert not again.claim_alarm_check(TASK.id, 5000 + HOUR - 1, HOUR)
