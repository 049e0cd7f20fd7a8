"""What a collector does by itself: compact tallies, add rounds, end sessions, delete, erase and raise alarms."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from functools import partial

from pckv.base.days import Phase
from pckv.base.errors import PckvError
from pckv.collector.http.logs import log
from pckv.collector.state import Collector
from pckv.collector.upkeep.compaction import do_each
from pckv.store.base import StoredTask, all_tasks

# Often, so that few parts accumulate: merging many holds uploads up for longer.
SECONDS_BETWEEN = 0.25
# As far back as the database's log should tell which reports and invitations came together.
SECONDS_BETWEEN_ERASURES = 1.0
# Sessions whose time is over are refused already; what is stored of them goes now and then.
SECONDS_BETWEEN_SESSIONS = 3600.0
SECONDS_AFTER_FAILURE = 5.0
# How soon a task whose check is due is checked for alarms.
SECONDS_BETWEEN_ALARMS = 60.0
# A round is added one round ahead: this only decides how soon rounds come after a failure or a change of the clock.
SECONDS_BETWEEN_ROUNDS = 60.0


async def run_maintenance(collector: Collector) -> None:
    """Compact, erase and watch all the time, and finish closed tasks once per day, until cancelled; no error ends it."""
    async with asyncio.TaskGroup() as loops:
        loops.create_task(_compact_and_finish(collector))
        # Compacting may take seconds.
        loops.create_task(_erase(collector))
        loops.create_task(_end_sessions(collector))
        loops.create_task(_watch(collector))
        loops.create_task(_add_rounds(collector))


async def _erase(collector: Collector) -> None:
    while True:
        erased = await _succeeds(collector, collector.store.erase_deleted)
        await asyncio.sleep(SECONDS_BETWEEN_ERASURES if erased else SECONDS_AFTER_FAILURE)


async def _end_sessions(collector: Collector) -> None:
    while True:
        ended = await _succeeds(collector, lambda: collector.store.end_expired_sessions(int(time.time())))
        await asyncio.sleep(SECONDS_BETWEEN_SESSIONS if ended else SECONDS_AFTER_FAILURE)


async def _watch(collector: Collector) -> None:
    while True:
        await _succeeds(collector, collector.alarm_watch.check_due)
        await asyncio.sleep(SECONDS_BETWEEN_ALARMS)


async def _add_rounds(collector: Collector) -> None:
    while True:
        added = await add_due_rounds(collector)
        await asyncio.sleep(SECONDS_BETWEEN_ROUNDS if added else SECONDS_AFTER_FAILURE)


async def add_due_rounds(collector: Collector) -> bool:
    """Add the rounds of all series that are due; return whether nothing failed."""
    return await _succeeds(collector, lambda: collector.round_maker.add_due(collector.today()))


async def _compact_and_finish(collector: Collector) -> None:
    finished_day = ""
    await _succeeds(collector, collector.compactor.prepare_all)
    while True:
        compacted = await _succeeds(collector, collector.compactor.compact_all)
        day = collector.today()
        finished = day == finished_day or await _succeeds(
            collector, partial(finish_closed_tasks, collector, collector.settings.keep_reports, day)
        )
        if finished:
            finished_day = day
        await asyncio.sleep(SECONDS_BETWEEN if compacted and finished else SECONDS_AFTER_FAILURE)


async def _succeeds(collector: Collector, work: Callable[[], object]) -> bool:
    """Do some work in a thread, and log what goes wrong."""
    try:
        await asyncio.get_running_loop().run_in_executor(collector.threads.maintenance, work)
    except Exception as error:  # noqa: BLE001
        # Our own errors say what to do; the text of any other could hold what people sent.
        reason = str(error) if isinstance(error, PckvError) else type(error).__name__
        log("maintenance_failed", reason=reason)
        return False
    return True


def finish_closed_tasks(collector: Collector, keep_days: int | None, day: str) -> None:
    """Merge all parts of closed tasks into one, and delete their reports some days after closing.

    Parts of few reports could reveal which reports came together. `keep_days` is None if reports are kept.
    """
    closed = [stored for stored in all_tasks(collector.store) if stored.phase(day) is Phase.CLOSED]
    do_each(partial(_finish_task, collector, stored, keep_days, day) for stored in closed)


def _finish_task(collector: Collector, stored: StoredTask, keep_days: int | None, day: str) -> None:
    collector.compactor.compact(stored.task.id, fully=True)
    if keep_days is None or stored.reports_forgotten is not None:
        return
    if (dt.date.fromisoformat(day) - dt.date.fromisoformat(_closing_day(stored))).days >= keep_days:
        collector.store.forget_reports(stored.task.id, day)
        log("reports_forgotten", task=stored.task.id)


def _closing_day(stored: StoredTask) -> str:
    """Return the first day on which a closed task took no more reports."""
    return min(day for day in (stored.closed, stored.task.closes) if day is not None)
