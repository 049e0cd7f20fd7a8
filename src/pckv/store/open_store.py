"""Choosing a store by its address."""

from __future__ import annotations

from pckv.base.errors import ParameterError, require
from pckv.store.store import Store

SQLITE = "sqlite:///"
POSTGRES = "postgresql://"


def open_store(url: str) -> Store:
    """Return the store of a collector that an address names; nothing is read, created or connected to yet.

    A path after `sqlite:///` is relative, one after `sqlite:////` absolute.

    >>> open_store("mysql://root:secret@example.org/db")
    Traceback (most recent call last):
        ...
    pckv.base.errors.ParameterError: a store is sqlite:///PATH or postgresql://..., not 'mysql:...'
    """
    path = sqlite_path(url)
    if path is not None:
        from pckv.store.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(path)
    from pckv.store.postgres import PostgresStore  # noqa: PLC0415

    return PostgresStore(url)


def sqlite_path(url: str) -> str | None:
    """Return the path of a store in SQLite, None for one in PostgreSQL; refuse anything else, or what is missing."""
    if url.startswith(SQLITE) and len(url) > len(SQLITE):
        require("apsw", extra="serve")
        return url.removeprefix(SQLITE)
    if url.startswith(POSTGRES):
        require("psycopg_pool", extra="postgres")
        return None
    # The rest of the address may hold a password.
    scheme, colon, rest = url.partition(":")
    shown = f"{scheme}:..." if colon and rest else url
    raise ParameterError(f"a store is {SQLITE}PATH or {POSTGRES}..., not {shown!r}")
