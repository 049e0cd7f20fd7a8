"""All transactions of a collector in the SQL that SQLite and PostgreSQL share.

Parameters are $1, $2, ..., each first used in that order, which both databases accept. What the two do
differently is in a `Transaction`: bulk statements, and the locks that only PostgreSQL needs.
"""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import NamedTuple, TypeVar

from pckv.errors import ParameterError, PckvError, StoreError, TaskGone
from pckv.store import migrations
from pckv.store.base import (
    SESSION_KEY_BYTES,
    Deletion,
    Part,
    PartChanges,
    PartSummary,
    ReportOutcome,
    Role,
    StoredPart,
    StoredTask,
    Upload,
)
from pckv.store.parts import choose_compaction, compact_parts, count_all_words, new_part
from pckv.store.sql_reading import (
    TASK_NUMBER,
    SqlSnapshot,
    find_part_changes,
    pages,
    read_contents,
    reports_after,
    summarise_parts,
)
from pckv.store.transactions import Lock, Transaction, TransactionConflict
from pckv.store.uploads import (
    BatchDecision,
    TaskBatch,
    decide,
    group_by_task,
    outcomes_per_upload,
    refuse_all,
    unique_by_id,
)
from pckv.task import Phase, Task
from pckv.wire import Report

T = TypeVar("T")

# A task may hold megabytes of key names; this many are kept after parsing.
MAX_PARSED_TASKS = 64
# Parts that are read together while they are merged.
PARTS_PER_READ = 16

_TASK = "SELECT number, id, closed, by_invitation, reports_forgotten FROM tasks"
_ADD_TOKEN = "INSERT INTO tokens VALUES ($1, $2) ON CONFLICT DO NOTHING"  # noqa: S105


class TaskRow(NamedTuple):
    """A task's row without its text."""

    number: int
    id: str
    closed: str | None
    by_invitation: int
    reports_forgotten: str | None


class SqlStore(ABC):
    """A `Store` in SQL."""

    dialect: str

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._tasks_lock = threading.Lock()

    @abstractmethod
    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Do some work in one transaction; repeat it if that is safe and may help."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[SqlSnapshot]:
        """Return a context with the parts and reports of one moment."""

    def ping(self) -> None:
        """Return if the database answers and has this release's schema, or raise a `StoreError`."""
        self._run("ping", lambda tx: migrations.check_version(tx, self.dialect), write=False)

    def add_task(self, task: Task) -> bool:
        """Add a task; return False if it is stored already."""

        def work(tx: Transaction) -> bool:
            sql = "INSERT INTO tasks (id, json) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
            added = tx.change(sql, task.id, task.to_json()) > 0
            # Checked last: an insert that waited for a deletion must see it.
            if added and _deletion(tx, task.id):
                raise TaskGone(f"task {task.id} was deleted")
            return added

        return self._run("add task", work)

    def find_task(self, task_id: str) -> StoredTask | None:
        """Return a task; None if it is unknown or deleted."""

        def work(tx: Transaction) -> StoredTask | None:
            row = _row(tx, task_id)
            return self._stored(tx, row) if row else None

        return self._run("find task", work, write=False)

    def find_deletion(self, task_id: str) -> Deletion | None:
        """Return what is left of a deleted task."""
        return self._run("find deletion", lambda tx: _deletion(tx, task_id), write=False)

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Return tasks in the order of their ids, starting after a given id."""

        def work(tx: Transaction) -> list[StoredTask]:
            rows = tx.rows(f"{_TASK} WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
            return [self._stored(tx, TaskRow(*row)) for row in rows]

        return self._run("list tasks", work, write=False)

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown."""
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

    def add_reports(self, uploads: Sequence[Upload]) -> list[list[ReportOutcome]]:
        """Add the reports of many requests in one transaction."""
        batches = group_by_task(uploads)

        def work(tx: Transaction) -> dict[str, BatchDecision]:
            # Rows of all tables are locked in the order of task, then key: collectors cannot deadlock.
            rows = {task_id: _row(tx, task_id, Lock.SHARE) for task_id in batches}
            return {task_id: self._add(tx, rows[task_id], batch) for task_id, batch in batches.items()}

        return outcomes_per_upload(uploads, self._run("add reports", work))

    def _add(self, tx: Transaction, row: TaskRow | None, batch: TaskBatch) -> BatchDecision:
        if row is None:
            return refuse_all(batch, ReportOutcome.TASK_GONE)
        if row.closed or row.reports_forgotten:
            return refuse_all(batch, ReportOutcome.TASK_CLOSED)
        decision = (_add_invited if row.by_invitation else _add_open)(tx, row.number, batch)
        if decision.stored:
            task = self._task(tx, row.id)
            _add_part(tx, row.number, new_part(task, [report.body for report in decision.stored]))
        return decision

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored bodies of those of the given ids that a task has."""

        def work(tx: Transaction) -> dict[bytes, bytes]:
            row = _row(tx, task_id)
            return tx.bodies(row.number, ids) if row else {}

        return self._run("find reports", work, write=False)

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally."""
        return self._run("read parts", lambda tx: SqlSnapshot(tx).parts(task_id), write=False)

    def part_changes(self, task_id: str, known: Collection[int]) -> PartChanges:
        """Return the parts that came since somebody read those with the known numbers."""
        return self._run("read parts", find_part_changes(task_id, known), write=False)

    def part_summaries(self, task_id: str) -> list[PartSummary]:
        """Return a task's parts without their contents."""
        return self._run("find parts", summarise_parts(task_id), write=False)

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """Return how many reports each task's parts count."""
        sql = f"SELECT coalesce(sum(reports), 0) FROM parts WHERE task = {TASK_NUMBER}"  # noqa: S608

        def work(tx: Transaction) -> dict[str, int]:
            return {task_id: int(tx.rows(sql, task_id)[0][0]) for task_id in task_ids}

        return self._run("count reports", work, write=False)

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one.

        They are read, and their words counted, without a lock. The transaction that replaces them with the sum is short, and
        changes nothing if somebody else has replaced one of them.
        """
        stored = self.find_task(task_id)
        if stored is None:
            return 0
        compaction = choose_compaction(stored.task, self.part_summaries(task_id), fully=fully)
        numbers = compaction.numbers
        if not numbers:
            return 0
        starts = range(0, len(numbers), PARTS_PER_READ)
        reads = (read_contents(task_id, numbers[start : start + PARTS_PER_READ]) for start in starts)
        contents = (self._run("read parts", read, write=False) for read in reads)
        total = compact_parts(stored.task, chain.from_iterable(contents), compaction)

        def work(tx: Transaction) -> int:
            row = _row(tx, task_id, Lock.SHARE)
            if row is None or not tx.delete_parts(row.number, numbers):
                return 0
            _add_part(tx, row.number, total)
            return len(numbers)

        return self._run("compact", work)

    def tasks_to_compact(self, parts: int, uncounted: int) -> list[str]:
        """Return the ids of the tasks that have at least this many parts, or uncounted reports."""
        sql = (
            "SELECT tasks.id FROM parts JOIN tasks ON tasks.number = parts.task GROUP BY tasks.id "
            "HAVING count(*) >= $1 OR sum(parts.uncounted) >= $2 ORDER BY tasks.id"
        )
        rows = self._run("find parts", lambda tx: tx.rows(sql, parts, uncounted), write=False)
        return [task_id for (task_id,) in rows]

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their ids, one transaction per batch."""

        def page(after: bytes) -> list[Report]:
            work: Callable[[Transaction], list[Report]] = lambda tx: reports_after(tx, task_id, after, batch)  # noqa: E731
            return self._run("read reports", work, write=False)

        return pages(page, b"")

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a closed task and keep its tally."""

        def work(tx: Transaction) -> int:
            row = _row(tx, task_id, Lock.UPDATE)
            if row is None:
                return 0
            if self._stored(tx, row).phase(day) is not Phase.CLOSED:
                raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
            sql = "UPDATE tasks SET reports_forgotten = coalesce(reports_forgotten, $1) WHERE number = $2"
            tx.change(sql, day, row.number)
            return tx.change("DELETE FROM reports WHERE task = $1", row.number)

        forgotten = self._run("forget reports", work)
        # Words that were committed last hold the bodies of their reports.
        count_all_words(self, task_id)
        return forgotten

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""

        def work(tx: Transaction) -> None:
            tx.lock_tokens()
            if role is Role.ADMINISTRATOR:
                tx.change("DELETE FROM tokens WHERE role = $1", role.value)
            tx.change(_ADD_TOKEN, role.value, token_hash)

        self._run("set token", work)

    def add_first_token(self, token_hash: bytes) -> bool:
        """Store an administrator's token if there is none yet; return whether it was stored."""
        role = Role.ADMINISTRATOR.value

        def work(tx: Transaction) -> bool:
            tx.lock_tokens()
            tokens = [stored for (stored,) in tx.rows("SELECT hash FROM tokens WHERE role = $1", role)]
            if not tokens:
                tx.change(_ADD_TOKEN, role, token_hash)
            # After a lost answer to the commit, the repeated transaction finds its own token.
            return not tokens or bytes(tokens[0]) == token_hash

        return self._run("add first token", work)

    def tokens(self) -> list[tuple[Role, bytes]]:
        """Return the hashes of all tokens."""
        sql = "SELECT role, hash FROM tokens ORDER BY role, hash"
        rows = self._run("read tokens", lambda tx: tx.rows(sql), write=False)
        return [(Role(role), bytes(token_hash)) for role, token_hash in rows]

    def session_key(self) -> bytes:
        """Return the key that signs sessions; the first call creates it."""

        def work(tx: Transaction) -> bytes:
            key = secrets.token_bytes(SESSION_KEY_BYTES)
            tx.change("INSERT INTO session_keys VALUES (1, $1) ON CONFLICT DO NOTHING", key)
            return bytes(tx.rows("SELECT key FROM session_keys")[0][0])

        return self._run("read session key", work)

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; return False if it is unknown."""

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
        """Return a task. Its id determines its text, so that a cached one never goes stale."""
        with self._tasks_lock:
            task = self._tasks.get(task_id)
        if task is not None:
            return task
        text = tx.rows("SELECT json FROM tasks WHERE id = $1", task_id)[0][0]
        task = _parse(task_id, text)
        with self._tasks_lock:
            while len(self._tasks) >= MAX_PARSED_TASKS:
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
    rows = tx.lock(f"{_TASK} WHERE id = $1", how, task_id)
    return TaskRow(*rows[0]) if rows else None


def _deletion(tx: Transaction, task_id: str) -> Deletion | None:
    rows = tx.rows("SELECT task, day, reports FROM deletions WHERE task = $1", task_id)
    return Deletion(*rows[0]) if rows else None


def _add_open(tx: Transaction, task: int, batch: TaskBatch) -> BatchDecision:
    """Insert first and look for repeats afterwards: nearly all reports are new."""
    reports = unique_by_id(batch.reports)
    known = tx.insert_reports(task, reports)
    if not known and len(reports) == len(batch.reports):
        return BatchDecision([ReportOutcome.STORED] * len(reports), reports)
    return decide(batch, known)


def _add_invited(tx: Transaction, task: int, batch: TaskBatch) -> BatchDecision:
    """Lock the invitations, then look for repeats: whoever waited for the lock sees what was stored meanwhile."""
    hashes = {invitation for invitation in batch.invitations if invitation is not None}
    invitations = tx.lock_invitations(task, sorted(hashes))
    known = tx.bodies(task, sorted({report.id for report in batch.reports}))
    decision = decide(batch, known, invitations)
    if tx.insert_reports(task, unique_by_id(decision.stored)):
        # The same id was stored meanwhile with another invitation; this one must not be spent as well.
        raise TransactionConflict
    tx.spend_invitations(task, sorted(decision.spent))
    return decision


def _add_part(tx: Transaction, task: int, part: Part) -> None:
    sql = "INSERT INTO parts (task, number, reports, uncounted, content) VALUES ($1, $2, $3, $4, $5)"
    tx.change(sql, task, secrets.randbits(63), *part)
