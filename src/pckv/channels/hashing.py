"""A public family of hash functions: the same bits from Python's integers, numpy, numba and JavaScript.

Nothing here is secret, and ε does not depend on it: only the estimates need the hashes of a few items
to look independent over a random function.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# A whole number below 2^64, or a numpy array of unsigned ones: the steps are written once for both.
Number: TypeAlias = Any

MASK = 2**64 - 1
LOW_HALF = 2**32 - 1
# 2^64 over the golden ratio: without it function 0 would be seeded with 0.
START = 0x9E3779B97F4A7C15
# Shift, multiply, shift, multiply, shift: those of SplitMix64, found by search for its avalanche.
SHIFTS = (30, 27, 31)
FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mix(number: Number) -> Number:
    """A fixed permutation of the numbers below 2^64 in which every bit moves every other."""
    number = (number ^ (number >> SHIFTS[0])) * FACTORS[0] & MASK
    number = (number ^ (number >> SHIFTS[1])) * FACTORS[1] & MASK
    return number ^ (number >> SHIFTS[2])


def seed_of(function: Number) -> Number:
    """What a function mixes its items with."""
    return mix((function + START) & MASK)


def hashed(function: Number, item: Number) -> Number:
    """The value of a function at an item, below 2^64."""
    return mix(seed_of(function) ^ item)


def reduced(number: Number, symbols: int) -> Number:
    """⌊number·symbols/2^64⌋ for fewer than 2^31 symbols, in steps that stay below 2^64."""
    high = (number >> 32) * symbols
    low = (number & LOW_HALF) * symbols
    return (high + (low >> 32)) >> 32


def symbol_start(symbol: int, symbols: int) -> int:
    """The least number that is reduced to this symbol, or to a later one."""
    return -((-symbol << 64) // symbols)
