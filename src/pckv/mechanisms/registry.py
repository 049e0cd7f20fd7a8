"""The registry of mechanisms: one record each, which says where its parts are.

A part is named "module:attribute" and loaded by the package that uses it, so that a device never loads the
server's half, and the server never loads the device's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from pckv.base.errors import ParameterError
from pckv.mechanisms.base import Law


@dataclass(frozen=True)
class Mechanism:
    """The parts of one mechanism."""

    # The exact law, thresholds and message format: a `Law` class.
    law: str
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
        law="pckv.mechanisms.ue.law:UeLaw",
        sampler="pckv.mechanisms.ue.device:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_ue",
        decoder="pckv.tally.decode.support:level_cells",
        simulator="pckv.lab.counting:count_ue",
        javascript="mechanisms/ue.js",
    ),
    "grr": Mechanism(
        law="pckv.mechanisms.grr.law:GrrLaw",
        sampler="pckv.mechanisms.grr.device:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_grr",
        decoder="pckv.tally.decode.support:level_cells",
        simulator="pckv.lab.counting:count_grr",
        javascript="mechanisms/grr.js",
    ),
    "ue-compact": Mechanism(
        law="pckv.mechanisms.ue_compact.law:UeCompactLaw",
        sampler="pckv.mechanisms.ue_compact.device:perturb",
        vectorised_sampler="pckv.device.vectorised:perturb_ue_compact",
        decoder="pckv.tally.decode.ue_compact:support",
        simulator="pckv.lab.counting:count_ue_compact",
        javascript="mechanisms/ue-compact.js",
    ),
    "collision": Mechanism(
        law="pckv.mechanisms.collision.law:CollisionLaw",
        sampler="pckv.mechanisms.collision.device:perturb",
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


LAWS: dict[str, type[Law]] = {name: load_part(name, "law") for name in REGISTRY}


def build(  # noqa: PLR0917
    name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object], levels: int = 2
) -> Law:
    """Return the law of a mechanism, with the parameters that a task fixes (or its defaults)."""
    if name not in LAWS:
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {', '.join(LAWS)}")
    return LAWS[name].from_parameters(keys, padding, epsilon, parameters, levels=levels)
