"""Methods compared on the same reports."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from experiments.measured_errors import MeasuredPopulation, measure, paired, shares, standard_errors
from pckv.estimators.methods.prior import ValueGrid
from pckv.lab.populations import zipf


def test_paired_ratios_by_hand() -> None:
    """Errors of 1 and 3 are certainly half of 2 and 6; relative to 6 and 2 the ratio is uncertain."""
    ours = np.array([[1.0], [3.0]])
    ratio, bound = paired(ours, np.array([[2.0], [6.0]]))
    assert ratio.tolist() == bound.tolist() == [0.5]
    ratio, bound = paired(ours, np.array([[6.0], [2.0]]))
    assert ratio.tolist() == [0.5]
    assert bound.tolist() == pytest.approx([0.5 + 1.645 * 2 / 4])


def test_one_repeat_has_no_spread() -> None:
    assert standard_errors(np.array([[1.0, 2.0]])).tolist() == [0, 0]


def test_shares_of_cells() -> None:
    cells = ValueGrid.around(np.array([0.0, 0.5, 1.0]), 0, 1)
    cell_shares = shares(np.array([0.0, 0.1, 0.25, 1.0]), cells)
    assert cell_shares == pytest.approx([0.5, 0.25, 0.25], abs=1e-8)
    assert (cell_shares > 0).all()


@pytest.mark.parametrize("mechanism", ["ue", "collision"])
def test_an_oracle_is_better_than_any_method_over_all_keys(mechanism: str) -> None:
    """500 keys, 20 collections, all methods on the same counts: frequency and mean."""
    population = MeasuredPopulation(zipf(20_000, 500, default_rng(0)), 1)
    cell = measure(population, mechanism, "1", repeats=20, seed=1)
    for column in range(2):
        best, ours, theirs = (cell.errors[method][column] for method in ("oracle", "bayes", "corrected"))
        assert best < ours < theirs
    assert cell.ratio[:2] == pytest.approx(
        [cell.errors["bayes"][column] / cell.errors["corrected"][column] for column in range(2)]
    )
    assert all(ratio <= bound for ratio, bound in zip(cell.ratio, cell.bound, strict=True))
