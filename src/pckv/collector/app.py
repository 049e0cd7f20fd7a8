"""The application: routes, limits and problems put together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from pckv import __version__
from pckv.collector import estimates, tasks, uploads
from pckv.collector.auth import PUBLIC, Guard
from pckv.collector.cors import AnyOrigin
from pckv.collector.limits import Limits
from pckv.collector.logs import log
from pckv.collector.maintenance import keep_up
from pckv.collector.metrics import Metrics
from pckv.collector.problem_details import BY_STATUS, URN, Problem, ProblemKind, answer, documented
from pckv.collector.report_writer import Batcher
from pckv.collector.settings import Settings
from pckv.collector.state import Collector, collector, today
from pckv.collector.tallies import Tallies
from pckv.errors import StoreError
from pckv.store.base import Outcome, Store, Upload

PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "enum": sorted(URN + kind.value.name for kind in ProblemKind)},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}

# What can be wrong with any request, whatever it asks for.
ANYWHERE = (ProblemKind.SLOW, ProblemKind.TOO_LARGE, ProblemKind.MEDIA, ProblemKind.TOO_OFTEN)


def create_app(store: Store, settings: Settings, clock: Callable[[], str] = today) -> FastAPI:
    """An application over a store that is ready."""
    here = _collector(store, settings, clock)
    guard = Guard(store)
    app = FastAPI(
        title="pckv collector",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        dependencies=[Depends(guard)],
        lifespan=_lifespan,
    )
    app.state.collector, app.state.guard = here, guard
    for router in (uploads.router, tasks.router, estimates.router):
        app.include_router(router)
    _add_operations(app)
    app.add_exception_handler(Problem, answer)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _by_status)
    app.add_exception_handler(StoreError, _unavailable)
    app.add_middleware(
        Limits,
        body_bytes=settings.body_bytes,
        body_seconds=settings.body_seconds,
        rate=settings.rate,
    )
    app.add_middleware(AnyOrigin)
    return app


def _collector(store: Store, settings: Settings, clock: Callable[[], str]) -> Collector:
    def write(batch: list[Upload]) -> list[list[Outcome]]:
        start = time.perf_counter()
        outcomes = store.add_reports(batch)
        metrics.commit_seconds.observe(time.perf_counter() - start)
        return outcomes

    batcher = Batcher(
        write,
        most_reports=settings.batch_reports,
        delay=settings.batch_delay / 1000,
        most_waiting=settings.queue_reports,
    )
    metrics = Metrics(lambda: batcher.waiting)
    return Collector(store, settings, batcher, metrics, Tallies(store), clock)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    here: Collector = app.state.collector
    here.batcher.start()
    upkeep = asyncio.create_task(keep_up(here))
    log("ready")
    yield
    upkeep.cancel()
    with suppress(asyncio.CancelledError):
        await upkeep
    await here.batcher.drain()
    log("stopped")


def _add_operations(app: FastAPI) -> None:
    @app.get("/healthz", summary="Whether the process answers", tags=["operations"])
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get(
        "/readyz",
        summary="Whether the store answers",
        tags=["operations"],
        responses=documented(ProblemKind.OVERLOADED),
    )
    async def readyz(request: Request) -> dict[str, str]:
        await asyncio.to_thread(collector(request).store.ping)
        return {"status": "ok"}

    @app.get(
        "/metrics",
        summary="Prometheus metrics",
        tags=["operations"],
        response_class=Response,
        responses={
            200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}},
            **documented(*tasks.ADMINISTRATION),
        },
    )
    async def metrics(request: Request) -> Response:
        return Response(collector(request).metrics.page(), media_type="text/plain; version=0.0.4")

    @app.get("/openapi.json", include_in_schema=False)
    async def document() -> JSONResponse:
        return JSONResponse(openapi(app))


def openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document with our problems in the place of its own validation errors, and who may do what."""
    document = app.openapi()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    anywhere = {str(status): described for status, described in documented(*ANYWHERE).items()}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            operation["responses"].pop("422", None)
            operation["responses"] |= anywhere
            if (method.upper(), path) not in PUBLIC:
                operation["security"] = [{"token": []}]
    return document


async def _malformed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])
    return Problem(ProblemKind.MALFORMED, f"{place}: {first['msg']}").response()


async def _by_status(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    kind = BY_STATUS.get(error.status_code, ProblemKind.MALFORMED)
    return Problem(kind).response(error.headers)


async def _unavailable(_: Request, error: Exception) -> JSONResponse:
    log("store_failed", reason=str(error))
    return Problem(ProblemKind.OVERLOADED, "the store does not answer").response()
