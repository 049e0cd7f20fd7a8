"""Counts drawn from the exact laws of mechanisms, and counts of two levels as the paper has them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from pckv.base.arrays import Floats, Integers
from pckv.lab.counting import SampledCounts, count_reports, draw_counts
from pckv.mechanisms.base import CountLaw, Support
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport


def signed_support(plus: Integers | Sequence[int], minus: Integers | Sequence[int]) -> KeySupport:
    """Return the support of keys from n1 and n2."""
    return KeySupport(np.stack([np.asarray(minus), np.asarray(plus)]))


def sign_chances(support: Support) -> tuple[float, float, float]:
    """Return the chances that a report supports the held sign alone, the other sign alone, or both."""
    both = support.own_and_other
    return float(support.own - both), float(support.other - both), float(both)


def draw_levels(
    count_law: CountLaw, holders: Sequence[int], reports: int, collections: int, rng: Generator
) -> KeySupport:
    """Draw the counts of a key in many collections: `holders` is how many people hold it with each level."""
    levels, absent = range(count_law.holder.levels), reports - sum(holders)
    counts = np.zeros((len(levels), collections), np.int64)
    for own, people in [*enumerate(holders), (None, absent)]:
        support = count_law.absent if own is None else count_law.holder
        chances = np.array([float(support.own if level == own else support.other) for level in levels])
        if support.two_others:
            counts += np.stack([rng.binomial(people, chance, collections) for chance in chances])
        else:
            none = max(0.0, 1 - chances.sum())
            counts += rng.multinomial(people, [*chances, none], collections)[:, :-1].T
    return KeySupport(counts)


class CountedLevels(NamedTuple):
    """The counts of a population whose reports were drawn, and its true shares of levels, one row per key."""

    support: KeySupport
    reports: int
    moments: CountMoments
    shares: Floats


def holders_by_level(holders: Integers, profiles: Floats, rng: Generator) -> Integers:
    """Let the holders of every key have levels by its profile; return one row per level."""
    return rng.multinomial(holders, profiles).T


def count_levels(
    held: Integers, users: int, epsilon: str, rng: Generator, mechanism: str = "ue-compact"
) -> CountedLevels:
    """Draw the reports of people who hold one pair each at most, given the holders per level and key."""
    levels, keys = held.shape
    law = build(mechanism, keys, 1, Fraction(epsilon), {}, levels=levels)
    support = count_reports(law, SampledCounts(held, users), rng).support
    return CountedLevels(
        support, users, CountMoments.of(law.count_law), held.T / np.maximum(held.sum(axis=0), 1)[:, None]
    )


MECHANISMS = ("ue", "grr", "ue-compact", "collision")


def moments_of(name: str, keys: int, epsilon: str, padding: int = 1) -> CountMoments:
    """Return the moments of a mechanism's count law."""
    return CountMoments.of(build(name, keys, padding, Fraction(epsilon), {}).count_law)


def zipf_counts(
    name: str, keys: int, users: int, epsilon: str, seed: int
) -> tuple[KeySupport, CountMoments, np.ndarray, np.ndarray]:
    """Draw counts by the exact law; return them with the moments, the true frequencies and the true means."""
    rng = np.random.default_rng(seed)
    weights = np.arange(1, keys + 1) ** -1.1
    holders = rng.binomial(users, weights / weights.sum())
    means = rng.uniform(-0.9, 0.9, keys)
    count_law = build(name, keys, 1, Fraction(epsilon), {}).count_law
    return (
        draw_counts(count_law, users, holders, means, rng),
        CountMoments.of(count_law),
        holders / users,
        means,
    )


@st.composite
def any_counts(draw: st.DrawFn) -> tuple[KeySupport, int, CountMoments]:
    """Draw possible counts of a few keys, with the number of reports and the moments of a mechanism."""
    keys = draw(st.integers(1, 12))
    reports = draw(st.sampled_from([1, 3, 1000, 10**6, 10**9]))
    name = draw(st.sampled_from(MECHANISMS))
    moments = moments_of(name, keys, draw(st.sampled_from(["0.1", "1", "4", "9"])), draw(st.integers(1, 3)))
    count = st.integers(0, reports)
    plus = np.array(draw(st.lists(count, min_size=keys, max_size=keys)))
    minus = np.array([draw(st.integers(0, reports - int(own))) for own in plus])
    return signed_support(plus, minus), reports, moments
