"""Laws of `collision` for tests, and a naive count of what words support."""

from __future__ import annotations

from fractions import Fraction

from pckv.mechanisms.collision.law import CollisionLaw


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
