"""Compacting the parts of tasks: words are counted once per process, by maintenance or for an estimate.

Locks per task that take no memory once nobody uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from threading import Lock
from weakref import WeakValueDictionary

from pckv.contract.task import Task
from pckv.store.base import Store, all_tasks
from pckv.store.parts import MIN_REPORTS_TO_COUNT
from pckv.tally.layouts import SupportLayout, layout_of
from pckv.tally.supports import prepare_counting


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


PARTS_TO_COMPACT = 32


def do_each(works: Iterable[Callable[[], object]]) -> None:
    """Do all of some works, also after one failed; then raise the first error."""
    failed: Exception | None = None
    for work in works:
        try:
            work()
        except Exception as error:  # noqa: BLE001
            failed = failed or error
    if failed is not None:
        raise failed


class Compactor:
    """Compacts a store; of one task, only one thread does so at a time, and the others use what it counted."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._locks = TaskLocks()

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all; return how many were merged."""
        with self._locks.get(task_id):
            return self._store.compact(task_id, fully=fully)

    def compact_all(self, parts: int = PARTS_TO_COMPACT) -> None:
        """Compact every task that has at least this many parts, or many words to count."""
        # A damaged part is no reason to leave the other tasks alone.
        task_ids = self._store.tasks_to_compact(parts, MIN_REPORTS_TO_COUNT)
        do_each(partial(self.compact, task_id) for task_id in task_ids)

    def count_waiting(self, task_id: str) -> None:
        """Count the words of a task that wait, if they are many; not those that come faster than they are counted."""
        before = None
        with self._locks.get(task_id):
            while (waiting := self._waiting(task_id)) >= MIN_REPORTS_TO_COUNT:
                if before is not None and waiting >= before:
                    return
                before = waiting
                self._store.compact(task_id)

    def prepare_all(self) -> None:
        """Load what counting the words of all tasks needs."""
        do_each(partial(self.prepare, stored.task) for stored in all_tasks(self._store))

    def prepare(self, task: Task) -> None:
        """Load what counting a task's words needs, before the first of them wait."""
        layout = layout_of(task)
        if isinstance(layout, SupportLayout):
            prepare_counting(layout.law)

    def _waiting(self, task_id: str) -> int:
        return sum(part.uncounted for part in self._store.part_summaries(task_id))
