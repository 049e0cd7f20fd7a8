"""Tasks in the order of their creation, and the days of their reports, in the SQL that both databases share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from pckv.base.days import Phase
from pckv.contract.task import Task
from pckv.store.base import ALL_TASKS, ReportDay, StoredTask, TaskChanges, TaskFilter
from pckv.store.sql.reading import TASK_NUMBER, TASK_ROW, SqlSnapshot, TaskRow
from pckv.store.sql.transactions import Transaction, TransactionRunner
from pckv.store.uploads import has_server_coin

_INSERT = """
    INSERT INTO tasks (id, json, created, folded_name, opens, closes, by_invitation, series, series_round)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING
"""
_COUNT = """
    INSERT INTO report_days (task, day, reports) VALUES ($1, $2, $3)
    ON CONFLICT (task, day) DO UPDATE SET reports = report_days.reports + excluded.reports
"""
# As `StoredTask.phase`; the day is the third parameter.
_PHASE = """
    CASE WHEN closed IS NOT NULL OR closes <= $3 THEN 'closed' WHEN opens > $3 THEN 'waiting' ELSE 'open' END
"""
# Larger than any number of a task.
_NO_NUMBER = 2**63 - 1


class SqlTaskLists(TransactionRunner):
    """Lists of tasks, what may be changed about them, and the days of their reports, of a `Store` in SQL."""

    @abstractmethod
    def _stored(self, tx: Transaction, row: TaskRow) -> StoredTask:
        """Return a row with its task."""

    def newest_tasks(
        self, limit: int, before: int | None = None, chosen: TaskFilter = ALL_TASKS
    ) -> list[StoredTask]:
        """Return tasks in the reverse order of their creation, starting with those created before a given number."""
        phases = [phase.value for phase in Phase if chosen.phase in (None, phase)]
        among = ", ".join(f"${4 + index}" for index in range(len(phases)))
        sql = (
            f"{TASK_ROW} WHERE number < $1 AND folded_name LIKE $2 ESCAPE '!' AND {_PHASE} IN ({among}) "
            f"{'' if chosen.rounds else 'AND series IS NULL '}ORDER BY number DESC LIMIT {int(limit)}"
        )
        start = _NO_NUMBER if before is None else before

        def work(tx: Transaction) -> list[StoredTask]:
            rows = tx.rows(sql, start, _pattern(chosen.search), chosen.day, *phases)
            return [self._stored(tx, TaskRow(*row)) for row in rows]

        return self._run("list tasks", work, write=False)

    def change_task(self, task_id: str, changes: TaskChanges) -> bool:
        """Change what may be changed about a task; return False if it is unknown."""
        columns: dict[str, int | None] = {}
        if "target" in changes:
            columns["target"] = changes["target"]
        if "public_results" in changes:
            columns["public_results"] = int(changes["public_results"])
        values = "".join(f", {name} = ${number}" for number, name in enumerate(columns, 1))
        sql = f"UPDATE tasks SET id = id{values} WHERE id = ${len(columns) + 1}"  # noqa: S608
        return self._run("change task", lambda tx: tx.change(sql, *columns.values(), task_id) > 0)

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order."""
        return self._run("find days", lambda tx: SqlSnapshot(tx).report_days(task_id), write=False)

    def last_report_days(self, task_ids: Sequence[str]) -> dict[str, str]:
        """Return the last day on which a report came, of those tasks that have one."""
        sql = f"SELECT max(day) FROM report_days WHERE task = {TASK_NUMBER}"  # noqa: S608

        def work(tx: Transaction) -> dict[str, str]:
            days = {task_id: tx.rows(sql, task_id)[0][0] for task_id in task_ids}
            return {task_id: day for task_id, day in days.items() if day is not None}

        return self._run("find days", work, write=False)


def _pattern(search: str) -> str:
    """Return a pattern of names that hold a text, with the signs that mean something in a pattern escaped."""
    text = search.casefold()
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return f"%{text}%"


def insert_task(tx: Transaction, task: Task, day: str) -> bool:
    """Insert the row of a task that is created on a day; return False if there is one."""
    facts = (task.name.casefold(), task.opens, task.closes, int(has_server_coin(task)))
    series = (None, None) if task.series is None else (task.series.id, task.series.round)
    return tx.change(_INSERT, task.id, task.to_json(), day, *facts, *series) > 0


def count_day(tx: Transaction, day: str, counts: Iterable[tuple[TaskRow | None, int]]) -> None:
    """Count reports of tasks that came on a day; the order of the tasks must be the same for all collectors."""
    for row, reports in counts:
        if row is not None and reports:
            tx.change(_COUNT, row.number, day, reports)
