"""Padding-and-sampling (Algorithm 1): one of max(|S|, ℓ) slots, a pair or a dummy."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.randomness import Tape

# A key's number, and the threshold out of 2^64 that makes its value's sign +.
Pair = tuple[int, int]

VALUE_ONE = 1 << 53
VALUE_SHIFT = 64 - 53


def sample(pairs: Sequence[Pair], padding: int, tape: Tape) -> Pair | None:
    """One of the participant's pairs, or None for a dummy."""
    slot = tape.below(max(len(pairs), padding))
    return pairs[slot] if slot < len(pairs) else None


def level(value: float, low: float, high: float) -> int:
    """The threshold that reports a value as +: 53 bits of it, as IEEE doubles give them.

    Rounding here does not touch ε, which holds for every value.
    """
    return int((value - low) / (high - low) * VALUE_ONE) << VALUE_SHIFT
