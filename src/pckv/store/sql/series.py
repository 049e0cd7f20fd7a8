"""Series and their rounds in the SQL that SQLite and PostgreSQL share."""

from __future__ import annotations

import threading
from abc import abstractmethod
from typing import NamedTuple

from pckv.base.days import utc_today
from pckv.base.errors import PckvError, StoreError
from pckv.contract.series import Series
from pckv.contract.survey import survey_of
from pckv.contract.task import Task
from pckv.store.base import StoredRound, StoredSeries
from pckv.store.sql.transactions import Lock, Transaction, TransactionRunner

_INSERT = """
    INSERT INTO series (id, name, json, created) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING
"""
_ROW = "SELECT number, id, created, closed FROM series"
_ROUNDS = """
    SELECT tasks.series_round, tasks.id, tasks.opens, tasks.closes, tasks.closed, tasks.reports_forgotten,
        CAST(coalesce(sum(parts.reports), 0) AS bigint)
    FROM tasks LEFT JOIN parts ON parts.task = tasks.number
    WHERE tasks.series = $1 AND tasks.series_round < $2
    GROUP BY tasks.number ORDER BY tasks.series_round DESC LIMIT $3
"""
# Larger than any number of a series or a round.
_NO_NUMBER = 2**63 - 1
# A series may hold megabytes of key names; this many are kept after parsing.
MAX_PARSED_SERIES = 16


class _SeriesRow(NamedTuple):
    """The row of a series without its text."""

    number: int
    id: str
    created: str
    closed: str | None


class SqlSeries(TransactionRunner):
    """The series of a `Store` in SQL."""

    def __init__(self) -> None:
        self._parsed_series: dict[str, Series] = {}
        self._series_lock = threading.Lock()

    @abstractmethod
    def _insert_task(self, tx: Transaction, task: Task, day: str) -> bool:
        """Insert a task unless it is stored; refuse one that was deleted."""

    def add_series(self, series: Series, day: str | None = None) -> bool:
        """Add a series on a day, by default today; return False if it is stored already."""
        values = (series.id, series.name, series.to_json(), day or utc_today())
        return self._run("add series", lambda tx: tx.change(_INSERT, *values) > 0)

    def find_series(self, series_id: str) -> StoredSeries | None:
        """Return a series; None if it is unknown."""

        def work(tx: Transaction) -> StoredSeries | None:
            rows = tx.rows(f"{_ROW} WHERE id = $1", series_id)
            return self._stored_series(tx, _SeriesRow(*rows[0])) if rows else None

        return self._run("find series", work, write=False)

    def list_series(self, limit: int, before: int | None = None) -> list[StoredSeries]:
        """Return series in the reverse order of their creation."""
        sql, start = f"{_ROW} WHERE number < $1 ORDER BY number DESC LIMIT $2", before or _NO_NUMBER

        def work(tx: Transaction) -> list[StoredSeries]:
            return [self._stored_series(tx, _SeriesRow(*row)) for row in tx.rows(sql, start, limit)]

        return self._run("list series", work, write=False)

    def series_named(self, name: str) -> list[str]:
        """Return the ids of all series that devices take for the survey of this name, in order."""
        survey, sql = survey_of(name), "SELECT id, name FROM series ORDER BY id"
        rows = self._run("find series", lambda tx: tx.rows(sql), write=False)
        return [series_id for series_id, other in rows if survey_of(other) == survey]

    def close_series(self, series_id: str, day: str) -> bool:
        """Close a series early, and its rounds that are not over by that day; return False if it is unknown."""

        def work(tx: Transaction) -> bool:
            # The row of the series first: whoever adds a round meanwhile waits, and then sees that it is closed.
            closing = "UPDATE series SET closed = coalesce(closed, $1) WHERE id = $2"
            if tx.change(closing, day, series_id) == 0:
                return False
            ending = "UPDATE tasks SET closed = coalesce(closed, $1) WHERE series = $2 AND closes > $1"
            tx.change(ending, day, series_id)
            return True

        return self._run("close series", work)

    def add_round(self, task: Task, day: str | None = None) -> bool:
        """Add the task of a round, unless its series is unknown or closed; return False if nothing was added."""

        def work(tx: Transaction) -> bool:
            series_id = task.series.id if task.series else ""
            rows = tx.lock(f"{_ROW} WHERE id = $1", Lock.SHARE, series_id)
            if not rows or _SeriesRow(*rows[0]).closed is not None:
                return False
            return self._insert_task(tx, task, day or utc_today())

        return self._run("add round", work)

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        """Return the last rounds of a series that have a task, in order."""
        values = (series_id, before or _NO_NUMBER, limit)
        rows = self._run("list rounds", lambda tx: tx.rows(_ROUNDS, *values), write=False)
        return [StoredRound(*row) for row in reversed(rows)]

    def _stored_series(self, tx: Transaction, row: _SeriesRow) -> StoredSeries:
        return StoredSeries(self._series(tx, row.id), row.created, row.closed, row.number)

    def _series(self, tx: Transaction, series_id: str) -> Series:
        """Return a series. Its id determines its text, so that a cached one never goes stale."""
        with self._series_lock:
            series = self._parsed_series.get(series_id)
        if series is not None:
            return series
        series = _parse(series_id, tx.rows("SELECT json FROM series WHERE id = $1", series_id)[0][0])
        with self._series_lock:
            while len(self._parsed_series) >= MAX_PARSED_SERIES:
                del self._parsed_series[next(iter(self._parsed_series))]
            self._parsed_series[series_id] = series
        return series


def _parse(series_id: str, text: str) -> Series:
    try:
        series = Series.from_json(text)
    except PckvError as error:
        raise StoreError(f"series {series_id} is damaged: {error}") from error
    if series.id != series_id:
        raise StoreError(f"series {series_id} is damaged: its text is that of {series.id}")
    return series
