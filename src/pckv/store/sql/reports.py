"""Transactions on reports, the parts that count them, the days on which they came, and invitations."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

from pckv.base.limits import SERVER_COIN
from pckv.base.wire import Report
from pckv.store import duplicates
from pckv.store.base import (
    InvitationCounts,
    InvitationState,
    Part,
    PartChanges,
    PartSummary,
    ReportDay,
    ReportOutcome,
    StoredPart,
    Upload,
)
from pckv.store.parts import new_part
from pckv.store.sql.contracts import TASK_NUMBER, TaskRow, find_row
from pckv.store.sql.transactions import Transaction, TransactionConflict

Row = TypeVar("Row", bound=tuple[Any, ...])

_COUNT_DAY = """
    INSERT INTO report_days (task, day, reports) VALUES ($1, $2, $3)
    ON CONFLICT (task, day) DO UPDATE SET reports = report_days.reports + excluded.reports
"""
_ADD_PART = "INSERT INTO parts (task, number, reports, uncounted, content) VALUES ($1, $2, $3, $4, $5)"
_PART = f"SELECT number, reports, uncounted, content FROM parts WHERE task = {TASK_NUMBER}"  # noqa: S608
_SUMMARY = f"SELECT number, uncounted, length(content) FROM parts WHERE task = {TASK_NUMBER} ORDER BY number"  # noqa: S608
_COUNT = f"SELECT coalesce(sum(reports), 0) FROM parts WHERE task = {TASK_NUMBER}"  # noqa: S608
_TO_COMPACT = """
    SELECT tasks.id FROM parts JOIN tasks ON tasks.number = parts.task GROUP BY tasks.id
    HAVING count(*) >= $1 OR sum(parts.uncounted) >= $2 ORDER BY tasks.id
"""
_REPORTS = f"SELECT id, body FROM reports WHERE task = {TASK_NUMBER} AND id > $2 ORDER BY id LIMIT $3"  # noqa: S608
_DAYS = f"SELECT day, reports FROM report_days WHERE task = {TASK_NUMBER} ORDER BY day"  # noqa: S608
_LAST_DAY = f"SELECT max(day) FROM report_days WHERE task = {TASK_NUMBER}"  # noqa: S608
_INVITATION_COUNTS = f"SELECT count(*), coalesce(sum(spent), 0) FROM invitations WHERE task = {TASK_NUMBER}"  # noqa: S608
_INVITATION = f"SELECT spent FROM invitations WHERE task = {TASK_NUMBER} AND hash = $2"  # noqa: S608


def add_reports(tx: Transaction, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
    """Add the reports of many requests, which came on a day, in one transaction.

    Return one outcome per report. A known id is recognised before its invitation is checked. An unknown task
    counts as gone.
    """
    batches = duplicates.group_by_task(uploads)
    # Rows of all tables are locked in the order of task, then key: collectors cannot deadlock.
    rows = {task_id: find_row(tx, task_id, tx.for_share) for task_id in batches}
    decisions = {task_id: _add(tx, rows[task_id], batch) for task_id, batch in batches.items()}
    # Counted last: other collectors wait for the row of the day until this transaction ends.
    for task_id, decision in decisions.items():
        row = rows[task_id]
        if row is not None:
            _count_day(tx, row, decision, day)
    return duplicates.outcomes_per_upload(uploads, decisions)


def _add(tx: Transaction, row: TaskRow | None, batch: duplicates.TaskBatch) -> duplicates.BatchDecision:
    if row is None:
        return duplicates.refuse_all(batch, ReportOutcome.TASK_GONE)
    if row.closed or row.reports_forgotten or row.binned:
        return duplicates.refuse_all(batch, ReportOutcome.TASK_CLOSED)
    if row.by_invitation:
        by_coin = tx.contracts.tasks.find(tx, row.id).coin == SERVER_COIN
        decision = add_invited(tx, row.number, batch, by_coin=by_coin)
    else:
        decision = add_open(tx, row.number, batch)
    _count(tx, row, decision)
    return decision


def count_stored(tx: Transaction, row: TaskRow, decision: duplicates.BatchDecision, day: str) -> None:
    """Count the reports of one task that were stored on a day."""
    _count(tx, row, decision)
    _count_day(tx, row, decision, day)


def _count(tx: Transaction, row: TaskRow, decision: duplicates.BatchDecision) -> None:
    if decision.stored:
        task = tx.contracts.tasks.find(tx, row.id)
        _add_part(tx, row.number, new_part(task, [report.body for report in decision.stored]))


def _count_day(tx: Transaction, row: TaskRow, decision: duplicates.BatchDecision, day: str) -> None:
    if decision.stored:
        tx.change(_COUNT_DAY, row.number, day, len(decision.stored))


def add_open(tx: Transaction, task: int, batch: duplicates.TaskBatch) -> duplicates.BatchDecision:
    """Insert first and look for repeats afterwards: nearly all reports are new."""
    reports = duplicates.unique_by_id(batch.reports)
    known = tx.insert_reports(task, reports)
    if not known and len(reports) == len(batch.reports):
        return duplicates.BatchDecision([ReportOutcome.STORED] * len(reports), reports)
    return duplicates.decide(batch, known)


def add_invited(tx: Transaction, task: int, batch: duplicates.TaskBatch, *, by_coin: bool) -> duplicates.BatchDecision:
    """Lock the invitations, then look for repeats: what was stored meanwhile is seen."""
    hashes = {invitation for invitation in batch.invitations if invitation is not None}
    invitations = tx.lock_invitations(task, sorted(hashes))
    known = tx.bodies(task, sorted({report.id for report in batch.reports}))
    decision = duplicates.decide(batch, known, invitations, by_coin=by_coin)
    if tx.insert_reports(task, duplicates.unique_by_id(decision.stored)):
        # The same id was stored meanwhile with another invitation; this one must not be spent as well.
        raise TransactionConflict
    tx.spend_invitations(task, sorted(decision.spent))
    return decision


def _add_part(tx: Transaction, task: int, part: Part) -> None:
    tx.change(_ADD_PART, task, secrets.randbits(63), *part)


def reports_after(tx: Transaction, task_id: str, after: bytes, limit: int) -> list[Report]:
    """Return some reports of a task in the order of their ids, starting after a given id."""
    return [Report(*row) for row in tx.rows(_REPORTS, task_id, after, limit)]


def pages(fetch: Callable[[Any], list[Row]], start: object) -> Iterator[list[Row]]:
    """Yield pages of rows, whose first field is their key, until there are no more."""
    while page := fetch(start):
        yield page
        start = page[-1][0]


def parts(tx: Transaction, task_id: str) -> list[StoredPart]:
    """Return the parts that add up to the task's tally, in an order that does not reveal arrival."""
    return [StoredPart(*row) for row in tx.rows(f"{_PART} ORDER BY number", task_id)]


def find_parts(tx: Transaction, task_id: str, numbers: Sequence[int]) -> list[StoredPart]:
    """Return the parts with the given numbers; those that were replaced meanwhile are left out."""
    return [StoredPart(*row) for number in numbers for row in tx.rows(f"{_PART} AND number = $2", task_id, number)]


def part_changes(tx: Transaction, task_id: str, known: Collection[int]) -> PartChanges:
    """Return the parts that came since those with the known numbers were read, as of one moment."""
    numbers = [part.number for part in part_summaries(tx, task_id)]
    replaced = not set(known) <= set(numbers)
    wanted = [number for number in numbers if replaced or number not in known]
    found = find_parts(tx, task_id, wanted)
    if len(found) < len(wanted):
        # One of them was replaced between two statements.
        raise TransactionConflict
    return PartChanges(replaced, found)


def part_summaries(tx: Transaction, task_id: str) -> list[PartSummary]:
    """Return a task's parts without their contents; a part never changes, so equal numbers mean equal tallies."""
    return [PartSummary(*row) for row in tx.rows(_SUMMARY, task_id)]


def replace_parts(tx: Transaction, task_id: str, numbers: Sequence[int], total: Part) -> int:
    """Replace parts by their sum; return how many, 0 if another transaction has replaced one of them."""
    row = find_row(tx, task_id, tx.for_share)
    if row is None or not tx.delete_parts(row.number, numbers):
        return 0
    _add_part(tx, row.number, total)
    return len(numbers)


def tasks_to_compact(tx: Transaction, parts: int, uncounted: int) -> list[str]:
    """Return the ids of the tasks that have at least this many parts, or uncounted reports."""
    return [task_id for (task_id,) in tx.rows(_TO_COMPACT, parts, uncounted)]


def report_counts(tx: Transaction, task_ids: Sequence[str]) -> dict[str, int]:
    """Return how many reports each task's parts count, without decoding them; 0 for an unknown task."""
    return {task_id: int(tx.rows(_COUNT, task_id)[0][0]) for task_id in task_ids}


def report_days(tx: Transaction, task_id: str) -> list[ReportDay]:
    """Return the days on which reports of a task came, in order; none for an unknown task."""
    return [ReportDay(*row) for row in tx.rows(_DAYS, task_id)]


def last_report_days(tx: Transaction, task_ids: Sequence[str]) -> dict[str, str]:
    """Return the last day on which a report came, of those tasks that have one."""
    days = {task_id: tx.rows(_LAST_DAY, task_id)[0][0] for task_id in task_ids}
    return {task_id: day for task_id, day in days.items() if day is not None}


def add_invitations(tx: Transaction, task_id: str, hashes: Sequence[bytes]) -> bool:
    """Add one-time tokens of a task, which from now on takes reports by invitation only.

    Return False if the task is unknown. Tokens that are stored already stay as they are.
    """
    row = find_row(tx, task_id, tx.for_update)
    if row is None:
        return False
    if not row.by_invitation:
        tx.change("UPDATE tasks SET by_invitation = 1 WHERE number = $1", row.number)
    tx.insert_invitations(row.number, sorted(set(hashes)))
    return True


def invitation_counts(tx: Transaction, task_id: str) -> InvitationCounts:
    """Return how many invitations of a task were made, and how many of them were used; 0 for an unknown task."""
    [(made, used)] = tx.rows(_INVITATION_COUNTS, task_id)
    return InvitationCounts(made, int(used))


def invitation_state(tx: Transaction, task_id: str, invitation: bytes) -> InvitationState:
    """Return whether an invitation, given by its hash, admits a report of a task."""
    rows = tx.rows(_INVITATION, task_id, invitation)
    if not rows:
        return InvitationState.UNKNOWN
    return InvitationState.SPENT if rows[0][0] else InvitationState.VALID


def issue_coin(tx: Transaction, task_id: str, invitation: bytes, coin: bytes) -> bytes | InvitationState:
    """Return the coin of an invitation: the given one, unless it has one already.

    If the invitation admits no report, return its state. The coin is erased when the report is stored.
    """
    row = find_row(tx, task_id, tx.for_share)
    stored = tx.lock_invitations(row.number, [invitation]).get(invitation) if row else None
    if row is None or stored is None:
        return InvitationState.UNKNOWN
    if stored.spent:
        return InvitationState.SPENT
    if stored.coin is not None:
        return stored.coin
    sql = "UPDATE invitations SET coin = $1 WHERE task = $2 AND hash = $3"
    tx.change(sql, coin, row.number, invitation)
    return coin


class Snapshot:
    """A store as it was at one moment."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally."""
        return parts(self._transaction, task_id)

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their ids."""
        return pages(lambda after: reports_after(self._transaction, task_id, after, batch), b"")

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order."""
        return report_days(self._transaction, task_id)
