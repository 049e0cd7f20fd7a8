"""Parameters of each mechanism that between them reach every branch of it: what audits and tests run over."""

from __future__ import annotations

from pckv.budget import ALLOCATIONS
from pckv.channels.ue import TUNED

Variant = dict[str, object]

_ALLOCATIONS: tuple[Variant, ...] = tuple({"allocation": allocation} for allocation in ALLOCATIONS)
_TUNED_BETAS: tuple[Variant, ...] = tuple({"allocation": TUNED, "beta": beta} for beta in ("0.12", "0.45"))

VARIANTS: dict[str, tuple[Variant, ...]] = {
    "ue": (*_ALLOCATIONS, *_TUNED_BETAS),
    "grr": _ALLOCATIONS,
    "ue-compact": (
        {},
        {"q": 3},
        {"q": 7},
        {"q": 5, "r": 2},
        # Sets of residues that overlap.
        {"q": 3, "r": 2, "o": 1},
        {"q": 7, "r": 3, "o": 1},
    ),
    "collision": ({},),
}
