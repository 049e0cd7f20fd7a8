"""The site: a collector with its pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Thread

from fastapi import FastAPI
from starlette.types import Lifespan

from pckv.collector.app import create_app
from pckv.collector.settings import Settings
from pckv.collector.state import today
from pckv.store.base import Store
from pckv.web import drafts, files, overview, precision, signing
from pckv.web.headers import Headers
from pckv.web.vega import Vega


def create_site(store: Store, settings: Settings, clock: Callable[[], str] = today) -> FastAPI:
    """A collector's application, and pages to run it with and to take part on."""
    if find_spec("pandas"):
        # Arrow loads it for the first table, and Altair, drawing in another thread, would look into it half loaded.
        import_module("pandas")
    app = create_app(store, settings, clock)
    app.state.files = files.load_files()
    app.state.vega = Vega()
    for router in (files.router, signing.router, overview.router, precision.router, drafts.router):
        app.include_router(router)
    app.add_middleware(Headers)
    app.router.lifespan_context = _warmed(app.router.lifespan_context)
    return app


def _warmed(lifespan: Lifespan[FastAPI]) -> Lifespan[FastAPI]:
    """Have the script for charts made by the time that somebody looks at one."""

    @asynccontextmanager
    async def warm(app: FastAPI) -> AsyncIterator[None]:
        Thread(target=app.state.vega.warm, daemon=True).start()
        async with lifespan(app):
            yield

    return warm
