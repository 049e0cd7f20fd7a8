"""Counting bit planes: how often every bit is set over many rows, without unpacking them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Bytes
from pckv.base.errors import ReportError

# A byte-wide column sum holds up to this many rows.
ROWS_PER_SUM = 255
# Short rows are laid side by side up to this width, so that column sums run at full speed.
WIDE_ROW = 4096


def check_planes(bodies: Bytes, keys: int) -> None:
    """Refuse rows with signs where nothing is present, or bits beyond the last key."""
    for problem, rows in plane_problems(bodies, keys):
        raise ReportError("bad_encoding", f"report {np.flatnonzero(rows)[0]}: {problem}")


def plane_problems(bodies: Bytes, keys: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """What is wrong with some rows, and with which."""
    width = bodies.shape[1] // 2
    presence, sign = bodies[:, :width], bodies[:, width:]
    beyond = (presence[:, -1] & (0xFF & ~(0xFF >> (-keys % 8)))) > 0
    if beyond.any():
        yield f"a bit beyond the last of {keys} keys is set", beyond
    # Sign bits are a subset of presence bits exactly where OR changes nothing.
    stray = np.not_equal(presence | sign, presence)
    if stray.any():
        yield "a sign is set where nothing is present", stray.any(axis=1)


def count_bits(rows: Bytes) -> NDArray[np.int64]:
    """For every bit of a row, least significant first, in how many rows it is set."""
    width = rows.shape[1]
    rows_per_wide_row = max(1, WIDE_ROW // width)
    whole = rows.shape[0] // rows_per_wide_row * rows_per_wide_row
    totals = (
        _count_columns(rows[:whole].reshape(-1, rows_per_wide_row * width))
        .reshape(rows_per_wide_row, width, 8)
        .sum(axis=0)
    )
    totals += _count_columns(rows[whole:])
    flat: NDArray[np.int64] = totals.reshape(-1)
    return flat


def _count_columns(rows: Bytes) -> NDArray[np.int64]:
    totals = np.zeros((rows.shape[1], 8), np.int64)
    for start in range(0, rows.shape[0], ROWS_PER_SUM):
        block = rows[start : start + ROWS_PER_SUM]
        for bit in range(8):
            totals[:, bit] += np.add.reduce(block >> bit & 1, axis=0, dtype=np.uint8)
    return totals
