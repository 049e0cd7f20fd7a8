"""Whether reports name functions that treat some keys alike: the mark of functions that were searched for.

An attack on many keys at once looks for a function that sends them to one symbol. Among honest reports any
two keys share a symbol exactly as often as by chance, whatever people hold. Which keys are attacked is not
known: either half of the reports shows the keys that are supported together most, and the functions of the
other are tested for these.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Flags, Floats, Integers
from pckv.contract.task import Task
from pckv.estimators.alarms.result import AlarmTest
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.planning.influence import same_symbol_chance
from pckv.statistics.binomial import excess_of_exponential, mean_bound
from pckv.tally import Tally
from pckv.tally.decode.support import key_support

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
    support = key_support(tally)
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


def _group_test(
    law: FunctionLaw, keys: Integers, weights: Floats, functions: Integers, null: Integers
) -> AlarmTest:
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
        difference = [
            (int(keys[first]) // q**digit - int(keys[second]) // q**digit) % q for digit in range(law.digits)
        ]
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
        return float(same_symbol_chance(law))
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
