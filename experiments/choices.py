"""Check the choice of a mechanism: the simulated error of the chosen one relative to that of the best one.

Each person holds `pairs` distinct keys, uniformly, and a key's mean is anywhere on [-1, 1], its values at
both ends; every mechanism has padding = pairs and the parameters that `auto` would give it. The counts of a
key are drawn from their exact law, at a cost that does not grow with the users.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.limits import MIN_LEVELS
from pckv.estimators.linear import corrected
from pckv.lab.counting import draw_counts
from pckv.mechanisms.base import CountLaw
from pckv.mechanisms.registry import LAWS
from pckv.planning.assessment import Assessment
from pckv.planning.people import expect
from pckv.planning.prediction import SquaredErrors
from pckv.planning.selection import choose_law, exclusion_reason, tuned_law
from pckv.planning.tuning import LawSpec
from pckv.statistics.moments import CountMoments, Scale


class SimulatedSetting(NamedTuple):
    """The numbers that a mechanism is chosen for."""

    keys: int
    epsilon: str
    pairs: int
    users: int
    levels: int = MIN_LEVELS


class ChoiceComparison(NamedTuple):
    """What `auto` chose and what was best, with the squared errors of all mechanisms.

    `noise` is the standard error of a frequency relative to the frequency itself, of the least noisy
    mechanism. Above 1 nothing is learned of it: clipped errors then tell which mechanism's estimates are 0
    more often.
    """

    setting: SimulatedSetting
    chosen: str
    best: str
    errors: dict[str, float]
    noise: float

    @property
    def ratio(self) -> float:
        """The chosen mechanism's error relative to the best one's."""
        return self.errors[self.chosen] / self.errors[self.best]


def compare_choice(setting: SimulatedSetting, objective: str, rng: Generator, repeats: int) -> ChoiceComparison:
    """Simulate every mechanism that `auto` may choose, and compare its choice with the best."""
    expected = expect(
        setting.keys,
        users=setting.users,
        sizes={setting.pairs: 1},
        frequency=setting.pairs / setting.keys,
        objective=objective,
        levels=setting.levels,
    )
    wanted = expected.aim
    epsilon = Fraction(setting.epsilon)
    spec = LawSpec(setting.keys, setting.pairs, epsilon, setting.levels)
    laws = [tuned_law(name, spec, wanted) for name, law in LAWS.items() if law.max_levels >= setting.levels]
    errors = {
        law.name: wanted.score(simulate_keys(law.count_law, setting.users, wanted.frequency, repeats, rng))
        for law in laws
        if not exclusion_reason(Assessment(law, expected))
    }
    chosen = choose_law(epsilon, {"name": "auto"}, setting.pairs, expected).name
    variances = [
        CountMoments.of(law.count_law).frequency_variance(wanted.frequency) for law in laws if law.name in errors
    ]
    noise = math.sqrt(min(variances) / setting.users) / wanted.frequency
    return ChoiceComparison(setting, chosen, min(errors, key=lambda name: errors[name]), errors, noise)


def simulate_keys(
    count_law: CountLaw,
    users: int,
    frequency: float,
    repeats: int,
    rng: Generator,
    *,
    scale: Scale | None = None,
) -> SquaredErrors:
    """Return mean squared errors of method `corrected` over many keys; those without holders have no mean.

    Levels are equally spaced unless a scale is given.
    """
    means = rng.uniform(-1, 1, repeats)
    holders = rng.binomial(users, frequency, repeats)
    support = draw_counts(count_law, users, holders, means, rng)
    found, mean = corrected(support, users, CountMoments.of(count_law, scale=scale))
    held = holders > 0
    off = (mean - means)[held] ** 2
    return SquaredErrors(float(np.mean((found - holders / users) ** 2)), float(off.mean()) if held.any() else 1.0)
