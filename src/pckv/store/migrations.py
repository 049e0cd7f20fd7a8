"""Numbered schema scripts, one folder per dialect; each is applied once, in order."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Protocol

from pckv.base.errors import StoreError


class Connection(Protocol):
    """What a migration needs of a transaction."""

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return the rows of a query."""

    def change(self, sql: str, *values: object) -> int:
        """Execute a statement; return how many rows it changed."""

    def script(self, sql: str) -> None:
        """Execute several statements."""


def load_scripts(dialect: str) -> list[str]:
    """Return the scripts of a dialect, from number 1 on."""
    folder = files("pckv.store") / "schema" / dialect
    numbers = sorted(int(path.name.removesuffix(".sql")) for path in folder.iterdir())
    return [(folder / f"{number}.sql").read_text("utf-8") for number in numbers]


def migrate(connection: Connection, dialect: str) -> None:
    """Migrate a schema to this release; the caller holds the lock that others wait for."""
    connection.script("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
    scripts = load_scripts(dialect)
    version = _version(connection)
    _refuse_newer(version, len(scripts))
    for number, script in enumerate(scripts[version:], version + 1):
        connection.script(script)
        connection.change("INSERT INTO schema_version VALUES ($1)", number)


def check_version(connection: Connection, dialect: str) -> None:
    """Refuse a schema other than the one that this release works with."""
    known = len(load_scripts(dialect))
    version = _version(connection)
    _refuse_newer(version, known)
    if version < known:
        raise StoreError(
            f"the store has schema {version}, and this release needs {known}: start the collector"
        )


def _version(connection: Connection) -> int:
    return int(connection.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0][0])


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StoreError(
            f"the store has schema {version}, and this release knows {known}: use a newer release"
        )
