"""Errors of rare keys without values, relative to those of the usual oracles: docs/appendix/without-values.md."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.limits import MIN_LEVELS, ONE_LEVEL
from pckv.base.population import Population
from pckv.lab.dataset import Dataset
from pckv.lab.processes import map_in_processes
from pckv.lab.simulator import Setting, Simulator
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments, equal_scale

KEYS, PEOPLE, RARE, HOLDERS, REPEATS, SEED = 1000, 100_000, 900, 10, 60, 41
EPSILONS, MECHANISMS = ("0.5", "1", "2", "4"), ("ue", "ue-compact", "collision")
# Relative to 4E/(E - 1)²/n, and how many standard errors of the measurement are added.
MAX_RATIO, ERRORS = 1.02, 2
PAGE = """# Keys without values

Written by `make experiment NAME=without-values`. The usual frequency oracles, optimised unary
encoding and local hashing, have the error n·Var = 4E/(E - 1)² for a rare key, where E = e^ε and
every person holds one key ([proof](../../proofs/ue.md)). How near does a task without values come,
and what do values cost?

{people:,} people hold one of {keys:,} keys each: {rare} of these are rare, with {holders} holders each.
Padding 1, no size question, {repeats} collections per row, unclipped estimates (method `baseline`).
"By the law" is the variance of the shipped probabilities, "measured" the mean squared error of the
rare keys with its standard error, both relative to 4E/(E - 1)²/n. "With values" is the same key
where two levels are reported, too, by the law: as many times the people are needed for the same
error.

{requirements}
| ε | mechanism | parameters | by the law | measured | with values |
|---:|---|---|---:|---:|---:|
{table}

Other packages, on such people: [speed and error](costs.md#other-packages).

**Next:** [costs](costs.md).
"""


class RareErrors(NamedTuple):
    """The squared errors of rare keys in one setting, relative to those of the usual oracles."""

    epsilon: str
    mechanism: str
    parameters: str
    by_law: float
    with_values: float
    measured: float
    standard_error: float

    @property
    def holds(self) -> bool:
        """Whether the error is as small as it must be, as far as it was measured."""
        return self.measured <= MAX_RATIO + ERRORS * self.standard_error


def run(settings: ExperimentSettings) -> bool:
    """Simulate all settings, and write docs/appendix/without-values.md; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    found = [measure(mechanism, epsilon, repeats) for epsilon in EPSILONS for mechanism in MECHANISMS]
    control = measure("collision", "1", repeats, MIN_LEVELS)
    requirements = [
        *(
            Requirement(
                f"`{name}`: largest error of rare keys",
                f"≤ {MAX_RATIO} × 4E/(E - 1)²/n, within {ERRORS} standard errors",
                f"{max(each.measured for each in found if each.mechanism == name):.3f}",
                all(each.holds for each in found if each.mechanism == name),
            )
            for name in MECHANISMS
        ),
        Requirement(
            "Control: `collision` with two levels, ε 1",
            f"> {MAX_RATIO}, by more than {ERRORS} standard errors",
            f"{control.measured:.3f}",
            not control.holds,
        ),
    ]
    page = PAGE.format(
        people=PEOPLE,
        keys=KEYS,
        rare=RARE,
        holders=HOLDERS,
        repeats=repeats,
        requirements=requirements_table(requirements),
        table="\n".join(map(_row, found)),
    )
    (settings.out / "without-values.md").write_text(page, encoding="utf-8")
    return show_requirements(requirements)


def _row(found: RareErrors) -> str:
    measured = f"{found.measured:.3f} ± {found.standard_error:.3f}"
    return (
        f"| {found.epsilon} | `{found.mechanism}` | {found.parameters} | {found.by_law:.4f} | {measured} | "
        f"{found.with_values:.2f} |"
    )


def people(levels: int = ONE_LEVEL) -> Dataset:
    """Return people who hold one key each: the first keys are held by the same number of people, the others by few."""
    frequent = np.arange(PEOPLE - RARE * HOLDERS) % (KEYS - RARE)
    held = np.concatenate([frequent, np.repeat(np.arange(KEYS - RARE, KEYS), HOLDERS)]).astype(np.int32)
    ends = (1.0, 1.0) if levels == ONE_LEVEL else (0.0, 1.0)
    return Dataset("one key each", Population(np.arange(PEOPLE + 1), held, np.ones(PEOPLE)), KEYS, *ends)


def measure(mechanism: str, epsilon: str, repeats: int, levels: int = ONE_LEVEL) -> RareErrors:
    """Simulate collections with the parameters that tasks have by default."""
    simulator = Simulator(people(levels))
    setting = Setting(mechanism, epsilon, 1, "baseline", None, levels=levels)
    true, rare = HOLDERS / PEOPLE, slice(KEYS - RARE, KEYS)

    def squared_error(repeat: int) -> float:
        found = simulator.estimate(setting, default_rng([SEED, repeat, int(1000 * float(epsilon))]))
        return float(np.mean((found.frequency[rare] - true) ** 2))

    jobs = [(repeat,) for repeat in range(repeats)]
    errors = np.array(list(map_in_processes(squared_error, jobs, os.cpu_count() or 1))) / usual_error(epsilon)
    parameters = simulator.law(setting).parameters
    return RareErrors(
        epsilon,
        mechanism,
        _named({name: value for name, value in parameters.items() if name in {"q", "r", "symbols"}}),
        law_error(mechanism, epsilon, levels),
        law_error(mechanism, epsilon, MIN_LEVELS),
        float(errors.mean()),
        float(errors.std(ddof=1)) / math.sqrt(repeats) if repeats > 1 else 0.0,
    )


def _named(parameters: dict[str, str | int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in parameters.items()) or "–"


def usual_error(epsilon: str) -> float:
    """Return 4E/(E - 1)²/n."""
    bound = math.exp(float(epsilon))
    return 4 * bound / (bound - 1) ** 2 / PEOPLE


def law_error(mechanism: str, epsilon: str, levels: int) -> float:
    """Return the variance of a rare key's frequency by the law, relative to that of the usual oracles."""
    law = build(mechanism, KEYS, 1, Fraction(epsilon), {}, levels)
    moments = CountMoments.of(law.count_law, scale=equal_scale(levels))
    return float(moments.frequency_variance(HOLDERS / PEOPLE)) / PEOPLE / usual_error(epsilon)
