"""Faults of PostgreSQL and of the connection to it."""

from __future__ import annotations

import itertools
import logging
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from pckv.base.errors import StoreError
from pckv.store import open_store, postgres
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.sql import reports as sql
from pckv.store.sql.transactions import Transaction, TransactionConflict
from support.collectors import wait_until
from support.stores import (
    KNOWN,
    STORED,
    add,
    opened,
    postgres_server,
    postgres_url,
    report,
    stored_reports,
    tally,
    total,
)


def test_an_unreachable_server_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(postgres, "WAIT_SECONDS", 0.3)
    # As in a command, which sets up no logging.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    store = open_store("postgresql://someone:secret@127.0.0.1:1/pckv")
    for attempt in (store.prepare, store.ping, store.snapshot().__enter__):
        with pytest.raises(StoreError, match=r"^PostgreSQL at 127\.0\.0\.1: .*$") as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
        assert "secret" not in str(refusal.value)
    store.close()
    assert capsys.readouterr().err == ""


def test_lost_connections_are_replaced(shared: tuple[PostgresStore, PostgresStore]) -> None:
    store, _ = shared
    add(store, report(0))
    # More lost connections than a transaction has attempts.
    with ExitStack() as held:
        for _ in range(postgres.MAX_CONNECTIONS):
            held.enter_context(store.snapshot())
    with psycopg.connect(postgres_server(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'pckv' AND pid <> pg_backend_pid()"
        )
    assert add(store, report(4), report(0)) == [STORED, KNOWN]
    assert check_store(store) == []


# What a server may have as its default, and what the store's transactions must have then: `off` acknowledges what a
# crash of the server loses.
SYNCHRONOUS = {"off": "on", "on": "on", "local": "local", "remote_apply": "remote_apply"}


def check_acknowledged_means_on_disk() -> None:
    """Assert that every transaction of a store, on every connection, waits until its commit is on disk."""
    url = postgres_url()
    for default, wanted in SYNCHRONOUS.items():
        options = quote(f" -csynchronous_commit={default}")
        with opened(url + options) as store, ExitStack() as held:
            for _ in range(2):
                for _ in range(2):
                    assert store._write(find_synchronous) == [(wanted,)], default
                # While a connection is held, the store opens another one.
                held.enter_context(store.snapshot())


def find_synchronous(tx: Transaction) -> list[Any]:
    return tx.rows("SELECT current_setting('synchronous_commit')")


def test_acknowledged_means_on_disk_whatever_the_default_of_the_server() -> None:
    check_acknowledged_means_on_disk()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("'on', false)", "'on', true)"), ("= 'off'", "= 'never'"), ("WHERE current_setting('synchronous_commit')", "--")],
    ids=["for the first transaction", "never", "whatever the default is"],
)
def test_a_fault_of_settings_is_caught(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    assert postgres._SETTINGS.count(right) == 1
    monkeypatch.setattr(postgres, "_SETTINGS", postgres._SETTINGS.replace(right, wrong).replace("-- = 'off'", ""))
    with pytest.raises(AssertionError):
        check_acknowledged_means_on_disk()


@pytest.mark.parametrize("fault", [psycopg.errors.DeadlockDetected, psycopg.errors.AdminShutdown, TransactionConflict])
def test_transient_faults_are_retried(
    shared: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    store, _ = shared
    faults = iter([fault("once"), fault("twice")])
    add_part = sql._add_part

    def failing(*arguments: Any) -> None:
        for error in faults:
            raise error
        add_part(*arguments)

    monkeypatch.setattr(sql, "_add_part", failing)
    assert add(store, report(1)) == [STORED]
    assert check_store(store) == []
    faults = itertools.repeat(fault("always"))
    with pytest.raises(StoreError, match=r"add reports: given up after 6 attempts: always$"):
        add(store, report(2))
    assert stored_reports(store) == [report(1)]


def test_a_lost_answer_to_a_commit_counts_nothing_twice(
    shared: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = shared
    commit = psycopg.Connection.commit
    faults = iter([psycopg.OperationalError("the connection was lost")])

    def lossy(connection: psycopg.Connection[Any]) -> None:
        commit(connection)
        for error in faults:
            raise error

    monkeypatch.setattr(psycopg.Connection, "commit", lossy)
    assert add(store, report(1)) == [KNOWN]
    assert total(store) == tally([report(1)])


def test_permanent_faults_are_reported(shared: tuple[PostgresStore, PostgresStore]) -> None:
    store, _ = shared
    store._write(lambda tx: tx.script("DROP TABLE reports"))
    with pytest.raises(StoreError, match='add reports: relation "reports" does not exist'):
        add(store, report(1))


def test_a_connection_whose_rollback_fails_is_replaced(
    shared: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = shared
    failed: list[psycopg.Connection[Any]] = []

    def fail(connection: psycopg.Connection[Any]) -> None:
        failed.append(connection)
        raise psycopg.OperationalError("the rollback fails")

    def work(tx: Transaction) -> None:
        tx.change("INSERT INTO tokens VALUES ('administrator', '\\x00')")
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "rollback", fail)
        with pytest.raises(ZeroDivisionError):
            store._write(work)
        assert failed
        # The pool checks returned connections in its own thread.
        wait_until(lambda: all(connection.closed for connection in failed))
    assert store.tokens() == []
    assert add(store, report(1)) == [STORED]
