"""Intervals at any level, from the exact variances of the counts (proofs/intervals.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.limits import MIN_LEVELS
from pckv.estimators.linear import unbiased_frequency
from pckv.statistics.binomial import log_gamma
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, Scale
from pckv.tally.decode.support import KeySupport

# Where false supports are few, counts are still Gaussian if the key's own holders make their variance this
# large.
GAUSSIAN_VARIANCE = 400
# Up to this many reports of pairs, all people of whom they are a sample are in the exact law.
MAX_SAMPLED = 2048
# Chances of counts that are computed at once.
MAX_CELLS = 2**20
_TINY = 1e-300


class Interval(NamedTuple):
    """Lower and upper limits."""

    low: Floats
    high: Floats

    def take(self, rows: NDArray[np.int64]) -> Interval:
        """Return some of the intervals."""
        return Interval(self.low[rows], self.high[rows])

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
    if reports * moments.noise < GAUSSIAN_NOISE:
        few = reports * moments.sum_variance(np.maximum(estimate, 0)) < GAUSSIAN_VARIANCE
        exact = exact_interval(support.total[few], reports, moments, level, people_of(reports, moments))
        # Where all people would be too many, the exact law is that of those who reported pairs; the other
        # interval knows that they are a sample.
        joins = moments.left_out > 0 and reports > MAX_SAMPLED
        low[few] = np.minimum(low[few], exact.low) if joins else exact.low
        high[few] = np.maximum(high[few], exact.high) if joins else exact.high
    return Interval(low, high).joined(_around_ends(estimate, reports, moments, level))


def people_of(reports: int, moments: CountMoments) -> int:
    """Return how many people the exact law has: all of whom the reports are a sample, unless these are too many."""
    return round(reports / (1 - moments.left_out)) if reports <= MAX_SAMPLED else reports


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


def exact_interval(
    totals: NDArray[np.int64], reports: int, moments: CountMoments, level: float, people: int | None = None
) -> Interval:
    """Return all whole numbers of holders that neither tail of the count's exact law contradicts.

    The count is the sum of the supports of holders and of all others, independent of each other. Equal counts
    have equal limits, so that each distinct count is solved once. Where the reports are those of a random
    sample of more `people`, holders are counted among all of these.
    """
    distinct, place = np.unique(totals, return_inverse=True)
    alpha, people = (1 - level) / 2, people or reports
    laws = _CountLaws(reports, moments, int(totals.max(initial=0)))
    law = laws if people == reports else _SampledLaws(laws, np.union1d(distinct, distinct + 1), people)
    first = _first_true(lambda holders: 1 - law.below(distinct, holders) > alpha, distinct.size, people)
    beyond = _first_true(lambda holders: law.below(distinct + 1, holders) <= alpha, distinct.size, people)
    low = np.minimum(first, people)
    return Interval(low[place] / people, np.maximum(beyond - 1, low)[place] / people)


class _CountLaws:
    """The exact laws of a count up to a largest one, for any number of holders: powers of transforms.

    Where counts above `size` are likely, those asked for are not: their chance is below 10^-10
    (proofs/intervals.md).
    """

    def __init__(self, reports: int, moments: CountMoments, largest: int) -> None:
        most = len(moments.absent.numbers) - 1
        self._size = min(most * reports, 4 * largest + 400 * most) + 1
        self.reports, self._moments = reports, moments
        self._cut_off = self._size <= most * reports
        # A transform may be 0, and a power of it with no holders is 1 all the same.
        self._holder, self._absent = (
            np.log(np.fft.rfft(support.numbers, self._size) + _TINY) for support in (moments.holder, moments.absent)
        )

    def below(self, counts: NDArray[np.int64], holders: Floats) -> Floats:
        """Return the chances of fewer supports than each of some counts, each with its number of holders."""
        return self.table(counts[:, None], holders)[:, 0]

    def table(self, counts: NDArray[np.int64], holders: Floats) -> Floats:
        """Return the chances of fewer supports than each of the counts of a row, a row per number of holders."""
        found = np.zeros((holders.size, counts.shape[1]))
        expected = self.reports * self._moments.sum_mean(holders / self.reports)
        likely = np.flatnonzero(expected <= self._size / 2) if self._cut_off else np.arange(holders.size)
        rows = max(1, MAX_CELLS // self._size)
        for start in range(0, likely.size, rows):
            asked = likely[start : start + rows]
            own = holders[asked, None]
            chances = np.fft.irfft(np.exp(own * self._holder + (self.reports - own) * self._absent), self._size)
            fewer = np.concatenate([np.zeros((asked.size, 1)), np.cumsum(chances, axis=1)], axis=1)
            found[asked] = np.take_along_axis(fewer, np.minimum(counts[asked], self._size), axis=1)
        return found


class _SampledLaws:
    """The exact laws of some counts where the people who report pairs are a random sample of all people."""

    def __init__(self, laws: _CountLaws, counts: NDArray[np.int64], people: int) -> None:
        self._counts, self._people, self._reports = counts, people, laws.reports
        holders = np.arange(laws.reports + 1.0)
        self._below = laws.table(np.broadcast_to(counts, (holders.size, counts.size)), holders)
        self._log_factorials = log_gamma(np.arange(people + 1, dtype=np.float64) + 1)

    def below(self, counts: NDArray[np.int64], holders: Floats) -> Floats:
        """Return the chances of fewer supports than each of some counts, each with its number of holders."""
        columns = self._below[:, np.searchsorted(self._counts, counts)]
        return np.asarray((self._sampled(holders) * columns.T).sum(axis=1))

    def _sampled(self, holders: Floats) -> Floats:
        """The chances that 0, 1, … of the holders report pairs (hypergeometric), a row per number of holders."""

        def log_ways(of: NDArray[np.int64], chosen: NDArray[np.int64]) -> Floats:
            possible = (chosen >= 0) & (chosen <= of)
            inside = np.where(possible, chosen, 0)
            ways = self._log_factorials[of] - self._log_factorials[inside] - self._log_factorials[of - inside]
            return np.where(possible, ways, -np.inf)

        held, seen = holders.astype(np.int64)[:, None], np.arange(self._reports + 1)
        others = log_ways(self._people - held, self._reports - seen)
        return np.exp(log_ways(held, seen) + others - log_ways(np.array(self._people), np.array(self._reports)))


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
