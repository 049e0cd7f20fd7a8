"""Made-up populations have the figures they promise; files become datasets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv.base.errors import DataError, ParameterError
from pckv.files.pairs.rows import Columns
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.figures.realdata import deal_ratings
from pckv.lab.populations import _weighted_sets, gaussian, movielike, uniform, zipf

COLUMNS = Columns("user", "movie", "stars")


def holds_each_key_once(dataset: Dataset) -> bool:
    owners = np.repeat(np.arange(dataset.users), dataset.population.sizes)
    return np.unique(owners * dataset.keys + dataset.population.keys).size == owners.size


def test_uniform() -> None:
    """χ² of the keys at α = 1e-6; every holder of a key has its mean."""
    dataset = uniform(200_000, 50, default_rng(1))
    counts = np.bincount(dataset.population.keys, minlength=50)
    assert stats.chisquare(counts).pvalue > 1e-6
    assert (dataset.population.sizes == 1).all()
    assert all(np.ptp(dataset.population.values[dataset.population.keys == key]) == 0 for key in range(50))
    means = dataset.truth[1]
    assert means.min() < -0.8
    assert means.max() > 0.8


def test_gaussian() -> None:
    """Keys are ⌈|50·N(0, 1)|⌉ up to d: the share of the first key is that of (0, 1/50] within (0, d/50]."""
    dataset = gaussian(400_000, 100, default_rng(1))
    frequency, mean = dataset.truth
    normal = stats.norm
    shares = np.diff(normal.cdf(np.arange(101) / 50)) / (normal.cdf(2) - normal.cdf(0))
    assert stats.chisquare(frequency * 400_000, shares * 400_000).pvalue > 1e-6
    assert np.abs(mean).max() <= 1
    assert np.all(np.diff(frequency[::20]) < 0)


def test_zipf() -> None:
    dataset = zipf(30_000, 40, default_rng(1), pairs=3)
    assert (dataset.population.sizes == 3).all()
    assert holds_each_key_once(dataset)
    frequency = dataset.truth[0]
    assert frequency.sum() == pytest.approx(3)
    assert np.all(np.diff(frequency[[0, 1, 3, 8, 20, 39]]) < 0)
    with pytest.raises(ParameterError, match="pairs must be at least 0"):
        zipf(10, 5, default_rng(1), pairs=6)


def test_sets_are_drawn_by_weight_without_replacement() -> None:
    """Against the exact law of two draws without replacement from three keys: χ² at α = 1e-6."""
    weights, users = np.array([0.6, 0.3, 0.1]), 60_000
    held = _weighted_sets(np.full(users, 2), weights, default_rng(3)).reshape(users, 2)
    pairs = {(0, 1): 0, (0, 2): 1, (1, 2): 2}
    counts = np.bincount([pairs[min(row), max(row)] for row in held.tolist()], minlength=3)
    chances = [
        weights[a] * weights[b] / (1 - weights[a]) + weights[b] * weights[a] / (1 - weights[b]) for a, b in pairs
    ]
    assert stats.chisquare(counts, np.array(chances) * users).pvalue > 1e-6
    assert (
        stats.chisquare(
            counts,
            users * np.array([weights[0] * weights[1], weights[0] * weights[2], weights[1] * weights[2]]) / 0.27,
        ).pvalue
        < 1e-6
    )


def test_movielike() -> None:
    dataset = movielike(default_rng(1), users=3000)
    sizes = dataset.population.sizes
    assert sizes.min() >= 20
    assert 60 <= np.median(sizes) <= 72
    assert dataset.keys == 26_744
    assert 0.4 <= dataset.truth[0].max() <= 0.65
    assert np.isin(dataset.population.values * 4, np.arange(-4, 5)).all()
    assert holds_each_key_once(dataset)


def test_dealt_ratings_keep_the_items_totals() -> None:
    counts, sums = np.array([500, 300, 1, 40]), np.array([1713, 1500, 1, 120])
    dataset = deal_ratings("t", counts, sums, 600, default_rng(2))
    assert dataset.users == 600
    assert (dataset.population.sizes >= 1).all()
    assert holds_each_key_once(dataset)
    keys, values = dataset.population.keys, dataset.population.values
    assert np.bincount(keys).tolist() == counts.tolist()
    assert np.bincount(keys, values).tolist() == sums.tolist()
    assert np.isin(values, [1, 2, 3, 4, 5]).all()


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("user,movie,stars", *lines)) + "\n", encoding="utf-8")
    return path


def test_a_file_becomes_a_dataset(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "ann,alien,5", "bob,heat,2", "ann,heat,3", "cy,,", "bob,alien,1.5")
    dataset = read_ratings(path, COLUMNS)
    assert (dataset.users, dataset.keys, dataset.low, dataset.high) == (3, 2, 1.5, 5)
    assert dataset.population.pairs(0) == {0: 5, 1: 3}
    assert dataset.population.pairs(2) == {}
    frequency, mean = dataset.truth
    assert frequency.tolist() == [2 / 3, 2 / 3]
    assert mean == pytest.approx([2 * (3.25 - 1.5) / 3.5 - 1, 2 * (2.5 - 1.5) / 3.5 - 1])
    assert read_ratings(path, COLUMNS, low=0, high=10).truth[1] == pytest.approx([-0.35, -0.5])


def test_repeated_pairs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "ann,alien,5", "bob,heat,2", "ann,alien,3")
    with pytest.raises(DataError, match=r"a\.csv, line 4: key 'alien' appears twice"):
        read_ratings(path, COLUMNS)
    assert read_ratings(path, COLUMNS, repeated="last").population.pairs(0) == {0: 3}
    assert read_ratings(path, COLUMNS, repeated="mean").population.pairs(0) == {0: 4}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["ann,alien,five"], "line 2: value 'five' is not a number"),
        (["ann,alien,5", "bob,heat,nan"], "line 3: value nan is not a finite number"),
        (["ann,alien,inf"], "line 2: value inf is not a finite number"),
        (["ann,alien,11"], r"line 2: value 11 is outside \[0, 10\]"),
        (["ann,,5"], "line 2: a value without a key"),
        ([",alien,5"], "line 2: no user"),
        ([], "no rows"),
        (["ann,,"], "no pairs"),
    ],
)
def test_bad_files(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_ratings(write(tmp_path / "a.csv", *lines), COLUMNS, low=0, high=10)


def test_a_range_that_cannot_be_derived(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "ann,alien,5", "bob,heat,5")
    with pytest.raises(DataError, match=r"all values are 5: give the range, low and high$"):
        read_ratings(path, COLUMNS)
    with pytest.raises(ParameterError, match="low must be below high"):
        read_ratings(path, COLUMNS, low=3, high=3)


def test_another_range_is_the_same_truth() -> None:
    dataset = zipf(500, 10, default_rng(1), pairs=2)
    stretched = dataset.with_range(1, 5)
    assert stretched.population.values.min() >= 1
    assert stretched.population.values.max() <= 5
    assert stretched.truth[1] == pytest.approx(dataset.truth[1])


def test_what_short_padding_sees() -> None:
    dataset = zipf(500, 10, default_rng(1), pairs=4)
    assert dataset.sampled_share(4) == pytest.approx(dataset.truth[0])
    assert dataset.sampled_share(1) == pytest.approx(dataset.truth[0] / 4)
