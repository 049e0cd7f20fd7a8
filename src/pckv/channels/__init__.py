"""A file a mechanism: message space, integer probabilities, exact law, realised ε.

Plain numbers in, no task; nobody else computes a, b or p.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pckv.channels.base import Channel, CountLaw, Law, SamplingChannel, Signs, Support
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.errors import ParameterError

__all__ = ["CHANNELS", "Channel", "CountLaw", "Law", "SamplingChannel", "Signs", "Support", "build"]

CHANNELS: dict[str, type[Channel]] = {
    channel.name: channel for channel in (UeChannel, GrrChannel, UeCompactChannel, CollisionChannel)
}


def build(name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object]) -> Channel:
    """The channel of a mechanism, with the parameters a task fixes (or its defaults)."""
    if name not in CHANNELS:
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {', '.join(CHANNELS)}")
    return CHANNELS[name].from_parameters(keys, padding, epsilon, parameters)
