"""What every HTTP service has: an application behind its gateway, health, metrics, and its OpenAPI document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from pckv import __version__
from pckv.base.errors import StoreError
from pckv.collector.computations import Computations
from pckv.collector.http.auth import Guard
from pckv.collector.http.bodies import JSON_TYPE, ByteBudget, SharedResponse
from pckv.collector.http.gateway import Gateway, Route, routes_of
from pckv.collector.http.logs import log
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import (
    BY_STATUS,
    URN,
    ProblemDetails,
    ProblemKind,
    handle_problem,
    handle_store_error,
    problem_responses,
)
from pckv.collector.http.settings import ServiceSettings
from pckv.collector.workers import Worker
from pckv.store.contract_store import ContractStore


class Writer(Protocol):
    """What writes reports in the background."""

    def start(self) -> None:
        """Begin to write."""

    async def drain(self) -> None:
        """Write everything that is pending, and stop."""


class Upkeep(Protocol):
    """The work that no request asks for."""

    async def add_due_rounds(self) -> None:
        """Add the rounds of all series that are due."""

    async def run(self) -> None:
        """Do everything again and again until cancelled."""


class Threads(Protocol):
    """The threads of a service."""

    def close(self) -> None:
        """End the threads once they have done what was asked of them."""


class Service:
    """The parts that a collector and a mixer both have, over a store whose schema is ready."""

    writer: Writer
    maintenance: Upkeep
    threads: Threads

    def __init__(self, store: ContractStore, settings: ServiceSettings, worker: Worker, guard: Guard) -> None:
        self.store, self.settings, self.guard = store, settings, guard
        # Of several workers only the first compacts, releases and deletes: two would do the same work.
        self.maintains = worker.number == 0
        self.metrics = Metrics(worker.cells, worker.number)
        self.budget = ByteBudget(settings.budget_bytes, settings.connections)
        self.readiness: Computations[None] = Computations(1, lambda _: 1)


def get_service(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service


CurrentService = Annotated[Service, Depends(get_service)]


PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "enum": sorted(URN + kind.value.name for kind in ProblemKind)},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
    },
}

# What can be wrong with any request, with one that needs a token, and with one about a task or a series.
GENERAL_PROBLEMS = (ProblemKind.SLOW, ProblemKind.TOO_LARGE, ProblemKind.MEDIA, ProblemKind.TOO_OFTEN)
TOKEN_PROBLEMS = (ProblemKind.BAD_TOKEN, ProblemKind.FORBIDDEN)
PROBLEMS_BY_PARAMETER = {
    "task_id": (ProblemKind.UNKNOWN, ProblemKind.DELETED),
    "series_id": (ProblemKind.UNKNOWN,),
}
# It answers while all others wait for the store or for each other.
HEALTH = "/healthz"


operations = APIRouter(tags=["operations"])


@operations.get(HEALTH, summary="Whether the process answers")
@Policy(Access.PUBLIC)
async def healthz() -> dict[str, str]:
    """Return that it does."""
    return {"status": "ok"}


@operations.get("/readyz", summary="Whether the store can be written to")
@Policy(Access.PUBLIC)
async def readyz(service: CurrentService) -> dict[str, str]:
    """Return that it can, or the problem that it cannot.

    Anyone may ask: one attempt to write per second answers all.
    """
    second = int(asyncio.get_running_loop().time())
    await service.readiness.get("store", second, lambda: asyncio.to_thread(service.store.check_writable))
    return {"status": "ok"}


@operations.get(
    "/metrics",
    summary="Prometheus metrics",
    response_class=Response,
    responses={200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
@Policy(Access.ANALYSTS)
async def metrics(service: CurrentService) -> Response:
    """Return counts and times of the service itself, nothing about people."""
    return Response(service.metrics.page(), media_type="text/plain; version=0.0.4")


@operations.get("/openapi.json", include_in_schema=False)
@Policy(Access.PUBLIC)
async def document(request: Request) -> Response:
    """Return the OpenAPI document."""
    state = request.app.state
    # Made once, when all routes are there: it is public, and may be asked for any number of times.
    if not hasattr(state, "openapi_text"):
        state.openapi_text = json.dumps(openapi(request.app)).encode()
    return SharedResponse(state.openapi_text, media_type=JSON_TYPE)


class ServiceApp(FastAPI):
    """An application behind its gateway, which sees every request before any framework does."""

    gateway: Gateway

    def __init__(self, title: str, service: Service) -> None:
        super().__init__(
            title=title,
            version=__version__,
            docs_url=None,
            redoc_url=None,
            openapi_url=None,
            redirect_slashes=False,
            # Traces would hold addresses, and looking for where to send them costs every request.
            telemetry={"tracing": False, "metrics": False, "logs": False},
            lifespan=_lifespan,
        )
        self.attach(service)
        self.include_router(operations)
        self.add_exception_handler(ProblemDetails, handle_problem)
        self.add_exception_handler(RequestValidationError, _handle_invalid_request)
        self.add_exception_handler(HTTPException, _handle_http_error)
        self.add_exception_handler(StoreError, handle_store_error)

    def attach(self, service: Service) -> None:
        """Answer all further requests with the parts of a service."""
        self.state.service = service
        self.gateway = Gateway(super().__call__, service.settings, service.budget, service.guard)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the gateway; whatever else the server says concerns the framework alone."""
        if scope["type"] == "http":
            scope["app"] = self
            await self.gateway(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    service.writer.start()
    if service.maintains:
        # Before the first request: a device that asks for a round must not hear that there is none.
        await service.maintenance.add_due_rounds()
    maintenance = asyncio.create_task(service.maintenance.run() if service.maintains else asyncio.sleep(0))
    log("ready")
    yield
    maintenance.cancel()
    # Pending reports are written even if the maintenance failed.
    await asyncio.gather(maintenance, return_exceptions=True)
    await service.writer.drain()
    service.threads.close()
    log("stopped")


def openapi(app: FastAPI) -> dict[str, Any]:
    """Return FastAPI's document with problems instead of validation errors, and with who may do what."""
    document = app.openapi()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for route in routes_of(app):
        operation = document["paths"].get(route.path, {}).get(route.method.lower())
        if operation is not None:
            operation["responses"].pop("422", None)
            problems = problem_responses(*_possible_problems(route, operation))
            operation["responses"] |= {str(status): answer for status, answer in problems.items()}
            if route.policy.access is not Access.PUBLIC:
                operation["security"] = [{"token": []}]
    return document


def _possible_problems(route: Route, operation: dict[str, Any]) -> Iterator[ProblemKind]:
    """Yield what can be wrong with a request, besides what its route declares itself."""
    yield from GENERAL_PROBLEMS
    if route.path != HEALTH:
        yield ProblemKind.OVERLOADED
    if route.policy.access is not Access.PUBLIC:
        yield from TOKEN_PROBLEMS
    parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
    for name, kinds in PROBLEMS_BY_PARAMETER.items():
        if name in parameters:
            yield from kinds
    if parameters - PROBLEMS_BY_PARAMETER.keys() or "requestBody" in operation:
        yield ProblemKind.MALFORMED


async def _handle_invalid_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])
    detail = f"{place}: {first['msg']}" if place else str(first["msg"])
    return ProblemDetails(ProblemKind.MALFORMED, detail, field=place).response()


async def _handle_http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    kind = BY_STATUS.get(error.status_code, ProblemKind.MALFORMED)
    return ProblemDetails(kind).response(error.headers)
