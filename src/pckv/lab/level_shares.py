"""The shares of levels among the holders of keys: what they are, and what a simulated collection makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.shares import own_shares
from pckv.lab.dataset import Dataset
from pckv.lab.sampling import PlacedValues
from pckv.statistics.moments import CountMoments
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


def estimate_with_shares(
    method: str, support: KeySupport, reports: int, moments: CountMoments, keys: Integers
) -> tuple[Floats, Floats, Floats]:
    """Return frequencies and means of all keys by a method, and the shares of the levels of some: keys × levels."""
    if METHODS[method].needs_all_keys:
        found = learn(support, reports, moments)
        return *found.estimates(), found.profiles.shares[keys]
    shares = own_shares(support.take(keys), reports, moments)
    return *METHODS[method].estimate(support, reports, moments), shares


def total_variation(estimated: Floats, true: Floats, keys: Integers) -> float:
    """Return half of the absolute differences of shares, added up over the levels, on average over some keys."""
    if not keys.size:
        return 0.0
    return float(np.abs(estimated - true[keys]).sum(axis=1).mean() / 2)
