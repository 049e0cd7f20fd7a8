"""The gateway of all routes: it checks, routes and authorises a request by its head, then reads its body.

Requests other than uploads take turns: a few begin at a time, so that uploads do not wait until all of them
have begun.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pckv.base.errors import StoreError
from pckv.collector.http.auth import Guard
from pckv.collector.http.bodies import AnswerSender, ByteBudget, Header, RequestBody, has_body
from pckv.collector.http.logs import log
from pckv.collector.http.policy import ANY_ORIGIN, Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, handle_store_error, problem_answer
from pckv.collector.http.rate_limit import RateLimit
from pckv.collector.http.settings import ServiceSettings

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
            # A request that stopped waiting has cancelled it.
            if not turn.done():
                turn.set_result(None)
        self._scheduled = bool(self._waiting)
        if self._scheduled:
            asyncio.get_running_loop().call_soon(self._start_some)


class Route(NamedTuple):
    """A route as it is declared: method, path, what it allows, and what answers its requests."""

    method: str
    path: str
    pattern: re.Pattern[str]
    policy: Policy
    endpoint: Callable[..., Any]


def routes_of(app: FastAPI) -> Iterator[Route]:
    """Yield the routes of an application, in the order in which it tries them."""
    for context in iter_route_contexts(app.routes):
        # Anything else, such as a mounted application, would bypass the guard.
        if not isinstance(context.original_route, APIRoute):
            raise TypeError(f"not a route with a policy: {context.path}")
        endpoint = context.original_route.endpoint
        for method in context.methods or ():
            policy = getattr(endpoint, "policy", Policy())
            yield Route(method, str(context.path), context.path_regex, policy, endpoint)


class RouteTable:
    """The routes of an application by their methods."""

    def __init__(self, app: FastAPI) -> None:
        self._by_method: dict[str, list[Route]] = {}
        for route in routes_of(app):
            self._by_method.setdefault(route.method, []).append(route)

    def find(self, method: str, path: str) -> tuple[Route, dict[str, Any]]:
        """Return the route of a request and the parameters in its path, or raise that there is none."""
        for route in self._by_method.get(method, ()):
            if match := route.pattern.match(path):
                return route, match.groupdict()
        allowed = [
            other for other, routes in self._by_method.items() if any(route.pattern.match(path) for route in routes)
        ]
        if allowed:
            raise ProblemDetails(ProblemKind.WRONG_METHOD, headers={"Allow": ", ".join(sorted(allowed))})
        raise ProblemDetails(ProblemKind.UNKNOWN)


class Gateway:
    """In front of an application, and the only way to its routes."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, budget: ByteBudget, guard: Guard) -> None:
        self._app, self._settings, self._budget, self._guard = app, settings, budget, guard
        self._rate = RateLimit(settings.requests_per_second) if settings.requests_per_second else None
        self._routes: RouteTable | None = None
        self._turns = Turns()
        # What every answer says.
        self.answer_headers: list[Header] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a problem."""
        incoming = _Incoming(receive)
        with self._budget.lease() as lease:
            answer = AnswerSender(scope, receive, send, lease, self.answer_headers)
            try:
                await self._pass_on(scope, incoming, answer)
            except ProblemDetails as problem:
                # The rest of a body is not waited for: it could come for ever.
                unread = has_body(scope) and not incoming.complete
                closing = {"Connection": "close"} if unread else None
                await problem_answer(Request(scope), problem, closing)(scope, receive, answer)
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
                await problem_answer(Request(scope), failure, {"Connection": "close"})(scope, receive, answer)

    async def _pass_on(self, scope: Scope, receive: Receive, answer: AnswerSender) -> None:
        if self._routes is None:
            self._routes = RouteTable(scope["app"])
        route, scope["path_params"] = self._routes.find(scope["method"], scope["path"])
        if route.policy.any_origin:
            answer.headers.extend(ANY_ORIGIN)
        self._check_head(scope)
        if not route.policy.direct:
            await self._turns.wait()
        if route.policy.access is not Access.PUBLIC:
            await self._guard.authorise(route.policy.access, Request(scope))
        if route.policy.direct:
            response = await route.endpoint(request=Request(scope, receive), **scope["path_params"])
            await response(scope, receive, answer)
        elif has_body(scope):
            limit = route.policy.max_bytes
            max_bytes = self._settings.body_bytes if limit is None else limit
            async with RequestBody(scope, receive, self._budget, max_bytes) as body:
                await self._app(scope, body.replay(), answer)
        else:
            await self._app(scope, receive, answer)

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
