"""The nearest point of a simplex: non-negative numbers that add up to a total (proofs/consistency.md)."""

from __future__ import annotations

import numpy as np

from pckv.base.arrays import Floats


def project_to_sum(values: Floats, total: float = 1.0) -> Floats:
    """Return the nearest point (Euclidean) whose coordinates are not negative and sum to a total (Norm-Sub).

    One number is subtracted from all values, and what falls below zero becomes zero; the number is the one
    that gives the total. The k largest stay positive as long as the sum of their excesses over the k-th is at
    most the total.

    Args:
        values: The coordinates of a point; of many points, one row each.
        total: What the coordinates of the nearest point add up to.

    >>> project_to_sum(np.array([[0.5, 0.7, -0.2]])).round(9).tolist()
    [[0.4, 0.6, 0.0]]
    """
    # Subtracting the largest value changes no result and keeps rounding errors small.
    below_largest = values - values.max(axis=-1, keepdims=True)
    falling = -np.sort(-below_largest, axis=-1)
    sums, ranks = np.cumsum(falling, axis=-1), np.arange(1, values.shape[-1] + 1)
    positive = np.count_nonzero(sums - ranks * falling <= total, axis=-1, keepdims=True)
    excess = np.take_along_axis(sums, positive - 1, axis=-1) - total
    return np.asarray(np.maximum(below_largest - excess / positive, 0.0))


def project_to_sum_at_most(values: Floats, total: float) -> Floats:
    """Return the nearest point whose coordinates are not negative and sum to at most a total."""
    clipped = np.maximum(values, 0.0)
    return clipped if clipped.sum() <= total else project_to_sum(values, total)
