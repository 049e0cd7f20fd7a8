"""Shuffled messages in blocks whose sizes tell nothing, each message under a fresh random id."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np

from pckv.base.arrays import Messages
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.randomness import Source
from pckv.contract.task import Task
from pckv.files.reports.columns import message_column
from pckv.files.reports.writer import ReportArrays, rows_per_group


def report_blocks(
    task: Task, parts: Iterable[Messages], source: Source = os.urandom
) -> Iterator[ReportArrays]:
    """Yield messages under new ids, a row group at a time.

    All blocks but the last have the size of a row group, however the messages come: a file or stream that is
    written from them depends on the messages in their order, the ids and the task, and on nothing else.
    """
    for messages in _equal_parts(task, parts):
        ids = np.frombuffer(source(REPORT_ID_BYTES * len(messages)), np.uint8)
        yield ids.reshape(-1, REPORT_ID_BYTES), messages


def _equal_parts(task: Task, parts: Iterable[Messages]) -> Iterator[Messages]:
    kind, size = message_column(task).array_type, rows_per_group(task)
    block, filled = np.empty(size, kind), 0
    for part in parts:
        start = 0
        while start < len(part):
            count = min(size - filled, len(part) - start)
            block[filled : filled + count] = part[start : start + count]
            start, filled = start + count, filled + count
            if filled == size:
                yield block
                block, filled = np.empty(size, kind), 0
    if filled:
        yield block[:filled]
