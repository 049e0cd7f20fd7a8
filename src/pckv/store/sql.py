"""All transactions of a collector in the SQL that SQLite and PostgreSQL share.

Parameters are $1, $2, ..., each first met in that order, which both take as they are. What the two
do differently is a `Transaction`: bulk statements, and the locks that only PostgreSQL needs.
"""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from pckv.errors import ParameterError, PckvError, StoreError, TaskGone
from pckv.store import migrations
from pckv.store.base import (
    SESSION_KEY_BYTES,
    Deletion,
    Outcome,
    Part,
    Role,
    StoredTask,
    Upload,
    may_forget,
)
from pckv.store.parts import merge_parts, tally_of, worth_folding
from pckv.store.transactions import Lock, Raced, Transaction
from pckv.store.uploads import Batch, Verdict, decide, first_of_each, gather, refuse, scatter
from pckv.tally import Tally
from pckv.task import Task
from pckv.wire import Report

T = TypeVar("T")
R = TypeVar("R", bound=tuple[Any, ...])

# Tasks may be megabytes of names; this many are kept ready.
TASKS_KEPT = 64
# Parts that are read together while folding.
PARTS_A_PAGE = 16

_TASK = "SELECT number, id, closed, by_invitation, reports_forgotten FROM tasks"
_NUMBER = "(SELECT number FROM tasks WHERE id = $1)"


class TaskRow(NamedTuple):
    """A task's row but for its text."""

    number: int
    id: str
    closed: str | None
    by_invitation: int
    reports_forgotten: str | None


class SqlSnapshot:
    """Parts and reports of one moment."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def parts(self, task_id: str) -> list[Part]:
        """The parts whose tallies add up to the task's."""
        sql = f"SELECT number, tally, reports FROM parts WHERE task = {_NUMBER} ORDER BY number"  # noqa: S608
        return [Part(*row) for row in self._transaction.rows(sql, task_id)]

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """All reports of a task in the order of their ids."""
        return _pages(lambda after: _reports_after(self._transaction, task_id, after, batch), b"")


class SqlStore(ABC):
    """A `Store` in SQL."""

    dialect: str

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._tasks_lock = threading.Lock()

    @abstractmethod
    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Do some work in one transaction, again if it is safe and may help."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[SqlSnapshot]:
        """Parts and reports of one moment, while the context lasts."""

    def ping(self) -> None:
        """Answer, or raise a `StoreError`."""
        self._run("ping", lambda tx: migrations.check_version(tx, self.dialect), write=False)

    def add_task(self, task: Task) -> bool:
        """Add a task; False if it was there."""

        def work(tx: Transaction) -> bool:
            sql = "INSERT INTO tasks (id, json) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
            added = tx.change(sql, task.id, task.to_json()) > 0
            # Looked for last: an insert that waited for a deletion must see it.
            if added and _deletion(tx, task.id):
                raise TaskGone(f"task {task.id} was deleted")
            return added

        return self._run("add task", work)

    def find_task(self, task_id: str) -> StoredTask | None:
        """A task that was not deleted."""

        def work(tx: Transaction) -> StoredTask | None:
            row = _row(tx, task_id)
            return self._stored(tx, row) if row else None

        return self._run("find task", work, write=False)

    def find_deletion(self, task_id: str) -> Deletion | None:
        """What is left of a deleted task."""
        return self._run("find deletion", lambda tx: _deletion(tx, task_id), write=False)

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Tasks in the order of their ids, from beyond one."""

        def work(tx: Transaction) -> list[StoredTask]:
            found = tx.rows(f"{_TASK} WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
            return [self._stored(tx, TaskRow(*row)) for row in found]

        return self._run("list tasks", work, write=False)

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; False if it is unknown."""
        sql = "UPDATE tasks SET closed = coalesce(closed, $1) WHERE id = $2"
        return self._run("close task", lambda tx: tx.change(sql, day, task_id) > 0)

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with its reports, parts and invitations."""

        def work(tx: Transaction) -> Deletion | None:
            row = _row(tx, task_id, Lock.UPDATE)
            if row is None:
                return _deletion(tx, task_id)
            counted = tx.rows("SELECT coalesce(sum(reports), 0) FROM parts WHERE task = $1", row.number)
            deletion = Deletion(task_id, day, int(counted[0][0]))
            for table in ("reports", "parts", "invitations"):
                tx.change(f"DELETE FROM {table} WHERE task = $1", row.number)  # noqa: S608
            tx.change("DELETE FROM tasks WHERE number = $1", row.number)
            tx.change("INSERT INTO deletions VALUES ($1, $2, $3)", task_id, day, deletion.reports)
            return deletion

        return self._run("delete task", work)

    def add_reports(self, uploads: Sequence[Upload]) -> list[list[Outcome]]:
        """Add the reports of many requests in one transaction."""
        batches = gather(uploads)

        def work(tx: Transaction) -> dict[str, Verdict]:
            # Rows of all tables are locked in the order of task, then key: collectors cannot deadlock.
            rows = {task_id: _row(tx, task_id, Lock.SHARE) for task_id in batches}
            return {task_id: self._add(tx, rows[task_id], batch) for task_id, batch in batches.items()}

        return scatter(uploads, self._run("add reports", work))

    def _add(self, tx: Transaction, row: TaskRow | None, batch: Batch) -> Verdict:
        if row is None:
            return refuse(batch, Outcome.TASK_GONE)
        if row.closed or row.reports_forgotten:
            return refuse(batch, Outcome.TASK_CLOSED)
        verdict = (_add_invited if row.by_invitation else _add_open)(tx, row.number, batch)
        if verdict.stored:
            task = self._task(tx, row.id)
            _add_part(tx, row.number, tally_of(task, [report.body for report in verdict.stored]))
        return verdict

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies that are stored under some ids of a task."""

        def work(tx: Transaction) -> dict[bytes, bytes]:
            row = _row(tx, task_id)
            return tx.bodies(row.number, ids) if row else {}

        return self._run("find reports", work, write=False)

    def parts(self, task_id: str) -> list[Part]:
        """The parts whose tallies add up to the task's."""
        return self._run("read parts", lambda tx: SqlSnapshot(tx).parts(task_id), write=False)

    def part_numbers(self, task_id: str) -> list[int]:
        """The numbers of a task's parts."""
        sql = f"SELECT number FROM parts WHERE task = {_NUMBER} ORDER BY number"  # noqa: S608
        return self._run("find parts", lambda tx: [row[0] for row in tx.rows(sql, task_id)], write=False)

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """How many reports the parts of tasks have counted."""
        sql = f"SELECT coalesce(sum(reports), 0) FROM parts WHERE task = {_NUMBER}"  # noqa: S608

        def work(tx: Transaction) -> dict[str, int]:
            return {task_id: int(tx.rows(sql, task_id)[0][0]) for task_id in task_ids}

        return self._run("count reports", work, write=False)

    def compact(self, task_id: str, *, all_of_them: bool = False) -> int:
        """Fold those parts of a task that are worth it into one, or all.

        They are read and added up without a lock; the transaction that puts the sum in their place
        is short, and changes nothing if somebody else took one of them.
        """
        stored = self.find_task(task_id)
        if stored is None:
            return 0
        sizes = self._run("find parts", _part_sizes(task_id), write=False)
        numbers = worth_folding(sizes, all_of_them=all_of_them)
        pages = (numbers[start : start + PARTS_A_PAGE] for start in range(0, len(numbers), PARTS_A_PAGE))
        found = (self._run("read parts", _some_parts(task_id, page), write=False) for page in pages)
        size = sum(sizes[number] for number in numbers)
        total = merge_parts(stored.task, chain.from_iterable(found), size)

        def work(tx: Transaction) -> int:
            row = _row(tx, task_id, Lock.SHARE)
            if row is None or not tx.take_parts(row.number, numbers):
                return 0
            _add_part(tx, row.number, total)
            return len(numbers)

        return self._run("compact", work) if numbers else 0

    def tasks_to_compact(self, parts: int) -> list[str]:
        """The tasks with at least so many parts."""
        sql = (
            "SELECT tasks.id FROM parts JOIN tasks ON tasks.number = parts.task "
            "GROUP BY tasks.id HAVING count(*) >= $1 ORDER BY tasks.id"
        )
        return self._run("find parts", lambda tx: [row[0] for row in tx.rows(sql, parts)], write=False)

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """All reports of a task in the order of their ids; a transaction a batch."""

        def page(after: bytes) -> list[Report]:
            work: Callable[[Transaction], list[Report]] = lambda tx: _reports_after(tx, task_id, after, batch)  # noqa: E731
            return self._run("read reports", work, write=False)

        return _pages(page, b"")

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a closed task and keep its tally."""

        def work(tx: Transaction) -> int:
            row = _row(tx, task_id, Lock.UPDATE)
            if row is None:
                return 0
            if not may_forget(self._stored(tx, row), day):
                raise ParameterError(f"task {task_id} is open: its reports tell repeated ones apart")
            sql = "UPDATE tasks SET reports_forgotten = coalesce(reports_forgotten, $1) WHERE number = $2"
            tx.change(sql, day, row.number)
            return tx.change("DELETE FROM reports WHERE task = $1", row.number)

        return self._run("forget reports", work)

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""

        def work(tx: Transaction) -> None:
            if role is Role.ADMINISTRATOR:
                tx.change("DELETE FROM tokens WHERE role = $1", role.value)
            tx.change("INSERT INTO tokens VALUES ($1, $2) ON CONFLICT DO NOTHING", role.value, token_hash)

        self._run("set token", work)

    def tokens(self) -> list[tuple[Role, bytes]]:
        """The hashes of all tokens."""
        sql = "SELECT role, hash FROM tokens ORDER BY role, hash"
        found = self._run("read tokens", lambda tx: tx.rows(sql), write=False)
        return [(Role(role), bytes(token_hash)) for role, token_hash in found]

    def session_key(self) -> bytes:
        """The key that signs sessions; whoever asks first makes it."""

        def work(tx: Transaction) -> bytes:
            made = secrets.token_bytes(SESSION_KEY_BYTES)
            tx.change("INSERT INTO session_keys VALUES (1, $1) ON CONFLICT DO NOTHING", made)
            return bytes(tx.rows("SELECT key FROM session_keys")[0][0])

        return self._run("read session key", work)

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; False if it is unknown."""

        def work(tx: Transaction) -> bool:
            row = _row(tx, task_id, Lock.UPDATE)
            if row is None:
                return False
            if not row.by_invitation:
                tx.change("UPDATE tasks SET by_invitation = 1 WHERE number = $1", row.number)
            tx.insert_invitations(row.number, sorted(set(hashes)))
            return True

        return self._run("add invitations", work)

    def _stored(self, tx: Transaction, row: TaskRow) -> StoredTask:
        return StoredTask(self._task(tx, row.id), row.closed, bool(row.by_invitation), row.reports_forgotten)

    def _task(self, tx: Transaction, task_id: str) -> Task:
        """A task, which its id binds: what was read once is right for good."""
        with self._tasks_lock:
            task = self._tasks.get(task_id)
        if task is not None:
            return task
        text = tx.rows("SELECT json FROM tasks WHERE id = $1", task_id)[0][0]
        task = _parse(task_id, text)
        with self._tasks_lock:
            while len(self._tasks) >= TASKS_KEPT:
                del self._tasks[next(iter(self._tasks))]
            self._tasks[task_id] = task
        return task


def _parse(task_id: str, text: str) -> Task:
    try:
        task = Task.from_json(text)
    except PckvError as error:
        raise StoreError(f"task {task_id} is damaged: {error}") from error
    if task.id != task_id:
        raise StoreError(f"task {task_id} is damaged: its text is that of {task.id}")
    return task


def _row(tx: Transaction, task_id: str, how: str = Lock.NONE) -> TaskRow | None:
    found = tx.lock(f"{_TASK} WHERE id = $1", how, task_id)
    return TaskRow(*found[0]) if found else None


def _deletion(tx: Transaction, task_id: str) -> Deletion | None:
    found = tx.rows("SELECT task, day, reports FROM deletions WHERE task = $1", task_id)
    return Deletion(*found[0]) if found else None


def _add_open(tx: Transaction, task: int, batch: Batch) -> Verdict:
    """Insert first and look afterwards: nearly all reports are new."""
    reports = first_of_each(batch.reports)
    known = tx.insert_reports(task, reports)
    if not known and len(reports) == len(batch.reports):
        return Verdict([Outcome.STORED] * len(reports), reports)
    return decide(batch, known)


def _add_invited(tx: Transaction, task: int, batch: Batch) -> Verdict:
    """Hold the invitations, then look: who waited for them sees what their holder stored."""
    hashes = {invitation for invitation in batch.invitations if invitation is not None}
    invitations = tx.hold_invitations(task, sorted(hashes))
    known = tx.bodies(task, sorted({report.id for report in batch.reports}))
    verdict = decide(batch, known, invitations)
    if tx.insert_reports(task, first_of_each(verdict.stored)):
        # The same id came elsewhere with another invitation, which must not be spent twice over.
        raise Raced
    tx.spend_invitations(task, sorted(verdict.spent))
    return verdict


def _add_part(tx: Transaction, task: int, tally: Tally) -> None:
    sql = "INSERT INTO parts (task, number, reports, tally) VALUES ($1, $2, $3, $4)"
    tx.change(sql, task, secrets.randbits(63), tally.reports, bytes(tally))


def _reports_after(tx: Transaction, task_id: str, after: bytes, limit: int) -> list[Report]:
    sql = f"SELECT id, body FROM reports WHERE task = {_NUMBER} AND id > $2 ORDER BY id LIMIT $3"  # noqa: S608
    return [Report(*row) for row in tx.rows(sql, task_id, after, limit)]


def _part_sizes(task_id: str) -> Callable[[Transaction], dict[int, int]]:
    sql = f"SELECT number, length(tally) FROM parts WHERE task = {_NUMBER}"  # noqa: S608
    return lambda tx: dict(tx.rows(sql, task_id))


def _some_parts(task_id: str, numbers: Sequence[int]) -> Callable[[Transaction], list[bytes]]:
    """The tallies of parts; one that somebody else took meanwhile is left out, and will be missed."""
    sql = f"SELECT tally FROM parts WHERE task = {_NUMBER} AND number = $2"  # noqa: S608
    return lambda tx: [tally for number in numbers for (tally,) in tx.rows(sql, task_id, number)]


def _pages(fetch: Callable[[Any], list[R]], start: object) -> Iterator[list[R]]:
    """Pages of rows whose first field is their key, until there are no more."""
    while page := fetch(start):
        yield page
        start = page[-1][0]
