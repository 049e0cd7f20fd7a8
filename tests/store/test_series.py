"""Series and their rounds in every store."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv import Series, Task
from pckv.base.days import Phase
from pckv.base.errors import TaskGone
from pckv.store.base import TaskFilter
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import CLOSED, OTHER, STORED, TASK, add, change, opened, report, store_url, together

# The name of `TASK` is taken where a store has it.
REPEATED = Task(name="repeated", keys=11, values=(0, 1), epsilon=1, mechanism="grr")
SERIES = Series(task=REPEATED, first="2030-01-07", period=7, panels=2)
SHORT = Series(task=OTHER, first="2030-01-07", period=7, panels=1, rounds=2)
DAY = "2030-01-15"


def test_a_series_is_added_once_found_and_listed(store: Store) -> None:
    assert store.find_series(SERIES.id) is None
    assert store.list_series(10) == []
    assert store.add_series(SERIES, DAY)
    assert not store.add_series(SERIES, "2031-01-01")
    assert store.add_series(SHORT, DAY)
    stored = store.find_series(SERIES.id)
    assert stored is not None
    assert (stored.series, stored.created, stored.closed) == (SERIES, DAY, None)
    listed = store.list_series(10)
    assert [one.series for one in listed] == [SHORT, SERIES]
    assert store.list_series(1) == listed[:1]
    assert store.list_series(10, listed[0].number) == listed[1:]


def test_rounds_have_tasks_and_reports(store: Store) -> None:
    assert not store.add_round(SERIES.task_of(2), DAY), "its series is unknown"
    store.add_series(SERIES, DAY)
    assert store.rounds(SERIES.id, 10) == []
    assert not store.add_round(TASK, DAY), "it is no round"
    for number in (3, 2):
        assert store.add_round(SERIES.task_of(number), DAY)
        assert not store.add_round(SERIES.task_of(number), DAY)
    task = SERIES.task_of(2)
    assert add(store, report(1, task=task), report(2, task=task), task=task) == [STORED] * 2
    assert add(store, report(3, task=task), task=task) == [STORED]
    second, third = store.rounds(SERIES.id, 10)
    assert second[:4] == (2, task.id, "2030-01-14", "2030-01-21")
    assert (second.closed, second.reports_forgotten, second.reports, third.reports) == (None, None, 3, 0)
    assert [one.phase(DAY) for one in (second, third)] == [Phase.OPEN, Phase.WAITING]
    assert store.rounds(SERIES.id, 1) == [third]
    assert store.rounds(SERIES.id, 1, before=3) == [second]
    assert check_store(store) == []


def test_rounds_are_left_out_of_the_list_of_tasks_where_asked(store: Store) -> None:
    store.add_series(SERIES, DAY)
    store.add_round(SERIES.task_of(1), DAY)
    assert [one.task.name for one in store.newest_tasks(10)] == ["repeated, round 1", "one"]
    assert [one.task.name for one in store.newest_tasks(10, None, TaskFilter(rounds=False))] == ["one"]
    chosen = TaskFilter("e", Phase.OPEN, "2030-01-08", rounds=False)
    assert [one.task.name for one in store.newest_tasks(10, None, chosen)] == ["one"]


def test_a_closed_series_has_no_open_round_and_gets_none(store: Store) -> None:
    assert not store.close_series(SERIES.id, DAY)
    store.add_series(SERIES, DAY)
    tasks = [SERIES.task_of(number) for number in (1, 2, 3)]
    for task in tasks:
        store.add_round(task, DAY)
    assert add(store, report(1, task=tasks[1]), task=tasks[1]) == [STORED]
    for day in (DAY, "2030-01-16"):
        assert store.close_series(SERIES.id, day)
        stored = store.find_series(SERIES.id)
        assert stored is not None
        assert (stored.closed, stored.phase(DAY)) == (DAY, Phase.CLOSED)
        # The first round was over already.
        assert [one.closed for one in store.rounds(SERIES.id, 10)] == [None, DAY, DAY]
    assert add(store, report(2, task=tasks[1]), task=tasks[1]) == [CLOSED]
    assert not store.add_round(SERIES.task_of(4), DAY)
    assert check_store(store) == []


def test_a_deleted_round_stays_deleted(store: Store) -> None:
    store.add_series(SERIES, DAY)
    store.add_round(SERIES.task_of(1), DAY)
    store.delete_task(SERIES.task_of(1).id, DAY)
    with pytest.raises(TaskGone):
        store.add_round(SERIES.task_of(1), DAY)
    assert store.rounds(SERIES.id, 10) == []


def test_collectors_agree_on_series_and_rounds(shared: tuple[PostgresStore, PostgresStore]) -> None:
    added = together(4, lambda number: shared[number % 2].add_series(SERIES, DAY))
    assert sorted(added) == [False, False, False, True]
    task = SERIES.task_of(1)
    added = together(4, lambda number: shared[number % 2].add_round(task, DAY))
    assert sorted(added) == [False, False, False, True]


def test_no_round_is_added_while_another_collector_closes(
    shared: tuple[PostgresStore, PostgresStore],
) -> None:
    one, two = shared
    for number in range(1, 11):
        task = Task(name=f"repeated {number}", keys=11, values=(0, 1), epsilon=1, mechanism="grr")
        series = Series(task=task, first="2030-01-07", period=7, panels=1)
        one.add_series(series, DAY)

        def work(who: int, series: Series = series) -> object:
            if who:
                return two.close_series(series.id, "2030-01-07")
            return one.add_round(series.task_of(1), DAY)

        together(2, work)
        # Added before, and closed; or not added.
        assert [listed.closed for listed in one.rounds(series.id, 10)] in ([], ["2030-01-07"])


def test_a_backup_has_the_series(sqlite: SqliteStore, tmp_path: Path) -> None:
    sqlite.add_series(SERIES, DAY)
    sqlite.add_round(SERIES.task_of(1), DAY)
    sqlite.close_series(SERIES.id, "2030-01-08")
    sqlite.backup(tmp_path / "copy.db")
    with opened(f"sqlite:///{tmp_path}/copy.db") as restored:
        assert restored.list_series(10) == sqlite.list_series(10)
        assert restored.rounds(SERIES.id, 10) == sqlite.rounds(SERIES.id, 10)
        assert check_store(restored) == []


DAMAGE: dict[str, tuple[str, tuple[object, ...], str]] = {
    "a series is none": ("UPDATE series SET json = $1", ("{}",), "is damaged: not a series: "),
    "a series is another": ("UPDATE series SET json = $1", (SHORT.to_json(),), f"is that of {SHORT.id}"),
    "a round has another number": (
        "UPDATE tasks SET series_round = $1 WHERE series IS NOT NULL",
        (1,),
        f"task {SERIES.task_of(2).id} is not its round 1",
    ),
    "a round is no round": (
        "UPDATE tasks SET series = NULL WHERE series = $1",
        (SERIES.id,),
        f"task {SERIES.task_of(2).id}: series {SERIES.id} does not have it as round 2",
    ),
    "the series of a round is gone": (
        "DELETE FROM series WHERE id = $1",
        (SERIES.id,),
        f"task {SERIES.task_of(2).id}: series {SERIES.id} does not have it as round 2",
    ),
}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("planted", DAMAGE)
def test_planted_damage_to_series_is_found(kind: str, planted: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_series(SERIES, DAY)
        store.add_round(SERIES.task_of(2), DAY)
        assert check_store(store) == []
        statement, values, message = DAMAGE[planted]
        change(store, statement, *values)
    with opened(url) as store:
        problems = check_store(store)
        assert any(message in problem for problem in problems), problems
        assert not any("\n" in problem for problem in problems)
