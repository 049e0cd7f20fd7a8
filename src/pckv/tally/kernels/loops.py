"""Compiled counting loops (numba): words into a histogram, bit planes into sums by position, hashes by symbol."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from pckv.channels.hashing import FACTORS, SHIFTS

# Every second bit, every second pair of bits, every second group of four.
BITS, PAIRS, FOURS = (
    np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
)
# As many rows as a field of two, four and eight bits can count.
ROWS_PER_PAIR, PAIRS_PER_FOUR, FOURS_PER_BYTE = 3, 5, 17
# The sums of this many lanes stay in the cache.
LANES_AT_ONCE = 256
# What this many words are compared with stays in the cache.
WORDS_AT_ONCE = 2**11
SHIFT_1, SHIFT_2, SHIFT_3 = (np.uint64(shift) for shift in SHIFTS)
FACTOR_1, FACTOR_2 = (np.uint64(factor) for factor in FACTORS)


@numba.njit(nogil=True, cache=True)
def count_words(words: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Count words, all of which are cells."""
    for word in words:
        counts[word] += 1


@numba.njit(nogil=True, cache=True)
def are_planes(bodies: NDArray[np.uint8], keys: int) -> bool:
    """Whether no row has a sign where nothing is present, nor a bit beyond the last key."""
    width = bodies.shape[1] // 2
    beyond = np.uint8(0xFF & ~(0xFF >> (-keys % 8)))
    wrong = np.uint8(0)
    for row in bodies:
        for place in range(width):
            wrong |= row[width + place] & ~row[place]
        wrong |= row[width - 1] & beyond
    return not wrong


@numba.njit(nogil=True, cache=True)
def count_bits(rows: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For every bit of a row, least significant first, in how many rows it is set."""
    totals = np.zeros(rows.shape[1] * 64, np.int64)
    for start in range(0, rows.shape[1], LANES_AT_ONCE):
        stop = min(start + LANES_AT_ONCE, rows.shape[1])
        count_lanes(rows[:, start:stop], totals[64 * start : 64 * stop])
    return totals


@numba.njit(nogil=True, cache=True)
def count_lanes(rows: NDArray[np.uint64], totals: NDArray[np.int64]) -> None:
    """Count the bits of a few lanes.

    Bits are added up in fields that double in width: three rows in fields of two bits, five of
    those in fields of four, seventeen of those in bytes, and bytes into the totals.
    """
    lanes = rows.shape[1]
    pairs = np.zeros((2, lanes), np.uint64)
    fours = np.zeros((4, lanes), np.uint64)
    byte_sums = np.zeros((8, lanes), np.uint64)
    in_pairs = in_fours = in_bytes = 0
    for number in range(rows.shape[0]):
        row = rows[number]
        for lane in range(lanes):
            pairs[0, lane] += row[lane] & BITS
            pairs[1, lane] += (row[lane] >> np.uint64(1)) & BITS
        in_pairs += 1
        last = number == rows.shape[0] - 1
        if in_pairs == ROWS_PER_PAIR or last:
            widen(pairs, fours, PAIRS, np.uint64(2))
            in_pairs, in_fours = 0, in_fours + 1
        if in_fours == PAIRS_PER_FOUR or last:
            widen(fours, byte_sums, FOURS, np.uint64(4))
            in_fours, in_bytes = 0, in_bytes + 1
        if in_bytes == FOURS_PER_BYTE or last:
            add_bytes(byte_sums, totals)
            in_bytes = 0


@numba.njit(nogil=True, cache=True, inline="always")
def add_bytes(byte_sums: NDArray[np.uint64], totals: NDArray[np.int64]) -> None:
    """Add fields of a byte to the totals, and empty them."""
    for bit in range(8):
        for lane in range(byte_sums.shape[1]):
            fields = byte_sums[bit, lane]
            byte_sums[bit, lane] = 0
            for byte in range(8):
                totals[64 * lane + 8 * byte + bit] += np.int64(fields & np.uint64(0xFF))
                fields >>= np.uint64(8)


@numba.njit(nogil=True, cache=True, inline="always")
def widen(narrow: NDArray[np.uint64], wide: NDArray[np.uint64], mask: np.uint64, shift: np.uint64) -> None:
    """Add fields to fields of twice their width, and empty them."""
    half = narrow.shape[0]
    for bit in range(half):
        for lane in range(narrow.shape[1]):
            fields = narrow[bit, lane]
            wide[bit, lane] += fields & mask
            wide[bit + half, lane] += (fields >> shift) & mask
            narrow[bit, lane] = 0


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
                found[sign, place] += count_hits(
                    seeds[block], lowest[block], widths[block], times[block], item
                )
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
