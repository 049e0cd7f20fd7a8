"""The law that all keys share, learned from all their counts: nonparametric maximum likelihood on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pckv.arrays import Floats
from pckv.moments import CountMoments

# Cells of frequency are half a standard error wide, and reach so many of them above 0.
FREQUENCY_STEP = 0.5
MOST_FREQUENCY_CELLS = 80
MEAN_CELLS = 81
MOST_STEPS = 300
LEAST_WEIGHT = 1e-100


class Grid(NamedTuple):
    """Cells of possible values: a point each, and the edges between them."""

    points: Floats
    edges: Floats

    @classmethod
    def around(cls, points: Floats, low: float, high: float) -> Grid:
        """Edges half-way between the points."""
        return cls(points, np.concatenate([[low], (points[1:] + points[:-1]) / 2, [high]]))


# From likelihoods by observation and cell, and how many observations are alike, to weights of the cells.
Fit = Callable[[Floats, Floats, Grid], Floats]


def frequency_grid(reports: int, moments: CountMoments) -> Grid:
    """From 0, in steps of half the standard error at each point, to 1 or as far as the cells go."""
    points = [0.0]
    while len(points) < MOST_FREQUENCY_CELLS and points[-1] < 1:
        error = (moments.frequency_variance(points[-1]) / reports) ** 0.5
        points.append(min(points[-1] + FREQUENCY_STEP * error, 1.0))
    return Grid.around(np.array(points), 0, 1)


def mean_grid() -> Grid:
    """Equal cells from -1 to 1."""
    return Grid.around(np.linspace(-1, 1, MEAN_CELLS), -1, 1)


def scaled_likelihood(logarithm: Floats) -> Floats:
    """Likelihoods beside the largest of their row."""
    return np.asarray(np.exp(logarithm - logarithm.max(axis=-1, keepdims=True)))


def flat(grid: Grid) -> Floats:
    """Every cell alike."""
    return np.full(grid.points.size, 1 / grid.points.size)


def arcsine(grid: Grid) -> Floats:
    """Jeffreys' law of a share, on [-1, 1]."""
    return np.asarray(np.diff(np.arcsin(grid.edges)) / np.pi)


def learn_frequencies(likelihood: Floats, counts: Floats, cells: Grid) -> Floats:
    """The law of the frequencies, of which nothing is known before."""
    return fit_weights(likelihood, counts, flat(cells))


def learn_means(likelihood: Floats, counts: Floats, cells: Grid) -> Floats:
    """The law of the means: those of few values often lie at the very ends."""
    return fit_weights(likelihood, counts, arcsine(cells))


def fit_weights(likelihood: Floats, counts: Floats, start: Floats) -> Floats:
    """Weights of the cells (columns) that make the observations (rows, so many alike) likely, by EM.

    From a smooth start: the fewer keys there are for the cells that they fill, the fewer steps, for few
    keys cannot tell cells apart, and their law had better stay smooth.
    """
    keys, weights = counts.sum(), start
    if not keys:
        return weights
    first = counts @ posterior(likelihood, weights) / keys
    keys_a_cell = keys * (first**2).sum()
    for _ in range(min(int(keys_a_cell**2), MOST_STEPS)):
        weights = weights * (likelihood.T @ (counts / (likelihood @ weights))) / keys
        # A cell never dies out, so that no observation becomes impossible.
        weights = np.maximum(weights, LEAST_WEIGHT)
    return np.asarray(weights / weights.sum())


def posterior(likelihood: Floats, weights: Floats) -> Floats:
    """Chances of the cells, a row an observation."""
    joint = likelihood * weights
    return np.asarray(joint / joint.sum(axis=-1, keepdims=True))


def cell_interval(chances: Floats, grid: Grid, level: float) -> tuple[Floats, Floats]:
    """From cell edge to cell edge, at most (1 - level)/2 of the posterior beyond either."""
    below = np.cumsum(chances, axis=1)
    tail = (1 - level) / 2
    last = chances.shape[1] - 1
    first = np.minimum((below <= tail).sum(axis=1), last)
    final = np.minimum((below < 1 - tail).sum(axis=1), last)
    return grid.edges[first], grid.edges[np.maximum(final, first) + 1]
