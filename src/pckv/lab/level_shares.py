"""The shares of levels among the holders of keys: what they are, and what a simulated collection makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.arrays import Floats, Integers
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.lab.dataset import Dataset
from pckv.lab.sampling import PlacedValues
from pckv.moments import CountMoments
from pckv.tally.decode.support import KeySupport


def true_shares(dataset: Dataset, levels: Sequence[float]) -> Floats:
    """Return the share of each level on [-1, 1] among the holders of every key: keys × levels, 0 where nobody holds one.

    A value between two levels counts as each of them with the chance that it is rounded to it.
    """
    keys = dataset.population.keys.astype(np.int64)
    below, chances = PlacedValues.of(dataset.scaled(dataset.population.values), levels)
    size = dataset.keys * len(levels)
    places = keys * len(levels) + below
    held = np.bincount(places, 1 - chances, size) + np.bincount(places + 1, chances, size)
    table = held.reshape(dataset.keys, len(levels))
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def estimated_shares(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return the shares of levels that a key's own counts tell, made consistent: keys × levels."""
    frequency = unbiased_frequency(support, reports, moments)
    holders = (support.counts - support.counts.mean(axis=0)) / reports / moments.contrast
    holders = holders + frequency / moments.levels
    return project(np.asarray(holders / np.maximum(frequency, 1 / reports)).T)


def project(rows: Floats) -> Floats:
    """Return the nearest distribution to each row: no entry below 0, and a sum of 1.

    >>> project(np.array([[0.5, 0.7, -0.2], [0.25, 0.5, 0.25]])).round(9).tolist()
    [[0.4, 0.6, 0.0], [0.25, 0.5, 0.25]]
    """
    falling = -np.sort(-rows, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    last = np.sum(falling > excess, axis=1) - 1
    return np.asarray(np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0.0))


def total_variation(estimated: Floats, true: Floats, keys: Integers) -> float:
    """Return half of the absolute differences of shares, added up over the levels, on average over some keys."""
    if not keys.size:
        return 0.0
    return float(np.abs(estimated - true[keys]).sum(axis=1).mean() / 2)
