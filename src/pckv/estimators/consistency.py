"""Shares that fit together: the nearest distribution to what was estimated (proofs/consistency.md)."""

from __future__ import annotations

import numpy as np

from pckv.estimators.methods.baseline import Floats


def on_simplex(values: Floats, total: float = 1.0) -> Floats:
    """The nearest point, by Euclid, whose numbers are not negative and sum to a total (Norm-Sub).

    One number is taken from all values, and what falls below zero is zero; that number is such that the sum
    comes out. The k largest stay above it as long as what they exceed the k-th by does not exceed the total.
    """
    # Moving all values alike moves nothing, and keeps the numbers that count small.
    below_largest = values - values.max()
    falling = -np.sort(-below_largest)
    sums, places = np.cumsum(falling), np.arange(1, falling.size + 1)
    stay = np.count_nonzero(sums - places * falling <= total)
    return np.asarray(np.maximum(below_largest - (sums[stay - 1] - total) / stay, 0.0))


def at_most(values: Floats, total: float) -> Floats:
    """The nearest point whose numbers are not negative and sum to no more than a total."""
    possible = np.maximum(values, 0.0)
    return possible if possible.sum() <= total else on_simplex(values, total)
