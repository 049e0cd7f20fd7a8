"""The application: routes, limits and error handlers put together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from pckv import __version__
from pckv.base.days import utc_today
from pckv.base.errors import StoreError
from pckv.collector.analysis import discovery_routes, estimate_routes, trend_routes
from pckv.collector.analysis.computations import SharedComputations
from pckv.collector.analysis.discovery_cache import DiscoveryCache
from pckv.collector.analysis.estimate_cache import EstimateCache
from pckv.collector.analysis.trend_cache import TrendCache
from pckv.collector.analysis.waiting import AnalysisThreads
from pckv.collector.contracts import series_routes, task_routes
from pckv.collector.contracts.rounds import RoundMaker
from pckv.collector.contracts.task_cache import SeriesCache, TaskCache
from pckv.collector.http.answers import SharedResponse
from pckv.collector.http.auth import PUBLIC, Guard, Route
from pckv.collector.http.byte_budget import ByteBudget
from pckv.collector.http.gateway import Gateway
from pckv.collector.http.logs import log
from pckv.collector.http.metrics import Metrics
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
from pckv.collector.ingest import admission_routes, upload_routes
from pckv.collector.ingest.admission_routes import ADMISSION_ROUTE, AdmissionEndpoint
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.ingest.upload_routes import UPLOAD_ROUTE, UploadEndpoint
from pckv.collector.state import Collector, get_collector
from pckv.collector.threads import CollectorThreads
from pckv.collector.upkeep.alarms import AlarmWatch
from pckv.collector.upkeep.compaction import Compactor
from pckv.collector.upkeep.maintenance import add_due_rounds, run_maintenance
from pckv.collector.workers import ONLY_WORKER, Worker
from pckv.store.base import Store

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

# What can be wrong with any request.
GENERAL_PROBLEMS = (ProblemKind.SLOW, ProblemKind.TOO_LARGE, ProblemKind.MEDIA, ProblemKind.TOO_OFTEN)


class CollectorApp(FastAPI):
    """An application behind its gateway, which sees every request before any framework does."""

    def __init__(self, rate: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        endpoints: dict[Route, ASGIApp] = {
            UPLOAD_ROUTE: UploadEndpoint(),
            ADMISSION_ROUTE: AdmissionEndpoint(),
        }
        self.gateway = Gateway(super().__call__, rate=rate, endpoints=endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the gateway; whatever else the server says concerns the framework alone."""
        if scope["type"] == "http":
            scope["app"] = self
            await self.gateway(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(
    store: Store, settings: Settings, clock: Callable[[], str] = utc_today, worker: Worker = ONLY_WORKER
) -> CollectorApp:
    """Return the application of a collector, or of one of its workers, over a store whose schema is ready."""
    app = CollectorApp(
        settings.rate,
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
    collector = _create_collector(store, settings, clock, worker)
    app.state.collector, app.state.guard = collector, Guard(store, collector.threads.lookups)
    # Of several workers only the first compacts and deletes: two would do the same work.
    app.state.maintains = worker.number == 0
    for routes in (
        upload_routes,
        admission_routes,
        task_routes,
        estimate_routes,
        discovery_routes,
        series_routes,
        trend_routes,
    ):
        app.include_router(routes.router)
    _add_operations(app)
    app.add_exception_handler(ProblemDetails, handle_problem)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(StoreError, handle_store_error)
    return app


def _create_collector(
    store: Store, settings: Settings, clock: Callable[[], str], worker: Worker
) -> Collector:
    metrics = Metrics(worker.cells, worker.number)
    report_writer = ReportWriter(
        lambda uploads: store.add_reports(uploads, clock()),
        metrics,
        max_batch=settings.batch_reports,
        delay=settings.batch_delay / 1000,
        max_pending=settings.queue_reports,
    )
    threads, compactor = CollectorThreads(), Compactor(store)
    analysis = AnalysisThreads(threads.analysis, settings.analysis_seconds)
    estimates = EstimateCache(store, compactor, analysis)
    discoveries = DiscoveryCache(store, estimates.tallies, SharedComputations(analysis))
    caches = TaskCache(store, threads), compactor, analysis, estimates, discoveries
    budget = ByteBudget(settings.budget_bytes)
    alarms = AlarmWatch(store, metrics)
    trends = TrendCache(store, compactor, SharedComputations(analysis))
    series = SeriesCache(store, threads), RoundMaker(store, compactor), trends
    return Collector(
        store, threads, settings, report_writer, metrics, *caches, budget, alarms, *series, clock
    )


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    collector: Collector = app.state.collector
    collector.report_writer.start()
    if app.state.maintains:
        # Before the first request: a device that asks for a round must not hear that there is none.
        await add_due_rounds(collector)
    maintenance = asyncio.create_task(run_maintenance(collector) if app.state.maintains else asyncio.sleep(0))
    log("ready")
    yield
    maintenance.cancel()
    # Pending reports are written however the maintenance ended.
    await asyncio.gather(maintenance, return_exceptions=True)
    await collector.report_writer.drain()
    collector.threads.close()
    log("stopped")


def _add_operations(app: FastAPI) -> None:
    @app.get("/healthz", summary="Whether the process answers", tags=["operations"])
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get(
        "/readyz",
        summary="Whether the store answers",
        tags=["operations"],
        responses=problem_responses(ProblemKind.OVERLOADED),
    )
    async def readyz(request: Request) -> dict[str, str]:
        await asyncio.to_thread(get_collector(request).store.ping)
        return {"status": "ok"}

    @app.get(
        "/metrics",
        summary="Prometheus metrics",
        tags=["operations"],
        response_class=Response,
        responses={
            200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}},
            **problem_responses(*task_routes.ADMIN_PROBLEMS),
        },
    )
    async def metrics(request: Request) -> Response:
        return Response(get_collector(request).metrics.page(), media_type="text/plain; version=0.0.4")

    @app.get("/openapi.json", include_in_schema=False)
    async def document(request: Request) -> Response:
        state = request.app.state
        # Made once, when all routes are there: anybody may ask for it, any number of times.
        if not hasattr(state, "openapi_text"):
            state.openapi_text = json.dumps(openapi(request.app)).encode()
        return SharedResponse(state.openapi_text, media_type="application/json")


def openapi(app: FastAPI) -> dict[str, Any]:
    """Return FastAPI's document with our problems instead of its validation errors, and with who may do what."""
    document = app.openapi()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    general = {str(status): response for status, response in problem_responses(*GENERAL_PROBLEMS).items()}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            operation["responses"].pop("422", None)
            operation["responses"] |= general
            if (method.upper(), path) not in PUBLIC:
                operation["security"] = [{"token": []}]
    return document


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
