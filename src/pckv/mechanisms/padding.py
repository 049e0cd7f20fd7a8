"""Padding-and-sampling (Algorithm 1): one of max(|S|, ℓ) slots, a pair or a dummy."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pckv.base.limits import ONE_LEVEL
from pckv.base.randomness import Tape
from pckv.mechanisms.base import Law

# A key's number, the level below its value, and the threshold out of 2^64 that makes it the next level.
Pair = tuple[int, int, int]

VALUE_ONE = 1 << 53
VALUE_SHIFT = 64 - 53


def sample(pairs: Sequence[Pair], padding: int, tape: Tape) -> Pair | None:
    """Return one of the participant's pairs, or None for a dummy."""
    slot = tape.below(max(len(pairs), padding))
    return pairs[slot] if slot < len(pairs) else None


def placed(value: float, values: Sequence[float]) -> tuple[int, int]:
    """Return the level below a value, and the threshold that reports the next: 53 bits, as of IEEE doubles.

    A key without a value has one level, which is not drawn.

    Rounding here does not touch ε, which holds for every value.
    """
    if len(values) == ONE_LEVEL:
        return 0, 0
    # Never the highest level: the value lies between this one and the next.
    below = min(bisect_right(values, value), len(values) - 1) - 1
    low, high = values[below], values[below + 1]
    return below, int((value - low) / (high - low) * VALUE_ONE) << VALUE_SHIFT


def draw_level(law: Law, pair: Pair, tape: Tape) -> int:
    """Draw one of the two levels that a pair's value lies between; where keys have no values, nothing is drawn."""
    _, below, threshold = pair
    return below + tape.bernoulli(threshold) if law.levels > ONE_LEVEL else below
