"""Every store keeps the same promises about tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pckv import Task
from pckv.base.days import Phase
from pckv.base.errors import ParameterError, TaskGone
from pckv.store import base
from pckv.store.base import Deletion, TaskFilter
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.store import Store
from support.stores import (
    CLOSED,
    DAY,
    ENDING,
    GONE,
    OTHER,
    PLANES,
    SPARSE,
    TASK,
    add,
    invitation,
    report,
    some_reports,
    stored_reports,
    tally,
    total,
)


def test_tasks_are_found_listed_and_added_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not store.add_task(TASK, DAY)
    # Many ids, so that an order that depends on the locale would show.
    tasks = [Task(name=f"task {number}", keys=3, values=(0, 1), epsilon=1) for number in range(30)]
    assert all(store.add_task(task, DAY) for task in tasks)
    ids = sorted(task.id for task in [TASK, *tasks])
    assert [stored.task.id for stored in store.list_tasks(100)] == ids
    assert [stored.task.id for stored in store.list_tasks(7, after=ids[4])] == ids[5:12]
    assert store.list_tasks(7, after=ids[-1]) == []
    assert [stored.task.id for stored in store.all_tasks()] == ids
    monkeypatch.setattr(base, "TASKS_PER_PAGE", 7)
    assert [stored.task.id for stored in store.all_tasks()] == ids
    stored = store.find_task(TASK.id)
    assert stored is not None
    assert (stored.task, stored.closed, stored.by_invitation, stored.reports_forgotten) == (
        TASK,
        None,
        False,
        None,
    )
    assert store.find_task("nobody") is None
    assert store.find_deletion(TASK.id) is None


def test_tasks_are_listed_newest_first(store: Store) -> None:
    names = ["Straße 1", "100 % wool", "a_b", "axb", "STRASSE 2"]
    tasks = [Task(name=name, keys=3, values=(0, 1), epsilon=1) for name in names]
    for task in tasks:
        store.add_task(task, DAY)
    store.add_task(ENDING, DAY)
    listed = store.newest_tasks(9)
    assert [stored.task for stored in listed] == [ENDING, *reversed(tasks), TASK]
    assert listed[0].created == DAY
    assert store.newest_tasks(2, listed[1].number) == listed[2:4]
    # Numbers go on after a task was deleted, also of the one that was listed last.
    store.delete_task(listed[3].task.id, DAY)
    assert store.newest_tasks(9, listed[3].number) == listed[4:]
    for search, found in {"strasse": [4, 0], "% W": [1], "a_B": [2], "!": [], "%": [1]}.items():
        matching = store.newest_tasks(9, chosen=TaskFilter(search))
        assert [stored.task for stored in matching] == [
            tasks[place] for place in found if tasks[place] != listed[3].task
        ]
    for day, phase in (
        ("2029-12-31", Phase.WAITING),
        ("2030-01-01", Phase.OPEN),
        ("2030-02-01", Phase.CLOSED),
    ):
        matching = store.newest_tasks(9, chosen=TaskFilter("end", phase, day))
        assert [stored.task for stored in matching] == [ENDING]
    store.close_task(TASK.id, DAY)
    assert [stored.task for stored in store.newest_tasks(9, chosen=TaskFilter("", Phase.CLOSED, DAY))] == [
        ENDING,
        TASK,
    ]


def test_what_may_be_changed_about_a_task(store: Store) -> None:
    stored = store.find_task(TASK.id)
    assert stored is not None
    assert (stored.target, stored.public_results) == (None, False)
    assert store.change_task(TASK.id, {"target": 10**15, "public_results": True})
    assert store.change_task(TASK.id, {})
    assert store.find_task(TASK.id) == replace(stored, target=10**15, public_results=True)
    assert store.change_task(TASK.id, {"target": None})
    assert store.find_task(TASK.id) == replace(stored, public_results=True)
    assert not store.change_task("nobody", {"target": 1})


def test_reports_are_counted_by_day(store: Store) -> None:
    assert store.report_days(TASK.id) == store.report_days("nobody") == []
    add(store, report(1), report(2), day="2031-05-09")
    # A repeat counts on no day, and neither does a refusal.
    add(store, report(1), report(2, 5), report(3), day="2031-05-10")
    add(store, report(4), day="2031-05-09")
    assert store.report_days(TASK.id) == [("2031-05-09", 3), ("2031-05-10", 1)]
    assert store.last_report_days([TASK.id, OTHER.id]) == {TASK.id: "2031-05-10"}
    store.close_task(TASK.id, DAY)
    add(store, report(5), day="2031-05-11")
    store.forget_reports(TASK.id, DAY)
    assert store.report_days(TASK.id) == [("2031-05-09", 3), ("2031-05-10", 1)]
    assert check_store(store) == []
    store.delete_task(TASK.id, DAY)
    assert store.report_days(TASK.id) == []


def test_more_tasks_than_the_cache_holds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store._contracts.tasks, "_limit", 2)
    for task in (TASK, OTHER, PLANES, SPARSE):
        store.add_task(task, DAY)
    for _ in range(2):
        assert {stored.task for stored in store.list_tasks(9)} == {TASK, OTHER, PLANES, SPARSE}


def test_a_closed_task_takes_nothing(store: Store) -> None:
    add(store, report(1))
    assert store.close_task(TASK.id, DAY)
    assert store.close_task(TASK.id, "2031-05-07")
    stored = store.find_task(TASK.id)
    assert stored is not None
    assert stored.closed == DAY
    assert add(store, report(1), report(2)) == [CLOSED, CLOSED]
    assert total(store) == tally([report(1)])
    assert not store.close_task("nobody", DAY)


def test_a_deleted_task_leaves_its_day_and_count(store: Store) -> None:
    store.add_task(OTHER, DAY)
    add(store, *some_reports(range(5), OTHER), task=OTHER)
    add(store, *some_reports(range(3)))
    add(store, *some_reports(range(7)))
    store.add_invitations(TASK.id, [invitation(1)])
    # PostgreSQL keeps deleted rows in its files until they are rewritten.
    deletion = Deletion(TASK.id, DAY, 7, erased=not isinstance(store, PostgresStore))
    assert store.delete_task(TASK.id, DAY) == deletion
    assert store.delete_task(TASK.id, "2031-05-07") == deletion == store.find_deletion(TASK.id)
    assert store.find_task(TASK.id) is None
    assert store.parts(TASK.id) == []
    assert stored_reports(store) == []
    assert add(store, report(1)) == [GONE]
    assert not store.close_task(TASK.id, DAY)
    assert not store.add_invitations(TASK.id, [invitation(2)])
    assert store.forget_reports(TASK.id, DAY) == store.compact(TASK.id) == 0
    with pytest.raises(TaskGone, match=f"task {TASK.id} was deleted"):
        store.add_task(TASK, DAY)
    assert store.delete_task("nobody", DAY) is None
    assert total(store, OTHER) == tally(some_reports(range(5), OTHER), OTHER)
    assert check_store(store) == []


def test_forgotten_reports_leave_their_tally(store: Store) -> None:
    store.add_task(ENDING, DAY)
    for task in (TASK, ENDING):
        add(store, *some_reports(range(5), task), task=task)
    with pytest.raises(ParameterError, match="is open"):
        store.forget_reports(TASK.id, DAY)
    with pytest.raises(ParameterError, match="is open"):
        store.forget_reports(ENDING.id, "2030-01-31")
    store.close_task(TASK.id, DAY)
    for task, day in ((TASK, DAY), (ENDING, "2030-02-01")):
        assert store.forget_reports(task.id, day) == 5
        assert store.forget_reports(task.id, "2040-01-01") == 0
        stored = store.find_task(task.id)
        assert stored is not None
        assert stored.reports_forgotten == day
        assert list(store.reports(task.id)) == []
        assert total(store, task) == tally(some_reports(range(5), task), task)
        # A repeated report could not be recognised any more.
        assert add(store, report(1, task=task), task=task) == [CLOSED]
    assert check_store(store) == []
    assert store.delete_task(TASK.id, DAY) == Deletion(TASK.id, DAY, 5, erased=not isinstance(store, PostgresStore))
