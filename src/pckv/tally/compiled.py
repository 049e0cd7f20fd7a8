"""Tallies that count in compiled loops where numba is installed: the same counts, sooner.

The loops run without the interpreter's lock, so that threads with a tally each use all cores.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import gcd

import numpy as np

from pckv.base.arrays import Bytes, Integers
from pckv.contract.task import Task
from pckv.tally import Tally
from pckv.tally.counts import CELLS_FOR_PARTS, Counts, DenseCounts
from pckv.tally.layouts import PlaneLayout, WordLayout, layout_of

# Rows are laid side by side to at least this many 64-bit lanes, which the processor adds together.
MIN_LANES = 64
LANE_BYTES = 8
# Loading the compiled loops takes half a second, in which plain ones count about this much.
BYTES_WORTH_COMPILING = 2**28


def fast_tally(task: Task, reports: int) -> Tally:
    """Return an empty tally for about this many reports, compiled where that is possible and pays for its start."""
    layout = layout_of(task)
    # Few cells stay in the cache, where numpy counts words as fast.
    slow = isinstance(layout, PlaneLayout) or layout.cells > CELLS_FOR_PARTS
    worth = slow and reports * task.law.body_bytes >= BYTES_WORTH_COMPILING
    return compiled_tally(task) if worth and find_spec("numba") else Tally(task)


def compiled_tally(task: Task) -> Tally:
    """Return an empty tally whose inner loops are compiled."""
    layout = layout_of(task)
    if isinstance(layout, WordLayout):
        layout = CompiledWordLayout(task, layout.message_format)
    elif isinstance(layout, PlaneLayout):
        layout = CompiledPlaneLayout(layout.message_format)
    return Tally(task, layout=layout)


class CompiledWordLayout(WordLayout):
    """Words, counted in a compiled loop."""

    def add(self, counts: Counts, messages: Integers) -> None:
        """Count words."""
        inside = not messages.size or int(messages.view(np.uint64).max()) < self.cells
        if not inside or not isinstance(counts, DenseCounts):
            super().add(counts, messages)
            return
        from pckv.tally.kernels.loops import count_words  # noqa: PLC0415

        count_words(messages, counts.array)


class CompiledPlaneLayout(PlaneLayout):
    """Bit planes, checked and counted in compiled loops."""

    def check_planes(self, rows: Bytes) -> None:
        """Refuse rows that are not planes."""
        from pckv.tally.kernels.loops import are_planes  # noqa: PLC0415

        if not are_planes(rows, self.keys):
            super().check_planes(rows)

    def count_bits(self, rows: Bytes) -> Integers:
        """For every bit of a row, in how many rows it is set."""
        from pckv.tally.kernels.loops import count_bits  # noqa: PLC0415

        width = rows.shape[1]
        rows_per_lane_row = LANE_BYTES // gcd(width, LANE_BYTES)
        rows_per_lane_row *= -(-MIN_LANES * LANE_BYTES // (rows_per_lane_row * width))
        whole = rows.shape[0] // rows_per_lane_row * rows_per_lane_row
        lanes = np.ascontiguousarray(rows[:whole]).reshape(-1, rows_per_lane_row * width).view(np.uint64)
        totals = count_bits(lanes).reshape(rows_per_lane_row, 8 * width).sum(axis=0)
        return np.asarray(totals + super().count_bits(rows[whole:]))
