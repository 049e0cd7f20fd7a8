"""Parameters of each mechanism that between them reach every branch of it: what audits and tests run over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pckv.base.budget import ALLOCATIONS
from pckv.mechanisms.ue.law import TUNED

Variant = dict[str, object]


class LevelVariant(NamedTuple):
    """A number of levels, and parameters of a mechanism that has them."""

    levels: int
    parameters: Variant


# The default parameters with the two levels of the paper.
DEFAULT_VARIANT = LevelVariant(2, {})


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
# The same with more than two levels: each of them with one residue and with several.
LEVEL_VARIANTS: dict[str, tuple[LevelVariant, ...]] = {
    "ue": (),
    "grr": (LevelVariant(3, {}), LevelVariant(5, {})),
    "ue-compact": (
        LevelVariant(3, {"q": 5}),
        LevelVariant(3, {"q": 7, "r": 2}),
        LevelVariant(5, {}),
        LevelVariant(5, {"q": 11, "r": 2}),
    ),
    "collision": (LevelVariant(3, {}), LevelVariant(5, {})),
}


def all_variants(name: str, max_levels: int) -> Iterator[LevelVariant]:
    """Yield a mechanism's variants of two levels, and those of more up to a number."""
    yield from (LevelVariant(2, parameters) for parameters in VARIANTS[name])
    yield from (variant for variant in LEVEL_VARIANTS[name] if variant.levels <= max_levels)
