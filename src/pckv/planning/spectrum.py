"""The frequencies that keys are expected to have, and how much of them reports show, from how many pairs people hold.

Keys follow Zipf's law: somebody who holds m pairs holds the k-th most popular key with chance 1 - exp(-t/k), where t is
such that these chances add up to m. That is drawing m distinct keys with weights 1/k, to a very good approximation. People
with many pairs hold popular keys more often, but not in proportion to their pairs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pckv.planning.blocks import Block, blocks
from pckv.planning.set_sizes import SetSizes

# Solving for t, and for a key's popularity.
MAX_STEPS, HALVINGS = 100, 40
PRECISION = 1e-9


class _Group(NamedTuple):
    """People with about as many pairs: how many pairs, their share, and t."""

    size: float
    share: float
    intensity: float


class Spectrum:
    """What people with these set sizes hold of keys that follow Zipf's law.

    A key is known by its popularity: 1/k for the k-th of them.
    """

    def __init__(self, keys: int, sizes: SetSizes) -> None:
        ranks = blocks(keys)
        self._groups = [
            _Group(size, share, _intensity(size, keys, ranks)) for size, share in sizes.grouped() if size > 0
        ]

    def frequency(self, popularity: float) -> float:
        """The share of people who hold a key."""
        return math.fsum(group.share * _chance(group, popularity) for group in self._groups)

    def popularity(self, frequency: float) -> float:
        """The popularity of a key of this frequency; infinite where even those who hold any pair are too few."""
        low, high = 0.0, 1.0
        while self.frequency(high) < frequency:
            low, high = high, 2 * high
            if high > 1 / PRECISION:
                return math.inf
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.frequency(middle) < frequency else (low, middle)
        return high

    def seen(self, popularity: float, padding: int) -> float:
        """The share of a key's frequency that reports show: its holders with m pairs report it for ℓ/m of their reports."""
        held = [(group.size, group.share * _chance(group, popularity)) for group in self._groups]
        shown = math.fsum(share * min(1.0, padding / size) for size, share in held)
        return min(1.0, shown / math.fsum(share for _, share in held))


def _chance(group: _Group, popularity: float) -> float:
    return -math.expm1(-group.intensity * popularity)


def _intensity(size: float, keys: int, ranks: list[Block]) -> float:
    """The t of a size, by Newton's method from below: the sum is concave in t."""
    if size >= keys:
        return math.inf
    t = size / math.fsum(block.width / block.middle for block in ranks)
    for _ in range(MAX_STEPS):
        missed = [block.width * math.exp(-t / block.middle) for block in ranks]
        short = size - (keys - math.fsum(missed))
        slope = math.fsum(part / block.middle for part, block in zip(missed, ranks, strict=True))
        if short <= PRECISION * size or slope == 0:
            break
        t += short / slope
    return t
