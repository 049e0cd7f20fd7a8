"""The public family of functions of `collision`: ((A·x + C) mod N) mod t, with x the position of an item.

N is a prime, and the items of a task stand at powers of a generator. Every step uses integers below 2^62,
written once for Python's integers and numpy's arrays. Nothing here is secret, and ε does not depend on it;
what the estimates need of it is in proofs/collision.md.

Where a function's two numbers do not fit into a word, an index of 32 bits names the function. `numbers_of`
derives both numbers from it: the same bits from Python's integers, numpy and JavaScript.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any, TypeAlias

from pckv.mechanisms.primes import least_prime

# A whole number, or a numpy array of unsigned ones: the steps are written once for both.
Number: TypeAlias = Any

# The largest number of positions, a prime: products of two of them stay below 2^62.
MAX_POSITIONS = 2**31 - 1
# The fewest positions per two items, per symbol, and in all: the bias of estimates stays below their noise.
POSITIONS_PER_TWO_ITEMS, POSITIONS_PER_SYMBOL, MIN_POSITIONS = 3, 16, 4096
# Up to this many keys are often held together, and are checked one by one: more positions cost nothing.
FEW_KEYS, MIN_POSITIONS_FOR_FEW = 64, 2**16
# The generator is looked for from this share of the positions on: small ones have small powers, which are in
# simple ratios to each other.
GENERATOR_SHARE = (618_034, 1_000_000)
# Ratios up to 3 to 3 between items at most this far from a third, and how many generators are tried.
NEAR_ITEMS, SMALL_NUMBER, MAX_GENERATORS = 20, 3, 100


def min_positions(items: int, symbols: int) -> int:
    """Return the fewest positions that a task may have, given its numbers of items and symbols."""
    return max(-(-POSITIONS_PER_TWO_ITEMS * items // 2), POSITIONS_PER_SYMBOL * symbols, MIN_POSITIONS)


def best_positions(keys: int, items: int, symbols: int) -> int:
    """Return how many positions a task has unless its author says otherwise."""
    fewest = min_positions(items, symbols)
    return least_prime(max(fewest, MIN_POSITIONS_FOR_FEW) if keys <= FEW_KEYS else fewest)


@lru_cache(maxsize=64)
def best_generator(positions: int) -> int:
    """Return the least number, from a share of the positions on, whose powers are all positions but 0.

    Those of near items are in no simple ratio, seen from a third, unless there are too few positions.
    """
    share, whole = GENERATOR_SHARE
    generators = (number for number in range(positions * share // whole, positions) if is_generator(number, positions))
    first = next(generators, None) or next(number for number in range(1, positions) if is_generator(number, positions))
    candidates = chain([first], islice(generators, MAX_GENERATORS))
    return next((number for number in candidates if not _has_simple_ratio(number, positions)), first)


def _has_simple_ratio(generator: int, positions: int) -> bool:
    """Return whether (g^a - 1)/(g^b - 1) is a ratio of small numbers for some near a and b.

    Then three items at these distances share a symbol more often than by chance, whichever they are.
    """
    inverse = pow(generator, -1, positions)
    steps = [
        pow(base, distance, positions) - 1 for base in (generator, inverse) for distance in range(1, NEAR_ITEMS + 1)
    ]
    multiples = {
        (part * step % positions, number) for number, step in enumerate(steps) for part in range(1, SMALL_NUMBER + 1)
    }
    owners: dict[int, int] = {}
    for multiple, number in multiples:
        for signed in (multiple, positions - multiple):
            if owners.setdefault(signed, number) != number:
                return True
    return False


@lru_cache(maxsize=64)
def is_generator(number: int, positions: int) -> bool:
    """Return whether the powers of a number are all positions but 0, of a prime number of them."""
    order = positions - 1
    return 0 < number < positions and all(
        pow(number, order // factor, positions) != 1 for factor in _prime_factors(order)
    )


def _prime_factors(number: int) -> list[int]:
    factors, factor = [], 2
    while factor * factor <= number:
        if number % factor == 0:
            factors.append(factor)
            while number % factor == 0:
                number //= factor
        factor += 1
    return [*factors, number] if number > 1 else factors


@dataclass(frozen=True)
class Numbering:
    """Where items stand: item i at the power g^i, below N; the other positions are unused."""

    items: int
    positions: int
    generator: int

    @cached_property
    def squarings(self) -> tuple[int, ...]:
        """The powers of the generator by 1, 2, 4, …: one per bit of an item."""
        powers = [self.generator]
        for _ in range((self.items - 1).bit_length() - 1):
            powers.append(powers[-1] ** 2 % self.positions)
        return tuple(powers)

    def position(self, item: Number) -> Number:
        """Return where an item stands, in steps that are the same for every item."""
        result = item * 0 + 1
        for place, square in enumerate(self.squarings):
            bit = item >> place & 1
            result = result * (1 + bit * (square - 1)) % self.positions
        return result


MASK = 2**64 - 1
LOW_HALF = 2**32 - 1
# 2^64 over the golden ratio: without it index 0 would be mixed to 0.
START = 0x9E3779B97F4A7C15
# Shift, multiply, shift, multiply, shift: those of SplitMix64, found by search for its avalanche.
SHIFTS = (30, 27, 31)
FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mix(number: Number) -> Number:
    """Apply a fixed permutation of the numbers below 2^64 in which every bit moves every other."""
    number = (number ^ (number >> SHIFTS[0])) * FACTORS[0] & MASK
    number = (number ^ (number >> SHIFTS[1])) * FACTORS[1] & MASK
    return number ^ (number >> SHIFTS[2])


def numbers_of(index: Number, count: int) -> tuple[Number, Number]:
    """Return two numbers of an index below 2^32, below `count` - 1 and `count`, which is below 2^32."""
    first = mix((index + START) & MASK)
    return reduced(first, count - 1), reduced(mix(first ^ LOW_HALF), count)


def reduced(number: Number, count: int) -> Number:
    """Return ⌊number·count/2^64⌋ for a count below 2^32, in steps that stay below 2^64."""
    high = (number >> 32) * count
    low = (number & LOW_HALF) * count
    return (high + (low >> 32)) >> 32
