"""The plan: what it promises is what is predicted, and what it says in words is what it promises."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import pytest

from pckv import Plan, plan
from pckv.base.errors import ParameterError
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import LAWS, build
from pckv.planning.outlook import Enough
from pckv.planning.prediction import predict, users_for
from pckv.planning.set_sizes import SetSizes, Spectrum
from pckv.statistics.detection import smallest_detected_frequency
from pckv.statistics.moments import CountMoments


def law_of(planned: Plan) -> Law:
    assert isinstance(planned.keys, int)
    return build(planned.mechanism, planned.keys, planned.padding, Fraction(str(planned.epsilon)), planned.parameters)


def test_plan_recommends_what_it_predicts_best() -> None:
    planned = plan(keys=5850, users=105_508, epsilon=1.0, pairs=3, levels=2)
    (chosen,) = [option for option in planned.options if not option.reason_not_chosen]
    assert (planned.mechanism, planned.padding, planned.parameters) == (
        chosen.mechanism,
        chosen.padding,
        chosen.parameters,
    )
    assert planned.mechanism == "collision"
    for option in planned.options:
        assert option.mean_error is not None
        assert chosen.mean_error is not None
        assert option.frequency_error * option.mean_error >= chosen.frequency_error * chosen.mean_error
    assert [option.mechanism for option in planned.options] == list(LAWS)
    assert planned.bytes_per_report == 16 + 8
    assert {option.bytes_per_report for option in planned.options if option.mechanism == "ue"} == {16 + 2 * 732}
    assert planned.why.startswith(f"t = {planned.parameters['symbols']}: ")
    assert json.loads(json.dumps(planned.to_dict()))["mechanism"] == planned.mechanism
    assert (planned.a, planned.b, planned.p) == tuple(map(float, law_of(planned).probabilities))


def test_expected_errors_are_the_predicted_ones() -> None:
    """Of the reports that are about pairs, the others being answers to the size question."""
    planned = plan(keys=200, users=50_000, epsilon=1, levels=2)
    reports = 50_000 * (1 - planned.size_share)
    moments = CountMoments.of(law_of(planned).count_law, planned.size_share)
    assert planned.size_share > 0
    assert planned.size_cost == pytest.approx(math.sqrt(50_000 / reports))
    assert [error.rank for error in planned.errors] == [1, 2, 5, 10, None, None]
    for error in planned.errors:
        predicted = predict(moments, reports, error.frequency)
        assert (error.frequency_error, error.mean_error) == pytest.approx(tuple(map(math.sqrt, predicted)))
    assert [needed.half_range for needed in planned.users_needed] == [0.05, 0.02, 0.01, 0.002]
    for needed in planned.users_needed:
        assert needed.users is not None
        variance = moments.frequency_variance(planned.frequency) / (1 - planned.size_share)
        half = needed.half_range / NormalDist().inv_cdf(0.975)
        assert math.sqrt(variance / needed.users) <= half < math.sqrt(variance / (needed.users - 1))


def test_a_plan_counts_the_bias_of_its_own_padding() -> None:
    """What reports do not show is error however many people take part."""
    planned = plan(keys=100, users=20_000, epsilon=1, sizes={1: 1, 3: 1, 9: 1}, levels=2)
    assert planned.padding < 9
    law, spectrum = law_of(planned), Spectrum(100, SetSizes({1: 1, 3: 1, 9: 1}))
    assert planned.seen == pytest.approx(spectrum.seen(1, planned.padding))
    first = planned.errors[0]
    bias = first.frequency * (1 - planned.seen)
    assert first.frequency_error > bias > 0
    assert users_for(law, first.frequency, 0.9 * bias, planned.seen) is None
    needed = users_for(law, first.frequency, 2 * bias, planned.seen)
    assert needed is not None
    variance = CountMoments.of(law.count_law).frequency_variance(first.frequency * planned.seen)
    assert math.hypot(math.sqrt(variance / needed), bias) <= 2 * bias
    assert None in {needed.users for needed in planned.users_needed}


def test_the_smallest_frequency_is_the_detected_one() -> None:
    planned = plan(keys=100, users=20_000, epsilon=1, levels=2)
    moments = CountMoments.of(law_of(planned).count_law, planned.size_share)
    reports = math.floor(20_000 * (1 - planned.size_share))
    assert planned.smallest_frequency == smallest_detected_frequency(moments, reports, 100)
    assert plan(keys=100, users=1, epsilon=1, levels=2).smallest_frequency == 1


def test_people_with_more_pairs_than_the_padding() -> None:
    """The share that is expected, and by simulation's formula how far off its estimate will be."""
    planned = plan(keys=100, users=20_000, epsilon=1, sizes={1: 50, 4: 40, 30: 10}, levels=2)
    assert planned.padding < 30
    assert planned.share_above == pytest.approx(0.1 if planned.padding >= 4 else 0.5)
    # Four answers; the true one with chance e/(e + 3).
    true, other = math.e / (math.e + 3), 1 / (math.e + 3)
    answered = planned.share_above * (1 - other) + (1 - planned.share_above) * (1 - true)
    error = math.sqrt(answered * (1 - answered) / (20_000 * planned.size_share)) / (true - other)
    assert planned.share_above_error == pytest.approx(1.96 * error, rel=1e-3)
    one_key = plan(keys=1, users=100, epsilon=1, levels=2)
    assert (one_key.size_share, one_key.size_cost, one_key.share_above_error) == (0, 1, None)


def test_other_assumptions_are_shown_beside() -> None:
    people = {1: 700, 2: 150, 4: 100, 9: 40, 60: 10}
    planned = plan(5000, 100_000, 2, sizes=people, levels=2)
    usual, rarer = planned.alternatives
    assert (usual.rule, usual.padding, usual.frequency) == ("90 %", planned.usual_pairs, planned.frequency)
    assert rarer.rule == "a tenth as frequent"
    assert rarer.frequency == pytest.approx(planned.frequency / 10)
    # Rare keys lose less to truncation than to noise.
    assert rarer.padding < planned.padding
    (alone,) = plan(5000, 100_000, 2, sizes=people, frequency=0.01, levels=2).alternatives
    assert alone.rule == "90 %"


def test_errors_are_in_the_units_of_the_values() -> None:
    plain, scaled = (plan(100, 20_000, 1, 3, values=ends) for ends in ((-1, 1), (1, 5)))
    assert (plain.values, scaled.values) == ((-1, 1), (1, 5))
    for one, other in zip(plain.errors, scaled.errors, strict=True):
        assert one.mean_error is not None
        assert other.mean_error == pytest.approx(2 * one.mean_error)
        assert other.frequency_error == one.frequency_error
    assert scaled.guessed_mean_error == pytest.approx(2 / math.sqrt(3))
    assert plain.guessed_mean_error == pytest.approx(1 / math.sqrt(3))
    assert plain.options[0].mean_error is not None
    assert scaled.options[0].mean_error == pytest.approx(2 * plain.options[0].mean_error)
    with pytest.raises(ParameterError, match="low must be below high"):
        plan(100, 20_000, 1, values=(5, 5))


@pytest.mark.parametrize(("keys", "users", "epsilon"), [(4, 800, "2"), (12, 80_000, "1"), (50, 200_000, "1.5")])
def test_what_a_verdict_says_would_be_enough_is_enough(keys: int, users: int, epsilon: str) -> None:
    planned = plan(keys, users, epsilon, levels=2)
    found = re.fullmatch(
        r"For all of them to stand out even at (\S+) %, you need about ([\d,]+) people, or ε = (\S+)\.", planned.verdict
    )
    assert found is not None
    assert float(found[1]) / 100 == pytest.approx(planned.outlook.rarest, rel=0.06)
    # A plan with these numbers is green, and not with half as many people or half of ε.
    enough = int(found[2].replace(",", ""))
    assert plan(keys, enough, epsilon, levels=2).light == plan(keys, users, found[3], levels=2).light == "green"
    assert plan(keys, enough // 2, epsilon, levels=2).light != "green"
    assert plan(keys, users, str(float(found[3]) / 2), levels=2).light != "green"


def test_no_weak_protection_is_advised() -> None:
    """Ten people would need more than the form offers by name; and what has more already is not told to take more."""
    for epsilon in (1, 4):
        assert "you need about" in plan(10, 10, epsilon, levels=2).verdict
        assert "or ε" not in plan(10, 10, epsilon, levels=2).verdict
    good = plan(4, 10**6, 3)
    assert (good.light, good.verdict, good.outlook.enough) == ("green", "", None)
    lost = replace(good, outlook=replace(good.outlook, reach=0.2, enough=Enough(None, None)))
    assert lost.verdict == "For all of them to stand out even at 10 %, no number of people is enough."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": 0}, "keys must be at least 1"),
        ({"keys": 2**31 + 1}, "at most 2\\^31"),
        ({"users": 0}, "users must be a whole number of at least 1"),
        ({"pairs": 0}, "pairs must be at least 0.000001"),
        ({"pairs": 11}, "at most the number of keys"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"frequency": 0}, "frequency must be at least"),
        (
            {"objective": "median"},
            "objective 'median' does not exist: choose from both, frequency, mean, mse$",
        ),
    ],
)
def test_bad_plans(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(**({"keys": 10, "users": 100, "epsilon": 1} | changes))


def test_a_plan_says_why_others_are_not_chosen() -> None:
    reasons = set()
    for keys, epsilon in itertools.product((20, 4_200_000), (1, 6)):
        planned = plan(keys=keys, users=10**6, epsilon=epsilon)
        reasons |= {option.reason_not_chosen for option in planned.options}
    assert "" in reasons
    for phrase in ("more squared error", "words are too many to decode", "bytes"):
        assert any(phrase in reason for reason in reasons)
