"""The channels of all mechanisms, by name."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pckv.channels.base import PAIRS, Channel
from pckv.errors import ParameterError
from pckv.mechanisms import REGISTRY, load_part

# Every mechanism there is: what tasks may name and audits run over.
MECHANISMS: dict[str, type[Channel]] = {name: load_part(name, "channel") for name in REGISTRY}
# Those that collect pairs: what there is to choose from.
CHANNELS = {name: channel for name, channel in MECHANISMS.items() if channel.kind == PAIRS}


def build(name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object]) -> Channel:
    """Return the channel of a mechanism, with the parameters that a task fixes (or its defaults)."""
    if name not in MECHANISMS:
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {', '.join(CHANNELS)}")
    return MECHANISMS[name].from_parameters(keys, padding, epsilon, parameters)
