"""Intervals widen as their level grows, and none is a point."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.random import default_rng

from pckv.estimators.intervals import Interval, fieller_quadratic, frequency_interval, mean_interval, score_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.shares import own_interval
from pckv.mechanisms.registry import LAWS, build
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally.decode.support import KeySupport

LEVELS = (0.05, 0.2, 0.4, 0.6, 0.75, 0.8, 0.9, 0.95, 0.99, 0.999)
WAYS = [(name, levels) for name in LAWS for levels in (2, 5) if levels <= LAWS[name].max_levels]
KEYS = 60


def random_counts(moments: CountMoments, reports: int, seed: int) -> KeySupport:
    """Counts of keys without holders, and any others: many of them contradict every mean."""
    rng, levels = default_rng(seed), moments.levels
    by_chance = rng.binomial(reports, moments.noise / levels, (levels, KEYS // 2))
    shares = rng.dirichlet(np.full(levels + 1, 0.3), KEYS // 2)
    anything = rng.multinomial(reports, shares).T[:levels]
    return KeySupport(np.hstack([by_chance, anything]))


def check_nested(found: list[Interval]) -> None:
    """Check that every interval contains the one before, up to rounding."""
    for lower, higher in pairwise(found):
        assert np.all(lower.low <= lower.high)
        assert np.all(higher.low <= lower.low + 1e-9)
        assert np.all(higher.high >= lower.high - 1e-9)


def collections(mechanism: str, levels: int) -> Iterator[tuple[KeySupport, int, CountMoments]]:
    """Yield counts of few reports and of many, at small ε and large."""
    for seed, (reports, epsilon) in enumerate(((1, "1"), (30, "1"), (1000, "4"), (10**5, "0.5"))):
        law = build(mechanism, KEYS, 2, Fraction(epsilon), {}, levels=levels)
        moments = CountMoments.of(law.count_law)
        yield random_counts(moments, reports, seed), reports, moments


@pytest.mark.parametrize(("mechanism", "levels"), WAYS)
def test_intervals_of_means_contain_those_at_lower_levels(mechanism: str, levels: int) -> None:
    """Own intervals, and those of `bayes`. Fieller's sets alone, the control, do not begin where a misfit is put."""
    not_accepted = 0
    for counted in collections(mechanism, levels):
        own = [mean_interval(*counted, level) for level in LEVELS]
        check_nested([Interval(each.low, each.high) for each in own])
        learned = learn(*counted)
        check_nested([learned.key_mean_interval(level) for level in LEVELS])
        a, b, c = fieller_quadratic(*counted, LEVELS[-3])
        accepted = a * own[0].low ** 2 + b * own[0].low + c <= 0
        not_accepted += int((own[0].misfit & ~own[-3].misfit & ~accepted).sum())
    assert levels > 2 or not_accepted > 0


@pytest.mark.parametrize(("mechanism", "levels"), WAYS)
def test_no_interval_is_a_point_and_those_of_frequencies_are_nested(mechanism: str, levels: int) -> None:
    """From a key's own counts, whatever they are; the control: score intervals cut off at 0 and 1 are points."""
    points = 0
    for counted in collections(mechanism, levels):
        support, reports, moments = counted
        frequencies = []
        for level in (0.5, 0.95, 0.999):
            own = METHODS["corrected"].estimate_with_intervals(*counted, level)
            top_level = Scale(tuple(float(place == levels - 1) for place in range(levels)))
            of_share = own_interval(*counted, level)(top_level, slice(None))
            for low, high in (own.frequency_interval, own.mean_interval(level), of_share):
                assert (high > low).all()
            frequencies.append(own.frequency_interval)
            cut = score_interval(unbiased_frequency(support, reports, moments), reports, moments, level)
            points += int((cut.high <= cut.low).sum())
        check_nested(frequencies)
    assert points > 0


@pytest.mark.parametrize(("mechanism", "levels"), WAYS)
def test_no_interval_that_is_learned_from_all_keys_is_a_point(mechanism: str, levels: int) -> None:
    for counted in collections(mechanism, levels):
        learned = learn(*counted)
        for level in (0.5, 0.95, 0.999):
            for low, high in (learned.frequency_interval(level), learned.key_mean_interval(level)):
                assert (high > low).all()


def test_an_estimate_far_beyond_an_end_has_the_error_of_the_end() -> None:
    """[e ∓ z·√(V(e)/n)], within [0, 1]."""
    moments = CountMoments.of(build("ue", KEYS, 2, Fraction(2), {}).count_law)
    reports = 10_000
    counts = KeySupport(np.array([[0, reports], [0, 0]]))
    low, high = frequency_interval(counts, reports, moments, 0.95)
    errors = [1.959964 * (float(moments.frequency_variance(end)) / reports) ** 0.5 for end in (0.0, 1.0)]
    assert low == pytest.approx([0, 1 - errors[1]])
    assert high == pytest.approx([errors[0], 1])
