"""Who may do what: every route is the administrator's alone unless it is listed here."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
import sys
from pathlib import Path

from fastapi import Request

from pckv.collector.problem_details import Problem, ProblemKind
from pckv.collector.sessions import COOKIE, HEADER, HEADER_VALUE, Session, Sessions, fingerprint
from pckv.errors import ParameterError
from pckv.store.base import Role, Store

ENVIRONMENT = "PCKV_ADMIN_TOKEN"
TOKEN_BYTES = 32
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

Route = tuple[str, str]

PUBLIC: frozenset[Route] = frozenset(
    {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/openapi.json"),
        ("GET", "/tasks/{task_id}"),
        ("OPTIONS", "/tasks/{task_id}"),
        ("POST", "/tasks/{task_id}/reports"),
        ("OPTIONS", "/tasks/{task_id}/reports"),
        # Pages and what they load hold nothing secret: all they show is asked for afterwards.
        ("GET", "/"),
        ("GET", "/favicon.ico"),
        ("GET", "/join/{task_id}"),
        ("GET", "/static/{name}"),
        ("GET", "/client/{path:path}"),
        ("GET", "/vega.js"),
        # To sign in takes a token in the body, and everybody may ask who they are.
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
    """What is kept of a token; tokens are long and random, so that a plain hash is enough."""
    # Whatever JSON can hold has a hash, even half a character.
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class Guard:
    """Checks the token, or the session, of every request that is not public."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sessions = Sessions(store)
        given = os.environ.get(ENVIRONMENT)
        self._given = token_hash(given) if given else None

    async def __call__(self, request: Request) -> None:
        """Let a request pass, or refuse it."""
        found = request.scope["route"]
        # The prefix of a router is not in its routes' own paths: below one, nothing is a listed path.
        listed = found.path_regex.match(request.scope["path"])
        route = (request.method, found.path if listed else "")
        if route in PUBLIC:
            return
        role = await asyncio.to_thread(self._asker, request)
        if role is None:
            raise Problem(ProblemKind.BAD_TOKEN)
        if role is Role.ANALYST and route not in ANALYSTS:
            raise Problem(ProblemKind.FORBIDDEN)

    def _asker(self, request: Request) -> Role | None:
        authorization = request.headers.get("authorization")
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            return self.role(token.strip()) if scheme.lower() == "bearer" else None
        session = self.session(request)
        if session is not None and request.method not in SAFE_METHODS:
            check_own_page(request)
        return session.role if session else None

    def role(self, token: str) -> Role | None:
        """Who a token stands for."""
        found = token_hash(token)
        roles = [role for role, kept in self._known() if hmac.compare_digest(kept, found)]
        return min(roles, default=None)

    def session(self, request: Request) -> Session | None:
        """Who signed in, if the token of that time is still one."""
        cookie = request.cookies.get(COOKIE)
        session = self.sessions.read(cookie) if cookie else None
        if session is None:
            return None
        known = [
            role is session.role and hmac.compare_digest(fingerprint(kept), session.token)
            for role, kept in self._known()
        ]
        return session if any(known) else None

    def _known(self) -> list[tuple[Role, bytes]]:
        given = [] if self._given is None else [(Role.ADMINISTRATOR, self._given)]
        # An administrator's token from the environment takes the place of the stored one.
        return given + [
            (role, kept)
            for role, kept in self._store.tokens()
            if role is not Role.ADMINISTRATOR or self._given is None
        ]


def check_own_page(request: Request) -> None:
    """Refuse what a page of another site could have made a browser send."""
    if request.headers.get(HEADER) != HEADER_VALUE:
        raise Problem(ProblemKind.FORBIDDEN, f"a request by cookie needs the header {HEADER}: {HEADER_VALUE}")


def first_token(store: Store, token_file: str | None) -> None:
    """Make the administrator's token at the first start, and show it once."""
    if os.environ.get(ENVIRONMENT) or any(role is Role.ADMINISTRATOR for role, _ in store.tokens()):
        return
    if token_file is None and not sys.stderr.isatty():
        raise ParameterError(
            f"no administrator's token yet: set {ENVIRONMENT}, or name a --token-file to write one to"
        )
    token = new_token()
    if token_file is not None:
        write_token(Path(token_file), token)
    store.set_token(Role.ADMINISTRATOR, token_hash(token))
    if token_file is None:
        sys.stderr.write(f"The administrator's token, shown this once: {token}\n")


def write_token(path: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(token + "\n")
