"""Every mechanism there is, one record each: where its parts are.

A part is named "module:attribute" and loaded by the package that uses it, so that a device never loads the
server's half, and the server never loads the device's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Mechanism:
    """The parts of one mechanism."""

    # The exact law, thresholds and message format: a `Channel` class.
    channel: str
    # One report from one participant's pairs, and many from a population.
    sampler: str
    vectorised_sampler: str
    # From the counts of a tally to the support of every key.
    decoder: str
    # The counts of simulated reports.
    simulator: str
    # The module of the JavaScript client.
    javascript: str


REGISTRY: Mapping[str, Mechanism] = {
    "ue": Mechanism(
        channel="pckv.channels.ue:UeChannel",
        sampler="pckv.device.ue:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_ue",
        decoder="pckv.tally.decode.level_cells:support",
        simulator="pckv.lab.counting:count_ue",
        javascript="mechanisms/ue.js",
    ),
    "grr": Mechanism(
        channel="pckv.channels.grr:GrrChannel",
        sampler="pckv.device.grr:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_grr",
        decoder="pckv.tally.decode.level_cells:support",
        simulator="pckv.lab.counting:count_grr",
        javascript="mechanisms/grr.js",
    ),
    "ue-compact": Mechanism(
        channel="pckv.channels.ue_compact:UeCompactChannel",
        sampler="pckv.device.ue_compact:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_ue_compact",
        decoder="pckv.tally.decode.ue_compact:support",
        simulator="pckv.lab.counting:count_ue_compact",
        javascript="mechanisms/ue-compact.js",
    ),
    "collision": Mechanism(
        channel="pckv.channels.collision:CollisionChannel",
        sampler="pckv.device.collision:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_collision",
        decoder="pckv.tally.decode.collision:support",
        simulator="pckv.lab.counting:count_collision",
        javascript="mechanisms/collision.js",
    ),
}


@cache
def load_part(mechanism: str, part: str) -> Any:
    """Load one part of a mechanism, such as its `sampler`."""
    module, _, attribute = getattr(REGISTRY[mechanism], part).partition(":")
    return getattr(import_module(module), attribute)
