"""Empirical Bayes: what a key's counts say, read in the light of all keys' counts (proofs/bayes.md).

Frequencies of all keys share one law, means another; both are learned from the counts. No key is moved
far from its own data: estimates are kept within a few standard errors of it, intervals hold a
confidence interval of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Floats
from pckv.estimators.intervals import Interval, frequency_interval, mean_interval, two_sided_z
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.estimators.methods.bayes.likelihood import CountLikelihood, count_likelihood
from pckv.estimators.methods.bayes.prior import (
    MEAN_CELLS,
    Fit,
    Grid,
    cell_interval,
    frequency_grid,
    learn_frequencies,
    learn_means,
    mean_grid,
    posterior,
    scaled_likelihood,
)
from pckv.estimators.methods.bayes.shrinkage_limit import Law, choose_limit, limited
from pckv.estimators.methods.corrected import corrected
from pckv.moments import CountMoments
from pckv.tally.decode.support import KeySupport

# How far a mean may be moved from the key's own, in standard errors; for frequencies the task decides.
MEAN_LIMIT = 0.8
# An interval holds the key's own of so much less quantile: at 95 % that one covers 86 %, whatever the law.
OWN_SHARE = 0.75
# Counts this near in standard deviations are taken as equal.
BIN = 1 / 8
# Keys this many cells below the end of the grid still have all of their likely frequencies on it.
MARGIN_CELLS = 10
# Frequencies less likely than this, given S, are left out when T is looked at.
NEGLIGIBLE = 1e-7


def bayes(support: KeySupport, reports: int, moments: CountMoments) -> tuple[Floats, Floats]:
    """Posterior means of frequency and mean, moved from the key's own estimate by a limited distance."""
    return learn(support, reports, moments).estimates()


class _Bins(NamedTuple):
    """Distinct counts (S, T), sorted: how many keys have them, which every key has, what they say alone.

    `settled` ones are too frequent for the grid: their frequency is their own estimate.
    """

    s: Floats
    t: Floats
    keys: Floats
    of_key: NDArray[np.int64]
    frequency: Floats
    settled: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of every key: chances of the cells of frequency and mean, by bins of counts."""

    support: KeySupport
    reports: int
    moments: CountMoments
    bins: _Bins
    frequency_cells: Grid
    frequency_chances: Floats
    frequency_limit: float
    mean_cells: Grid
    mean_chances: Floats

    def expected(self) -> tuple[Floats, Floats]:
        """Posterior means as they are; where a key stands alone, its own."""
        own_frequency, own_mean = corrected(self.support, self.reports, self.moments)
        frequency = (self.frequency_chances @ self.frequency_cells.points)[self.bins.of_key]
        mean = (self.mean_chances @ self.mean_cells.points)[self.bins.of_key]
        return (
            np.where(self._settled_keys, own_frequency, frequency),
            np.where(self._finer_than_cells, own_mean, mean),
        )

    def estimates(self) -> tuple[Floats, Floats]:
        """Posterior means, limited in translation."""
        learned, mean = self.expected()
        own = unbiased_frequency(self.support, self.reports, self.moments)
        moved = limited(learned, own, self.frequency_limit, self.reports, self.moments)
        frequency = np.where(self._settled_keys, learned, moved)
        allowed = MEAN_LIMIT * self._mean_error(frequency, mean)
        own_mean = corrected(self.support, self.reports, self.moments)[1]
        return frequency, np.clip(mean, own_mean - allowed, own_mean + allowed)

    def intervals(self, level: float) -> tuple[Interval, Interval]:
        """Credible intervals of frequency and mean, each widened to hold the key's own narrower interval."""
        frequency = self._interval(
            cell_interval(self.frequency_chances, self.frequency_cells, level),
            partial(frequency_interval, self.support, self.reports, self.moments),
            self._settled_keys,
            level,
        )
        mean = self._interval(
            cell_interval(self.mean_chances, self.mean_cells, level),
            lambda own_level: Interval(
                *mean_interval(self.support, self.reports, self.moments, own_level)[:2]
            ),
            self._finer_than_cells,
            level,
        )
        return frequency, mean

    def _interval(
        self,
        credible: tuple[Floats, Floats],
        own: Callable[[float], Interval],
        alone: NDArray[np.bool_],
        level: float,
    ) -> Interval:
        """Credible limits by bin, hulled with the key's own narrower ones; where a key stands alone, its own."""
        low, high = (limit[self.bins.of_key] for limit in credible)
        full, narrow = own(level), own(2 * NormalDist().cdf(OWN_SHARE * two_sided_z(level)) - 1)
        return Interval(
            np.where(alone, full.low, np.minimum(low, narrow.low)),
            np.where(alone, full.high, np.maximum(high, narrow.high)),
        )

    @property
    def _settled_keys(self) -> NDArray[np.bool_]:
        return self.bins.settled[self.bins.of_key]

    @property
    def _finer_than_cells(self) -> NDArray[np.bool_]:
        """Keys whose own mean is better than a cell is wide: the grid has nothing to add."""
        own = corrected(self.support, self.reports, self.moments)
        return np.asarray(self._mean_error(*own) < 2 / MEAN_CELLS)

    def _mean_error(self, frequency: Floats, mean: Floats) -> Floats:
        """The standard error of a key's own mean, were these the truth."""
        least = np.maximum(frequency, 1 / self.reports)
        return np.sqrt(self.moments.mean_variance(least, mean) / self.reports)


def learn(
    support: KeySupport,
    reports: int,
    moments: CountMoments,
    fit_frequencies: Fit = learn_frequencies,
    fit_means: Fit = learn_means,
) -> Posterior:
    """Learn the laws that all keys share and apply them to each."""
    cells, means = frequency_grid(reports, moments), mean_grid()
    largest = np.inf if cells.points[-1] >= 1 else float(cells.points[-MARGIN_CELLS])
    bins = _binned(support, reports, moments, largest)
    likelihood = count_likelihood(reports, moments)
    frequencies, by_total = _frequencies(bins, likelihood, cells, fit_frequencies)
    by_difference = _Differences(bins, likelihood, cells, by_total)
    of_mean = by_difference.of_mean(means)
    law = fit_means(of_mean, bins.keys, means)
    return Posterior(
        support=support,
        reports=reports,
        moments=moments,
        bins=bins,
        frequency_cells=cells,
        frequency_chances=by_difference.frequencies(means, law),
        frequency_limit=choose_limit(
            frequencies, bins.keys[bins.settled].sum(), likelihood, reports, moments
        ),
        mean_cells=means,
        mean_chances=posterior(of_mean, law),
    )


def _binned(support: KeySupport, reports: int, moments: CountMoments, largest: float) -> _Bins:
    """Put counts together that are nearly alike; where counts are small, only those that are alike."""
    columns = [
        _rounded(support.plus + support.minus, reports * moments.absent.variance_sum),
        _rounded(support.plus - support.minus, reports * moments.absent.mean_square_difference),
    ]
    distinct, of_key, keys = np.unique(
        np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    s, t = distinct.T
    own = (s / reports - moments.noise) / moments.signal
    return _Bins(s, t, keys.astype(np.float64), of_key.reshape(-1), own, own > largest)


def _rounded(count: NDArray[np.int64], variance: float) -> Floats:
    width = max(1.0, BIN * variance**0.5)
    return np.asarray(np.round(count / width) * width, np.float64)


def _frequencies(bins: _Bins, likelihood: CountLikelihood, cells: Grid, fit: Fit) -> tuple[Law, Floats]:
    """The law of the frequencies, and their chances by S alone, a row a bin."""
    totals, place = np.unique(bins.s, return_inverse=True)
    of_total = scaled_likelihood(likelihood.total(totals[:, None], cells.points))
    keys = np.zeros(totals.size)
    np.add.at(keys, place, np.where(bins.settled, 0.0, bins.keys))
    law = Law(cells, fit(of_total, keys, cells), keys.sum())
    return law, posterior(of_total, law.weights)[place]


class _Differences:
    """What T adds: bins with one S are looked at together, at the frequencies that S leaves likely."""

    def __init__(self, bins: _Bins, likelihood: CountLikelihood, cells: Grid, by_total: Floats) -> None:
        self.bins, self.likelihood, self.cells, self.by_total = bins, likelihood, cells, by_total
        self.settled = np.flatnonzero(bins.settled)
        unsettled = np.flatnonzero(~bins.settled)
        changes = np.flatnonzero(np.diff(bins.s[unsettled])) + 1
        self.groups = [group for group in np.split(unsettled, changes) if group.size]

    def of_mean(self, means: Grid) -> Floats:
        """The likelihood of every mean, a row a bin."""
        found = np.empty((self.bins.s.size, means.points.size))
        for group in self.groups:
            likely, tensor = self._tensor(group, means)
            found[group] = np.einsum("f,bfm->bm", self.by_total[group[0], likely], tensor)
        rows = self.settled[:, None]
        found[self.settled] = scaled_likelihood(
            self.likelihood.difference(
                self.bins.t[rows], self.bins.s[rows], np.minimum(self.bins.frequency[rows], 1), means.points
            )
        )
        return found

    def frequencies(self, means: Grid, law: Floats) -> Floats:
        """Chances of the frequencies by S and T, a row a bin."""
        found = np.zeros_like(self.by_total)
        for group in self.groups:
            likely, tensor = self._tensor(group, means)
            chances = posterior(tensor @ law, self.by_total[group[0], likely])
            found[np.ix_(group, likely)] = chances
        found[self.settled, -1] = 1.0
        return found

    def _tensor(self, group: NDArray[np.int64], means: Grid) -> tuple[NDArray[np.int64], Floats]:
        """Likelihoods by bin, frequency and mean, and which frequencies."""
        likely = np.flatnonzero(self.by_total[group[0]] > NEGLIGIBLE)
        logarithm = self.likelihood.difference(
            self.bins.t[group, None, None],
            self.bins.s[group, None, None],
            self.cells.points[likely][:, None],
            means.points,
        )
        return likely, np.exp(logarithm - logarithm.max(axis=(1, 2), keepdims=True))
