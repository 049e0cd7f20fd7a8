"""From a tally to estimates: decode the counts, apply a method, postprocess, and convert to the task's units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pckv.arrays import Flags, Floats, Integers
from pckv.errors import ParameterError
from pckv.estimators.counted import CountedReports
from pckv.estimators.detection import detected
from pckv.estimators.distributions import Distributions
from pckv.estimators.hostile import HonestReports, count_hostile
from pckv.estimators.intervals import Interval
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.estimators.methods.registry import (
    DEFAULT_FOR_MANY_KEYS,
    DEFAULT_METHOD,
    METHODS,
    KeyEstimates,
    check_method,
    unclipped_frequency,
)
from pckv.estimators.postprocess import CONSISTENT, POSTS, check_posts, full_name, make_consistent
from pckv.estimators.result import Estimates
from pckv.estimators.set_sizes import hidden_share, summarise_sets
from pckv.estimators.shares import (
    distributions,
    honest_interval,
    own_interval,
    own_shares,
    unknown_distributions,
    with_intervals,
)
from pckv.estimators.verdict import verdict
from pckv.limits import DISCOVERY, MIN_LEVELS
from pckv.moments import CountMoments, Scale
from pckv.progress import Progress, no_progress
from pckv.tally import Tally
from pckv.tally.decode.support import (
    DummySupport,
    KeySupport,
    decode_all,
    key_support,
)
from pckv.task import Task

__all__ = ["METHODS", "POSTS", "Estimates", "default_method", "estimate"]

MAX_LEVEL = 1 - 1e-9
# A mean whose interval spans 95 % of [-1, 1] or more is unknown.
KNOWN_SPAN = 0.95 * 2
# Estimating all keys at once takes about 200 bytes of memory per key of two levels.
MAX_KEYS_AT_ONCE = 2**25


class _Request(NamedTuple):
    """What is to be estimated: by which method, with which postprocessing, for which keys (None: all)."""

    method: str
    posts: tuple[str, ...]
    keys: Integers | None
    # Whether shares of levels are estimated, where there are more than two.
    shares: bool = True

    @property
    def consistent(self) -> bool:
        """Whether frequencies are made consistent."""
        return CONSISTENT in self.posts

    @property
    def needs_all_keys(self) -> bool:
        """Whether all keys must be decoded, whichever are asked for."""
        return self.consistent or METHODS[self.method].needs_all_keys


class _Decoded(NamedTuple):
    """The counts of some keys, and of the dummies where frequencies are to be made consistent."""

    keys: Integers
    support: KeySupport
    dummies: DummySupport | None


class _Hostile(NamedTuple):
    """How many reports may be hostile, and what is known of the others; None if none is honest or all are."""

    reports: int
    honest: HonestReports | None


class _Known(NamedTuple):
    """Estimates with their intervals, standard errors of the keys' own frequencies, and which stand out from the noise."""

    estimates: KeyEstimates
    standard_error: Floats
    detected: Flags


def estimate(
    tally: Tally,
    method: str | None = None,
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    *,
    post: str | Sequence[str] = (),
    hostile: int | str = 0,
    progress: Progress = no_progress,
) -> Estimates:
    """Estimate the frequency and mean of all keys of a tally, or of those asked for, with intervals.

    Where the task has more than two levels, so are the shares of the levels among the holders of every key.

    Somebody with m pairs, more than the padding ℓ, counts as ℓ/m for each of them: that capped frequency is what is
    estimated, and the mean is that of the reported pairs. Intervals are those of the frequency itself: their upper
    ends reach to what larger sets may hide, by the answers to the task's size question. Those of a round of a series
    are about everybody, not only about the panel that reported, and contain the error of choosing it.

    Args:
        tally: The counted reports.
        method: `baseline`, `corrected` or `bayes`; by default `bayes`, or `corrected` where keys are too many to be
            decoded together. `bayes` decodes all keys even if a few are asked for.
        level: The level of the intervals.
        keys: The names of the keys to estimate; by default all.
        post: `consistent` projects the frequencies on those that are possible together. It decodes all keys.
        hostile: How many of the reports may say anything: a number, or a share of all such as "1%", rounded up. Intervals,
            `detected` and `sets` then hold for the other participants, whatever these reports say; for any method they
            are made from each key's own counts. The estimates stay those of all reports.
        progress: Called with the share that is done, where decoding takes long.

    Returns:
        A table with a row per key, in the order of the task or of `keys`.

    Raises:
        ParameterError: if an argument does not exist or does not fit the task.

    >>> from pckv import Task, Tally
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> estimate(Tally(task)).frequency_high.tolist()
    [1.0, 1.0]
    """
    check_level(level)
    task, posts = tally.task, check_posts(post)
    if task.kind == DISCOVERY:
        raise ParameterError(f"task {task.name!r} is a discovery: pckv discover finds its keys")
    request = _Request(check_method(method or default_method(task)), posts, _key_numbers(task, keys))
    liars = count_hostile(hostile, tally.reports)
    decoded = _decode(tally, request, progress)
    honest = HonestReports.of_pairs(tally, liars) if liars else None
    estimates = _estimates(tally, decoded, request, level, _Hostile(liars, honest))
    requested = _only_requested(estimates, request)
    has_shares = bool(requested.level_values)
    said = verdict(tally.reports, requested.detected, requested.sets, liars, has_shares=has_shares)
    return replace(requested, verdict=said)


def estimate_supports(
    counted: CountedReports, keys: Integers, support: KeySupport, method: str, level: float
) -> Estimates:
    """Estimate keys whose counts were decoded before.

    Args:
        counted: The reports that were counted.
        keys: The numbers of the keys.
        support: Their counts.
        method: One that exists.
        level: The level of the intervals.

    Returns:
        A table with a row per key, without shares of levels.
    """
    request = _Request(method, (), keys, shares=False)
    estimates = _estimates(counted, _Decoded(keys, support, None), request, level, _Hostile(0, None))
    return replace(estimates, verdict=verdict(counted.reports, estimates.detected, estimates.sets))


def _estimates(
    counted: CountedReports, decoded: _Decoded, request: _Request, level: float, hostile: _Hostile
) -> Estimates:
    """Return the table of all keys that were decoded, without a verdict."""
    task = counted.task
    return Estimates(
        task=task.id,
        mechanism=task.mechanism,
        reports=counted.reports,
        epsilon=task.realised_epsilon,
        method=full_name(request.method, request.posts),
        level=level,
        hostile=hostile.reports,
        sets=summarise_sets(counted, level, hostile.reports),
        verdict=(),
        key=task.key_names(decoded.keys.tolist()),
        **_columns(counted, decoded, request, level, hostile),
    )


def default_method(task: Task) -> str:
    """Return the method that is used where none is named."""
    together = task.channel.decodes_all and task.key_count <= _max_keys_at_once(task)
    return DEFAULT_METHOD if together else DEFAULT_FOR_MANY_KEYS


def _max_keys_at_once(task: Task) -> int:
    return MAX_KEYS_AT_ONCE * MIN_LEVELS // task.level_count


def check_level(level: float) -> None:
    """Refuse a level that intervals cannot have."""
    if not 0 < level <= MAX_LEVEL:
        raise ParameterError(f"level must be between 0 and 1, not {level}")


def _key_numbers(task: Task, keys: Sequence[str] | None) -> Integers | None:
    return None if keys is None else np.array([task.key_index(key) for key in keys], np.int64)


def _decode(tally: Tally, request: _Request, progress: Progress) -> _Decoded:
    """Decode the counts of all keys where the request needs them, otherwise of those asked for."""
    task, numbers = tally.task, request.keys
    if numbers is None or request.needs_all_keys:
        _check_key_count(task, request)
        numbers = np.arange(task.key_count)
    if request.consistent:
        return _Decoded(numbers, *decode_all(task.channel, tally.counts, progress))
    return _Decoded(numbers, key_support(tally, numbers, progress), None)


def _only_requested(estimates: Estimates, request: _Request) -> Estimates:
    """Return the rows asked for, where more were estimated than those."""
    if request.keys is None or not request.needs_all_keys:
        return estimates
    return estimates.take(request.keys)


def _check_key_count(task: Task, request: _Request) -> None:
    """Refuse more keys than can be estimated at once, saying what to do instead."""
    dummies = task.channel.counted_dummies if request.consistent else 0
    if task.key_count + dummies <= _max_keys_at_once(task):
        return
    many = f"{task.key_count:,} keys" + (f" and {dummies:,} dummies" if dummies else "")
    instead = "name the keys wanted"
    if request.consistent:
        instead = f"leave out post {CONSISTENT!r}"
    elif METHODS[request.method].needs_all_keys:
        instead = "take another method"
    raise ParameterError(f"{many} are too many to estimate at once: {instead}")


def _columns(
    counted: CountedReports, decoded: _Decoded, request: _Request, level: float, hostile: _Hostile
) -> dict[str, Any]:
    """Return estimates and intervals in the task's units; consistent frequencies where the dummies are decoded."""
    task, reports, support, method = counted.task, counted.pair_reports, decoded.support, request.method
    has_shares = request.shares and task.level_count > MIN_LEVELS
    if reports == 0:
        return _columns_without_reports(support.keys, task, has_shares=has_shares)
    scale = Scale.of_values(task.level_values)
    moments = CountMoments.of(counted.count_law, left_out=1 - reports / counted.people, scale=scale)
    found = _known_of_all(counted, support, moments, method, level)
    if hostile.reports:
        found = _known_of_honest(hostile.honest, support, found.estimates, task.key_count, level)
    result = found.estimates
    frequency, mean = result.frequency, result.mean
    if decoded.dummies is not None:
        unclipped = unclipped_frequency(method, frequency, support, reports, moments)
        frequency = make_consistent(unclipped, decoded.dummies, reports, moments, task.padding)
    # An interval contains its estimate, as far as the estimate is possible at all.
    possible_frequency, possible_mean = np.clip(frequency, 0, 1), np.clip(mean, -1, 1)
    hidden = hidden_share(task, counted.size_answers, level, hostile.reports)
    high = hidden.raise_limits(result.frequency_interval.high, found.standard_error, level)
    return {
        "frequency": frequency,
        "frequency_low": np.minimum(result.frequency_interval.low, possible_frequency),
        "frequency_high": np.maximum(high, possible_frequency),
        "mean": _in_units(mean, task),
        "mean_low": _in_units(np.minimum(result.mean_interval.low, possible_mean), task),
        "mean_high": _in_units(np.maximum(result.mean_interval.high, possible_mean), task),
        "mean_known": result.mean_interval.high - result.mean_interval.low < KNOWN_SPAN,
        "detected": found.detected,
        "mean_misfit": result.mean_misfit,
        "distributions": (
            _distributions(counted, support, moments, result, level, hostile)
            if has_shares
            else Distributions.none(support.keys)
        ),
    }


def _distributions(  # noqa: PLR0917
    counted: CountedReports,
    support: KeySupport,
    moments: CountMoments,
    found: KeyEstimates,
    level: float,
    hostile: _Hostile,
) -> Distributions:
    """Return how holders are spread over the levels: by what was learned from all keys, where the method does."""
    if found.posterior is None:
        shares = own_shares(support, counted.pair_reports, moments)
        interval_on = own_interval(support, counted.pair_reports, moments, level)
    else:
        shares = found.posterior.profiles.shares
        interval_on = partial(found.posterior.mean_interval, level=level)
    if hostile.reports:
        interval_on = honest_interval(interval_on, support, hostile.honest, level)
    return distributions(counted.task, with_intervals(shares, interval_on), found.mean_interval, interval_on)


def _known_of_all(
    counted: CountedReports, support: KeySupport, moments: CountMoments, method: str, level: float
) -> _Known:
    """Return what the reports say if all of them are honest."""
    reports = counted.pair_reports
    return _Known(
        METHODS[method].estimate_with_intervals(support, reports, moments, level),
        own_standard_error(support, reports, moments),
        detected(support, reports, moments, counted.task.key_count, level),
    )


def _known_of_honest(
    honest: HonestReports | None, support: KeySupport, of_all: KeyEstimates, keys: int, level: float
) -> _Known:
    """Return estimates of all reports with what holds whatever some of them say."""
    if honest is None:
        zeros, nowhere = np.zeros(support.keys), np.zeros(support.keys, np.bool_)
        anything = of_all._replace(
            frequency_interval=Interval(zeros, zeros + 1),
            mean_interval=Interval(zeros - 1, zeros + 1),
            mean_misfit=nowhere,
        )
        return _Known(anything, zeros, nowhere)
    # All reports may be honest, so that no interval is narrower than the method's own.
    frequency = of_all.frequency_interval.joined(honest.frequency_interval(support, level))
    low, high, misfit = honest.mean_interval(support, level)
    mean = of_all.mean_interval.joined(Interval(low, high))
    return _Known(
        of_all._replace(frequency_interval=frequency, mean_interval=mean, mean_misfit=misfit),
        honest.least_standard_error(support),
        honest.detected(support, keys, level) & (frequency.low > 0),
    )


def own_standard_error(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the standard errors of the keys' own frequencies."""
    own = np.clip(unbiased_frequency(support, reports, moments), 0, 1)
    return np.sqrt(moments.frequency_variance(own) / reports)


def _columns_without_reports(keys: int, task: Task, *, has_shares: bool) -> dict[str, Any]:
    """Return what is known without a report: frequency 0, as many holders at each level, and intervals over everything.

    So the mean is that of the levels: with two of them, or equally spaced ones, the middle of the range.
    """
    zeros, ones = np.zeros(keys), np.ones(keys)
    return {
        "frequency": zeros,
        "frequency_low": zeros,
        "frequency_high": ones,
        "mean": _in_units(np.full(keys, np.mean(Scale.of_values(task.level_values).values)), task),
        "mean_low": _in_units(-ones, task),
        "mean_high": _in_units(ones, task),
        "mean_known": np.zeros(keys, np.bool_),
        "detected": np.zeros(keys, np.bool_),
        "mean_misfit": np.zeros(keys, np.bool_),
        "distributions": unknown_distributions(task, keys) if has_shares else Distributions.none(keys),
    }


def _in_units(mean: Floats, task: Task) -> Floats:
    """Convert means from [-1, 1] to the task's own range."""
    return task.low + (mean + 1) / 2 * (task.high - task.low)
