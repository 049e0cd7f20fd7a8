"""Choosing by predicted error: the prediction, the parameters it gives, and the mechanism that `auto` takes."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from experiments.choices import SimulatedSetting, compare_choice, simulate_keys
from experiments.mechanism_map import choices_chart
from pckv import Task, audit
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError, TaskError
from pckv.charts.estimates import chart_svg
from pckv.lab.populations import uniform
from pckv.lab.simulator import Setting, Simulator
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import MAX_DECODED_WORDS, UeCompactLaw
from pckv.planning.prediction import OBJECTIVES, Objective, predict
from pckv.planning.tuning import LawSpec, best_beta, tuned_parameters
from pckv.statistics.moments import CountMoments
from support.tasks import a_task
from support.tiers import wide
from support.worst_ratio import worst_ratio

# The prediction.

PREDICTED: tuple[tuple[str, dict[str, object], int, int, str, int], ...] = (
    # mechanism, parameters, keys, padding, ε, users
    ("ue", {}, 20, 1, "0.1", 40_000),
    ("ue", {}, 20, 1, "0.5", 40_000),
    ("ue", {}, 1000, 10, "3", 10**6),
    ("ue", {}, 10, 1, "6", 10**6),
    ("ue", {"allocation": "tuned", "beta": "0.3"}, 50, 2, "0.5", 10**6),
    ("ue-compact", {"q": 19, "r": 9, "o": 3}, 20, 1, "0.1", 40_000),
    ("ue-compact", {"q": 37, "r": 14, "o": 3}, 20, 1, "0.5", 40_000),
    ("ue-compact", {"q": 109, "r": 29, "o": 8}, 20, 3, "1", 10**6),
    ("grr", {}, 20, 1, "1", 40_000),
    ("grr", {}, 100, 10, "2", 10**5),
    # Few reports support a key: no Gaussian.
    ("grr", {}, 2000, 1, "6", 10**4),
    ("grr", {}, 607, 1, "6", 10**4),
    ("grr", {}, 100_000, 100, "6", 10**4),
    ("grr", {}, 100_000, 10, "6", 10**6),
)


@pytest.mark.parametrize("case", PREDICTED, ids=str)
def test_predicted_errors_are_the_simulated_ones(case: tuple[Any, ...]) -> None:
    """Clipped, method corrected: frequencies within 5 %, means within 9 %, from 60,000 key-repeats.

    One standard error of either mean square is at most 1.2 %. Where a key has few holders their number is
    random in the simulation and fixed in the prediction; and the prediction evaluates the mean at two points,
    which misses that those next to ±1 are clipped (up to 7 %, for every mechanism alike).
    """
    name, parameters, keys, padding, epsilon, users = case
    law = build(name, keys, padding, Fraction(epsilon), parameters)
    simulated = simulate_keys(law.count_law, users, padding / keys, 60_000, default_rng(5))
    predicted = predict(CountMoments.of(law.count_law), users, padding / keys)
    assert predicted.frequency == pytest.approx(simulated.frequency, rel=0.05)
    assert predicted.mean == pytest.approx(simulated.mean, rel=0.09)


def test_without_clipping_the_prediction_is_the_exact_variance() -> None:
    for name, epsilon in itertools.product(("ue", "grr", "ue-compact"), ("1", "4")):
        moments = CountMoments.of(build(name, 20, 1, Fraction(epsilon), {}).count_law)
        predicted = predict(moments, 10**10, 0.05)
        assert predicted.frequency == pytest.approx(moments.frequency_variance(0.05) / 10**10, rel=1e-3)
        means = np.linspace(-1, 1, 2001)
        variance = np.mean(moments.mean_variance(np.full(2001, 0.05), means)) / 10**10
        # Means next to ±1 are clipped on one side.
        assert predicted.mean == pytest.approx(variance, rel=0.01)


def test_variances_alone_are_not_enough() -> None:
    """The control of the two tests above: at ε = .1 they miss the frequency by half and the mean by far."""
    law = build("ue", 20, 1, Fraction("0.1"), {})
    moments, users = CountMoments.of(law.count_law), 40_000
    simulated = simulate_keys(law.count_law, users, 0.05, 60_000, default_rng(5))
    assert moments.frequency_variance(0.05) / users > 1.8 * simulated.frequency
    assert moments.mean_variance(0.05, 0.0) / users > 10 * simulated.mean


def test_a_short_padding_is_an_error_of_the_frequency() -> None:
    moments = CountMoments.of(build("ue", 100, 2, Fraction(2), {}).count_law)
    short = predict(moments, 10**9, 0.1, seen=0.5)
    assert short.frequency == pytest.approx(0.05**2, rel=0.01)
    assert short.mean == pytest.approx(predict(moments, 10**9, 0.05).mean)


# Parameters.


def objective_for(keys: int, padding: int, target: str = "both", users: int = 10**6) -> Objective:
    """Every participant holds `padding` keys, all keys alike."""
    return Objective(target, users, min(1.0, padding / keys))


@pytest.mark.parametrize("epsilon", ["2", "4", "20", *wide("2.5", "3", "6", "10")])
def test_from_epsilon_2_on_one_residue_per_sign_is_enough_for_both(epsilon: str) -> None:
    for keys, padding, users in itertools.product((1, 2, 20, 1000, 10**5), (1, 10), (10**4, 10**6, 10**8)):
        chosen = tuned_parameters(
            "ue-compact",
            LawSpec(keys, padding, Fraction(epsilon)),
            objective_for(keys, padding, "both", users),
        )
        assert set(chosen) == {"q"}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_chosen_sets_improve_the_objective(objective: str) -> None:
    """By the prediction, relative to ue: never a loss of more than 5 %, and the expected gain at small ε."""
    for keys, padding, users in itertools.product((20, 1000, 10**5), (1, 5), (10**5, 10**7)):
        goal = objective_for(keys, padding, objective, users)
        for epsilon in ("0.1", "0.5", "1", "2", "4"):
            sets = tuned_parameters("ue-compact", LawSpec(keys, padding, Fraction(epsilon)), goal)
            law = build("ue-compact", keys, padding, Fraction(epsilon), sets)
            assert isinstance(law, UeCompactLaw)
            assert law.word_limit <= MAX_DECODED_WORDS
            errors = goal.predict(law.count_law)
            ue = goal.predict(build("ue", keys, padding, Fraction(epsilon), {}).count_law)
            frequency, mean = errors.frequency / ue.frequency, errors.mean / ue.mean
            assert max(frequency, mean) <= 1.05
            if law.r > 1:
                gain = {"both": max(frequency, mean), "mean": mean}.get(objective, frequency)
                assert gain <= 0.99
            if objective == "frequency" and epsilon in {"0.1", "0.5"}:
                assert frequency <= 0.9


def test_few_words_are_chosen_if_they_are_as_good() -> None:
    """The chosen sets are nearly as good as the best of a prime with many more words."""
    goal, epsilon = objective_for(20, 1, "frequency", 40_000), Fraction("0.5")
    ue = goal.predict(build("ue", 20, 1, epsilon, {}).count_law)

    def loss(q: int, r: int, o: int) -> float:
        return goal.loss(goal.predict(build("ue-compact", 20, 1, epsilon, {"q": q, "r": r, "o": o}).count_law), ue)

    chosen = dict(tuned_parameters("ue-compact", LawSpec(20, 1, epsilon), goal))
    q, r, o = (int(chosen.get(name, 0)) for name in "qro")
    large = min(loss(101, r, o) for r in range(30, 46) for o in range(8, 22))
    assert loss(q, r, o) <= 1.05 * large
    assert q < 101


def test_beta_follows_the_objective() -> None:
    """Fakes of 1/(e^ε + 3) are the best for frequencies; means want more."""
    for epsilon in ("0.1", "0.5", "1", "2"):
        best = 1 / (float(exp_lower(Fraction(epsilon))) + 3)
        betas = {o: float(best_beta(LawSpec(100, 1, Fraction(epsilon)), objective_for(100, 1, o))) for o in OBJECTIVES}
        assert betas["frequency"] == pytest.approx(best, rel=0.11)
        assert betas["mean"] > 1.05 * best
    assert float(best_beta(LawSpec(100, 1, Fraction(20)), objective_for(100, 1))) == 1e-6
    assert dict(tuned_parameters("ue", LawSpec(100, 1, Fraction(1)), objective_for(100, 1))) == {
        "allocation": "optimized"
    }
    assert tuned_parameters("ue", LawSpec(100, 1, Fraction(1)), objective_for(100, 1, "mean"))["allocation"] == "tuned"


# ue with β.


@pytest.mark.parametrize("beta", ["0.000001", "0.01", "0.12", "0.24358", "0.3", "0.45", "0.499999"])
@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "0.1", "1", "4", "20"])
def test_thresholds_of_tuned_ue(beta: str, epsilon: str) -> None:
    """Integers that are within the claim, close to the real numbers, and in the order that the proof needs."""
    law = UeLaw(100, 1, Fraction(epsilon), "tuned", beta=beta)
    bound, one = exp_lower(Fraction(epsilon)), law.one
    share = Fraction(law.fake, one)
    tilt = 1 + share * (bound - 1)
    assert law.kept + law.flipped + law.silent == one
    assert 0 <= Fraction(beta) - share < Fraction(1, one)
    for threshold, real in (
        (law.kept, share * bound / tilt),
        (law.flipped, share / tilt),
        (law.silent, (1 - 2 * share) / tilt),
    ):
        assert abs(threshold - real * one) <= 3
    assert law.kept >= law.fake
    assert law.silent <= one - 2 * law.fake
    assert law.realised <= law.claim == bound


@pytest.mark.parametrize("beta", ["0.05", "0.12", "0.3", "0.45"])
def test_exact_epsilon_of_tuned_ue(beta: str) -> None:
    for keys, padding, epsilon in itertools.product((1, 2, 3), (1, 2), ("0.1", "1", "4")):
        law = UeLaw(keys, padding, Fraction(epsilon), "tuned", beta=beta)
        exact = worst_ratio(law.distribution, keys)
        assert exact <= law.realised <= law.claim
        assert keys < padding or float(exact) == pytest.approx(float(law.claim), rel=1e-9)
    task = a_task(keys=3, mechanism={"name": "ue", "allocation": "tuned", "beta": beta})
    assert audit(task).holds


def ue_task(**parameters: object) -> Task:
    return Task(name="t", keys=3, values=(0, 1), epsilon=1, mechanism={"name": "ue", **parameters})


def test_beta_is_part_of_the_task() -> None:
    task = ue_task(allocation="tuned", beta=0.12)
    assert '"mechanism":{"allocation":"tuned","beta":"0.12","name":"ue"}' in task.to_json()
    assert Task.from_json(task.to_json()) == task
    for other in ('"0.120"', "1", '"1e-1"', '".12"'):
        with pytest.raises(TaskError):
            Task.from_json(task.to_json().replace('"0.12"', other))
    chosen = ue_task(allocation="tuned")
    assert 0.15 < float(chosen.parameters["beta"]) < 0.3
    assert ue_task().parameters == {"allocation": "optimized"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beta": "0.1"}, "allocation 'tuned' and beta go together"),
        ({"allocation": "naive", "beta": "0.1"}, "allocation 'tuned' and beta go together"),
        ({"allocation": "tuned", "beta": "0"}, "beta must be at least 0.000001 and at most 0.499999, not 0"),
        (
            {"allocation": "tuned", "beta": "0.5"},
            "beta must be at least 0.000001 and at most 0.499999, not 0.5",
        ),
        ({"allocation": "tuned", "beta": "-0.1"}, "beta must be at least"),
        ({"allocation": "tuned", "beta": "often"}, "beta must be a number, not 'often'"),
        ({"allocation": "tuned", "beta": None}, "beta must be a number, not None"),
    ],
)
def test_bad_betas(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ue_task(**parameters)


# Hints.


def test_hints_are_no_part_of_a_task() -> None:
    def make(**hints: Any) -> Task:
        return Task(name="t", keys=20, values=(0, 1), epsilon="0.5", mechanism="ue-compact", **hints)

    tasks = [make(objective=objective, users=40_000) for objective in OBJECTIVES]
    assert len({task.id for task in tasks}) == 3
    for task in tasks:
        assert set(json.loads(task.to_json())) & {"objective", "users"} == set()
        assert Task.from_json(task.to_json()).parameters == task.parameters
    stated = {"name": "ue-compact", "q": 5}
    alike = [
        Task(name="t", keys=20, values=(0, 1), epsilon=1, mechanism=stated, objective=o, users=n)
        for o, n in itertools.product(OBJECTIVES, (10, 10**9))
    ]
    assert len(set(alike)) == 1


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        (
            {"objective": "median"},
            "^objective 'median' does not exist: choose from both, frequency, mean, mse$",
        ),
        ({"users": 0}, "^users must be a whole number of at least 1 and at most 10\\^15, not 0$"),
        ({"users": "many"}, "^users must be a whole number of at least 1 and at most 10\\^15, not 'many'$"),
    ],
)
def test_bad_hints(hints: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Task(name="t", keys=20, values=(0, 1), epsilon=1, **hints)


# Measured.

USERS, KEYS, REPEATS, CONTROL_REPEATS = 40_000, 20, 1600, 400


@pytest.mark.parametrize(
    ("objective", "epsilon", "most_frequency", "most_mean"),
    [
        ("frequency", "0.1", 0.8, 1.05),
        ("both", "0.5", 0.92, 0.92),
        pytest.param("frequency", "1", 0.8, 1.05, marks=pytest.mark.verify),
    ],
)
def test_tuned_sets_relative_to_ue(objective: str, epsilon: str, most_frequency: float, most_mean: float) -> None:
    """Uniform population, method corrected (clipped), words drawn and decoded: both squared errors relative to ue's.

    32,000 key-repeats of each: one standard error of a ratio is at most 1.6 %, and predicted are, in turn,
    .71 and 1.01, .88 and .90, and with `--all` .74 and 1.01. The control is the same with one residue per
    sign, which must fail: one of its errors is 1.11, 1.08 and .98 of ue's, 6 standard errors of 8,000
    key-repeats (2.7 %) above the limit or more.
    """
    rng = default_rng([17, int(10 * float(epsilon))])
    simulator = Simulator(uniform(USERS, KEYS, rng))
    sets = tuned_parameters("ue-compact", LawSpec(KEYS, 1, Fraction(epsilon)), objective_for(KEYS, 1, objective, USERS))
    measured = {}
    for label, name, parameters, repeats, relative_error in (
        ("ue", "ue", {}, REPEATS, 0.012),
        ("sets", "ue-compact", sets, REPEATS, 0.012),
        ("one", "ue-compact", {}, CONTROL_REPEATS, 0.024),
    ):
        setting = Setting(name, epsilon, 1, "corrected", None, parameters=tuple(parameters.items()))
        outcomes = [simulator.run(setting, rng) for _ in range(repeats)]
        errors = np.array([(outcome.mse_frequency, outcome.mse_mean) for outcome in outcomes])
        assert np.all(errors.std(axis=0) / math.sqrt(repeats) <= relative_error * errors.mean(axis=0))
        measured[label] = errors.mean(axis=0)

    def holds(label: str) -> bool:
        frequency, mean = measured[label] / measured["ue"]
        return bool(frequency <= most_frequency and mean <= most_mean)

    assert holds("sets"), measured["sets"] / measured["ue"]
    assert not holds("one")


# A sample of the grid that experiments/auto.py runs, where the choice changes.
SAMPLE = [
    SimulatedSetting(keys, epsilon, pairs, users)
    for keys, epsilon, pairs, users in itertools.product(
        (10, 100, 1000, 100_000), ("0.1", "1", "4", "6"), (1, 10, 100), (10**4, 10**6)
    )
    if pairs <= keys
]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_auto_is_within_10_percent_of_the_best(objective: str, covers_all: bool) -> None:
    """Simulated errors, 6,000 key-repeats per mechanism: one standard error is at most 4 % (GRR with few reports).

    Control: always taking the one mechanism that is chosen most often fails in many settings. With --all, the default
    objective is measured in all settings of the sample instead of every third.
    """
    is_whole = objective == "both" and covers_all
    sample = SAMPLE if is_whole else SAMPLE[::3]
    outcomes = [compare_choice(cell, objective, default_rng([3, number]), 6000) for number, cell in enumerate(sample)]
    learned = [outcome for outcome in outcomes if outcome.noise <= 1]
    assert len(learned) > len(outcomes) / 3
    assert not [outcome for outcome in learned if outcome.ratio > 1.1]
    assert sum(outcome.ratio > 1.1 for outcome in outcomes) <= len(outcomes) / 20
    for name in ("ue-compact", "grr"):
        ratios = [outcome.errors[name] / outcome.errors[outcome.best] for outcome in outcomes]
        assert sum(ratio > 1.1 for ratio in ratios) >= len(outcomes) / 10


def test_the_map_of_choices_shows_every_choice() -> None:
    rows = [
        {"keys": "10", "pairs": pairs, "ε": "ε = 1", "objective": "objective both", "choice": choice}
        for pairs, choice in ((1, "ue-compact, tuned"), (2, "grr"))
    ]
    picture = choices_chart(
        rows,
        across="keys",
        up="pairs",
        panels=("ε", "objective"),
        title="What auto chooses",
        subtitle="2 settings",
    )
    svg = chart_svg(picture)
    for text in ("ue-compact, tuned", "grr", "ε = 1", "objective both", "What auto chooses", "2 settings"):
        assert f">{text}<" in svg
