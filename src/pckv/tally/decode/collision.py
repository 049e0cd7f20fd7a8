"""What `collision` words say of the keys: every word is checked against both signs of every key.

There is no shortcut through all keys: a hash has no structure. So the work is reports times keys,
in compiled loops on all cores where numba is installed.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np

from pckv.arrays import Integers
from pckv.channels.collision import CollisionChannel
from pckv.channels.hashing import seed_of, symbol_start
from pckv.errors import TallyError
from pckv.progress import Progress, no_progress
from pckv.tally.counts import Counts

# More keys times distinct words than this would take hours.
MAX_CHECKS = 2**42
# Loading the compiled loop takes half a second, in which a plain one makes about this many checks.
CHECKS_WORTH_COMPILING = 2**25
# Checks made in one go: as many as fit into the cache, and as take a compiled loop a moment.
CHECKS_AT_ONCE, CHECKS_PER_SPAN = 2**17, 2**27


def support(
    channel: CollisionChannel, counts: Counts, keys: Integers, progress: Progress = no_progress
) -> tuple[Integers, Integers]:
    """For each of some keys, how many reports support + and how many support -."""
    words, times = counts.nonzero(channel.word_limit)
    checks = keys.size * words.size
    if checks > MAX_CHECKS:
        raise TallyError(
            f"{words.size:,} words are too many to check against {keys.size:,} keys: ask for fewer keys"
        )
    compiled = checks >= CHECKS_WORTH_COMPILING and find_spec("numba")
    return (check_words_compiled if compiled else check_words)(channel, words, times, keys, progress)


def check_words(
    channel: CollisionChannel,
    words: Integers,
    times: Integers,
    keys: Integers,
    progress: Progress = no_progress,
) -> tuple[Integers, Integers]:
    """Check with numpy, some keys after others."""
    functions, symbols = np.divmod(words.astype(np.uint64), channel.symbols)
    found = np.zeros((2, keys.size), np.int64)
    step = max(1, CHECKS_AT_ONCE // max(1, words.size))
    for start in range(0, keys.size, step):
        part = slice(start, start + step)
        for place, positive in enumerate((True, False)):
            items = channel.item(keys[part, None].astype(np.uint64), positive)
            found[place, part] = (channel.symbol(functions, items) == symbols) @ times
        progress(min(1.0, (start + step) / keys.size))
    return found[0], found[1]


def check_words_compiled(
    channel: CollisionChannel,
    words: Integers,
    times: Integers,
    keys: Integers,
    progress: Progress = no_progress,
) -> tuple[Integers, Integers]:
    """The same in compiled loops on all cores.

    A hash is reduced to a symbol if it lies in the symbol's range, which needs no division.
    """
    from pckv.tally.kernels.loops import count_collisions  # noqa: PLC0415

    functions, symbols = np.divmod(words, channel.symbols)
    seeds = seed_of(functions.astype(np.uint64))
    occurring, place = np.unique(symbols, return_inverse=True)
    # The end of the last symbol is 2^64, which is 0.
    lowest, ends = (
        np.array(
            [symbol_start(symbol + end, channel.symbols) % 2**64 for symbol in occurring.tolist()], np.uint64
        )
        for end in (0, 1)
    )
    starts, widths = lowest[place], (ends - lowest)[place]
    found = np.zeros((2, keys.size), np.int64)
    step = max(1, CHECKS_PER_SPAN // max(1, words.size))
    parts = [slice(start, start + step) for start in range(0, keys.size, step)]

    def count(part: slice) -> None:
        found[:, part] = count_collisions(seeds, starts, widths, times, keys[part].astype(np.uint64))

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for done, _ in enumerate(threads.map(count, parts), 1):
            progress(done / len(parts))
    return found[0], found[1]
