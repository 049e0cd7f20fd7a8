"""Laws of `ue-compact` for tests."""

from __future__ import annotations

from fractions import Fraction

from pckv.mechanisms.primes import is_prime
from pckv.mechanisms.ue_compact.law import UeCompactLaw

# What residues say where there is one per level, of two.
PLUS, MINUS = 0, 1
PRIMES = [number for number in range(3, 548) if is_prime(number)]


def compact_law(
    keys: int,
    padding: int = 1,
    epsilon: str = "1",
    q: int | None = None,
    r: int = 1,
    o: int = 0,
    *,
    levels: int = 2,
) -> UeCompactLaw:
    """Return a law of `ue-compact`."""
    return UeCompactLaw(keys, padding, Fraction(epsilon), q, r, o, levels=levels)


def naive_residue(law: UeCompactLaw, word: int, key: int) -> int:
    """Return what a word says of a key, digit by digit."""
    function, offset = divmod(word, law.q)
    total = offset
    for _ in range(law.digits):
        total += function % law.q * (key % law.q)
        function, key = function // law.q, key // law.q
    return total % law.q
