"""What discoveries of stored tasks found: computed once per tally and options, and cached."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import NamedTuple

from pckv.collector.analysis.computations import SharedComputations
from pckv.collector.analysis.tally_cache import TallyCache
from pckv.contract.task import Task
from pckv.estimators.discovery import discover
from pckv.estimators.results.discovery import Discovery
from pckv.store.base import Store

MAX_CACHED_DISCOVERIES = 16


class DiscoveryOptions(NamedTuple):
    """How keys are found: the level of their intervals, and the share of false ones on average, at most."""

    level: float
    false_discovery_rate: float


class CachedDiscovery(NamedTuple):
    """What was found, from which parts of a tally, and the checksum of that tally."""

    numbers: frozenset[int]
    digest: str
    found: Discovery


class DiscoveryCache:
    """The discoveries that were computed last from a store's tallies."""

    def __init__(
        self, store: Store, tallies: TallyCache, shared: SharedComputations[CachedDiscovery]
    ) -> None:
        self._store, self._tallies, self._shared = store, tallies, shared
        self._discoveries: OrderedDict[tuple[str, DiscoveryOptions], CachedDiscovery] = OrderedDict()
        self._lock = Lock()

    async def get(self, task: Task, options: DiscoveryOptions, account: bytes) -> CachedDiscovery:
        """Return what a discovery found; errors are those of `discover`.

        What came too late for one request is the answer to the next, although reports may have come since: it
        states how many it counts.
        """
        late = self._shared.take_late((task.id, options))
        if late is not None:
            return late
        numbers = await asyncio.to_thread(self._part_numbers, task)
        return await self._shared.get(
            (task.id, options), numbers, account, partial(self._compute, task, options)
        )

    def _compute(self, task: Task, options: DiscoveryOptions) -> CachedDiscovery:
        with self._lock:
            known = self._discoveries.get((task.id, options))
        if known is not None and known.numbers == self._part_numbers(task):
            return known
        numbers, digest, tally = self._tallies.get(task)
        # Parts that were put together have other numbers, and are the same tally.
        same = known is not None and known.digest == digest
        found = known.found if known is not None and same else discover(tally, **options._asdict())
        result = CachedDiscovery(numbers, digest, found)
        with self._lock:
            self._discoveries[task.id, options] = result
            self._discoveries.move_to_end((task.id, options))
            while len(self._discoveries) > MAX_CACHED_DISCOVERIES:
                self._discoveries.popitem(last=False)
        return result

    def _part_numbers(self, task: Task) -> frozenset[int]:
        return frozenset(part.number for part in self._store.part_summaries(task.id))
