"""Compiled counting loops (numba): words into a histogram, bit planes into sums by position, progressions."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

# Every second bit, every second pair of bits, every second group of four.
BITS, PAIRS, FOURS = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
# As many rows as a field of two, four and eight bits can count.
ROWS_PER_PAIR, PAIRS_PER_FOUR, FOURS_PER_BYTE = 3, 5, 17
# The sums of this many lanes stay in the cache.
LANES_AT_ONCE = 256
MAX_BYTE = 255
# Items that are checked together: their positions and counts stay in the cache.
ITEMS_AT_ONCE = 2**12


@numba.njit(nogil=True, cache=True)
def count_words(words: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Count words, all of which are cells."""
    for word in words:
        counts[word] += 1


@numba.njit(nogil=True, cache=True)
def are_planes(bodies: NDArray[np.uint8], keys: int) -> bool:
    """Return whether no row has a sign where nothing is present, nor a bit beyond the last key."""
    width = (keys + 7) // 8
    beyond = np.uint8(0xFF & ~(0xFF >> (-keys % 8)))
    wrong = np.uint8(0)
    for row in bodies:
        # Without values there are no signs.
        for place in range(bodies.shape[1] - width):
            wrong |= row[width + place] & ~row[place]
        wrong |= row[width - 1] & beyond
    return not wrong


@numba.njit(nogil=True, cache=True)
def count_bits(rows: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return in how many rows each bit is set, least significant first."""
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
def count_progressions(
    factors: NDArray[np.int64],
    offsets: NDArray[np.int64],
    symbols: NDArray[np.int64],
    symbol_count: int,
    counts: NDArray[np.int64],
) -> None:
    """Count the positions x with ((A·x + C) mod N) mod t = z, for words of A, C, z and N counts."""
    positions = counts.size
    inverses = invert(factors, positions)
    # Bytes stay in the cache, and a word supports a position once at most. Where words support few positions,
    # it would take longer to add the bytes up.
    in_bytes = symbol_count <= MAX_BYTE
    recent = np.zeros(positions if in_bytes else 0, np.uint8)
    for word in range(factors.size):
        start = np.uint64((symbols[word] + positions - offsets[word]) % positions * inverses[word] % positions)
        step = np.uint64(symbol_count * inverses[word] % positions)
        length = (positions - 1 - symbols[word]) // symbol_count + 1
        if not in_bytes:
            count_progression(start, step, length, counts)
            continue
        count_progression(start, step, length, recent)
        if word % MAX_BYTE == MAX_BYTE - 1 or word == factors.size - 1:
            for position in range(positions):
                counts[position] += recent[position]
                recent[position] = 0


@numba.njit(nogil=True, cache=True, inline="always")
def count_progression(
    first: np.uint64, step: np.uint64, length: int, counts: NDArray[np.uint8] | NDArray[np.int64]
) -> None:
    """Count the positions of one progression, eight at a time, which the processor finds independently."""
    positions = np.uint64(counts.size)
    double = after(step, step, positions)
    fourfold = after(double, double, positions)
    stride = after(fourfold, fourfold, positions)
    second = after(first, step, positions)
    third = after(first, double, positions)
    fourth = after(second, double, positions)
    fifth = after(first, fourfold, positions)
    sixth = after(second, fourfold, positions)
    seventh = after(third, fourfold, positions)
    eighth = after(fourth, fourfold, positions)
    for _ in range(length // 8):
        counts[first] += 1
        counts[second] += 1
        counts[third] += 1
        counts[fourth] += 1
        counts[fifth] += 1
        counts[sixth] += 1
        counts[seventh] += 1
        counts[eighth] += 1
        first = after(first, stride, positions)
        second = after(second, stride, positions)
        third = after(third, stride, positions)
        fourth = after(fourth, stride, positions)
        fifth = after(fifth, stride, positions)
        sixth = after(sixth, stride, positions)
        seventh = after(seventh, stride, positions)
        eighth = after(eighth, stride, positions)
    for _ in range(length % 8):
        counts[first] += 1
        first = after(first, step, positions)


@numba.njit(nogil=True, cache=True, inline="always")
def after(place: np.uint64, step: np.uint64, positions: np.uint64) -> np.uint64:
    """Return the place a step further: the lesser of two, since below zero an unsigned number is huge."""
    return min(place + step, place + step - positions)


@numba.njit(nogil=True, cache=True)
def invert(numbers: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """Return the inverses modulo a prime: that of the product of all, taken apart one by one."""
    inverses = np.empty_like(numbers)
    product = np.int64(1)
    for place in range(numbers.size):
        inverses[place] = product
        product = product * numbers[place] % prime
    # By Fermat's little theorem.
    rest, square, exponent = np.int64(1), product, prime - 2
    while exponent:
        if exponent & 1:
            rest = rest * square % prime
        square = square * square % prime
        exponent >>= 1
    for place in range(numbers.size - 1, -1, -1):
        inverses[place] = inverses[place] * rest % prime
        rest = rest * numbers[place] % prime
    return inverses


@numba.njit(nogil=True, cache=True)
def count_checks(
    functions: NDArray[np.uint32],
    places: NDArray[np.uint32],
    constants: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> None:
    """Count the words with ((A·x + C) mod N) mod t = z, for every place x.

    The columns of `functions` are A, ⌊A·2^32/N⌋, C and t - z, one row per word; N is below 2^31. With t =
    2^k·u, u odd, the `constants` are N, the inverse of u modulo 2^32, 2^k - 1, and ⌊(2^32 - 1)/t⌋·2^k. All
    steps take 32 bits, so that the processor takes several at once, and none divides.
    """
    positions, inverse, even, largest = constants[0], constants[1], constants[2], constants[3]
    half = np.uint64(32)
    for first in range(0, places.size, ITEMS_AT_ONCE):
        some, found = places[first : first + ITEMS_AT_ONCE], counts[first : first + ITEMS_AT_ONCE]
        for word in range(functions.shape[0]):
            factor, share = functions[word, 0], functions[word, 1]
            offset, complement = functions[word, 2], functions[word, 3]
            for item in range(some.size):
                place = some[item]
                # The quotient is at most one too small (Shoup).
                quotient = np.uint32((np.uint64(share) * np.uint64(place)) >> half)
                product = np.uint32(factor * place - quotient * positions)
                product = min(product, np.uint32(product - positions))
                total = np.uint32(product + offset)
                total = min(total, np.uint32(total - positions))
                # Multiples of t, and no other numbers, become small multiples of 2^k (Granlund and
                # Montgomery).
                scaled = np.uint32((total + complement) * inverse)
                found[item] += np.uint32((scaled <= largest) & ((scaled & even) == np.uint32(0)))
