"""Named post-processings of frequencies: off unless asked for, and named in the result's method.

They read what was estimated already, so that they cost no privacy. Means stay the method's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.errors import ParameterError
from pckv.estimators.consistency import at_most, on_simplex
from pckv.estimators.methods.baseline import Floats
from pckv.moments import CountMoments
from pckv.planning.set_sizes import SetSizes
from pckv.tally.decode.support import DummySupport

CONSISTENT, OVERSIZE = "consistent", "oversize"
# In the order that they are applied: the first is about pairs that were sampled, the second about those left out.
POSTS = (CONSISTENT, OVERSIZE)


def in_order(post: str | Sequence[str]) -> tuple[str, ...]:
    """The post-processings asked for, each once, in the order that they are applied."""
    wanted = {post} if isinstance(post, str) else set(post)
    for unknown in sorted(wanted - set(POSTS)):
        raise ParameterError(f"post {unknown!r} does not exist: choose from {', '.join(POSTS)}")
    return tuple(name for name in POSTS if name in wanted)


def full_name(method: str, post: tuple[str, ...]) -> str:
    """What a result calls its method.

    >>> full_name("corrected", ("consistent", "oversize"))
    'corrected+consistent+oversize'
    """
    return "+".join((method, *post))


def kept_share(post: tuple[str, ...], sizes: SetSizes | None, padding: int) -> float | None:
    """The share of all pairs that reports show, where sizes are known."""
    if sizes is None and OVERSIZE in post:
        raise ParameterError(f"post {OVERSIZE!r} needs sizes: how many pairs people hold")
    return None if sizes is None else sizes.kept(padding)


def consistent(
    frequency: Floats, dummies: DummySupport, reports: int, moments: CountMoments, padding: int
) -> Floats:
    """The nearest frequencies that can be: they add up to the padding with the dummies, or to no more without."""
    if dummies.dummies:
        of_dummies = (dummies.total / reports - dummies.dummies * moments.noise) / moments.signal
        nearest = on_simplex(np.append(frequency, of_dummies), padding)[:-1]
    else:
        nearest = at_most(frequency, padding)
    return np.minimum(nearest, 1.0)


def oversized(frequency: Floats, kept: float) -> Floats:
    """Frequencies, or limits of them, as if every key had lost the same share of its holders."""
    return np.minimum(frequency / kept, 1.0)
