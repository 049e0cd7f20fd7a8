"""Transactions that can be undone for some days, and that undo them: closing a task or a series early, and the bin."""

from __future__ import annotations

from pckv.base.errors import ParameterError, TaskGone
from pckv.store.base import StoredTask
from pckv.store.sql.contracts import find_row, find_series, find_task
from pckv.store.sql.surveys import release_survey, take_survey
from pckv.store.sql.transactions import Transaction

_REOPEN_ROUNDS = """
    UPDATE tasks SET closed = NULL, closed_with_series = 0
    WHERE series = $1 AND closed_with_series = 1 AND closes > $2 AND reports_forgotten IS NULL
"""


def reopen_task(tx: Transaction, task_id: str, day: str) -> bool:
    """Undo the early close of a task; return False if it is unknown. Of an open one nothing changes.

    Refuse with a `ParameterError` whose text is the reason.
    """
    row = find_row(tx, task_id, tx.for_update)
    if row is None:
        return False
    refusal = row.stored(tx).reopening_refusal(day)
    if refusal:
        raise ParameterError(refusal)
    tx.change("UPDATE tasks SET closed = NULL WHERE number = $1", row.number)
    return True


def reopen_series(tx: Transaction, series_id: str, day: str) -> bool:
    """Undo the early close of a series and of its rounds; return False if it is unknown.

    Of an open one nothing changes. Rounds that it closed open again, unless they are over or lost their reports;
    those that were closed by themselves before stay so. Refuse with a `ParameterError` whose text is the reason.
    """
    # The row is locked against another close.
    if tx.change("UPDATE series SET closed = closed WHERE id = $1", series_id) == 0:
        return False
    stored = find_series(tx, series_id)
    if stored is None or stored.closed is None:
        return True
    refusal = stored.reopening_refusal(day)
    if refusal:
        raise ParameterError(refusal)
    tx.change("UPDATE series SET closed = NULL WHERE id = $1", series_id)
    tx.change(_REOPEN_ROUNDS, series_id, day)
    return True


def bin_task(tx: Transaction, task_id: str, day: str) -> StoredTask | None:
    """Put a task into the bin, where it takes no reports; return it, None if it is unknown.

    Its name is free from now on. What is in the bin stays there since the first day.
    """
    # The row is locked against uploads: one that was acknowledged is in the task, and the next one is refused.
    row = find_row(tx, task_id, tx.for_update)
    if row is None:
        return None
    tx.change("UPDATE tasks SET binned = coalesce(binned, $1) WHERE number = $2", day, row.number)
    release_survey(tx, task_id)
    return find_task(tx, task_id)


def restore_task(tx: Transaction, task_id: str, day: str) -> StoredTask | None:
    """Take a task out of the bin; return it as it was before, None if it is unknown. Any other stays as it is.

    Refuse with a `NameTaken` if another survey has its name, and with a `TaskGone` once its time in the bin is over.
    """
    row = find_row(tx, task_id, tx.for_update)
    if row is None:
        return None
    stored = row.stored(tx)
    if stored.is_expired(day):
        raise TaskGone(f"task {task_id} was in the bin until {stored.binned_until}")
    if stored.binned is not None:
        if stored.task.series is None:
            take_survey(tx, stored.task.name, task_id)
        tx.change("UPDATE tasks SET binned = NULL WHERE number = $1", row.number)
    return find_task(tx, task_id)
