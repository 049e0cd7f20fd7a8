"""Smoothed frequencies and means of all rounds (proofs/trends.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pckv.base.arrays import Floats
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.linear import unbiased_value_sum
from pckv.estimators.trends.local_level import Levels, smooth_levels
from pckv.estimators.trends.rounds import RoundCounts


def smooth_frequencies(rounds: Sequence[RoundCounts], confidence: float) -> Levels:
    """Return the smoothed frequencies by key and round, not clipped."""
    values = np.stack([each.frequency for each in rounds], axis=1)

    def variances(frequency: Floats) -> Floats:
        possible = np.clip(frequency, 0, 1)
        return np.stack(
            [
                each.noise_variance(possible[:, number], each.moments.left_out)
                for number, each in enumerate(rounds)
            ],
            axis=1,
        )

    average = values @ _weights(rounds)
    found = _smooth(values, variances, np.repeat(average[:, None], len(rounds), axis=1), rounds, confidence)
    possible = np.clip(found.level, 0, 1)
    return _widened(found, returning_error(rounds) * possible * (1 - possible), confidence)


def smooth_means(rounds: Sequence[RoundCounts], frequency: Floats, confidence: float) -> Levels:
    """Return the smoothed means, on [-1, 1] if clipped, of keys that stand out from the noise.

    A round's mean is a ratio of two noisy numbers. Given the smoothed frequency f and any mean m0,
    m0 + (value sum - m0·own frequency)/f is unbiased as far as f is right, and its noise is known.

    Args:
        rounds: The counts of these keys.
        frequency: Their smoothed frequencies by key and round.
        confidence: The level of the intervals.
    """
    own = np.stack([each.frequency for each in rounds], axis=1)
    sums = np.stack([_value_sum(each) for each in rounds], axis=1)
    weights = _weights(rounds)
    least = 1 / np.array([each.pair_reports for each in rounds])
    average = np.clip((sums @ weights) / np.maximum(own @ weights, least.min()), -1, 1)
    possible = np.clip(frequency, least, 1)
    values = average[:, None] + (sums - average[:, None] * own) / possible

    def variances(mean: Floats) -> Floats:
        inside = np.clip(mean, -1, 1)
        return np.stack(
            [
                each.mechanism_moments.mean_variance(possible[:, number], inside[:, number])
                / each.pair_reports
                for number, each in enumerate(rounds)
            ],
            axis=1,
        )

    found = _smooth(values, variances, np.repeat(average[:, None], len(rounds), axis=1), rounds, confidence)
    # The values of holders vary by 1 - m² at most.
    spread = (1 - np.clip(found.level, -1, 1) ** 2) / possible
    return _widened(found, returning_error(rounds) * spread, confidence)


def returning_error(rounds: Sequence[RoundCounts]) -> float:
    """Return the variance that the model misses where panels lack reports, relative to that between people.

    The error of choosing a panel returns with the panel, and does not fall with the number of its rounds as
    the model takes it to. Where all panels report alike their errors add up to nothing, and nothing is
    missed.
    """
    panels, weights = rounds[0].panels, _weights(rounds)
    by_panel = np.bincount([each.number % panels for each in rounds], weights)
    missed = by_panel @ by_panel - 1 / panels - (1 - 1 / panels) * (weights @ weights)
    reports = weights @ [each.reports for each in rounds]
    return max(float(missed), 0.0) / float(reports)


def _widened(found: Levels, variance: Floats, confidence: float) -> Levels:
    """Return the same levels with intervals for an error of that variance besides their own."""
    reach = two_sided_z(confidence) * np.sqrt(variance)
    low, high = (np.hypot(found.level - limit, reach) for limit in found.interval)
    return Levels(found.level, Interval(found.level - low, found.level + high))


def _smooth(
    values: Floats,
    variances: Callable[[Floats], Floats],
    level: Floats,
    rounds: Sequence[RoundCounts],
    confidence: float,
) -> Levels:
    gaps = tuple(after.number - before.number for before, after in pairwise(rounds))
    # The noise is that at the smoothed level: the second pass uses what the first one found.
    first = smooth_levels(values, variances(level), gaps, None)
    return smooth_levels(values, variances(first.level), gaps, confidence)


def _weights(rounds: Sequence[RoundCounts]) -> Floats:
    reports = np.array([each.pair_reports for each in rounds], np.float64)
    return np.asarray(reports / reports.sum())


def _value_sum(counts: RoundCounts) -> Floats:
    """Return the unbiased sums of values per person: frequency times mean."""
    support, moments = counts.support, counts.mechanism_moments
    return unbiased_value_sum(support, counts.pair_reports, moments, counts.frequency)
