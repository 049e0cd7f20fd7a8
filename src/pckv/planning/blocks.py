"""Whole numbers in blocks whose width grows with them: sums over billions of them in a few hundred terms."""

from __future__ import annotations

from typing import NamedTuple

# Numbers up to this stand alone; later blocks are wider by a part of where they begin.
MAX_ALONE = 32
WIDENING = 16


class Block(NamedTuple):
    """Consecutive whole numbers: their middle, and how many they are."""

    middle: float
    width: int


def blocks(last: int, first: int = 1) -> list[Block]:
    """Return the blocks of `first` to `last`.

    >>> [block.width for block in blocks(200)][-5:]
    [9, 10, 11, 11, 2]
    """
    found = []
    while first <= last:
        width = 1 if first <= MAX_ALONE else min(first // WIDENING, last - first + 1)
        found.append(Block(first + (width - 1) / 2, width))
        first += width
    return found
