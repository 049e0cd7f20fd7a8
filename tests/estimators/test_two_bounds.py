"""The two bounds of what larger sets hide: exact on any sizes, and intervals that hold where both are reached.

A key that exactly the people with many pairs hold reaches both bounds, if no size lies between the padding and
the second one's. 1,000 collections per setting: a coverage of 0.95 has a standard error of 0.007, and the bar is
four of them below (α < 1e-4); a coverage of 0.89 is found with power 0.99. A second bound without the people
who hold even more misses nearly always, which is the control.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest

from pckv import Task
from pckv.estimators.intervals import frequency_interval, two_sided_z
from pckv.estimators.key_columns import own_standard_error
from pckv.estimators.sets import MIN_SECOND_LEVEL, SECOND_FACTOR, HiddenShare, hidden_share, raise_limits
from pckv.lab.counting import draw_counts
from pckv.statistics.moments import CountMoments

KEYS, PADDING, PEOPLE, COLLECTIONS, LEVEL = 40, 2, 40_000, 1_000, 0.95


def make_task(keys: int = KEYS, padding: int = PADDING) -> Task:
    return Task(name="t", keys=keys, values=(-1, 1), epsilon=4, padding=padding, mechanism="grr", size_share="0.1")


@pytest.mark.parametrize(("keys", "padding"), [(40, 2), (40, 1), (12, 5), (6, 5), (12, 3), (100, 25)])
def test_both_bounds_hold_and_rounded_sizes_keep_them(keys: int, padding: int) -> None:
    """Exact: f ≤ θ·g + Λ for any people, and Λ is the mean weight of the ends that their sizes are rounded to."""
    task, rng = make_task(keys, padding), np.random.default_rng(7)
    assert task.size_question is not None
    shown = [Fraction(padding, max(size, padding)) for size in range(keys + 1)]
    for factor in (1, SECOND_FACTOR):
        weights = [max(1 - factor * Fraction(padding, end), Fraction(0)) for end in task.size_question.ends]
        hidden = [max(1 - factor * each, Fraction(0)) for each in shown]
        for size in range(keys + 1):
            answers = task.size_question.true_answers(size)
            assert sum(chance * weights[answer] for answer, chance in answers) == hidden[size]
        for _ in range(20):
            people = rng.integers(0, 50, keys + 1).tolist()
            holders = rng.integers(0, np.array(people) + 1).tolist()
            seen = sum(map(operator.mul, holders, shown))
            assert sum(holders) <= factor * seen + sum(map(operator.mul, people, hidden))


@cache
def answer_chances(size: int) -> list[float]:
    question = make_task().size_question
    assert question is not None
    weights, total = question.distribution(size)
    return [weights[end] / total for end in range(len(question.ends))]


@cache
def count_moments() -> CountMoments:
    return CountMoments.of(make_task().law.count_law)


class Collection:
    """People of these sizes all hold one key, and all others another one: what one collection counts of the key."""

    def __init__(self, task: Task, sizes: dict[int, int], rng: np.random.Generator) -> None:
        self.task, self.answers, holders = task, np.zeros(len(answer_chances(1)), np.int64), 0
        for size, people in {**sizes, 1: PEOPLE - sum(sizes.values())}.items():
            asked = int(rng.binomial(people, task.size_share))
            self.answers += rng.multinomial(asked, answer_chances(size))
            # Of more pairs than the padding a random choice is reported.
            holders += int(rng.binomial(people - asked, PADDING / size)) if size in sizes else 0
        reports = PEOPLE - int(self.answers.sum())
        support = draw_counts(task.law.count_law, reports, np.array([holders]), np.zeros(1), rng)
        moments = replace(count_moments(), left_out=1 - reports / PEOPLE)
        self.low, self.high = frequency_interval(support, reports, moments, LEVEL)
        self.error = own_standard_error(support, reports, moments)

    def limit(self) -> float:
        """The upper limit by both bounds."""
        return float(raise_limits(self.task, self.answers, self.high, self.error, LEVEL)[0])

    def limit_of(self, bound: HiddenShare) -> float:
        """The upper limit by one bound."""
        return float(bound.raise_limits(self.high, self.error, LEVEL)[0])

    def bound(self, factor: int) -> HiddenShare:
        """The bound of a factor."""
        return hidden_share(self.task, self.answers, LEVEL, factor=factor)


# All of the key's holders have four times the padding, or some of them all keys; also a key that hardly shows.
SETTINGS = [{8: 4_000}, {8: 2_000, KEYS: 2_000}, {8: 200, KEYS: 200}, {8: 40}]


@pytest.mark.parametrize("sizes", SETTINGS)
def test_intervals_hold_where_both_bounds_are_reached(sizes: dict[int, int]) -> None:
    task, rng, truth = make_task(), np.random.default_rng(38), sum(sizes.values()) / PEOPLE
    found = [Collection(task, sizes, rng) for _ in range(COLLECTIONS)]
    assert np.mean([each.low[0] <= truth <= each.limit() for each in found]) >= 0.922
    assert all(each.limit() <= each.limit_of(each.bound(1)) for each in found)


def test_a_second_bound_without_the_largest_sets_misses() -> None:
    """The control: as if no participant held more than four times the padding."""
    task, rng, sizes = make_task(), np.random.default_rng(38), {KEYS: 4_000}
    found = [Collection(task, sizes, rng) for _ in range(100)]
    false = [each.limit_of(replace(each.bound(SECOND_FACTOR), value=0.0)) for each in found]
    assert np.mean([limit >= 4_000 / PEOPLE for limit in false]) < 0.1


def missed(shown: float, hidden: float, level: float, error: float, least_level: float) -> float:
    """How often a lower limit or the second bound misses f = g + h at most; the standard error of g is 1.

    `error` is that of the second bound, 4ĝ with the answers: it is 4 at least. Its limit is never below z(error - 2),
    as upper limits of g reach z/2 at least, nor below the same at the least level.
    """
    z, normal = two_sided_z(level), NormalDist()
    reached = shown + hidden > max(z, two_sided_z(least_level)) * (error - 2)
    above = normal.cdf(-z - (3 * shown - hidden) / error) if reached else 0.0
    return normal.cdf(-z - hidden) + above


def worst(level: float, least_level: float) -> float:
    grid = np.linspace(0, 12, 121).tolist()
    return max(
        missed(shown, hidden, level, error, least_level)
        for error in (4.0, 4.5, 6.0, 12.0)
        for shown in grid
        for hidden in grid
        if hidden <= 3 * shown
    )


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_a_lower_limit_and_the_second_bound_do_not_both_miss(level: float) -> None:
    """On a grid: together hardly more often than one of them may."""
    z = two_sided_z(level)
    excess = NormalDist().cdf(-z - 1.5 * max(z, two_sided_z(MIN_SECOND_LEVEL)))
    assert excess < 0.005
    assert worst(level, MIN_SECOND_LEVEL) <= (1 - level) / 2 + excess + 1e-12


def test_at_low_levels_they_would_without_a_least_limit() -> None:
    """The control."""
    assert worst(0.5, 1e-9) > 0.25 + 0.02


def test_a_higher_level_never_lowers_an_upper_limit() -> None:
    task, answers = make_task(), np.array([300, 40, 40, 20])
    levels, high = (0.3, 0.6, 0.79, 0.8, 0.81, 0.95, 0.99), np.array([0.0, 0.003, 0.01, 0.1])
    limits = [raise_limits(task, answers, high, np.full(4, 0.002), level) for level in levels]
    assert all((low <= above).all() for low, above in pairwise(limits))
