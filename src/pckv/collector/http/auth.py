"""Who sends a request: tokens and sessions. What each may do is declared with the routes; see `policy`.

A session is a random cookie, whose hash is in the store. It ends when its user signs out, after some hours,
or when its token is replaced or revoked.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from pckv.base.durable import sync, write_new
from pckv.base.errors import ParameterError
from pckv.collector.http.logs import log
from pckv.collector.http.policy import Access
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.http.rate_limit import FailedTokens
from pckv.collector.http.settings import TOKEN_VARIABLE
from pckv.store.base import Role, Session
from pckv.store.contract_store import ContractStore

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
        raise ParameterError(f"{TOKEN_VARIABLE}: a token has at least {MIN_TOKEN_LENGTH} characters, at random")
    return token or None


def create_first_token(store: ContractStore, token_file: str | None) -> AdministratorToken:
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
        raise ParameterError(f"no administrator's token yet: set {TOKEN_VARIABLE}", code="no_administrator_token")
    token = new_token()
    if store.add_first_token(token_hash(token)):
        return AdministratorToken(TokenPlace.NEW, token)
    _log_other_creator()
    return AdministratorToken(TokenPlace.EARLIER)


def _has_administrator(store: ContractStore) -> bool:
    return any(role is Role.ADMINISTRATOR for role, _ in store.tokens())


def _create_in_file(store: ContractStore, path: Path) -> bool:
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
        raise ParameterError(f"{path}: {error.strerror}; the administrator's token is in {temporary}") from error
    sync(path.parent)


def _log_other_creator() -> None:
    log(
        "token_exists",
        reason="another process that started at the same time created the administrator's token: "
        "it is in the terminal or the token file of that process",
    )


def write_token(path: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read; it is on disk when this returns."""
    write_new(path, f"{token}\n".encode())


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Browsers take a cookie with this prefix only over https, and only from the very host that it is for.
SECURE_COOKIE, PLAIN_COOKIE = COOKIES = "__Host-pckv_session", "pckv_session"
COOKIE_BYTES = 32
SECONDS = 12 * 3600
# No page of another site can send this header along with the cookie.
HEADER, HEADER_VALUE = "X-Pckv", "1"

T = TypeVar("T")


def get_account(request: Request) -> bytes:
    """Return whose request it is: the hash of the token that authorises it."""
    account: bytes = request.scope["account"]
    return account


Account = Annotated[bytes, Depends(get_account)]


class Sessions:
    """Starts, finds and ends sessions."""

    def __init__(self, store: ContractStore, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now

    def start(self, role: Role, token: bytes) -> str:
        """Start a session, and return a cookie for the sender of a token, given by its hash."""
        cookie = secrets.token_urlsafe(COOKIE_BYTES)
        self._store.add_session(Session(token_hash(cookie), token, role, int(self._now()) + SECONDS))
        return cookie

    def find(self, cookie: str) -> Session | None:
        """Return the session that a cookie stands for, if it has not ended."""
        session = self._store.find_session(token_hash(cookie)) if cookie else None
        return session if session is not None and session.expires > self._now() else None

    def end(self, cookie: str) -> None:
        """End the session that a cookie stands for."""
        self._store.end_session(token_hash(cookie))


class Guard:
    """Checks the token, or the session, of every request that is not public."""

    def __init__(self, store: ContractStore, threads: ThreadPoolExecutor) -> None:
        self._store, self._threads = store, threads
        self.sessions = Sessions(store)
        self._failed_tokens = FailedTokens()
        token = environment_token()
        self._environment_hash = token_hash(token) if token else None

    async def authorise(self, access: Access, request: Request) -> None:
        """Admit a request to a route that is not public from its head, or refuse it."""
        role = await self.in_thread(self._role_of, request)
        if role is None:
            raise ProblemDetails(ProblemKind.BAD_TOKEN)
        if role is Role.ANALYST and access is not Access.ANALYSTS:
            raise ProblemDetails(ProblemKind.FORBIDDEN)

    async def in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        """Do something that asks the store, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _role_of(self, request: Request) -> Role | None:
        authorization = request.headers.get("authorization")
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            request.scope["account"] = token_hash(token.strip())
            return self.role(request, token.strip()) if scheme.lower() == "bearer" else None
        session = self.session(request)
        if session is not None and request.method not in SAFE_METHODS:
            check_own_page(request)
        request.scope["account"] = session.token if session else b""
        return session.role if session else None

    def role(self, request: Request, token: str) -> Role | None:
        """Return whom a token authorises; refuse to try it if its sender sent too many wrong ones.

        Tokens of the store are random and cannot be guessed: they are looked up in any case, so that wrong
        tokens from an address that many share, as behind a proxy, keep no right one out. The environment's is
        the operator's own.
        """
        sender, given = request.client.host if request.client else "", token_hash(token)
        role = self._find_stored_role(given)
        if role is not None:
            return role
        self._failed_tokens.check(sender, given)
        right = given == self._environment_hash
        self._failed_tokens.record(sender, given, right=right)
        return Role.ADMINISTRATOR if right else None

    def session(self, request: Request) -> Session | None:
        """Return who signed in, if the token that they used is still valid."""
        for name in COOKIES:
            session = self.sessions.find(request.cookies.get(name, ""))
            if session is None:
                continue
            from_environment = session.token == self._environment_hash
            role = Role.ADMINISTRATOR if from_environment else self._find_stored_role(session.token)
            if role is session.role:
                return session
        return None

    def _find_stored_role(self, given: bytes) -> Role | None:
        role = self._store.find_role(given)
        # An administrator's token from the environment replaces the stored one.
        return None if role is Role.ADMINISTRATOR and self._environment_hash else role


def check_own_page(request: Request) -> None:
    """Refuse a request that a page of another site could have made a browser send."""
    if request.headers.get(HEADER) != HEADER_VALUE:
        raise ProblemDetails(ProblemKind.FORBIDDEN, f"a request by cookie needs the header {HEADER}: {HEADER_VALUE}")
