"""The tape: uniform integers, and what is drawn from them exactly.

On a device the tape is the operating system's randomness, taken in one block for most tasks, in bounded
blocks for those that need more, and once more after a rejection. A tape of fixed bytes exists for test
vectors; seeded ones are in `base/seeded.py`, which no device code may import.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from functools import cache

from pckv.base.limits import REPORT_ID_BYTES

BITS = 64
DRAW_BYTES = BITS // 8
# Bytes taken from the source at once, the report id included.
MAX_BLOCK_BYTES = 2**16
_FIRST_BLOCK_DRAWS = (MAX_BLOCK_BYTES - REPORT_ID_BYTES) // DRAW_BYTES

# Given a number of bytes, returns that many: os.urandom on a device, something repeatable elsewhere.
Source = Callable[[int], bytes]


@cache
def _layout(draws: int) -> struct.Struct:
    return struct.Struct(f"<{draws}Q")


class Tape:
    """A report's randomness: its id, then little-endian 64-bit draws, in order."""

    __slots__ = ("_left", "_next_draw", "_source", "report_id")

    one = 1 << BITS

    def __init__(self, draws: int, source: Source = os.urandom) -> None:
        first = min(draws, _FIRST_BLOCK_DRAWS)
        data = source(REPORT_ID_BYTES + DRAW_BYTES * first)
        self.report_id = data[:REPORT_ID_BYTES]
        self._source = source
        # Draws that are expected to be taken, beyond those already taken from the source.
        self._left = draws - first
        self._next_draw: Callable[[], int] = iter(_layout(first).unpack_from(data, REPORT_ID_BYTES)).__next__

    def draw(self) -> int:
        """The next uniform integer below 2^64."""
        try:
            return self._next_draw()
        except StopIteration:
            return self._draw_from_next_block()

    def _draw_from_next_block(self) -> int:
        # Beyond what was expected there is one more draw per rejection.
        count = max(1, min(self._left, MAX_BLOCK_BYTES // DRAW_BYTES))
        self._left -= min(count, self._left)
        block: tuple[int, ...] = _layout(count).unpack(self._source(DRAW_BYTES * count))
        self._next_draw = iter(block).__next__
        return self._next_draw()

    def below(self, count: int) -> int:
        """A uniform integer below count, exactly: the incomplete last run is drawn again."""
        while True:
            number = self.draw()
            result = number % count
            if number - result <= self.one - count:
                return result

    def bernoulli(self, threshold: int) -> bool:
        """True with probability threshold / 2^64, exactly."""
        return self.draw() < threshold


def fixed_source(data: bytes) -> Source:
    """A source that gives these bytes and no more: for test vectors."""
    position = 0

    def source(count: int) -> bytes:
        nonlocal position
        taken = data[position : position + count]
        if len(taken) < count:
            raise EOFError(f"the tape ends: {count} bytes wanted, {len(taken)} left")
        position += count
        return taken

    return source
