"""Is `auto` right? Over a grid of settings, the chosen mechanism's simulated error beside the best one's.

`python bench/auto.py [objective]` prints a line a setting and the share within 10 % (`pckv.lab.choices`).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

from numpy.random import default_rng

from pckv.lab.choices import SimulatedSetting, compare_choice

KEYS = (10, 30, 100, 1000, 10_000, 100_000)
EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")
PAIRS = (1, 3, 10, 100)
USERS = (10**4, 10**5, 10**6, 10**7)
KEY_REPEATS = 20_000
WITHIN = 1.1


def cells() -> Iterator[SimulatedSetting]:
    """Every setting of the grid."""
    for keys, epsilon, pairs, users in itertools.product(KEYS, EPSILONS, PAIRS, USERS):
        if pairs <= keys:
            yield SimulatedSetting(keys, epsilon, pairs, users)


def main(objective: str = "both") -> None:
    """Print the grid."""
    print(f"objective {objective}, {KEY_REPEATS:,} key-repeats a mechanism and setting")
    outcomes = []
    for number, cell in enumerate(cells()):
        outcome = compare_choice(cell, objective, default_rng([7, number]), KEY_REPEATS)
        outcomes.append(outcome)
        shown = ", ".join(f"{name} {error:.3g}" for name, error in outcome.errors.items())
        print(
            f"d {cell.keys:>6} ε {cell.epsilon:>3} pairs {cell.pairs:>3} n {cell.users:>8}: chosen {outcome.chosen:10} "
            f"best {outcome.best:10} {outcome.ratio:.3f} ({shown})",
            flush=True,
        )
    right = sum(outcome.ratio <= WITHIN for outcome in outcomes)
    worst = max(outcome.ratio for outcome in outcomes)
    print(
        f"{right} of {len(outcomes)} within 10 % of the best ({right / len(outcomes):.1%}); worst {worst:.3f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
