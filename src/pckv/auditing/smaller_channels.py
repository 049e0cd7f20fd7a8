"""Channels with fewer messages and the same thresholds, for enumeration.

What multiplies the messages without changing the law, the number of hash functions, is replaced.
"""

from __future__ import annotations

from pckv.channels import Channel
from pckv.channels.base import THRESHOLD_BITS
from pckv.channels.collision import CollisionChannel

# `collision`: enough for enumeration; all functions that exist, where few keys make at most this many words.
FEW_FUNCTIONS, FEW_KEYS = 3, 4
MAX_WORDS_OF_ALL_FUNCTIONS = 2**12


def enumerable(channel: Channel) -> Channel:
    """Return the same channel with fewer messages, where its law does not need them all."""
    return _with_few_functions(channel) if isinstance(channel, CollisionChannel) else channel


def _with_few_functions(channel: CollisionChannel) -> Channel:
    # On a toy tape every function multiplies the runs, so a few must do.
    roomy = channel.bits == THRESHOLD_BITS and channel.keys <= FEW_KEYS
    all_functions = roomy and channel.symbols ** (2 * channel.keys + 1) <= MAX_WORDS_OF_ALL_FUNCTIONS
    functions = None if all_functions else FEW_FUNCTIONS
    return type(channel)(
        channel.keys, channel.padding, channel.epsilon, channel.symbols, channel.bits, functions=functions
    )
