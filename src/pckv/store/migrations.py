"""Numbered schema scripts, a folder a dialect; each is applied once, in order."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Protocol

from pckv.errors import StoreError


class Connection(Protocol):
    """What a migration needs of a transaction."""

    def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""

    def change(self, sql: str, *values: object) -> int:
        """Change something; how many rows."""

    def script(self, sql: str) -> None:
        """Run many statements."""


def load_scripts(dialect: str) -> list[str]:
    """The scripts of a dialect, from number 1 on."""
    folder = files("pckv.store") / "schema" / dialect
    numbers = sorted(int(path.name.removesuffix(".sql")) for path in folder.iterdir())
    return [(folder / f"{number}.sql").read_text("utf-8") for number in numbers]


def migrate(connection: Connection, dialect: str) -> None:
    """Bring a schema up to date; the caller holds the lock that others wait for."""
    connection.script("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
    scripts = load_scripts(dialect)
    found = _version(connection)
    _refuse_newer(found, len(scripts))
    for number, script in enumerate(scripts[found:], found + 1):
        connection.script(script)
        connection.change("INSERT INTO schema_version VALUES ($1)", number)


def check_version(connection: Connection, dialect: str) -> None:
    """Refuse a schema that is not the one this release works with."""
    known = len(load_scripts(dialect))
    found = _version(connection)
    _refuse_newer(found, known)
    if found < known:
        raise StoreError(f"the store has schema {found}, and this release needs {known}: start the collector")


def _version(connection: Connection) -> int:
    return int(connection.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0][0])


def _refuse_newer(found: int, known: int) -> None:
    if found > known:
        raise StoreError(f"the store has schema {found}, and this release knows {known}: use a newer release")
