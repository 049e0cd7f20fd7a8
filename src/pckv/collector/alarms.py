"""Alarms about stored reports: checked at most once per hour and task, kept in memory, and shown to the operator."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from pckv.collector.metrics import Metrics
from pckv.estimators.alarms.check import ReportSample
from pckv.estimators.alarms.result import CHECKS_PER_DAY, Alarms
from pckv.store.base import TASKS_PER_PAGE, Store, StoredTask
from pckv.task import Task

SECONDS_BETWEEN_CHECKS = 24 * 60 * 60 / CHECKS_PER_DAY
# Fewer reports say nothing that could be an alarm.
MIN_REPORTS = 100
# Other threads run between two pages of reports.
SECONDS_BETWEEN_PAGES = 0.005


class CheckedReports(NamedTuple):
    """What a check of a task's reports found, when, and how many reports there were."""

    alarms: Alarms
    seconds: float
    reports: int

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        moment = dt.datetime.fromtimestamp(self.seconds, dt.UTC)
        return {"checked": moment.isoformat(timespec="minutes")} | self.alarms.to_dict()


class AlarmWatch:
    """Checks the reports of tasks that have grown; after a restart all are checked again."""

    def __init__(self, store: Store, metrics: Metrics, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._checked: dict[str, CheckedReports] = {}

    def find(self, task_id: str) -> CheckedReports | None:
        """Return what the last check of a task found, if there was one."""
        return self._checked.get(task_id)

    def check_due(self) -> None:
        """Check all tasks whose reports have grown and whose last check is an hour ago."""
        known: set[str] = set()
        after = ""
        while page := self._store.list_tasks(TASKS_PER_PAGE, after):
            after = page[-1].task.id
            counts = self._store.report_counts([stored.task.id for stored in page])
            for stored in page:
                known.add(stored.task.id)
                if self._is_due(stored, counts[stored.task.id]):
                    self._check(stored.task, counts[stored.task.id])
        self._checked = {task_id: found for task_id, found in self._checked.items() if task_id in known}
        self._metrics.set_alarms(sum(bool(found.alarms.unusual) for found in self._checked.values()))

    def _is_due(self, stored: StoredTask, reports: int) -> bool:
        last = self._checked.get(stored.task.id)
        if stored.reports_forgotten is not None or reports < MIN_REPORTS:
            return False
        return last is None or (
            reports != last.reports and self._clock() >= last.seconds + SECONDS_BETWEEN_CHECKS
        )

    def _check(self, task: Task, reports: int) -> None:
        sample = ReportSample(task)
        for page in self._store.reports(task.id):
            sample.add(task.message_format.to_array(b"".join(report.body for report in page)))
            time.sleep(SECONDS_BETWEEN_PAGES)
        self._checked[task.id] = CheckedReports(sample.check(), self._clock(), reports)
