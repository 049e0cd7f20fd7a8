"""Closing early and deleting can be undone for seven days, and a name is that of one survey."""

from __future__ import annotations

import pytest

from pckv import Series, Task
from pckv.base.errors import NameTaken, ParameterError, TaskGone
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.store import Store
from support.mixed_tasks import a_mixed_task
from support.stores import (
    CLOSED,
    COUNTED_LATER,
    DAY,
    ENDING,
    KNOWN,
    STORED,
    TASK,
    add,
    report,
    some_reports,
    stored_reports,
    together,
    total,
)

LAST, LATE = "2031-05-13", "2031-05-14"
NAMESAKE = Task(name=" ＯＮＥ ", keys=5, values=(0, 1), epsilon=1)


def refused(store: Store, task: Task, day: str) -> str:
    with pytest.raises(ParameterError) as refusal:
        store.reopen_task(task.id, day)
    return str(refusal.value)


def test_an_early_close_can_be_undone_for_seven_days(store: Store) -> None:
    add(store, report(1))
    assert store.reopen_task(TASK.id, DAY), "an open task stays open"
    assert not store.reopen_task(COUNTED_LATER.id, DAY)
    for day in (DAY, LAST):
        store.close_task(TASK.id, DAY)
        assert add(store, report(2)) == [CLOSED]
        stored = store.find_task(TASK.id)
        assert stored is not None
        assert (stored.reopen_until(day), stored.reopen_until(LATE)) == (LAST, None)
        assert store.reopen_task(TASK.id, day)
    assert add(store, report(1), report(2)) == [KNOWN, STORED]
    store.close_task(TASK.id, DAY)
    assert refused(store, TASK, LATE) == f"It was closed on {DAY}, which could be undone until {LAST}."
    store.forget_reports(TASK.id, DAY)
    assert refused(store, TASK, DAY) == f"Its reports were deleted on {DAY}: only their counts are left."
    assert add(store, report(3)) == [CLOSED]


def test_days_that_are_fixed_cannot_be_undone(store: Store) -> None:
    store.add_task(ENDING, DAY)
    store.close_task(ENDING.id, "2030-01-30")
    stored = store.find_task(ENDING.id)
    assert stored is not None
    assert stored.reopen_until("2030-01-30") == "2030-01-31"
    assert refused(store, ENDING, "2030-02-01") == "Its closing day, 2030-02-01, has come."
    mixed = a_mixed_task()
    store.add_task(mixed, DAY)
    assert refused(store, mixed, DAY) == "The closing day of a survey that goes through a mixer is fixed."
    series = Series(task=COUNTED_LATER, first="2031-05-01", period=7, panels=2)
    store.add_series(series, DAY)
    store.add_round(series.task_of(1), DAY)
    store.close_series(series.id, DAY)
    assert refused(store, series.task_of(1), DAY) == "A round of a repeated survey stays closed."


def test_the_early_close_of_a_series_can_be_undone(store: Store) -> None:
    """Its rounds open again, but for those that are over, were closed before, or lost their reports."""
    series = Series(task=COUNTED_LATER, first="2031-05-01", period=3, panels=2, rounds=7)
    tasks = {number: series.task_of(number) for number in range(1, 7)}
    store.add_series(series, DAY)
    for task in tasks.values():
        store.add_round(task, DAY)
    # The last one on the day on which the series is closed, too.
    for number, day in ((4, "2031-05-01"), (6, "2031-05-06")):
        store.close_task(tasks[number].id, day)
    assert store.reopen_series(series.id, DAY), "an open series stays open"
    assert not store.reopen_series("A" * 43, DAY)
    for day in ("2031-05-06", "2031-05-07"):
        assert store.close_series(series.id, "2031-05-06")
        assert not store.add_round(series.task_of(7), day)
        store.forget_reports(tasks[3].id, day)
        stored = store.find_series(series.id)
        assert stored is not None
        # The last round ends on the day before 2031-05-22.
        assert (stored.reopen_until(day), stored.reopen_until("2031-05-14")) == ("2031-05-13", None)
        assert store.reopen_series(series.id, day)
        reopened = store.find_series(series.id)
        assert reopened is not None
        assert (reopened.closed, reopened.reopen_until(day)) == (None, None)
    closed = {one.number: one.closed for one in store.rounds(series.id, 10)}
    # Round 2 was over on the second of the days.
    assert closed == {1: None, 2: "2031-05-06", 3: "2031-05-06", 4: "2031-05-01", 5: None, 6: "2031-05-06"}
    assert store.add_round(series.task_of(7), DAY)
    store.close_series(series.id, "2031-05-06")
    for day, reason in (
        ("2031-05-14", "It was closed on 2031-05-06, which could be undone until 2031-05-13."),
        ("2031-05-22", "Its last round is over."),
    ):
        with pytest.raises(ParameterError, match=reason):
            store.reopen_series(series.id, day)
    mixed = Series(task=a_mixed_task(closes=None), first="2031-05-01", period=3, panels=1)
    store.add_series(mixed, DAY)
    store.close_series(mixed.id, DAY)
    with pytest.raises(ParameterError, match="The days of a survey that goes through a mixer are fixed"):
        store.reopen_series(mixed.id, DAY)


def test_what_is_in_the_bin_comes_back_as_it_was(store: Store) -> None:
    reports = some_reports(range(5))
    add(store, *reports)
    before, counted = store.find_task(TASK.id), bytes(total(store))
    for day in (DAY, LAST):
        binned = store.bin_task(TASK.id, day)
        # Put in once more, it stays there since the first day.
        assert binned is not None
        assert (binned.binned, binned.binned_until) == (DAY, LAST)
    assert store.list_tasks(9) == store.newest_tasks(9) == []
    assert [stored.task for stored in store.binned_tasks()] == [stored.task for stored in store.all_tasks()] == [TASK]
    assert add(store, report(9), report(1)) == [CLOSED, CLOSED]
    with pytest.raises(TaskGone, match="is in the bin"):
        store.add_task(TASK, DAY)
    assert store.delete_task(TASK.id, LAST, expired=True) is None
    assert store.restore_task(TASK.id, LAST) == store.restore_task(TASK.id, LAST) == before
    assert store.find_task(TASK.id) == before
    assert (stored_reports(store), bytes(total(store))) == (sorted(reports), counted)
    assert add(store, report(1), report(9)) == [KNOWN, STORED]
    assert check_store(store) == []


def test_after_seven_days_it_is_deleted_for_good(store: Store) -> None:
    add(store, *some_reports(range(5)))
    assert store.delete_task(TASK.id, LATE, expired=True) is None, "it is not in the bin"
    store.bin_task(TASK.id, DAY)
    with pytest.raises(TaskGone):
        store.restore_task(TASK.id, LATE)
    deletion = store.delete_task(TASK.id, LATE, expired=True)
    assert deletion is not None
    assert (deletion.day, deletion.reports) == (LATE, 5)
    assert store.find_task(TASK.id) is store.restore_task(TASK.id, LATE) is store.bin_task(TASK.id, LATE) is None
    assert (store.binned_tasks(), stored_reports(store)) == ([], [])


def test_rounds_in_the_bin_are_left_out_and_not_added_anew(store: Store) -> None:
    series = Series(task=COUNTED_LATER, first="2031-05-01", period=7, panels=2)
    store.add_series(series, DAY)
    first = series.task_of(1)
    store.add_round(first, DAY)
    store.bin_task(first.id, DAY)
    assert store.rounds(series.id, 9) == []
    with pytest.raises(TaskGone):
        store.add_round(first, DAY)
    assert check_store(store) == []
    store.restore_task(first.id, DAY)
    assert [one.task for one in store.rounds(series.id, 9)] == [first.id]


def test_a_name_is_free_while_its_task_is_in_the_bin(store: Store) -> None:
    series = Series(task=NAMESAKE, first="2031-05-01", period=7, panels=2)
    with pytest.raises(NameTaken, match=TASK.id):
        store.add_task(NAMESAKE, DAY)
    with pytest.raises(NameTaken, match=TASK.id):
        store.add_series(series, DAY)
    assert (store.find_task(NAMESAKE.id), store.find_series(series.id)) == (None, None)
    assert not store.add_task(TASK, DAY), "its own name is no other's"
    assert store.survey_owner(f" {NAMESAKE.name.upper()}") == TASK.id
    store.bin_task(TASK.id, DAY)
    assert store.survey_owner(NAMESAKE.name) is None
    assert store.add_task(NAMESAKE, DAY)
    with pytest.raises(NameTaken, match=NAMESAKE.id):
        store.restore_task(TASK.id, DAY)
    # In the bin its name is nobody's, and deleting it takes no name from others.
    store.delete_task(TASK.id, DAY)
    with pytest.raises(NameTaken):
        store.add_series(series, DAY)
    store.delete_task(NAMESAKE.id, DAY)
    assert store.add_series(series, DAY)
    # Rounds have the name of their series.
    assert store.add_round(series.task_of(1), DAY)


def test_of_two_collectors_one_gives_a_name(shared: tuple[PostgresStore, PostgresStore]) -> None:
    tasks = [Task(name="wanted", keys=keys, values=(0, 1), epsilon=1) for keys in range(3, 11)]

    def create(number: int) -> bool:
        try:
            return shared[number % 2].add_task(tasks[number], DAY)
        except NameTaken:
            return False

    assert sum(together(len(tasks), create)) == 1


def test_nothing_is_acknowledged_into_a_bin(shared: tuple[PostgresStore, PostgresStore]) -> None:
    """Every report that was stored is there after a restore, and none that came after the deletion."""
    one, two = shared

    def work(number: int) -> list[bool]:
        if number == 0:
            assert one.bin_task(TASK.id, DAY) is not None
            return [outcome is CLOSED for outcome in add(one, report(1000))]
        return [outcome is STORED for index in range(30) for outcome in add(two, report(100 * number + index))]

    refused_after, *sent = together(4, work)
    assert refused_after == [True]
    one.restore_task(TASK.id, DAY)
    assert len(stored_reports(one)) == total(one).reports == sum(map(sum, sent))
