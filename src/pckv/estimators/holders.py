"""Means over all holders of a key, where reports show only some of the pairs (proofs/size-question.md).

People with more pairs than the padding count for less in reports, and the values that are hidden may be
anything. Of a key with the capped frequency g and the mean m over reported pairs, the mean μ over all holders
satisfies g(m - μ) ≤ Λ(μ - low) and g(μ - m) ≤ Λ(high - μ), where Λ is what larger sets may hide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.contract.task import Task
from pckv.estimators.intervals import (
    Interval,
    mean_interval,
    nearest_weight,
    roots_of,
    two_sided_z,
    with_known_spread,
)
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.sets import HiddenShare, hidden_limit, hidden_share, most_hidden
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally.decode.support import KeySupport

# Where an interval is made of limits that hold together, the first gets this share of the error.
FIRST_SHARE = 0.8
# The number of keys bounds what is hidden, whatever the answers say; not by much where there are more keys than
# this many paddings.
FEW_KEYS = 4


class HolderIntervals(NamedTuple):
    """How intervals of means over reported pairs, at `reported_level`, become those of means over all holders.

    `widened` takes the interval of the mean of some numbers, one per level, for some of the keys.
    """

    reported_level: float
    widened: Callable[[Interval, Scale, Integers | slice], Interval]


def holder_intervals(  # noqa: PLR0917
    task: Task,
    answers: Integers,
    support: KeySupport,
    reports: int,
    moments: CountMoments,
    level: float,
    low: Callable[[float], Floats],
) -> HolderIntervals:
    """Return how intervals are widened by what larger sets may hide, given the answers to the size question.

    Without answers, `low` are the lower limits of the capped frequencies, at any level.
    """
    if not task.can_truncate:
        return HolderIntervals(level, lambda interval, _scale, _keys: interval)
    if task.size_question is None or not answers.any():
        return bounded_intervals(task, answers, level, low)
    few_keys = task.key_count <= FEW_KEYS * task.padding
    test_level, bound_level = _split(level) if few_keys else (level, level)
    hidden, most = hidden_share(task, answers, test_level), most_hidden(task)

    def widened(interval: Interval, scale: Scale, keys: Integers | slice) -> Interval:
        counted = support.take(keys), reports, moments.on(scale)
        found = interval_of_holders(*counted, test_level, hidden)
        if few_keys:
            own = Interval(*mean_interval(*counted, bound_level)[:2])
            low, high = _widened(own, most, scale)
            found = Interval(np.maximum(found.low, low), np.minimum(found.high, high))
        return interval.joined(found)

    return HolderIntervals(level, widened)


def bounded_intervals(
    task: Task, answers: Integers, level: float, low: Callable[[float], Floats], hostile: int = 0
) -> HolderIntervals:
    """Return how any intervals are widened, given lower limits of the capped frequencies at any level.

    Three limits hold at once at the level, however they depend on each other: that of the mean over reported
    pairs, that of the capped frequency, and that of what larger sets hide.
    """
    reported_level, limit_level = _split(level)
    least, hidden = low(limit_level), hidden_limit(task, answers, limit_level, hostile)
    share = np.minimum(hidden / (least + hidden), np.minimum(most_hidden(task), 1 - least))
    return HolderIntervals(reported_level, lambda interval, scale, keys: _widened(interval, share[keys], scale))


def _split(level: float) -> tuple[float, float]:
    """Return two levels whose errors add up to that of one."""
    return 1 - FIRST_SHARE * (1 - level), 1 - (1 - FIRST_SHARE) * (1 - level)


def _widened(interval: Interval, hidden: Floats | float, scale: Scale) -> Interval:
    """Return the interval of a mean where this share of the holders may have any value."""
    shown = 1 - hidden
    return Interval(shown * interval.low + hidden * scale.low, shown * interval.high + hidden * scale.high)


def interval_of_holders(
    support: KeySupport, reports: int, moments: CountMoments, level: float, hidden: HiddenShare
) -> Interval:
    """Return all means over holders that neither the counts nor the answers contradict at this level."""
    known = with_known_spread(support, reports, moments, level)
    mirrored = replace(known, scale=Scale(tuple(-value for value in known.scale.values)))
    low, minus_high = (_lower_limit(support, reports, each, level, hidden) for each in (known, mirrored))
    return Interval(low, -minus_high)


def _lower_limit(support: KeySupport, reports: int, moments: CountMoments, level: float, hidden: HiddenShare) -> Floats:
    """Return the least mean that is not rejected; the least of the range without holders.

    A mean of weight u is rejected where T̄ - κ(u·Ȳ + Λ̂(u - least)) is above z times its standard error. That is
    taken at the boundary of what is to be rejected: all that is hidden has the least weight, so that the mean
    weight of the reported pairs is u + r(u - least), r = Λ/g.
    """
    frequency, z = unbiased_frequency(support, reports, moments), two_sided_z(level)
    difference, contrast = support.weighted(moments.scale.weights) / reports, moments.contrast
    least, larger = moments.weight(moments.scale.low), max(hidden.value, 0.0)
    held = np.maximum(frequency, 1 / reports)
    ratio, kappa = larger / held, contrast / moments.signal

    def variance(weight: float) -> Floats:
        reported = moments.scale.centre + weight + ratio * (weight - least)
        mixed = moments.difference_variance(held, reported) - 2 * kappa * weight * moments.covariance(held, reported)
        of_counts = mixed + (kappa * weight) ** 2 * moments.sum_variance(held)
        return np.asarray(of_counts / reports + (contrast * hidden.error * (weight - least)) ** 2)

    # A quadratic is known by three of its values.
    at_zero, above, below = variance(0.0), variance(1.0), variance(-1.0)
    slope, constant = contrast * (held + larger), difference + contrast * larger * least
    roots = roots_of(
        slope**2 - z**2 * ((above + below) / 2 - at_zero),
        -2 * slope * constant - z**2 * (above - below) / 2,
        constant**2 - z**2 * at_zero,
    )
    # The mean that counts and answers point to if all that is hidden has the least weight: never rejected.
    nearest = (held * nearest_weight(support, reports, moments) + larger * least) / (held + larger)
    limit = np.where((roots >= least) & (roots <= nearest), roots, nearest).min(axis=0)
    at_least = constant - slope * least
    accepted = (at_least <= z * np.sqrt(np.maximum(variance(least), 0))) | (frequency <= 0)
    return np.where(accepted, least, limit) + moments.scale.centre
