"""The baselines by name."""

from __future__ import annotations

import re
from collections.abc import Callable

from numpy.random import Generator

from pckv.base.arrays import Floats
from pckv.lab.baselines.drawing import IndexModel
from pckv.lab.baselines.kvue import kvue
from pckv.lab.baselines.privkvm import privkvm, privkvm_virtual

Baseline = Callable[[IndexModel, float, Generator], tuple[Floats, Floats]]

BASELINE_NAMES = ("privkvm", "privkvm:ROUNDS", "privkvm-1r5v", "kvue")


def find_baseline(name: str) -> Baseline | None:
    """A baseline by name: `privkvm` has one round, `privkvm:3` three; None if it is no baseline."""
    if name == "kvue":
        return kvue
    if name == "privkvm-1r5v":
        return privkvm_virtual
    if found := re.fullmatch(r"privkvm(?::([1-9][0-9]?))?", name):
        rounds = int(found[1] or 1)
        return lambda model, epsilon, rng: privkvm(model, epsilon, rng, rounds)
    return None
