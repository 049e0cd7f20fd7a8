"""Tallies that count in compiled loops where numba is installed: the same counts, sooner.

The loops run without the interpreter's lock, so that threads with a tally each use all cores.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import gcd

import numpy as np

from pckv.arrays import Bytes, Integers
from pckv.tally import Tally
from pckv.tally.counts import DenseCounts
from pckv.task import Task
from pckv.wire import BitPlanes

# Rows are laid side by side to at least this many 64-bit lanes, which the processor adds together.
MIN_LANES = 64
LANE_BYTES = 8
# Loading the compiled loops takes most of a second. That is what they save over this many bytes of planes, and of
# words, which numpy counts nearly as fast.
PLANE_BYTES_WORTH_COMPILING = 2**28
WORD_BYTES_WORTH_COMPILING = 2**33


def fast_tally(task: Task, reports: int) -> Tally:
    """Return an empty tally for about this many reports, compiled where that is possible and pays for its start."""
    planes = isinstance(task.message_format, BitPlanes)
    least = PLANE_BYTES_WORTH_COMPILING if planes else WORD_BYTES_WORTH_COMPILING
    worth = reports * task.channel.body_bytes >= least
    return CompiledTally(task) if worth and find_spec("numba") else Tally(task)


class CompiledTally(Tally):
    """A tally whose inner loops are compiled."""

    def _count_words(self, words: Integers) -> None:
        inside = not words.size or int(words.view(np.uint64).max()) < self.cells
        if not inside or not isinstance(self.counts, DenseCounts):
            super()._count_words(words)
            return
        from pckv.tally.kernels.loops import count_words  # noqa: PLC0415

        self.reports = self._grown(words.size)
        count_words(words, self.counts.array)

    def _check_planes(self, planes: Bytes) -> None:
        from pckv.tally.kernels.loops import are_planes  # noqa: PLC0415

        if not are_planes(planes, self.task.key_count):
            super()._check_planes(planes)

    def _count_bits(self, rows: Bytes) -> Integers:
        from pckv.tally.kernels.loops import count_bits  # noqa: PLC0415

        width = rows.shape[1]
        rows_per_lane_row = LANE_BYTES // gcd(width, LANE_BYTES)
        rows_per_lane_row *= -(-MIN_LANES * LANE_BYTES // (rows_per_lane_row * width))
        whole = rows.shape[0] // rows_per_lane_row * rows_per_lane_row
        lanes = np.ascontiguousarray(rows[:whole]).reshape(-1, rows_per_lane_row * width).view(np.uint64)
        totals = count_bits(lanes).reshape(rows_per_lane_row, 8 * width).sum(axis=0)
        return np.asarray(totals + super()._count_bits(rows[whole:]))
