"""How far the crowd may move a frequency from the key's own: limited for every task by what it risks.

A shared law serves the many; the few most frequent keys are pulled toward the crowd. What that would
cost them is predicted from the law itself, and the limit is the longest that serves them well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pckv.arrays import Floats
from pckv.estimators.methods.bayes.likelihood import CountLikelihood
from pckv.estimators.methods.bayes.prior import Grid, posterior, scaled_likelihood
from pckv.moments import CountMoments

# Limits in standard errors, least first.
LIMITS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# The most frequent keys that must not pay for the others, and what share of their error may be left. Predictions are
# optimistic, for a law does not see the few among very many: so the share is well below 1.
TOP_KEYS = 50
RISK = 0.65
# Counts that might have come, in standard deviations from the expected one.
DISTANCES = np.linspace(-3.5, 3.5, 29)


class Law(NamedTuple):
    """The learned law of the frequencies: weights of the cells, for so many keys."""

    cells: Grid
    weights: Floats
    keys: float


def limited(learned: Floats, own: Floats, limit: float, reports: int, moments: CountMoments) -> Floats:
    """What was learned of frequencies, moved to within the limit of the keys' own, and possible."""
    allowed = limit * np.sqrt(moments.frequency_variance(np.clip(own, 0, 1)) / reports)
    return np.asarray(np.clip(learned, np.clip(own - allowed, 0, 1), np.clip(own + allowed, 0, 1)))


def choose_limit(
    law: Law, settled: float, likelihood: CountLikelihood, reports: int, moments: CountMoments
) -> float:
    """The longest limit that is predicted to leave the top keys at most a share of their own error.

    `settled` keys are among them, and not moved at all.
    """
    top = _top_keys(law, TOP_KEYS - settled)
    occupied = np.flatnonzero(top)
    true, keys = law.cells.points[occupied, None], top[occupied, None]
    deviation = np.sqrt(reports * moments.sum_variance(true))
    counts = np.maximum(reports * moments.sum_mean(true) + deviation * DISTANCES, 0)
    chances = keys * np.exp(-(DISTANCES**2) / 2)
    of_count = scaled_likelihood(likelihood.total(counts[..., None], law.cells.points))
    learned = posterior(of_count, law.weights) @ law.cells.points
    own = (counts / reports - moments.noise) / moments.signal

    def risk(estimate: Floats) -> float:
        return float((chances * (estimate - true) ** 2).sum())

    bearable = RISK * risk(np.clip(own, 1 / reports, 1))
    longest = LIMITS[0]
    for limit in LIMITS:
        if risk(limited(learned, own, limit, reports, moments)) <= bearable:
            longest = limit
    return longest


def _top_keys(law: Law, count: float) -> Floats:
    """How many of the most frequent keys are expected in every cell."""
    expected = law.keys * law.weights
    above = np.cumsum(expected[::-1])[::-1] - expected
    return np.asarray(np.clip(count - above, 0, expected))
