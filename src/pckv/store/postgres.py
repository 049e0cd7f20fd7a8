"""The store in PostgreSQL, which any number of collectors may share.

Transactions use PostgreSQL's default isolation level, where each statement sees what was committed before it.
What must not change meanwhile is locked, always in the order of task, then key.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Concatenate, NamedTuple

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from pckv.base.errors import ParameterError, StoreError
from pckv.base.wire import Report
from pckv.store.base import Invitation
from pckv.store.contract_store import ContractStore, P, T
from pckv.store.sql.contracts import ERASED
from pckv.store.sql.reports import Snapshot
from pckv.store.sql.transactions import (
    NO_COIN,
    ParsedContracts,
    Transaction,
    TransactionConflict,
    migrate,
    stored_invitation,
)
from pckv.store.store import Store

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
# What is acknowledged is on disk, whatever the server's default; no wait for a lock is endless, and a
# collector that hangs loses its locks.
_SETTINGS = """
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s';
"""
# A refusal is one line: without a handler, Python would print the pool's warnings, too. A collector logs
# them.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
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
    SELECT hash, spent, coin FROM invitations WHERE task = $1 AND hash = ANY($2::bytea[])
    ORDER BY hash FOR UPDATE
"""
# Parts that another collector is merging are skipped, not waited for.
_LOCK_PARTS = """
    SELECT number FROM parts WHERE task = $1 AND number = ANY($2::bigint[]) FOR UPDATE SKIP LOCKED
"""
# The files of the tables of a collector or a mixer that hold reports or could link them, and the first transaction
# that a table may still hold deleted rows of. The files are new after a `VACUUM FULL`.
_FILES = """
    SELECT pg_relation_filenode(oid)::bigint,
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint - age(relfrozenxid)
    FROM pg_class
    WHERE oid IN (to_regclass('reports'), to_regclass('parts'), to_regclass('pages'), to_regclass('invitations'))
    ORDER BY relname
"""
# Segments of the write-ahead log by number, without their timelines: the one that is written to, and all files. A file
# with a later number than the one written to is an old file that was renamed for reuse, with its old content.
_LOG = """
    SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 9), min(segment), max(segment)
    FROM (SELECT substr(name, 9, 16) AS segment FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}') AS files
"""
_LOGGED, _REUSED = "logged", "reused"
_MAY_LIST_LOG = "SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AND NOT pg_is_in_recovery()"
# No table of a store has any, but those of foreign keys; one could change what is stored, or copy it.
_TRIGGERS = """
    SELECT tgrelid::regclass::text, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
    ORDER BY 1, 2
"""


class PostgresTransaction(Transaction):
    """A transaction on one connection."""

    for_share, for_update = " FOR SHARE", " FOR UPDATE"

    def __init__(self, connection: psycopg.Connection[Any], contracts: ParsedContracts) -> None:
        self._connection, self.contracts = connection, contracts

    def rows(self, sql: str, *values: object) -> list[Any]:
        return self._connection.execute(sql, values, binary=True).fetchall()

    def lock_tokens(self) -> None:
        self.script("LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE")

    def change(self, sql: str, *values: object) -> int:
        return self._connection.execute(sql, values).rowcount

    def script(self, sql: str) -> None:
        self._connection.execute(sql)

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        ids = [report.id for report in reports]
        inserted = self.rows(_INSERT_REPORTS, task, ids, [report.body for report in reports])
        if len(inserted) == len(ids):
            return {}
        return self.bodies(task, sorted(set(ids) - {row[0] for row in inserted}))

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        sql = "SELECT id, body FROM reports WHERE task = $1 AND id = ANY($2::bytea[])"
        return dict(self.rows(sql, task, list(ids)))

    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, Invitation]:
        rows = self.rows(_LOCK_INVITATIONS, task, list(hashes))
        return {token_hash: stored_invitation(spent, coin) for token_hash, spent, coin in rows}

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        sql = "UPDATE invitations SET spent = 1, coin = $1 WHERE task = $2 AND hash = ANY($3::bytea[])"
        self.change(sql, NO_COIN, task, list(hashes))

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        self.change(_INSERT_INVITATIONS, task, list(hashes))

    def erasure_mark(self) -> str:
        """Return the number of this transaction, and the files of the tables that hold reports."""
        transaction = self.rows("SELECT pg_current_xact_id()::text::bigint")[0][0]
        return f"{transaction} {' '.join(str(file) for file, _ in _find_files(self))}"

    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        if len(self.rows(_LOCK_PARTS, task, list(numbers))) < len(numbers):
            return False
        self.change("DELETE FROM parts WHERE task = $1 AND number = ANY($2::bigint[])", task, list(numbers))
        return True


class PostgresDatabase(ContractStore):
    """The store of a service, which several servers can share."""

    dialect = "postgres"

    def __init__(self, url: str) -> None:
        super().__init__()
        options = _read_address(url)
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
                migrate(PostgresTransaction(connection, self._contracts), self.schema)
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_one_line(error)}") from error

    def close(self) -> None:
        self._pool.close()

    def backup(self, *_args: object, **_options: object) -> None:
        """Refuse: PostgreSQL has its own tool."""
        raise ParameterError("a store in PostgreSQL is backed up with its own tool, pg_dump")

    def integrity_errors(self) -> list[str]:
        """Return which triggers there are; PostgreSQL's own checks (amcheck) are its administrator's job."""
        return [f"{self._where}: {table} has a trigger, {name}" for table, name in self._read(_find_triggers)]

    def _check_erasures(self, marks: Collection[str]) -> dict[str, str]:
        """Return which deletions the tables were rewritten and the log was overwritten after.

        The collector does neither itself. A rewritten table still holds the rows that a transaction could see which was
        open then: it must be rewritten again.
        """
        if not marks:
            return {}
        tables, log = self._read(_find_files), self._read(_find_log)
        return {mark: new for mark in marks if (new := _next_mark(mark, tables, log)) != mark}

    def _write(self, work: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work in one transaction; every one of them may safely be repeated."""
        where = f"{self._where}: {work.__name__.replace('_', ' ').strip()}"
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._pool.connection() as connection:
                    return work(PostgresTransaction(connection, self._contracts), *args, **kwargs)
            except (errors.SerializationFailure, errors.DeadlockDetected, TransactionConflict) as error:
                failure: Exception = error
            except psycopg.Error as error:
                if not _is_lost(error):
                    raise StoreError(f"{where}: {_one_line(error)}") from error
                failure = error
                # After a restart all idle connections are broken: replace them together.
                self._pool.check()
            # Transactions that conflicted try again at different moments.
            time.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise StoreError(f"{where}: given up after {ATTEMPTS} attempts: {_one_line(failure)}")


class PostgresStore(PostgresDatabase, Store):
    """A `Store` that collectors can share."""

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        try:
            with self._pool.connection() as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield Snapshot(PostgresTransaction(connection, self._contracts))
        except psycopg.Error as error:
            raise StoreError(f"{self._where}: {_one_line(error)}") from error


def _find_files(tx: Transaction) -> list[tuple[int, int]]:
    return tx.rows(_FILES)


class Log(NamedTuple):
    """Segments of the write-ahead log: the one that is written to, and the first and last one of the files."""

    current: str
    first: str
    last: str


def _find_log(tx: Transaction) -> Log | None:
    """Return what the write-ahead log consists of, None for a user who may not list its files."""
    if not tx.rows(_MAY_LIST_LOG)[0][0]:
        return None
    first = tx.rows(_LOG)[0][1]
    # A file that was renamed while its folder was listed may be in neither place: the names of files for reuse are
    # those of a second listing.
    current, _, last = tx.rows(_LOG)[0]
    return Log(current, first, last)


def _next_mark(mark: str, tables: Sequence[tuple[int, int]], log: Log | None) -> str:
    """Return the new mark of an erasure, given the file and the oldest kept transaction of each table, and the log.

    First the tables must be rewritten. Then the log still holds what was deleted, up to the segment that is current:
    all files up to it must be gone. Those that were renamed for reuse must then be overwritten, up to the last one.

    >>> log = Log("05", "03", "08")
    >>> _next_mark("7 10 11 12", [(20, 8), (21, 8), (12, 3)], log)
    '7 0 0 12'
    >>> _next_mark("7 10 11 12", [(20, 8), (21, 7), (22, 8)], log)
    '7 0 21 0'
    >>> _next_mark("7 0 21 0", [(20, 8), (31, 8), (22, 8)], log)
    'logged 05'
    >>> _next_mark("logged 03", [], log), _next_mark("logged 02", [], log)
    ('logged 03', 'reused 08')
    >>> _next_mark("reused 05", [], log), _next_mark("reused 04", [], log)
    ('reused 05', 'erased')
    """
    stage, *rest = mark.split()
    if stage == _REUSED:
        return ERASED if log and log.current > rest[0] else mark
    if stage == _LOGGED:
        return f"{_REUSED} {log.last}" if log and log.first > rest[0] else mark
    transaction = int(stage)
    left = [
        file if file in (0, now) else 0 if oldest > transaction else now
        for file, (now, oldest) in zip(map(int, rest), tables, strict=True)
    ]
    if any(left):
        return " ".join(map(str, [transaction, *left]))
    # Nothing of the log is known: wait.
    return f"{_LOGGED} {log.current}" if log else mark


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute(_SETTINGS)
    connection.commit()


def _is_lost(error: psycopg.Error) -> bool:
    if isinstance(error, PoolTimeout):
        return False
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_LOST)


def _read_address(url: str) -> dict[str, Any]:
    """Return the options of an address; a password with @ or / in it must not be taken for a host, port or name."""
    try:
        options = conninfo_to_dict(url)
        ports = str(options.get("port", "")).split(",")
        misread = any("@" in str(options.get(name, "")) for name in ("host", "dbname", "port"))
        if not misread and all(not port or port.isdecimal() for port in ports):
            return options
    except psycopg.Error:
        pass
    # What is wrong is not shown: it may be a part of the password.
    raise ParameterError(
        "not an address of a PostgreSQL database: it has the form postgresql://USER:PASSWORD@HOST:PORT/NAME, with %40 "
        "for @ and %2F for / in a password"
    )


def _find_triggers(tx: Transaction) -> list[Any]:
    return tx.rows(_TRIGGERS)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
