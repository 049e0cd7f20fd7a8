"""Shares of levels among the holders of a key, from its own counts (proofs/shares.md).

The share of some levels is the mean of a number that is 1 for these levels and 0 for the others, so that
Fieller's interval of a mean is that of a share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.limits import REFUSE_BETWEEN
from pckv.contract.task import Task
from pckv.estimators.hostile import HonestReports
from pckv.estimators.intervals import Interval, mean_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.results.distributions import Distributions
from pckv.statistics.moments import CountMoments, Scale
from pckv.statistics.projection import project_to_sum
from pckv.tally.decode.support import KeySupport

# The interval of the mean of some numbers, one per level, for some of the keys.
IntervalOn = Callable[[Scale, Integers | slice], Interval]
EVERY_KEY = slice(None)

KEYS_PER_BLOCK = 2**16
# Deviations are taken from the nearest of this many points of the range to a key's mean.
CENTRES = 65


class LevelShares(NamedTuple):
    """Shares of the levels that add up to 1, one row per key and one column per level, with intervals."""

    shares: Floats
    low: Floats
    high: Floats


def own_interval(support: KeySupport, reports: int, moments: CountMoments, level: float) -> IntervalOn:
    """Return intervals that depend on each key's own counts alone."""

    def interval_on(scale: Scale, keys: Integers | slice) -> Interval:
        found = mean_interval(support.take(keys), reports, moments.on(scale), level)
        return Interval(found.low, found.high)

    return interval_on


def honest_interval(
    interval_on: IntervalOn, support: KeySupport, honest: HonestReports | None, level: float
) -> IntervalOn:
    """Return intervals joined with those that hold whatever some reports say; None if none is honest."""

    def joined_on(scale: Scale, keys: Integers | slice) -> Interval:
        some = support.take(keys)
        if honest is None:
            zeros = np.zeros(some.keys)
            return Interval(zeros + scale.low, zeros + scale.high)
        low, high, _ = honest.on(scale).mean_interval(some, level)
        return interval_on(scale, keys).joined(Interval(low, high))

    return joined_on


def own_shares(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the nearest possible shares to the unbiased ones, one row per key."""
    shares = np.empty((support.keys, moments.levels))
    for block in _blocks(support.keys):
        shares[block] = _projected(support.take(block), reports, moments)
    return shares


def with_intervals(shares: Floats, interval_on: IntervalOn) -> LevelShares:
    """Return shares with intervals that contain them."""
    levels = shares.shape[1]
    low, high = np.empty_like(shares), np.empty_like(shares)
    for place in range(levels):
        is_level = Scale(tuple(float(place == level) for level in range(levels)))
        low[:, place], high[:, place] = interval_on(is_level, EVERY_KEY)
    return LevelShares(shares, np.minimum(low, shares), np.maximum(high, shares))


def _projected(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the shares of the nearest possible numbers of holders per level to the unbiased ones."""
    counts, frequency = support.counts.T, unbiased_frequency(support, reports, moments)[:, None]
    more_than_others = (counts - counts.mean(axis=1, keepdims=True)) / reports / moments.contrast
    holders = more_than_others + frequency / moments.levels
    return project_to_sum(holders / np.clip(frequency, 1 / reports, 1))


def _blocks(keys: int) -> Iterator[slice]:
    return (slice(start, start + KEYS_PER_BLOCK) for start in range(0, keys, KEYS_PER_BLOCK))


def distributions(task: Task, found: LevelShares, of_mean: Interval, interval_on: IntervalOn) -> Distributions:
    """Return all that is known of how holders are spread over the levels.

    The intervals of the means are on [-1, 1]; `interval_on` makes those of other shares.
    """
    at_most = _at_most_limits(found, interval_on)
    scale, exact = Scale.of_values(task.level_values), task.between == REFUSE_BETWEEN
    # Rounding takes it beyond what is possible where all holders are at one level, or half of them at either
    # end.
    variance = np.clip(_variance(scale, found.shares), 0, 1)
    limits = _variance_limits(scale, found.shares, of_mean, interval_on)
    rounding = 0.0 if exact else _largest_rounding(scale)
    # The interval contains the point, and the lower limit holds for values before rounding.
    low = np.clip(limits.low - rounding, 0, variance)
    high = np.clip(np.maximum(limits.high, variance), 0, 1)
    return Distributions(
        task.level_values,
        exact,
        found.shares,
        found.low,
        found.high,
        at_most.low,
        at_most.high,
        *((task.ends[1] - task.ends[0]) / 2 * np.sqrt(each) for each in (variance, low, high)),
    )


def _at_most_limits(found: LevelShares, interval_on: IntervalOn) -> Interval:
    """Return limits of the share at each level or below it, which never fall from one level to the next.

    Limits are only ever moved outward for that.
    """
    keys, levels = found.shares.shape
    low, high = np.ones((keys, levels)), np.ones((keys, levels))
    low[:, 0], high[:, 0] = found.low[:, 0], found.high[:, 0]
    low[:, -2], high[:, -2] = 1 - found.high[:, -1], 1 - found.low[:, -1]
    for last in range(1, levels - 2):
        up_to_last = Scale(tuple(float(level <= last) for level in range(levels)))
        low[:, last], high[:, last] = interval_on(up_to_last, EVERY_KEY)
    point = np.cumsum(found.shares, axis=1)[:, :-1]
    low[:, :-1] = np.clip(np.minimum(low[:, :-1], point), 0, 1)
    high[:, :-1] = np.clip(np.maximum(high[:, :-1], point), 0, 1)
    return Interval(np.minimum.accumulate(low[:, ::-1], axis=1)[:, ::-1], np.maximum.accumulate(high, axis=1))


def _largest_rounding(scale: Scale) -> float:
    """Return how much rounding to levels at random may add to a variance: a quarter of a squared gap."""
    return float(np.diff(scale.values).max() ** 2 / 4)


def _variance(scale: Scale, shares: Floats) -> Floats:
    values = np.array(scale.values)
    return np.asarray(shares @ values**2 - (shares @ values) ** 2)


def _variance_limits(scale: Scale, shares: Floats, of_mean: Interval, interval_on: IntervalOn) -> Interval:
    """Return limits of the variance of the holders' levels on [-1, 1].

    With any point c near the mean m, the variance is the mean of (v - c)², which has an interval like every
    mean, less (m - c)².
    """
    mean, steps = shares @ np.array(scale.values), CENTRES - 1
    nearest = np.round((mean + 1) / 2 * steps).astype(np.int64)
    low, high = np.zeros_like(mean), np.ones_like(mean)
    for number in np.unique(nearest):
        rows, centre = np.flatnonzero(nearest == number), 2 * number / steps - 1
        squares = Scale(tuple((value - centre) ** 2 for value in scale.values))
        found = interval_on(squares, rows)
        least, most = of_mean.low[rows] - centre, of_mean.high[rows] - centre
        low[rows] = found.low - np.maximum(np.abs(least), np.abs(most)) ** 2
        high[rows] = found.high - np.maximum(np.maximum(least, -most), 0.0) ** 2
    return Interval(low, high)


def unknown_distributions(task: Task, keys: int) -> Distributions:
    """Return what is known without a report: all levels alike, and intervals over everything."""
    levels = task.level_count
    values, zeros, ones = np.array(task.level_values), np.zeros((keys, levels)), np.ones((keys, levels))
    at_most_low = zeros.copy()
    at_most_low[:, -1] = 1.0
    deviation = np.full(keys, values.std())
    largest = np.full(keys, (task.ends[1] - task.ends[0]) / 2)
    return Distributions(
        task.level_values,
        task.between == REFUSE_BETWEEN,
        zeros + 1 / levels,
        zeros,
        ones,
        at_most_low,
        ones,
        deviation,
        np.zeros(keys),
        largest,
    )
