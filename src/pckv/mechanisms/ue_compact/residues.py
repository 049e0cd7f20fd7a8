"""Which prime q a compact report is made with, and how many residues say a level: small error first, then few words.

Keys and one dummy are numbered by t digits in base q, t the least that has room; a word has one digit more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import isqrt

from pckv.base.errors import ParameterError
from pckv.base.limits import MIN_LEVELS, ONE_LEVEL, check_whole
from pckv.base.words import plural
from pckv.mechanisms.primes import is_prime

MIN_PRIME = 3
MAX_WORDS = 2**63
MAX_PRIME = isqrt(MAX_WORDS - 1)
# Primes whose error is within this factor of the best count as equivalent, and the fewest words decide.
EQUIVALENT_FACTOR = Fraction(102, 100)
# The same where keys have no values, relative to the least possible error; and the most residues that are tried.
ONE_LEVEL_FACTOR, MAX_RESIDUES = Fraction(101, 100), 8

Fits = Callable[[int], bool]


def digits(keys: int, q: int) -> int:
    """Return the least t with q^t > keys: room for every key and the dummy."""
    count, reach = 1, q
    while reach <= keys:
        count, reach = count + 1, reach * q
    return count


def words(keys: int, q: int) -> int:
    """Return how many words there are: q to the power of one more than the digits."""
    return int(q ** (digits(keys, q) + 1))


def check(q: object, keys: int) -> int:
    """A prime that reports over this many keys can be made with."""
    prime = check_whole(q, "q")
    if not MIN_PRIME <= prime <= MAX_PRIME or not is_prime(prime):
        raise ParameterError(f"q must be a prime from {MIN_PRIME} to {MAX_PRIME}, not {q}")
    if words(keys, prime) >= MAX_WORDS:
        raise ParameterError(f"q = {q} needs words of more than 63 bits for {keys:,} keys")
    return prime


def check_sets(q: int, r: object, o: object, levels: int) -> tuple[int, int]:
    """Numbers of residues that the levels' sets may have, and that two of them may share."""
    residues, shared = check_whole(r, "r"), check_whole(o, "o")
    if not 1 <= residues < q:
        raise ParameterError(f"r must be at least 1 and below q = {q}, not {r}")
    if levels != MIN_LEVELS:
        if shared:
            raise ParameterError(f"o must be 0 with {plural(levels, 'level')}, not {o}")
        # Were every residue some level's, reports would not tell holders of a key from others.
        if levels * residues >= q:
            raise ParameterError(
                f"{levels} levels with {r} residues each do not fit into q = {q}, of which some must be no level's"
            )
        return residues, shared
    least = max(0, 2 * residues - q)
    if not least <= shared < residues:
        raise ParameterError(f"o must be at least {least} and below r = {r} at q = {q}, not {o}")
    return residues, shared


def error(q: int, bound: Fraction, levels: int = 2, r: int = 1) -> Fraction:
    """Return the squared error of a rare key relative to the best q: of frequency or mean, the larger.

    With L levels that is q = e^ε + 2L - 1: for two levels, PCKV-UE. A smaller q loses by
    h(q) = (e^ε + q - 1)²/(q - L), a larger one by g(q) = (e^ε + q - 1)²/q. Without values, only frequencies count, and
    r residues may say a key: the best q is r·(e^ε + 1).
    """
    if levels == ONE_LEVEL:
        return (r * bound + q - r) ** 2 / (4 * bound * r * (q - r))
    spread, half = (bound + q - 1) ** 2, bound + levels - 1
    if q <= half + levels:
        return spread / (4 * half * (q - levels))
    return spread * (half + levels) / (4 * half**2 * q)


def best(keys: int, bound: Fraction, levels: int = 2) -> int:
    """Return the prime with the least error of those with one residue per level, e^ε being `bound`."""
    nearest = (
        prime
        for lowest, highest in ranges(keys, levels)
        for prime in _nearest_primes(lowest, highest, int(bound) + 2 * levels - 1)
    )
    found = min(nearest, key=lambda q: error(q, bound, levels), default=0)
    if not found:
        raise ParameterError(f"{levels} levels of {keys:,} keys need words of more than 63 bits")
    return found


@lru_cache(maxsize=256)
def choose(keys: int, bound: Fraction, levels: int = 2) -> tuple[int, int]:
    """Return the prime with the fewest words among those equivalent to the best, and how many residues say a level.

    Several do only where keys have no values: the error is then within 1 % of the least possible one.
    """
    if levels == ONE_LEVEL:
        most, sets = ONE_LEVEL_FACTOR, range(1, MAX_RESIDUES + 1)
    else:
        most, sets = EQUIVALENT_FACTOR * error(best(keys, bound, levels), bound, levels), range(1, 2)
    candidates = [found for r in sets for found in _equivalent(keys, bound, levels, r, most)]
    if not candidates:
        q = best(keys, bound, levels)
        return q, 1
    return min(candidates, key=lambda found: (words(keys, found[0]), *found))


def _equivalent(keys: int, bound: Fraction, levels: int, r: int, most: Fraction) -> Iterator[tuple[int, int]]:
    """Yield the least prime whose error is at most a limit, for every number of digits that has one."""
    peak = int(r * (bound + 1)) if levels == ONE_LEVEL else int(bound) + 2 * levels - 1
    for lowest, highest in ranges(keys, levels * r):
        # Up to the peak the error falls, so that equivalent ones begin somewhere below it.
        start = _first(lowest, max(lowest, peak), lambda q: error(q, bound, levels, r) <= most)
        for prime in islice(filter(is_prime, range(start, highest + 1)), 1):
            if error(prime, bound, levels, r) <= most:
                yield prime, r


def ranges(keys: int, levels: int = 2) -> Iterator[tuple[int, int]]:
    """Yield the least and the largest q above `levels`, for every number of digits that a prime may need."""
    for count in range(1, digits(keys, MIN_PRIME) + 1):
        lowest = max(_least_base(count, keys), levels + 1)
        highest = _least_base(count + 1, MAX_WORDS - 1) - 1
        if lowest <= highest:
            yield lowest, highest


def _nearest_primes(lowest: int, highest: int, middle: int) -> Iterator[int]:
    """Yield the primes next to a number on either side."""
    middle = min(max(lowest, middle), highest)
    for numbers in (range(middle, lowest - 1, -1), range(middle + 1, highest + 1)):
        yield from islice(filter(is_prime, numbers), 1)


def _first(low: int, high: int, holds: Fits) -> int:
    """Return the least number from low on that it holds for, as for all above; high if there is none."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _least_base(power: int, limit: int) -> int:
    """Return the least q whose power is beyond a limit."""
    return _first(MIN_PRIME, limit + MIN_PRIME, lambda q: q**power > limit)
