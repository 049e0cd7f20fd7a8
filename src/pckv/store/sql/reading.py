"""Reading tasks' rows, parts and reports in the SQL that SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.store.base import PartChanges, PartSummary, ReportDay, StoredPart, StoredTask
from pckv.store.sql.transactions import Lock, Transaction, TransactionConflict

R = TypeVar("R", bound=tuple[Any, ...])

# The number of the task whose id is the first parameter.
TASK_NUMBER = "(SELECT number FROM tasks WHERE id = $1)"
TASK_ROW = (
    "SELECT number, id, created, by_invitation, closed, reports_forgotten, target, public_results FROM tasks"
)
_PART = "SELECT number, reports, uncounted, content FROM parts"


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

    def stored(self, task: Task) -> StoredTask:
        """Return the row with its task."""
        return StoredTask(
            task,
            self.created,
            bool(self.by_invitation),
            closed=self.closed,
            reports_forgotten=self.reports_forgotten,
            target=self.target,
            public_results=bool(self.public_results),
            number=self.number,
        )


def find_row(tx: Transaction, task_id: str, how: str = Lock.NONE) -> TaskRow | None:
    """Return a task's row, locked until the transaction ends; None if the task is unknown."""
    rows = tx.lock(f"{TASK_ROW} WHERE id = $1", how, task_id)
    return TaskRow(*rows[0]) if rows else None


class SqlSnapshot:
    """Parts and reports of one moment."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally."""
        sql = f"{_PART} WHERE task = {TASK_NUMBER} ORDER BY number"
        return [StoredPart(*row) for row in self._transaction.rows(sql, task_id)]

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their ids."""
        return pages(lambda after: reports_after(self._transaction, task_id, after, batch), b"")

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order."""
        sql = f"SELECT day, reports FROM report_days WHERE task = {TASK_NUMBER} ORDER BY day"  # noqa: S608
        return [ReportDay(*row) for row in self._transaction.rows(sql, task_id)]


def reports_after(tx: Transaction, task_id: str, after: bytes, limit: int) -> list[Report]:
    """Return some reports of a task in the order of their ids, starting after a given id."""
    sql = f"SELECT id, body FROM reports WHERE task = {TASK_NUMBER} AND id > $2 ORDER BY id LIMIT $3"  # noqa: S608
    return [Report(*row) for row in tx.rows(sql, task_id, after, limit)]


def summarise_parts(task_id: str) -> Callable[[Transaction], list[PartSummary]]:
    """Return work that reads the numbers and sizes of a task's parts."""
    sql = f"SELECT number, uncounted, length(content) FROM parts WHERE task = {TASK_NUMBER} ORDER BY number"  # noqa: S608
    return lambda tx: [PartSummary(*row) for row in tx.rows(sql, task_id)]


def read_contents(task_id: str, numbers: Sequence[int]) -> Callable[[Transaction], list[bytes]]:
    """Return work that reads the contents of parts.

    Parts that somebody else has replaced meanwhile are left out; `compact` notices that when it deletes them.
    """
    return lambda tx: [part.content for part in _find_parts(tx, task_id, numbers)]


def find_part_changes(task_id: str, known: Collection[int]) -> Callable[[Transaction], PartChanges]:
    """Return work that reads the parts that somebody does not know yet, as of one moment."""

    def work(tx: Transaction) -> PartChanges:
        numbers = [part.number for part in summarise_parts(task_id)(tx)]
        replaced = not set(known) <= set(numbers)
        wanted = [number for number in numbers if replaced or number not in known]
        parts = _find_parts(tx, task_id, wanted)
        if len(parts) < len(wanted):
            # One of them was replaced between two statements.
            raise TransactionConflict
        return PartChanges(replaced, parts)

    return work


def _find_parts(tx: Transaction, task_id: str, numbers: Sequence[int]) -> list[StoredPart]:
    sql = f"{_PART} WHERE task = {TASK_NUMBER} AND number = $2"
    return [StoredPart(*row) for number in numbers for row in tx.rows(sql, task_id, number)]


def pages(fetch: Callable[[Any], list[R]], start: object) -> Iterator[list[R]]:
    """Yield pages of rows, whose first field is their key, until there are no more."""
    while page := fetch(start):
        yield page
        start = page[-1][0]
