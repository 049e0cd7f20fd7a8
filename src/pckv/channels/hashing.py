"""Functions by the number of an index: the same bits from Python's integers, numpy and JavaScript.

Where a function's two numbers do not fit into a word, an index of 32 bits names the function, and a mixer makes both
numbers of it.
"""

from __future__ import annotations

from pckv.channels.affine import Number

MASK = 2**64 - 1
LOW_HALF = 2**32 - 1
# 2^64 over the golden ratio: without it index 0 would be mixed to 0.
START = 0x9E3779B97F4A7C15
# Shift, multiply, shift, multiply, shift: those of SplitMix64, found by search for its avalanche.
SHIFTS = (30, 27, 31)
FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mix(number: Number) -> Number:
    """A fixed permutation of the numbers below 2^64 in which every bit moves every other."""
    number = (number ^ (number >> SHIFTS[0])) * FACTORS[0] & MASK
    number = (number ^ (number >> SHIFTS[1])) * FACTORS[1] & MASK
    return number ^ (number >> SHIFTS[2])


def numbers_of(index: Number, count: int) -> tuple[Number, Number]:
    """Return two numbers of an index below 2^32: one below `count` - 1, one below `count`, which is below 2^32."""
    first = mix((index + START) & MASK)
    return reduced(first, count - 1), reduced(mix(first ^ LOW_HALF), count)


def reduced(number: Number, count: int) -> Number:
    """Return ⌊number·count/2^64⌋ for a count below 2^32, in steps that stay below 2^64."""
    high = (number >> 32) * count
    low = (number & LOW_HALF) * count
    return (high + (low >> 32)) >> 32
