"""In front of all routes: from its head alone a request is checked, routed and authorised; then its body is read.

Turns: requests other than uploads begin a few at a time, so that uploads do not wait until all of them have begun.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pckv.base.errors import StoreError
from pckv.collector.http.answers import AnswerSender, Header
from pckv.collector.http.auth import PUBLIC, Guard, Route
from pckv.collector.http.cors import ANY_ORIGIN, is_client_request
from pckv.collector.http.logs import log
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, handle_store_error
from pckv.collector.http.rate_limit import RateLimit
from pckv.collector.http.request_bodies import RequestBody, has_body
from pckv.collector.state import Collector

# What begins between two looks at what arrived meanwhile; each takes up to a millisecond.
MAX_STARTS_PER_ROUND = 2


class Turns:
    """A queue of requests, of which some begin in each round of the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._scheduled = False

    async def wait(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._start_some)
        await turn

    def _start_some(self) -> None:
        for _ in range(min(MAX_STARTS_PER_ROUND, len(self._waiting))):
            turn = self._waiting.popleft()
            # Whoever stopped waiting has cancelled it.
            if not turn.done():
                turn.set_result(None)
        self._scheduled = bool(self._waiting)
        if self._scheduled:
            asyncio.get_running_loop().call_soon(self._start_some)


# The largest body in bytes by route: what only a token's owner may send is bounded by the settings.
BODY_LIMITS: Mapping[Route, int | None] = {
    ("POST", "/tasks"): None,
    ("POST", "/series"): None,
    ("POST", "/tasks/new"): None,
    ("POST", "/tasks/{task_id}/estimates"): None,
    ("POST", "/tasks/{task_id}/chart"): None,
    ("POST", "/session"): 4 * 2**10,
}
# The body of any other route is small, or ignored.
MAX_SMALL_BYTES = 2**10


class RouteMatch(NamedTuple):
    """The method and path of a route as it is declared, and what the path of a request says in its place."""

    route: Route
    path_params: dict[str, Any]


class RouteTable:
    """The routes of an application, in the order in which it tries them."""

    def __init__(self, app: FastAPI) -> None:
        self._by_method: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for context in iter_route_contexts(app.routes):
            for method in context.methods or ():
                self._by_method.setdefault(method, []).append((context.path_regex, str(context.path)))

    def find(self, method: str, path: str) -> RouteMatch:
        """Return the route of a request, or raise the problem that there is none."""
        for pattern, declared in self._by_method.get(method, ()):
            if match := pattern.match(path):
                return RouteMatch((method, declared), match.groupdict())
        allowed = [
            other
            for other, routes in self._by_method.items()
            if any(pattern.match(path) for pattern, _ in routes)
        ]
        if allowed:
            raise ProblemDetails(ProblemKind.WRONG_METHOD, headers={"Allow": ", ".join(sorted(allowed))})
        raise ProblemDetails(ProblemKind.UNKNOWN)


class Gateway:
    """In front of an application, and the only way to its routes."""

    def __init__(self, app: ASGIApp, *, rate: int, endpoints: Mapping[Route, ASGIApp]) -> None:
        self._app, self._endpoints = app, endpoints
        self._rate = RateLimit(rate) if rate else None
        self._routes: RouteTable | None = None
        self._turns = Turns()
        # What every answer says.
        self.answer_headers: list[Header] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a problem."""
        incoming = _Incoming(receive)
        collector: Collector = scope["app"].state.collector
        headers = [*self.answer_headers, *ANY_ORIGIN] if is_client_request(scope) else self.answer_headers
        with collector.budget.lease() as lease:
            answer = AnswerSender(scope, receive, send, lease, headers)
            try:
                await self._pass_on(scope, incoming, answer)
            except ProblemDetails as problem:
                # The rest of a body is not waited for: it could come for ever.
                unread = has_body(scope) and not incoming.complete
                await problem.response({"Connection": "close"} if unread else None)(scope, receive, answer)
            except StoreError as error:
                await (await handle_store_error(Request(scope), error))(scope, receive, answer)
            except ClientDisconnect:
                return
            except Exception as error:
                # A bug, whose text could hold what people sent. What it was about may be tried again later.
                log("request_failed", kind=type(error).__name__)
                if answer.started:
                    raise
                failure = ProblemDetails(ProblemKind.OVERLOADED, "an unexpected error, which is in the log")
                await failure.response({"Connection": "close"})(scope, receive, answer)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._check_head(scope)
        if self._routes is None:
            self._routes = RouteTable(scope["app"])
        route, scope["path_params"] = self._routes.find(scope["method"], scope["path"])
        if route not in self._endpoints:
            await self._turns.wait()
        if route not in PUBLIC:
            guard: Guard = scope["app"].state.guard
            await guard.authorise(route, Request(scope))
        if endpoint := self._endpoints.get(route):
            await endpoint(scope, receive, send)
        elif has_body(scope):
            await self._pass_on_body(route, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _pass_on_body(self, route: Route, scope: Scope, receive: Receive, send: Send) -> None:
        collector: Collector = scope["app"].state.collector
        limit = BODY_LIMITS.get(route, MAX_SMALL_BYTES)
        max_bytes = collector.settings.body_bytes if limit is None else limit
        async with RequestBody(scope, receive, collector.budget, max_bytes) as body:
            await self._app(scope, body.replay(), send)

    def _check_head(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            if name == b"content-encoding" and value != b"identity":
                raise ProblemDetails(ProblemKind.MEDIA, "content encodings are not taken")
        if self._rate and scope.get("client") and not self._rate.admits(scope["client"][0]):
            raise ProblemDetails(ProblemKind.TOO_OFTEN)


class _Incoming:
    """The receiving end of a request, which knows whether the body has arrived whole."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.complete = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self.complete = not message.get("more_body", False)
        return message
