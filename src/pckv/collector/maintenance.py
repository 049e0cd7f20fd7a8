"""What a collector does by itself: fold parts together, and forget reports when their time is over."""

from __future__ import annotations

import asyncio
import datetime as dt

from pckv.collector.logs import log
from pckv.collector.state import Collector, ended
from pckv.errors import PckvError

# Often, so that few parts gather: folding many holds uploaders up for longer.
SECONDS_BETWEEN = 0.25
SECONDS_AFTER_FAILURE = 5.0
PARTS_TO_FOLD = 32
TASKS_A_PAGE = 100


async def keep_up(here: Collector) -> None:
    """Do the upkeep now and then, for as long as the collector runs."""
    day = ""
    while True:
        try:
            await asyncio.to_thread(fold, here, PARTS_TO_FOLD)
            if day != here.today():
                now = here.today()
                await asyncio.to_thread(settle, here, here.settings.keep_reports, now)
                day = now
        except PckvError as error:
            log("upkeep_failed", reason=str(error))
            await asyncio.sleep(SECONDS_AFTER_FAILURE)
        await asyncio.sleep(SECONDS_BETWEEN)


def fold(here: Collector, parts: int) -> None:
    """Fold the parts of every task that has at least so many."""
    for task_id in here.store.tasks_to_compact(parts):
        here.store.compact(task_id)


def settle(here: Collector, keep: int | None, day: str) -> None:
    """Do what is due for tasks that have ended, once a day.

    Their parts are folded into one, since parts of few reports could tell what came together; their
    reports are deleted after so many days.
    """
    after = ""
    while found := here.store.list_tasks(TASKS_A_PAGE, after):
        for each in found:
            over = ended(each)
            if over is None or over > day:
                continue
            here.store.compact(each.task.id, all_of_them=True)
            if keep is not None and each.reports_forgotten is None and _days(over, day) >= keep:
                here.store.forget_reports(each.task.id, day)
                log("reports_forgotten", task=each.task.id)
        after = found[-1].task.id


def _days(first: str, last: str) -> int:
    return (dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days
