"""Counts drawn from the exact law, for the tests of the method `bayes`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.signed_counts import signed_support

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
