"""The channels of all mechanisms, by name."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pckv.channels.base import Channel
from pckv.errors import ParameterError
from pckv.mechanisms import REGISTRY, load_part

CHANNELS: dict[str, type[Channel]] = {name: load_part(name, "channel") for name in REGISTRY}


def build(  # noqa: PLR0917
    name: str,
    keys: int,
    padding: int,
    epsilon: Fraction,
    parameters: Mapping[str, object],
    levels: int = 2,
) -> Channel:
    """Return the channel of a mechanism, with the parameters that a task fixes (or its defaults)."""
    if name not in CHANNELS:
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {', '.join(CHANNELS)}")
    return CHANNELS[name].from_parameters(keys, padding, epsilon, parameters, levels=levels)
