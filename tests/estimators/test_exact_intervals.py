"""Intervals of frequencies where counts are few: coverage by enumeration of all counts, never simulated."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pckv.base.arrays import Floats
from pckv.estimators.intervals import Interval, _around_ends, exact_interval, frequency_interval, score_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.statistics.binomial import convolution_power
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments
from pckv.tally.decode.support import KeySupport

# Names, ε, padding, levels and parameters: supports that exclude each other, are independent, or overlap.
LAWS = {
    "collision, 3 symbols": ("collision", "1", 1, 2, {}),
    "collision, 8 symbols": ("collision", "2", 1, 2, {}),
    "collision, 21 symbols": ("collision", "3", 1, 2, {}),
    "collision, padding 3": ("collision", "1", 3, 2, {}),
    "collision, 5 levels": ("collision", "2", 3, 5, {}),
    "collision, 55 symbols": ("collision", "4", 1, 2, {}),
    "ue-compact with overlap": ("ue-compact", "1", 1, 2, {"q": 131, "r": 40, "o": 6}),
    "ue-compact": ("ue-compact", "4", 1, 2, {"q": 47}),
    "grr": ("grr", "4", 1, 2, {}),
    "ue without values": ("ue", "4", 1, 1, {}),
    "grr without values": ("grr", "4", 1, 1, {}),
    "ue-compact without values": ("ue-compact", "2", 1, 1, {"q": 17, "r": 2}),
    "collision without values": ("collision", "2", 1, 1, {}),
    "collision without values, padding 3": ("collision", "2", 3, 1, {}),
}
USERS = (1, 2, 5, 20, 50, 150)


def moments_of(name: str) -> CountMoments:
    mechanism, epsilon, padding, levels, parameters = LAWS[name]
    return CountMoments.of(build(mechanism, 100, padding, Fraction(epsilon), parameters, levels).count_law)


def all_counts(reports: int, moments: CountMoments) -> KeySupport:
    """Every count that reports can give a key."""
    return KeySupport(np.arange((len(moments.absent.numbers) - 1) * reports + 1)[None, :])


def chances(reports: int, moments: CountMoments) -> Floats:
    """The chances of all counts, a row per number of holders among the reports."""
    size = all_counts(reports, moments).keys
    own, others = (
        [convolution_power(law.numbers, times, size) for times in range(reports + 1)]
        for law in (moments.holder, moments.absent)
    )
    return np.array([np.convolve(own[held], others[reports - held])[:size] for held in range(reports + 1)])


def least_coverage(interval: Interval, by_holders: Floats) -> float:
    """The coverage of the frequency that is covered least, over all whole numbers of holders."""
    frequencies = np.arange(len(by_holders))[:, None] / (len(by_holders) - 1)
    covered = (interval.low <= frequencies + 1e-12) & (frequencies - 1e-12 <= interval.high)
    return float((by_holders * covered).sum(axis=1).min())


def without_exact(support: KeySupport, reports: int, moments: CountMoments) -> Interval:
    """The control: what counts that are not few get."""
    estimate = unbiased_frequency(support, reports, moments)
    score = score_interval(estimate, reports, moments, 0.95)
    return score.joined(_around_ends(estimate, reports, moments, 0.95))


@pytest.mark.parametrize("name", LAWS)
def test_few_counts_are_covered_at_least_at_their_level(name: str) -> None:
    """All frequencies, n·b < 50: at least .95, by enumeration. The control, a score interval, is below .945 somewhere."""
    moments, control = moments_of(name), []
    for reports in (users for users in USERS if users * moments.noise < GAUSSIAN_NOISE):
        support, by_holders = all_counts(reports, moments), chances(reports, moments)
        assert least_coverage(frequency_interval(support, reports, moments, 0.95), by_holders) >= 0.95
        control.append(least_coverage(without_exact(support, reports, moments), by_holders))
    assert min(control) < 0.945


@pytest.mark.parametrize("name", ["collision, 8 symbols", "collision, 55 symbols", "ue-compact with overlap", "grr"])
@pytest.mark.parametrize("asked", [0.05, 0.3])
def test_a_random_part_of_the_people_is_covered_as_well(name: str, asked: float) -> None:
    """Some of them answer the size question instead: the interval is that of all people.

    The control, the interval of those who report pairs, misses more often.
    """
    moments = moments_of(name)
    of_people, of_reports = [], []
    for people in (5, 20, 60):
        reports = round(people * (1 - asked))
        sampled = replace(moments, left_out=(people - reports) / people)
        chosen = stats.hypergeom(people, np.arange(people + 1)[:, None], reports).pmf(np.arange(reports + 1))
        by_holders, support = chosen @ chances(reports, moments), all_counts(reports, moments)
        of_people.append(least_coverage(frequency_interval(support, reports, sampled, 0.95), by_holders))
        of_reports.append(least_coverage(exact_interval(support.total, reports, moments, 0.95), by_holders))
    assert min(of_people) >= 0.95
    assert min(of_reports) < min(of_people)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.999])
def test_other_levels_are_covered_as_well(level: float) -> None:
    moments = moments_of("collision, 8 symbols")
    support, by_holders = all_counts(40, moments), chances(40, moments)
    assert least_coverage(frequency_interval(support, 40, moments, level), by_holders) >= level


def test_the_functions_of_a_task_cover_as_their_law_does() -> None:
    """A report's supports over all functions, not by the law that takes levels as independent.

    Of 257 positions instead of 65,537, where levels are further from independent. People without the key hold
    another one, or none.
    """
    law = CollisionLaw(4, 1, Fraction(2), positions=257, functions=257 * 256)
    functions = np.arange(law.functions, dtype=np.uint64)
    symbols = np.stack([law.symbol(functions, np.uint64(item)) for item in range(law.items)])
    held, other = law.hit / law.one, (1 - law.hit / law.one) / (law.symbols - 1)
    moments = CountMoments.of(law.count_law)

    def numbers(item: int | None) -> Floats:
        """The chances that a report of an item's holder supports 0, 1 or 2 levels of the first key."""
        total = np.zeros(3)
        for symbol in range(law.symbols):
            weight = 1 / law.symbols if item is None else np.where(symbols[item] == symbol, held, other)
            supported = (symbols[:2] == symbol).sum(axis=0)
            total += np.bincount(supported, weights=np.broadcast_to(weight, supported.shape), minlength=3)
        return total / law.functions

    for absent in (None, 2, 7):
        own, others = (tuple(map(float, numbers(item))) for item in (0, absent))
        true = replace(
            moments,
            holder=replace(moments.holder, numbers=own),
            absent=replace(moments.absent, numbers=others),
        )
        for reports in (2, 20, 60):
            interval = frequency_interval(all_counts(reports, moments), reports, moments, 0.95)
            assert least_coverage(interval, chances(reports, true)) >= 0.95


def test_many_counts_at_once_have_the_limits_of_single_ones() -> None:
    """Laws are cut off above the largest count asked for: up to 10^5 reports of which few support a key."""
    moments = CountMoments.of(build("grr", 10**5, 1, Fraction(4), {}).count_law)
    counts = np.array([0, 1, 5, 40, 300])
    together = exact_interval(counts, 100_000, moments, 0.95)
    for place, count in enumerate(counts):
        alone = exact_interval(np.array([count]), 100_000, moments, 0.95)
        assert (alone.low[0], alone.high[0]) == (together.low[place], together.high[place])
    held = 200
    own, noise = moments.holder.mean_sum, moments.noise
    exact = stats.binom(held, own).pmf(np.arange(400)) @ stats.binom(100_000 - held, noise).cdf(40 - np.arange(400))
    low, high = together.low[3] * 100_000, together.high[3] * 100_000
    assert (low <= held <= high) == (exact > 0.025 and 1 - exact > 0.025)
