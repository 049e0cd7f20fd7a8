"""The application: the parts of one collector, put together, and their routes behind the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from pckv import __version__
from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.collector.analysis import estimates, trends
from pckv.collector.analysis.estimates import DiscoveryCache, EstimateCache
from pckv.collector.analysis.tallies import Compactor, TallyCache
from pckv.collector.analysis.trends import TrendCache
from pckv.collector.computations import AnalysisThreads, Computations
from pckv.collector.contracts import series, tasks
from pckv.collector.contracts.contracts import Contracts
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
from pckv.collector.http.settings import Settings
from pckv.collector.ingest import routes as reports
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.ingest.routes import Ingest
from pckv.collector.upkeep import AlarmWatch, Maintenance
from pckv.collector.workers import ONLY_WORKER, Worker
from pckv.store.store import Store

# The names of threads that compute for analysts begin with it.
ANALYSIS = "analysis"


class CollectorThreads:
    """A small pool per kind of work, so that none waits for another.

    That of the report writer is its own, since it ends only after the last commit.
    """

    def __init__(self) -> None:
        # What the store says of tasks, tokens and invitations: uploads wait for it.
        self.lookups = ThreadPoolExecutor(4, "lookup")
        self.task_texts = ThreadPoolExecutor(1, "text")
        self.large_bodies = ThreadPoolExecutor(1, "decode")
        self.analysis = ThreadPoolExecutor(2, ANALYSIS)
        # Compacting may take seconds, while erasing must not wait.
        self.maintenance = ThreadPoolExecutor(4, "maintenance")

    def close(self) -> None:
        """End the threads once they have done what was asked of them; what analysts wait for is given up."""
        for pool in vars(self).values():
            pool.shutdown(wait=False, cancel_futures=pool is self.analysis)


class Collector:
    """The parts of one collector, or of one of its workers, over a store whose schema is ready."""

    def __init__(self, store: Store, settings: Settings, today: Callable[[], str], worker: Worker) -> None:
        self.store, self.settings = store, settings
        self.threads = CollectorThreads()
        self.metrics = Metrics(worker.cells, worker.number)
        self.budget = ByteBudget(settings.budget_bytes, settings.connections)
        self.guard = Guard(store, self.threads.lookups)
        self.compactor = Compactor(store)
        self.contracts = Contracts(store, today, self.compactor.prepare, self.threads.lookups, self.threads.task_texts)
        writer = ReportWriter(
            lambda uploads: store.add_reports(uploads, today()),
            self.metrics,
            max_batch=settings.batch_reports,
            delay=settings.batch_delay / 1000,
            max_pending=settings.queue_reports,
        )
        self.ingest = Ingest(
            self.contracts, writer, self.budget, self.metrics, settings.body_bytes, self.threads.large_bodies
        )
        self.analysis_threads = AnalysisThreads(self.threads.analysis, settings.analysis_seconds)
        tallies = TallyCache(store, self.compactor)
        self.estimates = EstimateCache(self.contracts, tallies, self.analysis_threads)
        self.discoveries = DiscoveryCache(self.contracts, tallies, self.analysis_threads)
        self.trends = TrendCache(self.contracts, self.compactor, self.analysis_threads)
        self.readiness: Computations[None] = Computations(1, lambda _: 1)
        self.alarm_watch = AlarmWatch(store, self.metrics)
        self.maintenance = Maintenance(
            self.contracts,
            self.compactor,
            self.alarm_watch,
            self.threads.maintenance,
            keep_days=settings.keep_reports,
        )


def get_collector(request: Request) -> Collector:
    """Return the collector that a request came to."""
    collector: Collector = request.app.state.collector
    return collector


CurrentCollector = Annotated[Collector, Depends(get_collector)]


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


class CollectorApp(FastAPI):
    """An application behind its gateway, which sees every request before any framework does."""

    gateway: Gateway

    def attach(self, collector: Collector) -> None:
        """Answer all further requests with the parts of a collector."""
        self.state.collector = collector
        self.gateway = Gateway(super().__call__, collector.settings, collector.budget, collector.guard)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the gateway; whatever else the server says concerns the framework alone."""
        if scope["type"] == "http":
            scope["app"] = self
            await self.gateway(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(
    store: Store, settings: Settings, worker: Worker = ONLY_WORKER, clock: Callable[[], str] = utc_today
) -> CollectorApp:
    """Return the application of a collector, or of one of its workers, over a store whose schema is ready."""
    app = CollectorApp(
        title="pckv collector",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        # Traces would hold addresses, and looking for where to send them costs every request.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        lifespan=_lifespan,
    )
    app.attach(Collector(store, settings, clock, worker))
    # Of several workers only the first compacts and deletes: two would do the same work.
    app.state.maintains = worker.number == 0
    for part in (reports, tasks, estimates, series, trends):
        app.include_router(part.router)
    app.include_router(operations)
    app.add_exception_handler(ProblemDetails, handle_problem)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(StoreError, handle_store_error)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    collector: Collector = app.state.collector
    collector.ingest.writer.start()
    if app.state.maintains:
        # Before the first request: a device that asks for a round must not hear that there is none.
        await collector.maintenance.add_due_rounds()
    maintenance = asyncio.create_task(collector.maintenance.run() if app.state.maintains else asyncio.sleep(0))
    log("ready")
    yield
    maintenance.cancel()
    # Pending reports are written even if the maintenance failed.
    await asyncio.gather(maintenance, return_exceptions=True)
    await collector.ingest.writer.drain()
    collector.threads.close()
    log("stopped")


operations = APIRouter(tags=["operations"])


@operations.get(HEALTH, summary="Whether the process answers")
@Policy(Access.PUBLIC)
async def healthz() -> dict[str, str]:
    """Return that it does."""
    return {"status": "ok"}


@operations.get("/readyz", summary="Whether the store can be written to")
@Policy(Access.PUBLIC)
async def readyz(collector: CurrentCollector) -> dict[str, str]:
    """Return that it can, or the problem that it cannot.

    Anyone may ask: one attempt to write per second answers all.
    """
    second = int(asyncio.get_running_loop().time())
    await collector.readiness.get("store", second, lambda: asyncio.to_thread(collector.store.check_writable))
    return {"status": "ok"}


@operations.get(
    "/metrics",
    summary="Prometheus metrics",
    response_class=Response,
    responses={200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
@Policy(Access.ANALYSTS)
async def metrics(collector: CurrentCollector) -> Response:
    """Return counts and times of the collector itself, nothing about people."""
    return Response(collector.metrics.page(), media_type="text/plain; version=0.0.4")


@operations.get("/openapi.json", include_in_schema=False)
@Policy(Access.PUBLIC)
async def document(request: Request) -> Response:
    """Return the OpenAPI document."""
    state = request.app.state
    # Made once, when all routes are there: it is public, and may be asked for any number of times.
    if not hasattr(state, "openapi_text"):
        state.openapi_text = json.dumps(openapi(request.app)).encode()
    return SharedResponse(state.openapi_text, media_type=JSON_TYPE)


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
