"""Stores for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pckv.store.postgres import PostgresStore
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import DAY, KINDS, TASK, opened, postgres_url, store_url


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opened(store_url(request.param, tmp_path)) as store:
        store.add_task(TASK, DAY)
        yield store


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store:
        assert isinstance(store, SqliteStore)
        store.add_task(TASK, DAY)
        yield store


@pytest.fixture
def shared() -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Two collectors on one PostgreSQL."""
    url = postgres_url()
    with opened(url) as one, opened(url) as two:
        assert isinstance(one, PostgresStore)
        assert isinstance(two, PostgresStore)
        one.add_task(TASK, DAY)
        yield one, two
