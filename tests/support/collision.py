"""Channels of `collision` for tests."""

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
        functions=functions,
    )
