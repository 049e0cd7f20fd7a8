"""Parts: tallies of some of a task's reports, made from bodies and folded into one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pckv.tally import Tally
from pckv.tally.counts import SparseCounts
from pckv.task import Task

# With this many cells a count, sorting is cheaper than looking through all cells.
CELLS_FOR_SORTING = 16
# What a part spends on a count, if few cells have one.
BYTES_A_COUNT = 16


def tally_of(task: Task, bodies: Sequence[bytes]) -> Tally:
    """The tally of reports, given their bodies."""
    joined = b"".join(bodies)
    if task.word_limit is None:
        tally = Tally(task)
        tally.add_many(np.frombuffer(joined, np.uint8).reshape(-1, task.channel.body_bytes))
        return tally
    tally = _empty(task, len(bodies))
    tally.add_many(np.frombuffer(joined, "<i8").astype(np.int64, copy=False))
    return tally


def _empty(task: Task, counts: float) -> Tally:
    """A tally for about so many counts."""
    words = task.word_limit
    return Tally(task, SparseCounts(words)) if words and words > CELLS_FOR_SORTING * counts else Tally(task)


def worth_folding(sizes: Mapping[int, int], *, all_of_them: bool) -> list[int]:
    """The parts to fold now, given the bytes of each: the smallest, up to the last that all before it outweigh.

    So a large part is only written again when as much has come in beside it, and what is left
    unfolded at least doubles from part to part: few parts, and few writes a report.
    """
    ascending = sorted(sizes, key=lambda number: (sizes[number], number))
    if all_of_them:
        return ascending if len(ascending) > 1 else []
    worth = before = 0
    for place, number in enumerate(ascending, 1):
        if sizes[number] <= before:
            worth = place
        before += sizes[number]
    return ascending[:worth]


def merge_parts(task: Task, parts: Iterable[bytes], size: float = math.inf) -> Tally:
    """The tally that parts add up to, which have so many bytes together."""
    total = _empty(task, size / BYTES_A_COUNT)
    for part in parts:
        total.merge_bytes(part)
    return total
