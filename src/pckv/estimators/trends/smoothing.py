"""Smoothed frequencies and means of all rounds (proofs/trends.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pckv.arrays import Floats
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
    return _smooth(values, variances, np.repeat(average[:, None], len(rounds), axis=1), rounds, confidence)


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

    return _smooth(values, variances, np.repeat(average[:, None], len(rounds), axis=1), rounds, confidence)


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
    return np.asarray((support.plus - support.minus) / counts.pair_reports / moments.contrast)
