"""A short-lived cache of tasks, so that not every request asks the store for its task."""

from __future__ import annotations

import asyncio
import re

from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.store.base import Store, StoredTask

# How long a cached task is used; transactions check the store's own state in any case.
CACHE_SECONDS = 2.0
MAX_RECENT_TASKS = 1000
TASK_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


class TaskCache:
    """The tasks that requests asked for in the last seconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # When the store was asked, and what it said.
        self._cached: dict[str, tuple[float, StoredTask]] = {}

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted."""
        check_task_id(task_id)
        now = asyncio.get_running_loop().time()
        read_at, cached = self._cached.get(task_id, (0.0, None))
        if cached is not None and now - read_at < CACHE_SECONDS:
            return cached
        stored = await asyncio.to_thread(self._store.find_task, task_id)
        if stored is None:
            self.invalidate(task_id)
            deletion = await asyncio.to_thread(self._store.find_deletion, task_id)
            raise ProblemDetails(ProblemKind.DELETED if deletion else ProblemKind.UNKNOWN)
        if len(self._cached) >= MAX_RECENT_TASKS:
            self._cached.clear()
        self._cached[task_id] = (now, stored)
        return stored

    def invalidate(self, task_id: str) -> None:
        """Ask the store for a task the next time."""
        self._cached.pop(task_id, None)


def check_task_id(task_id: str) -> None:
    """Refuse as unknown what cannot be a task's id; not every database accepts every text in a query."""
    if not TASK_ID.fullmatch(task_id):
        raise ProblemDetails(ProblemKind.UNKNOWN)
