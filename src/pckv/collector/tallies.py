"""From parts to estimates: merged, decoded and remembered by the tally's hash."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from pckv.estimators import Estimates, estimate
from pckv.store.base import Store
from pckv.store.parts import merge_parts
from pckv.tally import Tally
from pckv.task import Task

MOST_REMEMBERED = 16

Wanted = tuple[str, str, float]


class Tallies:
    """The tallies of a store, and the estimates that were made of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._estimates: OrderedDict[Wanted, Estimates] = OrderedDict()
        self._lock = Lock()

    def read(self, task: Task) -> Tally:
        """The tally of all reports of a task: the sum of its parts."""
        return merge_parts(task, (part.tally for part in self._store.parts(task.id)))

    def estimate(self, task: Task, method: str, level: float) -> tuple[str, Estimates]:
        """All estimates of a task, and the hash of the tally they come from."""
        tally = self.read(task)
        digest = hashlib.sha256(bytes(tally)).hexdigest()
        wanted = (digest, method, level)
        with self._lock:
            if wanted in self._estimates:
                self._estimates.move_to_end(wanted)
                return digest, self._estimates[wanted]
        made = estimate(tally, method, level)
        with self._lock:
            self._estimates[wanted] = made
            while len(self._estimates) > MOST_REMEMBERED:
                self._estimates.popitem(last=False)
        return digest, made
