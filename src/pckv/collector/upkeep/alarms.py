"""Alarms about stored reports: checked at most once per hour and task, and kept in the store."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pckv.collector.http.metrics import Metrics
from pckv.contract.task import Task
from pckv.estimators.alarms.check import ReportSample
from pckv.estimators.alarms.result import CHECKS_PER_DAY, Alarms
from pckv.store.base import TASKS_PER_PAGE, AlarmCheck, StoredTask
from pckv.store.store import Store

SECONDS_BETWEEN_CHECKS = 24 * 60 * 60 // CHECKS_PER_DAY
# Fewer reports say nothing that could be an alarm.
MIN_REPORTS = 100
# Other threads run between two pages of reports.
SECONDS_BETWEEN_PAGES = 0.005


class CheckedReports(NamedTuple):
    """What a check of a task's reports found, when it began, and how many reports there were."""

    alarms: Alarms
    seconds: int
    reports: int

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        moment = dt.datetime.fromtimestamp(self.seconds, dt.UTC)
        return {"checked": moment.isoformat(timespec="minutes")} | self.alarms.to_dict()


class AlarmWatch:
    """Checks the reports of tasks that have grown, and keeps what was found in the store.

    All workers and collectors of a store see the same results, and a restart checks nothing again.
    """

    def __init__(self, store: Store, metrics: Metrics, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._metrics = metrics
        self._clock = clock

    def find(self, task_id: str) -> CheckedReports | None:
        """Return what the last check of a task found, if there was one."""
        return self._find_all([task_id]).get(task_id)

    def check_due(self) -> None:
        """Check all tasks whose reports have grown and whose last check is an hour ago."""
        tasks_with_alarms = 0
        after = ""
        while page := self._store.list_tasks(TASKS_PER_PAGE, after):
            after = page[-1].task.id
            ids = [stored.task.id for stored in page]
            counts, checked = self._store.report_counts(ids), self._find_all(ids)
            for stored in page:
                found, reports = checked.get(stored.task.id), counts[stored.task.id]
                if _has_grown(stored, reports, found):
                    found = self._check(stored.task, reports) or found
                tasks_with_alarms += found is not None and bool(found.alarms.unusual)
        self._metrics.set_alarms(tasks_with_alarms)

    def _find_all(self, task_ids: Sequence[str]) -> dict[str, CheckedReports]:
        checks = self._store.alarm_checks(task_ids)
        found = {task_id: _parse(check) for task_id, check in checks.items()}
        return {task_id: checked for task_id, checked in found.items() if checked is not None}

    def _check(self, task: Task, reports: int) -> CheckedReports | None:
        """Check the reports of a task, unless a collector began to within the last hour."""
        now = int(self._clock())
        # Claimed before the reports are read: a check that fails, or whose process dies, counts as one of
        # this hour.
        if not self._store.claim_alarm_check(task.id, now, SECONDS_BETWEEN_CHECKS):
            return None
        sample = ReportSample(task)
        for page in self._store.reports(task.id):
            sample.add(task.message_format.to_array(b"".join(report.body for report in page)))
            time.sleep(SECONDS_BETWEEN_PAGES)
        alarms = sample.check()
        self._store.record_alarm_check(task.id, AlarmCheck(now, reports, json.dumps(alarms.to_dict())))
        return CheckedReports(alarms, now, reports)


def _has_grown(stored: StoredTask, reports: int, last: CheckedReports | None) -> bool:
    if stored.reports_forgotten is not None or reports < MIN_REPORTS:
        return False
    return last is None or reports != last.reports


def _parse(check: AlarmCheck) -> CheckedReports | None:
    """Return a stored check; a damaged one counts as none, so that the next one replaces it."""
    try:
        return CheckedReports(Alarms.from_dict(json.loads(check.result)), check.seconds, check.reports)
    except (ValueError, LookupError, TypeError):
        return None
