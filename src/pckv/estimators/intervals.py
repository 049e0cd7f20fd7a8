"""Intervals at any level, from the exact variances of the counts (proofs/intervals.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.limits import MIN_LEVELS
from pckv.estimators.linear import unbiased_frequency
from pckv.statistics.binomial import binomial_probabilities, binomial_upper_tail
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, Scale
from pckv.tally.decode.support import KeySupport

# Where false supports are few, counts are still Gaussian if the key's own holders make their variance this
# large.
GAUSSIAN_VARIANCE = 400


class Interval(NamedTuple):
    """Lower and upper limits."""

    low: Floats
    high: Floats

    def joined(self, other: Interval) -> Interval:
        """Return the smallest intervals that contain both."""
        return Interval(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


class MeanInterval(NamedTuple):
    """Limits of the mean, and where no mean within [-1, 1] fits the data."""

    low: Floats
    high: Floats
    misfit: NDArray[np.bool_]


def two_sided_z(level: float) -> float:
    """Return the normal quantile of a two-sided level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def frequency_interval(support: KeySupport, reports: int, moments: CountMoments, level: float) -> Interval:
    """Return all frequencies that the count of supports does not contradict at this level.

    Where the estimate is beyond 0 or 1 they would be few, or that end alone, as if the data were sure of what
    they contradict: the interval reaches as far to the other side of the end, up to the end's own error.
    """
    estimate = unbiased_frequency(support, reports, moments)
    low, high = score_interval(estimate, reports, moments, level)
    if reports * moments.noise < GAUSSIAN_NOISE and moments.supports_once:
        few = reports * moments.sum_variance(np.maximum(estimate, 0)) < GAUSSIAN_VARIANCE
        exact = exact_interval(support.total[few], reports, moments, level)
        # The exact law is that of the people who reported pairs; the other interval knows that they are a
        # sample.
        low[few] = np.minimum(low[few], exact.low) if moments.left_out else exact.low
        high[few] = np.maximum(high[few], exact.high) if moments.left_out else exact.high
    return Interval(low, high).joined(_around_ends(estimate, reports, moments, level))


def _around_ends(estimate: Floats, reports: int, moments: CountMoments, level: float) -> Interval:
    """Return [e ∓ z·√(V(e)/n)] within [0, 1] where estimates are far beyond an end e, narrower near it."""
    end = np.clip(estimate, 0, 1)
    reach = reach_from_end(estimate - end, moments.frequency_variance(end), two_sided_z(level) ** 2 / reports)
    return Interval(np.clip(end - reach, 0, 1), np.clip(end + reach, 0, 1))


def reach_from_end(beyond: Floats, variance: Floats | float, width: float) -> Floats:
    """Return how far inward an interval reaches at least from 0 or 1: never farther than the middle.

    So a key whose estimate is above 1 keeps a lower limit above 0, however few reports there are.
    """
    return np.asarray(np.minimum(np.minimum(np.abs(beyond), np.sqrt(width * variance)), 0.5))


def score_interval(estimate: Floats, reports: int, moments: CountMoments, level: float) -> Interval:
    """Return the frequencies whose own variance, not that of the estimate, explains the estimate."""
    at_zero = float(moments.frequency_variance(0.0))
    slope = float(moments.frequency_variance(1.0)) - at_zero
    low, high = score_limits(estimate, two_sided_z(level) ** 2 / reports, at_zero, slope)
    return Interval(np.clip(low, 0, 1), np.clip(high, 0, 1))


def score_limits(estimate: Floats, width: float, at_zero: float, slope: float) -> Interval:
    """Solve (f̂ - f)² ≤ width·(v0 + v1·f), given v0 and v1."""
    centre = estimate + width * slope / 2
    half = np.sqrt(np.maximum(width * (at_zero + slope * estimate + width * slope**2 / 4), 0))
    return Interval(centre - half, centre + half)


def exact_interval(totals: NDArray[np.int64], reports: int, moments: CountMoments, level: float) -> Interval:
    """Return all whole numbers of holders that neither tail of the count's exact law contradicts.

    The count is the sum of two binomials: holders who support their key, and all other chances to
    support it. Equal counts have equal limits, so that each distinct count is solved once.
    """
    distinct, place = np.unique(totals, return_inverse=True)
    count, alpha = distinct.astype(np.float64), (1 - level) / 2
    expected = reports * moments.noise
    # A report supports one level of a key at most, or has a chance at each, independently.
    chances = len(moments.absent.numbers) - 1
    fake = moments.noise / chances
    own = moments.holder.mean_sum - (chances - 1) * fake
    max_fakes = math.ceil(expected + 8 * math.sqrt(expected) + 12)

    def at_least(holders: Floats, threshold: Floats) -> Floats:
        fakes = binomial_probabilities(max_fakes, chances * reports - holders, fake)
        wanted = threshold[:, None] - np.arange(max_fakes + 1)
        tails = binomial_upper_tail(wanted, np.broadcast_to(holders[:, None], wanted.shape), own)
        return np.asarray((fakes * tails).sum(axis=1))

    first = _first_true(lambda holders: at_least(holders, count) > alpha, count.size, reports)
    beyond = _first_true(lambda holders: 1 - at_least(holders, count + 1) <= alpha, count.size, reports)
    low = np.minimum(first, reports)
    return Interval(low[place] / reports, np.maximum(beyond - 1, low)[place] / reports)


def _first_true(reached: Callable[[Floats], NDArray[np.bool_]], size: int, most: int) -> Floats:
    """Return the least whole number up to `most` where a rising condition holds; most + 1 if nowhere."""
    least, beyond = np.zeros(size), np.full(size, most + 1.0)
    while np.any(least < beyond):
        middle = np.floor((least + beyond) / 2)
        holds = reached(np.minimum(middle, most)) | (middle > most)
        beyond = np.where(holds, middle, beyond)
        least = np.where(holds, least, np.minimum(middle + 1, beyond))
    return beyond


def mean_interval(support: KeySupport, reports: int, moments: CountMoments, level: float) -> MeanInterval:
    """Return all means that the counts do not contradict at this level; the whole range without data.

    How much T varies depends on how the holders are spread over the levels. At first they are taken to be
    spread as much as their mean allows; with more than two levels, then as much as the counts allow, which is
    never more. The mean that the counts point to is always in the interval, so that intervals at higher
    levels contain those at lower ones.
    """
    nearest = nearest_weight(support, reports, moments)
    widest = _fieller_hull(support, reports, moments, level, nearest)
    if moments.spread is not None or len(set(moments.scale.values)) <= MIN_LEVELS:
        return widest
    narrower = _with_known_spread(support, reports, moments, level, widest)
    low, high, misfit = _fieller_hull(support, reports, narrower, level, nearest)
    return MeanInterval(np.clip(low, widest.low, widest.high), np.clip(high, widest.low, widest.high), misfit)


def with_known_spread(support: KeySupport, reports: int, moments: CountMoments, level: float) -> CountMoments:
    """Return moments where the holders' levels are spread as much as their counts allow at this level."""
    if moments.spread is not None or len(set(moments.scale.values)) <= MIN_LEVELS:
        return moments
    widest = _fieller_hull(support, reports, moments, level, nearest_weight(support, reports, moments))
    return _with_known_spread(support, reports, moments, level, widest)


def _with_known_spread(
    support: KeySupport, reports: int, moments: CountMoments, level: float, widest: MeanInterval
) -> CountMoments:
    squares = moments.on(Scale(tuple(weight * weight for weight in moments.scale.weights)))
    nearest_square = nearest_weight(support, reports, squares)
    of_counts = _fieller_hull(support, reports, squares, level, nearest_square).high
    of_means = np.maximum(*(moments.largest_spread(moments.weight(end)) for end in widest[:2]))
    return replace(moments, spread=np.minimum(of_counts, of_means))


def nearest_weight(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the mean weight that the counts point to, at any level: T̄/(κ·Ȳ), or an end of the range.

    Where that ratio is outside the range, it is the end with the sign of T.
    """
    difference, expected = _ratio_parts(support, reports, moments)[:2]
    least, most = _weight_range(moments)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = difference / expected
    return np.where((ratio >= least) & (ratio <= most), ratio, np.where(difference > 0, most, least))


def _fieller_hull(
    support: KeySupport, reports: int, moments: CountMoments, level: float, always: Floats
) -> MeanInterval:
    """Return the hull of Fieller's set within the scale's range and of a weight that is always accepted.

    The set is where (T̄ - κ·w·Ȳ)² ≤ z²·(V0 + V1·w + V2·w²)/n, a quadratic in the mean weight w: within the
    range its ends are roots of the quadratic or ends of the range.
    """
    a, b, c = fieller_quadratic(support, reports, moments, level)
    roots = roots_of(a, b, c)
    least, most = _weight_range(moments)
    reach = _reach_from_end(support, reports, moments, level, always)
    inside = (roots >= least) & (roots <= most)
    low, high = (a * end * end + b * end + c <= 0 for end in (least, most))
    smallest = np.where(low, least, np.where(inside, roots, always).min(axis=0))
    largest = np.where(high, most, np.where(inside, roots, always).max(axis=0))
    return MeanInterval(
        np.minimum(smallest, np.maximum(always - reach, least)) + moments.scale.centre,
        np.maximum(largest, np.minimum(always + reach, most)) + moments.scale.centre,
        ~(low | high | inside.any(axis=0)),
    )


def _reach_from_end(support: KeySupport, reports: int, moments: CountMoments, level: float, nearest: Floats) -> Floats:
    """Return how far intervals reach at least from the end of the range that the counts point beyond.

    That is the end's own error, at this level or at the least one that accepts a mean; 0 where the counts
    point to a mean within the range.
    """
    difference, expected, (constant, linear, square) = _ratio_parts(support, reports, moments)

    def error(weight: float | Floats) -> Floats:
        return np.sqrt(np.maximum(constant + linear * weight + square * weight * weight, 0) / reports)

    least, most = _weight_range(moments)
    off = difference - least * expected, difference - most * expected
    frequency = np.clip(unbiased_frequency(support, reports, moments), 0, 1)
    of_frequency = moments.contrast * np.sqrt(moments.frequency_variance(frequency) / reports)
    with np.errstate(divide="ignore", invalid="ignore"):
        accepted_from = np.minimum(np.abs(off[0]) / error(least), np.abs(off[1]) / error(most))
    own_error = error(nearest) / np.maximum(np.abs(expected), of_frequency)
    reach = np.fmin(accepted_from, two_sided_z(level)) * own_error
    return np.where(off[0] * off[1] > 0, reach, 0.0)


def _weight_range(moments: CountMoments) -> tuple[float, float]:
    """Return the least and the largest mean weight."""
    return moments.weight(moments.scale.low), moments.weight(moments.scale.high)


def fieller_quadratic(
    support: KeySupport, reports: int, moments: CountMoments, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return (A, B, C): a mean of weight w is accepted iff A·w² + B·w + C ≤ 0."""
    difference, expected, (constant, linear, square) = _ratio_parts(support, reports, moments)
    width = two_sided_z(level) ** 2 / reports
    return (
        expected**2 - width * square,
        -2 * difference * expected - width * linear,
        difference**2 - width * constant,
    )


def _ratio_parts(
    support: KeySupport, reports: int, moments: CountMoments
) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """Return T̄, κ·Ȳ, and the variance (V0, V1, V2) of T̄ - κ·w·Ȳ per report."""
    frequency = unbiased_frequency(support, reports, moments)
    difference = support.weighted(moments.scale.weights) / reports
    return difference, moments.contrast * frequency, moments.ratio_variance(np.maximum(frequency, 0))


def roots_of(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return both real roots, infinite where there are none; no cancellation."""
    discriminant = b * b - 4 * a * c
    q = -(b + np.copysign(np.sqrt(np.maximum(discriminant, 0)), b)) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        roots = np.stack([q / a, c / q])
    return np.where((discriminant >= 0) & np.isfinite(roots), roots, np.inf)
