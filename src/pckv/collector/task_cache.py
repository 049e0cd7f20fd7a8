"""A short-lived cache of tasks, so that not every request asks the store for its task."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from pckv.channels import SIZES
from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.task_phase import has_enough_reports
from pckv.store.base import Store, StoredTask
from pckv.task import Task

# How long a cached task is used; transactions check the store's own state in any case.
CACHE_SECONDS = 2.0
MAX_RECENT_TASKS = 1000
TASK_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass
class _CachedTask:
    """What the store said of a task, when it did, and how many reports a pilot has, counted on since."""

    read_at: float
    stored: StoredTask
    reports: int


class TaskCache:
    """The tasks that requests asked for in the last seconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cached: dict[str, _CachedTask] = {}

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted."""
        check_task_id(task_id)
        now = asyncio.get_running_loop().time()
        cached = self._cached.get(task_id)
        if cached is not None and now - cached.read_at < CACHE_SECONDS:
            return cached.stored
        stored, reports = await asyncio.to_thread(self._read, task_id)
        if stored is None:
            self.invalidate(task_id)
            deletion = await asyncio.to_thread(self._store.find_deletion, task_id)
            raise ProblemDetails(ProblemKind.DELETED if deletion else ProblemKind.UNKNOWN)
        if len(self._cached) >= MAX_RECENT_TASKS:
            self._cached.clear()
        self._cached[task_id] = _CachedTask(now, stored, reports)
        return stored

    def _read(self, task_id: str) -> tuple[StoredTask | None, int]:
        stored = self._store.find_task(task_id)
        is_pilot = stored is not None and stored.task.kind == SIZES
        return stored, self._store.report_counts([task_id])[task_id] if is_pilot else 0

    def count_stored(self, task_id: str, reports: int) -> None:
        """Count reports that were just stored, so that the store need not be asked how many there are now."""
        if cached := self._cached.get(task_id):
            cached.reports += reports

    def has_enough_reports(self, task: Task) -> bool:
        """Return whether a task is a pilot that takes no new reports; reports under way are not counted."""
        cached = self._cached.get(task.id)
        return cached is not None and has_enough_reports(task, cached.reports)

    def invalidate(self, task_id: str) -> None:
        """Ask the store for a task the next time."""
        self._cached.pop(task_id, None)


def check_task_id(task_id: str) -> None:
    """Refuse as unknown what cannot be a task's id; not every database accepts every text in a query."""
    if not TASK_ID.fullmatch(task_id):
        raise ProblemDetails(ProblemKind.UNKNOWN)
