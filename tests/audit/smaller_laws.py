"""Laws with fewer messages and the same thresholds, for enumeration.

What multiplies the messages without changing the thresholds, the number of public functions, is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

from pckv.mechanisms.base import THRESHOLD_BITS, Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.primes import is_prime, least_prime

# `collision`: enough for enumeration; all functions over as few positions as items and symbols need, where
# few keys make at most this many words.
FEW_FUNCTIONS, FEW_KEYS = 3, 4
MAX_WORDS_OF_ALL_FUNCTIONS = 2**12
# Few functions are looked for among primes up to this many times the least.
PRIMES_UP_TO = 8


def enumerable(law: Law) -> Law:
    """Return the same law with fewer messages, where its law does not need them all."""
    return _with_few_functions(law) if isinstance(law, CollisionLaw) else law


def over_positions(law: CollisionLaw, positions: int, functions: int | None = None) -> CollisionLaw:
    """Return the same law over fewer positions, a prime number of them, by default with all functions."""
    return type(law)(
        law.keys,
        law.padding,
        law.epsilon,
        symbols=law.symbols,
        positions=positions,
        levels=law.levels,
        bits=law.bits,
        functions=functions or positions * (positions - 1),
    )


def _with_few_functions(law: CollisionLaw) -> Law:
    # On a toy tape every function multiplies the runs, so a few must do.
    roomy = law.bits == THRESHOLD_BITS and law.keys <= FEW_KEYS
    # With more positions than symbols, functions send some of them to one symbol.
    positions = least_prime(max(law.items, law.symbols) + 1)
    words = positions * (positions - 1) * law.symbols
    if roomy and words <= MAX_WORDS_OF_ALL_FUNCTIONS:
        return over_positions(law, positions)
    # On a toy tape the sampler itself is run: with more pairs than one it must see some of them share a symbol.
    if law.bits < THRESHOLD_BITS and 1 < law.keys <= FEW_KEYS and law.padding > 1:
        positions = next(filter(partial(_some_share, law), _primes(positions)), positions)
    return over_positions(law, positions, FEW_FUNCTIONS)


def _primes(start: int) -> Iterator[int]:
    """Yield the primes from a number to several times as large a number."""
    return filter(is_prime, range(start, PRIMES_UP_TO * start))


def _some_share(law: CollisionLaw, positions: int) -> bool:
    """Return whether some functions over these positions send two keys to one symbol, and others send them apart."""
    few = over_positions(law, positions, FEW_FUNCTIONS)
    for one, other in combinations(range(few.items), 2):
        if one // law.levels != other // law.levels:
            shared = [few.symbol(number, one) == few.symbol(number, other) for number in range(FEW_FUNCTIONS)]
            if any(shared) and not all(shared):
                return True
    return False
