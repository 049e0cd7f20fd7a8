"""Alarms: what is unusual about the random parts of reports, whatever people hold (proofs/alarms.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Bytes, Integers, Messages
from pckv.contract.task import Task
from pckv.estimators.alarms.result import Alarms, AlarmTest
from pckv.estimators.alarms.shared_symbols import FunctionLaw, shared_symbols_test
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.binomial import binomial_bound, gamma_bound, poisson_bound

# The two numbers of a function are counted in this many ranges.
RANGES = 64
# Up to this many reports per function, one that repeats an earlier one is a rare event of its own.
MAX_RARE_LOAD = 0.05
# With fewer functions, their numbers of reports are not many independent ones.
MIN_FUNCTIONS = 25


def function_tests(law: FunctionLaw, functions: Integers) -> Iterator[AlarmTest]:
    """Yield the tests of the functions that reports name."""
    if not functions.size:
        return
    counts = np.unique_counts(functions).counts
    yield _heaviest(int(counts.max()), functions.size, law.functions)
    if law.functions >= MIN_FUNCTIONS:
        yield _repeated(counts, functions.size, law.functions)
    for name, values, limit in _coordinates(law, functions):
        yield _ranges(name, values, limit)


def _heaviest(count: int, reports: int, functions: int) -> AlarmTest:
    """Test the function that most reports name: the union bound over all functions."""
    mean = reports / functions
    chance = functions * binomial_bound(count, reports, 1 / functions) if count > mean else 1.0
    seen = f"{count:,} reports name the same function, where {mean:,.3g} are expected"
    return AlarmTest("heaviest function", seen, min(1.0, chance))


def _repeated(counts: Integers, reports: int, functions: int) -> AlarmTest:
    """Test how often reports name the functions of others."""
    name = "repeated functions"
    if reports <= MAX_RARE_LOAD * functions:
        # Given all earlier reports, the next one repeats one of their functions with at most this chance
        # each.
        repeats, mean = reports - counts.size, reports * (reports - 1) / (2 * functions)
        seen = f"{repeats:,} reports name the function of an earlier one, where {mean:,.3g} are expected"
        return AlarmTest(name, seen, poisson_bound(repeats, mean))
    pairs = float((counts * (counts - 1.0)).sum() / 2)
    all_pairs, chance = reports * (reports - 1) / 2, 1 / functions
    mean, variance = all_pairs * chance, all_pairs * chance * (1 - chance)
    # Pairs are independent of each other, but three of them that make a triangle are not.
    triangles = all_pairs * (reports - 2) / 3
    third = variance * (1 - 2 * chance) + 6 * triangles * chance**2 * (1 - chance)
    seen = f"{pairs:,.0f} pairs of reports name the same function, where {mean:,.0f} are expected"
    return AlarmTest(name, seen, gamma_bound(pairs, mean, variance, third / variance**1.5))


def _coordinates(law: FunctionLaw, functions: Integers) -> Iterator[tuple[str, Integers, int]]:
    """Yield what a function is made of: independent numbers, each uniform below a limit."""
    if isinstance(law, UeCompactLaw):
        for digit in range(law.digits):
            yield f"digit {digit + 1}", functions // law.q**digit % law.q, law.q
    elif law.by_index:
        yield "number", functions, law.functions
    else:
        yield "first number", functions // law.positions, law.positions - 1
        yield "second number", functions % law.positions, law.positions


def _ranges(name: str, values: Integers, limit: int) -> AlarmTest:
    """Test how many values fall into ranges of equal size, the least likely: a union bound over both ends."""
    ranges = min(RANGES, limit)
    # Values are below 2^38, so that products stay whole.
    counts = np.bincount(values * ranges // limit, minlength=ranges)
    ends = [-(-limit * number // ranges) for number in range(ranges + 1)]
    chances = [(high - low) / limit for low, high in pairwise(ends)]
    bounds = [
        binomial_bound(count, values.size, chance)
        for count, chance in zip(counts.tolist(), chances, strict=True)
    ]
    worst = int(np.argmin(bounds))
    first, last = ends[worst], ends[worst + 1] - 1
    span = f"{first:,}" if first == last else f"from {first:,} to {last:,}"
    seen = (
        f"{counts[worst]:,} reports name functions whose {name} is {span}, "
        f"where {values.size * chances[worst]:,.0f} are expected"
    )
    return AlarmTest(f"{name} of the functions", seen, min(1.0, 2 * ranges * bounds[worst]))


def size_share_test(question: SizeQuestion, answers: int, reports: int) -> AlarmTest:
    """Test how many reports answer the size question: a public chance decides, before any pairs are read."""
    share = question.asked / question.one
    seen = f"{answers:,} of {reports:,} reports answer the size question, where {reports * share:,.0f} are expected"
    return AlarmTest("size answers", seen, min(1.0, 2 * binomial_bound(answers, reports, share)))


@dataclass
class SetBits:
    """How many bits reports of `ue` set: all together, and the fewest and most in one report."""

    law: UeLaw
    reports: int = 0
    total: int = 0
    fewest: int = 0
    most: int = 0

    def add(self, messages: Bytes) -> None:
        """Count the bits of the presence planes of some reports."""
        if not len(messages):
            return
        presence = messages[:, : self.law.message_format.plane_bytes]
        bits = np.bitwise_count(presence).sum(axis=1, dtype=np.int64)
        self.fewest = min(int(bits.min()), self.fewest if self.reports else self.law.keys)
        self.most = max(int(bits.max()), self.most)
        self.reports += len(messages)
        self.total += int(bits.sum())

    def tests(self) -> Iterator[AlarmTest]:
        """Yield the tests of these numbers, whatever people hold.

        Every bit is set with the chance of a key that was not sampled, but for at most one per report.
        """
        keys, reports = self.law.keys, self.reports
        if not reports:
            return
        not_sampled = float(2 * self.law.unsampled.other)
        sampled = float(self.law.sampled.own + self.law.sampled.other)
        low, high = not_sampled, ((keys - 1) * not_sampled + sampled) / keys
        bits = f"{self.total / reports:,.4g} bits per report are set"
        expected = f"where {keys * low:,.4g} to {keys * high:,.4g} are expected"
        yield AlarmTest("bits", f"{bits}, {expected}", _outside(self.total, reports * keys, low, high, 2))
        for name, count in (("fewest bits", self.fewest), ("most bits", self.most)):
            seen = f"one report sets {count:,} of {keys:,} bits, {expected}"
            yield AlarmTest(name, seen, _outside(count, keys, low, high, reports))


def _outside(count: int, trials: int, low: float, high: float, times: int) -> float:
    """Bound the chance that any of some counts is as far outside a range of means; 1 inside it."""
    nearest = min(max(count / trials, low), high)
    return min(1.0, times * binomial_bound(count, trials, nearest))


# Beyond this many words a random half of them is kept, again and again: as many are more than enough to find
# 1 % of liars, and take little memory where reports are collected.
MAX_WORDS = 2**18


class ReportSample:
    """What alarms need of the reports of a task: a random sample of words, and a few sums.

    Args:
        task: The task.
        rng: Where the choice of the sample comes from; unpredictable by default, so that no report can evade
            it.
    """

    def __init__(self, task: Task, rng: Generator | None = None) -> None:
        self.task = task
        self.reports = 0
        self._rng = default_rng() if rng is None else rng
        self._answers = 0
        self._kept: list[Integers] = []
        self._share = 1.0
        self._bits = SetBits(task.law) if isinstance(task.law, UeLaw) else None

    def add(self, messages: Messages) -> None:
        """Look at some reports: words in one row, or rows of plane bytes."""
        self.reports += len(messages)
        if self._bits is not None:
            self._bits.add(messages.astype(np.uint8, copy=False))
            return
        words = messages.astype(np.int64, copy=False)
        of_pairs = words[words < (self.task.law.word_limit or 0)]
        self._answers += words.size - of_pairs.size
        if self._share < 1:
            of_pairs = of_pairs[self._rng.random(of_pairs.size) < self._share]
        self._kept.append(of_pairs)
        while sum(map(len, self._kept)) > MAX_WORDS:
            words = np.concatenate(self._kept)
            half = self._rng.permutation(words)[::2]
            self._kept, self._share = [half], self._share / 2

    def check(self) -> Alarms:
        """Return what is unusual about the reports so far."""
        return Alarms(self.reports, tuple(self._tests()))

    def _tests(self) -> Iterator[AlarmTest]:
        law, question = self.task.law, self.task.size_question
        if question is not None and self.reports:
            yield size_share_test(question, self._answers, self.reports)
        if self._bits is not None:
            yield from self._bits.tests()
        if isinstance(law, UeCompactLaw | CollisionLaw):
            # In order, so that the random halves do not depend on the order in which the reports came.
            words = np.sort(np.concatenate([np.zeros(0, np.int64), *self._kept]))
            yield from function_tests(law, words // (law.word_limit // law.functions))
            if (shared := shared_symbols_test(self.task, law, words, self._rng)) is not None:
                yield shared


def check_reports(task: Task, batches: Iterable[Messages], rng: Generator | None = None) -> Alarms:
    """Return what is unusual about the reports of a task, which come in batches."""
    sample = ReportSample(task, rng)
    for messages in batches:
        sample.add(messages)
    return sample.check()
