"""The parts of the method `bayes`: grids, fits, posteriors and likelihoods."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pckv.estimators.methods.prior import (
    FewCounts,
    GaussianCounts,
    ValueGrid,
    arcsine,
    cell_interval,
    count_likelihood,
    fit_weights,
    flat,
    frequency_grid,
    mean_grid,
    posterior,
    scaled_likelihood,
)
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from support.counts import MECHANISMS, moments_of


def test_posterior_of_a_normal_prior_is_the_conjugate_one() -> None:
    points = np.linspace(-12, 12, 4801)
    observed = np.array([[-2.0], [0.0], [1.5]])
    weights = posterior(scaled_likelihood(-((observed - points) ** 2) / 2), np.exp(-(points**2) / (2 * 4)))
    assert weights @ points == pytest.approx(observed[:, 0] * 4 / 5, abs=1e-9)
    assert weights @ points**2 - (weights @ points) ** 2 == pytest.approx(4 / 5, abs=1e-6)


def test_weights_are_exact_where_cells_are_distinct() -> None:
    """Two cells that cannot be confused: their shares, in one step."""
    assert fit_weights(np.eye(2), np.array([30.0, 10.0]), np.full(2, 0.5)) == pytest.approx([0.75, 0.25])


def test_weights_raise_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    likelihood, counts = rng.uniform(0, 1, (40, 7)), rng.integers(1, 9, 40).astype(float)
    start = np.full(7, 1 / 7)
    learned = fit_weights(likelihood, counts, start)
    assert learned.sum() == pytest.approx(1)
    assert counts @ np.log(likelihood @ learned) > counts @ np.log(likelihood @ start)


def test_initial_laws() -> None:
    """Both sum to one; that of the means gives each end of the range more than 2.5 %, so that intervals include it."""
    means = mean_grid()
    assert flat(means).sum() == pytest.approx(1)
    assert arcsine(means).sum() == pytest.approx(1)
    assert arcsine(means) == pytest.approx(arcsine(means)[::-1])
    assert arcsine(means)[0] > 0.025 > flat(means)[0]


def test_intervals_run_to_cell_edges() -> None:
    cells = ValueGrid.around(np.array([0.0, 1.0, 2.0, 3.0]), 0, 3)
    assert cells.edges.tolist() == [0, 0.5, 1.5, 2.5, 3]
    chances = np.array([[1, 0, 0, 0], [0.02, 0.96, 0.02, 0], [0.03, 0.94, 0.03, 0], [0, 0, 0, 1]])
    low, high = cell_interval(chances, cells, 0.95)
    assert low.tolist() == [0, 0.5, 0, 2.5]
    assert high.tolist() == [0.5, 1.5, 2.5, 3]


@pytest.mark.parametrize("reports", [1, 1000, 10**9])
@pytest.mark.parametrize("name", MECHANISMS)
def test_grids_are_within_the_possible(name: str, reports: int) -> None:
    for cells, low in ((frequency_grid(reports, moments_of(name, 10, "1")), 0), (mean_grid(), -1)):
        assert (np.diff(cells.points) > 0).all()
        assert (np.diff(cells.edges) > 0).all()
        assert cells.edges[0] == low
        assert cells.edges[-1] == 1


def test_few_counts_are_nearly_exact() -> None:
    """Log-likelihood ratios of two frequencies against those of the exact sum of two binomials."""
    reports, moments = 2000, moments_of("grr", 1000, "4")
    assert isinstance(count_likelihood(reports, moments), FewCounts)
    counts = np.arange(0, 60)

    def exact(holders: int) -> np.ndarray:
        own = stats.binom.pmf(counts, holders, moments.holder.mean_sum)
        fakes = stats.binom.pmf(counts, reports - holders, moments.noise)
        return np.asarray(np.convolve(own, fakes)[: counts.size])

    def ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.asarray((first - second)[2:20])

    approximate = FewCounts(reports, moments).total(counts[:, None].astype(float), np.array([10, 20]) / reports)
    true = ratio(np.log(exact(10)), np.log(exact(20)))
    assert ratio(approximate[:, 0], approximate[:, 1]) == pytest.approx(true, abs=0.25)
    # The control: a normal law is off by more.
    normal = GaussianCounts(reports, moments).total(counts[:, None].astype(float), np.array([10, 20]) / reports)
    assert np.abs(ratio(normal[:, 0], normal[:, 1]) - true).max() > 1


@pytest.mark.parametrize("name", MECHANISMS)
def test_normal_counts_have_the_exact_moments(name: str) -> None:
    """S and T of 200,000 drawn collections: means and covariances within 6 standard errors."""
    count_law = build(name, 20, 2, Fraction(1), {}).count_law
    moments, users, f, m, size = CountMoments.of(count_law), 1000, 0.3, 1.0, 200_000
    holders = np.full(size, round(users * f))
    support = draw_counts(count_law, users, holders, np.full(size, m), np.random.default_rng(1))
    s, t = support.total, support.weighted(moments.scale.weights)
    variances = users * moments.sum_variance(f), users * moments.difference_variance(f, m)
    covariances = np.cov(s, t)
    assert s.mean() == pytest.approx(users * moments.sum_mean(f), abs=6 * (variances[0] / size) ** 0.5)
    slack = 6 * (2 / size) ** 0.5
    assert np.diag(covariances) == pytest.approx(variances, rel=slack)
    spread = 6 * (variances[0] * variances[1] * 2 / size) ** 0.5
    assert covariances[0, 1] == pytest.approx(users * moments.covariance(f, m), abs=spread)
