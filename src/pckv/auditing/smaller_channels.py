"""Smaller channels of the same mechanism, for enumeration: one entry per mechanism.

`enumerable` replaces what multiplies the messages without changing the law, such as the number of hash functions.
`smaller` goes one step down in size, until every input set and output can be visited.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from pckv.channels import Channel
from pckv.channels.base import THRESHOLD_BITS
from pckv.channels.collision import CollisionChannel
from pckv.channels.ue_compact import UeCompactChannel

# Channels with more keys than this are first reduced to this many.
FEW_KEYS = 4
# `ue-compact`: words are q² even for one key, so there a small prime stands for a large one.
SMALL_PRIME = 11
# `collision`: enough for enumeration; all functions that exist, where they make at most this many words.
FEW_FUNCTIONS, FEW_PAIRS, FEW_SYMBOLS = 3, 2, 64
MAX_WORDS_OF_ALL_FUNCTIONS = 2**12


class Reduction(NamedTuple):
    """How the channels of one mechanism are made smaller."""

    enumerable: Callable[[Any], Channel]
    # None if the channel is a smallest one.
    smaller: Callable[[Any], Channel | None]


def enumerable(channel: Channel) -> Channel:
    """Return the same channel with fewer messages, where its law does not need them all."""
    return REDUCTIONS[channel.name].enumerable(channel)


def smaller(channel: Channel) -> Channel | None:
    """Return a smaller channel of the same kind, or None if this is a smallest one."""
    return REDUCTIONS[channel.name].smaller(channel)


def _unchanged(channel: Channel) -> Channel:
    return channel


def _with_fewer_keys(channel: Channel) -> Channel | None:
    if channel.keys == 1:
        return None
    keys = _fewer(channel.keys)
    return channel.from_parameters(keys, channel.padding, channel.epsilon, channel.parameters, channel.bits)


def _fewer(keys: int) -> int:
    return min(keys, FEW_KEYS + 1) - 1


def _smaller_compact(channel: UeCompactChannel) -> Channel | None:
    if channel.keys > 1 or channel.q <= SMALL_PRIME:
        return _with_fewer_keys(channel)
    r, o = _scaled_sets(channel.q, channel.r, channel.o, SMALL_PRIME)
    return UeCompactChannel(channel.keys, channel.padding, channel.epsilon, SMALL_PRIME, r, o, channel.bits)


def _scaled_sets(q: int, r: int, o: int, prime: int) -> tuple[int, int]:
    """Return sets with about the same shares of another prime; several residues stay several."""
    residues = min(max(round(Fraction(r * prime, q)), min(r, 2)), prime - 1)
    return residues, min(max(round(Fraction(o * prime, q)), 2 * residues - prime, 0), residues - 1)


def _enumerable_collision(channel: CollisionChannel) -> Channel:
    # On a toy tape every function multiplies the runs, so a few must do.
    roomy = channel.bits == THRESHOLD_BITS and channel.keys <= FEW_KEYS
    all_functions = roomy and channel.symbols ** (2 * channel.keys + 1) <= MAX_WORDS_OF_ALL_FUNCTIONS
    functions = None if all_functions else FEW_FUNCTIONS
    return type(channel)(
        channel.keys, channel.padding, channel.epsilon, channel.symbols, channel.bits, functions=functions
    )


def _smaller_collision(channel: CollisionChannel) -> Channel | None:
    keys, padding, symbols = channel.keys, channel.padding, channel.symbols
    if channel.functions <= FEW_FUNCTIONS:
        if symbols > FEW_SYMBOLS:
            # Few pairs with few symbols stand for many with many.
            padding, symbols = min(padding, FEW_PAIRS), FEW_SYMBOLS
        elif keys > 1:
            keys = _fewer(keys)
        else:
            return None
    return CollisionChannel(keys, padding, channel.epsilon, symbols, channel.bits, functions=FEW_FUNCTIONS)


REDUCTIONS: dict[str, Reduction] = {
    "ue": Reduction(_unchanged, _with_fewer_keys),
    "grr": Reduction(_unchanged, _with_fewer_keys),
    "ue-compact": Reduction(_unchanged, _smaller_compact),
    "collision": Reduction(_enumerable_collision, _smaller_collision),
}
