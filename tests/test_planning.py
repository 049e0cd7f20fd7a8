"""Theory and plan: the paper's numbers, and advice that follows from them."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pckv import Tally, Task, plan
from pckv.channels import build
from pckv.errors import ParameterError
from pckv.estimators.baseline import unbiased_frequency
from pckv.planning import hostile, smallest_frequency, users_for
from pckv.tally.decode import KeySupport, key_support
from pckv.theory import (
    CountMoments,
    frequency_crossover,
    g_and_h,
    mean_crossover,
    predicted_error,
    theorem4,
)


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
    for keys, padding, epsilon in itertools.product(
        (2, 10, 100, 1000, 30_000), (1, 3, 20, 100), (0.5, 1, 3, 6)
    ):
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


def test_plan_recommends_what_it_predicts_best() -> None:
    made = plan(keys=5850, users=105_508, epsilon=1.0, pairs=3)
    chosen = min(made.options, key=lambda option: option.frequency_error * option.mean_error)
    assert (made.mechanism, made.padding) == (chosen.mechanism, chosen.padding)
    assert {option.padding for option in made.options} == {1, 2, 3}
    assert {option.mechanism for option in made.options} == {"ue", "grr"}
    assert made.bytes_a_report == 16 + 2 * 732
    assert json.loads(json.dumps(made.to_dict()))["mechanism"] == made.mechanism


def test_plan_agrees_with_auto() -> None:
    for keys, epsilon in itertools.product((5, 100, 3000), ("0.5", "2", "6")):
        made = plan(keys, 10**5, epsilon)
        task = Task(name="t", keys=keys, values=(0, 1), epsilon=epsilon)
        errors = {
            name: predicted_error(build(name, keys, 1, Fraction(epsilon), {})) for name in ("ue", "grr")
        }
        assert made.mechanism == task.mechanism == min(errors, key=lambda name: errors[name])
        assert (made.a, made.b, made.p) == tuple(map(float, task.channel.probabilities))


def test_a_short_padding_counts_as_error() -> None:
    made = plan(keys=1000, users=10**9, epsilon=2, pairs=10)
    assert made.padding == 10
    short = next(option for option in made.options if option.padding == 1)
    assert short.frequency_error >= 0.05 * 0.9


def test_a_plan_counts_the_bias_of_its_own_padding() -> None:
    """With three pairs and padding 1 two thirds of a frequency are lost: no crowd makes up for that."""
    made = plan(keys=100, users=20_000, epsilon=1, pairs=3)
    assert made.padding == 1
    at = {error.frequency: error.frequency_error for error in made.errors}
    option = next(
        option for option in made.options if (option.mechanism, option.padding) == (made.mechanism, 1)
    )
    assert at[0.05] == option.frequency_error > 0.05 * 2 / 3
    assert made.users_needed[0.02] is None
    channel = build(made.mechanism, 100, 1, Fraction(1), {})
    needed = users_for(channel, 3, 0.05, 0.04)
    assert needed is not None
    moments = CountMoments.of(channel.count_law)
    assert math.hypot(math.sqrt(moments.frequency_variance(0.05 / 3) / needed), 0.1 / 3) <= 0.04
    assert made.smallest_frequency == pytest.approx(
        3 * plan(keys=100, users=20_000, epsilon=1).smallest_frequency, rel=0.01
    )


def test_a_mean_beyond_knowing_does_not_decide() -> None:
    made = plan(keys=20, users=5000, epsilon=1, pairs=5)
    assert min(option.mean_error for option in made.options) > 1
    assert made.errors[2].frequency_error == min(option.frequency_error for option in made.options)


def test_expected_errors_are_the_exact_ones() -> None:
    made = plan(keys=200, users=50_000, epsilon=1, pairs=1)
    moments = CountMoments.of(build(made.mechanism, 200, made.padding, Fraction(1), {}).count_law)
    for error in made.errors:
        assert error.frequency_error == math.sqrt(moments.frequency_variance(error.frequency) / 50_000)
    for wanted, users in made.users_needed.items():
        assert users is not None
        assert math.sqrt(moments.frequency_variance(0.05) / users) <= wanted
        assert math.sqrt(moments.frequency_variance(0.05) / (users - 1)) > wanted


def test_the_smallest_frequency_is_told_from_zero_four_times_out_of_five() -> None:
    channel, users = build("ue", 100, 2, Fraction(1), {}), 100_000
    moments = CountMoments.of(channel.count_law)
    least = smallest_frequency(moments, users)
    holders = round(users * least)
    rng = np.random.default_rng(4)
    total = rng.binomial(holders, moments.holder.mean_sum, 40_000)
    total += rng.binomial(users - holders, moments.noise, 40_000)
    found = unbiased_frequency(KeySupport(total, np.zeros_like(total)), users, moments)
    told = found > 1.96 * math.sqrt(moments.frequency_variance(0.0) / users)
    assert np.mean(told) == pytest.approx(0.8, abs=0.01)
    assert smallest_frequency(moments, 1) == 1.0


@pytest.mark.parametrize(("keys", "padding", "epsilon"), [(100, 1, "1"), (50, 3, "2")])
def test_hostile_reports_move_what_the_plan_says(keys: int, padding: int, epsilon: str) -> None:
    """The paper's worst cases in closed form, and as hostile reports really move a tally."""
    users, e = 10_000, math.exp(float(epsilon))
    ue = hostile(build("ue", keys, padding, Fraction(epsilon), {}), users)
    a, b, _ = probabilities("ue", keys, padding, float(epsilon))
    assert ue.one_report == pytest.approx(padding * (1 - b) / (a - b) / users)
    assert ue.one_percent == pytest.approx(100 * ue.one_report)
    assert ue.ten_keys == pytest.approx(10 * ue.one_percent)
    grr = hostile(build("grr", keys, padding, Fraction(epsilon), {}), users)
    symbols = keys + padding
    assert grr.one_report == pytest.approx((padding + 2 * (symbols - 1) / (e - 1)) / users)
    assert grr.ten_keys == pytest.approx(100 * (padding + 2 * (symbols - 10) / (e - 1)) / users)
    for name, expected in (("ue", ue), ("grr", grr)):
        task = Task(name="t", keys=keys, values=(0, 1), epsilon=epsilon, padding=padding, mechanism=name)
        moments = CountMoments.of(task.channel.count_law)
        tally = Tally(task)
        if name == "ue":
            tally.add_many(
                np.full((1, task.channel.body_bytes), 0, np.uint8)
                | np.eye(1, task.channel.body_bytes, dtype=np.uint8)
            )
        else:
            tally.add_many(np.array([1]))
        moved = unbiased_frequency(key_support(tally), 1, moments)[0] / users
        assert moved == pytest.approx(expected.one_report)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": 0}, "keys must be at least 1"),
        ({"keys": 2**31 + 1}, "at most 2\\^31"),
        ({"users": 0}, "users must be at least 1"),
        ({"pairs": 0}, "pairs must be at least 1"),
        ({"pairs": 11}, "at most the number of keys"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"frequency": 0}, "frequency must be at least"),
    ],
)
def test_bad_plans(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(**({"keys": 10, "users": 100, "epsilon": 1} | changes))
