"""What a collector does by itself: compact tallies, and delete reports that are no longer needed."""

from __future__ import annotations

import asyncio
import datetime as dt

from pckv.collector.compaction import logged_failures
from pckv.collector.logs import log
from pckv.collector.state import Collector
from pckv.errors import PckvError
from pckv.store.base import StoredTask, all_tasks
from pckv.task import Phase

# Often, so that few parts accumulate: merging many holds uploads up for longer.
SECONDS_BETWEEN = 0.25
SECONDS_AFTER_FAILURE = 5.0


async def run_maintenance(collector: Collector) -> None:
    """Compact all the time and finish closed tasks once per day, until cancelled; no error ends it."""
    finished_day, prepared = "", False
    while True:
        try:
            if not prepared:
                prepared = True
                await asyncio.to_thread(collector.compactor.prepare_all)
            await asyncio.to_thread(collector.compactor.compact_all)
            day = collector.today()
            if day != finished_day:
                await asyncio.to_thread(finish_closed_tasks, collector, collector.settings.keep_reports, day)
                finished_day = day
        except Exception as error:  # noqa: BLE001
            # Our own errors say what to do; the text of any other could hold what people sent.
            reason = str(error) if isinstance(error, PckvError) else type(error).__name__
            log("maintenance_failed", reason=reason)
            await asyncio.sleep(SECONDS_AFTER_FAILURE)
        await asyncio.sleep(SECONDS_BETWEEN)


def finish_closed_tasks(collector: Collector, keep_days: int | None, day: str) -> None:
    """Merge all parts of closed tasks into one, and delete their reports some days after closing.

    Parts of few reports could reveal which reports came together. `keep_days` is None if reports are kept.
    """
    for stored in all_tasks(collector.store):
        if stored.phase(day) is Phase.CLOSED:
            with logged_failures(stored.task.id):
                _finish_task(collector, stored, keep_days, day)


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
