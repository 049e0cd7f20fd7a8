"""Tasks that requests ask for: what the store says of them for some seconds, and their texts.

The texts of series that requests ask for: a series never changes and is never deleted, so that none goes stale.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Generic, NamedTuple, TypeVar

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.threads import CollectorThreads
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import Deletion, Store, StoredSeries, StoredTask

# After how many seconds the store is asked again for a task, and until when what it said last is used meanwhile;
# transactions check the store's own state in any case.
CACHE_SECONDS, MAX_CACHE_SECONDS = 2.0, 5.0
# The most memory that tasks, and that their texts, may take. A name of a key takes about this much in a task.
MAX_TASK_BYTES = MAX_TEXT_BYTES = 64 * 2**20
BYTES_PER_TASK, BYTES_PER_NAME = 4096, 160
# A smaller text is not compressed: its answer fits into a packet or two.
MIN_GZIP_BYTES = 2**10
TASK_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)

T = TypeVar("T")


class ContractText(NamedTuple):
    """The canonical JSON of a task or series, and the same compressed unless that is not worth it."""

    json: bytes
    gzipped: bytes | None

    @property
    def size(self) -> int:
        """How many bytes both take."""
        return len(self.json) + len(self.gzipped or b"")


class RecentItems(Generic[T]):
    """The items that were used last, as many as fit into some bytes; at least one."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._items: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self.bytes = 0

    def get(self, key: str) -> T | None:
        """Return an item, which counts as used."""
        if key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key][0]

    def put(self, key: str, item: T, size: int) -> None:
        """Keep an item of a size in bytes; those that were not used for the longest make room."""
        self.discard(key)
        self._items[key] = (item, size)
        self.bytes += size
        while self.bytes > self._max_bytes and len(self._items) > 1:
            self.discard(next(iter(self._items)))

    def discard(self, key: str) -> None:
        """Forget an item."""
        _, size = self._items.pop(key, (None, 0))
        self.bytes -= size


class TaskCache:
    """The tasks that requests asked for last."""

    def __init__(self, store: Store, threads: CollectorThreads) -> None:
        self._store, self._threads = store, threads
        # When the store was asked, and what it said.
        self._tasks: RecentItems[tuple[float, StoredTask]] = RecentItems(MAX_TASK_BYTES)
        # A task never changes, so neither does its text.
        self._texts: RecentItems[ContractText] = RecentItems(MAX_TEXT_BYTES)
        # What is being looked up or written: everybody who asks for the same waits for the same.
        self._lookups: dict[str, asyncio.Task[StoredTask]] = {}
        self._writing: dict[str, asyncio.Task[ContractText]] = {}

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted."""
        check_task_id(task_id)
        now = asyncio.get_running_loop().time()
        read_at, cached = self._tasks.get(task_id) or (0.0, None)
        if cached is not None and now - read_at < CACHE_SECONDS:
            return cached
        lookup = share(self._lookups, task_id, lambda: self._look_up(task_id, now))
        if cached is not None and now - read_at < MAX_CACHE_SECONDS:
            # Nobody waits for threads as long as somebody asks for the task every other second.
            return cached
        return await asyncio.shield(lookup)

    async def _look_up(self, task_id: str, now: float) -> StoredTask:
        running = asyncio.get_running_loop().run_in_executor
        stored = await running(self._threads.lookups, self._store.find_task, task_id)
        if stored is None:
            self._tasks.discard(task_id)
            find_deletion: Callable[[str], Deletion | None] = self._store.find_deletion
            deletion = await running(self._threads.lookups, find_deletion, task_id)
            raise ProblemDetails(ProblemKind.DELETED if deletion else ProblemKind.UNKNOWN)
        # If the task was changed meanwhile, this may be what it was before.
        if self._lookups.get(task_id) is asyncio.current_task():
            self._tasks.put(task_id, (now, stored), _size(stored.task))
        return stored

    async def text(self, task: Task) -> ContractText:
        """Return the text of a task."""
        text = self._texts.get(task.id)
        if text is None:
            text = await asyncio.shield(share(self._writing, task.id, lambda: self._write(task)))
        return text

    async def _write(self, task: Task) -> ContractText:
        text = await asyncio.get_running_loop().run_in_executor(self._threads.task_texts, contract_text, task)
        self._texts.put(task.id, text, text.size)
        return text

    def invalidate(self, task_id: str) -> None:
        """Ask the store for a task the next time."""
        self._tasks.discard(task_id)
        self._lookups.pop(task_id, None)


def share(
    running: dict[str, asyncio.Task[T]], key: str, start: Callable[[], Coroutine[Any, Any, T]]
) -> asyncio.Task[T]:
    """Return some work, which is started unless it is running already.

    Whoever waits for it must shield it: a client that disconnects must not cancel it for the others.
    """

    def end(done: asyncio.Task[T]) -> None:
        if running.get(key) is done:
            del running[key]
        if not done.cancelled():
            # If everybody has disconnected nobody else asks how it ended.
            done.exception()

    task = running.get(key)
    if task is None:
        task = running[key] = asyncio.create_task(start())
        task.add_done_callback(end)
    return task


def contract_text(contract: Task | Series) -> ContractText:
    """Return the text of a task or series as it is sent."""
    content = contract.to_json().encode()
    # Without a time, so that the same text always gives the same bytes.
    compressed = gzip.compress(content, mtime=0) if len(content) >= MIN_GZIP_BYTES else None
    return ContractText(content, compressed)


def _size(task: Task) -> int:
    return BYTES_PER_TASK + (len(task.keys) * BYTES_PER_NAME if isinstance(task.keys, tuple) else 0)


def check_task_id(task_id: str) -> None:
    """Refuse as unknown what cannot be the id of a task or series; not every database accepts every text in a query."""
    if not TASK_ID.fullmatch(task_id):
        raise ProblemDetails(ProblemKind.UNKNOWN)


class SeriesCache:
    """The series that requests asked for last."""

    def __init__(self, store: Store, threads: CollectorThreads) -> None:
        self._store, self._threads = store, threads
        self._texts: RecentItems[ContractText] = RecentItems(MAX_TEXT_BYTES)
        # What is being looked up: everybody who asks for the same waits for the same.
        self._lookups: dict[str, asyncio.Task[ContractText]] = {}

    async def find(self, series_id: str) -> StoredSeries:
        """Return a series as the store has it now, or raise the problem that it is unknown."""
        check_task_id(series_id)
        running = asyncio.get_running_loop().run_in_executor
        stored = await running(self._threads.lookups, self._store.find_series, series_id)
        if stored is None:
            raise ProblemDetails(ProblemKind.UNKNOWN, "no series has this id")
        return stored

    async def text(self, series_id: str) -> ContractText:
        """Return the text of a series, or raise the problem that it is unknown."""
        text = self._texts.get(series_id)
        if text is None:
            text = await asyncio.shield(share(self._lookups, series_id, lambda: self._write(series_id)))
        return text

    async def _write(self, series_id: str) -> ContractText:
        stored = await self.find(series_id)
        running = asyncio.get_running_loop().run_in_executor
        text = await running(self._threads.task_texts, contract_text, stored.series)
        self._texts.put(series_id, text, text.size)
        return text
