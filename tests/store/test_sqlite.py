"""Faults of SQLite and its file."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from pckv.base.errors import StoreError
from pckv.store import open_store
from pckv.store.checks import check_store
from pckv.store.sql.transactions import Transaction
from pckv.store.sqlite import MAX_IDLE_READERS, SqliteStore, SqliteTransaction
from support.stores import (
    COUNTED_LATER,
    DAY,
    STORED,
    TASK,
    add,
    opened,
    report,
    some_reports,
    store_url,
    stored_reports,
    total,
)

CRASHING = """
import sys
from support.stores import COUNTED_LATER, DAY, TASK, some_reports
from pckv.store import open_store, parts
from pckv.store.base import Upload

# Words are merged in some compactions, and counted in others.
parts.MIN_REPORTS_TO_COUNT = 50
store = open_store(sys.argv[1])
store.prepare()
for batch in range(int(sys.argv[2]), 10**9):
    numbers = range(batch * 5, batch * 5 + 5)
    uploads = [Upload(task.id, some_reports(numbers, task)) for task in (TASK, COUNTED_LATER)]
    store.add_reports(uploads, DAY)
    print(batch, flush=True)
    if batch % 7 == 0:
        store.compact(TASK.id)
    if batch % 3 == 0:
        store.compact(COUNTED_LATER.id)
"""


def test_a_killed_writer_loses_nothing(sqlite: SqliteStore) -> None:
    sqlite.add_task(COUNTED_LATER, DAY)
    url = f"sqlite:///{sqlite.path}"
    rng = random.Random(1)
    acknowledged: list[int] = []
    # The child process imports the same modules.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(12):
        start = acknowledged[-1] + 1 if acknowledged else 0
        command = [sys.executable, "-c", CRASHING, url, str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            acknowledged.append(int(process.stdout.readline()))
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            acknowledged += map(int, process.stdout.read().split())
        stored = set(stored_reports(sqlite))
        assert set(some_reports(range(5 * acknowledged[-1] + 5))) <= stored
        assert check_store(sqlite) == []
    assert acknowledged == list(range(len(acknowledged)))
    assert total(sqlite).reports == total(sqlite, COUNTED_LATER).reports == len(stored)
    counted = [part.uncounted for part in sqlite.part_summaries(COUNTED_LATER.id)]
    assert 0 in counted
    assert sum(counted) < len(stored)


def test_a_full_disk_is_reported_and_survived(sqlite: SqliteStore) -> None:
    add(sqlite, report(1))
    writer = sqlite._writer
    assert writer is not None
    pages = int(writer.execute("PRAGMA page_count").get)
    writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    many = some_reports(range(5000))
    with pytest.raises(StoreError, match=f"^{re.escape(str(sqlite.path))}: the disk is full$"):
        add(sqlite, *many)
    assert stored_reports(sqlite) == [report(1)]
    assert check_store(sqlite) == []
    writer.execute("PRAGMA max_page_count = 1000000")
    assert add(sqlite, *many).count(STORED) == 4999
    assert check_store(sqlite) == []


class FullDiskFile(apsw.VFSFile):
    """A file that cannot be written to while the disk is full."""

    def __init__(self, disk: FullDisk, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._disk.is_full:
            raise apsw.FullError
        super().xWrite(data, offset)


class FullDisk(apsw.VFS):
    """The file system of all connections that are opened while it exists."""

    is_full = False

    def __init__(self) -> None:
        super().__init__("full", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> FullDiskFile:  # noqa: N802
        return FullDiskFile(self, name, flags)


def test_a_full_disk_is_noticed_without_an_upload(tmp_path: Path) -> None:
    disk = FullDisk()
    try:
        with opened(store_url("sqlite", tmp_path)) as store:
            store.add_task(TASK, DAY)
            store.check_writable()
            disk.is_full = True
            store.ping()
            with pytest.raises(StoreError, match=r"the disk is full$"):
                store.check_writable()
            disk.is_full = False
            store.check_writable()
            assert check_store(store) == []
    finally:
        disk.unregister()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"nothing like a database " * 1000)
    store = open_store(f"sqlite:///{path}")
    for attempt in (store.prepare, store.ping):
        with pytest.raises(StoreError, match=r"x\.db: this is not a SQLite database$"):
            attempt()
    assert check_store(store) == [f"{path}: this is not a SQLite database"] * 2


def test_a_database_of_something_else(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "x.db"))
    connection.execute("CREATE TABLE songs (name)")
    with pytest.raises(StoreError, match=r"x\.db is a database of something else: it has a table 'songs'$"):
        open_store(f"sqlite:///{tmp_path}/x.db").prepare()
    assert list(connection.execute("SELECT name FROM sqlite_schema")) == [("songs",)]


def test_a_missing_store_is_reported(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(StoreError, match="there is no such store"):
        store.ping()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="No such file or directory"):
        open_store(f"sqlite:///{tmp_path}/folder/x.db").prepare()


def test_a_locked_file_is_reported(sqlite: SqliteStore) -> None:
    assert sqlite._writer is not None
    sqlite._writer.set_busy_timeout(10)
    other = apsw.Connection(str(sqlite.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process holds the database"):
        add(sqlite, report(1))
    assert stored_reports(sqlite) == []
    other.execute("ROLLBACK")
    assert add(sqlite, report(1)) == [STORED]


def test_an_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(StoreError, match=r"^SQLite 3\.51\.2 can corrupt .*: 3\.51\.3 or newer is needed$"):
        open_store(f"sqlite:///{tmp_path}/x.db")


def test_sqlite_is_set_up_to_lose_nothing(sqlite: SqliteStore) -> None:
    writer = sqlite._writer
    assert writer is not None
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "trusted_schema": 0,
        "journal_size_limit": 2**26,
        "cache_size": -24_576,
        "query_only": 0,
    }
    assert {name: writer.execute(f"PRAGMA {name}").get for name in expected} == expected
    with sqlite._read_transaction() as tx:
        expected |= {"cache_size": -2048, "query_only": 1}
        assert {name: tx.rows(f"PRAGMA {name}")[0][0] for name in expected} == expected
    for name in (sqlite.path, Path(f"{sqlite.path}-wal")):
        assert name.stat().st_mode & 0o777 == 0o600


def fail(tx: Transaction, statement: str) -> None:
    """Execute a statement and fail, and make the ROLLBACK fail too."""
    assert isinstance(tx, SqliteTransaction)
    tx.rows(statement)
    tx._connection.exec_trace = lambda _, executed, __: executed != "ROLLBACK"
    raise ZeroDivisionError


def test_a_reader_whose_rollback_fails_is_replaced(sqlite: SqliteStore) -> None:
    for _ in range(MAX_IDLE_READERS + 1):
        with pytest.raises(ZeroDivisionError):
            # Until its transaction ends, a connection sees nothing that is committed after this statement.
            sqlite._read(lambda tx: fail(tx, "SELECT count(*) FROM reports"))
        assert not any(reader.in_transaction for reader in sqlite._readers)
    add(sqlite, report(1))
    assert stored_reports(sqlite) == [report(1)]
    assert check_store(sqlite) == []


def test_a_writer_whose_rollback_fails_is_replaced(sqlite: SqliteStore) -> None:
    with pytest.raises(ZeroDivisionError):
        sqlite._write(lambda tx: fail(tx, "INSERT INTO tokens VALUES ('administrator', x'00')"))
    assert sqlite.tokens() == []
    assert add(sqlite, report(1)) == [STORED]
    assert check_store(sqlite) == []
