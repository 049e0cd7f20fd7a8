"""Numbered schema scripts, one folder per dialect; each is applied once, in order."""

from __future__ import annotations

from importlib.resources import files

from pckv.base.errors import StoreError
from pckv.store.sql.transactions import Transaction


def load_scripts(dialect: str) -> list[str]:
    """Return the scripts of a dialect, from number 1 on."""
    folder = files("pckv.store") / "schema" / dialect
    numbers = sorted(int(path.name.removesuffix(".sql")) for path in folder.iterdir())
    return [(folder / f"{number}.sql").read_text("utf-8") for number in numbers]


def migrate(tx: Transaction, dialect: str) -> None:
    """Migrate a schema to this release; the caller holds the lock that others wait for."""
    tx.script("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
    scripts = load_scripts(dialect)
    version = _version(tx)
    _refuse_newer(version, len(scripts))
    for number, script in enumerate(scripts[version:], version + 1):
        tx.script(script)
        tx.change("INSERT INTO schema_version VALUES ($1)", number)


def check_version(tx: Transaction, dialect: str) -> None:
    """Refuse a schema other than the one that this release works with."""
    known = len(load_scripts(dialect))
    version = _version(tx)
    _refuse_newer(version, known)
    if version < known:
        raise StoreError(
            f"the store has schema {version}, and this release needs {known}: start the collector"
        )


def _version(tx: Transaction) -> int:
    return int(tx.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0][0])


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StoreError(
            f"the store has schema {version}, and this release knows {known}: use a newer release"
        )
