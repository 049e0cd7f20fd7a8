"""Impossible counts: what honest reports do not give, whatever people hold (proofs/alarms.md).

They are looked for in the counts alone, with every estimate. A count is compared with its law where all
people hold what makes it largest, and where all hold what makes it least.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.words import plural
from pckv.estimators.alarms import AlarmTest
from pckv.estimators.sets import CountedReports
from pckv.mechanisms.base import Bounds, Law
from pckv.mechanisms.derivation import ByGroup
from pckv.statistics.binomial import bennett_bound, binomial_bound
from pckv.statistics.moments import SupportMoments
from pckv.tally.decode.support import KeySupport

# The chance that honest reports have an impossible count in one look at them: with 10,000 looks per day, that
# of a false alarm is one in 10,000 days.
FALSE_ALARMS_PER_LOOK = 1e-8

# From a count and its expectation to a bound on the chance of a count as far beyond it.
Tail = Callable[[float, float], float]


class _Counts(NamedTuple):
    """Counts with one law: what they are called, and how often each is expected at least and at most."""

    name: str
    counts: Integers
    reports: int
    least: float
    most: float
    tail: Tail
    said: Callable[[int], str]

    @classmethod
    def binomial(  # noqa: PLR0917
        cls, name: str, counts: Integers, reports: int, bounds: Bounds, said: Callable[[int], str], each: int = 1
    ) -> _Counts:
        """Return counts to which each report adds a number up to `each`, and on average one within bounds."""

        def tail(count: float, expected: float) -> float:
            return binomial_bound(count / each, reports, expected / reports / each)

        return cls(name, counts, reports, reports * float(bounds.least), reports * float(bounds.most), tail, said)

    def tests(self, tests: int) -> Iterator[AlarmTest]:
        """Yield the test of the largest and of the least count, among this many tests of all counts."""
        for beyond, find, expected, ends in (
            (np.greater_equal, np.argmax, self.most, f"at most {math.ceil(self.most):,}"),
            (np.less_equal, np.argmin, self.least, f"at least {math.floor(self.least):,}"),
        ):
            place = int(find(self.counts))
            count = int(self.counts[place])
            chance = self._chance(count, expected, beyond, tests)
            seen = (
                f"{self.said(place)} {count:,} times in {plural(self.reports, 'report')}, where {ends} are expected "
                "whatever people hold"
            )
            if chance <= FALSE_ALARMS_PER_LOOK:
                seen += self._others(count, expected, beyond, tests)
            yield AlarmTest(self.name, seen, chance)

    def _chance(self, count: int, expected: float, beyond: np.ufunc, tests: int) -> float:
        return min(1.0, tests * self.tail(count, expected)) if beyond(count, expected) else 1.0

    def _others(self, count: int, expected: float, beyond: np.ufunc, tests: int) -> str:
        """Say how many of the other counts are as impossible: all beyond the first one that is."""
        nearest = round(expected)
        direction = 1 if count >= nearest else -1
        first = bisect_left(
            range(abs(count - nearest)),
            True,  # noqa: FBT003
            key=lambda step: self._chance(nearest + direction * step, expected, beyond, tests) <= FALSE_ALARMS_PER_LOOK,
        )
        others = int(beyond(self.counts, nearest + direction * first).sum()) - 1
        return f" (and {plural(others, 'other count')} of this kind)" if others else ""


def count_tests(counted: CountedReports, support: KeySupport, keys: Sequence[str]) -> tuple[AlarmTest, ...]:
    """Return the tests of the counts of some reports, which are impossible at `FALSE_ALARMS_PER_LOOK`.

    The chance of each is a bound for all counts of its kind, and for all kinds together.

    Args:
        counted: The reports.
        support: The counts of some keys of theirs, or of all.
        keys: The names of those keys.
    """
    # Counts over all labels are sums of items, which are tested one by one by `impossible_items`.
    of_keys = isinstance(counted.task.derivation, ByGroup)
    of_support = () if of_keys else _item_counts(counted, support, lambda key: f"“{keys[key]}”")
    return _tests([*of_support, *_size_counts(counted)])


def impossible_items(counted: CountedReports, support: KeySupport, name: Callable[[int], str]) -> tuple[AlarmTest, ...]:
    """Return the tests of counts that are impossible, of derived items, given their counts and a name for each."""
    tests = _tests([*_item_counts(counted, support, name), *_size_counts(counted)])
    return tuple(test for test in tests if test.chance <= FALSE_ALARMS_PER_LOOK)


def _tests(all_counts: Sequence[_Counts]) -> tuple[AlarmTest, ...]:
    tests = sum(2 * each.counts.size for each in all_counts)
    return tuple(test for each in all_counts for test in each.tests(tests))


def impossible_counts(counted: CountedReports, support: KeySupport, keys: Sequence[str]) -> tuple[AlarmTest, ...]:
    """Return the tests of counts that are impossible; none for nearly all honest reports."""
    return tuple(test for test in count_tests(counted, support, keys) if test.chance <= FALSE_ALARMS_PER_LOOK)


def _item_counts(counted: CountedReports, support: KeySupport, name: Callable[[int], str]) -> Iterator[_Counts]:
    """Yield the counts of items by level, of items, and of all items together where all were decoded."""
    task, reports = counted.task, counted.pair_reports
    if not reports or not support.keys:
        return
    law, values = task.law, task.level_values
    bounds = law.support_bounds

    def item(place: int) -> str:
        level, key = divmod(place, support.keys)
        return f"{name(key)} with the value {values[level]:g} is counted"

    if task.has_values:
        yield _Counts.binomial("key with a value", support.counts.reshape(-1), reports, bounds.item, item)
    # A report may support several levels of a key.
    most_levels = len(law.count_law.absent.numbers) - 1
    yield _Counts.binomial(
        "key", support.total, reports, bounds.key, lambda place: f"{name(place)} is counted", most_levels
    )
    if support.keys == law.keys:
        yield _total_count(law, int(support.counts.sum(dtype=np.int64)), reports)


def _total_count(law: Law, total: int, reports: int) -> _Counts:
    """Return the count of all keys together."""
    least, most = (float(bound) for bound in law.support_bounds.total)
    largest, variance = law.max_support(law.keys), _total_variance(law)

    def of_independent(count: float, expected: float) -> float:
        trials = reports * largest
        return binomial_bound(count, trials, expected / trials)

    def by_variance(count: float, expected: float) -> float:
        excess = abs(count - expected) / reports
        return bennett_bound(excess, reports, variance, largest if count > expected else most)

    tail = of_independent if law.functions is None else by_variance
    counts = np.array([total], np.int64)
    return _Counts(
        "all keys", counts, reports, reports * least, reports * most, tail, lambda _: "all keys together are counted"
    )


@lru_cache(maxsize=16)
def _total_variance(law: Law) -> float:
    """Return at least the variance of the number of items that one report supports."""
    # Each law is at most this many times that of random words, where keys are pairwise independent.
    likeliest = float(law.blanket * law.realised)
    return likeliest * law.keys * SupportMoments.of(law.count_law.absent).variance_sum


def _size_counts(counted: CountedReports) -> Iterator[_Counts]:
    """Yield how many reports give each answer to the size question, of those that answer it."""
    question, answers = counted.task.size_question, int(counted.size_answers.sum())
    if question is None or not answers:
        return
    yield _Counts.binomial(
        "size answer",
        counted.size_answers,
        answers,
        Bounds.of(question.true_chance, question.other_chance),
        lambda place: f"the answer “{question.labels[place]} pairs” is given",
    )
