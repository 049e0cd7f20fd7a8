"""Maintenance without requests: compact tallies, add rounds, end sessions, erase and raise alarms."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pckv.base.days import Phase
from pckv.base.errors import PckvError
from pckv.collector.analysis.tallies import Compactor
from pckv.collector.computations import do_each
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.logs import log
from pckv.collector.upkeep.alarms import AlarmWatch
from pckv.store.base import StoredTask

# Often, so that few parts accumulate: merging many holds uploads up for longer.
SECONDS_BETWEEN = 0.25
# As far back as the database's log should tell which reports and invitations came together.
SECONDS_BETWEEN_ERASURES = 1.0
# Sessions whose time is over are refused already; what is stored of them goes now and then.
SECONDS_BETWEEN_SESSIONS = 3600.0
SECONDS_AFTER_FAILURE = 5.0
# How soon a task whose check is due is checked for alarms.
SECONDS_BETWEEN_ALARMS = 60.0
# A round is added one round ahead: this only decides how soon rounds come after a failure or a change of the
# clock.
SECONDS_BETWEEN_ROUNDS = 60.0


class Maintenance:
    """The work of one collector that no request asks for.

    Args:
        contracts: The tasks and series.
        compactor: What compacts tallies.
        alarm_watch: What checks reports for alarms.
        threads: Where the work is done.
        keep_days: How many days after closing a task's reports are deleted; None if they are kept.
    """

    def __init__(
        self,
        contracts: Contracts,
        compactor: Compactor,
        alarm_watch: AlarmWatch,
        threads: ThreadPoolExecutor,
        *,
        keep_days: int | None,
    ) -> None:
        self._contracts, self._store, self._today = contracts, contracts.store, contracts.today
        self._compactor, self._alarm_watch, self._threads = compactor, alarm_watch, threads
        self._keep_days = keep_days
        self._finished_day = ""

    async def run(self) -> None:
        """Do everything again and again until cancelled; no error ends it."""
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._compact_and_finish())
            # Compacting may take seconds: nothing else waits for it.
            for work, seconds in (
                (self._store.erase_deleted, SECONDS_BETWEEN_ERASURES),
                (self._end_sessions, SECONDS_BETWEEN_SESSIONS),
                (self._alarm_watch.check_due, SECONDS_BETWEEN_ALARMS),
                (self._add_rounds, SECONDS_BETWEEN_ROUNDS),
            ):
                loops.create_task(self._repeat(seconds, work))

    async def _compact_and_finish(self) -> None:
        await self._succeeds(self._compactor.prepare_all)
        await self._repeat(SECONDS_BETWEEN, self._compactor.compact_all, self._finish_once_per_day)

    async def _repeat(self, seconds: float, *works: Callable[[], object]) -> None:
        while True:
            succeeded = [await self._succeeds(work) for work in works]
            await asyncio.sleep(seconds if all(succeeded) else SECONDS_AFTER_FAILURE)

    async def _succeeds(self, work: Callable[[], object]) -> bool:
        """Do some work in a thread, and log what goes wrong."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except Exception as error:  # noqa: BLE001
            # Our own errors say what to do; the text of any other could hold what people sent.
            reason = str(error) if isinstance(error, PckvError) else type(error).__name__
            log("maintenance_failed", reason=reason)
            return False
        return True

    def _end_sessions(self) -> None:
        self._store.end_expired_sessions(int(time.time()))

    def _add_rounds(self) -> None:
        self._contracts.rounds.add_due(self._today())

    async def add_due_rounds(self) -> None:
        """Add the rounds of all series that are due; what fails is logged, and tried again while it runs."""
        await self._succeeds(self._add_rounds)

    def _finish_once_per_day(self) -> None:
        day = self._today()
        if day != self._finished_day:
            self.finish_closed_tasks(self._keep_days, day)
            self._finished_day = day

    def finish_closed_tasks(self, keep_days: int | None, day: str) -> None:
        """Merge all parts of closed tasks into one, and delete their reports some days after closing.

        Parts of few reports could reveal which reports came together. `keep_days` is None if reports are
        kept.
        """
        closed = [stored for stored in self._store.all_tasks() if stored.phase(day) is Phase.CLOSED]
        do_each(partial(self._finish_task, stored, keep_days, day) for stored in closed)

    def _finish_task(self, stored: StoredTask, keep_days: int | None, day: str) -> None:
        self._compactor.compact(stored.task.id, fully=True)
        if keep_days is None or stored.reports_forgotten is not None:
            return
        # The first day on which the task took no more reports.
        closed = min(day for day in (stored.closed, stored.task.closes) if day is not None)
        if (dt.date.fromisoformat(day) - dt.date.fromisoformat(closed)).days >= keep_days:
            self._store.forget_reports(stored.task.id, day)
            log("reports_forgotten", task=stored.task.id)
