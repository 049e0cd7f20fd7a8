"""The application of a mixer."""

from __future__ import annotations

import time
from collections.abc import Callable

from pckv.collector.ingest import admission
from pckv.collector.service import ServiceApp
from pckv.collector.workers import ONLY_WORKER, Worker
from pckv.mixing import operator_routes, public_routes, recipient_routes
from pckv.mixing.service import MixerService
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore


def create_mixer(
    store: MixerStore,
    settings: MixerSettings,
    worker: Worker = ONLY_WORKER,
    now: Callable[[], float] = time.time,
    elapsed: Callable[[], float] = time.monotonic,
) -> ServiceApp:
    """Return the application of a mixer, or of one of its workers, over a store whose schema is ready."""
    app = ServiceApp("pckv mixer", MixerService(store, settings, worker, now, elapsed))
    for part in (public_routes, admission, recipient_routes, operator_routes):
        app.include_router(part.router)
    # Sealed bytes are nothing that a browser should take for a page.
    app.gateway.answer_headers.append((b"x-content-type-options", b"nosniff"))
    return app
