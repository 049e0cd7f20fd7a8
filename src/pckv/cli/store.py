"""`pckv store` and `pckv token`: what an operator does with the store of a collector, or with a mixer's tokens."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from pckv.base.errors import DataError, StoreError, require
from pckv.base.words import plural
from pckv.cli.common import FilePath, force_option, json_option, print_json, progress_bar, wide_option
from pckv.cli.table import print_table
from pckv.store import open_store
from pckv.store.base import Role
from pckv.store.checks import check_store
from pckv.store.contract_store import ContractStore
from pckv.store.store import Store

# Long enough that no two tokens share an id by chance.
TOKEN_ID_LENGTH = 12

store_option = click.option(
    "--store",
    "address",
    default="sqlite:///pckv.db",
    show_default=True,
    envvar="PCKV_STORE",
    help="sqlite:///FILE or postgresql://…",
)
mixer_store_option = click.option(
    "--mixer-store", help="Instead of --store: the store of a mixer, whose administrator is its operator."
)


@contextmanager
def _opened(address: str) -> Iterator[Store]:
    """Open the store of a collector that exists, and close it at the end."""
    with closing(open_store(address)) as store:
        _check(store, "a collector")
        yield store


@contextmanager
def _with_tokens(address: str, mixer_store: str | None) -> Iterator[ContractStore]:
    """Open the store of a collector or, where one is named, of a mixer, and close it at the end."""
    if mixer_store is None:
        with _opened(address) as store:
            yield store
        return
    from pckv.mixing.open_store import open_mixer_store  # noqa: PLC0415

    with closing(open_mixer_store(mixer_store)) as mixer:
        _check(mixer, "a mixer")
        yield mixer


def _check(store: ContractStore, whose: str) -> None:
    try:
        store.ping()
    except StoreError as error:
        # Collectors and mixers keep the version of their tables in tables of their own.
        if store.versions in str(error):
            raise StoreError(f"this is not the store of {whose} ({error})") from None
        raise


@click.group("store")
def store_command() -> None:
    """Maintain the store of a collector."""


@store_command.command("check", short_help="Check that a store is sound and its tallies are right.")
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
        raise DataError(f"{plural(len(problems), 'problem')} in the store")
    click.echo("the store is sound, and its tallies are those of its reports")


@store_command.command("backup", short_help="Copy a store to a file, while it is in use.")
@click.argument("path", metavar="FILE", type=FilePath)
@store_option
@force_option
def backup_command(path: Path, address: str, force: bool) -> None:
    """Copy a SQLite store, as of one moment, to FILE, which only its owner can read (mode 0600).

    The collector may keep running. To restore, stop the collector and put FILE in the store's place. FILE has
    all reports: keep it as safe as the store, and delete it when its reports must be gone.
    """
    with _opened(address) as store, progress_bar("Copying the store") as progress:
        store.backup(path, force=force, progress=progress)
    click.echo(f"written to {path}")


@click.group("token")
def token_command() -> None:
    """Make, list and revoke the tokens of the people who run a collection."""


@token_command.command("new", short_help="Replace the administrator's token, or make a read-only one.")
@store_option
@mixer_store_option
@click.option("--analyst", is_flag=True, help="A further token that only reads, instead of the administrator's.")
@click.option("--token-file", type=FilePath, help="Write the token here (mode 0600) instead of showing it.")
def new_token_command(address: str, mixer_store: str | None, analyst: bool, token_file: Path | None) -> None:
    """Replace the administrator's token, or make a read-only one; it is shown this once."""
    require("fastapi", extra="serve")
    from pckv.collector.http.auth import new_token, token_hash, write_token  # noqa: PLC0415

    token = new_token()
    with _with_tokens(address, mixer_store) as store:
        if token_file is not None:
            write_token(token_file, token)
        store.set_token(Role.ANALYST if analyst else Role.ADMINISTRATOR, token_hash(token))
    click.echo(f"written to {token_file}" if token_file else token)


class _ListedToken(NamedTuple):
    """A token as it is listed: `id` is the beginning of its hash, which is not enough to sign in."""

    role: Role
    id: str
    sessions: int
    place: str


def _list_tokens(store: ContractStore) -> dict[bytes, _ListedToken]:
    """Return the stored tokens by their hashes, and the environment's if it has sessions."""
    sessions = store.count_sessions(int(time.time()))
    stored = {token: role for role, token in reversed(store.tokens())}
    places = {token: "store" if token in stored else "environment" for token in [*stored, *sessions]}
    return {
        token: _ListedToken(
            stored.get(token, Role.ADMINISTRATOR),
            token.hex()[:TOKEN_ID_LENGTH],
            sessions.get(token, 0),
            place,
        )
        for token, place in sorted(places.items())
    }


@token_command.command("list", short_help="List all tokens: role, id and number of sessions.")
@store_option
@mixer_store_option
@json_option
@wide_option
def list_tokens_command(address: str, mixer_store: str | None, as_json: bool) -> None:
    """List all tokens by role, with the ids that pckv token revoke takes, and how many sessions each has.

    A token itself cannot be shown: only its hash is stored. One that the collector's environment names
    (PCKV_ADMIN_TOKEN) is listed while it has sessions.
    """
    with _with_tokens(address, mixer_store) as store:
        listed = sorted(_list_tokens(store).values())
    if as_json:
        print_json([token._asdict() for token in listed])
        return
    rows = [(token.role, token.id, token.place, f"{token.sessions:,}") for token in listed]
    print_table("", ("role", "id", "place", "sessions"), rows, texts=3)


@token_command.command("revoke", short_help="Make a token invalid, and end its sessions.")
@click.argument("token_id", metavar="ID")
@store_option
@mixer_store_option
@click.option("--force", is_flag=True, help="Revoke the administrator's token, too.")
def revoke_token_command(token_id: str, address: str, mixer_store: str | None, force: bool) -> None:
    """Make the token with an ID of pckv token list invalid at once, and end all its sessions.

    There is one administrator's token, so revoking it takes --force: pckv token new replaces it instead.
    Once it is revoked, only a token in the collector's environment, or a new one, administers the collector.
    """
    with _with_tokens(address, mixer_store) as store:
        found = [(token, listed) for token, listed in _list_tokens(store).items() if listed.id == token_id]
        if len(found) != 1:
            raise DataError(f"{token_id!r} is not the id of one token: pckv token list shows them")
        [(token, listed)] = found
        if listed.role is Role.ADMINISTRATOR and listed.place == "store" and not force:
            raise DataError("this is the administrator's token: pckv token new replaces it, --force revokes it")
        store.revoke_token(token)
    what = "revoked" if listed.place == "store" else "still in the collector's environment"
    click.echo(f"{token_id}  {what}; sessions ended: {listed.sessions:,}")
