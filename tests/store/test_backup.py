"""Backups: whole, consistent, private, and without what was deleted."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import apsw
import pytest

from pckv.base.errors import OutputExists, ParameterError, StoreError
from pckv.store.base import Role, Session
from pckv.store.checks import check_store
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import (
    BY_COIN,
    CONFLICT,
    DAY,
    KNOWN,
    OTHER,
    SPENT,
    STORED,
    add,
    invitation,
    invited,
    opened,
    report,
    some_reports,
    stored_reports,
    total,
)


def test_a_restored_backup_goes_on_where_it_was_made(sqlite: SqliteStore, tmp_path: Path) -> None:
    sqlite.add_task(BY_COIN, DAY)
    sqlite.add_invitations(BY_COIN.id, [invitation(1), invitation(2)])
    reports = some_reports(range(3), BY_COIN)
    for number in (1, 2):
        sqlite.issue_coin(BY_COIN.id, invitation(number), reports[number].id)
    invited(sqlite, (reports[1], 1), task=BY_COIN)
    add(sqlite, *some_reports(range(100)))
    sqlite.set_token(Role.ADMINISTRATOR, b"a")
    sqlite.add_session(Session(b"c", b"a", Role.ADMINISTRATOR, 100))
    progress: list[float] = []
    copy = tmp_path / "copy.db"
    sqlite.backup(copy, progress=progress.append)
    assert progress[-1] == 1
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("*copy*")) == ["copy.db"]
    add(sqlite, report(500))
    with opened(f"sqlite:///{copy}") as restored:
        assert check_store(restored) == []
        assert stored_reports(restored) == sorted(some_reports(range(100)))
        assert total(restored).reports == 100
        assert restored.tokens() == sqlite.tokens()
        assert restored.find_session(b"c") == sqlite.find_session(b"c")
        assert add(restored, report(500), report(1), report(2, 9)) == [STORED, KNOWN, CONFLICT]
        # Spent stays spent, and a coin that was handed out is still valid.
        assert invited(restored, (reports[2], 1), (reports[2], 2), task=BY_COIN) == [SPENT, STORED]
    assert check_store(sqlite) == []


def test_a_backup_has_neither_deleted_rows_nor_free_pages_nor_an_order(sqlite: SqliteStore, tmp_path: Path) -> None:
    arrived = [report(number) for number in (5, 3, 9, 1, 7, 2, 8)]
    for one in arrived:
        add(sqlite, one)
    sqlite.erase_deleted()
    content = sqlite.path.read_bytes()
    # Rows are written from the end of a page on, so that the file shows the order of arrival.
    assert sorted(arrived, key=lambda one: -content.find(one.id)) == arrived

    # With this, SQLite leaves deleted rows in the file: the backup has none even so.
    assert sqlite._writer is not None
    sqlite._writer.execute("PRAGMA secure_delete = OFF").fetchall()
    sqlite.add_task(OTHER, DAY)
    deleted = some_reports(range(2000), OTHER)
    add(sqlite, *deleted, task=OTHER)
    sqlite.delete_task(OTHER.id, DAY)
    sqlite.backup(tmp_path / "copy.db")
    content, copy = sqlite.path.read_bytes(), (tmp_path / "copy.db").read_bytes()
    assert sum(one.id in content for one in deleted) > 1000
    assert not [one for one in deleted if one.id in copy]
    assert sorted(arrived, key=lambda one: -copy.find(one.id)) == sorted(arrived)
    connection = apsw.Connection(str(tmp_path / "copy.db"))
    assert connection.execute("PRAGMA freelist_count").get == 0


def test_a_backup_is_of_one_moment_while_reports_come(sqlite: SqliteStore, tmp_path: Path) -> None:
    stopping = threading.Event()

    def upload() -> None:
        number = 0
        while not stopping.is_set():
            add(sqlite, *some_reports(range(number, number + 5)))
            number += 5

    thread = threading.Thread(target=upload)
    thread.start()
    try:
        for attempt in range(5):
            sqlite.backup(tmp_path / f"{attempt}.db")
    finally:
        stopping.set()
        thread.join()
    counts = []
    for attempt in range(5):
        with opened(f"sqlite:///{tmp_path}/{attempt}.db") as copy:
            assert check_store(copy) == []
            counts.append(total(copy).reports)
    assert counts == sorted(counts)
    assert all(count % 5 == 0 for count in counts)


def test_a_backup_replaces_nothing_unasked_and_is_whole_or_absent(
    sqlite: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(sqlite, report(1))
    copy = tmp_path / "copy.db"
    copy.write_text("something else")
    with pytest.raises(OutputExists, match=r"copy\.db exists$"):
        sqlite.backup(copy)
    for link in (sqlite.path, tmp_path / "link.db"):
        if link != sqlite.path:
            link.symlink_to(sqlite.path)
        with pytest.raises(ParameterError, match=r"is the store itself$"):
            sqlite.backup(link, force=True)
    with pytest.raises(ParameterError, match="there is no folder"):
        sqlite.backup(tmp_path / "none" / "copy.db")
    with monkeypatch.context() as failing:
        failing.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space left on device"):
            sqlite.backup(copy, force=True)
    assert copy.read_text() == "something else"
    assert not list(tmp_path.glob(".*"))
    sqlite.backup(copy, force=True)
    with opened(f"sqlite:///{copy}") as restored:
        assert stored_reports(restored) == stored_reports(sqlite) == [report(1)]
    sqlite.close()
    sqlite.path.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError, match=r"this is not a SQLite database$"):
        sqlite.backup(tmp_path / "another.db")


def test_other_stores_name_their_own_tools(store: Store, tmp_path: Path) -> None:
    if isinstance(store, SqliteStore):
        store.backup(tmp_path / "copy.db")
        return
    with pytest.raises(ParameterError, match=r"pg_dump$|has no backup$"):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
