"""PostgreSQL's files: rewriting tables, overwriting the log, and looking for what was deleted."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import psycopg

from pckv.store.contract_store import ContractStore

# A small PostgreSQL keeps five segments of its log for reuse.
SEGMENTS = 12


def rewrite(url: str, *tables: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table in tables:
            connection.execute(f"VACUUM FULL {table}")


def overwrite_log(url: str, store: ContractStore) -> None:
    """Let PostgreSQL write on until the log holds nothing of what was deleted, which the store must notice."""
    store.erase_deleted()
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(SEGMENTS):
            connection.execute("CHECKPOINT")
            connection.execute("SELECT pg_switch_wal()")
            store.erase_deleted()
            if not store.pending_erasures():
                return
    raise AssertionError(f"still pending after {SEGMENTS} segments of the log")


def logged(url: str, value: bytes) -> bool:
    """Return whether a file of the write-ahead log holds a value, whatever its name."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    return any(value in file.read_bytes() for file in (Path(row[0]) / "pg_wal").iterdir() if file.is_file())


def heap(url: str, table: str, value: bytes) -> bool:
    """Return whether a table's file holds a value."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SELECT pg_read_binary_file(pg_relation_filepath(%s::regclass))", [table]).fetchone()
    assert row is not None
    return value in bytes(row[0])


def server_files(url: str) -> Sequence[Path]:
    """Return all files of a server: tables, indices, the log, and whatever else it writes."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    return [path for path in Path(row[0]).rglob("*") if path.is_file()]


def rows_by_place(url: str, table: str, key: str) -> list[tuple[bytes, int]]:
    """Return the keys of a table's rows in the order in which they lie in its file, each with its transaction."""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(f"SELECT {key}, xmin::text::bigint FROM {table} ORDER BY ctid").fetchall()  # noqa: S608


def rewrite_as_stated(url: str, package: str) -> None:
    """Do what the schema of a package says about forgetting which rows came together, and in which order."""
    schema = files(package).joinpath("schema", "postgres", "1.sql").read_text(encoding="utf-8")
    statements = [line.removeprefix("--     ") for line in schema.splitlines() if line.startswith("--     ")]
    with psycopg.connect(url, autocommit=True) as connection:
        for line in statements:
            for statement in line.split("; "):
                connection.execute(statement)


def check_rewrite(url: str, package: str, came: dict[str, list[bytes]]) -> None:
    """Check that tables show what came in which order, each in a transaction of its own, until the stated rewrite.

    Args:
        url: The database.
        package: The package whose schema states the rewrite.
        came: The keys of the rows of `reports` and `invitations`, in the order of their arrival.
    """
    keys = {"reports": "id", "invitations": "hash"}
    for table, arrived in came.items():
        places = rows_by_place(url, table, keys[table])
        # The control.
        assert [key for key, _ in places] == arrived, table
        assert sorted(places, key=lambda row: row[1]) == places, table
        assert len({number for _, number in places}) == len(arrived), table
    rewrite_as_stated(url, package)
    for table, arrived in came.items():
        places = rows_by_place(url, table, keys[table])
        assert [key for key, _ in places] == sorted(arrived), table
        assert len({number for _, number in places}) == 1, f"{table}: rows show their transactions"
