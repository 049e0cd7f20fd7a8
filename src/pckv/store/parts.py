"""Parts: tallies of some of a task's reports, built from bodies and merged into one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pckv.tally import Tally
from pckv.tally.counts import SparseCounts
from pckv.tally.layouts import WordLayout, layout_of
from pckv.task import Task

# With this many cells per count, sorting is cheaper than looking through all cells.
CELLS_FOR_SORTING = 16
# The size of one count in a part in which few cells have one.
BYTES_PER_COUNT = 16


def tally_of(task: Task, bodies: Sequence[bytes]) -> Tally:
    """Return the tally of reports, given their bodies."""
    tally = _empty(task, len(bodies))
    tally.add_many(task.message_format.to_array(b"".join(bodies)))
    return tally


def _empty(task: Task, counts: float) -> Tally:
    """Return an empty tally, in the form that is cheaper for about this many counts."""
    layout = layout_of(task)
    sparse = isinstance(layout, WordLayout) and layout.cells > CELLS_FOR_SORTING * counts
    return Tally(task, SparseCounts(layout.cells) if sparse else None, layout)


def choose_parts_to_merge(sizes: Mapping[int, int], *, fully: bool) -> list[int]:
    """Return the numbers of the parts to merge now, given the size of each in bytes.

    These are the smallest parts, up to the last that is not larger than all smaller ones together. So a large
    part is only written again when as much has come in since, and the sizes of the remaining parts at least
    double from one to the next: few parts, and few writes per report.
    """
    ascending = sorted(sizes, key=lambda number: (sizes[number], number))
    if fully:
        return ascending if len(ascending) > 1 else []
    chosen = smaller = 0
    for rank, number in enumerate(ascending, 1):
        if sizes[number] <= smaller:
            chosen = rank
        smaller += sizes[number]
    return ascending[:chosen]


def merge_parts(task: Task, parts: Iterable[bytes], size: float = math.inf) -> Tally:
    """Return the tally that parts add up to; `size` is their total size in bytes."""
    total = _empty(task, size / BYTES_PER_COUNT)
    for part in parts:
        total.merge_bytes(part)
    return total
