"""What a tally of `collision` says of the keys: the supports that it counts, or those of the words that it keeps."""

from __future__ import annotations

import numpy as np

from pckv.arrays import Integers
from pckv.channels.collision import CollisionChannel
from pckv.errors import TallyError
from pckv.positions import item_positions
from pckv.progress import Progress, no_progress
from pckv.tally.counts import Counts
from pckv.tally.decode import signed_cells

# More keys times distinct words than this would take hours.
MAX_CHECKS = 2**40
# Checks made in one go: as many as fit into the cache.
CHECKS_AT_ONCE = 2**17


def support(
    channel: CollisionChannel, counts: Counts, keys: Integers, progress: Progress = no_progress
) -> tuple[Integers, Integers]:
    """For each of some keys, how many reports support + and how many support -."""
    if channel.decodes_all:
        return signed_cells.support(channel, counts, keys, progress)
    words, times = counts.nonzero(channel.word_limit)
    if keys.size * words.size > MAX_CHECKS:
        raise TallyError(
            f"{words.size:,} words are too many to check against {keys.size:,} keys: ask for fewer keys"
        )
    return check_words(channel, words, times, keys, progress)


def check_words(
    channel: CollisionChannel,
    words: Integers,
    times: Integers,
    keys: Integers,
    progress: Progress = no_progress,
) -> tuple[Integers, Integers]:
    """Check every word against both signs of every key, some keys after others."""
    functions, symbols = np.divmod(words.view(np.uint64), np.uint64(channel.symbols))
    factors, offsets = channel.coefficients(functions)
    found = np.zeros((2, keys.size), np.int64)
    step = max(1, CHECKS_AT_ONCE // max(1, words.size))
    for start in range(0, keys.size, step):
        part = slice(start, start + step)
        for place, positive in enumerate((True, False)):
            places = item_positions(channel.numbering, channel.item(keys[part], positive)).view(np.uint64)
            sent_to = channel.sent_to(factors, offsets, places[:, None])
            found[place, part] = (sent_to == symbols) @ times
        progress(min(1.0, (start + step) / keys.size))
    return found[0], found[1]
