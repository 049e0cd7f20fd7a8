"""What a tally of `collision` says of the keys: the supports that it counts, or those of the words that it keeps."""

from __future__ import annotations

import numpy as np

from pckv.arrays import Integers
from pckv.channels.collision import CollisionChannel
from pckv.errors import TallyError
from pckv.progress import Progress, no_progress
from pckv.tally.counts import Counts
from pckv.tally.decode import level_cells
from pckv.tally.supports import compiled_checks, supports_of

# More items times distinct words than this would take longer than about twenty minutes, in the plain loop and in the
# compiled one.
MAX_PLAIN_CHECKS, MAX_CHECKS = 2**36, 2**40


def support(
    channel: CollisionChannel, counts: Counts, keys: Integers, progress: Progress = no_progress
) -> Integers:
    """For each of some keys, how many reports support every level: levels × keys."""
    if channel.decodes_all:
        return level_cells.support(channel, counts, keys, progress)
    words, times = counts.nonzero(channel.word_limit)
    checks = channel.levels * keys.size * words.size
    if checks > MAX_CHECKS or (checks > MAX_PLAIN_CHECKS and compiled_checks() is None):
        raise TallyError(
            f"{words.size:,} words are too many to check against {keys.size:,} keys: ask for fewer keys"
        )
    items = channel.item(keys, np.arange(channel.levels)[:, None]).reshape(-1)
    return supports_of(channel, words, times, items, progress).reshape(channel.levels, -1)
