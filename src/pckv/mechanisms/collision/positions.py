"""Positions of many items of `collision` at once: products from two tables instead of one power each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pckv.base.arrays import Integers
from pckv.mechanisms.collision.affine import Numbering

# Items that are numbered by the first table; the second is for their multiples.
ITEMS_PER_STEP = 2**12


def item_positions(numbering: Numbering, items: Integers) -> Integers:
    """Return the positions of some items."""
    low, high = _tables(numbering)
    return low[items % ITEMS_PER_STEP] * high[items // ITEMS_PER_STEP] % numbering.positions


@lru_cache(maxsize=8)
def _tables(numbering: Numbering) -> tuple[Integers, Integers]:
    steps = (numbering.items - 1) // ITEMS_PER_STEP + 1
    step = pow(numbering.generator, ITEMS_PER_STEP, numbering.positions)
    low = _powers(numbering.generator, ITEMS_PER_STEP, numbering.positions)
    return low, _powers(step, steps, numbering.positions)


def _powers(base: int, count: int, positions: int) -> Integers:
    """Return the first powers of a number, doubling those that are known."""
    known = np.ones(1, np.int64)
    while known.size < count:
        known = np.concatenate([known, known * pow(base, known.size, positions) % positions])
    return known[:count]
