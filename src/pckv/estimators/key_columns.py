"""The columns of keys: estimates with intervals, which keys stand out, and how holders are spread over levels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.limits import MIN_LEVELS
from pckv.contract.task import Task
from pckv.estimators.holders import HolderIntervals, bounded_intervals, holder_intervals
from pckv.estimators.hostile import HonestReports
from pckv.estimators.intervals import Interval, frequency_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.methods.registry import METHODS, KeyEstimates, make_consistent, unclipped_frequency
from pckv.estimators.results.distributions import Distributions
from pckv.estimators.sets import CountedReports, raise_limits
from pckv.estimators.shares import (
    EVERY_KEY,
    distributions,
    honest_interval,
    own_interval,
    own_shares,
    unknown_distributions,
    with_intervals,
)
from pckv.statistics.detection import Detection
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally.decode.support import DummySupport, KeySupport

# A mean whose interval spans 95 % of [-1, 1] or more is unknown.
KNOWN_SPAN = 0.95 * 2


class HostileReports(NamedTuple):
    """How many reports may be hostile, and what is known of the others; None if none is honest or all are."""

    reports: int
    honest: HonestReports | None


class _Known(NamedTuple):
    """Estimates with intervals, and which keys stand out.

    Of the keys' own frequencies, whatever the method: standard errors, and lower limits at any level.
    """

    estimates: KeyEstimates
    standard_error: Floats
    lower_limit: Callable[[float], Floats]
    detected: Flags


class DecodedKeys(NamedTuple):
    """The counts of some keys, and of the dummies where frequencies are to be made consistent."""

    keys: Integers
    support: KeySupport
    dummies: DummySupport | None


def key_columns(
    counted: CountedReports,
    decoded: DecodedKeys,
    method: str,
    detection: Detection,
    hostile: HostileReports,
    *,
    shares: bool = False,
    order: int = 1,
) -> dict[str, Any]:
    """Return estimates and intervals in the task's units; consistent where the dummies are decoded.

    `shares` are those of the levels, where there are more than two; `order` is that of `hidden_share`.
    """
    task, reports, support, level = counted.task, counted.pair_reports, decoded.support, detection.level
    has_shares = shares and task.level_count > MIN_LEVELS
    if reports == 0:
        return _columns_without_reports(support.keys, task, has_shares=has_shares)
    scale = Scale.of_values(task.level_values)
    moments = CountMoments.of(counted.count_law, left_out=1 - reports / counted.people, scale=scale)
    found = _known_of_all(counted, support, moments, method, detection)
    if hostile.reports:
        found = _known_of_honest(hostile.honest, support, found.estimates, detection)
    result = found.estimates
    frequency, mean = result.frequency, result.mean
    if decoded.dummies is not None:
        unclipped = unclipped_frequency(method, frequency, support, reports, moments)
        frequency = make_consistent(unclipped, decoded.dummies, reports, moments, task.padding)
    low, high = result.frequency_interval
    raised = raise_limits(task, counted.size_answers, high, found.standard_error, level, hostile.reports, order)
    of_frequency = Interval(low, raised)
    holders = _holder_intervals(counted, support, moments, found, level, hostile.reports)
    mean_interval = cache(result.mean_interval)
    of_mean = holders.widened(mean_interval(holders.reported_level), scale, EVERY_KEY)
    return {
        **interval_columns(task, frequency, of_frequency, mean, of_mean, found.detected),
        **_reported_columns(task, mean, mean_interval(level), found.detected),
        "detected": found.detected,
        "mean_misfit": result.mean_misfit,
        "distributions": (
            _distributions(counted, support, moments, result, of_mean, holders, hostile)
            if has_shares
            else Distributions.none(support.keys)
        ),
    }


def _distributions(  # noqa: PLR0917
    counted: CountedReports,
    support: KeySupport,
    moments: CountMoments,
    found: KeyEstimates,
    of_mean: Interval,
    holders: HolderIntervals,
    hostile: HostileReports,
) -> Distributions:
    """Return how holders are spread over the levels: as learned from all keys, where the method does."""
    level = holders.reported_level
    if found.posterior is None:
        shares = own_shares(support, counted.pair_reports, moments)
        interval_on = own_interval(support, counted.pair_reports, moments, level)
    else:
        shares = found.posterior.profiles.shares
        interval_on = partial(found.posterior.mean_interval, level=level)
    if hostile.reports:
        interval_on = honest_interval(interval_on, support, hostile.honest, level)

    def of_holders(scale: Scale, keys: Integers | slice) -> Interval:
        return holders.widened(interval_on(scale, keys), scale, keys)

    return distributions(counted.task, with_intervals(shares, of_holders), of_mean, of_holders)


def _holder_intervals(  # noqa: PLR0917
    counted: CountedReports, support: KeySupport, moments: CountMoments, found: _Known, level: float, hostile: int
) -> HolderIntervals:
    """Return how intervals are widened by what larger sets may hide."""
    task, answers = counted.task, counted.size_answers
    if hostile and task.can_truncate:
        return bounded_intervals(task, answers, level, found.lower_limit, hostile)
    return holder_intervals(task, answers, support, counted.pair_reports, moments, level, found.lower_limit)


def _known_of_all(
    counted: CountedReports, support: KeySupport, moments: CountMoments, method: str, detection: Detection
) -> _Known:
    """Return what the reports say if all of them are honest."""
    reports, level = counted.pair_reports, detection.level
    estimates = METHODS[method].estimate_with_intervals(support, reports, moments, level)
    detected = detection.detected(support.total, reports, moments)
    if detection.rate is not None:
        # What is learned from all keys does not pull the lower limit of a detected key to 0.
        low, high = estimates.frequency_interval
        own = frequency_interval(support, reports, moments, level).low
        limits = Interval(np.where(detected & (low <= 0), own, low), high)
        estimates = estimates._replace(frequency_interval=limits)
    return _Known(
        estimates,
        own_standard_error(support, reports, moments),
        lambda limit_level: frequency_interval(support, reports, moments, limit_level).low,
        detected,
    )


def _known_of_honest(
    honest: HonestReports | None, support: KeySupport, of_all: KeyEstimates, detection: Detection
) -> _Known:
    """Return estimates of all reports with what holds whatever some of them say."""
    if honest is None:
        zeros, nowhere = np.zeros(support.keys), np.zeros(support.keys, np.bool_)
        anything = of_all._replace(
            frequency_interval=Interval(zeros, zeros + 1),
            mean_interval=lambda _: Interval(zeros - 1, zeros + 1),
            mean_misfit=nowhere,
        )
        return _Known(anything, zeros, lambda _: zeros, nowhere)
    level = detection.level
    # All reports may be honest, so that no interval is narrower than the method's own.
    frequency = of_all.frequency_interval.joined(honest.frequency_interval(support, level))
    misfit = honest.mean_interval(support, level).misfit

    def mean(mean_level: float) -> Interval:
        low, high, _ = honest.mean_interval(support, mean_level)
        return of_all.mean_interval(mean_level).joined(Interval(low, high))

    return _Known(
        of_all._replace(frequency_interval=frequency, mean_interval=mean, mean_misfit=misfit),
        honest.least_standard_error(support),
        lambda limit_level: honest.frequency_interval(support, limit_level).low,
        honest.detected(support, detection) & (frequency.low > 0),
    )


def own_standard_error(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the standard errors of the keys' own frequencies."""
    own = np.clip(unbiased_frequency(support, reports, moments), 0, 1)
    return np.sqrt(moments.frequency_variance(own) / reports)


def _columns_without_reports(keys: int, task: Task, *, has_shares: bool) -> dict[str, Any]:
    """Return what is known without reports: frequency 0, equal shares of the levels, the widest intervals.

    So the mean is that of the levels: with two of them, or equally spaced ones, the middle of the range.
    """
    zeros, ones, nowhere = np.zeros(keys), np.ones(keys), np.zeros(keys, np.bool_)
    mean = np.full(keys, np.mean(Scale.of_values(task.level_values).values))
    return {
        **interval_columns(task, zeros, Interval(zeros, ones), mean, Interval(-ones, ones), nowhere),
        **_reported_columns(task, mean, Interval(-ones, ones), nowhere),
        "detected": nowhere,
        "mean_misfit": nowhere,
        "distributions": unknown_distributions(task, keys) if has_shares else Distributions.none(keys),
    }


def interval_columns(  # noqa: PLR0917
    task: Task, frequency: Floats, of_frequency: Interval, mean: Floats, of_mean: Interval, detected: Flags
) -> dict[str, Any]:
    """Return estimates in the task's units, and whether the mean is known.

    An interval contains its estimate, as far as the estimate is possible at all.
    """
    possible_frequency, possible_mean = np.clip(frequency, 0, 1), np.clip(mean, -1, 1)
    return {
        "frequency": frequency,
        "frequency_low": np.minimum(of_frequency.low, possible_frequency),
        "frequency_high": np.maximum(of_frequency.high, possible_frequency),
        "mean": in_units(mean, task),
        "mean_low": in_units(np.minimum(of_mean.low, possible_mean), task),
        "mean_high": in_units(np.maximum(of_mean.high, possible_mean), task),
        "mean_known": detected & (of_mean.high - of_mean.low < KNOWN_SPAN) & task.has_values,
    }


def _reported_columns(task: Task, mean: Floats, of_reported: Interval, detected: Flags) -> dict[str, Any]:
    """Return the intervals of the means over reported pairs, in the task's units."""
    columns = interval_columns(task, mean, of_reported, mean, of_reported, detected)
    return {f"reported_{name}": columns[name] for name in ("mean_low", "mean_high", "mean_known")}


def in_units(mean: Floats, task: Task) -> Floats:
    """Convert means from [-1, 1] to the task's own range; without values there are none."""
    if not task.has_values:
        return np.full_like(mean, np.nan)
    low, high = task.ends
    return low + (mean + 1) / 2 * (high - low)
