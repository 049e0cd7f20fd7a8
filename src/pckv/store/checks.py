"""Checking a store: its files, its tasks, and that parts add up to the tally of the reports."""

from __future__ import annotations

from pckv.base.errors import PckvError, StoreError
from pckv.base.limits import MAX_ROUNDS
from pckv.base.wire import check_id
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import StoredTask
from pckv.store.parts import are_words, merge_parts
from pckv.store.sql.reports import Snapshot
from pckv.store.store import Store
from pckv.tally import Tally


def check_store(store: Store) -> list[str]:
    """Return everything that is wrong with a store, one line each; the store may be in use meanwhile."""
    problems = store.integrity_errors()
    try:
        for series in store.all_series():
            problems += _check_rounds(store, series.series)
        for stored in store.all_tasks():
            # One snapshot per task: a long one would keep the database from cleaning up.
            with store.snapshot() as snapshot:
                problems += _check_task(snapshot, stored)
            if stored.binned is None:
                problems += _check_membership(store, stored.task)
    except StoreError as error:
        problems.append(str(error))
    return problems


def _check_rounds(store: Store, series: Series) -> list[str]:
    """Return which tasks stand in the place of a round, and are not that round."""
    rounds = store.rounds(series.id, MAX_ROUNDS)
    return [
        f"series {series.id}: task {one.task} is not its round {one.number:,}"
        for one in rounds
        if series.round_on(one.opens) != one.number or series.task_of(one.number).id != one.task
    ]


def _check_membership(store: Store, task: Task) -> list[str]:
    """Return whether a task that is a round of a series is missing there."""
    if task.series is None:
        return []
    listed = store.rounds(task.series.id, 1, task.series.round + 1)
    known = store.find_series(task.series.id) is not None
    # It may have been deleted since it was listed.
    if (known and [one.task for one in listed] == [task.id]) or store.find_task(task.id) is None:
        return []
    return [f"task {task.id}: series {task.series.id} does not have it as round {task.series.round:,}"]


def _check_task(snapshot: Snapshot, stored: StoredTask) -> list[str]:
    task = stored.task
    try:
        parts = _tally_of_parts(snapshot, task)
    except PckvError as error:
        return [f"task {task.id}: {error}"]
    if stored.reports_forgotten is not None:
        left = sum(map(len, snapshot.reports(task.id)))
        if left:
            return [f"task {task.id}: {left:,} reports are left that were to be forgotten"]
        return _check_days(snapshot, parts)
    try:
        reports = _tally_of_reports(snapshot, task)
    except PckvError as error:
        return [f"task {task.id}: {error}"]
    if parts == reports:
        return _check_days(snapshot, parts)
    difference = f"its parts count {parts.reports:,} reports, and it has {reports.reports:,}"
    if parts.reports == reports.reports:
        difference = f"its parts are not the tally of its {reports.reports:,} reports"
    return [f"task {task.id}: {difference}"]


def _check_days(snapshot: Snapshot, parts: Tally) -> list[str]:
    task_id = parts.task.id
    counted = sum(day.reports for day in snapshot.report_days(task_id))
    if counted == parts.reports:
        return []
    return [f"task {task_id}: its days count {counted:,} reports, and its parts {parts.reports:,}"]


def _tally_of_parts(snapshot: Snapshot, task: Task) -> Tally:
    total = Tally(task)
    for part in snapshot.parts(task.id):
        tally = merge_parts(task, [part.content])
        if tally.reports != part.reports:
            raise StoreError(f"part {part.number} counts {tally.reports:,} reports, not {part.reports:,}")
        uncounted = tally.reports if are_words(part.content) else 0
        if uncounted != part.uncounted:
            raise StoreError(f"part {part.number} has {uncounted:,} uncounted reports, not {part.uncounted:,}")
        total.merge(tally)
    return total


def _tally_of_reports(snapshot: Snapshot, task: Task) -> Tally:
    total = Tally(task)
    for batch in snapshot.reports(task.id):
        for report_id, body in batch:
            try:
                check_id(report_id)
                task.message_format.decode(body)
            except PckvError as error:
                raise StoreError(f"report {report_id.hex()}: {error}") from None
        total.add_many(task.message_format.to_array(b"".join(report.body for report in batch)))
    return total
