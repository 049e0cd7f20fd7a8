"""How much an error counts at every frequency, so that few keys do not pay for many.

The mean over all keys of the squared error is least if every error counts once. The most frequent keys then
lose, for they are pulled toward the many others. So errors count more where keys would lose too much
(proofs/bayes.md): anywhere, since a key among many others does not show where it is, and at the most frequent
keys that the learned distribution expects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats
from pckv.estimators.methods.prior import FREQUENCY_STEP, MIN_LIKELIHOOD, CountLikelihood, ValueGrid
from pckv.statistics.detection import detection_threshold
from pckv.statistics.moments import CountMoments

# A key's squared error, wherever its frequency is, may be this many times the variance of its own estimate.
MAX_LOSS = 1.8
# The last ranks of groups of the most frequent keys, and how many times that of their own estimates their
# squared error may be. A prediction from the learned distribution is optimistic: what is allowed is less than
# what is acceptable.
TOP_RANKS = (1, 10, 50)
MAX_TOP_LOSSES = (1.2, 1.0, 0.9)
# The same for all keys together, of whom few do not show much of their distribution.
MAX_TOTAL_LOSS = 0.95
# Where no key could be detected at this level, none is protected.
DETECTION_LEVEL = 0.95
# A group of fewer expected keys than this is none.
MIN_GROUP = 0.5
# Counts that may be observed: four per standard deviation, up to four beyond the ends of the grid.
COUNTS_PER_DEVIATION, DEVIATIONS = 4, 4
MAX_COUNTS = 600
# Weights are adjusted until every loss is the allowed one up to this, or the weight negligible: in every
# round by this power of the loss, relative to the allowed one.
TOLERANCE = 0.02
ADJUSTMENT = 3
MAX_ROUNDS = 60
FIRST_WEIGHT, MIN_WEIGHT, MAX_WEIGHT = 1e-4, 1e-9, 1e2


class LearnedDistribution(NamedTuple):
    """The learned distribution of the frequencies: a weight per cell, and how many keys it is from."""

    cells: ValueGrid
    weights: Floats
    keys: float


class Risks:
    """Expected squared errors, at every frequency of a grid, of estimates from a key's count S."""

    def __init__(
        self, cells: ValueGrid, likelihood: CountLikelihood, reports: int, moments: CountMoments
    ) -> None:
        self.points, self.reports, self.moments = cells.points, reports, moments
        counts = _possible_counts(float(self.points[-1]), reports, moments)
        logarithm = likelihood.total(counts[:, None], self.points)
        chances = np.exp(logarithm - logarithm.max(axis=0))
        self.chances = chances / chances.sum(axis=0)
        self.own = self.of(np.clip((counts / reports - moments.noise) / moments.signal, 1 / reports, 1))
        self.variance = moments.frequency_variance(self.points) / reports

    def can_stand_out(self, keys: float) -> bool:
        """Return whether a key that all people hold would be detected; if not, no key needs protection.

        The more keys there are, the more a key must stand out to be detected.
        """
        threshold = detection_threshold(self.moments, self.reports, max(round(keys), 1), DETECTION_LEVEL)
        return threshold <= self.reports * self.moments.sum_mean(1.0)

    def of(self, estimates: Floats) -> Floats:
        """Return the expected squared error at every frequency, of an estimate for each count."""
        return np.asarray(
            estimates**2 @ self.chances - 2 * self.points * (estimates @ self.chances) + self.points**2
        )

    def of_weights(self, weights: Floats) -> Floats:
        """Return those of the estimates that are best for these weights of the frequencies."""
        return self.of(
            self.chances @ (weights * self.points) / np.maximum(self.chances @ weights, MIN_LIKELIHOOD)
        )


def loss_weights(distribution: LearnedDistribution, keys_beyond: float, risks: Risks) -> Floats:
    """Return how much the error of a key counts, relative to others, for every cell of its frequency.

    `keys_beyond` of the most frequent keys lie beyond the grid.
    """
    if not risks.can_stand_out(distribution.keys):
        return np.ones(risks.points.size)
    groups, max_losses = _top_groups(distribution, keys_beyond)
    # One row per bound: anywhere, which is every cell, and for the groups.
    keys = np.vstack([np.eye(risks.points.size), groups])
    allowed = np.append(MAX_LOSS * risks.variance, max_losses * (groups @ risks.own))
    start, added = distribution.weights, np.full(allowed.size, FIRST_WEIGHT)
    weights = start + added @ keys
    for _ in range(MAX_ROUNDS):
        used = keys @ risks.of_weights(weights) / allowed
        if ((used < 1 + TOLERANCE) & ((used > 1 - TOLERANCE) | (added <= MIN_WEIGHT))).all():
            break
        added = np.clip(added * used**ADJUSTMENT, MIN_WEIGHT, MAX_WEIGHT)
        weights = start + added @ keys
    return np.asarray(weights / start)


def _top_groups(distribution: LearnedDistribution, keys_beyond: float) -> tuple[Floats, Floats]:
    """Return where the keys of each group are expected, a row per group, all keys last, and allowed losses.

    A key that stands apart is where it is up to its own error, whatever the learned distribution says.
    """
    expected = distribution.keys * distribution.weights
    above = np.cumsum(expected[::-1])[::-1] - expected
    ends = [np.clip(rank - keys_beyond - above, 0, expected) for rank in TOP_RANKS]
    groups = np.diff(ends, axis=0, prepend=0)
    keys = groups.sum(axis=1)
    present = keys >= MIN_GROUP
    shares = np.vstack([groups[present] / keys[present, None], distribution.weights])
    return shares @ _own_errors(expected.size), np.append(np.array(MAX_TOP_LOSSES)[present], MAX_TOTAL_LOSS)


def _own_errors(cells: int) -> Floats:
    """Return the normal chances of every cell, given the cell that the own estimate is in."""
    distance = (np.arange(cells)[:, None] - np.arange(cells)) * FREQUENCY_STEP
    chances = np.exp(-(distance**2) / 2)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _possible_counts(largest: float, reports: int, moments: CountMoments) -> Floats:
    """Return counts from far below a key without holders to far above the largest frequency."""
    deviation, end = (float(np.sqrt(reports * moments.sum_variance(point))) for point in (0.0, largest))
    low = max(reports * moments.sum_mean(0.0) - DEVIATIONS * deviation, 0.0)
    high = reports * moments.sum_mean(largest) + DEVIATIONS * end
    step = max(1.0, deviation / COUNTS_PER_DEVIATION, (high - low) / MAX_COUNTS)
    # Small counts are whole numbers.
    return np.arange(np.floor(low), high + step, step)
