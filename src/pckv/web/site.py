"""The site: a collector's application with its pages."""

from __future__ import annotations

import time
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
from pckv.web import dashboard, help_pages, links, new_task, results, sign_in, static_files
from pckv.web.chart_script import ChartScript
from pckv.web.problem_page import problem_page

# What every answer says.
SECURITY_HEADERS = {
    "content-security-policy": static_files.policy_text(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def create_site(
    store: Store,
    settings: Settings,
    worker: Worker = ONLY_WORKER,
    clock: Callable[[], str] = utc_today,
    now: Callable[[], float] = time.time,
) -> CollectorApp:
    """Return a collector's application with the pages of operators and participants."""
    app = create_app(store, settings, worker, clock, now)
    app.state.static_files = static_files.load_files()
    app.state.chart_script = ChartScript()
    app.state.public_results = results.PublicResults()
    for part in (static_files, help_pages, sign_in, dashboard, links, new_task, results):
        app.include_router(part.router)
    app.gateway.answer_headers += [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
    app.state.problem_page = problem_page
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
