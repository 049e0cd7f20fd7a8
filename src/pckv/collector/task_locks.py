"""Locks per task that take no memory once nobody uses them."""

from __future__ import annotations

from threading import Lock
from weakref import WeakValueDictionary


class TaskLocks:
    """One lock per task, as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self._lock = Lock()

    def get(self, task_id: str) -> Lock:
        """Return the lock of a task."""
        with self._lock:
            return self._locks.setdefault(task_id, Lock())

    def __len__(self) -> int:
        """Return how many locks there are."""
        return len(self._locks)
