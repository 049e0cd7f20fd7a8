"""Channels of `collision` for tests, and a naive count of what words support."""

from __future__ import annotations

from fractions import Fraction

from pckv.channels.collision import CollisionChannel


def collision_channel(
    keys: int,
    padding: int,
    epsilon: str = "1",
    symbols: int | None = None,
    positions: int | None = None,
    bits: int = 64,
    levels: int = 2,
) -> CollisionChannel:
    """Return a channel of `collision`; for enumeration with all functions over fewer positions."""
    functions = None if positions is None else positions * (positions - 1)
    return CollisionChannel(
        keys,
        padding,
        Fraction(epsilon),
        symbols=symbols,
        positions=positions,
        bits=bits,
        levels=levels,
        functions=functions,
    )


def naive_supports(channel: CollisionChannel, words: list[int]) -> list[int]:
    """Test every item against every word, in Python's integers."""
    positions, symbols = channel.positions, channel.symbols
    places = [pow(channel.numbering.generator, item, positions) for item in range(channel.items)]
    cells = [0] * (channel.items + 1)
    for word in words:
        function, symbol = divmod(word, symbols)
        factor, offset = channel.coefficients(function)
        held = [(factor * place + offset) % positions % symbols == symbol for place in places]
        cells = [cell + one for cell, one in zip(cells, [*held, 0], strict=True)]
        # A function reaches every number below N once.
        cells[-1] += len(range(symbol, positions, symbols)) - sum(held)
    return cells
