"""Transactions on the batches of mixed tasks: how far each is fetched, and the reports that were opened."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store import duplicates
from pckv.store.base import FINAL_STATES, FetchedBatch, FetchState, KeyedTask
from pckv.store.sql import contracts, reports
from pckv.store.sql.contracts import TASK_NUMBER, find_row
from pckv.store.sql.surveys import take_survey
from pckv.store.sql.transactions import Transaction

_COLUMNS = FetchedBatch._fields
_ADD = "INSERT INTO fetched_batches (task, key) VALUES ($1, $2) ON CONFLICT (task) DO NOTHING"
_FIND = f"SELECT {', '.join(_COLUMNS)} FROM fetched_batches WHERE task = {TASK_NUMBER}"  # noqa: S608
_RECORD = (
    f"UPDATE fetched_batches SET {', '.join(f'{name} = ${place}' for place, name in enumerate(_COLUMNS, 1))} "  # noqa: S608
    f"WHERE task = ${len(_COLUMNS) + 1}"
)
# One statement decides: of two collectors, the second waits for the first and then sees what it wrote.
_CLAIM = "UPDATE fetched_batches SET next_try = $1 WHERE task = $2 AND next_try <= $3"
_FINAL = ", ".join(f"'{state}'" for state in FINAL_STATES)
_UNFINISHED = f"""
    SELECT tasks.id FROM fetched_batches JOIN tasks ON tasks.number = fetched_batches.task
    WHERE fetched_batches.state NOT IN ({_FINAL}) ORDER BY tasks.id
"""  # noqa: S608
_SHARING = f"""
    SELECT tasks.id, tasks.series, fetched_batches.state IN ({_FINAL})
    FROM fetched_batches JOIN tasks ON tasks.number = fetched_batches.task
    WHERE fetched_batches.key = $1 ORDER BY tasks.id
"""  # noqa: S608


def add_task(tx: Transaction, task: Task, day: str) -> bool:
    """Add a task as `contracts.add_task` does, with a name of its own; of a mixed one, a batch is to be fetched.

    A name that another survey has is refused with a `NameTaken`.
    """
    added = contracts.add_task(tx, task, day)
    if added:
        take_survey(tx, task.name, task.id)
    _expect_batch(tx, task, added=added)
    return added


def add_series(tx: Transaction, series: Series, day: str) -> bool:
    """Add a series as `contracts.add_series` does, with a name of its own, as with tasks."""
    added = contracts.add_series(tx, series, day)
    if added:
        take_survey(tx, series.name, series.id)
    return added


def add_round(tx: Transaction, task: Task, day: str) -> bool:
    """Add a round as `contracts.add_round` does; of a mixed series, a batch is to be fetched."""
    added = contracts.add_round(tx, task, day)
    _expect_batch(tx, task, added=added)
    return added


def _expect_batch(tx: Transaction, task: Task, *, added: bool) -> None:
    row = find_row(tx, task.id) if added and task.mixer is not None else None
    if row is not None and task.mixer is not None:
        tx.change(_ADD, row.number, task.mixer.key)


def find_batch(tx: Transaction, task_id: str) -> FetchedBatch | None:
    """Return how far the batch of a mixed task is; None for any other task."""
    return fetched_batches(tx, [task_id]).get(task_id)


def fetched_batches(tx: Transaction, task_ids: Sequence[str]) -> dict[str, FetchedBatch]:
    """Return how far batches are, of those tasks that are mixed."""
    found = {task_id: FetchedBatch(*row) for task_id in task_ids for row in tx.rows(_FIND, task_id)}
    return {task_id: batch._replace(state=FetchState(batch.state)) for task_id, batch in found.items()}


def unfinished_batches(tx: Transaction) -> list[str]:
    """Return the ids of all mixed tasks whose batch is neither in nor lost."""
    return [task_id for (task_id,) in tx.rows(_UNFINISHED)]


def tasks_with_key(tx: Transaction, key: str) -> list[KeyedTask]:
    """Return the tasks whose reports are sealed for a public key."""
    return [KeyedTask(task_id, series, bool(is_final)) for task_id, series, is_final in tx.rows(_SHARING, key)]


def claim_batch(tx: Transaction, task_id: str, now: int, pause: int) -> bool:
    """Note that a collector works on a batch for a pause; return False if it is not due, or another one does."""
    row = find_row(tx, task_id, tx.for_share)
    return row is not None and tx.change(_CLAIM, now + pause, row.number, now) > 0


def record_batch(tx: Transaction, task_id: str, batch: FetchedBatch) -> None:
    """Keep how far a batch is; of an unknown task, nothing."""
    row = find_row(tx, task_id, tx.for_share)
    if row is not None:
        tx.change(_RECORD, batch.state.value, *batch[1:], row.number)


def add_opened_reports(tx: Transaction, task_id: str, opened: Sequence[Report], day: str) -> bool:
    """Add opened reports of a mixed task, on a day; those that are stored stay. Return False if the task is gone.

    They come after the task has closed. Reports in clear never come this way, and opened ones no other.
    """
    row = find_row(tx, task_id, tx.for_share)
    if row is None or row.reports_forgotten:
        return False
    batch = duplicates.TaskBatch(list(opened), [None] * len(opened))
    reports.count_stored(tx, row, reports.add_open(tx, row.number, batch), day)
    return True
