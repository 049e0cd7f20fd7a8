"""Transactions of a mixer: accepting contracts, taking sealed reports, releasing a batch, handing it over."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from pckv.base.days import Phase, days_after
from pckv.base.errors import ParameterError
from pckv.base.randomness import Source
from pckv.contract.mixer import KEPT_DAYS, entry_bytes
from pckv.contract.series import Series
from pckv.contract.survey import survey_of
from pckv.contract.task import Task
from pckv.shuffling.permutation import random_order
from pckv.store import duplicates
from pckv.store.base import ReportOutcome, Upload
from pckv.store.sql import contracts, reports
from pckv.store.sql.contracts import TASK_NUMBER, TaskRow, find_row, mark_erasure
from pckv.store.sql.surveys import claim_survey
from pckv.store.sql.transactions import Transaction

DIGEST_BYTES = 32
# Digests that are read together.
DIGESTS_PER_READ = 50_000
# The size of a page of a batch, unless a single sealed report is larger; and the most sealed reports on one.
MAX_PAGE_BYTES, MAX_PAGE_ENTRIES = 2**20, 10_000

# What devices take for the survey of a round of a series.
_ROUND = re.compile(r"(.*), round [0-9]+", re.DOTALL)
_SET_RECIPIENT = """
    INSERT INTO recipients (contract, hash) VALUES ($1, $2) ON CONFLICT (contract) DO UPDATE SET hash = excluded.hash
"""
_ADD_BATCH = "INSERT INTO batches (task, name, least, published_day) VALUES ($1, $2, $3, $4)"
_BATCH = """
    SELECT tasks.id, batches.name, tasks.closes, batches.least, batches.published, batches.published_day,
        batches.state, batches.released, batches.count, batches.sha256, batches.page_entries, batches.acknowledged,
        tasks.series, tasks.by_invitation
    FROM batches JOIN tasks ON tasks.number = batches.task
"""
_DIGESTS = "SELECT id FROM reports WHERE task = $1 AND id > $2 ORDER BY id LIMIT $3"
_PUBLISH = """
    UPDATE batches SET published = entries, published_day = $1 WHERE published_day <> $1 AND state = 'collecting'
"""


class BatchState(StrEnum):
    """What became of the sealed reports of a task."""

    COLLECTING = "collecting"
    RELEASED = "released"
    # Fewer than the task's batch had come by its closing day: deleted unread.
    TOO_FEW = "too few"
    # Acknowledged by the recipient, or kept for 30 days: deleted.
    DONE = "done"


class StoredBatch(NamedTuple):
    """The batch of a task: what is public of it, and what its recipient needs."""

    task: str
    name: str
    closes: str
    least: int
    published: int
    published_day: str
    state: BatchState
    released: str | None
    size: int | None
    sha256: str | None
    page_entries: int | None
    acknowledged: bool
    series: str | None
    by_invitation: bool


def page_entries(task: Task) -> int:
    """Return how many sealed reports a page of the task's batch has; the last page may have fewer."""
    return max(1, min(MAX_PAGE_ENTRIES, MAX_PAGE_BYTES // entry_bytes(task)))


def accept_task(tx: Transaction, task: Task, day: str, token_hash: bytes, *, renew: bool = False) -> bool:
    """Accept a task, whose recipient gets a token; return whether the token was stored.

    It is, if the task is new, or if its recipient gets a new one. A task of a survey that another contract was
    accepted for is refused with a `ParameterError`, a withdrawn one with a `TaskGone`.
    """
    _claim_survey(tx, task.name, task.id)
    added = contracts.add_task(tx, task, day)
    if added:
        _add_batch(tx, task, day)
    return _set_recipient(tx, task.id, token_hash, added=added, renew=renew)


def accept_series(tx: Transaction, series: Series, day: str, token_hash: bytes, *, renew: bool = False) -> bool:
    """Accept a series with all rounds that follow, as `accept_task` does."""
    _claim_survey(tx, series.name, series.id, is_series=True)
    added = contracts.add_series(tx, series, day)
    return _set_recipient(tx, series.id, token_hash, added=added, renew=renew)


def add_round(tx: Transaction, task: Task, day: str) -> bool:
    """Add the task of a round of an accepted series; return False if nothing was added."""
    added = contracts.add_round(tx, task, day)
    if added:
        _add_batch(tx, task, day)
    return added


def _claim_survey(tx: Transaction, name: str, contract: str, *, is_series: bool = False) -> None:
    """Let one contract have the survey of a name: the rounds of a series have surveys of their own."""
    # Two operators accept one after the other.
    tx.lock_tokens()
    survey = survey_of(name)
    taken = [claim_survey(tx, name, contract)]
    if is_series:
        others = tx.rows("SELECT survey, contract FROM surveys WHERE survey > $1", f"{survey}, round ")
        taken += [other for named, other in others if _series_of(named) == survey]
    elif (series := _series_of(survey)) is not None:
        sql = "SELECT contract FROM surveys WHERE survey = $1 AND contract IN (SELECT id FROM series)"
        taken += [other for (other,) in tx.rows(sql, series)]
    for other in taken:
        if other != contract:
            raise ParameterError(
                f"{other} was accepted under the name {name!r} before (case and spaces do not count): one task per "
                "survey"
            )


def _series_of(survey: str) -> str | None:
    """Return the survey of the series that a survey is named as a round of."""
    match = _ROUND.fullmatch(survey)
    return match[1] if match else None


def _set_recipient(tx: Transaction, contract: str, token_hash: bytes, *, added: bool, renew: bool) -> bool:
    if added or renew:
        tx.change(_SET_RECIPIENT, contract, token_hash)
        return True
    # After a lost answer to the commit, the repeated transaction finds its own token.
    return is_recipient(tx, contract, token_hash)


def _add_batch(tx: Transaction, task: Task, day: str) -> None:
    assert task.mixer is not None  # noqa: S101
    row = find_row(tx, task.id)
    assert row is not None  # noqa: S101
    tx.change(_ADD_BATCH, row.number, task.name, task.mixer.batch, day)


def is_recipient(tx: Transaction, task_id: str, token_hash: bytes) -> bool:
    """Return whether a token, given by its hash, is that of the recipient of a task, or of its series."""
    rows = tx.rows("SELECT series FROM tasks WHERE id = $1", task_id)
    contract = rows[0][0] or task_id if rows else task_id
    return bool(tx.rows("SELECT 1 FROM recipients WHERE contract = $1 AND hash = $2", contract, token_hash))


def add_sealed(tx: Transaction, uploads: Sequence[Upload], day: str, batches_held: int) -> list[list[ReportOutcome]]:
    """Add the sealed reports of many requests, which came on a day, in one transaction; the same bytes are one entry.

    The id of each is its SHA-256. A task holds at most `batches_held` times its batch.
    """
    by_task = duplicates.group_by_task(uploads)
    decisions = {task_id: _add(tx, task_id, batch, day, batches_held) for task_id, batch in by_task.items()}
    return duplicates.outcomes_per_upload(uploads, decisions)


def _add(
    tx: Transaction, task_id: str, batch: duplicates.TaskBatch, day: str, batches_held: int
) -> duplicates.BatchDecision:
    # A release waits for this row, and then sees what was added; or it was first, which is seen here.
    row = find_row(tx, task_id, tx.for_share)
    if row is None:
        return duplicates.refuse_all(batch, ReportOutcome.TASK_GONE)
    (state, entries, least), *_ = tx.rows(
        f"SELECT state, entries, least FROM batches WHERE task = $1{tx.for_update}",  # noqa: S608
        row.number,
    )
    if state != BatchState.COLLECTING or row.stored(tx).phase(day) is not Phase.OPEN:
        return duplicates.refuse_all(batch, ReportOutcome.TASK_CLOSED)
    room = max(0, least * batches_held - entries)
    first = duplicates.TaskBatch(batch.reports[:room], batch.invitations[:room])
    add = _add_invited if row.by_invitation else reports.add_open
    decision = add(tx, row.number, first)
    rest = batch.reports[room:]
    known = tx.bodies(row.number, sorted({report.id for report in rest})) if rest else {}
    outcomes = [ReportOutcome.KNOWN if report.id in known else ReportOutcome.TASK_FULL for report in rest]
    if decision.stored:
        tx.change("UPDATE batches SET entries = entries + $1 WHERE task = $2", len(decision.stored), row.number)
    return duplicates.BatchDecision(decision.outcomes + outcomes, decision.stored, decision.spent)


def _add_invited(tx: Transaction, task: int, batch: duplicates.TaskBatch) -> duplicates.BatchDecision:
    return reports.add_invited(tx, task, batch, by_coin=False)


def release(tx: Transaction, task_id: str, day: str, source: Source = os.urandom) -> BatchState | None:
    """Release the batch of a task on its closing day or later: once, and never earlier; None if nothing was to do.

    The sealed reports are sorted by their digests, and one uniform permutation gives each its position: the batch
    depends on their set and the source alone. Fewer than the task's batch are deleted unread.
    """
    row = find_row(tx, task_id, tx.for_update)
    if row is None or find_state(tx, row) is not BatchState.COLLECTING:
        return None
    task = tx.contracts.tasks.find(tx, task_id)
    if task.mixer is None or task.closes is None or day < task.closes:
        return None
    digests = _read_digests(tx, row.number)
    count = len(digests) // DIGEST_BYTES
    if count < task.mixer.batch:
        state = BatchState.TOO_FEW
        tx.change("UPDATE batches SET state = $1, released = $2 WHERE task = $3", state.value, day, row.number)
    else:
        state = BatchState.RELEASED
        sha256 = _write_pages(tx, row.number, task, digests, source)
        sql = "UPDATE batches SET state = $1, released = $2, count = $3, sha256 = $4, page_entries = $5 WHERE task = $6"
        tx.change(sql, state.value, day, count, sha256, page_entries(task), row.number)
    # Whatever a clock shows later: a device that is admitted spends its ε on a report that is refused.
    tx.change("UPDATE tasks SET closed = coalesce(closed, $1) WHERE number = $2", day, row.number)
    # Invitations are not needed any more.
    for table in ("reports", "invitations"):
        tx.change(f"DELETE FROM {table} WHERE task = $1", row.number)  # noqa: S608
    mark_erasure(tx, task_id)
    return state


def _read_digests(tx: Transaction, task: int) -> bytes:
    """Return the digests of a task's sealed reports, in ascending order, one after the other."""
    pages = reports.pages(lambda after: tx.rows(_DIGESTS, task, after, DIGESTS_PER_READ), b"")
    return b"".join(b"".join(digest for (digest,) in page) for page in pages)


def _write_pages(tx: Transaction, number: int, task: Task, digests: bytes, source: Source) -> str:
    """Write all sealed reports in a random order, page by page; return the SHA-256 of all."""
    order = random_order(len(digests) // DIGEST_BYTES, source)
    size, whole = page_entries(task), hashlib.sha256()
    for page, start in enumerate(range(0, len(order), size)):
        places = (DIGEST_BYTES * int(rank) for rank in order[start : start + size])
        wanted = [digests[place : place + DIGEST_BYTES] for place in places]
        # Looked up in the order of the digests, which is that of the table.
        bodies = tx.bodies(number, sorted(wanted))
        content = b"".join(bodies[digest] for digest in wanted)
        tx.change("INSERT INTO pages (task, number, content) VALUES ($1, $2, $3)", number, page, content)
        whole.update(content)
    return whole.hexdigest()


def find_state(tx: Transaction, row: TaskRow) -> BatchState:
    """Return what became of the sealed reports of a task."""
    return BatchState(tx.rows("SELECT state FROM batches WHERE task = $1", row.number)[0][0])


def find_batch(tx: Transaction, task_id: str) -> StoredBatch | None:
    """Return the batch of a task; None if the task is unknown."""
    rows = tx.rows(f"{_BATCH} WHERE tasks.id = $1", task_id)
    return _batch_of(rows[0]) if rows else None


def list_batches(tx: Transaction, limit: int, after: str = "") -> list[StoredBatch]:
    """Return batches in the order of their tasks' ids, starting after a given id."""
    return [_batch_of(row) for row in tx.rows(f"{_BATCH} WHERE tasks.id > $1 ORDER BY tasks.id LIMIT $2", after, limit)]


def _batch_of(row: Sequence[object]) -> StoredBatch:
    batch = StoredBatch(*row)  # type: ignore[arg-type]
    return batch._replace(
        state=BatchState(batch.state), acknowledged=bool(batch.acknowledged), by_invitation=bool(batch.by_invitation)
    )


def find_page(tx: Transaction, task_id: str, number: int) -> bytes | None:
    """Return a page of a released batch, None if there is none."""
    rows = tx.rows(f"SELECT content FROM pages WHERE task = {TASK_NUMBER} AND number = $2", task_id, number)  # noqa: S608
    return bytes(rows[0][0]) if rows else None


def acknowledge(tx: Transaction, task_id: str, sha256: str) -> bool:
    """Delete a batch that its recipient has whole; return whether it was the one of this task.

    Acknowledging it again changes nothing.
    """
    row = find_row(tx, task_id, tx.for_update)
    batch = find_batch(tx, task_id)
    if row is None or batch is None or batch.sha256 != sha256:
        return False
    if batch.state is BatchState.RELEASED:
        _delete_pages(tx, row, acknowledged=True)
    return True


def expire(tx: Transaction, task_id: str, day: str) -> bool:
    """Delete a batch that was not acknowledged for 30 days; return whether it was deleted now."""
    row = find_row(tx, task_id, tx.for_update)
    batch = find_batch(tx, task_id)
    if row is None or batch is None or batch.state is not BatchState.RELEASED or not is_expired(batch, day):
        return False
    _delete_pages(tx, row, acknowledged=False)
    return True


def is_expired(batch: StoredBatch, day: str) -> bool:
    """Return whether a released batch has been kept for 30 days by a day."""
    last = days_after(batch.released or day, KEPT_DAYS)
    return last is not None and day >= last


def _delete_pages(tx: Transaction, row: TaskRow, *, acknowledged: bool) -> None:
    sql = "UPDATE batches SET state = $1, acknowledged = $2 WHERE task = $3"
    tx.change(sql, BatchState.DONE.value, int(acknowledged), row.number)
    tx.change("DELETE FROM pages WHERE task = $1", row.number)
    mark_erasure(tx, row.id)


def publish_counts(tx: Transaction, day: str) -> None:
    """Renew the numbers of waiting reports that are public, once per day."""
    tx.change(_PUBLISH, day)


def withdraw(tx: Transaction, task_id: str, day: str) -> bool:
    """Delete a task with its sealed reports, unread; return False if it is unknown. Its survey stays taken."""
    row = find_row(tx, task_id, tx.for_update)
    if row is None:
        return False
    entries = tx.rows("SELECT entries FROM batches WHERE task = $1", row.number)[0][0]
    for table in ("reports", "pages", "invitations", "batches"):
        tx.change(f"DELETE FROM {table} WHERE task = $1", row.number)  # noqa: S608
    tx.change("DELETE FROM tasks WHERE number = $1", row.number)
    tx.change("INSERT INTO deletions VALUES ($1, $2, $3)", task_id, day, entries)
    mark_erasure(tx, task_id)
    return True


def unreleased_rounds(tx: Transaction, series_id: str) -> list[str]:
    """Return the ids of the rounds of a series whose sealed reports wait."""
    sql = f"{_BATCH} WHERE tasks.series = $1 AND batches.state = 'collecting' ORDER BY tasks.id"
    return [_batch_of(row).task for row in tx.rows(sql, series_id)]
