"""`ue-compact`: its errors are those of theory, and close to those of `ue`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv.base.arrays import Floats
from pckv.base.budget import exp_lower
from pckv.lab.populations import uniform
from pckv.lab.simulator import Setting, Simulator
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue_compact import residues
from pckv.statistics.moments import CountMoments
from support.tiers import wide

# ε, users, keys: for ε ≤ 3, users per squared key are those of the paper's 10^6 users and 100 keys.
ACCURACY = (("0.5", 40_000, 20), ("3", 40_000, 20))
MORE_ACCURACY = (("1", 40_000, 20), ("2", 40_000, 20), ("4", 10_000, 20), ("5", 10_000, 20))
KEY_REPEATS = 33_000


def clipped_square(variance: Floats, f: Floats, users: int) -> float:
    """The mean of (clip(f̂, 1/n, 1) - f)², f̂ being Gaussian about f: the integral in closed form.

    At ε = .5, where f is 1.4 standard errors, clipping takes 13 % off, at ε = 1 it takes .2 %, and from
    ε = 2 on nothing: there the theory is the exact variance as it stands. n·b is at least 157.
    """
    deviation = np.sqrt(variance)
    low, high = (1 / users - f) / deviation, (1 - f) / deviation
    density, below = stats.norm.pdf, stats.norm.cdf
    inside = below(high) - below(low) - high * density(high) + low * density(low)
    squares = inside + low**2 * below(low) + high**2 * stats.norm.sf(high)
    return float(np.mean(variance * squares))


@pytest.mark.parametrize("case", [*ACCURACY, *wide(*MORE_ACCURACY)], ids=str)
def test_errors_are_those_of_theory_and_of_ue(case: tuple[str, int, int]) -> None:
    """Uniform population, corrected, the chosen q: frequency within 3 % of theory, and at most 5 % above ue.

    33,000 key-repeats of each mechanism: one standard error of a mean square is .7 to 1.0 %, so that 3 % are at
    least three of them. The control, the theory of an ε 5 % larger at the same q, is 9 % off at ε = .5 and 26 %
    at ε = 5: at least six standard errors beyond the tolerance, so that it is detected. Against ue the
    standard error is 1.3 %; the tightest case is the mean at ε = .5, where q = 5 costs about 4 % by
    the exact variances (the test below). Seeds are fixed. With `--all` four more ε.
    """
    epsilon, users, keys = case
    rng = default_rng([31, users, keys])
    simulator = Simulator(uniform(users, keys, rng))
    errors = {}
    for name in ("ue-compact", "ue"):
        setting = Setting(name, epsilon, 1, "corrected", None)
        outcomes = [simulator.run(setting, rng) for _ in range(-(-KEY_REPEATS // keys))]
        errors[name] = np.array([(outcome.mse_frequency, outcome.mse_mean) for outcome in outcomes])
    measured = {name: error.mean(axis=0) for name, error in errors.items()}
    standard_error = errors["ue-compact"].std(axis=0, ddof=1) / math.sqrt(len(errors["ue-compact"]))
    assert standard_error[0] <= 0.011 * measured["ue-compact"][0]
    frequency = simulator.dataset.truth[0]
    q, _ = residues.choose(keys, exp_lower(Fraction(epsilon)))

    def theory(at: Fraction) -> float:
        moments = CountMoments.of(build("ue-compact", keys, 1, at, {"q": q}).count_law)
        return clipped_square(moments.frequency_variance(frequency) / users, frequency, users)

    assert measured["ue-compact"][0] == pytest.approx(theory(Fraction(epsilon)), rel=0.03)
    assert measured["ue-compact"][0] != pytest.approx(theory(Fraction(epsilon) * Fraction(21, 20)), rel=0.03)
    assert np.all(measured["ue-compact"] <= 1.05 * measured["ue"])


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "4", "5"])
@pytest.mark.parametrize("keys", [20, 100, 1000, 5850, 249_274])
def test_predicted_errors_are_at_most_5_percent_above_those_of_ue(epsilon: str, keys: int) -> None:
    """By the exact variances, so that the statement does not depend on a simulation."""
    ue, ours = (CountMoments.of(build(name, keys, 1, Fraction(epsilon), {}).count_law) for name in ("ue", "ue-compact"))
    means = np.linspace(-1, 1, 201)
    for f in (0.0001, 0.01, 0.05):
        assert ours.frequency_variance(f) <= 1.05 * ue.frequency_variance(f)
        variances = [moments.mean_variance(np.full(201, f), means).mean() for moments in (ue, ours)]
        assert variances[1] <= 1.05 * variances[0]
