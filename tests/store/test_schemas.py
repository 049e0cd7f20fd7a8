"""Schemas and their migration, and the addresses of stores."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pckv.base.errors import MissingExtra, ParameterError, StoreError
from pckv.store import open_store
from pckv.store.sql import transactions as schema
from support.stores import DAY, TASK, add, opened, report, store_url, stored_reports, together


def next_release(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = schema.load_scripts
    added = "ALTER TABLE tasks ADD COLUMN colour text; CREATE TABLE colours (name text);"
    monkeypatch.setattr(schema, "load_scripts", lambda dialect: [*scripts(dialect), added])


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_older_schema_is_brought_up_to_date(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_task(TASK, DAY)
        add(store, report(1))
        next_release(monkeypatch)
        with pytest.raises(StoreError, match="the store has schema 1, and this release needs 2"):
            store.ping()
    with opened(url) as store, opened(url):
        store.ping()
        assert stored_reports(store) == [report(1)]
        versions = store._write(lambda tx: tx.rows("SELECT version FROM schema_version"))
        assert sorted(versions) == [(1,), (2,)]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_newer_schema_is_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = store_url(kind, tmp_path)
    with monkeypatch.context() as newer:
        next_release(newer)
        with opened(url):
            pass
    store = open_store(url)
    for attempt in (store.prepare, store.ping):
        with pytest.raises(StoreError, match="the store has schema 2, and this release knows 1: use a newer"):
            attempt()
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_migration_that_fails_leaves_the_old_schema(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store_url(kind, tmp_path)
    with monkeypatch.context() as broken:
        scripts = schema.load_scripts
        broken.setattr(schema, "load_scripts", lambda dialect: [*scripts(dialect), "CREATE TABLE tasks (x text)"])
        store = open_store(url)
        with pytest.raises(StoreError, match="already exists"):
            store.prepare()
        store.close()
    with opened(url) as store:
        store.ping()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_collectors_that_start_together_wait_for_each_other(kind: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)

    def start(_: int) -> None:
        with opened(url) as store:
            store.ping()

    together(4, start)


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened("sqlite:///relative.db"), opened(f"sqlite:////{tmp_path}/absolute.db"):
        assert {"relative.db", "absolute.db"} <= {path.name for path in tmp_path.iterdir()}
    for wrong in ("", "sqlite:///", "pckv.db", "mysql://u:secret@h/d", "memory:", "postgresql:x"):
        with pytest.raises(ParameterError, match=r"^a store is sqlite:///PATH or postgresql://..., not '"):
            open_store(wrong)
    for malformed in (
        "u:secret@h/d?colour=red",
        "u:my@secret@h:x/d",
        "u:%secret@h/d",
        "u:a/secret@h:5432/d",
        "[secret",
    ):
        with pytest.raises(ParameterError, match=r"^not an address of a PostgreSQL database: ") as refusal:
            open_store(f"postgresql://{malformed}")
        assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [("sqlite:///x.db", "apsw", "serve"), ("postgresql://h/d", "psycopg_pool", "postgres")],
)
def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch, url: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"this needs '{module}': pip install 'pckv\[{extra}\]'"):
        open_store(url)
