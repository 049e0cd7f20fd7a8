"""Alarms: what is unusual about the random parts of reports, whatever people hold (proofs/alarms.md).

Whether reports name functions that treat some keys alike is the mark of functions that were searched for. An
attack on many keys at once looks for a function that sends them to one symbol. Among honest reports any two
keys share a symbol exactly as often as by chance, whatever people hold. Which keys are attacked is not known:
either half of the reports shows the keys that are supported together most, and the functions of the other are
tested for these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Bytes, Flags, Floats, Integers, Messages
from pckv.base.records import plain, read_value
from pckv.contract.task import Task
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.binomial import (
    binomial_bound,
    excess_of_exponential,
    gamma_bound,
    mean_bound,
    poisson_bound,
)
from pckv.tally import Tally
from pckv.tally.decode.support import item_support

# The chance that an honest task has an alarm on a day, and how often a day it may be checked.
FALSE_ALARMS_PER_DAY = 1e-4
CHECKS_PER_DAY = 24
# Smaller ones are not told apart, nor are smaller expected numbers of reports.
MIN_SHOWN_CHANCE, MIN_SHOWN_MEAN = 1e-99, 0.01
# The test of how many reports answer the size question, which says nothing about the others.
SIZE_ANSWERS = "size answers"
UNTESTED = (
    "Single reports of this mechanism cannot be tested, only their counts: copied reports that keep every count "
    "possible are not found."
)


class AlarmTest(NamedTuple):
    """One property of the reports that does not depend on what people hold.

    `chance` is a bound on the probability of what was seen, or of anything more unusual, among honest
    reports.
    """

    name: str
    seen: str
    chance: float

    @property
    def sentence(self) -> str:
        """What was seen, for people to read."""
        chance = max(self.chance, MIN_SHOWN_CHANCE)
        return f"{self.seen[:1].upper()}{self.seen[1:]}: a chance of at most {chance:.0e} if all reports were honest."


@dataclass(frozen=True)
class Alarms:
    """What the reports look like, given that all devices follow the mechanism.

    There are no `tests` where the mechanism has no random part that could be tested.
    """

    reports: int
    tests: tuple[AlarmTest, ...]

    @property
    def limit(self) -> float:
        """The largest chance that is an alarm: tests and checks of a day share the rate of false alarms."""
        return FALSE_ALARMS_PER_DAY / CHECKS_PER_DAY / max(1, len(self.tests))

    @property
    def unusual(self) -> tuple[AlarmTest, ...]:
        """The tests that are alarms."""
        return tuple(test for test in self.tests if test.chance <= self.limit)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say, for people to read."""
        if self.unusual:
            remedy = "Find where these reports come from, and count again without them: nothing is dropped."
            return (
                "These reports are unusual, and numbers that come from them may be wrong.",
                *(test.sentence for test in self.unusual),
                remedy,
            )
        if all(test.name == SIZE_ANSWERS for test in self.tests):
            return (UNTESTED,)
        return ("Nothing unusual about the random parts of the reports.",)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "reports": self.reports,
            "false_alarms_per_day": FALSE_ALARMS_PER_DAY,
            "limit": self.limit,
            "unusual": [test.name for test in self.unusual],
            "sentences": list(self.sentences),
            "tests": plain(self.tests),
        }

    @classmethod
    def from_dict(cls, document: Any) -> Alarms:
        """Return what `to_dict` was called on; all members but reports and tests follow from these."""
        found: Alarms = read_value(cls, document)
        return found


FunctionLaw = UeCompactLaw | CollisionLaw

# The most reports in either half, and the keys that are looked at: those with most support.
MAX_REPORTS_PER_HALF, MAX_CANDIDATES = 2**16, 256
# Counting takes time: at most this many counters are added to before candidates are chosen.
MAX_STEPS = 2**28
# The groups of keys that are tested, and how many keys each has at most, so that no single report weighs
# much.
GROUPS, MAX_KEYS_PER_GROUP = 4, 16
# Functions of `collision` drawn to find how much honest reports vary, and a margin for not having drawn all.
NULL_FUNCTIONS, NULL_MARGIN = 2**15, 1.1
MIN_REPORTS = 1000
# Items are compared for this many functions at a time, which fit into the processor's cache.
FUNCTIONS_PER_BLOCK = 4096


class _Places(NamedTuple):
    """Where functions send items, a row per item, and how alike two places are by distance on a circle."""

    rows: Integers
    likeness: Floats

    def alike(self, item: int, others: slice) -> Floats | Flags:
        """How alike the place of an item is to those of some others, one row per other item."""
        if not self.likeness[1:].any():
            return np.asarray(self.rows[others] == self.rows[item], np.bool_)
        # Distances below 0 count from the end, as on the circle.
        return np.asarray(self.likeness[self.rows[others] - self.rows[item]])


def shared_symbols_test(task: Task, law: FunctionLaw, words: Integers, rng: Generator) -> AlarmTest | None:
    """Return the test of keys that share symbols; None where reports are few, or keys cannot be counted."""
    if words.size < MIN_REPORTS or law.keys == 1 or not law.decodes_all:
        return None
    words = rng.permutation(words)[: 2 * MAX_REPORTS_PER_HALF]
    halves, null = (words[::2], words[1::2]), rng.integers(0, law.functions, NULL_FUNCTIONS)
    found = []
    for shown, tested in (halves, halves[::-1]):
        functions = tested // (law.word_limit // law.functions)
        keys = _candidates(task, law, shown)
        for weights in _groups(_supports(law, shown, keys)):
            chosen = np.flatnonzero(weights)
            found.append(_group_test(law, keys[chosen], weights[chosen], functions, null))
    least = min(found, key=lambda test: test.chance)
    return least._replace(chance=min(1.0, len(found) * least.chance))


def _candidates(task: Task, law: FunctionLaw, words: Integers) -> Integers:
    """The keys with most support among some reports; all, if they are few."""
    if law.keys <= MAX_CANDIDATES:
        return np.arange(law.keys)
    tally = Tally(task)
    tally.add_many(words[: max(MIN_REPORTS, MAX_STEPS // law.steps_per_report)])
    support = item_support(tally)
    return np.argpartition(-support.total, MAX_CANDIDATES)[:MAX_CANDIDATES]


def _supports(law: FunctionLaw, words: Integers, keys: Integers) -> Floats:
    """How many levels of each of some keys every report supports, one row per key."""
    if isinstance(law, CollisionLaw):
        rows = _places(law, words // law.symbols, keys).rows == words % law.symbols
        by_key = rows.reshape(keys.size, law.levels, -1)
        return np.asarray(by_key.sum(axis=1, dtype=np.float32))
    says = _says(law).astype(np.float32)
    return np.stack([says[law.residue(words, np.full(1, key))] for key in keys.tolist()])


def _groups(supports: Floats) -> list[Floats]:
    """Weights of keys supported together: the largest parts of their correlations' leading directions."""
    centred = supports - supports.mean(axis=1, keepdims=True)
    spread = np.maximum(np.sqrt((centred**2).mean(axis=1)), np.float32(1e-9))
    together = (centred @ centred.T) / supports.shape[1] / np.outer(spread, spread)
    np.fill_diagonal(together, 0.0)
    vectors = np.linalg.eigh(together.astype(np.float64)).eigenvectors
    return [_largest_parts(vectors[:, -1 - number]) for number in range(min(GROUPS, len(supports)))]


def _largest_parts(direction: Floats) -> Floats:
    """The largest parts of one sign of a direction, at length 1."""
    if (np.maximum(direction, 0) ** 2).sum() < (np.minimum(direction, 0) ** 2).sum():
        direction = -direction
    smallest = np.sort(direction)[-min(MAX_KEYS_PER_GROUP, direction.size)]
    weights = np.where(direction >= max(smallest, 0.0), direction, 0.0)
    return np.asarray(weights / np.linalg.norm(weights))


def _group_test(law: FunctionLaw, keys: Integers, weights: Floats, functions: Integers, null: Integers) -> AlarmTest:
    """Test whether functions treat the keys of a group alike more often than by chance."""
    by_item = np.repeat(weights, law.levels) if isinstance(law, CollisionLaw) else weights
    seen = _alike(_places(law, functions, keys), by_item)
    by_chance = _chance(law) * _all_pairs(by_item)
    excess = float(seen.mean() - by_chance)
    spread: _DrawnSpread | _ExactSpread
    if isinstance(law, CollisionLaw):
        spread = _DrawnSpread(_alike(_places(law, null, keys), by_item) - by_chance, by_item, _chance(law))
    else:
        spread = _ExactSpread(_compact_variance(law, keys, weights), _all_pairs(weights) - by_chance)
    chance = mean_bound(excess, seen.size, spread.variance, spread.beyond)
    errors = excess / math.sqrt(spread.variance / seen.size) if spread.variance else 0.0
    said = (
        f"the functions that reports name treat {keys.size} keys alike {errors:,.1f} standard errors more often "
        "than by chance"
    )
    return AlarmTest("shared symbols", said, chance)


def _all_pairs(weights: Floats) -> float:
    """The weights of all ordered pairs of two items."""
    return float(weights.sum() ** 2 - (weights**2).sum())


class _DrawnSpread:
    """How much the likeness of items of `collision` varies over functions, by drawn ones or as of pairs.

    Where two items hardly ever share a symbol, drawn functions may not show it: then pairs are taken as
    independent.
    """

    def __init__(self, deviations: Floats, weights: Floats, chance: float) -> None:
        self._deviations = deviations
        self._pairs = 2 * np.outer(weights, weights)[np.triu_indices(weights.size, 1)]
        self._chance = chance
        of_pairs = chance * (1 - chance) * float((self._pairs**2).sum())
        self.variance = NULL_MARGIN * max(float((deviations**2).mean()), of_pairs)

    def beyond(self, tilt: float) -> float:
        """At least the expectation of e^(λx) - 1 - λx, where the mean of x is known to be 0."""
        drawn, pairs = tilt * self._deviations, tilt * self._pairs
        of_pairs = self._chance * float((np.expm1(pairs) - pairs).sum())
        return NULL_MARGIN * max(float((np.expm1(drawn) - drawn).mean()), of_pairs)


class _ExactSpread(NamedTuple):
    """The exact variance of the likeness of keys of `ue-compact`, and its largest excess over the mean."""

    variance: float
    largest: float

    def beyond(self, tilt: float) -> float:
        """The largest expectation of e^(λx) - 1 - λx with these two (Bennett)."""
        return self.variance / self.largest**2 * excess_of_exponential(tilt * self.largest)


def _compact_variance(law: UeCompactLaw, keys: Integers, weights: Floats) -> float:
    """The exact variance: key differences in one direction depend on one residue, others are independent."""
    q, likeness = law.q, _residue_likeness(law)
    residues, by_direction = np.arange(q), dict[tuple[int, ...], Floats]()
    chosen = np.flatnonzero(weights).tolist()
    for first, second in combinations(chosen, 2):
        difference = [(int(keys[first]) // q**digit - int(keys[second]) // q**digit) % q for digit in range(law.digits)]
        leading = next(digit for digit in difference if digit)
        direction = tuple(digit * pow(leading, -1, q) % q for digit in difference)
        alike = 2 * weights[first] * weights[second] * likeness[leading * residues % q]
        by_direction[direction] = by_direction.get(direction, 0) + alike
    return float(sum(alike.var() for alike in by_direction.values()))


def _places(law: FunctionLaw, functions: Integers, keys: Integers) -> _Places:
    if isinstance(law, CollisionLaw):
        items = [law.item(key, level) for key in keys.tolist() for level in range(law.levels)]
        # The steps of an index to its function need unsigned numbers.
        unsigned = functions.astype(np.uint64)
        rows = [law.symbol(unsigned, item).astype(np.int32) for item in items]
        return _Places(np.stack(rows), np.eye(1, law.symbols)[0])
    rows = [law.product(functions, np.full(1, key)).astype(np.int32) for key in keys.tolist()]
    return _Places(np.stack(rows), _residue_likeness(law))


def _says(law: UeCompactLaw) -> Floats:
    """How often every residue supports a key."""
    says = np.zeros(law.q)
    for first in law.firsts:
        says[np.arange(first, first + law.r) % law.q] += 1
    return says


def _residue_likeness(law: UeCompactLaw) -> Floats:
    """How often two residues say something at once, over all offsets, by their distance."""
    says = _says(law)
    # The correlation of the supports with themselves; whole numbers.
    by_distance = np.rint(np.fft.irfft(np.abs(np.fft.rfft(says)) ** 2, law.q))
    return np.asarray(by_distance / by_distance[0])


def _chance(law: FunctionLaw) -> float:
    """The mean likeness of the places of two items, given a random function."""
    if isinstance(law, CollisionLaw):
        return float(law.same_symbol_chance)
    return float(_residue_likeness(law).mean())


def _alike(places: _Places, weights: Floats) -> Floats:
    """For every function, how alike the weighted items are, over all ordered pairs of two of them."""
    total = np.zeros(places.rows.shape[1])
    for start in range(0, total.size, FUNCTIONS_PER_BLOCK):
        functions = slice(start, start + FUNCTIONS_PER_BLOCK)
        block = places._replace(rows=places.rows[:, functions])
        for item in range(weights.size - 1):
            others = slice(item + 1, None)
            total[functions] += 2 * weights[item] * (weights[others] @ block.alike(item, others))
    return total


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
    seen = f"{count:,} reports name the same function, where {_expected(mean)} expected"
    return AlarmTest("heaviest function", seen, min(1.0, chance))


def _expected(mean: float) -> str:
    return f"{mean:,.3g} are" if mean >= MIN_SHOWN_MEAN else f"fewer than {MIN_SHOWN_MEAN:g} are"


def _repeated(counts: Integers, reports: int, functions: int) -> AlarmTest:
    """Test how often reports name the functions of others."""
    name = "repeated functions"
    if reports <= MAX_RARE_LOAD * functions:
        # Given all earlier reports, the next one repeats one of their functions with at most this chance
        # each.
        repeats, mean = reports - counts.size, reports * (reports - 1) / (2 * functions)
        seen = f"{repeats:,} reports name the function of an earlier one, where {_expected(mean)} expected"
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
        binomial_bound(count, values.size, chance) for count, chance in zip(counts.tolist(), chances, strict=True)
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
    return AlarmTest(SIZE_ANSWERS, seen, min(1.0, 2 * binomial_bound(answers, reports, share)))


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

    The choice of the sample is unpredictable by default, so that no report can evade it.
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
