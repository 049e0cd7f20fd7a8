"""How far back the write-ahead log of a SQLite store reaches under load, and what emptying it costs."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.measurement import Measurement, absolute, ratio
from pckv import Task
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.upkeep import SECONDS_BETWEEN_ERASURES
from pckv.store.base import Upload
from pckv.store.sqlite import SqliteStore

TASK = Task(name="erasure", keys=100, values=(0, 1), epsilon=1, mechanism="grr")
PAIRS = 5
SECONDS = 4.0
# A quiet collector commits single reports, a busy one what came while it wrote.
BATCHES = (1, 64)
READERS = 2
MAX_INVITATIONS = 100_000


class Load(NamedTuple):
    """Reports per second, and what the log held at each emptying: reports, and seconds since the last one."""

    rate: float
    reports: list[int]
    seconds: list[float]


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    for batch in BATCHES:
        for readers in (0, READERS):
            kept = [(load(batch, readers, erase=True), load(batch, readers, erase=False)) for _ in range(PAIRS)]
            name = f"{batch} per commit, {readers} readers"
            rates = [ours.rate for ours, _ in kept], [baseline.rate for _, baseline in kept]
            yield ratio(f"{name}: emptied every second", "reports/s", *rates, None, at_most=False)
            yield absolute(f"{name}: seconds in the log", "s", [max(ours.seconds) for ours, _ in kept])
            yield absolute(f"{name}: reports in the log", "reports", [max(ours.reports) for ours, _ in kept])


def load(batch: int, readers: int, *, erase: bool) -> Load:
    """Commit invited reports as fast as possible for some seconds, in a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(f"{folder}/pckv.db")
        store.prepare()
        store.add_task(TASK, utc_today())
        invitations = [os.urandom(32) for _ in range(MAX_INVITATIONS)]
        store.add_invitations(TASK.id, invitations)
        store.erase_deleted()
        committed = [0]
        reports: list[int] = []
        seconds: list[float] = []

        def empty() -> None:
            before, start = committed[0], time.monotonic()
            while not stopping.wait(SECONDS_BETWEEN_ERASURES):
                store.erase_deleted()
                if Path(f"{folder}/pckv.db-wal").stat().st_size < 2**20:
                    reports.append(committed[0] - before)
                    seconds.append(time.monotonic() - start)
                    before, start = committed[0], time.monotonic()

        stopping = threading.Event()
        others = [empty] * erase + [lambda: _read(store, stopping)] * readers
        with _threads(others, stopping):
            start = time.monotonic()
            for first in itertools.count(0, batch):
                chosen = invitations[first : first + batch]
                if time.monotonic() - start > SECONDS or not chosen:
                    break
                sent = [Report(os.urandom(16), bytes(8)) for _ in chosen]
                store.add_reports([Upload(TASK.id, sent, chosen)], utc_today())
                committed[0] += len(sent)
            rate = committed[0] / (time.monotonic() - start)
        store.close()
        return Load(rate, reports, seconds)


def _read(store: SqliteStore, stopping: threading.Event) -> None:
    """Read a page of reports and all parts, as exports and estimates do, again and again."""
    while not stopping.is_set():
        next(store.reports(TASK.id), None)
        store.compact(TASK.id)


@contextmanager
def _threads(works: list[Callable[[], None]], stopping: threading.Event) -> Iterator[None]:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
