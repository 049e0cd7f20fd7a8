"""Laws of `collision` and `ue-compact` for tests, and naive ways to read their words."""

from __future__ import annotations

from fractions import Fraction

from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.primes import is_prime
from pckv.mechanisms.ue_compact.law import UeCompactLaw


def collision_law(
    keys: int,
    padding: int,
    epsilon: str = "1",
    symbols: int | None = None,
    positions: int | None = None,
    bits: int = 64,
    levels: int = 2,
) -> CollisionLaw:
    """Return a law of `collision`; for enumeration with all functions over fewer positions."""
    functions = None if positions is None else positions * (positions - 1)
    return CollisionLaw(
        keys,
        padding,
        Fraction(epsilon),
        symbols=symbols,
        positions=positions,
        bits=bits,
        levels=levels,
        functions=functions,
    )


def naive_supports(law: CollisionLaw, words: list[int]) -> list[int]:
    """Test every item against every word, in Python's integers."""
    positions, symbols = law.positions, law.symbols
    places = [pow(law.numbering.generator, item, positions) for item in range(law.items)]
    cells = [0] * (law.items + 1)
    for word in words:
        function, symbol = divmod(word, symbols)
        factor, offset = law.coefficients(function)
        held = [(factor * place + offset) % positions % symbols == symbol for place in places]
        cells = [cell + one for cell, one in zip(cells, [*held, 0], strict=True)]
        # A function reaches every number below N once.
        cells[-1] += len(range(symbol, positions, symbols)) - sum(held)
    return cells


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
