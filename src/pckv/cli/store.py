"""`pckv store` and `pckv token`: what an operator does with the store of a collector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pckv.cli.common import FilePath, force_option
from pckv.cli.terminal import progress_bar
from pckv.errors import DataError, require
from pckv.store import open_store
from pckv.store.base import Role, Store
from pckv.store.checks import check_store

store_option = click.option(
    "--store",
    "address",
    default="sqlite:///pckv.db",
    show_default=True,
    envvar="PCKV_STORE",
    help="sqlite:///FILE or postgresql://…",
)


@contextmanager
def _opened(address: str) -> Iterator[Store]:
    """Open a store that exists, and close it at the end."""
    store = open_store(address)
    try:
        store.ping()
        yield store
    finally:
        store.close()


@click.group("store", short_help="Look after the store of a collector.")
def store_group() -> None:
    """Look after the store of a collector."""


@store_group.command("check", short_help="Check that a store is sound and its tallies are right.")
@store_option
def check_command(address: str) -> None:
    """Check a store: is it sound, and are its tallies those of its reports?"""
    with _opened(address) as store:
        problems = check_store(store)
        pending = store.pending_erasures()
    for problem in problems:
        click.echo(problem)
    for task_id in pending:
        click.echo(f"task {task_id}: erasure pending, deleted reports may still be in the database's files")
    if problems:
        raise DataError(f"{len(problems)} problems in the store")
    click.echo("the store is sound, and its tallies are those of its reports")


@store_group.command("backup", short_help="Copy a store to a file, while it is in use.")
@click.argument("path", metavar="FILE", type=FilePath)
@store_option
@force_option
def backup_command(path: Path, address: str, force: bool) -> None:
    """Copy a SQLite store, as of one moment, to FILE, which only its owner can read (mode 0600).

    The collector may go on meanwhile. To restore, stop the collector and put FILE in the store's place. Whoever has
    FILE has all reports: keep it as safe as the store, and delete it when the reports in it must be gone.
    """
    with _opened(address) as store, progress_bar("Copying the store") as progress:
        store.backup(path, force=force, progress=progress)
    click.echo(f"written to {path}")


@click.group("token", short_help="Make tokens for the people who run a collection.")
def token_group() -> None:
    """Make tokens for the people who run a collection."""


@token_group.command("new", short_help="Replace the administrator's token, or make a read-only one.")
@store_option
@click.option(
    "--analyst", is_flag=True, help="A further token that only reads, instead of the administrator's."
)
@click.option("--token-file", type=FilePath, help="Write the token here (mode 0600) instead of showing it.")
def new_token_command(address: str, analyst: bool, token_file: Path | None) -> None:
    """Replace the administrator's token, or make a read-only one; it is shown this once."""
    require("fastapi", extra="serve")
    from pckv.collector.auth import new_token, token_hash, write_token  # noqa: PLC0415

    token = new_token()
    with _opened(address) as store:
        if token_file is not None:
            write_token(token_file, token)
        store.set_token(Role.ANALYST if analyst else Role.ADMINISTRATOR, token_hash(token))
    click.echo(f"written to {token_file}" if token_file else token)
