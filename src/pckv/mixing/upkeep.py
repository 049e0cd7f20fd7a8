"""Maintenance of a mixer: release batches, publish counts, delete what was kept long enough, erase."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pckv.collector.background import BackgroundWork, SteadyClock
from pckv.collector.computations import do_each
from pckv.collector.contracts.contracts import ContractCache
from pckv.collector.http.logs import log
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState, StoredBatch, is_expired

# As far back as the database's log should tell which reports and invitations came together.
SECONDS_BETWEEN_ERASURES = 1.0
SECONDS_BETWEEN_RELEASES = 60.0
SECONDS_BETWEEN_ROUNDS = 60.0
SECONDS_BETWEEN_SESSIONS = 3600.0
# What a clock may be set by, without a jump: less than anything that a day could be wrong by.
CLOCK_TOLERANCE_SECONDS = 60.0


class MixerMaintenance:
    """The work of a mixer that no request asks for.

    Nothing is released, deleted or published unless the clock has gone on for an hour without a jump: all of it is for
    good.
    """

    def __init__(
        self, store: MixerStore, contracts: ContractCache, threads: ThreadPoolExecutor, clock: SteadyClock
    ) -> None:
        self._store, self._contracts, self._today = store, contracts, contracts.today
        self._work, self._clock = BackgroundWork(threads), clock

    async def run(self) -> None:
        """Do everything again and again until cancelled; no error ends it."""
        works: tuple[tuple[Callable[[], object], float], ...] = (
            (self._store.erase_deleted, SECONDS_BETWEEN_ERASURES),
            (self.do_due, SECONDS_BETWEEN_RELEASES),
            (self._add_rounds, SECONDS_BETWEEN_ROUNDS),
            (lambda: self._store.end_expired_sessions(int(time.time())), SECONDS_BETWEEN_SESSIONS),
        )
        async with asyncio.TaskGroup() as loops:
            for work, seconds in works:
                loops.create_task(self._work.repeat(seconds, work))

    async def add_due_rounds(self) -> None:
        """Add the rounds of all series that are due; what fails is logged, and tried again while it runs."""
        await self._work.succeeds(self._add_rounds)

    def _add_rounds(self) -> None:
        self._contracts.rounds.add_due(self._today())

    def do_due(self) -> None:
        """Publish counts, release batches whose day has come, and delete those that were kept long enough."""
        # The day first: if the clock jumped before, it is not steady afterwards.
        day = self._today()
        is_steady = self._clock.is_steady
        if is_steady:
            # A clock that goes back and forth would publish counts again and again, and so show single arrivals.
            self._store.publish_counts(day)
            do_each(partial(self._finish, batch, day) for batch in self._store.all_batches())

    def _finish(self, batch: StoredBatch, day: str) -> None:
        if batch.state is BatchState.COLLECTING and day >= batch.closes:
            state = self._store.release(batch.task, day)
            if state is not None:
                log("batch_released" if state is BatchState.RELEASED else "too_few_reports", task=batch.task)
        elif batch.state is BatchState.RELEASED and is_expired(batch, day) and self._store.expire(batch.task, day):
            log("batch_expired", task=batch.task)
