"""From a tally to estimates: decode the counts, apply a method, postprocess, convert to the task's units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.limits import DISCOVERY, MIN_LEVELS
from pckv.base.progress import Progress, no_progress
from pckv.contract.facts import mixed_text
from pckv.contract.task import Task
from pckv.estimators.holders import HolderIntervals, bounded_intervals, holder_intervals
from pckv.estimators.hostile import HonestReports, count_hostile
from pckv.estimators.impossible import impossible_counts
from pckv.estimators.intervals import Interval, frequency_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.methods.registry import (
    CONSISTENT,
    DEFAULT_FOR_MANY_KEYS,
    DEFAULT_METHOD,
    METHODS,
    KeyEstimates,
    check_method,
    check_posts,
    full_name,
    make_consistent,
    unclipped_frequency,
)
from pckv.estimators.results.distributions import Distributions
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.sets import CountedReports, raise_limits, summarise_sets
from pckv.estimators.shares import (
    EVERY_KEY,
    distributions,
    honest_interval,
    own_interval,
    own_shares,
    unknown_distributions,
    with_intervals,
)
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, check_rate, selected_level
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally import Tally
from pckv.tally.decode.support import DummySupport, KeySupport, decode_all, key_support

# Estimating all keys at once takes about 200 bytes of memory per key of two levels.
MAX_KEYS_AT_ONCE = 2**25


class Request(NamedTuple):
    """What is to be estimated.

    `keys` are the numbers of the keys, None for all. Of hashed keys, which their numbers do not name, there are
    the `texts` and a false discovery `rate`. `shares` are those of more than two levels. `detected` are the keys
    that stand out, where that was found before, at another level.
    """

    method: str
    posts: tuple[str, ...] = ()
    keys: Integers | None = None
    texts: list[str] | None = None
    rate: float | None = None
    shares: bool = True
    detected: Flags | None = None

    @property
    def consistent(self) -> bool:
        """Whether frequencies are made consistent."""
        return CONSISTENT in self.posts

    @property
    def needs_all_keys(self) -> bool:
        """Whether all keys must be decoded, whichever are asked for; of hashed keys, those asked for."""
        return self.texts is None and (self.consistent or METHODS[self.method].needs_all_keys)

    def detection(self, task: Task, level: float) -> Detection:
        """Return how keys are told from those without holders."""
        tested = task.key_count if self.texts is None else len(self.texts)
        return Detection(tested, level, self.rate, self.detected)


class DecodedKeys(NamedTuple):
    """The counts of some keys, and of the dummies where frequencies are to be made consistent."""

    keys: Integers
    support: KeySupport
    dummies: DummySupport | None


def read_request(
    task: Task,
    method: str | None,
    post: str | Sequence[str],
    keys: Sequence[str] | None,
    rate: float | None,
) -> Request:
    """Return what is to be estimated, given the arguments of `estimate`, or refuse these."""
    method, posts = check_method(method or default_method(task)), check_posts(post)
    if isinstance(keys, str):
        raise ParameterError(f"keys must be a list of names, not {keys!r}")
    numbers = None if keys is None else np.array([task.key_index(key) for key in keys], np.int64)
    if task.is_hashed:
        texts = _texts(task, keys, posts)
        checked = check_rate(DEFAULT_FLAG_RATE if rate is None else rate)
        return Request(method, posts, numbers, texts, checked)
    if rate is not None:
        raise ParameterError("a false discovery rate is for hashed keys: with a list, the level holds for all keys")
    return Request(method, posts, numbers)


def _texts(task: Task, keys: Sequence[str] | None, posts: tuple[str, ...]) -> list[str]:
    """Return hashed keys that are asked for, each once."""
    if not keys:
        raise ParameterError(f"task {task.name!r} has hashed keys and no list of them: name the keys")
    if posts:
        raise ParameterError(f"post {posts[0]!r} needs all keys of a task, and hashed keys have no list")
    places: dict[str, int] = {}
    for place, key in enumerate(keys, 1):
        if places.setdefault(key, place) != place:
            raise ParameterError(f"a key is asked for twice: number {place:,} and number {places[key]:,} are {key!r}")
    return list(keys)


def default_method(task: Task) -> str:
    """Return the method that is used where none is named."""
    together = task.law.decodes_all and task.key_count <= _max_keys_at_once(task)
    return DEFAULT_METHOD if together else DEFAULT_FOR_MANY_KEYS


def _max_keys_at_once(task: Task) -> int:
    return MAX_KEYS_AT_ONCE * MIN_LEVELS // task.level_count


def decode(tally: Tally, request: Request, progress: Progress) -> DecodedKeys:
    """Decode the counts of all keys where the request needs them, otherwise of those asked for."""
    task, numbers = tally.task, request.keys
    if numbers is None or request.needs_all_keys:
        _check_key_count(task, request)
        numbers = np.arange(task.key_count)
    if request.consistent:
        return DecodedKeys(numbers, *decode_all(task.law, tally.counts, progress))
    return DecodedKeys(numbers, key_support(tally, numbers, progress), None)


def _check_key_count(task: Task, request: Request) -> None:
    """Refuse more keys than can be estimated at once, saying what to do instead."""
    dummies = task.law.counted_dummies if request.consistent else 0
    if task.key_count + dummies <= _max_keys_at_once(task):
        return
    many = f"{task.key_count:,} keys" + (f" and {dummies:,} dummies" if dummies else "")
    instead = "name the keys wanted"
    if request.consistent:
        instead = f"leave out post {CONSISTENT!r}"
    elif METHODS[request.method].needs_all_keys:
        instead = "take another method"
    raise ParameterError(f"{many} are too many to estimate at once: {instead}")


def colliding(numbers: Integers) -> np.ndarray:
    """Return which of some numbers come more than once."""
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(times[place] > 1)


MAX_LEVEL = 1 - 1e-9
# A mean whose interval spans 95 % of [-1, 1] or more is unknown.
KNOWN_SPAN = 0.95 * 2


class _Hostile(NamedTuple):
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


def estimate(
    tally: Tally,
    method: str | None = None,
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    *,
    post: str | Sequence[str] = (),
    hostile: int | str = 0,
    false_discovery_rate: float | None = None,
    progress: Progress = no_progress,
) -> Estimates:
    """Estimate the frequency and mean of all keys of a tally, or of those asked for, with intervals.

    Where the task has more than two levels, so are the shares of the levels among the holders of every key.

    A person with m pairs, more than the padding ℓ, counts as ℓ/m for each of them: that capped frequency is
    what is estimated, and the mean is that of the reported pairs. Intervals are those of the frequency
    itself: their upper ends reach to what larger sets may hide, by the answers to the task's size question.
    Those of a round of a series are about all people, not only about the panel that reported, and contain the
    error of choosing it. Those of hashed keys that are detected have a higher level each, since they were
    selected: on average at most a share of 1 - level of them does not contain the truth, the false coverage
    rate.

    Args:
        tally: The counted reports.
        method: `baseline`, `corrected` or `bayes`; by default `bayes`, or `corrected` where keys are too many
            to be decoded together. `bayes` decodes all keys even if a few are asked for; of hashed keys it
            learns from those asked for.
        level: The level of the intervals.
        keys: The names of the keys to estimate; by default all. Hashed keys must be named, each once.
        post: `consistent` projects the frequencies on those that are possible together. It decodes all keys.
        hostile: How many of the reports may say anything: a number, or a share of all such as "1%", rounded
            up. Intervals, `detected` and `sets` then hold for the other participants, whatever these reports
            say; for any method they are made from each key's own counts. The estimates stay those of all
            reports.
        false_discovery_rate: Of hashed keys, the share of keys without holders among those that are
            `detected`, on average, at most; by default 0.05.
        progress: Called with the share that is done, where decoding takes long.

    Returns:
        A table with a row per key, in the order of the task or of `keys`. The key that stands for all that
        are not listed comes last, unless `keys` are named.

    Raises:
        ParameterError: if an argument does not exist or does not fit the task.

    >>> from pckv import Task, Tally
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> estimate(Tally(task)).frequency_high.tolist()
    [1.0, 1.0]
    """
    check_level(level)
    if tally.task.kind == DISCOVERY:
        raise ParameterError(f"task {tally.task.name!r} is a discovery: pckv discover finds its keys")
    request = read_request(tally.task, method, post, keys, false_discovery_rate)
    liars = count_hostile(hostile, tally.reports)
    decoded = decode(tally, request, progress)
    honest = HonestReports.of_pairs(tally, liars) if liars else None
    estimates = _estimates(tally, decoded, request, level, _Hostile(liars, honest))
    if request.rate is not None and estimates.detected.any():
        detected = estimates.detected
        wider = selected_level(level, int(detected.sum()), detected.size)
        of_detected = _estimates(tally, decoded, request._replace(detected=detected), wider, _Hostile(liars, honest))
        estimates = estimates.with_detected(of_detected)
    if request.keys is not None and request.needs_all_keys:
        estimates = estimates.take(request.keys)
    return estimates.with_verdict()


def estimate_supports(
    counted: CountedReports, keys: Integers, support: KeySupport, method: str, level: float
) -> Estimates:
    """Estimate keys, by their numbers, whose counts were decoded before: without shares of levels."""
    request = Request(method, keys=keys, shares=False)
    decoded = DecodedKeys(keys, support, None)
    return _estimates(counted, decoded, request, level, _Hostile(0, None)).with_verdict()


def _estimates(
    counted: CountedReports, decoded: DecodedKeys, request: Request, level: float, hostile: _Hostile
) -> Estimates:
    """Return the table of all keys that were decoded, without a verdict."""
    task = counted.task
    names = request.texts or task.key_names(decoded.keys.tolist())
    return Estimates(
        task=task.id,
        mechanism=task.mechanism,
        reports=counted.reports,
        epsilon=task.realised_epsilon,
        method=full_name(request.method, request.posts),
        level=level,
        hostile=hostile.reports,
        sets=summarise_sets(counted, level, hostile.reports),
        impossible=impossible_counts(counted, decoded.support, names),
        verdict=(),
        key=names,
        collides=colliding(decoded.keys) if task.is_hashed else np.zeros(decoded.keys.size, np.bool_),
        other=task.other if task.other_index is not None and task.other_index in decoded.keys else None,
        false_discovery_rate=request.rate,
        mixed=mixed_text(task.mixer, task.reporting.epsilon, has_rounds=task.series is not None),
        **_columns(counted, decoded, request, level, hostile),
    )


def check_level(level: float) -> None:
    """Refuse a level that intervals cannot have."""
    if not 0 < level <= MAX_LEVEL:
        raise ParameterError(f"level must be between 0 and 1, not {level}")


def _columns(
    counted: CountedReports, decoded: DecodedKeys, request: Request, level: float, hostile: _Hostile
) -> dict[str, Any]:
    """Return estimates and intervals in the task's units; consistent where the dummies are decoded."""
    task, reports, support, method = counted.task, counted.pair_reports, decoded.support, request.method
    has_shares = request.shares and task.level_count > MIN_LEVELS
    if reports == 0:
        return _columns_without_reports(support.keys, task, has_shares=has_shares)
    scale = Scale.of_values(task.level_values)
    moments = CountMoments.of(counted.count_law, left_out=1 - reports / counted.people, scale=scale)
    detection = request.detection(task, level)
    found = _known_of_all(counted, support, moments, method, detection)
    if hostile.reports:
        found = _known_of_honest(hostile.honest, support, found.estimates, detection)
    result = found.estimates
    frequency, mean = result.frequency, result.mean
    if decoded.dummies is not None:
        unclipped = unclipped_frequency(method, frequency, support, reports, moments)
        frequency = make_consistent(unclipped, decoded.dummies, reports, moments, task.padding)
    low, high = result.frequency_interval
    raised = raise_limits(task, counted.size_answers, high, found.standard_error, level, hostile.reports)
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
    hostile: _Hostile,
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
        "mean_known": detected & (of_mean.high - of_mean.low < KNOWN_SPAN),
    }


def _reported_columns(task: Task, mean: Floats, of_reported: Interval, detected: Flags) -> dict[str, Any]:
    """Return the intervals of the means over reported pairs, in the task's units."""
    columns = interval_columns(task, mean, of_reported, mean, of_reported, detected)
    return {f"reported_{name}": columns[name] for name in ("mean_low", "mean_high", "mean_known")}


def in_units(mean: Floats, task: Task) -> Floats:
    """Convert means from [-1, 1] to the task's own range."""
    return task.low + (mean + 1) / 2 * (task.high - task.low)
