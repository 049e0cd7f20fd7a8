"""Channels of `ue-compact` for tests."""

from __future__ import annotations

from fractions import Fraction

from pckv.channels import residues
from pckv.channels.ue_compact import UeCompactChannel

# What residues say where there is one per level, of two.
PLUS, MINUS = 0, 1
PRIMES = [number for number in range(3, 548) if residues.is_prime(number)]


def compact_channel(
    keys: int,
    padding: int = 1,
    epsilon: str = "1",
    q: int | None = None,
    r: int = 1,
    o: int = 0,
    *,
    levels: int = 2,
) -> UeCompactChannel:
    """Return a channel of `ue-compact`."""
    return UeCompactChannel(keys, padding, Fraction(epsilon), q, r, o, levels=levels)


def naive_residue(channel: UeCompactChannel, word: int, key: int) -> int:
    """Return what a word says of a key, digit by digit."""
    function, offset = divmod(word, channel.q)
    total = offset
    for _ in range(channel.digits):
        total += function % channel.q * (key % channel.q)
        function, key = function // channel.q, key // channel.q
    return total % channel.q
