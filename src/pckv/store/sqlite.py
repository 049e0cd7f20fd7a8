"""The store in one SQLite file: one writer, readers beside it, nothing lost once it is acknowledged."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import length_hint
from pathlib import Path
from typing import Any

import apsw

from pckv.errors import StoreError
from pckv.store.base import Deletion
from pckv.store.migrations import migrate
from pckv.store.sql import SqlSnapshot, SqlStore, T
from pckv.store.transactions import Transaction
from pckv.wire import Report

# The write-ahead log of older ones can corrupt a database.
OLDEST_SQLITE = (3, 51, 3)
BUSY_MILLISECONDS = 10_000
WRITER_CACHE_KIB = 24_576
READER_CACHE_KIB = 2_048
# Connections for reading that are kept for the next reader.
IDLE_READERS = 4

# Deleted means gone from the file too, and a log that grew large is cut back.
_SETTINGS = """
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 67108864;
"""


class SqliteTransaction:
    """A transaction on one connection; only one can write, so that there is nothing more to lock."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(sql, values).fetchall()

    def lock(self, sql: str, how: str, *values: object) -> list[Any]:
        """The rows of a query."""
        del how
        return self.rows(sql, *values)

    def change(self, sql: str, *values: object) -> int:
        """Change something; how many rows."""
        self._connection.execute(sql, values)
        return self._connection.changes()

    def script(self, sql: str) -> None:
        """Run many statements."""
        self._connection.execute(sql).fetchall()

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports until one is there; only then look which others are."""
        # A report is the two values as it is: nothing is made for a row.
        sql = f"INSERT INTO reports (task, id, body) VALUES ({task:d}, $1, $2)"  # noqa: S608
        feed = iter(reports)
        try:
            self._connection.executemany(sql, feed)
        except apsw.ConstraintError as error:
            if error.extendedresult != apsw.SQLITE_CONSTRAINT_PRIMARYKEY:  # type: ignore[attr-defined]
                raise
        else:
            return {}
        # The one that was there is the last that was taken.
        rest = reports[len(reports) - length_hint(feed) - 1 :]
        known = self.bodies(task, [report.id for report in rest])
        self._connection.executemany(sql, (report for report in rest if report.id not in known))
        return known

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies of some ids, as far as they are there."""
        return dict(self._for_each("SELECT id, body FROM reports WHERE task = $1 AND id = $2", task, ids))

    def hold_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, bool]:
        """Whether invitations are spent, as far as they are known."""
        sql = "SELECT hash, spent FROM invitations WHERE task = $1 AND hash = $2"
        return {found: bool(spent) for found, spent in self._for_each(sql, task, hashes)}

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Spend invitations."""
        self._for_each("UPDATE invitations SET spent = 1 WHERE task = $1 AND hash = $2", task, hashes)

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add invitations that are not there."""
        sql = "INSERT INTO invitations (task, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        self._for_each(sql, task, hashes)

    def take_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts, if all of them are there."""
        these = "FROM parts WHERE task = $1 AND number IN (SELECT value FROM json_each($2))"
        listed = json.dumps(list(numbers))
        if self.rows(f"SELECT count(*) {these}", task, listed) != [(len(numbers),)]:
            return False
        self.change(f"DELETE {these}", task, listed)
        return True

    def _for_each(self, sql: str, task: int, keys: Iterable[bytes | int]) -> list[Any]:
        return self._connection.executemany(sql, ((task, key) for key in keys)).fetchall()


class SqliteStore(SqlStore):
    """A `Store` in one file."""

    dialect = "sqlite"

    def __init__(self, path: str) -> None:
        super().__init__()
        check_sqlite_version()
        self.path = Path(path)
        self._writing = threading.Lock()
        self._writer: apsw.Connection | None = None
        # Lists add and remove at their end in one step, whatever other threads do.
        self._readers: list[apsw.Connection] = []

    def prepare(self) -> None:
        """Bring the schema up to date; other processes wait for the write lock."""
        with self._refusals():
            # Others may not read what people sent; the log beside the file gets the same mode.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        self._run("prepare", self._migrate)

    def _migrate(self, tx: Transaction) -> None:
        tables = [name for (name,) in tx.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        if tables and "schema_version" not in tables:
            raise StoreError(f"{self.path} is a database of something else: it has a table {tables[0]!r}")
        migrate(tx, self.dialect)

    def close(self) -> None:
        """Let go of all connections."""
        with self._writing, self._refusals():
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            while self._readers:
                self._readers.pop().close()

    @contextmanager
    def snapshot(self) -> Iterator[SqlSnapshot]:
        """Parts and reports of one moment."""
        with self._reading() as tx:
            yield SqlSnapshot(tx)

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with its reports, parts and invitations."""
        deletion = super().delete_task(task_id, day)
        self._empty_log()
        return deletion

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a closed task and keep its tally."""
        forgotten = super().forget_reports(task_id, day)
        self._empty_log()
        return forgotten

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file."""
        try:
            with self._reading() as tx:
                found = [line for (line,) in tx.rows("PRAGMA integrity_check")]
                strays = tx.rows("PRAGMA foreign_key_check")
        except StoreError as error:
            return [str(error)]
        lines = [f"{self.path}: {line}" for line in found if line != "ok"]
        return lines + [f"{self.path}: a row of {table} has no task" for table, *_ in strays]

    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        del name
        with self._changing() if write else self._reading() as tx:
            return work(tx)

    @contextmanager
    def _changing(self) -> Iterator[Transaction]:
        with self._writing, self._refusals():
            if self._writer is None:
                writer = self._connect(WRITER_CACHE_KIB, query_only=False)
                _log_ahead(writer)
                self._writer = writer
            with _transaction(self._writer, "BEGIN IMMEDIATE"):
                yield SqliteTransaction(self._writer)

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        with self._refusals():
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = self._connect(READER_CACHE_KIB, query_only=True)
            try:
                with _transaction(connection, "BEGIN"):
                    yield SqliteTransaction(connection)
            finally:
                if len(self._readers) < IDLE_READERS:
                    self._readers.append(connection)
                else:
                    connection.close()

    def _connect(self, cache_kib: int, *, query_only: bool) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(BUSY_MILLISECONDS)
            # Statements run as their rows are taken.
            purpose = f"PRAGMA cache_size = -{cache_kib}; PRAGMA query_only = {query_only:d};"
            connection.execute(_SETTINGS + purpose).fetchall()
        except apsw.Error:
            connection.close()
            raise
        return connection

    def _empty_log(self) -> None:
        """Let nothing deleted stay in the write-ahead log; if somebody still reads it, later ones will see to it."""
        with self._writing, suppress(apsw.Error):
            if self._writer is not None:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise StoreError(f"{self.path}: {_explain(error)}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error


def check_sqlite_version() -> None:
    """Refuse a SQLite that could lose data."""
    version = apsw.sqlite_lib_version()
    if tuple(map(int, version.split("."))) < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(f"SQLite {version} can corrupt its write-ahead log: {needed} or newer is needed")


def _log_ahead(connection: apsw.Connection) -> None:
    """Switch to the write-ahead log; when others do the same now, SQLite itself would not wait for them."""
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def _transaction(connection: apsw.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some errors have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _explain(error: apsw.Error) -> str:
    for kind, said in (
        (apsw.FullError, "the disk is full"),
        (apsw.BusyError, "another process holds the database"),
        (apsw.NotADBError, "this is not a SQLite database"),
        (apsw.CantOpenError, "there is no such store, or it cannot be opened"),
        (apsw.ReadOnlyError, "the database may not be written to"),
    ):
        if isinstance(error, kind):
            return said
    return str(error).partition("\n")[0]
