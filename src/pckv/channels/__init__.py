"""A file a mechanism: message space, integer probabilities, exact law, realised ε.

Plain numbers in, no task; nobody else computes a, b or p.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pckv.channels.base import KINDS, PAIRS, SIZES, Channel, CountLaw, Law, SamplingChannel, Signs, Support
from pckv.channels.buckets import BucketsChannel
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.errors import ParameterError

__all__ = [
    "CHANNELS",
    "KINDS",
    "MECHANISMS",
    "PAIRS",
    "SIZES",
    "BucketsChannel",
    "Channel",
    "CountLaw",
    "Law",
    "SamplingChannel",
    "Signs",
    "Support",
    "build",
]

# Every mechanism there is: what tasks may name and audits run over.
MECHANISMS: dict[str, type[Channel]] = {
    channel.name: channel
    for channel in (UeChannel, GrrChannel, UeCompactChannel, CollisionChannel, BucketsChannel)
}
# Those that collect pairs: what there is to choose from.
CHANNELS = {name: channel for name, channel in MECHANISMS.items() if channel.kind == PAIRS}


def build(name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object]) -> Channel:
    """The channel of a mechanism, with the parameters a task fixes (or its defaults)."""
    if name not in MECHANISMS:
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {', '.join(CHANNELS)}")
    return MECHANISMS[name].from_parameters(keys, padding, epsilon, parameters)
