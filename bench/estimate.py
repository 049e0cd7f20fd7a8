"""Estimating very many keys with `bayes`: seconds and memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.random import default_rng

from bench.measurement import Measurement, absolute, seconds
from bench.processes import with_peak_memory
from experiments.measured_errors import LEVEL
from pckv.estimators.methods.bayes import learn
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

MANY_KEYS, MANY_USERS = 250_000, 10**6
BAYES_SECONDS, BAYES_MEGABYTES = 60, 2000


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    printed, peak = with_peak_memory("from bench.estimate import estimate_many; print(estimate_many())")
    name = f"bayes, {MANY_KEYS:,} keys"
    yield absolute(f"{name}: estimates and intervals", "s", [float(printed)], BAYES_SECONDS)
    yield absolute(f"{name}: peak memory", "MB", [peak], BAYES_MEGABYTES)


def estimate_many() -> float:
    """Return the seconds from the counts of very many keys to their estimates and intervals."""
    rng = default_rng(0)
    weights = np.arange(1, MANY_KEYS + 1) ** -1.1
    holders = rng.binomial(MANY_USERS, weights / weights.sum())
    count_law = build("ue", MANY_KEYS, 1, Fraction(1), {}).count_law
    support = draw_counts(count_law, MANY_USERS, holders, rng.uniform(-0.9, 0.9, MANY_KEYS), rng)

    def run() -> None:
        learned = learn(support, MANY_USERS, CountMoments.of(count_law))
        learned.estimates()
        learned.frequency_interval(LEVEL)
        learned.key_mean_interval(LEVEL)

    return seconds(run)
