"""Counting record batches of reports: valid reports are counted, others are refused or skipped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pckv.base.arrays import Messages
from pckv.base.errors import DataError, ReportError, require
from pckv.contract.task import Task
from pckv.files.reports.columns import InvalidRows, message_column
from pckv.tally import Tally


class BadReports(NamedTuple):
    """Reports that cannot be counted: where they are, why, and how many there are (None: a whole file)."""

    where: str
    reason: str
    reports: int | None

    def to_error(self) -> DataError:
        """Return the error that refuses them."""
        return DataError(self.reason, place=self.where)


@dataclass
class CountResult:
    """A tally, and what was not counted into it."""

    tally: Tally
    # How many reports had an id that was counted before.
    repeated: int = 0
    skipped: list[BadReports] = field(default_factory=list)

    def merge(self, other: CountResult) -> None:
        """Add another result."""
        self.tally.merge(other.tally)
        self.repeated += other.repeated
        self.skipped += other.skipped


def count_batch(result: CountResult, batch: Any, where: str, start: int = 0, *, skip_bad: bool) -> None:
    """Count the reports of a record batch; bad ones are an error, or noted as skipped.

    `where` is the batch's place in messages, and `start` the number of its first report there.
    """
    task = result.tally.task
    messages = _messages_if_whole(task, batch)
    if messages is not None:
        try:
            result.tally.add_many(messages)
        except ReportError:
            pass
        else:
            return
    valid, bad = check_batch(task, batch, where, start)
    if not skip_bad:
        raise bad[0].to_error()
    result.skipped += bad
    result.tally.add_many(batch_messages(task, batch.filter(valid)))


def batch_messages(task: Task, batch: Any) -> Messages:
    """Return the messages of a record batch that has no nulls and no bodies of another length."""
    column = message_column(task)
    return column.to_messages(batch.column(column.name))


def _messages_if_whole(task: Task, batch: Any) -> Messages | None:
    """Return all messages of a record batch, unless one is missing or of another length."""
    if any(column.null_count for column in batch.columns):
        return None
    try:
        return batch_messages(task, batch)
    except require("pyarrow", extra="files").ArrowInvalid:
        return None


def check_batch(task: Task, batch: Any, where: str, start: int = 0) -> tuple[Any, list[BadReports]]:
    """Return which reports of a record batch are valid, and what is wrong with the others."""
    valid = np.ones(len(batch), np.bool_)
    bad = []
    for invalid in _invalid_rows(task, batch):
        rows = np.flatnonzero(invalid.rows & valid)
        if rows.size:
            reason = f"report {start + rows[0]}: {invalid.describe(int(rows[0]))}"
            bad.append(BadReports(where, reason, rows.size))
            valid[rows] = False
    return require("pyarrow", extra="files").array(valid), bad


def _invalid_rows(task: Task, batch: Any) -> Iterator[InvalidRows]:
    for name in batch.schema.names:
        yield InvalidRows(batch.column(name).is_null().to_numpy(zero_copy_only=False), f"no {name}")
    column = message_column(task)
    yield from column.invalid_rows(batch.column(column.name))
