"""From the tallies of rounds to a trend: estimates of every round, and which frequencies differ (proofs/trends.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.progress import Progress, no_progress
from pckv.contract.series import Series
from pckv.estimators.estimate import (
    check_level,
    default_method,
    estimate_supports,
    in_units,
    interval_columns,
    own_standard_error,
)
from pckv.estimators.intervals import (
    GAUSSIAN_VARIANCE,
    Interval,
    frequency_interval,
    mean_interval,
    two_sided_z,
)
from pckv.estimators.linear import corrected
from pckv.estimators.methods.registry import DEFAULT_FOR_MANY_KEYS
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import COLUMNS, Changes, RoundSummary, Trend
from pckv.estimators.sets import hidden_share
from pckv.estimators.trends.rounds import RoundCounts, add_up, last_rounds, pool, pooled_support
from pckv.estimators.trends.smoothing import smooth_frequencies, smooth_means
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, check_rate, discoveries
from pckv.statistics.moments import GAUSSIAN_NOISE
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport


@dataclass(frozen=True, eq=False)
class ComparedRounds:
    """The counts of the rounds that have reports, in order, any two of which can be compared."""

    counts: tuple[RoundCounts, ...]
    names: list[str]
    level: float

    def __call__(self, before: int, after: int, rate: float) -> Changes:
        """Compare two rounds by their numbers, as `Trend.compare` does."""
        by_number = {each.number: each for each in self.counts}
        for number in (before, after):
            if number not in by_number:
                raise ParameterError(f"there are no reports of round {number:,}")
        return compare(by_number[before], by_number[after], self.names, self.level, check_rate(rate))


def compare(before: RoundCounts, after: RoundCounts, names: list[str], level: float, rate: float) -> Changes:
    """Compare two rounds of the same keys, at a level of intervals and a false discovery rate of flags."""
    # Noise may take a difference beyond 1; the interval moves back with it, since cut off it would be narrow
    # or empty.
    change = np.clip(after.frequency - before.frequency, -1, 1)
    variance = sum(_variance(each, np.clip(each.frequency, 0, 1)) for each in (before, after))
    reach = two_sided_z(level) * np.sqrt(variance)
    p_value = _p_values(before, after)
    changed = discoveries(p_value, rate)
    return Changes(
        before=before.number,
        after=after.number,
        false_discovery_rate=rate,
        level=level,
        keys_compared=len(names),
        keys_changed=int(changed.sum()),
        key=names,
        change=change,
        change_low=np.clip(change - reach, -1, 1),
        change_high=np.clip(change + reach, -1, 1),
        p_value=p_value,
        changed=changed,
    )


def _variance(counts: RoundCounts, frequency: Floats) -> Floats:
    # Panels are disjoint, so that the errors of their choice are opposed: their difference is that of two
    # samples of a large population. With one panel all people report, and only those who are not asked for
    # the size are chosen.
    return counts.noise_variance(frequency, counts.moments.left_out if counts.panels == 1 else 1.0)


def _p_values(before: RoundCounts, after: RoundCounts) -> Floats:
    """Return the chances of differences as large where the frequency is the same in both rounds."""
    both = (before, after)
    reports = sum(each.pair_reports for each in both)
    common = np.clip(sum(each.frequency * (each.pair_reports / reports) for each in both), 0, 1)
    deviation = np.sqrt(sum(_variance(each, common) for each in both))
    z = np.abs(after.frequency - before.frequency) / deviation
    found = np.array([math.erfc(distance * math.sqrt(0.5)) for distance in z.tolist()])
    if all(each.moments.supports_once for each in both) and any(
        each.pair_reports * each.moments.noise < GAUSSIAN_NOISE for each in both
    ):
        counts = [each.support.total for each in both]
        few = counts[0] + counts[1] < GAUSSIAN_VARIANCE
        found[few] = _exact_p_values(counts[0][few], counts[1][few], after.pair_reports / reports)
    return found


def _exact_p_values(before: Integers, after: Integers, share: float) -> Floats:
    """Return those of few counts: given their sum, each is in the later round by the share of its reports."""
    counts = [each.astype(np.float64) for each in (before, after)]
    more = binomial_upper_tail(counts[1], counts[0] + counts[1], share)
    fewer = binomial_upper_tail(counts[0], counts[0] + counts[1], 1 - share)
    return np.asarray(np.minimum(2 * np.minimum(more, fewer), 1.0))


# A trend takes about 300 bytes of memory per key and round.
MAX_ESTIMATES = 2**22

Columns = dict[str, Floats | NDArray[np.bool_]]


def trend(
    series: Series,
    rounds: Iterable[Tally | RoundCounts],
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    *,
    false_discovery_rate: float = DEFAULT_FLAG_RATE,
    progress: Progress = no_progress,
) -> Trend:
    """Estimate all rounds of a series: on their own, smoothed, pooled, and the last against the one before.

    Frequencies are the capped ones of `estimate`, and so are their changes; the upper limits of frequencies
    reach to what larger sets may hide. All are about all people, not only about the panel that reported.

    Args:
        series: The series.
        rounds: The tally of every round, or its decoded counts, in any order; a round without reports is left
            out.
        level: The level of the intervals.
        keys: The names of the keys; by default all. The others are decoded all the same, for drifts are
            learned from all keys, unless there are too many.
        false_discovery_rate: The share of false ones expected among the keys that are flagged as changed, at
            most.
        progress: Called with the share that is decoded.

    Returns:
        A table with a row per key and round.

    Raises:
        ParameterError: if an argument is outside its domain, a round is given twice, or keys are hashed.
        PairsError: if a key does not exist.
        TallyError: if a tally is not that of a round of the series.

    >>> from pckv import Task, Tally
    >>> task = Task(name="ratings", keys=["alien", "heat"], values=(1, 5), epsilon=1, padding=2)
    >>> series = Series(task=task, first="2030-01-07", period=7, panels=4)
    >>> trend(series, [Tally(series.task_of(1))]).verdict
    ('There are no reports yet.',)
    """
    check_level(level)
    check_rate(false_discovery_rate)
    given = list(rounds)
    numbers = None if keys is None else np.array([series.task.key_index(key) for key in keys], np.int64)
    decoded = decoded_keys(series, len(given), numbers)
    counts = _in_order(_counts(series, given, decoded, progress))
    pooled = _pooled(series, counts, decoded, level)
    found = Trend(
        series=series.id,
        name=series.name,
        mechanism=series.task.mechanism,
        epsilon=series.task.realised_epsilon,
        panels=series.panels,
        level=level,
        rounds=tuple(_summary(series, each) for each in counts),
        key=pooled.key,
        columns=_columns(series, counts, pooled.detected, level),
        pooled=pooled,
        changes=compare(counts[-2], counts[-1], pooled.key, level, false_discovery_rate) if counts[1:] else None,
        compare_counts=ComparedRounds(tuple(counts), pooled.key, level),
    )
    return found if keys is None else found.only(list(keys))


def decoded_keys(series: Series, rounds: int, asked: Integers | None) -> Integers:
    """Return the numbers of the keys that a trend of this many rounds decodes.

    These are all keys, whichever are asked for; only those asked for where all are too many.

    Raises:
        ParameterError: if all are too many, and all are asked for; or if keys are hashed.
    """
    task = series.task
    if task.is_hashed:
        raise ParameterError(
            "a trend needs a list of keys, and every round hashes texts to other numbers: estimate the "
            "rounds one by one"
        )
    if task.key_count * max(rounds, 1) <= MAX_ESTIMATES:
        return np.arange(task.key_count)
    if asked is None:
        raise ParameterError(
            f"{task.key_count:,} keys in {rounds:,} rounds are too many to estimate at once: name the keys wanted"
        )
    return np.unique(asked)


def _counts(
    series: Series, given: Sequence[Tally | RoundCounts], keys: Integers, progress: Progress
) -> list[RoundCounts]:
    found = []
    for done, each in enumerate(given, 1):
        found.append(RoundCounts.of(series, each, keys) if isinstance(each, Tally) else each.take(keys))
        progress(done / len(given))
    return found


def _in_order(counts: Sequence[RoundCounts]) -> list[RoundCounts]:
    """Return the rounds that have reports about pairs, in order; refuse one that is given twice."""
    ordered = sorted(counts, key=lambda each: each.number)
    for before, after in pairwise(ordered):
        if before.number == after.number:
            raise ParameterError(f"round {after.number:,} is given twice: merge its tallies")
    return [each for each in ordered if each.pair_reports]


def _summary(series: Series, counts: RoundCounts) -> RoundSummary:
    number = counts.number
    days = series.opens(number), series.closes(number)
    return RoundSummary(number, series.task_of(number).id, *days, counts.reports)


def _pooled(series: Series, counts: Sequence[RoundCounts], keys: Integers, level: float) -> Estimates:
    """Estimate the last rounds together, by the default method of the task."""
    latest = last_rounds(counts, series.panels) if counts else []
    nothing = KeySupport(np.zeros((series.task.level_count, keys.size), np.int64))
    support = pooled_support(latest) if latest else nothing
    everything = keys.size == series.task.key_count
    method = default_method(series.task) if everything else DEFAULT_FOR_MANY_KEYS
    found = estimate_supports(pool(series, latest), keys, support, method, level)
    return replace(found, task=series.id)


def _columns(series: Series, counts: Sequence[RoundCounts], stands_out: Flags, level: float) -> Columns:
    """Return all columns by key and round, in the task's units."""
    if not counts:
        nothing = np.zeros((stands_out.size, 0))
        return {name: nothing.astype(bool) if name == "mean_known" else nothing for name in COLUMNS}
    own = [_own(series, each, level) for each in counts]
    found = {name: np.stack([each[name] for each in own], axis=1) for name in own[0]}
    frequencies = smooth_frequencies(counts, level)
    smoothed = _possible(frequencies.level, frequencies.interval, 0.0)
    smoothed_high = [
        _raise(series, counts[: number + 1], level, *column)
        for number, column in enumerate(zip(smoothed[0].T, smoothed[2].T, strict=True))
    ]
    means: dict[str, Floats] = {f"smoothed_{name}": np.array(found[name]) for name in ("mean", "mean_low", "mean_high")}
    if stands_out.any():
        rows = np.flatnonzero(stands_out)
        of_rows = [each.at(rows) for each in counts]
        levels = smooth_means(of_rows, frequencies.level[rows], level)
        for name, column in zip(means, _possible(levels.level, levels.interval, -1.0), strict=True):
            means[name][rows] = in_units(column, series.task)
    limits = {"smoothed_low": smoothed[1], "smoothed_high": np.stack(smoothed_high, axis=1)}
    found |= {"smoothed": smoothed[0]} | limits | means
    return {name: found[name] for name in COLUMNS}


def _own(series: Series, counts: RoundCounts, level: float) -> dict[str, np.ndarray]:
    """Return what a round says on its own."""
    task, (support, reports, moments) = series.task, (counts.support, counts.pair_reports, counts.moments)
    low, high = frequency_interval(support, reports, moments, level)
    error = own_standard_error(support, reports, moments)
    high = hidden_share(task, counts.size_answers, level).raise_limits(high, error, level)
    mean = corrected(support, reports, moments)[1]
    of_mean = Interval(*mean_interval(support, reports, moments, level)[:2])
    detected = Detection(task.key_count, level).detected(support.total, reports, moments)
    return interval_columns(task, np.clip(counts.frequency, 0, 1), Interval(low, high), mean, of_mean, detected)


def _possible(level: Floats, interval: Interval, least: float) -> tuple[Floats, Floats, Floats]:
    """Return levels and limits as far as they are possible.

    Where noise takes a level beyond an end, the interval moves back with it: cut off at the end, it would be
    narrow or empty, as if the data were sure of what they contradict.
    """
    clipped = np.clip(level, least, 1.0)
    low, high = (np.clip(limit + (clipped - level), least, 1.0) for limit in interval)
    return clipped, np.minimum(low, clipped), np.maximum(high, clipped)


def _raise(series: Series, counts: Sequence[RoundCounts], level: float, smoothed: Floats, high: Floats) -> Floats:
    """Raise the upper limits of the last rounds to what larger sets may hide, by the latest answers."""
    answers = add_up([each.size_answers for each in last_rounds(counts, series.panels)])
    error = (high - smoothed) / two_sided_z(level)
    return hidden_share(series.task, answers, level).raise_limits(high, error, level)
