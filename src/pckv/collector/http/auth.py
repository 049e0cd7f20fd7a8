"""Who may do what: only the administrator may use a route that is not listed in this module."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fastapi import Request

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.http.rate_limit import FailedTokens
from pckv.collector.http.sessions import COOKIES, HEADER, HEADER_VALUE, Sessions
from pckv.collector.http.tokens import environment_token, token_hash
from pckv.store.base import Role, Session, Store

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

T = TypeVar("T")

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
        ("GET", "/series/{series_id}"),
        ("OPTIONS", "/series/{series_id}"),
        # Known to nobody unless the administrator made it public.
        ("GET", "/tasks/{task_id}/results"),
        # Pages and what they load hold nothing secret: they request what they show afterwards.
        ("GET", "/"),
        ("GET", "/favicon.ico"),
        ("GET", "/join/{task_id}"),
        ("GET", "/results/{task_id}"),
        ("GET", "/static/{path:path}"),
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
        ("POST", "/tasks/{task_id}/estimates"),
        ("GET", "/tasks/{task_id}/discovery"),
        ("GET", "/tasks/{task_id}/reports"),
        ("GET", "/series"),
        ("GET", "/series/{series_id}/rounds"),
        ("GET", "/series/{series_id}/rounds/{number}"),
        ("GET", "/series/{series_id}/trend"),
        ("GET", "/overview"),
        ("GET", "/tasks/{task_id}/overview"),
        ("GET", "/tasks/{task_id}/chart"),
        ("POST", "/tasks/{task_id}/chart"),
        ("GET", "/tasks/{task_id}/precision"),
        ("GET", "/tasks/{task_id}/qr.svg"),
        ("GET", "/tasks/{task_id}/key"),
        ("GET", "/tasks/{task_id}/key/levels"),
        ("DELETE", "/session"),
    }
)


class Guard:
    """Checks the token, or the session, of every request that is not public."""

    def __init__(self, store: Store, threads: ThreadPoolExecutor) -> None:
        self._store, self._threads = store, threads
        self.sessions = Sessions(store)
        self._failed_tokens = FailedTokens()
        token = environment_token()
        self._environment_hash = token_hash(token) if token else None

    async def authorise(self, route: Route, request: Request) -> None:
        """Admit a request to a route that is not public from its head, or refuse it."""
        role = await self.in_thread(self._role_of, request)
        if role is None:
            raise ProblemDetails(ProblemKind.BAD_TOKEN)
        if role is Role.ANALYST and route not in ANALYSTS:
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

        Tokens of the store are random, and nobody guesses one: they are looked up in any case, so that wrong tokens
        from an address that many share, as behind a proxy, keep nobody out. The environment's is the operator's own.
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
