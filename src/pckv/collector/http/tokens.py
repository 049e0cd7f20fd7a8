"""Tokens: how they are made, stored and written, and the administrator's first one."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pckv.base.durable import sync, write_new
from pckv.base.errors import ParameterError
from pckv.collector.http.logs import log
from pckv.collector.http.settings import TOKEN_VARIABLE
from pckv.store.base import Role
from pckv.store.store import Store

TOKEN_BYTES = 32
# A token of the environment is the operator's own: this many random characters cannot be guessed.
MIN_TOKEN_LENGTH = 32


class TokenPlace(Enum):
    """Where the administrator's token is."""

    ENVIRONMENT = "environment"
    # A start before this one created it, or another collector that started at the same time.
    EARLIER = "earlier"
    FILE = "file"
    # Nowhere yet: the command that starts the collector must show it, this once.
    NEW = "new"


@dataclass(frozen=True)
class AdministratorToken:
    """Where the administrator's token is; the token itself where it was not shown yet."""

    place: TokenPlace
    token: str = ""


def token_hash(token: str) -> bytes:
    """Return what is stored of a token; tokens are long and random, so that a plain hash is enough."""
    # Any text that JSON can hold has a hash, even a lone surrogate.
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def environment_token() -> str | None:
    """Return the administrator's token of the environment, if any; refuse one that could be guessed."""
    # Blanks around the token of a request are ignored, so this one must have none.
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token and len(token) < MIN_TOKEN_LENGTH:
        raise ParameterError(
            f"{TOKEN_VARIABLE}: a token has at least {MIN_TOKEN_LENGTH} characters, at random"
        )
    return token or None


def create_first_token(store: Store, token_file: str | None) -> AdministratorToken:
    """Create the administrator's token at the first start; return where it is.

    Of several collectors that start first on one store, exactly one creates a token. Without a file for it
    there must be a terminal where the caller can show it.
    """
    if environment_token():
        return AdministratorToken(TokenPlace.ENVIRONMENT)
    if _has_administrator(store):
        return AdministratorToken(TokenPlace.EARLIER)
    if token_file is not None:
        created = _create_in_file(store, Path(token_file))
        return AdministratorToken(TokenPlace.FILE if created else TokenPlace.EARLIER)
    if not sys.stderr.isatty():
        raise ParameterError(
            f"no administrator's token yet: set {TOKEN_VARIABLE}", code="no_administrator_token"
        )
    token = new_token()
    if store.add_first_token(token_hash(token)):
        return AdministratorToken(TokenPlace.NEW, token)
    _log_other_creator()
    return AdministratorToken(TokenPlace.EARLIER)


def _has_administrator(store: Store) -> bool:
    return any(role is Role.ADMINISTRATOR for role, _ in store.tokens())


def _create_in_file(store: Store, path: Path) -> bool:
    """Create the token in a file, which appears once the store has the token; return whether it did.

    So a collector that shares the file with others finds it only if one of them has created the token. Until
    then the token is in a temporary file, which stays there if it may be the only place that has a stored
    token.
    """
    if path.exists() and not _has_administrator(store):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    token = new_token()
    # A folder that cannot be written to is refused before anything is stored.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write_token(temporary, token)
    except OSError as error:
        # People know the name of the token file, not that of the temporary one.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    created = store.add_first_token(token_hash(token))
    if created:
        _link_token(temporary, path)
    else:
        _log_other_creator()
    temporary.unlink()
    return created


def _link_token(temporary: Path, path: Path) -> None:
    """Give a file with a stored token its name; creating a link is atomic and never replaces a file."""
    try:
        os.link(temporary, path)
    except OSError as error:
        raise ParameterError(
            f"{path}: {error.strerror}; the administrator's token is in {temporary}"
        ) from error
    sync(path.parent)


def _log_other_creator() -> None:
    log(
        "token_exists",
        reason="another collector that started at the same time created the administrator's token: "
        "it is in that collector's terminal or token file",
    )


def write_token(path: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read; it is on disk when this returns."""
    write_new(path, f"{token}\n".encode())
