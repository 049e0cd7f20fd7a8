"""What a tally of `collision` says of the keys: supports that it counts, or of the words that it keeps."""

from __future__ import annotations

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import TallyError
from pckv.base.progress import Progress, no_progress
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally.counts import Counts
from pckv.tally.decode.support import level_cells
from pckv.tally.supports import compiled_checks, supports_of

# More items times distinct words would take over about twenty minutes, in the plain and in the compiled loop.
MAX_PLAIN_CHECKS, MAX_CHECKS = 2**36, 2**40


def support(law: CollisionLaw, counts: Counts, keys: Integers, progress: Progress = no_progress) -> Integers:
    """Return how many reports support every level, for each of some keys: levels × keys."""
    if law.decodes_all:
        return level_cells(law, counts, keys, progress)
    words, times = counts.nonzero(law.word_limit)
    checks = law.levels * keys.size * words.size
    if checks > MAX_CHECKS or (checks > MAX_PLAIN_CHECKS and compiled_checks() is None):
        raise TallyError(f"{words.size:,} words are too many to check against {keys.size:,} keys: ask for fewer keys")
    items = law.item(keys, np.arange(law.levels)[:, None]).reshape(-1)
    return supports_of(law, words, times, items, progress).reshape(law.levels, -1)
