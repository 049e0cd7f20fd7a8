"""Maintenance without requests: compact tallies, add rounds, fetch batches, end sessions, delete and raise alarms."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pckv.base.days import Phase
from pckv.collector.analysis.tallies import Compactor
from pckv.collector.background import BackgroundWork, SteadyDay
from pckv.collector.computations import do_each
from pckv.collector.contracts.checked_reports import CheckedReports, parse_checks
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.logs import log
from pckv.collector.http.metrics import Metrics
from pckv.collector.recipient.batches import BatchFetcher
from pckv.contract.task import Task
from pckv.estimators.alarms import CHECKS_PER_DAY, ReportSample
from pckv.store.base import TASKS_PER_PAGE, AlarmCheck, StoredTask
from pckv.store.store import Store

SECONDS_BETWEEN_CHECKS = 24 * 60 * 60 // CHECKS_PER_DAY
# Fewer reports say nothing that could be an alarm.
MIN_REPORTS = 100
# Other threads run between two pages of reports.
SECONDS_BETWEEN_PAGES = 0.005


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
        return self.find_all([task_id]).get(task_id)

    def check_due(self) -> None:
        """Check all tasks whose reports have grown and whose last check is an hour ago."""
        tasks_with_alarms = 0
        after = ""
        while page := self._store.list_tasks(TASKS_PER_PAGE, after):
            after = page[-1].task.id
            ids = [stored.task.id for stored in page]
            counts, checked = self._store.report_counts(ids), self.find_all(ids)
            for stored in page:
                found, reports = checked.get(stored.task.id), counts[stored.task.id]
                has_grown = reports >= MIN_REPORTS and (found is None or reports != found.reports)
                if has_grown and stored.reports_forgotten is None:
                    found = self._check(stored.task, reports) or found
                tasks_with_alarms += found is not None and bool(found.alarms.unusual)
        self._metrics.set_alarms(tasks_with_alarms)

    def find_all(self, task_ids: Sequence[str]) -> dict[str, CheckedReports]:
        """Return what the last checks of some tasks found, of those that were checked."""
        return parse_checks(self._store.alarm_checks(task_ids))

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


# Often, so that few parts accumulate: merging many holds uploads up for longer.
SECONDS_BETWEEN = 0.25
# As far back as the database's log should tell which reports and invitations came together.
SECONDS_BETWEEN_ERASURES = 1.0
# Sessions whose time is over are refused already; what is stored of them goes now and then.
SECONDS_BETWEEN_SESSIONS = 3600.0
# How soon a task whose check is due is checked for alarms.
SECONDS_BETWEEN_ALARMS = 60.0
# A round is added one round ahead: this only decides how soon rounds come after a failure or a change of the
# clock.
SECONDS_BETWEEN_ROUNDS = 60.0
# How soon a batch that is due is asked for.
SECONDS_BETWEEN_BATCHES = 30.0


class Maintenance:
    """The work of one collector that no request asks for.

    `keep_days` after its closing a task's reports are deleted, once the clock has been steady for an hour and no
    early close can be undone any more; None if they are kept. A task in the bin is deleted when its days are over.
    """

    def __init__(
        self,
        contracts: Contracts,
        compactor: Compactor,
        alarm_watch: AlarmWatch,
        threads: ThreadPoolExecutor,
        *,
        keep_days: int | None,
        fetcher: BatchFetcher,
    ) -> None:
        self._fetcher = fetcher
        self._contracts, self._store, self._today = contracts, contracts.store, contracts.today
        self._compactor, self._alarm_watch = compactor, alarm_watch
        self._work = BackgroundWork(threads)
        self._keep_days = keep_days
        self._steady_day = SteadyDay(self._today)
        self._finished = "", False

    async def run(self) -> None:
        """Do everything again and again until cancelled; no error ends it."""
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._compact_and_finish())
            # Compacting may take seconds: nothing else waits for it.
            for work, seconds in (
                (self._store.erase_deleted, SECONDS_BETWEEN_ERASURES),
                (lambda: self._store.end_expired_sessions(int(time.time())), SECONDS_BETWEEN_SESSIONS),
                (self._alarm_watch.check_due, SECONDS_BETWEEN_ALARMS),
                (self._add_rounds, SECONDS_BETWEEN_ROUNDS),
                (self._fetcher.fetch_due, SECONDS_BETWEEN_BATCHES),
            ):
                loops.create_task(self._work.repeat(seconds, work))

    async def _compact_and_finish(self) -> None:
        await self._work.succeeds(self._compactor.prepare_all)
        await self._work.repeat(SECONDS_BETWEEN, self._compactor.compact_all, self._finish_once_per_day)

    def _add_rounds(self) -> None:
        self._contracts.rounds.add_due(self._today())

    async def add_due_rounds(self) -> None:
        """Add the rounds of all series that are due; what fails is logged, and tried again while it runs."""
        await self._work.succeeds(self._add_rounds)

    def _finish_once_per_day(self) -> None:
        day, is_steady = now = self._today(), self._steady_day.is_steady
        if now != self._finished:
            self.finish_closed_tasks(self._keep_days if is_steady else None, day)
            if is_steady:
                self.empty_bin(day)
            self._finished = now

    def finish_closed_tasks(self, keep_days: int | None, day: str) -> None:
        """Merge all parts of closed tasks into one, and delete their reports some days after closing.

        Parts of few reports could reveal which reports came together. `keep_days` is None if reports are
        kept.
        """
        closed = [stored for stored in self._store.all_tasks() if stored.phase(day) is Phase.CLOSED]
        do_each(partial(self._finish_task, stored, keep_days, day) for stored in closed)

    def _finish_task(self, stored: StoredTask, keep_days: int | None, day: str) -> None:
        self._compactor.compact(stored.task.id, fully=True)
        if keep_days is None or stored.reports_forgotten is not None or self._is_batch_to_come(stored.task):
            return
        # The first day on which the task took no more reports.
        closed = min(day for day in (stored.closed, stored.task.closes) if day is not None)
        if self._can_be_reopened(stored, day):
            # Reports are what repeats are recognised by: a task without them cannot be opened again.
            return
        if (dt.date.fromisoformat(day) - dt.date.fromisoformat(closed)).days >= keep_days:
            self._store.forget_reports(stored.task.id, day)
            log("reports_forgotten", task=stored.task.id)

    def _can_be_reopened(self, stored: StoredTask, day: str) -> bool:
        task = stored.task
        if task.series is None:
            return stored.reopen_until(day) is not None
        # A round opens again with its series, until its closing day.
        series = self._store.find_series(task.series.id)
        return series is not None and series.reopen_until(day) is not None and (task.closes or day) > day

    def empty_bin(self, day: str) -> None:
        """Delete for good the tasks whose time in the bin is over, and what opens the reports of mixed ones."""
        expired = [stored for stored in self._store.binned_tasks() if stored.is_expired(day)]
        do_each(partial(self._delete_for_good, stored.task.id, day) for stored in expired)

    def _delete_for_good(self, task_id: str, day: str) -> None:
        self._contracts.forget_key(task_id)
        self._store.delete_task(task_id, day, expired=True)
        log("task_deleted", task=task_id)

    def _is_batch_to_come(self, task: Task) -> bool:
        batch = self._store.find_batch(task.id) if task.mixer is not None else None
        return batch is not None and not batch.is_final
