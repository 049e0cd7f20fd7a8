"""Trends of stored series: a round is decoded once per number of reports, and a trend computed once per state."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Integers
from pckv.collector.analysis.computations import SharedComputations
from pckv.collector.contracts.task_cache import RecentItems
from pckv.collector.upkeep.compaction import Compactor
from pckv.contract.series import Series
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import decoded_keys, trend
from pckv.store.base import Store, StoredRound
from pckv.store.parts import merge_parts

# The memory that decoded rounds may take together, of which a key takes three integers.
MAX_COUNTS_BYTES = 2**27
BYTES_PER_ROUND, BYTES_PER_KEY = 4096, 24
MAX_CACHED_TRENDS = 8
# How long somebody waits for reports that have come since; then they get what was computed last.
MAX_WAIT_SECONDS = 1.0

# The rounds that a trend is computed from, each by its number and how many reports it has.
SeriesState = tuple[tuple[int, int], ...]

# The round that is open and the one after it may have no reports yet: neither is one of the last rounds of a trend.
EMPTY_ROUNDS = 2


class TrendOptions(NamedTuple):
    """What to estimate: the last rounds, at a level, with flags at a false discovery rate.

    The keys are those asked for; they matter only where not all can be estimated at once.
    """

    rounds: int
    level: float
    rate: float
    keys: tuple[str, ...] | None = None


class TrendResult(NamedTuple):
    """A trend, and what it was computed from."""

    state: SeriesState
    trend: Trend


class TrendCache:
    """The trends that were computed last from a store's tallies.

    Reports are only ever added to a round: as many reports mean the same reports.
    """

    def __init__(self, store: Store, compactor: Compactor, shared: SharedComputations[TrendResult]) -> None:
        self._store, self._compactor, self._shared = store, compactor, shared
        self._counts: RecentItems[RoundCounts] = RecentItems(MAX_COUNTS_BYTES)
        self._trends: OrderedDict[tuple[str, TrendOptions], TrendResult] = OrderedDict()
        self._lock = Lock()

    async def get(self, series: Series, options: TrendOptions, account: bytes) -> TrendResult:
        """Return the trend of a series, of all keys if these can be estimated at once; errors are those of `trend`.

        While reports come, every request would have to wait for a new trend. So there is at most one computation for the
        same options, and one that takes long is the answer to a later request. A trend states how many reports it counts.
        """
        listed = await asyncio.to_thread(self._store.rounds, series.id, options.rounds + EMPTY_ROUNDS)
        rounds = [one for one in listed if one.reports][-options.rounds :]
        keys = decoded_keys(series, len(rounds), _numbers(series, options.keys))
        if keys.size == series.task.key_count:
            options = options._replace(keys=None)
        state = tuple((one.number, one.reports) for one in rounds)
        earlier = self._earlier(series, options, state)
        if earlier is not None and earlier.state == state:
            return earlier
        compute = partial(self._compute, series, options, rounds, keys)
        computing = asyncio.ensure_future(self._shared.get((series.id, options), None, account, compute))
        if earlier is None:
            return await computing
        try:
            return await asyncio.wait_for(asyncio.shield(computing), MAX_WAIT_SECONDS)
        except TimeoutError:
            computing.add_done_callback(_ignore)
            return earlier

    def _earlier(self, series: Series, options: TrendOptions, state: SeriesState) -> TrendResult | None:
        """Return the last trend that was computed, unless it counts a round that was deleted since."""
        with self._lock:
            found = self._trends.get((series.id, options))
        left = {number for number, _ in state}
        return found if found is not None and {number for number, _ in found.state} <= left else None

    def _compute(
        self, series: Series, options: TrendOptions, rounds: list[StoredRound], keys: Integers
    ) -> TrendResult:
        counts = [self._decoded(series, one, keys) for one in rounds]
        found = trend(series, counts, options.level, options.keys, false_discovery_rate=options.rate)
        state = tuple((one.number, one.reports) for one in counts)
        result = TrendResult(state, found)
        with self._lock:
            self._trends[series.id, options] = result
            self._trends.move_to_end((series.id, options))
            while len(self._trends) > MAX_CACHED_TRENDS:
                self._trends.popitem(last=False)
        return result

    def _decoded(self, series: Series, one: StoredRound, keys: Integers) -> RoundCounts:
        with self._lock:
            known = self._counts.get(one.task)
        if known is not None and known.reports == one.reports and np.array_equal(known.keys, keys):
            return known
        self._compactor.count_waiting(one.task)
        contents = [part.content for part in self._store.parts(one.task)]
        counts = RoundCounts.of(series, merge_parts(series.task_of(one.number), contents), keys)
        with self._lock:
            self._counts.put(one.task, counts, BYTES_PER_ROUND + BYTES_PER_KEY * keys.size)
        return counts


def _ignore(done: asyncio.Future[TrendResult]) -> None:
    """Take note of how a computation ended that nobody waits for."""
    if not done.cancelled():
        done.exception()


def _numbers(series: Series, keys: tuple[str, ...] | None) -> Integers | None:
    return None if keys is None else np.array([series.task.key_index(key) for key in keys], np.int64)
