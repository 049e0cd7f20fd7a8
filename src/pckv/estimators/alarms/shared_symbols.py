"""Whether reports name functions that treat some keys alike: the mark of functions that were searched for.

Whoever wants many keys at once looks for a function that sends them to one symbol. Among honest reports any two keys
share a symbol exactly as often as by chance, whatever people hold. Which keys somebody is after is not known: one half
of the reports shows the keys that share symbols most, and the other half is tested for these.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.arrays import Flags, Floats, Integers
from pckv.channels.collision import CollisionChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.estimators.alarms.functions import FunctionChannel
from pckv.estimators.alarms.result import AlarmTest
from pckv.estimators.alarms.tails import bernstein_bound
from pckv.planning.influence import same_symbol_chance
from pckv.tally import Tally
from pckv.tally.decode.support import key_support
from pckv.task import Task

# The most reports in either half, and the keys that are looked at: those with most support.
MAX_REPORTS_PER_HALF, MAX_CANDIDATES = 2**16, 48
# Counting takes time: at most this many counters are added to before candidates are chosen.
MAX_STEPS = 2**28
# The items that share symbols most are tested, so that no single report weighs much.
MAX_TESTED = 20
# Functions of `collision` drawn to find how much honest reports vary, and a margin for not having drawn all.
NULL_FUNCTIONS, NULL_MARGIN = 2**14, 1.1
MIN_REPORTS = 1000


class _Places(NamedTuple):
    """Where functions send items, one row per item, and how alike two places are, by their distance on a circle."""

    rows: Integers
    likeness: Floats

    def alike(self, item: int, others: Integers) -> Floats | Flags:
        """How alike the place of an item is to those of some others, one row per other item."""
        if not self.likeness[1:].any():
            return np.asarray(self.rows[others] == self.rows[item], np.bool_)
        return np.asarray(self.likeness[(self.rows[others] - self.rows[item]) % self.likeness.size])


def shared_symbols_test(
    task: Task, channel: FunctionChannel, words: Integers, rng: Generator
) -> AlarmTest | None:
    """Return the test of keys that share symbols; None where reports are few, or keys cannot be counted."""
    if words.size < MIN_REPORTS or channel.keys == 1 or not channel.decodes_all:
        return None
    words = rng.permutation(words)[: 2 * MAX_REPORTS_PER_HALF]
    shown, tested = words[::2], words[1::2]
    keys = _candidates(task, channel, shown)
    symbols = channel.word_limit // channel.functions
    weights = _suspicion(_places(channel, shown // symbols, keys))
    seen = _alike(_places(channel, tested // symbols, keys), weights)
    pairs = float(weights.sum() ** 2 - (weights**2).sum())
    by_chance = _chance(channel) * pairs
    variance = _variance(channel, keys, weights, rng)
    # Two items are alike at most as one is to itself.
    largest = pairs - by_chance
    excess = float(seen.mean() - by_chance)
    chance = bernstein_bound(excess, seen.size, variance, largest)
    count = np.unique(_keys_of(channel, np.flatnonzero(weights), keys)).size
    said = (
        f"the functions that reports name treat {count} keys alike {excess / (variance / seen.size) ** 0.5:,.1f} standard errors more often "
        "than by chance"
    )
    return AlarmTest("shared symbols", said, chance)


def _candidates(task: Task, channel: FunctionChannel, words: Integers) -> Integers:
    """The keys with most support among some reports; all, if they are few."""
    if channel.keys <= MAX_CANDIDATES:
        return np.arange(channel.keys)
    counted = words[: max(MIN_REPORTS, MAX_STEPS // channel.steps_per_report)]
    tally = Tally(task)
    tally.add_many(counted)
    support = key_support(tally)
    return np.argpartition(-(support.plus + support.minus), MAX_CANDIDATES)[:MAX_CANDIDATES]


def _places(channel: FunctionChannel, functions: Integers, keys: Integers) -> _Places:
    if isinstance(channel, CollisionChannel):
        items = [channel.item(key, sign) for key in keys.tolist() for sign in (0, 1)]
        # The steps of an index to its function need unsigned numbers.
        rows = [channel.symbol(functions.astype(np.uint64), item) for item in items]
        return _Places(np.stack(rows).astype(np.int32), np.eye(1, channel.symbols)[0])
    rows = [channel.product(functions, np.full(1, key)) for key in keys.tolist()]
    return _Places(np.stack(rows).astype(np.int32), _residue_likeness(channel))


def _residue_likeness(channel: UeCompactChannel) -> Floats:
    """How often two residues say something at once, over all offsets, by their distance."""
    supports = np.zeros(channel.q)
    for first in channel.firsts:
        supports[np.arange(first, first + channel.r) % channel.q] += 1
    by_distance = np.array([supports @ np.roll(supports, distance) for distance in range(channel.q)])
    return np.asarray(by_distance / by_distance[0])


def _chance(channel: FunctionChannel) -> float:
    """The mean likeness of the places of two items, given a random function."""
    if isinstance(channel, CollisionChannel):
        return float(same_symbol_chance(channel))
    return float(_residue_likeness(channel).mean())


def _variance(channel: FunctionChannel, keys: Integers, weights: Floats, rng: Generator) -> float:
    """How much the likeness of the weighted items varies over all functions: at least that much, where it is estimated."""
    if isinstance(channel, UeCompactChannel):
        return _compact_variance(channel, keys, weights)
    chance = _chance(channel)
    pairs = float(weights.sum() ** 2 - (weights**2).sum())
    drawn = _places(channel, rng.integers(0, channel.functions, NULL_FUNCTIONS), keys)
    estimated = NULL_MARGIN * float(np.mean((_alike(drawn, weights) - chance * pairs) ** 2))
    # Where two items hardly ever share a symbol, the drawn functions may not show it: pairs as if independent.
    squares = float((weights**2).sum() ** 2 - (weights**4).sum())
    return max(estimated, 2 * squares * chance * (1 - chance))


def _compact_variance(channel: UeCompactChannel, keys: Integers, weights: Floats) -> float:
    """The exact variance: differences of keys in one direction depend on one uniform residue, others are independent."""
    q, likeness = channel.q, _residue_likeness(channel)
    residues, by_direction = np.arange(q), dict[tuple[int, ...], Floats]()
    chosen = np.flatnonzero(weights).tolist()
    for first, second in combinations(chosen, 2):
        difference = [
            (int(keys[first]) // q**digit - int(keys[second]) // q**digit) % q
            for digit in range(channel.digits)
        ]
        leading = next(digit for digit in difference if digit)
        direction = tuple(digit * pow(leading, -1, q) % q for digit in difference)
        alike = 2 * weights[first] * weights[second] * likeness[leading * residues % q]
        by_direction[direction] = by_direction.get(direction, 0) + alike
    return float(sum(alike.var() for alike in by_direction.values()))


def _keys_of(channel: FunctionChannel, items: Integers, keys: Integers) -> Integers:
    return keys[items // 2] if isinstance(channel, CollisionChannel) else keys[items]


def _suspicion(places: _Places) -> Floats:
    """The weights of items that share symbols most: the leading direction of how alike they are, its largest parts."""
    items = len(places.rows)
    alike = np.zeros((items, items))
    for item in range(items - 1):
        others = np.arange(item + 1, items)
        alike[item, others] = places.alike(item, others).mean(axis=1)
    above = np.triu_indices(items, 1)
    alike[above] -= alike[above].mean()
    leading = np.linalg.eigh(alike + alike.T).eigenvectors[:, -1]
    leading = np.maximum(leading if leading.sum() > 0 else -leading, 0)
    smallest = np.sort(leading)[-min(MAX_TESTED, items)]
    weights = np.where(leading >= smallest, leading, 0.0)
    return np.asarray(weights / np.linalg.norm(weights))


def _alike(places: _Places, weights: Floats) -> Floats:
    """For every function, how alike the weighted items are, over all ordered pairs of two of them."""
    chosen = np.flatnonzero(weights)
    total = np.zeros(places.rows.shape[1])
    for place, item in enumerate(chosen[:-1]):
        others = chosen[place + 1 :]
        total += 2 * weights[item] * (weights[others] @ places.alike(int(item), others))
    return total
