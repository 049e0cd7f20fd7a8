"""Whether `auto` is right: the simulated error of its choice relative to the best mechanism's, over a grid.

Prints a line per setting and the share within 10 % of the best (`experiments.choices`), for each objective.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from numpy.random import default_rng

from experiments.choices import SimulatedSetting, compare_choice
from experiments.settings import ExperimentSettings
from pckv.planning.prediction import OBJECTIVES

KEYS = (10, 30, 100, 1000, 10_000, 100_000)
EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")
PAIRS = (1, 3, 10, 100)
USERS = (10**4, 10**5, 10**6, 10**7)
KEY_REPEATS = 20_000
MAX_RATIO = 1.1
PARTS = tuple(OBJECTIVES)


def cells() -> Iterator[SimulatedSetting]:
    """Yield every setting of the grid."""
    for keys, epsilon, pairs, users in itertools.product(KEYS, EPSILONS, PAIRS, USERS):
        if pairs <= keys:
            yield SimulatedSetting(keys, epsilon, pairs, users)


def run(settings: ExperimentSettings) -> bool:
    """Print the grid of each objective."""
    for objective in settings.parts or PARTS:
        run_grid(objective, settings.repeats or KEY_REPEATS)
    return True


def run_grid(objective: str, repeats: int) -> None:
    """Print a line per setting and a summary."""
    print(f"objective {objective}, {repeats:,} key-repeats per mechanism and setting")
    ratios, learned = [], []
    for number, cell in enumerate(cells()):
        outcome = compare_choice(cell, objective, default_rng([7, number]), repeats)
        ratios.append(outcome.ratio)
        if outcome.noise <= 1:
            learned.append(outcome.ratio)
        errors = ", ".join(f"{name} {error:.3g}" for name, error in outcome.errors.items())
        print(
            f"d {cell.keys:>6} ε {cell.epsilon:>3} pairs {cell.pairs:>3} n {cell.users:>8}: chosen {outcome.chosen:10} "
            f"best {outcome.best:10} {outcome.ratio:.3f} ({errors})",
            flush=True,
        )
    _summarise("all settings", ratios)
    _summarise("settings where some mechanism's noise is less than the frequency", learned)


def _summarise(what: str, ratios: list[float]) -> None:
    right = sum(ratio <= MAX_RATIO for ratio in ratios)
    share = f"{right} of {len(ratios)} within 10 % of the best ({right / len(ratios):.1%})"
    print(f"{what}: {share}; worst {max(ratios):.3f}")
