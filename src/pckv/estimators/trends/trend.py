"""From the tallies of rounds to a trend: estimates of every round, and which frequencies differ (proofs/trends.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.progress import Progress, no_progress
from pckv.contract.facts import mixed_text
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.estimators.alarms import AlarmTest
from pckv.estimators.estimate import check_level, default_method, estimate_supports
from pckv.estimators.holders import HolderIntervals, bounded_intervals, holder_intervals
from pckv.estimators.impossible import FALSE_ALARMS_PER_LOOK, count_tests
from pckv.estimators.intervals import (
    Interval,
    frequency_interval,
    mean_interval,
    two_sided_z,
)
from pckv.estimators.key_columns import in_units, interval_columns, own_standard_error
from pckv.estimators.linear import corrected
from pckv.estimators.methods.registry import DEFAULT_FOR_MANY_KEYS
from pckv.estimators.results.changes import Changes
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import FLAGS, RoundSummary, Trend, columns_of
from pckv.estimators.sets import raise_limits
from pckv.estimators.shares import EVERY_KEY
from pckv.estimators.trends.changes import find_changes
from pckv.estimators.trends.rounds import RoundCounts, add_up, last_rounds, pool, pooled_support
from pckv.estimators.trends.smoothing import Levels, smooth_frequencies, smooth_means
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, check_rate
from pckv.statistics.moments import Scale
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport


@dataclass(frozen=True, eq=False)
class ComparedRounds:
    """The counts of the rounds that have reports, in order, any two of which can be compared."""

    counts: tuple[RoundCounts, ...]
    names: list[str]
    smoothed: Floats
    level: float

    def __call__(self, before: int, after: int, rate: float) -> Changes:
        """Compare two rounds by their numbers, as `Trend.compare` does."""
        by_number = {each.number: each for each in self.counts}
        for number in (before, after):
            if number not in by_number:
                raise ParameterError(f"there are no reports of round {number:,}")
        pair, last = [by_number[before], by_number[after]], list(by_number).index(after)
        return find_changes(pair, self.names, self.smoothed[:, last], self.level, check_rate(rate), all_keys=True)


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
    """Estimate all rounds of a series: on their own, smoothed, pooled, and which keys changed when.

    Frequencies are the capped ones of `estimate`, and so are their changes; the upper limits of frequencies
    reach to what larger sets may hide. All are about all people, not only about the panel that reported.

    Args:
        series: The series.
        rounds: The tally of every round, or its decoded counts, in any order; a round without reports is left
            out.
        level: The level of the intervals.
        keys: The names of the keys; by default all. The others are decoded all the same, for drifts are
            learned from all keys, unless there are too many.
        false_discovery_rate: The share of keys with a false change among those that are flagged as changed, on
            average, at most, over all comparisons of all rounds.
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
    columns = _columns(series, counts, pooled.detected, level)
    smoothed = np.asarray(columns["smoothed"], np.float64)
    found = Trend(
        series=series.id,
        name=series.name,
        mechanism=series.task.mechanism,
        epsilon=series.task.realised_epsilon,
        panels=series.panels,
        level=level,
        keys_differing=int(np.sum(columns["differs"][:, -1:])),
        rounds=tuple(_summary(series, each) for each in counts),
        key=pooled.key,
        columns=columns,
        pooled=pooled,
        changes=find_changes(counts, pooled.key, smoothed[:, -1], level, false_discovery_rate, all_keys=False)
        if counts[1:]
        else None,
        derived_note=_derived_note(series.task),
        compare_counts=ComparedRounds(tuple(counts), pooled.key, smoothed, level),
    )
    return found if keys is None else found.only(list(keys))


def _derived_note(task: Task) -> str:
    """Return what a trend leaves out of derived items, in words."""
    if task.segment is not None:
        labels = f"all labels of “{task.segment.name}” together"
        return f"The trend is that of {labels}: the estimates of a round tell them apart."
    if task.derivation is not None:
        return "The trend is that of single keys: the estimates of a round have those of two keys together."
    return ""


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
    impossible = (*found.impossible, *_impossible(series, counts, found.key))
    mixed = mixed_text(series.task.mixer, series.task.reporting.epsilon, has_rounds=True)
    return replace(found, task=series.id, impossible=impossible, mixed=mixed).with_verdict()


def _impossible(series: Series, counts: Sequence[RoundCounts], names: Sequence[str]) -> Iterator[AlarmTest]:
    """Yield the tests of single rounds whose counts are impossible; all rounds together are one look."""
    for each in counts:
        for test in count_tests(pool(series, [each]), each.support, names):
            chance = min(1.0, len(counts) * test.chance)
            if chance <= FALSE_ALARMS_PER_LOOK:
                yield AlarmTest(test.name, f"in round {each.number:,}, {test.seen}", chance)


def _columns(series: Series, counts: Sequence[RoundCounts], stands_out: Flags, level: float) -> Columns:
    """Return all columns by key and round, in the task's units; keys without values have none of means."""
    has_means = series.task.has_values
    names = columns_of(has_means=has_means)
    if not counts:
        nothing = np.zeros((stands_out.size, 0))
        return {name: nothing.astype(bool) if name in FLAGS else nothing for name in names}
    own = [_own(series, each, level) for each in counts]
    found = {name: np.stack([each[name] for each in own], axis=1) for name in own[0]}
    frequencies = smooth_frequencies(counts, level)
    smoothed = _possible(frequencies.level, frequencies.interval, 0.0)
    answers = [
        add_up([each.size_answers for each in last_rounds(counts[: number + 1], series.panels)])
        for number in range(len(counts))
    ]
    smoothed_high = [
        _raise(series, some, level, *column)
        for some, *column in zip(answers, smoothed[0].T, smoothed[2].T, strict=True)
    ]
    means: dict[str, Floats] = {f"smoothed_{name}": np.array(found[name]) for name in ("mean", "mean_low", "mean_high")}
    mean_differs = np.zeros_like(frequencies.differs)
    if has_means and stands_out.any():
        rows = np.flatnonzero(stands_out)
        of_rows = [each.at(rows) for each in counts]
        holders = [
            _holder_intervals(series, some, level, *column)
            for some, *column in zip(answers, smoothed[0][rows].T, smoothed[1][rows].T, strict=True)
        ]
        levels = smooth_means(of_rows, frequencies.level[rows], holders[0].reported_level)
        for name, column in zip(means, _widened_means(holders, levels, counts[0].scale), strict=True):
            means[name][rows] = in_units(column, series.task)
        mean_differs[rows] = levels.differs
    limits = {"smoothed_low": smoothed[1], "smoothed_high": np.stack(smoothed_high, axis=1)}
    found |= {"smoothed": smoothed[0]} | limits | means
    found |= {"differs": frequencies.differs, "mean_differs": mean_differs}
    _contain(found, "smoothed", "frequency", frequencies.differs)
    _contain(found, "smoothed_mean", "mean", mean_differs)
    return {name: found[name] for name in names}


def _contain(columns: dict[str, np.ndarray], name: str, own: str, differs: Flags) -> None:
    """Widen the intervals of one name to contain those of single rounds, in rounds that differ from the others."""
    for end, widest in (("low", np.minimum), ("high", np.maximum)):
        limits = columns[f"{name}_{end}"]
        columns[f"{name}_{end}"] = np.where(differs, widest(limits, columns[f"{own}_{end}"]), limits)


def _own(series: Series, counts: RoundCounts, level: float) -> dict[str, np.ndarray]:
    """Return what a round says on its own."""
    task, (support, reports, moments) = series.task, (counts.support, counts.pair_reports, counts.moments)
    low, high = frequency_interval(support, reports, moments, level)
    error = own_standard_error(support, reports, moments)
    high = raise_limits(task, counts.size_answers, high, error, level)
    mean = corrected(support, reports, moments)[1]
    holders = holder_intervals(
        task,
        counts.size_answers,
        support,
        reports,
        moments,
        level,
        lambda limit: frequency_interval(support, reports, moments, limit).low,
    )
    of_reported = Interval(*mean_interval(support, reports, moments, holders.reported_level)[:2])
    of_mean = holders.widened(of_reported, counts.scale, EVERY_KEY)
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


def _holder_intervals(
    series: Series, answers: Integers, level: float, smoothed: Floats, low: Floats
) -> HolderIntervals:
    """Return how smoothed means of a round are widened by what larger sets may hide, given its frequencies."""
    error = (smoothed - low) / two_sided_z(level)
    if not series.task.can_truncate:
        return HolderIntervals(level, lambda interval, _scale, _keys: interval)
    return bounded_intervals(
        series.task, answers, level, lambda limit: np.maximum(smoothed - two_sided_z(limit) * error, 0.0)
    )


def _widened_means(holders: Sequence[HolderIntervals], levels: Levels, scale: Scale) -> tuple[Floats, Floats, Floats]:
    """Return smoothed means with limits for all holders, by key and round."""
    mean, low, high = _possible(levels.level, levels.interval, -1.0)
    rounds = [
        of_round.widened(Interval(*ends), scale, EVERY_KEY)
        for of_round, *ends in zip(holders, low.T, high.T, strict=True)
    ]
    return mean, np.stack([each.low for each in rounds], axis=1), np.stack([each.high for each in rounds], axis=1)


def _raise(series: Series, answers: Integers, level: float, smoothed: Floats, high: Floats) -> Floats:
    """Raise the upper limits of a round to what larger sets may hide, by the latest answers."""
    error = (high - smoothed) / two_sided_z(level)
    return raise_limits(series.task, answers, high, error, level)
