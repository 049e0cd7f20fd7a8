"""The site: a collector's application with its pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Thread

from fastapi import FastAPI
from starlette.types import Lifespan

from pckv.base.days import utc_today
from pckv.collector.app import CollectorApp, create_app
from pckv.collector.http.settings import Settings
from pckv.collector.workers import ONLY_WORKER, Worker
from pckv.store.store import Store
from pckv.web import keys, new_task, overview, precision, qr_code, results, sign_in, static_files
from pckv.web.chart_script import ChartScript
from pckv.web.security_headers import ENCODED_HEADERS


def create_site(
    store: Store, settings: Settings, clock: Callable[[], str] = utc_today, worker: Worker = ONLY_WORKER
) -> CollectorApp:
    """Return a collector's application with the pages of operators and participants."""
    app = create_app(store, settings, clock, worker)
    app.state.static_files = static_files.load_files()
    app.state.chart_script = ChartScript()
    app.state.public_results = results.PublicResults()
    for part in (static_files, sign_in, overview, qr_code, precision, keys, new_task, results):
        app.include_router(part.router)
    app.gateway.answer_headers += ENCODED_HEADERS
    app.router.lifespan_context = _with_warm_up(app.router.lifespan_context)
    return app


def _with_warm_up(lifespan: Lifespan[FastAPI]) -> Lifespan[FastAPI]:
    """Extend the lifespan: bundle the chart script in the background at start."""

    @asynccontextmanager
    async def warmed(app: FastAPI) -> AsyncIterator[None]:
        Thread(target=app.state.chart_script.warm, daemon=True).start()
        async with lifespan(app):
            yield

    return warmed
