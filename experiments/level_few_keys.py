"""Intervals of shares learned from few keys: their coverage, and their width relative to the keys' own."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Floats, Integers
from pckv.estimators.methods.bayes import learn
from pckv.estimators.shares import own_interval, own_shares, with_intervals
from pckv.lab.counting import SampledCounts, TakenPairs, count_reports
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

SEED, LEVEL, PEOPLE, LEVELS = 20_275, 0.95, 20_000, 5
KEYS, EPSILONS, MECHANISMS = (2, 3, 5, 10, 20, 50), ("1", "4"), ("ue-compact", "collision")
# Profiles scatter about the common one as 1/(1 + this) of how far single holders do.
ALIKE = (3, 40, 1000)
# As many collections for each one of the other experiments: few keys give few intervals.
COLLECTIONS_PER_REPEAT = 5
MIN_SHARE = 0.005


class FewKeys(NamedTuple):
    """One number of keys at one ε: the least coverage of all mechanisms and scatters, and mean widths."""

    keys: int
    epsilon: str
    cover: float
    width: float
    own_width: float


def single_pairs(counts: Integers, users: int) -> TakenPairs:
    """Let each participant take at most one pair, given how many take each (levels × keys)."""
    levels, keys = (np.repeat(each.reshape(-1), counts.reshape(-1)) for each in np.indices(counts.shape))
    return TakenPairs(np.arange(keys.size), keys, levels, users)


def measure_few_keys(repeats: int) -> list[FewKeys]:
    """Collect several times from populations of their own profiles."""
    collections = repeats * COLLECTIONS_PER_REPEAT
    return [_measure(keys, epsilon, collections) for keys in KEYS for epsilon in EPSILONS]


def _measure(keys: int, epsilon: str, collections: int) -> FewKeys:
    covers, widths = [], []
    for mechanism in MECHANISMS:
        law = build(mechanism, keys, 1, Fraction(epsilon), {}, levels=LEVELS)
        for alike in ALIKE:
            inside = []
            for repeat in range(collections):
                rng = default_rng([SEED, keys, alike, repeat])
                held = _holders(keys, alike, rng)
                truth = held.T / np.maximum(held.sum(axis=0), 1)[:, None]
                one_pair_each = SampledCounts if isinstance(law, SamplingLaw) else single_pairs
                support, _, count_law = count_reports(law, one_pair_each(held, PEOPLE), rng)
                moments = CountMoments.of(count_law)
                posterior = learn(support, PEOPLE, moments)
                found = with_intervals(posterior.profiles.shares, partial(posterior.mean_interval, level=LEVEL))
                own = with_intervals(
                    own_shares(support, PEOPLE, moments), own_interval(support, PEOPLE, moments, LEVEL)
                )
                inside.append(_share_inside(found.low, truth, found.high))
                widths.append([(each.high - each.low).mean() for each in (found, own)])
            covers.append(np.mean(inside))
    width, own_width = np.mean(widths, axis=0)
    return FewKeys(keys, epsilon, float(min(covers)), float(width), float(own_width))


def _holders(keys: int, alike: int, rng: Generator) -> Integers:
    """Return holders per level and key: frequencies fall by rank, profiles scatter about a drawn one."""
    weights = 1 / np.arange(1, keys + 1)
    common = np.maximum(rng.dirichlet(np.ones(LEVELS)), MIN_SHARE)
    return rng.multinomial(rng.multinomial(PEOPLE, weights / weights.sum()), rng.dirichlet(alike * common, keys)).T


def _share_inside(low: Floats, truth: Floats, high: Floats) -> float:
    return float(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean())
