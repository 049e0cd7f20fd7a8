"""Compare methods on the same reports: errors, the uncertainty of their ratios, and coverage of intervals."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import default_rng

from pckv.base.arrays import Floats
from pckv.estimators.linear import baseline, corrected
from pckv.estimators.methods.bayes import Posterior, learn
from pckv.estimators.methods.prior import ValueGrid
from pckv.estimators.sets import HiddenShare
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport

# Frequency and mean, over all keys and over the most frequent.
QUANTITIES = ("frequency", "mean", "frequency_top", "mean_top")
METHODS = ("baseline", "corrected", "bayes", "oracle")
TOP = 50
LEVEL = 0.95
# The one-sided normal quantile at 95 %.
ONE_SIDED_Z = 1.645


@dataclass(frozen=True)
class MeasuredErrors:
    """One mechanism at one ε on one population; lists have the order of `QUANTITIES`.

    `errors` are mean squared errors by method, `spread` their standard errors over the repeats. `ratio` is
    the error of `bayes` relative to `corrected` on the same reports, `bound` the upper end of its one-sided
    95 % interval. `cover` are the shares of keys whose 95 % intervals, set sizes being known, contain the
    truth. Means are compared only where the key has holders.
    """

    data: str
    users: int
    keys: int
    padding: int
    mechanism: str
    epsilon: str
    repeats: int
    errors: dict[str, list[float]]
    spread: dict[str, list[float]]
    ratio: list[float]
    bound: list[float]
    cover: list[float]

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as plain values."""
        return asdict(self)


class MeasuredPopulation:
    """A population prepared for measuring: its samples, its truth, and the keys that are compared."""

    def __init__(self, dataset: Dataset, padding: int) -> None:
        self.dataset, self.padding = dataset, padding
        self.model = SamplingModel(dataset)
        self.frequency, self.mean = dataset.truth
        self.shown = dataset.sampled_share(padding)
        self.hidden = HiddenShare(dataset.hidden_share(padding))
        self.held = np.flatnonzero(self.frequency)
        self.top = dataset.top(TOP)
        self.top_held = self.top[self.frequency[self.top] > 0]

    def by_quantity(self, of_frequency: Floats, of_mean: Floats) -> list[float]:
        """Return averages over the keys that are compared, in the order of `QUANTITIES`."""
        return [
            float(column[keys].mean())
            for column, keys in (
                (of_frequency, slice(None)),
                (of_mean, self.held),
                (of_frequency, self.top),
                (of_mean, self.top_held),
            )
        ]

    def errors(self, frequency: Floats, mean: Floats) -> list[float]:
        """Return mean squared errors, in the order of `QUANTITIES`."""
        return self.by_quantity((frequency - self.frequency) ** 2, (mean - self.mean) ** 2)

    def cover(self, found: Posterior) -> list[float]:
        """Return the shares of intervals that contain the truth, set sizes being known."""
        (low, high), (mean_low, mean_high) = found.frequency_interval(LEVEL), found.key_mean_interval(LEVEL)
        high = self.hidden.raise_limits(high, np.zeros_like(high), LEVEL)
        inside = (low <= self.frequency) & (self.frequency <= high)
        mean_inside = (mean_low <= self.mean) & (self.mean <= mean_high)
        return self.by_quantity(inside.astype(np.float64), mean_inside.astype(np.float64))


def measure(population: MeasuredPopulation, mechanism: str, epsilon: str, repeats: int, seed: int) -> MeasuredErrors:
    """Simulate collections and give every method the same counts."""
    dataset = population.dataset
    law = build(mechanism, dataset.keys, population.padding, Fraction(epsilon), {})
    errors, cover = [], []
    for repeat in range(repeats):
        rng = default_rng([seed, repeat])
        support, _, count_law = count_reports(law, population.model.prepare(law, rng), rng)
        moments = CountMoments.of(count_law)
        found = learn(support, dataset.users, moments)
        errors.append(
            [
                population.errors(*estimates)
                for estimates in (
                    baseline(support, dataset.users, moments),
                    corrected(support, dataset.users, moments),
                    found.estimates(),
                    oracle(population, support, moments),
                )
            ]
        )
        cover.append(population.cover(found))
    table = np.array(errors)
    ratio, bound = paired(table[:, METHODS.index("bayes")], table[:, METHODS.index("corrected")])
    return MeasuredErrors(
        data=dataset.name,
        users=dataset.users,
        keys=dataset.keys,
        padding=population.padding,
        mechanism=mechanism,
        epsilon=epsilon,
        repeats=repeats,
        errors=dict(zip(METHODS, table.mean(axis=0).tolist(), strict=True)),
        spread=dict(zip(METHODS, standard_errors(table).tolist(), strict=True)),
        ratio=ratio.tolist(),
        bound=bound.tolist(),
        cover=np.mean(cover, axis=0).tolist(),
    )


def oracle(population: MeasuredPopulation, support: KeySupport, moments: CountMoments) -> tuple[Floats, Floats]:
    """Return posterior means under the true distributions of what reports show, shrinkage unlimited."""
    found = learn(
        support,
        population.dataset.users,
        moments,
        lambda _likelihood, _counts, cells: shares(population.shown, cells),
        lambda _likelihood, _counts, cells: shares(population.mean[population.held], cells),
    )
    return found.expected()


def shares(values: Floats, cells: ValueGrid) -> Floats:
    """Return the share of the values in each cell, as a distribution without zeros."""
    places = np.clip(np.searchsorted(cells.edges, values, side="right") - 1, 0, cells.points.size - 1)
    counts = np.bincount(places, minlength=cells.points.size) + 1e-9
    return np.asarray(counts / counts.sum())


def paired(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    """Return ratios of mean errors, and their upper bounds from the paired repeats."""
    ratio = ours.mean(axis=0) / theirs.mean(axis=0)
    return ratio, ratio + ONE_SIDED_Z * standard_errors(ours - ratio * theirs) / theirs.mean(axis=0)


def standard_errors(table: Floats) -> Floats:
    """Return standard errors of the means over the repeats, the first axis; 0 where there is only one."""
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(table.shape[1:])
    return np.asarray(spread / math.sqrt(len(table)))
