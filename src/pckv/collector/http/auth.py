"""Who sends a request: tokens and sessions. What each may do is declared with the routes; see `policy`.

A session is a random cookie, whose hash is in the store. It ends when its user signs out, after some hours,
or when its token is replaced or revoked.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from pckv.collector.http.policy import Access
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.http.rate_limit import FailedTokens
from pckv.collector.http.tokens import environment_token, token_hash
from pckv.store.base import Role, Session
from pckv.store.store import Store

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

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now

    def start(self, role: Role, token_hash: bytes) -> str:
        """Start a session, and return a cookie for the sender of a token."""
        cookie = secrets.token_urlsafe(COOKIE_BYTES)
        self._store.add_session(Session(_hash(cookie), token_hash, role, int(self._now()) + SECONDS))
        return cookie

    def find(self, cookie: str) -> Session | None:
        """Return the session that a cookie stands for, if it has not ended."""
        session = self._store.find_session(_hash(cookie)) if cookie else None
        return session if session is not None and session.expires > self._now() else None

    def end(self, cookie: str) -> None:
        """End the session that a cookie stands for."""
        self._store.end_session(_hash(cookie))


def _hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode(errors="surrogatepass")).digest()


class Guard:
    """Checks the token, or the session, of every request that is not public."""

    def __init__(self, store: Store, threads: ThreadPoolExecutor) -> None:
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
            if session is not None and self._find_role(session.token) is session.role:
                return session
        return None

    def _find_role(self, given: bytes) -> Role | None:
        """Return whom the token with a hash authorises, now."""
        if given == self._environment_hash:
            return Role.ADMINISTRATOR
        return self._find_stored_role(given)

    def _find_stored_role(self, given: bytes) -> Role | None:
        role = self._store.find_role(given)
        # An administrator's token from the environment replaces the stored one.
        return None if role is Role.ADMINISTRATOR and self._environment_hash else role


def check_own_page(request: Request) -> None:
    """Refuse a request that a page of another site could have made a browser send."""
    if request.headers.get(HEADER) != HEADER_VALUE:
        raise ProblemDetails(
            ProblemKind.FORBIDDEN, f"a request by cookie needs the header {HEADER}: {HEADER_VALUE}"
        )
