"""Named postprocessing of frequencies: off unless asked for, and named in the result's method.

It reads estimates and public numbers only, so it costs no privacy. Means stay the method's (proofs/consistency.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.base.arrays import Floats
from pckv.base.errors import ParameterError
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import DummySupport

CONSISTENT = "consistent"
POSTS = (CONSISTENT,)


def check_posts(post: str | Sequence[str]) -> tuple[str, ...]:
    """Return the postprocessing steps asked for, each once.

    Raises:
        ParameterError: if one of them does not exist.
    """
    wanted = {post} if isinstance(post, str) else set(post)
    for unknown in sorted(wanted - set(POSTS)):
        raise ParameterError(f"post {unknown!r} does not exist: choose from {', '.join(POSTS)}")
    return tuple(name for name in POSTS if name in wanted)


def full_name(method: str, post: tuple[str, ...]) -> str:
    """Return what a result calls its method.

    >>> full_name("corrected", ("consistent",))
    'corrected+consistent'
    """
    return "+".join((method, *post))


def make_consistent(
    frequency: Floats, dummies: DummySupport, reports: int, moments: CountMoments, padding: int
) -> Floats:
    """Return the nearest possible frequencies: with the dummies they sum to the padding, without to at most that."""
    if dummies.dummies:
        dummy_frequency = (dummies.total / reports - dummies.dummies * moments.noise) / moments.signal
        nearest = project_to_sum(np.append(frequency, dummy_frequency), padding)[:-1]
    else:
        nearest = project_to_sum_at_most(frequency, padding)
    return np.minimum(nearest, 1.0)


def project_to_sum(values: Floats, total: float = 1.0) -> Floats:
    """Return the nearest point (Euclidean) whose coordinates are not negative and sum to a total (Norm-Sub).

    One number is subtracted from all values, and what falls below zero becomes zero; the number is the one that
    gives the total. The k largest stay positive as long as the sum of their excesses over the k-th is at most the
    total.
    """
    # Subtracting the largest value changes no result and keeps rounding errors small.
    below_largest = values - values.max()
    falling = -np.sort(-below_largest)
    sums, ranks = np.cumsum(falling), np.arange(1, falling.size + 1)
    positive = np.count_nonzero(sums - ranks * falling <= total)
    return np.asarray(np.maximum(below_largest - (sums[positive - 1] - total) / positive, 0.0))


def project_to_sum_at_most(values: Floats, total: float) -> Floats:
    """Return the nearest point whose coordinates are not negative and sum to at most a total."""
    clipped = np.maximum(values, 0.0)
    return clipped if clipped.sum() <= total else project_to_sum(values, total)
