"""What every store offers: all transactions of a service, in the SQL that SQLite and PostgreSQL share.

A service is a collector or a mixer: both have tasks, series, invitations and tokens, and erase what they delete.
Parameters are $1, $2, ..., each first used in that order, which both databases accept. What the two do
differently is in a `Transaction`: bulk statements, and the locks that only PostgreSQL needs.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from pckv.base.progress import Progress, no_progress
from pckv.store.base import TASKS_PER_PAGE, StoredSeries, StoredTask
from pckv.store.sql import accounts, contracts, reports
from pckv.store.sql.transactions import Schema, Transaction, check_version, no_contracts, write_nothing

P = ParamSpec("P")
T = TypeVar("T")


def reading(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Return the method that does some work in a transaction that changes nothing."""

    @functools.wraps(work)
    def method(self: ContractStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._read(work, *args, **kwargs)

    return method


def writing(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Return the method that does some work in a transaction that may change rows."""

    @functools.wraps(work)
    def method(self: ContractStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._write(work, *args, **kwargs)

    return method


class ContractStore(ABC):
    """What collectors and mixers both store: each transaction is all or nothing, and durable when it returns.

    Most methods are one transaction, a function of the module of its tables. They may be called from several
    threads. A `StoreError` says that the database cannot do this now; if the connection broke during the
    commit, the change may still have happened. Repeating a call is always safe.
    """

    # The package whose schema it has, and the table of the scripts that were applied.
    package: str
    versions: str
    dialect: str

    def __init__(self) -> None:
        self._contracts = no_contracts()

    @property
    def schema(self) -> Schema:
        """The schema, as scripts."""
        return Schema(self.package, self.versions, self.dialect)

    @abstractmethod
    def prepare(self) -> None:
        """Migrate the schema to this release, under a lock that other collectors wait for."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""

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

    add_task = writing(contracts.add_task)
    find_task = reading(contracts.find_task)
    find_deletion = reading(contracts.find_deletion)
    list_tasks = reading(contracts.list_tasks)

    find_series = reading(contracts.find_series)
    list_series = reading(contracts.list_series)
    close_series = writing(contracts.close_series)
    add_round = writing(contracts.add_round)

    add_invitations = writing(reports.add_invitations)
    invitation_counts = reading(reports.invitation_counts)
    invitation_state = reading(reports.invitation_state)
    issue_coin = writing(reports.issue_coin)

    set_token = writing(accounts.set_token)
    add_first_token = writing(accounts.add_first_token)
    tokens = reading(accounts.tokens)
    find_role = reading(accounts.find_role)
    revoke_token = writing(accounts.revoke_token)
    add_session = writing(accounts.add_session)
    find_session = reading(accounts.find_session)
    end_session = writing(accounts.end_session)
    end_expired_sessions = writing(accounts.end_expired_sessions)
    count_sessions = reading(accounts.count_sessions)

    def ping(self) -> None:
        """Return if the database answers and has this release's schema, or raise a `StoreError`."""
        self._read(check_version, self.schema)

    def check_writable(self) -> None:
        """Return if the database takes a change, or raise a `StoreError`, such as that the disk is full."""
        self._write(write_nothing, self.schema)

    def erase_deleted(self) -> None:
        """Remove deleted rows from the database's files and log, as far as possible now.

        Uploads do not wait for it longer than for another upload. What is left, `pending_erasures` tells.
        """
        pending = self._read(contracts.find_erasures)
        # Another service may have deleted more meanwhile.
        changed = self._check_erasures({mark for _, mark in pending if mark != contracts.UNFINISHED})
        if changed:
            self._write(contracts.finish_erasures, pending, changed)

    def pending_erasures(self) -> list[str]:
        """Return the ids of the tasks whose deleted reports may still be in the database's files."""
        return [task_id for task_id, _ in self._read(contracts.find_erasures)]

    def all_tasks(self) -> Iterator[StoredTask]:
        """Yield all tasks in the order of their ids, also those in the bin, with one query per page."""
        after = ""
        while page := self.list_tasks(TASKS_PER_PAGE, after, with_binned=True):
            yield from page
            after = page[-1].task.id

    def all_series(self) -> Iterator[StoredSeries]:
        """Yield all series, newest first, with one query per page."""
        before = None
        while page := self.list_series(TASKS_PER_PAGE, before):
            yield from page
            before = page[-1].number
