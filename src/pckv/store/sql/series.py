"""Transactions on series and their rounds."""

from __future__ import annotations

from pckv.contract.series import Series
from pckv.contract.survey import survey_of
from pckv.contract.task import Task
from pckv.store.base import StoredRound, StoredSeries
from pckv.store.sql.tasks import NO_NUMBER, add_task
from pckv.store.sql.transactions import Transaction

_INSERT = """
    INSERT INTO series (id, survey, json, created) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING
"""
_ROW = "SELECT number, id, created, closed FROM series"
_ROUNDS = """
    SELECT tasks.series_round, tasks.id, tasks.opens, tasks.closes, tasks.closed, tasks.reports_forgotten,
        CAST(coalesce(sum(parts.reports), 0) AS bigint)
    FROM tasks LEFT JOIN parts ON parts.task = tasks.number
    WHERE tasks.series = $1 AND tasks.series_round < $2
    GROUP BY tasks.number ORDER BY tasks.series_round DESC LIMIT $3
"""


def add_series(tx: Transaction, series: Series, day: str) -> bool:
    """Add a series on a day; return False if it is stored already."""
    return tx.change(_INSERT, series.id, survey_of(series.name), series.to_json(), day) > 0


def find_series(tx: Transaction, series_id: str) -> StoredSeries | None:
    """Return a series; None if it is unknown."""
    found = _stored(tx, f"{_ROW} WHERE id = $1", series_id)
    return found[0] if found else None


def list_series(tx: Transaction, limit: int, before: int | None = None) -> list[StoredSeries]:
    """Return series, newest first."""
    return _stored(tx, f"{_ROW} WHERE number < $1 ORDER BY number DESC LIMIT $2", before or NO_NUMBER, limit)


def _stored(tx: Transaction, sql: str, *values: object) -> list[StoredSeries]:
    return [
        StoredSeries(tx.contracts.series.find(tx, series_id), created, closed, number)
        for number, series_id, created, closed in tx.rows(sql, *values)
    ]


def series_named(tx: Transaction, name: str) -> list[str]:
    """Return the ids of all series that devices take for the survey of this name, in order."""
    rows = tx.rows("SELECT id FROM series WHERE survey = $1 ORDER BY id", survey_of(name))
    return [series_id for (series_id,) in rows]


def close_series(tx: Transaction, series_id: str, day: str) -> bool:
    """Close a series early, and its rounds that are not over by that day; return False if it is unknown."""
    # The row of the series first: a transaction that adds a round waits for it, and then sees that it is
    # closed.
    if tx.change("UPDATE series SET closed = coalesce(closed, $1) WHERE id = $2", day, series_id) == 0:
        return False
    ending = "UPDATE tasks SET closed = coalesce(closed, $1) WHERE series = $2 AND closes > $1"
    tx.change(ending, day, series_id)
    return True


def add_round(tx: Transaction, task: Task, day: str) -> bool:
    """Add the task of a round, unless its series is unknown or closed; return False if nothing was added."""
    series_id = task.series.id if task.series else ""
    rows = tx.rows(f"SELECT closed FROM series WHERE id = $1{tx.for_share}", series_id)  # noqa: S608
    return rows == [(None,)] and add_task(tx, task, day)


def rounds(tx: Transaction, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
    """Return the last rounds of a series that have a task, in order."""
    rows = tx.rows(_ROUNDS, series_id, before or NO_NUMBER, limit)
    return [StoredRound(*row) for row in reversed(rows)]
