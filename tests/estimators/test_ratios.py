"""Ratios of two counts of the same reports: what is accepted, coverage, and what larger sets hide of two keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv import Segment, Tally, Task
from pckv.base.arrays import Flags, Floats
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.items import Items, selected_intervals
from pckv.estimators.ratios import ratio_interval, skewed_deviate, upper_chances
from pckv.estimators.segments import LabelCounts
from pckv.estimators.sets import hidden_share
from pckv.estimators.together import PairCounts
from pckv.mechanisms.base import ItemLaw
from pckv.mechanisms.derivation import MECHANISMS
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.statistics.detection import selected_level
from pckv.statistics.moments import JointMoments
from pckv.tally.decode.support import KeySupport
from support.faults import in_place

COLLECTIONS = 4000


def test_a_ratio_is_accepted_where_its_own_error_explains_the_difference() -> None:
    """On a grid of ratios, for many numerators and denominators; where the denominator may be 0, all are."""
    rng = default_rng(1)
    numerator, denominator = rng.uniform(0.02, 0.3, 200), rng.uniform(0.05, 0.5, 200)
    constant, linear, square = rng.uniform(1e-5, 1e-2, (3, 200))

    def variance(ratio: float | Floats) -> Floats:
        return np.asarray(constant + linear * ratio + square * ratio**2)

    low, high = ratio_interval(numerator, denominator, variance, 0.95)
    is_known = denominator**2 > two_sided_z(0.95) ** 2 * square
    assert 50 < is_known.sum() < 200
    assert (low[~is_known] == 0).all()
    assert (high[~is_known] == 1).all()
    for ratio in np.linspace(0, 1, 101):
        accepted = (numerator - ratio * denominator) ** 2 <= two_sided_z(0.95) ** 2 * variance(ratio)
        inside = (low <= ratio) & (ratio <= high)
        possible = is_known & (numerator < denominator)
        assert (accepted == inside)[possible].all()


def test_a_ratio_beyond_its_ends_keeps_an_interval() -> None:
    numerator, denominator = np.array([-0.05, 0.6, -5.0]), np.full(3, 0.5)
    low, high = ratio_interval(numerator, denominator, lambda ratio: np.full(3, 1e-4) + 0 * ratio, 0.95)
    reach = 1.96 * 0.01 / 0.5
    assert (low[0], low[2], high[1]) == (0, 0, 1)
    assert high[0] == pytest.approx(reach, rel=0.01) == 1 - low[1]
    assert high[2] == pytest.approx(reach, rel=0.01)


@pytest.mark.parametrize("mean", [3.0, 10.0, 1000.0])
def test_small_counts_have_the_chances_of_poisson_counts(mean: float) -> None:
    """From 2 to 6 standard deviations above: at most the exact chance divided by 1.3; a normal one is far too small."""
    counts = np.ceil(mean + np.arange(2, 7) * np.sqrt(mean))
    deviates = (counts - 0.5 - mean) / np.sqrt(mean)
    exact = stats.poisson.sf(counts - 1, mean)
    found = upper_chances(skewed_deviate(deviates, np.full(5, mean), np.full(5, mean)))
    assert (found > exact / 1.3).all()
    assert (found < 3 * exact).all()
    if mean < 100:
        assert upper_chances(deviates)[-1] < exact[-1] / 10


def test_what_larger_sets_hide_of_two_keys_is_estimated_without_bias() -> None:
    """Exactly, for every size: rounding keeps what is hidden of pairs, and raises what is hidden of keys."""
    for padding, keys in ((2, 9), (5, 60)):
        question = SizeQuestion(keys, padding, Fraction(1), Fraction(1, 10), order=2)
        for size in range(keys + 1):
            of_keys, of_pairs = (
                sum(chance * question.hidden_of(order)[answer] for answer, chance in question.true_answers(size))
                for order in (1, 2)
            )
            larger = max(size, padding)
            assert of_pairs == 1 - Fraction(padding * (padding - 1), larger * (larger - 1))
            assert of_keys >= 1 - Fraction(padding, larger)


def test_hidden_pairs_are_more_than_hidden_keys() -> None:
    task = Task(name="t", keys=20, epsilon=2, padding=3, together=True, size_share="0.2")
    answers = np.array([500, 200, 200, 100])
    of_keys, of_pairs = (hidden_share(task, answers, 0.95, order=order) for order in (1, 2))
    assert 0 < of_keys.value < of_pairs.value < 1
    unknown = hidden_share(task, np.zeros(4, np.int64), 0.95, order=2)
    assert unknown.factor == pytest.approx(20 * 19 / 3 / 2)


def drawn_counts(law: ItemLaw, people: tuple[int, int, int], seed: int) -> tuple[KeySupport, KeySupport]:
    """Draw the counts of a parent and a child over many collections, of holders of both, of the parent, and others."""
    rng, joint = default_rng(seed), law.joint_support(law.count_law.absent.own)
    own, other = joint.own, joint.other
    parents, children = np.zeros((2, COLLECTIONS), np.int64)
    for number, both, parent, child in zip(
        people, (joint.both, joint.one, joint.neither), (own, own, other), (own, other, other), strict=True
    ):
        chances = np.array([both, parent - both, child - both, 1 - parent - child + both], np.float64)
        drawn = rng.multinomial(number, chances, COLLECTIONS)
        parents += drawn[:, 0] + drawn[:, 1]
        children += drawn[:, 0] + drawn[:, 2]
    return KeySupport(parents[None, :]), KeySupport(children[None, :])


def counted(task: Task, people: tuple[int, int, int], seed: int, *, order: int) -> tuple[Items, Items]:
    """Return the items of many collections as if they were those of one."""
    assert isinstance(task.law, ItemLaw)
    tally = Tally(task)
    tally.reports = sum(people)
    numbers = np.zeros(COLLECTIONS, np.int64)
    items = (Items.of(tally, numbers, 0, most=1, order=kind) for kind in (order - 1, order))
    drawn = drawn_counts(task.law, people, seed)
    return tuple(  # type: ignore[return-value]
        Items(each.counted, numbers, support, each.moments, each.hostile, each.order)
        for each, support in zip(items, drawn, strict=True)
    )


def covered(interval: Interval, truth: float) -> float:
    inside: Flags = (interval.low <= truth) & (truth <= interval.high)
    return float(inside.mean())


def a_segment(epsilon: float, mechanism: str, keys: int = 20) -> Task:
    stated: dict[str, Any] = {"padding": 1, "more": "refuse", "size_share": 0, "mechanism": mechanism}
    return Task(name="t", keys=keys, epsilon=epsilon, segment=Segment("age", ["young", "old"]), **stated)


def within(
    epsilon: float, people: tuple[int, int, int], seed: int, mechanism: str = "collision"
) -> tuple[Callable[[float], Interval], float]:
    """Return the intervals of a share within a label, and its truth."""
    found = LabelCounts(*counted(a_segment(epsilon, mechanism), people, seed, order=1))
    return found.within, people[0] / (people[0] + people[1])


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    ("epsilon", "people"), [(1, (20_000, 20_000, 60_000)), (4, (1_000, 9_000, 40_000)), (6, (9_500, 500, 10_000))]
)
def test_intervals_of_shares_within_labels_cover(epsilon: float, people: tuple[int, int, int], mechanism: str) -> None:
    """At 95 %, over 4,000 collections: one standard error is .35 points, and 93.5 to 97 % is 4 of them on either side.

    The control is the next test.
    """
    interval, truth = within(epsilon, people, 3, mechanism)
    assert 0.935 < covered(interval(0.95), truth) < 0.975
    assert covered(interval(0.999), truth) > 0.997


def test_naive_intervals_of_shares_within_labels_do_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without the covariance of label and cell, which are counted in the same reports."""
    interval, truth = within(6, (9_500, 500, 10_000), seed=3)
    monkeypatch.setattr(JointMoments, "covariance", lambda *_, **__: 0.0)
    assert covered(interval(0.95), truth) < 0.92


def check_between_labels() -> None:
    """Assert the covariance of what is said of a key in two labels, person by person, where reports say little else."""
    shares, held, number = np.array([0.3, 0.7]), np.array([0.2, 0.6]), 10_000
    for mechanism in MECHANISMS:
        law = a_segment(1, mechanism, keys=1).law
        assert isinstance(law, ItemLaw)
        joint = law.joint_support(law.count_law.absent.own)
        own, other = float(joint.own), float(joint.other)
        tally = Tally(a_segment(1, mechanism, keys=1))
        tally.reports = number
        parents, children = (
            replace(
                Items.of(tally, np.arange(2), 0, most=1, order=order),
                support=KeySupport(np.round(number * (other + (own - other) * frequency)).astype(np.int64)[None, :]),
            )
            for order, frequency in ((0, shares), (1, shares * held))
        )
        total = 0.0
        for label, share, holds in ((0, 0.3, 0.2), (1, 0.7, 0.6)):
            for has_key, of_people in ((True, share * holds), (False, share * (1 - holds))):
                # Whether each of two labels, and the key within it, is the person's, and how much it counts for.
                sides = [[(has_key and side == label, 1.0), (side == label, -held[side])] for side in range(2)]
                for (first, weight), (second, other_weight) in product(*sides):
                    both = (joint.neither, joint.one, joint.both)[first + second]
                    apart = (own if first else other) * (own if second else other)
                    total += of_people * weight * other_weight * (float(both) - apart)
        found = LabelCounts(parents, children)._between_labels(*((held[[side]], np.array([side])) for side in range(2)))
        assert found[0] == pytest.approx(total / (own - other) ** 2 / number, rel=0.01, abs=1e-8)


def test_what_is_said_of_two_labels_varies_together_as_reports_do() -> None:
    check_between_labels()


def test_labels_that_are_taken_to_be_independent_are_caught(tmp_path: Path) -> None:
    fault = in_place(
        "one label's noise says nothing of another's",
        "estimators/segments.py",
        {"total += one.weight * other.weight * shared": "total += 0 * shared"},
        check_between_labels,
    )
    fault.check_caught(tmp_path, raises=AssertionError)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_intervals_of_conditional_shares_cover(level: float, mechanism: str) -> None:
    """As above, of a pair that a fifth of the holders of a key hold; at 99.9 %, as after selection, at least 99.7 %."""
    stated: dict[str, Any] = {"padding": 2, "more": "refuse", "size_share": 0, "mechanism": mechanism}
    task = Task(name="t", keys=20, epsilon=4, together=True, **stated)
    places = np.arange(COLLECTIONS)
    found = PairCounts(*counted(task, (3_000, 12_000, 35_000), 5, order=2), (places, places))
    assert covered(found.given(places, level), 0.2) > min(level, 0.997) - 0.015 * (level < 0.99)


def test_the_largest_of_what_is_shown_are_covered_as_often_as_all() -> None:
    """Of 1,000 numbers that are 2 those that look larger than 1 are shown, 300 times: of all and of the ten largest 5 % miss at most.

    One standard error of the ten largest is .4 points. The control: with one level for all, far more of the ten miss.
    """
    rng = default_rng(8)
    rows: dict[str, list[float]] = {"all": [], "ten": [], "one level": []}
    for _ in range(300):
        truth = np.full(1000, 2.0)
        points = truth + rng.normal(size=1000)
        shown = np.flatnonzero(points > 1)

        def around(level: float, points: Floats = points[shown]) -> Interval:
            return Interval(points - two_sided_z(level), points + two_sided_z(level))

        found, alike = (
            selected_intervals(points[shown], 0.95, 1000, around),
            around(selected_level(0.95, shown.size, 1000)),
        )
        missed, missed_alike = ((each.low > truth[shown]) | (each.high < truth[shown]) for each in (found, alike))
        largest = np.argsort(-points[shown])[:10]
        rows["all"].append(missed.mean())
        rows["ten"].append(missed[largest].mean())
        rows["one level"].append(missed_alike[largest].mean())
    assert np.mean(rows["all"]) < 0.055
    assert np.mean(rows["ten"]) < 0.055
    assert np.mean(rows["one level"]) > 0.5
