"""Parts: tallies of some of a task's reports, made from bodies and folded into one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pckv.tally import Tally
from pckv.tally.counts import SparseCounts
from pckv.task import Task
from pckv.wire import Words

# With this many cells a count, sorting is cheaper than looking through all cells.
CELLS_FOR_SORTING = 16
# What a part spends on a count, if few cells have one.
BYTES_A_COUNT = 16


def tally_of(task: Task, bodies: Sequence[bytes]) -> Tally:
    """The tally of reports, given their bodies."""
    tally = _empty(task, len(bodies))
    tally.add_many(task.channel.message_format.to_array(b"".join(bodies)))
    return tally


def _empty(task: Task, counts: float) -> Tally:
    """A tally for about so many counts."""
    message_format = task.channel.message_format
    sparse = isinstance(message_format, Words) and message_format.cells > CELLS_FOR_SORTING * counts
    return Tally(task, SparseCounts(message_format.cells)) if sparse else Tally(task)


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
