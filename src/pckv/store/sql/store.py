"""All transactions of a collector in the SQL that SQLite and PostgreSQL share.

Parameters are $1, $2, ..., each first used in that order, which both databases accept. What the two do
differently is in a `Transaction`: bulk statements, and the locks that only PostgreSQL needs.
"""

from __future__ import annotations

import secrets
import threading
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import chain

from pckv.base.days import Phase, utc_today
from pckv.base.errors import ParameterError, PckvError, StoreError, TaskGone
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.store import migrations
from pckv.store.base import (
    Deletion,
    InvitationState,
    Part,
    PartChanges,
    PartSummary,
    ReportOutcome,
    StoredPart,
    StoredTask,
    Upload,
)
from pckv.store.parts import choose_compaction, compact_parts, count_all_words, new_part
from pckv.store.sql.accounts import SqlAccounts
from pckv.store.sql.alarms import SqlAlarmChecks
from pckv.store.sql.erasures import UNFINISHED, SqlErasures, mark_erasure
from pckv.store.sql.reading import (
    TASK_NUMBER,
    TASK_ROW,
    SqlSnapshot,
    TaskRow,
    find_part_changes,
    find_row,
    pages,
    read_contents,
    reports_after,
    summarise_parts,
)
from pckv.store.sql.series import SqlSeries
from pckv.store.sql.task_lists import SqlTaskLists, count_day, insert_task
from pckv.store.sql.transactions import Lock, Transaction, TransactionConflict
from pckv.store.uploads import (
    BatchDecision,
    TaskBatch,
    decide,
    group_by_task,
    has_server_coin,
    outcomes_per_upload,
    refuse_all,
    unique_by_id,
)

# A task may hold megabytes of key names; this many are kept after parsing.
MAX_PARSED_TASKS = 64
# Parts that are read together while they are merged.
PARTS_PER_READ = 16


class SqlStore(SqlTaskLists, SqlSeries, SqlAccounts, SqlAlarmChecks, SqlErasures):
    """A `Store` in SQL."""

    dialect: str

    def __init__(self) -> None:
        super().__init__()
        self._tasks: dict[str, Task] = {}
        self._tasks_lock = threading.Lock()

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[SqlSnapshot]:
        """Return a context with the parts and reports of one moment."""

    def ping(self) -> None:
        """Return if the database answers and has this release's schema, or raise a `StoreError`."""
        self._run("ping", lambda tx: migrations.check_version(tx, self.dialect), write=False)

    def add_task(self, task: Task, day: str | None = None) -> bool:
        """Add a task on a day, by default today; return False if it is stored already."""
        return self._run("add task", lambda tx: self._insert_task(tx, task, day or utc_today()))

    def _insert_task(self, tx: Transaction, task: Task, day: str) -> bool:
        added = insert_task(tx, task, day)
        # Checked last: an insert that waited for a deletion must see it.
        if added and _deletion(tx, task.id):
            raise TaskGone(f"task {task.id} was deleted")
        return added

    def find_task(self, task_id: str) -> StoredTask | None:
        """Return a task; None if it is unknown or deleted."""

        def work(tx: Transaction) -> StoredTask | None:
            row = find_row(tx, task_id)
            return self._stored(tx, row) if row else None

        return self._run("find task", work, write=False)

    def find_deletion(self, task_id: str) -> Deletion | None:
        """Return what is left of a deleted task."""
        return self._run("find deletion", lambda tx: _deletion(tx, task_id), write=False)

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Return tasks in the order of their ids, starting after a given id."""

        def work(tx: Transaction) -> list[StoredTask]:
            rows = tx.rows(f"{TASK_ROW} WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
            return [self._stored(tx, TaskRow(*row)) for row in rows]

        return self._run("list tasks", work, write=False)

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown."""
        sql = "UPDATE tasks SET closed = coalesce(closed, $1) WHERE id = $2"
        return self._run("close task", lambda tx: tx.change(sql, day, task_id) > 0)

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with everything that belongs to it."""

        def work(tx: Transaction) -> None:
            row = find_row(tx, task_id, Lock.UPDATE)
            if row is None:
                return
            counted = tx.rows("SELECT coalesce(sum(reports), 0) FROM parts WHERE task = $1", row.number)
            for table in ("reports", "parts", "invitations", "report_days", "alarm_checks"):
                tx.change(f"DELETE FROM {table} WHERE task = $1", row.number)  # noqa: S608
            tx.change("DELETE FROM tasks WHERE number = $1", row.number)
            tx.change("INSERT INTO deletions VALUES ($1, $2, $3)", task_id, day, int(counted[0][0]))
            mark_erasure(tx, task_id, tx.erasure_mark())

        self._run("delete task", work)
        deletion = self.find_deletion(task_id)
        if deletion is None or deletion.erased:
            return deletion
        # The task is deleted, whatever happens from here on.
        with suppress(StoreError):
            self.erase_deleted()
        return self.find_deletion(task_id)

    def add_reports(self, uploads: Sequence[Upload], day: str | None = None) -> list[list[ReportOutcome]]:
        """Add the reports of many requests in one transaction."""
        batches = group_by_task(uploads)

        def work(tx: Transaction) -> dict[str, BatchDecision]:
            # Rows of all tables are locked in the order of task, then key: collectors cannot deadlock.
            rows = {task_id: find_row(tx, task_id, Lock.SHARE) for task_id in batches}
            decisions = {task_id: self._add(tx, rows[task_id], batch) for task_id, batch in batches.items()}
            # Counted last: other collectors wait for the row of the day until this transaction ends.
            counts = [(rows[task_id], len(decision.stored)) for task_id, decision in decisions.items()]
            count_day(tx, day or utc_today(), counts)
            return decisions

        return outcomes_per_upload(uploads, self._run("add reports", work))

    def _add(self, tx: Transaction, row: TaskRow | None, batch: TaskBatch) -> BatchDecision:
        if row is None:
            return refuse_all(batch, ReportOutcome.TASK_GONE)
        if row.closed or row.reports_forgotten:
            return refuse_all(batch, ReportOutcome.TASK_CLOSED)
        if row.by_invitation:
            by_coin = has_server_coin(self._task(tx, row.id))
            decision = _add_invited(tx, row.number, batch, by_coin=by_coin)
        else:
            decision = _add_open(tx, row.number, batch)
        if decision.stored:
            task = self._task(tx, row.id)
            _add_part(tx, row.number, new_part(task, [report.body for report in decision.stored]))
        return decision

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored bodies of those of the given ids that a task has."""

        def work(tx: Transaction) -> dict[bytes, bytes]:
            row = find_row(tx, task_id)
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
            row = find_row(tx, task_id, Lock.SHARE)
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
            row = find_row(tx, task_id, Lock.UPDATE)
            if row is None or row.reports_forgotten:
                return 0
            if self._stored(tx, row).phase(day) is not Phase.CLOSED:
                raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
            tx.change("UPDATE tasks SET reports_forgotten = $1 WHERE number = $2", day, row.number)
            mark_erasure(tx, task_id, UNFINISHED)
            return tx.change("DELETE FROM reports WHERE task = $1", row.number)

        forgotten = self._run("forget reports", work)
        self.erase_deleted()
        return forgotten

    def _finish_forgetting(self, task_id: str) -> None:
        # Words that were committed last hold the bodies of their reports.
        count_all_words(self, task_id)
        self._run("forget reports", lambda tx: mark_erasure(tx, task_id, tx.erasure_mark()))

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; return False if it is unknown."""

        def work(tx: Transaction) -> bool:
            row = find_row(tx, task_id, Lock.UPDATE)
            if row is None:
                return False
            if not row.by_invitation:
                tx.change("UPDATE tasks SET by_invitation = 1 WHERE number = $1", row.number)
            tx.insert_invitations(row.number, sorted(set(hashes)))
            return True

        return self._run("add invitations", work)

    def invitation_state(self, task_id: str, invitation: bytes) -> InvitationState:
        """Return whether an invitation, given by its hash, admits a report of a task."""
        sql = f"SELECT spent FROM invitations WHERE task = {TASK_NUMBER} AND hash = $2"  # noqa: S608
        rows = self._run("find invitation", lambda tx: tx.rows(sql, task_id, invitation), write=False)
        if not rows:
            return InvitationState.UNKNOWN
        return InvitationState.SPENT if rows[0][0] else InvitationState.VALID

    def issue_coin(self, task_id: str, invitation: bytes, coin: bytes) -> bytes | InvitationState:
        """Return the coin of an invitation: the given one, unless it has one already."""

        def work(tx: Transaction) -> bytes | InvitationState:
            row = find_row(tx, task_id, Lock.SHARE)
            stored = tx.lock_invitations(row.number, [invitation]).get(invitation) if row else None
            if row is None or stored is None:
                return InvitationState.UNKNOWN
            if stored.spent:
                return InvitationState.SPENT
            if stored.coin is not None:
                return stored.coin
            sql = "UPDATE invitations SET coin = $1 WHERE task = $2 AND hash = $3"
            tx.change(sql, coin, row.number, invitation)
            return coin

        return self._run("issue coin", work)

    def _stored(self, tx: Transaction, row: TaskRow) -> StoredTask:
        return row.stored(self._task(tx, row.id))

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


def _deletion(tx: Transaction, task_id: str) -> Deletion | None:
    erased = "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.task = deletions.task)"
    rows = tx.rows(f"SELECT task, day, reports, {erased} FROM deletions WHERE task = $1", task_id)  # noqa: S608
    for task, day, reports, gone in rows:
        return Deletion(task, day, reports, erased=bool(gone))
    return None


def _add_open(tx: Transaction, task: int, batch: TaskBatch) -> BatchDecision:
    """Insert first and look for repeats afterwards: nearly all reports are new."""
    reports = unique_by_id(batch.reports)
    known = tx.insert_reports(task, reports)
    if not known and len(reports) == len(batch.reports):
        return BatchDecision([ReportOutcome.STORED] * len(reports), reports)
    return decide(batch, known)


def _add_invited(tx: Transaction, task: int, batch: TaskBatch, *, by_coin: bool) -> BatchDecision:
    """Lock the invitations, then look for repeats: whoever waited for the lock sees what was stored meanwhile."""
    hashes = {invitation for invitation in batch.invitations if invitation is not None}
    invitations = tx.lock_invitations(task, sorted(hashes))
    known = tx.bodies(task, sorted({report.id for report in batch.reports}))
    decision = decide(batch, known, invitations, by_coin=by_coin)
    if tx.insert_reports(task, unique_by_id(decision.stored)):
        # The same id was stored meanwhile with another invitation; this one must not be spent as well.
        raise TransactionConflict
    tx.spend_invitations(task, sorted(decision.spent))
    return decision


def _add_part(tx: Transaction, task: int, part: Part) -> None:
    sql = "INSERT INTO parts (task, number, reports, uncounted, content) VALUES ($1, $2, $3, $4, $5)"
    tx.change(sql, task, secrets.randbits(63), *part)
