"""Tuned sets of residues relative to `ue`: the table of docs/appendix/mechanism-choice.md."""

from __future__ import annotations

from fractions import Fraction

from numpy.random import default_rng
from rich.console import Console
from rich.table import Table

from experiments.choices import simulate_keys
from experiments.settings import ExperimentSettings
from pckv.mechanisms.registry import build
from pckv.planning.prediction import OBJECTIVES, Objective
from pckv.planning.selection import tuned_law
from pckv.planning.tuning import LawSpec

KEYS, USERS, KEY_REPEATS = 20, 40_000, 400_000
EPSILONS = ("0.1", "0.5", "1", "2")


def run(settings: ExperimentSettings) -> bool:
    """Simulate both, each from its exact law, and print how the errors differ."""
    repeats = settings.repeats or KEY_REPEATS
    table = Table("ε", "objective", "q, r, o", "frequency MSE", "mean MSE")
    for number, epsilon in enumerate(EPSILONS):
        rng = default_rng(number)
        ue = build("ue", KEYS, 1, Fraction(epsilon), {})
        baseline = simulate_keys(ue.count_law, USERS, 1 / KEYS, repeats, rng)
        for objective in OBJECTIVES:
            target = Objective(objective, USERS, 1 / KEYS)
            tuned = tuned_law("ue-compact", LawSpec(KEYS, 1, Fraction(epsilon)), target)
            errors = simulate_keys(tuned.count_law, USERS, 1 / KEYS, repeats, rng)
            parameters = {"r": 1, "o": 0} | tuned.parameters
            table.add_row(
                epsilon,
                objective,
                ", ".join(str(parameters[name]) for name in ("q", "r", "o")),
                f"{errors.frequency / baseline.frequency - 1:+.1%}",
                f"{errors.mean / baseline.mean - 1:+.1%}",
            )
    Console().print(table)
    return True
