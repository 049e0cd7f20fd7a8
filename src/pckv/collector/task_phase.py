"""Whether a stored task takes reports, and since when it does not."""

from __future__ import annotations

from pckv.channels import SIZES
from pckv.planning.set_sizes import MAX_PILOT_REPORTS
from pckv.store.base import StoredTask
from pckv.task import Phase, Task


def task_phase(stored: StoredTask, day: str, reports: int = 0) -> Phase:
    """Return whether a task takes reports on a day, given how many it has.

    Its own days decide, unless the server closed it early or it is a pilot that has enough reports.
    """
    return Phase.CLOSED if has_enough_reports(stored.task, reports) else stored.phase(day)


def has_enough_reports(task: Task, reports: int) -> bool:
    """Return whether a task is a pilot with all reports that it needs: more people would be lost to the main task."""
    return task.kind == SIZES and reports >= MAX_PILOT_REPORTS


def closing_day(stored: StoredTask) -> str:
    """Return the first day on which a closed task took no more reports."""
    return min(day for day in (stored.closed, stored.task.closes) if day is not None)
