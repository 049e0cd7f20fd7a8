"""Estimates of stored tasks: computed once per tally and options, and cached."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pckv.collector.analysis.computations import SharedComputations
from pckv.collector.analysis.tally_cache import TallyCache
from pckv.collector.analysis.waiting import AnalysisThreads
from pckv.collector.upkeep.compaction import Compactor
from pckv.contract.task import Task
from pckv.estimators.estimate import default_method, estimate
from pckv.estimators.results.estimates import Estimates
from pckv.store.base import Store

MAX_CACHED = 16

K = TypeVar("K")
V = TypeVar("V")
# The checksum of a tally, and the estimates from it.
Result = tuple[str, Estimates]


class EstimateOptions(NamedTuple):
    """How to estimate; without a method, by the task's default."""

    method: str | None
    level: float
    post: tuple[str, ...]
    # A number of reports, or a share of them such as "1%".
    hostile: str = "0"
    # The keys that are asked for; None if all are.
    keys: tuple[str, ...] | None = None
    # Of hashed keys; None for the usual one.
    false_discovery_rate: float | None = None

    def resolved(self, task: Task) -> EstimateOptions:
        """Return the options with the method named, and without keys where all are estimated at once in any case."""
        keys = self.keys if task.is_hashed or not task.law.decodes_all else None
        return self._replace(method=self.method or default_method(task), keys=keys)


class EstimateCache:
    """The estimates that were computed last from a store's tallies."""

    def __init__(self, store: Store, compactor: Compactor, threads: AnalysisThreads) -> None:
        self._store = store
        self.tallies = TallyCache(store, compactor)
        self._estimates: OrderedDict[tuple[str, EstimateOptions], Estimates] = OrderedDict()
        # Parts never change: the same numbers mean the same tally, which need not be read again.
        self._digests: OrderedDict[str, tuple[frozenset[int], str]] = OrderedDict()
        self._key_names: OrderedDict[tuple[str, tuple[str, ...] | None], list[str]] = OrderedDict()
        self._lock = Lock()
        self.shared: SharedComputations[Result] = SharedComputations(threads)

    async def get(self, task: Task, options: EstimateOptions, account: bytes) -> Result:
        """Return the checksum of a task's tally and its estimates.

        What came too late for one request is the answer to the next, although reports may have come since: it
        states how many it counts.
        """
        options = options.resolved(task)
        late = self.shared.take_late((task.id, options))
        if late is not None:
            return late
        numbers = await asyncio.to_thread(self._part_numbers, task)
        return await self.shared.get(
            (task.id, options), numbers, account, partial(self._compute, task, options)
        )

    def _compute(self, task: Task, options: EstimateOptions) -> Result:
        cached = self._cached(task, options)
        if cached is not None:
            return cached
        numbers, digest, tally = self.tallies.get(task)
        self._put(self._digests, task.id, (numbers, digest))
        estimates = self._estimates.get((digest, options)) or estimate(tally, **options._asdict())
        self._put(self._estimates, (digest, options), estimates)
        return digest, estimates

    def _cached(self, task: Task, options: EstimateOptions) -> Result | None:
        numbers = self._part_numbers(task)
        with self._lock:
            counted, digest = self._digests.get(task.id, (None, ""))
            estimates = self._estimates.get((digest, options))
            if counted != numbers or estimates is None:
                return None
            self._estimates.move_to_end((digest, options))
            return digest, estimates

    def _part_numbers(self, task: Task) -> frozenset[int]:
        return frozenset(part.number for part in self._store.part_summaries(task.id))

    def search(self, estimates: Estimates, text: str, options: EstimateOptions) -> NDArray[np.bool_]:
        """Return which keys have a text in their names, ignoring case; the options are those of the estimates."""
        known = (estimates.task, options.keys)
        with self._lock:
            names = self._key_names.get(known)
        if names is None:
            names = [key.casefold() for key in estimates.key]
            self._put(self._key_names, known, names)
        folded = text.casefold()
        return np.fromiter((folded in name for name in names), np.bool_, len(names))

    def _put(self, cache: OrderedDict[K, V], key: K, value: V) -> None:
        with self._lock:
            cache[key] = value
            while len(cache) > MAX_CACHED:
                cache.popitem(last=False)
