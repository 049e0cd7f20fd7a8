"""Parts: tallies of some of a task's reports, made from bodies and folded into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pckv.tally import Tally
from pckv.tally.counts import SparseCounts
from pckv.task import Task

# With this many cells a report, sorting the words is cheaper than looking through all cells.
CELLS_FOR_SORTING = 16


def tally_of(task: Task, bodies: Sequence[bytes]) -> Tally:
    """The tally of reports, given their bodies."""
    tally = Tally(task)
    joined = b"".join(bodies)
    if task.word_limit is None:
        tally.add_many(np.frombuffer(joined, np.uint8).reshape(-1, task.channel.body_bytes))
        return tally
    if tally.cells > CELLS_FOR_SORTING * len(bodies):
        tally.counts = SparseCounts(tally.cells)
    tally.add_many(np.frombuffer(joined, "<i8").astype(np.int64, copy=False))
    return tally


def merge_parts(task: Task, parts: Iterable[bytes]) -> Tally:
    """The tally that parts add up to."""
    total = Tally(task)
    for part in parts:
        total.merge_bytes(part)
    return total
