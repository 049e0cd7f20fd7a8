"""Running a collector or a mixer: a socket, a store, and an orderly shutdown."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI

from pckv.base.errors import ParameterError
from pckv.collector.computations import ANALYSIS
from pckv.collector.http.auth import AdministratorToken, create_first_token
from pckv.collector.http.logs import LibraryLogHandler, log
from pckv.collector.http.protocol import ConnectionLimits, Connections, ProtocolFactory, allowed_connections
from pckv.collector.http.settings import ServiceSettings
from pckv.collector.workers import ONLY_WORKER, Supervisor, Worker, accepting_sockets, check_workers
from pckv.store import open_store
from pckv.store.contract_store import ContractStore

# How long requests that have begun are answered after a signal to stop. Reports that wait are written even after it.
DRAIN_SECONDS = 5
# What the system holds of an answer until it is read. More would be memory for those who never read, and a
# slow reader would seem to read nothing until a third of it has arrived.
SEND_BUFFER_BYTES = 128 * 2**10
# What computations of analysts get after that to end by themselves.
SECONDS_FOR_COMPUTATIONS = 0.5
# What workers may take longer, to write what waits.
SPARE_SECONDS = 10
# Requests do not wait long for a thread that merges parts or estimates.
SWITCH_SECONDS = 0.0001
# What waits to be accepted: a burst beyond it would cost honest clients a second and more, until they try
# again.
MAX_WAITING_CONNECTIONS = 4096


# What makes the application of one worker; and what tells people that a collector listens, on which port, and
# how its administrator signs in.
CreateApp = Callable[[Any, Any, Worker], FastAPI]
Announce = Callable[[Any, int, AdministratorToken], None]
# Returns the store that an address names.
OpenStore = Callable[[str], ContractStore]


def log_listening(settings: ServiceSettings, port: int, _token: AdministratorToken) -> None:
    """Announce a collector in its log, which never holds a token."""
    log("listening", host=settings.host, port=port)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or refuse in one clear line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named so that asyncio sees TCP and sends answers without waiting to fill a packet.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    try:
        listening.bind((host, port))
        listening.listen(MAX_WAITING_CONNECTIONS)
    except (OSError, OverflowError) as error:
        listening.close()
        raise ParameterError(f"cannot listen on {host} port {port}: {error}") from None
    return listening


def serve(
    settings: ServiceSettings, create: CreateApp, announce: Announce = log_listening, opening: OpenStore = open_store
) -> None:
    """Serve until a signal says to stop; then finish what was started."""
    check_workers(settings)
    _exit_on_signals()
    with (
        _leaving_computations(),
        listen(settings.host, settings.port) as listening,
        closing(opening(settings.store)) as store,
    ):
        store.prepare()
        announce(settings, listening.getsockname()[1], create_first_token(store, settings.token_file))
        if settings.workers == 1:
            _run_server(listening, create(store, settings, ONLY_WORKER))
            return
        # Every worker has its own connections.
        store.close()
        Supervisor(settings, listening, partial(_run_worker, create, opening)).run(DRAIN_SECONDS + SPARE_SECONDS)
        log("stopped")


def _run_worker(
    create: CreateApp, opening: OpenStore, listening: socket.socket, settings: ServiceSettings, worker: Worker
) -> None:
    _exit_on_signals()
    with _leaving_computations(), closing(opening(settings.store)) as store:
        _run_server(listening, create(store, settings, worker))


def _run_server(listening: socket.socket, app: FastAPI) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    logging.getLogger().handlers = [LibraryLogHandler(logging.WARNING)]
    # What is loaded by now stays: collecting garbage among it again and again would delay requests.
    gc.freeze()
    server(app).run(sockets=accepting_sockets(listening))


@contextmanager
def _leaving_computations() -> Iterator[None]:
    """Exit at a signal although computations of analysts run: no thread can be stopped, and Python waits for all."""
    try:
        yield
    except SystemExit:
        running = [thread for thread in threading.enumerate() if thread.name.startswith(ANALYSIS)]
        for thread in running:
            thread.join(SECONDS_FOR_COMPUTATIONS)
        if any(thread.is_alive() for thread in running):
            os._exit(0)
        raise


def _exit_on_signals() -> None:
    """Turn a signal into an exit with status 0: uvicorn raises it again after everything is finished."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sys.exit(0))


def server(app: FastAPI) -> uvicorn.Server:
    """Return uvicorn as a collector runs it: without access log, which would print addresses."""
    settings: ServiceSettings = app.state.service.settings
    limits = ConnectionLimits(
        allowed_connections(settings.connections),
        settings.head_seconds,
        settings.body_seconds,
        settings.write_seconds,
    )
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=ProtocolFactory(Connections(limits, app.state.service.budget)),  # type: ignore[arg-type]
            loop="uvloop",
            ws="none",
            access_log=False,
            log_config=None,
            server_header=False,
            lifespan="on",
            proxy_headers=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            backlog=MAX_WAITING_CONNECTIONS,
        )
    )
