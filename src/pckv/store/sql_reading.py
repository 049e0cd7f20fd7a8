"""Reading parts and reports in the SQL that SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from pckv.store.base import TallyPart
from pckv.store.transactions import Transaction
from pckv.wire import Report

R = TypeVar("R", bound=tuple[Any, ...])

# The number of the task whose id is the first parameter.
TASK_NUMBER = "(SELECT number FROM tasks WHERE id = $1)"


class SqlSnapshot:
    """Parts and reports of one moment."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def parts(self, task_id: str) -> list[TallyPart]:
        """Return the parts whose tallies add up to the task's tally."""
        sql = f"SELECT number, tally, reports FROM parts WHERE task = {TASK_NUMBER} ORDER BY number"  # noqa: S608
        return [TallyPart(*row) for row in self._transaction.rows(sql, task_id)]

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their ids."""
        return pages(lambda after: reports_after(self._transaction, task_id, after, batch), b"")


def reports_after(tx: Transaction, task_id: str, after: bytes, limit: int) -> list[Report]:
    """Return some reports of a task in the order of their ids, starting after a given id."""
    sql = f"SELECT id, body FROM reports WHERE task = {TASK_NUMBER} AND id > $2 ORDER BY id LIMIT $3"  # noqa: S608
    return [Report(*row) for row in tx.rows(sql, task_id, after, limit)]


def part_sizes(task_id: str) -> Callable[[Transaction], dict[int, int]]:
    """Return work that reads the size in bytes of each part of a task."""
    sql = f"SELECT number, length(tally) FROM parts WHERE task = {TASK_NUMBER}"  # noqa: S608
    return lambda tx: dict(tx.rows(sql, task_id))


def read_tallies(task_id: str, numbers: Sequence[int]) -> Callable[[Transaction], list[bytes]]:
    """Return work that reads the tallies of parts.

    Parts that somebody else has replaced meanwhile are left out; `compact` notices that when it deletes them.
    """
    sql = f"SELECT tally FROM parts WHERE task = {TASK_NUMBER} AND number = $2"  # noqa: S608
    return lambda tx: [tally for number in numbers for (tally,) in tx.rows(sql, task_id, number)]


def pages(fetch: Callable[[Any], list[R]], start: object) -> Iterator[list[R]]:
    """Yield pages of rows, whose first field is their key, until there are no more."""
    while page := fetch(start):
        yield page
        start = page[-1][0]
