"""Channels of `collision` for tests."""

from __future__ import annotations

from fractions import Fraction

from pckv.channels.collision import FUNCTIONS, CollisionChannel


def collision_channel(
    keys: int,
    padding: int,
    epsilon: str = "1",
    symbols: int | None = None,
    functions: int | None = FUNCTIONS,
    bits: int = 64,
) -> CollisionChannel:
    """Return a channel of `collision`; for enumeration with fewer functions, or all of them (None)."""
    return CollisionChannel(keys, padding, Fraction(epsilon), symbols, bits, functions=functions)
