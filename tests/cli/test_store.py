"""`pckv store`: checks and backups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pckv.base.days import utc_today
from pckv.store import open_store
from pckv.store.sqlite import SqliteStore
from support.cli import run_ok, run_refused
from support.stores import DAY, OTHER, TASK, add, opened, postgres_url, some_reports, stored_reports

SOUND = "the store is sound, and its tallies are those of its reports\n"


@pytest.fixture
def sqlite() -> Iterator[SqliteStore]:
    """The store of the folder that the test runs in."""
    with opened("sqlite:///pckv.db") as store:
        assert isinstance(store, SqliteStore)
        for task in (TASK, OTHER):
            store.add_task(task, utc_today())
            add(store, *some_reports(range(9), task), task=task)
        yield store


def test_a_backup_is_made_while_the_store_is_in_use_and_checked(sqlite: SqliteStore) -> None:
    assert run_ok("store backup copy.db") == "written to copy.db\n"
    assert Path("copy.db").stat().st_mode & 0o777 == 0o600
    assert run_ok("store check --store sqlite:///copy.db") == SOUND
    sqlite.erase_deleted()
    assert run_refused("store backup copy.db") == "pckv: copy.db exists: use --force to replace it\n"
    assert run_refused("store backup pckv.db --force") == "pckv: pckv.db is the store itself\n"
    assert "there is no such store" in run_refused("store backup new.db --store sqlite:///none.db")
    sqlite.delete_task(OTHER.id, DAY)
    assert run_ok("store backup copy.db --force") == "written to copy.db\n"
    store = open_store("sqlite:///copy.db")
    assert stored_reports(store) == stored_reports(sqlite)
    assert store.find_task(OTHER.id) is None
    store.close()


def test_postgres_has_a_tool_of_its_own() -> None:
    url = postgres_url()
    with opened(url):
        line = run_refused(f"store backup copy.db --store '{url}'")
    assert line == "pckv: a store in PostgreSQL is backed up with its own tool, pg_dump\n"


def test_a_check_says_what_is_not_erased_yet(sqlite: SqliteStore) -> None:
    with sqlite.snapshot() as snapshot:
        assert list(snapshot.reports(OTHER.id))
        sqlite.delete_task(OTHER.id, DAY)
        pending = f"task {OTHER.id}: erasure pending, deleted reports may still be in the database's files\n"
        assert run_ok("store check") == pending + SOUND
    sqlite.erase_deleted()
    assert run_ok("store check") == SOUND
