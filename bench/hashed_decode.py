"""How `collision` was decoded when its functions were hashes: each word against both signs of each key.

It is the baseline of the bench `collision`, as it was in the commit before the hashes were replaced.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers
from pckv.mechanisms.collision.affine import FACTORS, MASK, SHIFTS, START, mix

SHIFT_1, SHIFT_2, SHIFT_3 = map(np.uint64, SHIFTS)
FACTOR_1, FACTOR_2 = map(np.uint64, FACTORS)
CHECKS_PER_SPAN = 2**27
# Words whose numbers stay in the cache.
WORDS_AT_ONCE = 2**11


def hashed_support(words: Integers, symbols: int, keys: int) -> Integers:
    """Return how many words support + of every key, and how many support -, on all cores."""
    functions, sent = np.divmod(words, symbols)
    seeds = mix((functions.astype(np.uint64) + np.uint64(START)) & np.uint64(MASK))
    # A hash is reduced to a symbol if it lies in the symbol's range; the end of the last one is 2^64, which
    # is 0.
    ends = np.array([-((-symbol << 64) // symbols) % 2**64 for symbol in range(symbols + 1)], np.uint64)
    lowest, widths = ends[sent], ends[sent + 1] - ends[sent]
    found = np.zeros((2, keys), np.int64)
    step = max(1, CHECKS_PER_SPAN // words.size)

    def count(start: int) -> None:
        items = np.arange(start, min(start + step, keys), dtype=np.uint64)
        found[:, start : start + step] = count_collisions(seeds, lowest, widths, np.ones_like(words), items)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(count, range(0, keys, step)))
    return found


@numba.njit(nogil=True, cache=True)
def count_collisions(
    seeds: NDArray[np.uint64],
    lowest: NDArray[np.uint64],
    widths: NDArray[np.uint64],
    times: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """For both signs of every key (+ first), the times of the words whose range its hash is in."""
    found = np.zeros((2, keys.size), np.int64)
    for start in range(0, seeds.size, WORDS_AT_ONCE):
        block = slice(start, start + WORDS_AT_ONCE)
        for place in range(keys.size):
            for sign in range(2):
                item = np.uint64(2) * keys[place] + np.uint64(1 - sign)
                found[sign, place] += count_hits(seeds[block], lowest[block], widths[block], times[block], item)
    return found


@numba.njit(nogil=True, cache=True, inline="always")
def count_hits(
    seeds: NDArray[np.uint64],
    lowest: NDArray[np.uint64],
    widths: NDArray[np.uint64],
    times: NDArray[np.int64],
    item: np.uint64,
) -> np.int64:
    """The times of the words that support an item, in a loop that the processor runs on several at once."""
    total = np.int64(0)
    for word in range(seeds.size):
        number = seeds[word] ^ item
        number = (number ^ (number >> SHIFT_1)) * FACTOR_1
        number = (number ^ (number >> SHIFT_2)) * FACTOR_2
        number ^= number >> SHIFT_3
        total += times[word] if number - lowest[word] < widths[word] else np.int64(0)
    return total
