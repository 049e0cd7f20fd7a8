"""Running a collector: a socket, a store, and an orderly end."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from pckv.collector.app import create_app
from pckv.collector.auth import first_token
from pckv.collector.logs import Quiet, log
from pckv.collector.problem_details import Problem, ProblemKind
from pckv.collector.settings import Settings
from pckv.errors import ParameterError
from pckv.store import open_store
from pckv.store.base import Store

# The largest head of a request, in bytes.
HEAD_BYTES = 16 * 2**10
DRAIN_SECONDS = 30
# Requests do not wait long for a thread that folds parts or estimates.
SWITCH_SECONDS = 0.0001
WAITING_CONNECTIONS = 1024


Create = Callable[[Store, Settings], FastAPI]


class Protocol(H11Protocol):
    """uvicorn's, but what is not HTTP, or has too large a head, is a problem like all others."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse and hang up."""
        answer = Problem(ProblemKind.MALFORMED).response({"Connection": "close"})
        head = h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, or one clear line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named in full, so that asyncio sees TCP and sends answers without waiting to fill a packet.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(WAITING_CONNECTIONS)
    except (OSError, OverflowError) as error:
        found.close()
        raise ParameterError(f"cannot listen on {host} port {port}: {error}") from None
    return found


def serve(settings: Settings, create: Create = create_app) -> None:
    """Serve until a signal says to stop; then finish what was begun."""
    _end_well_on_signals()
    sys.setswitchinterval(SWITCH_SECONDS)
    listening = listen(settings.host, settings.port)
    with listening:
        store = open_store(settings.store)
        try:
            store.prepare()
            first_token(store, settings.token_file)
            logging.getLogger().handlers = [Quiet(logging.WARNING)]
            # What is loaded by now stays: looking through it again and again would hold up requests.
            gc.freeze()
            log("listening", host=settings.host, port=listening.getsockname()[1])
            server(create(store, settings)).run(sockets=[listening])
        finally:
            store.close()


def _end_well_on_signals() -> None:
    """Make a signal an orderly exit with status 0: uvicorn raises it once more after everything is finished."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sys.exit(0))


def server(app: object) -> uvicorn.Server:
    """uvicorn as a collector runs it: no access log, which would print addresses."""
    return uvicorn.Server(
        uvicorn.Config(
            app,  # type: ignore[arg-type]
            http=Protocol,
            ws="none",
            h11_max_incomplete_event_size=HEAD_BYTES,
            access_log=False,
            log_config=None,
            server_header=False,
            lifespan="on",
            proxy_headers=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            backlog=WAITING_CONNECTIONS,
        )
    )
