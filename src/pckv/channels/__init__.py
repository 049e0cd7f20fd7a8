"""One file per mechanism: message format, integer probabilities, exact law, realised ε.

Plain numbers in, no task; nobody else computes a, b or p.
"""

from __future__ import annotations

from pckv.channels.base import KINDS, PAIRS, SIZES, Channel, CountLaw, Law, SamplingChannel, Signs, Support
from pckv.channels.buckets import BucketsChannel
from pckv.channels.registered import CHANNELS, MECHANISMS, build

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
