"""From parts to estimates: merged, decoded and remembered by the tally's hash."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.estimators.estimate import estimate
from pckv.estimators.result import Estimates
from pckv.store.base import Store
from pckv.store.parts import merge_parts
from pckv.task import Task

MOST_REMEMBERED = 16


class Question(NamedTuple):
    """How estimates are to be made; without a method, by the task's default."""

    method: str | None
    level: float
    post: tuple[str, ...]


class Tallies:
    """The tallies of a store, and the estimates that were made of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._estimates: OrderedDict[tuple[str, Question], Estimates] = OrderedDict()
        # Parts never change: the same numbers are the same tally, which need not be read again.
        self._digests: OrderedDict[str, tuple[list[int], str]] = OrderedDict()
        self._names: OrderedDict[str, list[str]] = OrderedDict()
        self._lock = Lock()

    def estimate(self, task: Task, question: Question) -> tuple[str, Estimates]:
        """All estimates of a task, and the hash of the tally they come from."""
        known = self._known(task, question)
        if known is not None:
            return known
        parts = self._store.parts(task.id)
        tally = merge_parts(task, (part.tally for part in parts))
        digest = hashlib.sha256(bytes(tally)).hexdigest()
        with self._lock:
            self._digests[task.id] = ([part.number for part in parts], digest)
            while len(self._digests) > MOST_REMEMBERED:
                self._digests.popitem(last=False)
        wanted = (digest, question)
        made = self._estimates.get(wanted) or estimate(tally, **question._asdict())
        with self._lock:
            self._estimates[wanted] = made
            while len(self._estimates) > MOST_REMEMBERED:
                self._estimates.popitem(last=False)
        return digest, made

    def _known(self, task: Task, question: Question) -> tuple[str, Estimates] | None:
        numbers = self._store.part_numbers(task.id)
        with self._lock:
            counted, digest = self._digests.get(task.id, (None, ""))
            made = self._estimates.get((digest, question))
            if counted != numbers or made is None:
                return None
            self._estimates.move_to_end((digest, question))
            return digest, made

    def search(self, made: Estimates, text: str) -> NDArray[np.bool_]:
        """Which keys have a text in their names, whatever the case."""
        with self._lock:
            names = self._names.get(made.task)
        if names is None:
            names = [key.casefold() for key in made.key]
            with self._lock:
                self._names[made.task] = names
                while len(self._names) > MOST_REMEMBERED:
                    self._names.popitem(last=False)
        sought = text.casefold()
        return np.fromiter((sought in name for name in names), np.bool_, len(names))
