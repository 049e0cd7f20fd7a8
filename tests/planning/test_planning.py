"""Theory: the paper's numbers, and what hostile reports can do."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pckv import Tally
from pckv.estimators.linear import unbiased_frequency
from pckv.lab.figures.formulas import frequency_crossover, g_and_h, mean_crossover, theorem4
from pckv.mechanisms.registry import build
from pckv.planning.influence import hostile
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import key_support
from support.tasks import a_task


def probabilities(name: str, keys: int, padding: int, epsilon: float) -> tuple[float, float, float]:
    a, b, p = build(name, keys, padding, Fraction(str(epsilon)), {}).probabilities
    return float(a), float(b), float(p)


@pytest.mark.parametrize(
    ("epsilon", "frequency"), [(1, 1.008e-5), (2, 1.655e-6), (3, 4.73e-7), (4, 1.644e-7), (5, 6.50e-8)]
)
def test_theorem_4_frequency_at_the_reference_numbers(epsilon: float, frequency: float) -> None:
    """ue, n = 10^6, d = 100, uniform: where hardly anything is clipped, theory is the measured error."""
    a, b, p = probabilities("ue", 100, 1, epsilon)
    predicted = theorem4(a, b, p, padding=1, n=1e6, f=0.01, m=0).frequency_variance
    assert predicted == pytest.approx(frequency, rel=0.01)


@pytest.mark.parametrize(("epsilon", "mean"), [(5, 8.41e-4), (6, 3.95e-4)])
def test_theorem_4_mean_at_the_reference_numbers(epsilon: float, mean: float) -> None:
    a, b, p = probabilities("ue", 100, 1, epsilon)
    means = np.linspace(-1, 1, 201)
    errors = [theorem4(a, b, p, padding=1, n=1e6, f=0.01, m=float(m)).mean_variance for m in means]
    assert np.mean(errors) == pytest.approx(mean, rel=0.03)


def test_the_papers_crossovers_compare_g_and_h() -> None:
    for keys, padding, epsilon in itertools.product((2, 10, 100, 1000, 30_000), (1, 3, 20, 100), (0.5, 1, 3, 6)):
        ue = g_and_h(*probabilities("ue", keys, padding, epsilon))
        # The rules leave the padding out of PCKV-UE's d' and count it in PCKV-GRR's.
        grr = g_and_h(*probabilities("grr", keys, padding, epsilon))
        if not 0.97 < ue[1] / grr[1] < 1.03:
            assert (keys > frequency_crossover(padding, epsilon)) == (ue[1] < grr[1])
        if not 0.97 < ue[0] / grr[0] < 1.03:
            assert (keys > mean_crossover(padding, epsilon)) == (ue[0] < grr[0])


def test_g_and_h_of_the_paper() -> None:
    """Optimized ue: g = 4(E+1)²·…/…, from the closed forms in θ = (E+1)/2."""
    e = math.exp(1)
    theta = (e + 1) / 2
    g, h = g_and_h(*probabilities("ue", 100, 1, 1))
    assert g == pytest.approx(4 / ((theta + 1) * (e / theta - 1) ** 2))
    assert h == pytest.approx(4 * theta / (theta - 1) ** 2)


@pytest.mark.parametrize(("keys", "padding", "epsilon"), [(100, 1, "1"), (50, 3, "2")])
def test_hostile_reports_move_what_the_plan_says(keys: int, padding: int, epsilon: str) -> None:
    """The paper's worst cases in closed form, and by adding hostile reports to a tally."""
    users, e = 10_000, math.exp(float(epsilon))
    ue = hostile(build("ue", keys, padding, Fraction(epsilon), {}), users).own_function
    a, b, _ = probabilities("ue", keys, padding, float(epsilon))
    assert ue.one_report == pytest.approx(padding * (1 - b) / (a - b) / users)
    assert ue.one_percent == pytest.approx(100 * ue.one_report)
    assert ue.ten_keys == pytest.approx(10 * ue.one_percent)
    grr = hostile(build("grr", keys, padding, Fraction(epsilon), {}), users).own_function
    symbols = keys + padding
    assert grr.one_report == pytest.approx((padding + 2 * (symbols - 1) / (e - 1)) / users)
    assert grr.ten_keys == pytest.approx(100 * (padding + 2 * (symbols - 10) / (e - 1)) / users)
    compact = hostile(build("ue-compact", keys, padding, Fraction(epsilon), {}), users).own_function
    a, b, _ = probabilities("ue-compact", keys, padding, float(epsilon))
    assert compact.one_report == pytest.approx(padding * (1 - b) / (a - b) / users)
    assert compact.ten_keys == pytest.approx(1000 * compact.one_report)
    for name, expected in (("ue", ue), ("grr", grr), ("ue-compact", compact)):
        parameters = build(name, keys, padding, Fraction(epsilon), {}).parameters
        task = a_task(keys=keys, epsilon=epsilon, padding=padding, mechanism={"name": name, **parameters})
        moments = CountMoments.of(task.law.count_law)
        tally = Tally(task)
        if name == "ue":
            tally.add_many(
                np.full((1, task.law.body_bytes), 0, np.uint8) | np.eye(1, task.law.body_bytes, dtype=np.uint8)
            )
        else:
            # The word that supports key 0 with + under grr, and every key under ue-compact.
            tally.add_many(np.array([1 if name == "grr" else 0]))
        moved = unbiased_frequency(key_support(tally), 1, moments) / users
        assert moved[0] == pytest.approx(expected.one_report)
        if name == "ue-compact":
            assert 100 * moved[:10].sum() == pytest.approx(expected.ten_keys)
