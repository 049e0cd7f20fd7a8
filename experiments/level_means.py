"""What five levels cost the mean of frequent keys relative to two, all else being equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Floats, Integers
from pckv.estimators.linear import baseline
from pckv.mechanisms.base import CountLaw, Law
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments, equal_scale
from pckv.tally.decode.support import KeySupport

SEED, COLLECTIONS = 20_273, 4_000
# What both tasks have in common; positions and the like depend on the number of items.
SAME_PARAMETERS = frozenset({"q", "symbols"})
# How many standard errors of its frequency a key must have, for its mean to be a ratio of numbers that are
# nearly normal.
MIN_STANDARD_ERRORS = 8


class MeanCost(NamedTuple):
    """The error of five levels relative to that of two, over the keys above 8 standard errors.

    Measured, predicted from values and means alone, and computed from the exact moments of the mechanism's
    law.
    """

    data: str
    mechanism: str
    epsilon: str
    keys: int
    measured: float
    predicted: float
    computed: float


def measure_means(  # noqa: PLR0917
    name: str, holders: Floats, users: int, padding: int, mechanisms: Sequence[str], epsilons: Sequence[str]
) -> list[MeanCost]:
    """Draw the counts of frequent keys from their exact law, many times, if any key is frequent enough.

    Args:
        name: What the population is called.
        holders: How many report each level of a key, one row per key.
        users: How many reports there are.
        padding: How many pairs a report stands for at most.
        mechanisms: The mechanisms to compare.
        epsilons: Privacy budgets.
    """
    found: list[MeanCost] = []
    levels = holders.shape[1]
    values = np.array(equal_scale(levels).values)
    for mechanism in mechanisms:
        for epsilon in epsilons:
            several = build(mechanism, len(holders), padding, Fraction(epsilon), {}, levels=levels)
            kept = {part: value for part, value in several.parameters.items() if part in SAME_PARAMETERS}
            two = build(mechanism, len(holders), padding, Fraction(epsilon), kept)
            moments = CountMoments.of(several.count_law)
            frequency = holders.sum(axis=1) / users
            least = MIN_STANDARD_ERRORS * np.sqrt(moments.frequency_variance(frequency) / users)
            rows = np.round(holders[frequency > least]).astype(np.int64)
            if not len(rows):
                continue
            rng = default_rng([SEED, len(found)])
            errors = [np.mean([_squared_error(law, row, users, rng) for row in rows]) for law in (several, two)]
            means = rows @ values / rows.sum(axis=1)
            # Both have the variance of one item's estimate in common, and the square of the frequency.
            share = 1 / rows.sum(axis=1) ** 2
            spreads = ((values - means[:, None]) ** 2).sum(axis=1)
            predicted = (share * spreads).sum() / (share * (2 + 2 * means**2)).sum()
            computed = _variance(several, rows, users, means) / _variance(two, rows, users, means)
            factors = (float(ratio**0.5) for ratio in (errors[0] / errors[1], predicted, computed))
            found.append(MeanCost(name, mechanism, epsilon, len(rows), *factors))
    return found


def _variance(law: Law, holders: Integers, users: int, means: Floats) -> float:
    """Return the variance of the keys' means to first order, added up over the keys."""
    moments = CountMoments.of(law.count_law)
    if law.levels == holders.shape[1]:
        squares = np.array(moments.scale.weights) ** 2
        moments = replace(moments, spread=holders @ squares / holders.sum(axis=1))
    return float(np.sum(moments.mean_variance(holders.sum(axis=1) / users, means)))


def _squared_error(law: Law, holders: Integers, users: int, rng: Generator) -> float:
    """Return the mean squared error of a key's mean over many collections."""
    values = np.array(equal_scale(holders.size).values)
    mean = holders @ values / holders.sum()
    if law.levels == holders.size:
        levels = np.tile(holders[:, None], COLLECTIONS)
    else:
        # Every holder's value becomes a sign anew in every collection.
        plus = rng.binomial(holders[:, None], (1 + values[:, None]) / 2, (holders.size, COLLECTIONS)).sum(axis=0)
        levels = np.stack([holders.sum() - plus, plus])
    counts = _drawn(law.count_law, levels, users, rng)
    moments = CountMoments.of(law.count_law)
    return float(((baseline(KeySupport(counts), users, moments)[1] - mean) ** 2).mean())


def _drawn(count_law: CountLaw, holders: Integers, users: int, rng: Generator) -> Integers:
    """Return the counts of a key's levels in every collection (columns), given the holders per level."""
    levels = len(holders)
    groups = [*holders, users - holders.sum(axis=0)]
    counts = np.zeros_like(holders)
    for own, people in enumerate(groups):
        support = count_law.holder if own < levels else count_law.absent
        chances = np.array([float(support.own if level == own else support.other) for level in range(levels)])
        if support.two_others or support.own_and_other:
            counts += rng.binomial(people, chances[:, None], holders.shape)
        else:
            drawn = rng.multinomial(people, [*chances, max(0.0, 1 - chances.sum())])
            counts += drawn[:, :-1].T
    return counts
