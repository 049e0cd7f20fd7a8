"""The store in PostgreSQL, which any number of collectors may share.

Transactions are at PostgreSQL's default level, where each statement sees what was committed before
it; what must not change meanwhile is locked, always in the order of task, then key.
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
from pckv.store.sql import SqlSnapshot, SqlStore, T
from pckv.store.transactions import Raced, Transaction
from pckv.wire import Report

MOST_CONNECTIONS = 8
WAIT_SECONDS = 5
ATTEMPTS = 6
# Collectors that start together wait for each other here: "pckv" in ASCII.
SCHEMA_LOCK = 0x70636B76

# What the address itself says wins.
_DEFAULTS: dict[str, str | int] = {
    "application_name": "pckv",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# What is acknowledged is on disk, whatever the server's habit; who waits for a lock waits not for ever,
# and a collector that hangs lets go.
_SETTINGS = """
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s';
"""
# SQLSTATEs after which the same transaction may succeed: the server stops, starts, or broke the link.
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
_HOLD_INVITATIONS = """
    SELECT hash, spent FROM invitations WHERE task = $1 AND hash = ANY($2::bytea[]) ORDER BY hash FOR UPDATE
"""
# Another compactor's parts are passed over, not waited for.
_HOLD_PARTS = """
    SELECT number FROM parts WHERE task = $1 AND number = ANY($2::bigint[]) FOR UPDATE SKIP LOCKED
"""


class PostgresTransaction:
    """A transaction on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(sql, values, binary=True).fetchall()

    def lock(self, sql: str, how: str, *values: object) -> list[Any]:
        """The rows of a query, held until the transaction ends."""
        return self.rows(sql + how, *values)

    def change(self, sql: str, *values: object) -> int:
        """Change something; how many rows."""
        return self._connection.execute(sql, values).rowcount

    def script(self, sql: str) -> None:
        """Run many statements."""
        self._connection.execute(sql)

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports in order; the bodies of those that were there."""
        ids = [report.id for report in reports]
        inserted = self.rows(_INSERT_REPORTS, task, ids, [report.body for report in reports])
        if len(inserted) == len(ids):
            return {}
        return self.bodies(task, sorted(set(ids) - {row[0] for row in inserted}))

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies of some ids, as far as they are there."""
        sql = "SELECT id, body FROM reports WHERE task = $1 AND id = ANY($2::bytea[])"
        return dict(self.rows(sql, task, list(ids)))

    def hold_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, bool]:
        """Whether invitations are spent; nobody else may spend them now."""
        return {found: bool(spent) for found, spent in self.rows(_HOLD_INVITATIONS, task, list(hashes))}

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Spend invitations that are held."""
        sql = "UPDATE invitations SET spent = 1 WHERE task = $1 AND hash = ANY($2::bytea[])"
        self.change(sql, task, list(hashes))

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add invitations that are not there."""
        self.change(_INSERT_INVITATIONS, task, list(hashes))

    def take_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts, if all of them are there and in nobody else's hands."""
        if len(self.rows(_HOLD_PARTS, task, list(numbers))) < len(numbers):
            return False
        self.change("DELETE FROM parts WHERE task = $1 AND number = ANY($2::bigint[])", task, list(numbers))
        return True


class PostgresStore(SqlStore):
    """A `Store` that collectors share."""

    dialect = "postgres"

    def __init__(self, url: str) -> None:
        super().__init__()
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise ParameterError(f"not an address of a PostgreSQL database: {_line(error)}") from None
        self._where = f"PostgreSQL at {given.get('host', 'the local socket')}"
        self._address = make_conninfo("", **(_DEFAULTS | given))
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            self._address,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=WAIT_SECONDS,
            # Given up soon, so that the next request tries again at once when the server is back.
            reconnect_timeout=WAIT_SECONDS,
            kwargs={"cursor_factory": psycopg.RawCursor},
            configure=_configure,
            open=True,
        )

    def prepare(self) -> None:
        """Bring the schema up to date; other collectors wait.

        On a connection of its own, which says at once why there is none.
        """
        try:
            with psycopg.connect(self._address, cursor_factory=psycopg.RawCursor) as connection:
                connection.execute("SELECT pg_advisory_xact_lock($1)", [SCHEMA_LOCK])
                migrate(PostgresTransaction(connection), self.dialect)
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_line(error)}") from error

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()

    @contextmanager
    def snapshot(self) -> Iterator[SqlSnapshot]:
        """Parts and reports of one moment."""
        try:
            with self._pool.connection() as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield SqlSnapshot(PostgresTransaction(connection))
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_line(error)}") from error

    def damage(self) -> list[str]:
        """PostgreSQL's own checks (amcheck, checksums) are its administrator's."""
        return []

    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Do some work in one transaction; every one of them may safely be done again."""
        del write
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._pool.connection() as connection:
                    return work(PostgresTransaction(connection))
            except (errors.SerializationFailure, errors.DeadlockDetected, Raced) as error:
                failure: Exception = error
            except psycopg.Error as error:
                if not _is_lost(error):
                    raise StoreError(f"{self._where}: {name}: {_line(error)}") from error
                failure = error
                # After a restart all idle connections are broken: replace them together.
                self._pool.check()
            # Those who got in each other's way try again at different moments.
            time.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise StoreError(f"{self._where}: {name}: given up after {ATTEMPTS} attempts: {_line(failure)}")


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute(_SETTINGS)
    connection.commit()


def _is_lost(error: psycopg.Error) -> bool:
    if isinstance(error, PoolTimeout):
        return False
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_LOST)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
