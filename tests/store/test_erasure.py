"""What is deleted leaves the files, what is left is told, and nothing waits for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw
import psycopg
import pytest

from pckv.base.errors import StoreError
from pckv.store import postgres
from pckv.store.postgres import PostgresStore
from pckv.store.sql import contracts
from pckv.store.sqlite import BUSY_MILLISECONDS, SqliteStore
from pckv.store.store import Store
from support.collectors import wait_until
from support.erasure import heap, logged, overwrite_log, rewrite
from support.stores import (
    COUNTED_LATER,
    DAY,
    OTHER,
    PLANES,
    STORED,
    TASK,
    add,
    opened,
    postgres_url,
    report,
    some_reports,
    store_url,
    stored_reports,
    tally,
    total,
)

REPORTS = some_reports(range(3000))
TABLES = ("reports", "parts", "invitations")


@contextmanager
def reading(store: SqliteStore) -> Iterator[None]:
    """Read in another connection, such as that of a check or a shell, while the context lasts."""
    reader = apsw.Connection(str(store.path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM reports").fetchall()
    try:
        yield
    finally:
        reader.close()


def left(store: SqliteStore) -> int:
    """Return how many of the reports the files still hold."""
    paths = (store.path, Path(f"{store.path}-wal"))
    content = b"".join(path.read_bytes() for path in paths if path.exists())
    return sum(one.id in content for one in REPORTS)


def end(store: Store, how: str) -> None:
    store.close_task(TASK.id, DAY)
    if how == "delete":
        store.delete_task(TASK.id, DAY)
    else:
        assert store.forget_reports(TASK.id, DAY) == len(REPORTS)


@pytest.mark.parametrize("how", ["delete", "forget"])
def test_erasure_waits_for_readers_and_says_so(sqlite: SqliteStore, how: str) -> None:
    add(sqlite, *REPORTS[:1500])
    add(sqlite, *REPORTS[1500:])
    sqlite.add_task(COUNTED_LATER, DAY)
    with reading(sqlite):
        end(sqlite, how)
        assert left(sqlite) == len(REPORTS)
        assert sqlite.pending_erasures() == [TASK.id]
        sqlite.erase_deleted()
        assert sqlite.pending_erasures() == [TASK.id]
        deletion = sqlite.delete_task(TASK.id, DAY) if how == "delete" else None
        assert deletion is None or not deletion.erased
        # Uploads wait neither for the reader nor for the attempts.
        start = time.monotonic()
        assert add(sqlite, *some_reports(range(5), COUNTED_LATER), task=COUNTED_LATER) == [STORED] * 5
        assert time.monotonic() - start < BUSY_MILLISECONDS / 2000
    assert left(sqlite) == len(REPORTS)
    sqlite.erase_deleted()
    assert left(sqlite) == 0
    assert sqlite.pending_erasures() == []
    deletion = sqlite.find_deletion(TASK.id)
    assert (deletion is not None and deletion.erased) == (how == "delete")


def test_a_crash_between_two_deletions_leaves_the_erasure_pending(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite.add_task(COUNTED_LATER, DAY)
    reports = some_reports(range(5), COUNTED_LATER)
    add(sqlite, *reports, task=COUNTED_LATER)
    sqlite.close_task(COUNTED_LATER.id, DAY)
    with monkeypatch.context() as crash:
        crash.setattr(SqliteStore, "_count_all_words", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sqlite.forget_reports(COUNTED_LATER.id, DAY)
    # The reports are deleted, but the words of a part are their bodies.
    assert stored_reports(sqlite, COUNTED_LATER) == []
    assert [part.uncounted for part in sqlite.parts(COUNTED_LATER.id)] == [5]
    assert sqlite.pending_erasures() == [COUNTED_LATER.id]
    sqlite.erase_deleted()
    assert [part.uncounted for part in sqlite.parts(COUNTED_LATER.id)] == [0]
    assert sqlite.pending_erasures() == []
    assert total(sqlite, COUNTED_LATER) == tally(reports, COUNTED_LATER)


def test_a_deletion_during_the_erasure_of_another_one_stays_pending(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(sqlite, *REPORTS)
    sqlite.close_task(TASK.id, DAY)
    with reading(sqlite):
        sqlite.forget_reports(TASK.id, DAY)
    truncate = sqlite._truncate_log

    def truncate_and_delete() -> bool:
        truncated = truncate()
        monkeypatch.setattr(sqlite, "_truncate_log", lambda: False)
        sqlite.delete_task(TASK.id, DAY)
        return truncated

    monkeypatch.setattr(sqlite, "_truncate_log", truncate_and_delete)
    sqlite.erase_deleted()
    # The first erasure is done, the second one has a mark of its own.
    assert sqlite.pending_erasures() == [TASK.id]


def test_a_deletion_whose_erasure_fails_is_a_deletion(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> bool:
        raise StoreError("the disk is full")

    monkeypatch.setattr(sqlite, "_truncate_log", fail)
    deletion = sqlite.delete_task(TASK.id, DAY)
    assert deletion is not None
    assert not deletion.erased
    monkeypatch.undo()
    sqlite.erase_deleted()
    assert sqlite.pending_erasures() == []


@pytest.mark.parametrize("how", ["delete", "forget"])
def test_postgres_has_erased_when_tables_were_rewritten_and_the_log_was_overwritten(how: str) -> None:
    url = postgres_url()
    with opened(url) as store:
        assert isinstance(store, PostgresStore)
        store.add_task(TASK, DAY)
        add(store, *REPORTS[:5])
        store.close_task(TASK.id, DAY)
        if how == "delete":
            deletion = store.delete_task(TASK.id, DAY)
            assert deletion is not None
            assert not deletion.erased
        else:
            assert store.forget_reports(TASK.id, DAY) == 5
        assert heap(url, "reports", REPORTS[3].id)
        rewrite(url, "reports", "parts")
        store.erase_deleted()
        assert store.pending_erasures() == [TASK.id]
        rewrite(url, "invitations")
        store.erase_deleted()
        assert not heap(url, "reports", REPORTS[3].id)
        # Every id is in the log, under its name or in a file that was renamed for reuse.
        assert logged(url, REPORTS[3].id)
        assert store.pending_erasures() == [TASK.id]
        overwrite_log(url, store)
        assert not any(logged(url, one.id) for one in REPORTS[:5])


def check_every_table_is_rewritten() -> None:
    """Assert that an erasure in PostgreSQL waits until each table that held reports, or links of them, is rewritten."""
    url = postgres_url()
    with opened(url) as store:
        for last, task in zip(TABLES, (TASK, OTHER, PLANES), strict=True):
            store.add_task(task, DAY)
            add(store, *some_reports(range(5), task), task=task)
            store.delete_task(task.id, DAY)

            def is_rewritten(*tables: str, task_id: str = task.id) -> bool:
                rewrite(url, *tables)
                store.erase_deleted()
                return dict(store._read(contracts.find_erasures))[task_id].startswith(postgres._LOGGED)

            assert not is_rewritten(*set(TABLES) - {last}), last
            # The database may read its own tables meanwhile, such as to analyse them: that rewrite does not count.
            wait_until(partial(is_rewritten, *TABLES))


def test_every_table_is_rewritten() -> None:
    check_every_table_is_rewritten()


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_is_left_out_is_caught(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"to_regclass('{table}')" in postgres._FILES
    monkeypatch.setattr(postgres, "_FILES", postgres._FILES.replace(f"to_regclass('{table}')", "NULL"))
    with pytest.raises(AssertionError, match=table):
        check_every_table_is_rewritten()


def test_erasure_in_postgres_stays_pending_while_the_log_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgres_url()
    with opened(url) as store:
        store.add_task(TASK, DAY)
        add(store, *REPORTS[:5])
        store.delete_task(TASK.id, DAY)
        rewrite(url, *TABLES)
        with monkeypatch.context() as unprivileged:
            unprivileged.setattr(postgres, "_MAY_LIST_LOG", "SELECT false")
            with pytest.raises(AssertionError):
                overwrite_log(url, store)
        overwrite_log(url, store)


def test_a_rewrite_that_keeps_what_somebody_reads_is_not_enough() -> None:
    url = postgres_url()
    with opened(url) as store, psycopg.connect(url) as reader:
        store.add_task(TASK, DAY)
        add(store, *REPORTS[:5])
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        store.delete_task(TASK.id, DAY)
        rewrite(url, *TABLES)
        # The reader could still see the reports, so they were copied to the new file.
        assert heap(url, "reports", REPORTS[3].id)
        store.erase_deleted()
        assert store.pending_erasures() == [TASK.id]
        reader.rollback()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM FREEZE")
        store.erase_deleted()
        assert store.pending_erasures() == [TASK.id]
        rewrite(url, *TABLES)
        assert not heap(url, "reports", REPORTS[3].id)
        overwrite_log(url, store)


def test_a_store_that_was_killed_is_cleaned_at_its_start(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as store:
        assert isinstance(store, SqliteStore)
        store.add_task(TASK, DAY)
        add(store, report(1))
        # A copy of the files is what a kill leaves.
        for suffix in ("", "-wal"):
            (tmp_path / f"killed{suffix}").write_bytes(Path(f"{store.path}{suffix}").read_bytes())
    log = tmp_path / "killed-wal"
    assert report(1).id in log.read_bytes()
    with opened(f"sqlite:///{tmp_path}/killed") as killed:
        assert log.stat().st_size == 0
        assert stored_reports(killed) == [report(1)]


def test_a_store_in_use_by_others_is_cleaned_at_its_end(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as other:
        with opened(url) as store:
            store.add_task(TASK, DAY)
            add(store, report(1))
        assert isinstance(other, SqliteStore)
        assert Path(f"{other.path}-wal").stat().st_size == 0
