"""The store in one SQLite file: one writer, concurrent readers, nothing lost once it is acknowledged."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import length_hint
from pathlib import Path
from typing import Any, Concatenate

import apsw

from pckv.base.durable import PRIVATE_MODE
from pckv.base.errors import ParameterError, StoreError
from pckv.base.progress import Progress, no_progress
from pckv.base.wire import Report
from pckv.files.outputs import whole_file
from pckv.store.base import Invitation
from pckv.store.contract_store import ContractStore, P, T
from pckv.store.sql.contracts import ERASED
from pckv.store.sql.reports import Snapshot
from pckv.store.sql.transactions import NO_COIN, ParsedContracts, Transaction, migrate, stored_invitation
from pckv.store.store import Store

# The write-ahead log of older versions can corrupt a database.
MIN_SQLITE_VERSION = (3, 51, 3)
BUSY_MILLISECONDS = 10_000
WRITER_CACHE_KIB = 24_576
READER_CACHE_KIB = 2_048
# Read connections that are kept for the next reader.
MAX_IDLE_READERS = 4
# Most readers are done within milliseconds.
TRUNCATE_ATTEMPTS = 5
SECONDS_BETWEEN_ATTEMPTS = 0.02
# Steps of SQLite's virtual machine between two looks at how far a copy is.
STEPS_BETWEEN_PROGRESS = 20_000

# Deleted rows are erased from the file too, and a log that grew large is truncated.
_SETTINGS = """
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 67108864;
"""


class SqliteTransaction(Transaction):
    """A transaction on one connection; only one connection writes at a time, so nothing else needs a lock."""

    for_share, for_update = "", ""

    def __init__(self, connection: apsw.Connection, contracts: ParsedContracts) -> None:
        self._connection, self.contracts = connection, contracts

    def rows(self, sql: str, *values: object) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

    def lock_tokens(self) -> None:
        """Do nothing: only one connection writes at a time."""

    def change(self, sql: str, *values: object) -> int:
        self._connection.execute(sql, values)
        return self._connection.changes()

    def script(self, sql: str) -> None:
        self._connection.execute(sql).fetchall()

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports until one is stored already; only then look up which others are."""
        # A report is the two values already: no object is created per row.
        sql = f"INSERT INTO reports (task, id, body) VALUES ({task:d}, $1, $2)"  # noqa: S608
        feed = iter(reports)
        try:
            self._connection.executemany(sql, feed)
        except apsw.ConstraintError as error:
            if error.extendedresult != apsw.SQLITE_CONSTRAINT_PRIMARYKEY:  # type: ignore[attr-defined]
                raise
        else:
            return {}
        # The report that was stored already is the last one that was taken.
        rest = reports[len(reports) - length_hint(feed) - 1 :]
        known = self.bodies(task, [report.id for report in rest])
        self._connection.executemany(sql, (report for report in rest if report.id not in known))
        return known

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        return dict(self._for_each("SELECT id, body FROM reports WHERE task = $1 AND id = $2", task, ids))

    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, Invitation]:
        sql = "SELECT hash, spent, coin FROM invitations WHERE task = $1 AND hash = $2"
        rows = self._for_each(sql, task, hashes)
        return {token_hash: stored_invitation(spent, coin) for token_hash, spent, coin in rows}

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        sql = "UPDATE invitations SET spent = 1, coin = $1 WHERE task = $2 AND hash = $3"
        self._connection.executemany(sql, ((NO_COIN, task, key) for key in hashes)).fetchall()

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        sql = "INSERT INTO invitations (task, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        self._for_each(sql, task, hashes)

    def erasure_mark(self) -> str:
        """Return a random text: deleted rows are gone once the log was truncated after the transaction."""
        return secrets.token_hex(8)

    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        chosen = "FROM parts WHERE task = $1 AND number IN (SELECT value FROM json_each($2))"
        numbers_json = json.dumps(list(numbers))
        if self.rows(f"SELECT count(*) {chosen}", task, numbers_json) != [(len(numbers),)]:
            return False
        self.change(f"DELETE {chosen}", task, numbers_json)
        return True

    def _for_each(self, sql: str, task: int, keys: Iterable[bytes | int]) -> list[Any]:
        return self._connection.executemany(sql, ((task, key) for key in keys)).fetchall()


class SqliteDatabase(ContractStore):
    """The store of a service in one file."""

    dialect = "sqlite"

    def __init__(self, path: str) -> None:
        super().__init__()
        check_sqlite_version()
        self.path = Path(path)
        self._writing = threading.Lock()
        self._writer: apsw.Connection | None = None
        # Adding to and removing from the end of a list is atomic across threads.
        self._readers: list[apsw.Connection] = []
        self._truncating = threading.Lock()
        self._truncater: apsw.Connection | None = None

    def prepare(self) -> None:
        """Migrate the schema to this release; other processes wait for the write lock."""
        with self._as_store_errors():
            # Only the owner may read what people sent; SQLite gives the log the mode of the file.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, PRIVATE_MODE))
        self._write(self._migrate)
        # After a crash the log is as long as it was.
        self._truncate_log()

    def _migrate(self, tx: Transaction) -> None:
        tables = [name for (name,) in tx.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        if tables and self.versions not in tables:
            raise StoreError(f"{self.path} is a database of something else: it has a table {tables[0]!r}")
        migrate(tx, self.schema)

    def close(self) -> None:
        with suppress(StoreError):
            # The last connection removes the log, but others may be open.
            self._truncate_log()
        with self._truncating, self._writing, self._as_store_errors():
            for connection in (self._truncater, self._writer, *self._readers):
                if connection is not None:
                    connection.close()
            self._truncater = self._writer = None
            self._readers.clear()

    def backup(self, path: Path, *, force: bool = False, progress: Progress = no_progress) -> None:
        """Write a copy of the store; while it is written the log cannot be emptied."""
        with self._as_store_errors():
            connection = self._connect(READER_CACHE_KIB, query_only=False)
        try:
            _back_up(connection, path, force=force, progress=progress)
        except apsw.Error as error:
            raise StoreError(f"{path}: {_describe(error)}") from error
        finally:
            connection.close()

    def integrity_errors(self) -> list[str]:
        """Return what SQLite finds wrong with the file, and what is in it besides tables and indices."""
        try:
            with self._read_transaction() as tx:
                results = [line for (line,) in tx.rows("PRAGMA integrity_check")]
                orphans = tx.rows("PRAGMA foreign_key_check")
                # A trigger could change what is stored, or copy it.
                added = tx.rows("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY 1, 2")
        except StoreError as error:
            return [str(error)]
        lines = [f"{self.path}: {line}" for line in results if line != "ok"]
        lines += [f"{self.path}: has a {kind}, {name}" for kind, name in added]
        return lines + [f"{self.path}: a row of {table} has no task" for table, *_ in orphans]

    def _read(self, work: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        with self._read_transaction() as tx:
            return work(tx, *args, **kwargs)

    def _write(self, work: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        with self._write_transaction() as tx:
            return work(tx, *args, **kwargs)

    @contextmanager
    def _write_transaction(self) -> Iterator[Transaction]:
        with self._writing, self._as_store_errors():
            if self._writer is None:
                writer = self._connect(WRITER_CACHE_KIB, query_only=False)
                _enable_write_ahead_log(writer)
                self._writer = writer
            try:
                with _transaction(self._writer, "BEGIN IMMEDIATE"):
                    yield SqliteTransaction(self._writer, self._contracts)
            finally:
                if self._writer.in_transaction:
                    self._writer.close(force=True)
                    self._writer = None

    @contextmanager
    def _read_transaction(self) -> Iterator[Transaction]:
        with self._as_store_errors():
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = self._connect(READER_CACHE_KIB, query_only=True)
            try:
                with _transaction(connection, "BEGIN"):
                    yield SqliteTransaction(connection, self._contracts)
            finally:
                # A connection whose ROLLBACK failed is still in its transaction, and not used again.
                if connection.in_transaction or len(self._readers) >= MAX_IDLE_READERS:
                    connection.close(force=True)
                else:
                    self._readers.append(connection)

    def _connect(self, cache_kib: int, *, query_only: bool) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(BUSY_MILLISECONDS)
            # Statements run only as their rows are fetched.
            purpose = f"PRAGMA cache_size = -{cache_kib}; PRAGMA query_only = {query_only:d};"
            connection.execute(_SETTINGS + purpose).fetchall()
        except apsw.Error:
            connection.close()
            raise
        return connection

    def _check_erasures(self, marks: Collection[str]) -> dict[str, str]:
        """Truncate the log; if that succeeds, all deleted rows are gone from the files."""
        return dict.fromkeys(marks, ERASED) if self._truncate_log() else {}

    def _truncate_log(self) -> bool:
        """Empty the write-ahead log, which links reports and invitations that came together.

        Return False while a transaction reads: a later attempt succeeds. Uploads wait for neither the readers
        nor the bulk of the work, which is done without the write lock.
        """
        with self._truncating, self._as_store_errors():
            if self._log_is_empty():
                return True
            connection = self._truncater = self._truncater or self._connect_truncater()
            with suppress(apsw.BusyError):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            for attempt in range(TRUNCATE_ATTEMPTS):
                time.sleep(SECONDS_BETWEEN_ATTEMPTS if attempt else 0)
                with self._writing, suppress(apsw.BusyError):
                    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                    if self._log_is_empty():
                        return True
            return False

    def _log_is_empty(self) -> bool:
        try:
            return Path(f"{self.path}-wal").stat().st_size == 0
        except FileNotFoundError:
            return True

    def _connect_truncater(self) -> apsw.Connection:
        connection = self._connect(READER_CACHE_KIB, query_only=False)
        # Without having read, a connection does not know that there is a log.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        connection.set_busy_timeout(0)
        return connection

    @contextmanager
    def _as_store_errors(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise StoreError(f"{self.path}: {_describe(error)}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error


class SqliteStore(SqliteDatabase, Store):
    """A `Store` in one file."""

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        with self._read_transaction() as tx:
            yield Snapshot(tx)


def check_sqlite_version() -> None:
    """Refuse a SQLite version that could lose data."""
    version = apsw.sqlite_lib_version()
    if tuple(map(int, version.split("."))) < MIN_SQLITE_VERSION:
        needed = ".".join(map(str, MIN_SQLITE_VERSION))
        raise StoreError(f"SQLite {version} can corrupt its write-ahead log: {needed} or newer is needed")


def _back_up(source: apsw.Connection, path: Path, *, force: bool, progress: Progress) -> None:
    """Write the database, as of one moment, to a file that only its owner can read.

    The copy is made row by row: it has no free pages, and rows lie in the order of their keys.
    """
    if path.exists() and path.samefile(source.filename):
        raise ParameterError(f"{path} is the store itself")
    pages, size = (int(str(source.execute(f"PRAGMA {name}").get)) for name in ("page_count", "page_size"))
    with whole_file(path, force=force, mode=PRIVATE_MODE) as part:

        def report() -> bool:
            progress(min(1.0, part.stat().st_size / (pages * size)))
            return False

        source.set_progress_handler(report, STEPS_BETWEEN_PROGRESS)
        try:
            source.execute("VACUUM INTO $1", (str(part),)).fetchall()
        finally:
            source.set_progress_handler(None)
    progress(1.0)


def _enable_write_ahead_log(connection: apsw.Connection) -> None:
    """Switch to the write-ahead log; SQLite itself does not wait for others that do the same now."""
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
        # Some errors have ended the transaction already. If this fails the owner closes the connection.
        if connection.in_transaction:
            with suppress(apsw.Error):
                connection.execute("ROLLBACK")
        raise


def _describe(error: apsw.Error) -> str:
    for kind, text in (
        (apsw.FullError, "the disk is full"),
        (apsw.BusyError, "another process holds the database"),
        (apsw.NotADBError, "this is not a SQLite database"),
        (apsw.CantOpenError, "there is no such store, or it cannot be opened"),
        (apsw.ReadOnlyError, "the database may not be written to"),
    ):
        if isinstance(error, kind):
            return text
    return str(error).partition("\n")[0]
