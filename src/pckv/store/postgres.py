"""The store in PostgreSQL, which any number of collectors may share.

Transactions use PostgreSQL's default isolation level, where each statement sees what was committed before it. What
must not change meanwhile is locked, always in the order of task, then key.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from pckv.errors import ParameterError, StoreError
from pckv.store.migrations import migrate
from pckv.store.sql import SqlStore, T
from pckv.store.sql_reading import SqlSnapshot
from pckv.store.transactions import Transaction, TransactionConflict
from pckv.wire import Report

MAX_CONNECTIONS = 8
WAIT_SECONDS = 5
ATTEMPTS = 6
# The advisory lock of migrations, for collectors that start together: "pckv" in ASCII.
SCHEMA_LOCK = 0x70636B76

# The address itself overrides these.
_DEFAULTS: dict[str, str | int] = {
    "application_name": "pckv",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# What is acknowledged is on disk, whatever the server's default; nobody waits for a lock for ever, and a collector
# that hangs loses its locks.
_SETTINGS = """
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s';
"""
# SQLSTATEs after which the same transaction may succeed: the server stops, starts, or lost the connection.
_LOST = ("08", "57P")

_INSERT_REPORTS = """
    INSERT INTO reports (task, id, body)
    SELECT $1, id, body FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS rows (id, body, place)
    ORDER BY place ON CONFLICT DO NOTHING RETURNING id
"""
_INSERT_INVITATIONS = """
    INSERT INTO invitations (task, hash)
    SELECT $1, hash FROM unnest($2::bytea[]) WITH ORDINALITY AS rows (hash, place)
    ORDER BY place ON CONFLICT DO NOTHING
"""
_LOCK_INVITATIONS = """
    SELECT hash, spent FROM invitations WHERE task = $1 AND hash = ANY($2::bytea[]) ORDER BY hash FOR UPDATE
"""
# Parts that another collector is merging are skipped, not waited for.
_LOCK_PARTS = """
    SELECT number FROM parts WHERE task = $1 AND number = ANY($2::bigint[]) FOR UPDATE SKIP LOCKED
"""


class PostgresTransaction:
    """A transaction on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return the rows of a query."""
        return self._connection.execute(sql, values, binary=True).fetchall()

    def lock(self, sql: str, how: str, *values: object) -> list[Any]:
        """Return the rows of a query, locked until the transaction ends."""
        return self.rows(sql + how, *values)

    def lock_tokens(self) -> None:
        """Keep all other transactions from changing tokens until this one ends."""
        self.script("LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE")

    def change(self, sql: str, *values: object) -> int:
        """Execute a statement; return how many rows it changed."""
        return self._connection.execute(sql, values).rowcount

    def script(self, sql: str) -> None:
        """Execute several statements."""
        self._connection.execute(sql)

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports in order; return the bodies of those that were stored already."""
        ids = [report.id for report in reports]
        inserted = self.rows(_INSERT_REPORTS, task, ids, [report.body for report in reports])
        if len(inserted) == len(ids):
            return {}
        return self.bodies(task, sorted(set(ids) - {row[0] for row in inserted}))

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the bodies of those of the given ids that are stored."""
        sql = "SELECT id, body FROM reports WHERE task = $1 AND id = ANY($2::bytea[])"
        return dict(self.rows(sql, task, list(ids)))

    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, bool]:
        """Return whether each known invitation is spent; nobody else can spend it until the transaction ends."""
        rows = self.rows(_LOCK_INVITATIONS, task, list(hashes))
        return {token_hash: bool(spent) for token_hash, spent in rows}

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Mark invitations as spent, which are locked."""
        sql = "UPDATE invitations SET spent = 1 WHERE task = $1 AND hash = ANY($2::bytea[])"
        self.change(sql, task, list(hashes))

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add the invitations that are not stored yet."""
        self.change(_INSERT_INVITATIONS, task, list(hashes))

    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts, if all of them exist and nobody else has locked them."""
        if len(self.rows(_LOCK_PARTS, task, list(numbers))) < len(numbers):
            return False
        self.change("DELETE FROM parts WHERE task = $1 AND number = ANY($2::bigint[])", task, list(numbers))
        return True


class PostgresStore(SqlStore):
    """A `Store` that collectors can share."""

    dialect = "postgres"

    def __init__(self, url: str) -> None:
        super().__init__()
        try:
            options = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise ParameterError(f"not an address of a PostgreSQL database: {_one_line(error)}") from None
        self._where = f"PostgreSQL at {options.get('host', 'the local socket')}"
        self._address = make_conninfo("", **(_DEFAULTS | options))
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            self._address,
            min_size=0,
            max_size=MAX_CONNECTIONS,
            timeout=WAIT_SECONDS,
            # Give up soon, so that the next request tries again at once when the server is back.
            reconnect_timeout=WAIT_SECONDS,
            kwargs={"cursor_factory": psycopg.RawCursor},
            configure=_configure,
            open=True,
        )

    def prepare(self) -> None:
        """Migrate the schema to this release; other collectors wait.

        A separate connection, without the pool, reports at once why it cannot connect.
        """
        try:
            with psycopg.connect(self._address, cursor_factory=psycopg.RawCursor) as connection:
                connection.execute("SELECT pg_advisory_xact_lock($1)", [SCHEMA_LOCK])
                migrate(PostgresTransaction(connection), self.dialect)
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_one_line(error)}") from error

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    @contextmanager
    def snapshot(self) -> Iterator[SqlSnapshot]:
        """Return a context with the parts and reports of one moment."""
        try:
            with self._pool.connection() as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield SqlSnapshot(PostgresTransaction(connection))
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_one_line(error)}") from error

    def integrity_errors(self) -> list[str]:
        """Return nothing: PostgreSQL's own checks (amcheck, checksums) are its administrator's job."""
        return []

    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Do some work in one transaction; every one of them may safely be repeated."""
        del write
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._pool.connection() as connection:
                    return work(PostgresTransaction(connection))
            except (errors.SerializationFailure, errors.DeadlockDetected, TransactionConflict) as error:
                failure: Exception = error
            except psycopg.Error as error:
                if not _is_lost(error):
                    raise StoreError(f"{self._where}: {name}: {_one_line(error)}") from error
                failure = error
                # After a restart all idle connections are broken: replace them together.
                self._pool.check()
            # Transactions that conflicted try again at different moments.
            time.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise StoreError(f"{self._where}: {name}: given up after {ATTEMPTS} attempts: {_one_line(failure)}")


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute(_SETTINGS)
    connection.commit()


def _is_lost(error: psycopg.Error) -> bool:
    if isinstance(error, PoolTimeout):
        return False
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_LOST)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
