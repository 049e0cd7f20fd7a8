"""One file per mechanism: message format, integer probabilities, exact law, realised ε.

Plain numbers in, no task; nobody else computes a, b or p.
"""

from __future__ import annotations

from pckv.channels.base import Channel, CountLaw, HeldLevels, Law, SamplingChannel, Support
from pckv.channels.registered import CHANNELS, build

__all__ = [
    "CHANNELS",
    "Channel",
    "CountLaw",
    "HeldLevels",
    "Law",
    "SamplingChannel",
    "Support",
    "build",
]
