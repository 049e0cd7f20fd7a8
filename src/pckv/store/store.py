"""What every store offers: all transactions of a collector, in the SQL that SQLite and PostgreSQL share.

Parameters are $1, $2, ..., each first used in that order, which both databases accept. What the two do
differently is in a `Transaction`: bulk statements, and the locks that only PostgreSQL needs.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from pckv.base.errors import StoreError
from pckv.base.progress import Progress, no_progress
from pckv.base.wire import Report
from pckv.store.base import TASKS_PER_PAGE, Deletion, StoredSeries, StoredTask
from pckv.store.parts import choose_compaction, compact_parts
from pckv.store.sql import accounts, contracts, reports
from pckv.store.sql.reports import Snapshot
from pckv.store.sql.transactions import Transaction, check_version, no_contracts, write_nothing

P = ParamSpec("P")
T = TypeVar("T")

# Parts that are read together while they are merged.
PARTS_PER_READ = 16


def _reading(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return the method that does some work in a transaction that changes nothing."""

    @functools.wraps(work)
    def method(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._read(work, *args, **kwargs)

    return method


def _writing(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return the method that does some work in a transaction that may change rows."""

    @functools.wraps(work)
    def method(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._write(work, *args, **kwargs)

    return method


class Store(ABC):
    """All transactions of a collector; each is all or nothing, and durable when it returns.

    Most methods are one transaction, a function of the module of its tables. They may be called from several
    threads. A `StoreError` says that the database cannot do this now; if the connection broke during the
    commit, the change may still have happened. Repeating a call is always safe.
    """

    dialect: str

    def __init__(self) -> None:
        self._contracts = no_contracts()

    @abstractmethod
    def prepare(self) -> None:
        """Migrate the schema to this release, under a lock that other collectors wait for."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Return a context with the parts and reports of one moment; for checks, not for long."""

    @abstractmethod
    def backup(self, path: Path, *, force: bool = False, progress: Progress = no_progress) -> None:
        """Write a copy of the store, as of one moment, to a file that only its owner can read.

        Refuse a file that exists, unless `force`. The store may be in use meanwhile. A database that has its
        own tool for this refuses with a `ParameterError` that names it.
        """

    @abstractmethod
    def integrity_errors(self) -> list[str]:
        """Return what the database itself finds wrong with its files, one line each."""

    @abstractmethod
    def _write(self, work: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work in one transaction; repeat it if that is safe and may help."""

    def _read(self, work: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work that changes nothing in one transaction; repeat it if that is safe and may help."""
        return self._write(work, *args, **kwargs)

    @abstractmethod
    def _check_erasures(self, marks: Collection[str]) -> dict[str, str]:
        """Clean the files as far as possible; return the new marks, `ERASED` if nothing is left."""

    add_task = _writing(contracts.add_task)
    find_task = _reading(contracts.find_task)
    find_deletion = _reading(contracts.find_deletion)
    list_tasks = _reading(contracts.list_tasks)
    newest_tasks = _reading(contracts.newest_tasks)
    change_task = _writing(contracts.change_task)
    close_task = _writing(contracts.close_task)
    claim_alarm_check = _writing(contracts.claim_alarm_check)
    record_alarm_check = _writing(contracts.record_alarm_check)
    alarm_checks = _reading(contracts.alarm_checks)

    add_series = _writing(contracts.add_series)
    find_series = _reading(contracts.find_series)
    list_series = _reading(contracts.list_series)
    series_named = _reading(contracts.series_named)
    close_series = _writing(contracts.close_series)
    add_round = _writing(contracts.add_round)
    rounds = _reading(contracts.rounds)

    add_reports = _writing(reports.add_reports)
    parts = _reading(reports.parts)
    part_changes = _reading(reports.part_changes)
    part_summaries = _reading(reports.part_summaries)
    tasks_to_compact = _reading(reports.tasks_to_compact)
    report_counts = _reading(reports.report_counts)
    report_days = _reading(reports.report_days)
    last_report_days = _reading(reports.last_report_days)
    add_invitations = _writing(reports.add_invitations)
    invitation_state = _reading(reports.invitation_state)
    issue_coin = _writing(reports.issue_coin)

    set_token = _writing(accounts.set_token)
    add_first_token = _writing(accounts.add_first_token)
    tokens = _reading(accounts.tokens)
    find_role = _reading(accounts.find_role)
    revoke_token = _writing(accounts.revoke_token)
    add_session = _writing(accounts.add_session)
    find_session = _reading(accounts.find_session)
    end_session = _writing(accounts.end_session)
    end_expired_sessions = _writing(accounts.end_expired_sessions)
    count_sessions = _reading(accounts.count_sessions)

    def ping(self) -> None:
        """Return if the database answers and has this release's schema, or raise a `StoreError`."""
        self._read(check_version, self.dialect)

    def check_writable(self) -> None:
        """Return if the database takes a change, or raise a `StoreError`, such as that the disk is full."""
        self._write(write_nothing)

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their random ids, which does not reveal arrival."""
        return reports.pages(lambda after: self._read(reports.reports_after, task_id, after, batch), b"")

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one; return how many were merged.

        Words that wait are counted if they are many, or if all parts are merged. Parts are read, and their
        words counted, without a lock: uploads go on meanwhile. The transaction that replaces them with the
        sum is short, and changes nothing if another collector has replaced one of them.
        """
        stored = self.find_task(task_id)
        if stored is None:
            return 0
        compaction = choose_compaction(stored.task, self.part_summaries(task_id), fully=fully)
        if not compaction.numbers:
            return 0
        total = compact_parts(stored.task, self._contents(task_id, compaction.numbers), compaction)
        return self._write(reports.replace_parts, task_id, compaction.numbers, total)

    def _contents(self, task_id: str, numbers: list[int]) -> Iterator[bytes]:
        """Yield the contents of parts, as many at a time as are read together."""
        for start in range(0, len(numbers), PARTS_PER_READ):
            for part in self._read(reports.find_parts, task_id, numbers[start : start + PARTS_PER_READ]):
                yield part.content

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with everything that belongs to it; return None if it is unknown.

        Deleting it again changes nothing and returns the first deletion.
        """
        self._write(contracts.delete_task, task_id, day)
        deletion = self.find_deletion(task_id)
        if deletion is None or deletion.erased:
            return deletion
        # The task is deleted, whatever happens from here on.
        with suppress(StoreError):
            self.erase_deleted()
        return self.find_deletion(task_id)

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a task and keep its tally; return how many reports there were.

        Refuse with a `ParameterError` if the task still takes reports. From now on it counts as closed.
        """
        forgotten = self._write(contracts.forget_reports, task_id, day)
        self.erase_deleted()
        return forgotten

    def erase_deleted(self) -> None:
        """Remove deleted rows from the database's files and log, as far as possible now.

        Uploads do not wait for it longer than for another upload. What is left, `pending_erasures` tells.
        """
        for task_id, mark in self._read(contracts.find_erasures):
            if mark == contracts.UNFINISHED:
                # Words that were committed last hold the bodies of their reports.
                self._count_all_words(task_id)
                self._write(contracts.mark_erasure, task_id)
        pending = self._read(contracts.find_erasures)
        # Another collector may have deleted more meanwhile.
        changed = self._check_erasures({mark for _, mark in pending if mark != contracts.UNFINISHED})
        if changed:
            self._write(contracts.finish_erasures, pending, changed)

    def pending_erasures(self) -> list[str]:
        """Return the ids of the tasks whose deleted reports may still be in the database's files."""
        return [task_id for task_id, _ in self._read(contracts.find_erasures)]

    def _count_all_words(self, task_id: str) -> None:
        """Count all words of a task that takes no more reports: nothing of single reports is left then."""
        while self.waiting_words(task_id):
            self.compact(task_id, fully=True)

    def waiting_words(self, task_id: str) -> int:
        """Return how many words of a task wait to be counted."""
        return sum(part.uncounted for part in self.part_summaries(task_id))

    def all_tasks(self) -> Iterator[StoredTask]:
        """Yield all tasks in the order of their ids, with one query per page."""
        after = ""
        while page := self.list_tasks(TASKS_PER_PAGE, after):
            yield from page
            after = page[-1].task.id

    def all_series(self) -> Iterator[StoredSeries]:
        """Yield all series, newest first, with one query per page."""
        before = None
        while page := self.list_series(TASKS_PER_PAGE, before):
            yield from page
            before = page[-1].number
