"""Channels with fewer messages and the same thresholds, for enumeration.

What multiplies the messages without changing the thresholds, the number of public functions, is replaced.
"""

from __future__ import annotations

from pckv.channels import Channel
from pckv.channels.affine import least_prime
from pckv.channels.base import THRESHOLD_BITS
from pckv.channels.collision import CollisionChannel

# `collision`: enough for enumeration; all functions over as few positions as the items need, where few keys make at
# most this many words.
FEW_FUNCTIONS, FEW_KEYS = 3, 4
MAX_WORDS_OF_ALL_FUNCTIONS = 2**12


def enumerable(channel: Channel) -> Channel:
    """Return the same channel with fewer messages, where its law does not need them all."""
    return _with_few_functions(channel) if isinstance(channel, CollisionChannel) else channel


def _with_few_functions(channel: CollisionChannel) -> Channel:
    # On a toy tape every function multiplies the runs, so a few must do.
    roomy = channel.bits == THRESHOLD_BITS and channel.keys <= FEW_KEYS
    positions = least_prime(channel.items + 1)
    functions = positions * (positions - 1)
    if not roomy or functions * channel.symbols > MAX_WORDS_OF_ALL_FUNCTIONS:
        functions = FEW_FUNCTIONS
    return type(channel)(
        channel.keys,
        channel.padding,
        channel.epsilon,
        symbols=channel.symbols,
        positions=positions,
        bits=channel.bits,
        functions=functions,
    )
