"""Counts of levels drawn from the exact law, for the tests of shares."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats, Integers
from pckv.lab.counting import SampledCounts, count_reports
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport


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
