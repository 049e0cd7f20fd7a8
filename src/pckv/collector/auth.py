"""Who may do what: only the administrator may use a route that is not listed in this module."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import hmac
import os
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fastapi import Request

from pckv.collector.logs import log
from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.sessions import COOKIE, HEADER, HEADER_VALUE, Sessions
from pckv.collector.settings import TOKEN_VARIABLE
from pckv.errors import ParameterError
from pckv.store.base import Role, Session, Store

TOKEN_BYTES = 32
THREADS = 2
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

Route = tuple[str, str]

PUBLIC: frozenset[Route] = frozenset(
    {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/openapi.json"),
        ("GET", "/tasks/{task_id}"),
        ("OPTIONS", "/tasks/{task_id}"),
        ("POST", "/tasks/{task_id}/admission"),
        ("OPTIONS", "/tasks/{task_id}/admission"),
        ("POST", "/tasks/{task_id}/reports"),
        ("OPTIONS", "/tasks/{task_id}/reports"),
        # Pages and what they load hold nothing secret: they request what they show afterwards.
        ("GET", "/"),
        ("GET", "/favicon.ico"),
        ("GET", "/join/{task_id}"),
        ("GET", "/static/{name}"),
        ("GET", "/client/{path:path}"),
        ("GET", "/vega.js"),
        # Signing in takes a token in the body, and everybody may ask who they are.
        ("GET", "/session"),
        ("POST", "/session"),
    }
)
ANALYSTS: frozenset[Route] = frozenset(
    {
        ("GET", "/metrics"),
        ("GET", "/tasks/{task_id}/estimates"),
        ("GET", "/tasks/{task_id}/reports"),
        ("GET", "/overview"),
        ("GET", "/tasks/{task_id}/overview"),
        ("GET", "/tasks/{task_id}/chart"),
        ("GET", "/tasks/{task_id}/precision"),
        ("DELETE", "/session"),
    }
)


def token_hash(token: str) -> bytes:
    """Return what is stored of a token; tokens are long and random, so that a plain hash is enough."""
    # Any text that JSON can hold has a hash, even a lone surrogate.
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class Guard:
    """Checks the token, or the session, of every request that is not public."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sessions = Sessions(store)
        token = os.environ.get(TOKEN_VARIABLE)
        self._environment_hash = token_hash(token) if token else None
        # Threads of their own: nobody waits for a thread that somebody's slow work holds.
        self._threads = ThreadPoolExecutor(THREADS, "authorisation")

    async def authorise(self, route: Route, request: Request) -> None:
        """Admit a request to a route from its head, or refuse it."""
        if route in PUBLIC:
            return
        running = asyncio.get_running_loop().run_in_executor
        role = await running(self._threads, self._role_of, request)
        if role is None:
            raise ProblemDetails(ProblemKind.BAD_TOKEN)
        if role is Role.ANALYST and route not in ANALYSTS:
            raise ProblemDetails(ProblemKind.FORBIDDEN)

    def _role_of(self, request: Request) -> Role | None:
        authorization = request.headers.get("authorization")
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            request.scope["account"] = token_hash(token.strip())
            return self.role(token.strip()) if scheme.lower() == "bearer" else None
        session = self.session(request)
        if session is not None and request.method not in SAFE_METHODS:
            check_own_page(request)
        request.scope["account"] = session.token if session else b""
        return session.role if session else None

    def role(self, token: str) -> Role | None:
        """Return whom a token authorises."""
        given = token_hash(token)
        roles = [role for role, stored in self._tokens() if hmac.compare_digest(stored, given)]
        return min(roles, default=None)

    def session(self, request: Request) -> Session | None:
        """Return who signed in, if the token that they used is still valid."""
        cookie = request.cookies.get(COOKIE)
        session = self.sessions.read(cookie) if cookie else None
        if session is None:
            return None
        matches = [
            role is session.role and hmac.compare_digest(stored, session.token)
            for role, stored in self._tokens()
        ]
        return session if any(matches) else None

    def _tokens(self) -> list[tuple[Role, bytes]]:
        stored = self._store.tokens()
        if self._environment_hash is None:
            return stored
        # An administrator's token from the environment replaces the stored one.
        others = [(role, token) for role, token in stored if role is not Role.ADMINISTRATOR]
        return [(Role.ADMINISTRATOR, self._environment_hash), *others]


def check_own_page(request: Request) -> None:
    """Refuse a request that a page of another site could have made a browser send."""
    if request.headers.get(HEADER) != HEADER_VALUE:
        raise ProblemDetails(
            ProblemKind.FORBIDDEN, f"a request by cookie needs the header {HEADER}: {HEADER_VALUE}"
        )


def create_first_token(store: Store, token_file: str | None) -> None:
    """Create the administrator's token at the first start, and show it once.

    Of several collectors that start first on one store, exactly one creates and shows a token.
    """
    if os.environ.get(TOKEN_VARIABLE) or _has_administrator(store):
        return
    if token_file is not None:
        _create_in_file(store, Path(token_file))
    elif not sys.stderr.isatty():
        raise ParameterError(
            f"no administrator's token yet: set {TOKEN_VARIABLE}", code="no_administrator_token"
        )
    else:
        token = new_token()
        if store.add_first_token(token_hash(token)):
            sys.stderr.write(f"The administrator's token, shown this once: {token}\n")
        else:
            _log_other_creator()


def _has_administrator(store: Store) -> bool:
    return any(role is Role.ADMINISTRATOR for role, _ in store.tokens())


def _create_in_file(store: Store, path: Path) -> None:
    """Create the token in a new file, which appears only after the store has the token.

    So a collector that shares the file with others finds it only if one of them has created the token. Until then
    the token is in a temporary file, which stays there if it may be the only place that has a stored token.
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
    if store.add_first_token(token_hash(token)):
        _link_token(temporary, path)
    else:
        _log_other_creator()
    temporary.unlink()


def _link_token(temporary: Path, path: Path) -> None:
    """Give a file with a stored token its name; creating a link is atomic and never replaces a file."""
    try:
        os.link(temporary, path)
    except OSError as error:
        raise ParameterError(
            f"{path}: {error.strerror}; the administrator's token is in {temporary}"
        ) from error
    _sync_folder(path.parent)


def _log_other_creator() -> None:
    log(
        "token_exists",
        reason="another collector that started at the same time created the administrator's token: "
        "it is in that collector's terminal or token file",
    )


def write_token(path: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read; it is on disk when this returns."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(token + "\n")
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
