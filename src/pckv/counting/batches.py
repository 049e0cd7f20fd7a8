"""Counting record batches of reports: sound ones are counted, others refused or passed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Messages
from pckv.errors import DataError, ReportError, require
from pckv.files.reports.format import message_column
from pckv.tally import Tally
from pckv.tally.kernels.planes import plane_problems
from pckv.task import Task

Flags = NDArray[np.bool_]


class Fault(NamedTuple):
    """Something that is wrong with some rows, and how it is said of one of them."""

    rows: Flags
    said: str
    values: NDArray[np.int64] | None = None

    def of(self, row: int) -> str:
        """What is wrong with a row."""
        return self.said if self.values is None else self.said.format(self.values[row])


class Problem(NamedTuple):
    """Reports that cannot be counted: where they are, what is wrong, how many (None: a whole file)."""

    where: str
    reason: str
    reports: int | None

    def refused(self) -> DataError:
        """The same as an error."""
        return DataError(f"{self.where}: {self.reason}")


@dataclass
class Counted:
    """A tally, and what was passed over on the way to it."""

    tally: Tally
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)

    def merge(self, other: Counted) -> None:
        """Add what was counted elsewhere."""
        self.tally.merge(other.tally)
        self.repeated += other.repeated
        self.problems += other.problems


def count_batch(counted: Counted, batch: Any, where: str, start: int = 0, *, skip: bool) -> None:
    """Count the reports of a record batch; what is wrong with some is an error, or a problem noted."""
    task = counted.tally.task
    messages = _all_messages(task, batch)
    if messages is not None:
        try:
            counted.tally.add_many(messages)
        except ReportError:
            pass
        else:
            return
    sound, problems = sift(task, batch, where, start)
    if not skip:
        raise problems[0].refused()
    counted.problems += problems
    counted.tally.add_many(messages_of(task, batch.filter(sound)))


def messages_of(task: Task, batch: Any) -> Messages:
    """The messages of a record batch without missing ones or ones of another length."""
    column = batch.column(message_column(task))
    if task.word_limit is None:
        return plane_rows(column, task.channel.body_bytes)
    words: NDArray[np.int64] = column.to_numpy()
    return words


def plane_rows(column: Any, size: int) -> NDArray[np.uint8]:
    """A column of bodies of one size as the rows of an array."""
    rows = column.cast(require("pyarrow", extra="files").binary(size))
    data = np.frombuffer(rows.buffers()[1] or b"", np.uint8)
    return data[rows.offset * size : (rows.offset + len(rows)) * size].reshape(-1, size)


def _all_messages(task: Task, batch: Any) -> Messages | None:
    """All messages of a record batch, if there is nothing wrong that shows before they are counted."""
    if any(column.null_count for column in batch.columns):
        return None
    try:
        return messages_of(task, batch)
    except require("pyarrow", extra="files").ArrowInvalid:
        return None


def sift(task: Task, batch: Any, where: str, start: int = 0) -> tuple[Any, list[Problem]]:
    """Which reports of a record batch are sound, and what is wrong with the others."""
    sound = np.ones(len(batch), np.bool_)
    problems = []
    for fault in _faults(task, batch):
        wrong = np.flatnonzero(fault.rows & sound)
        if wrong.size:
            said = f"report {start + wrong[0]}: {fault.of(int(wrong[0]))}"
            problems.append(Problem(where, said, wrong.size))
            sound[wrong] = False
    return require("pyarrow", extra="files").array(sound), problems


def _faults(task: Task, batch: Any) -> Iterator[Fault]:
    """Everything that can be wrong with reports."""
    for name in batch.schema.names:
        yield Fault(batch.column(name).is_null().to_numpy(zero_copy_only=False), f"no {name}")
    column = batch.column(message_column(task))
    yield from _word_faults(task, column) if task.word_limit is not None else _plane_faults(task, column)


def _word_faults(task: Task, column: Any) -> Iterator[Fault]:
    words = column.fill_null(0).to_numpy()
    limit = task.word_limit or 0
    yield Fault(words.view(np.uint64) >= np.uint64(limit), f"word {{}} is not below {limit}", words)


def _plane_faults(task: Task, column: Any) -> Iterator[Fault]:
    compute = require("pyarrow.compute", extra="files")
    size = task.channel.body_bytes
    lengths = compute.binary_length(column).fill_null(-1).to_numpy()
    yield Fault(lengths != size, f"a body has {size} bytes, not {{}}", lengths)
    whole = np.flatnonzero(lengths == size)
    for problem, rows in plane_problems(plane_rows(column.take(whole), size), task.key_count):
        wrong = np.zeros(len(column), np.bool_)
        wrong[whole[rows]] = True
        yield Fault(wrong, problem)
