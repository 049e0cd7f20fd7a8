"""Transactions on tasks and series: their rows, rounds, deletions and erasures, and checks for alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pckv.base.days import Phase
from pckv.base.errors import ParameterError, TaskGone
from pckv.base.limits import SERVER_COIN
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import (
    ALL_TASKS,
    AlarmCheck,
    Deletion,
    StoredRound,
    StoredSeries,
    StoredTask,
    TaskChanges,
    TaskFilter,
)
from pckv.store.sql.surveys import release_survey
from pckv.store.sql.transactions import Transaction

# The number of the task whose id is the first parameter.
TASK_NUMBER = "(SELECT number FROM tasks WHERE id = $1)"
# Larger than any number of a task, a series or a round.
NO_NUMBER = 2**63 - 1
# Marks of erasures: words of the deleted reports still wait to be counted; nothing is left in the files.
UNFINISHED, ERASED = "unfinished", "erased"

_TASK = (
    "SELECT number, id, created, by_invitation, closed, reports_forgotten, target, public_results, binned FROM tasks"
)
_ADD_TASK = """
    INSERT INTO tasks (id, json, created, folded_name, opens, closes, by_invitation, series, series_round)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING
"""
# As `StoredTask.phase`; the day is the third parameter.
_PHASE = """
    CASE WHEN closed IS NOT NULL OR closes <= $3 THEN 'closed' WHEN opens > $3 THEN 'waiting' ELSE 'open' END
"""
_MARK = "INSERT INTO erasures VALUES ($1, $2) ON CONFLICT (task) DO UPDATE SET mark = excluded.mark"
# One statement decides: of two collectors, the second waits for the first and then sees what it wrote.
_CLAIM = """
    INSERT INTO alarm_checks (task, begun) VALUES ($1, $2)
    ON CONFLICT (task) DO UPDATE SET begun = excluded.begun
    WHERE abs(alarm_checks.begun - excluded.begun) >= $3
"""
_RECORD = "UPDATE alarm_checks SET seconds = $1, reports = $2, result = $3 WHERE task = $4"
_CHECK = f"SELECT seconds, reports, result FROM alarm_checks WHERE task = {TASK_NUMBER} AND result IS NOT NULL"  # noqa: S608

_ROUND_CHECKS = """
    SELECT tasks.id, alarm_checks.seconds, alarm_checks.reports, alarm_checks.result
    FROM alarm_checks JOIN tasks ON tasks.number = alarm_checks.task
    WHERE tasks.series = $1 AND tasks.binned IS NULL AND alarm_checks.result IS NOT NULL
"""

_ADD_SERIES = """
    INSERT INTO series (id, json, created) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING
"""
_SERIES = "SELECT number, id, created, closed FROM series"
_ROUNDS = """
    SELECT tasks.series_round, tasks.id, tasks.opens, tasks.closes, tasks.closed, tasks.reports_forgotten,
        CAST(coalesce(sum(parts.reports), 0) AS bigint)
    FROM tasks LEFT JOIN parts ON parts.task = tasks.number
    WHERE tasks.series = $1 AND tasks.series_round < $2 AND tasks.binned IS NULL
    GROUP BY tasks.number ORDER BY tasks.series_round DESC LIMIT $3
"""


class TaskRow(NamedTuple):
    """A task's row without its text."""

    number: int
    id: str
    created: str
    by_invitation: int
    closed: str | None
    reports_forgotten: str | None
    target: int | None
    public_results: int
    binned: str | None

    def stored(self, tx: Transaction) -> StoredTask:
        """Return the row with its task."""
        return StoredTask(
            tx.contracts.tasks.find(tx, self.id),
            self.created,
            bool(self.by_invitation),
            closed=self.closed,
            reports_forgotten=self.reports_forgotten,
            target=self.target,
            public_results=bool(self.public_results),
            binned=self.binned,
            number=self.number,
        )


def find_row(tx: Transaction, task_id: str, lock: str = "") -> TaskRow | None:
    """Return a task's row, locked until the transaction ends; None if the task is unknown."""
    rows = tx.rows(f"{_TASK} WHERE id = $1{lock}", task_id)
    return TaskRow(*rows[0]) if rows else None


def add_task(tx: Transaction, task: Task, day: str) -> bool:
    """Add a task on a day; return False if it is stored already.

    A deleted task, or one in the bin, is refused with a `TaskGone`.
    """
    facts = (task.name.casefold(), task.opens, task.closes, int(task.coin == SERVER_COIN))
    series = (None, None) if task.series is None else (task.series.id, task.series.round)
    added = tx.change(_ADD_TASK, task.id, task.to_json(), day, *facts, *series) > 0
    # Checked last: an insert that waited for a deletion must see it.
    if added and find_deletion(tx, task.id):
        raise TaskGone(f"task {task.id} was deleted")
    row = None if added else find_row(tx, task.id)
    if row is not None and row.binned:
        raise TaskGone(f"task {task.id} is in the bin")
    return added


def find_task(tx: Transaction, task_id: str) -> StoredTask | None:
    """Return a task, also one in the bin; None if it is unknown or deleted."""
    row = find_row(tx, task_id)
    return row.stored(tx) if row else None


def find_deletion(tx: Transaction, task_id: str) -> Deletion | None:
    """Return what is left of a deleted task."""
    erased = "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.task = deletions.task)"
    rows = tx.rows(f"SELECT task, day, reports, {erased} FROM deletions WHERE task = $1", task_id)  # noqa: S608
    for task, day, reports, gone in rows:
        return Deletion(task, day, reports, erased=bool(gone))
    return None


def list_tasks(tx: Transaction, limit: int, after: str = "", *, with_binned: bool = False) -> list[StoredTask]:
    """Return tasks in the order of their ids, starting after a given id; without those in the bin, unless wanted."""
    among = "" if with_binned else "AND binned IS NULL "
    rows = tx.rows(f"{_TASK} WHERE id > $1 {among}ORDER BY id LIMIT $2", after, limit)
    return [TaskRow(*row).stored(tx) for row in rows]


def binned_tasks(tx: Transaction) -> list[StoredTask]:
    """Return the tasks in the bin, the last one first."""
    rows = tx.rows(f"{_TASK} WHERE binned IS NOT NULL ORDER BY binned DESC, number DESC")
    return [TaskRow(*row).stored(tx) for row in rows]


def newest_tasks(
    tx: Transaction, limit: int, before: int | None = None, chosen: TaskFilter = ALL_TASKS
) -> list[StoredTask]:
    """Return tasks, newest first, starting with those created before a given number."""
    phases = [phase.value for phase in Phase if chosen.phase in (None, phase)]
    among = ", ".join(f"${4 + index}" for index in range(len(phases)))
    sql = (
        f"{_TASK} WHERE number < $1 AND binned IS NULL AND folded_name LIKE $2 ESCAPE '!' AND {_PHASE} IN ({among}) "
        f"{'' if chosen.rounds else 'AND series IS NULL '}ORDER BY number DESC LIMIT {int(limit)}"
    )
    start = NO_NUMBER if before is None else before
    rows = tx.rows(sql, start, _pattern(chosen.search), chosen.day, *phases)
    return [TaskRow(*row).stored(tx) for row in rows]


def _pattern(search: str) -> str:
    """Return a pattern of names that hold a text, with the signs that mean something in a pattern escaped."""
    text = search.casefold()
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return f"%{text}%"


def change_task(tx: Transaction, task_id: str, changes: TaskChanges) -> bool:
    """Change what may be changed about a task; return False if it is unknown."""
    given = {name: changes[name] for name in ("target", "public_results") if name in changes}
    # PostgreSQL takes no truth value for a number.
    columns = {name: None if value is None else int(value) for name, value in given.items()}
    values = "".join(f", {name} = ${number}" for number, name in enumerate(columns, 1))
    sql = f"UPDATE tasks SET id = id{values} WHERE id = ${len(columns) + 1}"  # noqa: S608
    return tx.change(sql, *columns.values(), task_id) > 0


def close_task(tx: Transaction, task_id: str, day: str) -> bool:
    """Close a task early; return False if it is unknown. Closing it again changes nothing."""
    return tx.change("UPDATE tasks SET closed = coalesce(closed, $1) WHERE id = $2", day, task_id) > 0


def delete_task(tx: Transaction, task_id: str, day: str, *, expired: bool = False) -> None:
    """Delete a task with everything that belongs to it, and note the deletion.

    With `expired`, only one whose time in the bin is over.
    """
    row = find_row(tx, task_id, tx.for_update)
    if row is None or (expired and not row.stored(tx).is_expired(day)):
        return
    release_survey(tx, task_id)
    counted = tx.rows("SELECT coalesce(sum(reports), 0) FROM parts WHERE task = $1", row.number)
    for table in ("reports", "parts", "invitations", "report_days", "alarm_checks", "fetched_batches"):
        tx.change(f"DELETE FROM {table} WHERE task = $1", row.number)  # noqa: S608
    tx.change("DELETE FROM tasks WHERE number = $1", row.number)
    tx.change("INSERT INTO deletions VALUES ($1, $2, $3)", task_id, day, int(counted[0][0]))
    mark_erasure(tx, task_id)


def forget_reports(tx: Transaction, task_id: str, day: str) -> int:
    """Delete the reports of a closed task; return how many there were."""
    row = find_row(tx, task_id, tx.for_update)
    if row is None or row.reports_forgotten:
        return 0
    if row.stored(tx).phase(day) is not Phase.CLOSED:
        raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
    tx.change("UPDATE tasks SET reports_forgotten = $1 WHERE number = $2", day, row.number)
    tx.change(_MARK, task_id, UNFINISHED)
    return tx.change("DELETE FROM reports WHERE task = $1", row.number)


def mark_erasure(tx: Transaction, task_id: str) -> None:
    """Note that this transaction deletes the last rows of a task's reports."""
    tx.change(_MARK, task_id, tx.erasure_mark())


def find_erasures(tx: Transaction) -> list[tuple[str, str]]:
    """Return the tasks whose deleted reports may still be in the database's files, and their marks."""
    return tx.rows("SELECT task, mark FROM erasures ORDER BY task")


def finish_erasures(tx: Transaction, pending: Sequence[tuple[str, str]], changed: Mapping[str, str]) -> None:
    """Give erasures their new marks; one whose rows are gone from the files is deleted."""
    # If more of the same task was deleted meanwhile, its mark is another one.
    for task_id, mark in pending:
        new = changed.get(mark, mark)
        if new == ERASED:
            tx.change("DELETE FROM erasures WHERE task = $1 AND mark = $2", task_id, mark)
        elif new != mark:
            tx.change("UPDATE erasures SET mark = $1 WHERE task = $2 AND mark = $3", new, task_id, mark)


def claim_alarm_check(tx: Transaction, task_id: str, now: int, pause: int) -> bool:
    """Note that a check of a task begins; return False if one began within a pause before or after.

    Of several collectors that do this at the same time, one gets True. A claim whose answer is lost counts.
    """
    row = find_row(tx, task_id, tx.for_share)
    return row is not None and tx.change(_CLAIM, row.number, now, pause) > 0


def record_alarm_check(tx: Transaction, task_id: str, check: AlarmCheck) -> None:
    """Keep what a claimed check found in place of the one before; of an unknown task, nothing."""
    row = find_row(tx, task_id, tx.for_share)
    if row is not None:
        tx.change(_RECORD, *check, row.number)


def alarm_checks(tx: Transaction, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
    """Return the last checks that were recorded, of those tasks that have one."""
    return {task_id: AlarmCheck(*row) for task_id in task_ids for row in tx.rows(_CHECK, task_id)}


def round_alarm_checks(tx: Transaction, series_id: str) -> dict[str, AlarmCheck]:
    """Return the last checks that were recorded of the tasks of a series' rounds."""
    return {task_id: AlarmCheck(*check) for task_id, *check in tx.rows(_ROUND_CHECKS, series_id)}


def add_series(tx: Transaction, series: Series, day: str) -> bool:
    """Add a series on a day; return False if it is stored already."""
    return tx.change(_ADD_SERIES, series.id, series.to_json(), day) > 0


def find_series(tx: Transaction, series_id: str) -> StoredSeries | None:
    """Return a series; None if it is unknown."""
    found = _stored_series(tx, f"{_SERIES} WHERE id = $1", series_id)
    return found[0] if found else None


def list_series(tx: Transaction, limit: int, before: int | None = None) -> list[StoredSeries]:
    """Return series, newest first, starting with those created before a given number."""
    return _stored_series(tx, f"{_SERIES} WHERE number < $1 ORDER BY number DESC LIMIT $2", before or NO_NUMBER, limit)


def _stored_series(tx: Transaction, sql: str, *values: object) -> list[StoredSeries]:
    return [
        StoredSeries(tx.contracts.series.find(tx, series_id), created, closed, number)
        for number, series_id, created, closed in tx.rows(sql, *values)
    ]


def close_series(tx: Transaction, series_id: str, day: str) -> bool:
    """Close a series early, and its rounds that are not over by that day; return False if it is unknown.

    From now on no round is added to it. Closing it again changes nothing.
    """
    # The row of the series first: a transaction that adds a round waits for it, and then sees that it is
    # closed.
    if tx.change("UPDATE series SET closed = coalesce(closed, $1) WHERE id = $2", day, series_id) == 0:
        return False
    ending = "UPDATE tasks SET closed = $1, closed_with_series = 1 WHERE series = $2 AND closes > $1 AND closed IS NULL"
    tx.change(ending, day, series_id)
    return True


def add_round(tx: Transaction, task: Task, day: str) -> bool:
    """Add the task of a round on a day, unless its series is unknown or closed.

    Return False if nothing was added. A deleted task is refused with a `TaskGone`.
    """
    series_id = task.series.id if task.series else ""
    rows = tx.rows(f"SELECT closed FROM series WHERE id = $1{tx.for_share}", series_id)  # noqa: S608
    return rows == [(None,)] and add_task(tx, task, day)


def rounds(tx: Transaction, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
    """Return the last rounds of a series that have a task, or the last before a given one, in order."""
    rows = tx.rows(_ROUNDS, series_id, before or NO_NUMBER, limit)
    return [StoredRound(*row) for row in reversed(rows)]
