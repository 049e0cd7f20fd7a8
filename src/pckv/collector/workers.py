"""Several processes behind one socket: started, watched, restarted when they die, stopped together."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import RawArray
from typing import Any, NamedTuple

from pckv.base.errors import ParameterError
from pckv.collector.http.logs import log
from pckv.collector.http.metrics import CELLS_PER_PROCESS, MetricCells
from pckv.collector.http.settings import ServiceSettings
from pckv.store.open_store import POSTGRES

MAX_WORKERS = 64
# The event loop accepts one connection per listening socket and round. Several sockets for one port let a new
# connection through within a moment although another peer opens thousands.
ACCEPTS_PER_ROUND = 4
# A worker that dies again soon waits before it is started: this long at first, and twice as long each time.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 30.0
# One that has lived this long did not die at its start.
SOON_SECONDS = 10.0


class Worker(NamedTuple):
    """One process of a collector: its number, and where all of them count what they do."""

    number: int = 0
    cells: Sequence[MetricCells] | None = None


ONLY_WORKER = Worker()

RunWorker = Callable[[socket.socket, Any, Worker], None]


def check_workers(settings: ServiceSettings) -> None:
    """Refuse a number of processes that the store cannot serve."""
    if not 1 <= settings.workers <= MAX_WORKERS:
        raise ParameterError(f"there are 1 to {MAX_WORKERS} workers, not {settings.workers}")
    if settings.workers > 1 and not settings.store.startswith(POSTGRES):
        raise ParameterError("several workers need a store in PostgreSQL: SQLite has one writing process")


def pause_before_start(early_deaths: int) -> float:
    """Return how many seconds to wait before a worker is started that died soon this many times in a row."""
    return min(FIRST_PAUSE_SECONDS * 2.0 ** max(0, early_deaths - 1), MAX_PAUSE_SECONDS)


def accepting_sockets(listening: socket.socket) -> list[socket.socket]:
    """Return a listening socket and its duplicates, which share one queue of new connections.

    They also share whether accepting blocks, with those of all other workers: a duplicate of a blocking socket
    would let a worker wait in `accept` for a connection that another one has taken.
    """
    listening.settimeout(0)
    return [listening, *(listening.dup() for _ in range(ACCEPTS_PER_ROUND - 1))]


class _Place:
    """The place of one worker: its process, and when the next one may start."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: SpawnProcess | None = None
        self.started = self.next_start = 0.0
        self.early_deaths = 0

    def note_death(self, code: int | None) -> None:
        """Decide when the next process may start."""
        now = time.monotonic()
        self.early_deaths = self.early_deaths + 1 if now - self.started < SOON_SECONDS else 1
        self.next_start = now + pause_before_start(self.early_deaths)
        self.process = None
        log("worker_died", worker=self.number, code=code)


class Supervisor:
    """Keeps the workers of one collector running until a signal says to stop."""

    def __init__(self, settings: ServiceSettings, listening: socket.socket, run: RunWorker) -> None:
        self._settings, self._listening, self._run = settings, listening, run
        self._context = multiprocessing.get_context("spawn")
        # Memory that outlives a worker: what a dead one counted still counts.
        self._cells: list[MetricCells] = [
            RawArray(ctypes.c_double, CELLS_PER_PROCESS)  # type: ignore[misc]
            for _ in range(settings.workers)
        ]
        self._places = [_Place(number) for number in range(settings.workers)]

    def run(self, drain_seconds: float) -> None:
        """Run the workers until SIGTERM or SIGINT; then let them finish what they started."""
        with _stop_signals() as stop:
            try:
                while not self._wait(stop):
                    self._start_missing()
            finally:
                self._stop(drain_seconds)

    def _start_missing(self) -> None:
        for place in self._places:
            if place.process is None and place.next_start <= time.monotonic():
                arguments = (self._run, self._listening, self._settings, Worker(place.number, self._cells))
                place.process = self._context.Process(target=_work, args=arguments)
                place.process.start()
                place.started = time.monotonic()
                log("worker_started", worker=place.number, pid=place.process.pid)

    def _wait(self, stop: int) -> bool:
        """Wait until a worker dies or may be started; return whether to stop instead."""
        alive = {place.process.sentinel: place for place in self._places if place.process}
        due = [place.next_start for place in self._places if place.process is None]
        timeout = max(0.0, min(due) - time.monotonic()) if due else None
        ready = wait([stop, *alive], timeout)
        for sentinel in ready:
            if isinstance(sentinel, int) and sentinel in alive:
                place = alive[sentinel]
                assert place.process is not None  # noqa: S101
                place.process.join()
                place.note_death(place.process.exitcode)
        return stop in ready

    def _stop(self, drain_seconds: float) -> None:
        processes = [place.process for place in self._places if place.process]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + drain_seconds
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.exitcode is None:
                log("worker_killed", pid=process.pid)
                process.kill()
                process.join()


def _work(run: RunWorker, listening: socket.socket, settings: ServiceSettings, worker: Worker) -> None:
    # The terminal's interrupt goes to the supervisor alone: a worker that got it twice would not finish its
    # requests.
    os.setpgrp()
    threading.Thread(target=_stop_with_supervisor, daemon=True).start()
    run(listening, settings, worker)


def _stop_with_supervisor() -> None:
    """Wait until the supervisor is gone, however it ended; nothing else would stop this worker."""
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _stop_signals() -> Iterator[int]:
    """Return a context with a descriptor that is readable once a signal says to stop."""
    reading, writing = os.pipe()

    def note(*_: object) -> None:
        os.write(writing, b"!")

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield reading
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reading)
        os.close(writing)
