"""Simulated collections with several levels: what they say of shares, and what levels cost on given data."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv import simulate
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.simulate import Result
from pckv.lab.simulator import total_variation, true_shares
from pckv.mechanisms.registry import build
from pckv.statistics.moments import equal_scale
from pckv.tally.decode.support import key_support
from pckv.tally.tally import Tally
from support.tasks import a_task

STARS = ["1", "2", "3", "4", "5"]


def rated(users: int, keys: int, seed: int = 0) -> Dataset:
    """Every participant rates one key, all keys alike: from 1 to 5 stars, mostly 4."""
    rng = default_rng(seed)
    values = rng.choice(np.arange(1.0, 6), users, p=[0.1, 0.1, 0.2, 0.4, 0.2])
    people = Population(np.arange(users + 1), rng.integers(0, keys, users).astype(np.int32), values)
    return Dataset("stars", people, keys, 1, 5)


def test_true_shares_by_hand() -> None:
    """Values between two levels count as both, by their chances; a key without holders has no shares."""
    people = Population(np.array([0, 2, 3, 4]), np.array([0, 1, 0, 0], np.int32), np.array([1.0, 2.5, 5.0, 1.0]))
    found = true_shares(Dataset("t", people, 3, 1, 5), equal_scale(5).values)
    assert found == pytest.approx(np.array([[2 / 3, 0, 0, 0, 1 / 3], [0, 0.5, 0.5, 0, 0], [0] * 5]))
    assert total_variation(found[[1]], found, np.array([0])) == pytest.approx(1)
    assert total_variation(found[[1]], found, np.array([1])) == 0
    assert total_variation(np.array([[2 / 3, 0, 0.1, 0, 0.7 / 3]]), found, np.array([0])) == pytest.approx(0.1)
    assert total_variation(np.zeros((0, 5)), found, np.zeros(0, np.int64)) == 0


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision"])
def test_drawn_counts_are_those_of_reports(mechanism: str) -> None:
    """Against real reports of 5 levels: one χ² of 10 level counts over 300 collections of 40 people, at α = 1e-6.

    Means of all counts differ by less than 5 standard errors: levels read in reverse are more than 10 away.
    """
    people = Population(np.arange(41), np.repeat(np.array([0, 1], np.int32), 20), np.repeat([1.0, 3.5, 4.0, 5.0], 10))
    dataset = Dataset("t", people, 2, 1, 5)
    task = a_task(keys=2, values=(1, 5), epsilon=4, mechanism=mechanism, padding=1, levels=5, size_share=0)
    rng, model = default_rng(2), SamplingModel(dataset, equal_scale(5).values)
    drawn = np.array([count_reports(task.law, model.prepare(task.law, rng), rng).support.counts for _ in range(300)])
    many = Population(np.arange(300 * 40 + 1), np.tile(people.keys, 300), np.tile(people.values, 300))
    tally = Tally(task)
    for batch in perturb_many(task, many):
        tally.add_many(batch.messages)
    real = key_support(tally).counts
    together = drawn.sum(axis=0)
    spread = drawn.reshape(300, -1).std(axis=0).reshape(together.shape) * math.sqrt(300)
    off = (together - real) / np.maximum(spread, 1) / math.sqrt(2)
    assert float(np.sum(off**2)) < stats.chi2.isf(1e-6, 10)
    assert float(np.max(np.abs(together[::-1] - real) / np.maximum(spread, 1))) > 10


def run(**options: Any) -> list[Result]:
    given: dict[str, Any] = {"epsilon": 2, "method": "corrected", "repeats": 40, "workers": 1} | options
    return simulate(rated(20_000, 10), **given)


def test_two_levels_and_five_in_one_run() -> None:
    """Errors relative to two levels: 400 key-repeats, so that one standard error of a factor is 5 %.

    On data whose values are levels, five of them lose less of the mean than where all values are at the ends.
    """
    two, five, named = run(mechanism="collision", levels=[2, 5, STARS])
    assert (two.levels, five.levels, named.levels) == (2, 5, tuple(STARS))
    assert "levels" not in two.to_dict()
    assert not {"total_variation", "frequency_factor"} & set(two.to_dict())
    assert named.to_dict()["levels"] == tuple(STARS)
    assert (five.frequency_factor, five.mean_factor) == pytest.approx(
        (math.sqrt(five.mse_frequency / two.mse_frequency), math.sqrt(five.mse_mean / two.mse_mean))
    )
    assert 1.2 < five.frequency_factor < 1.75  # type: ignore[operator]
    assert 0.85 < five.mean_factor < 1.4  # type: ignore[operator]
    # Equally spaced levels of 1 to 5 are the stars: the reports are the same.
    assert named.mse_frequency == five.mse_frequency
    assert named.total_variation == five.total_variation
    assert five.share_keys == 10
    for row in (two, five):
        assert row.mse_frequency == pytest.approx(row.theory_mse_frequency, rel=0.25)
        assert row.mse_mean < 1.25 * row.theory_mse_mean  # type: ignore[operator]


def test_the_rows_of_two_levels_are_the_same_with_and_without_others() -> None:
    (alone,) = run(repeats=2)
    assert run(repeats=2, levels=[5, 2])[1] == alone
    assert run(repeats=2, levels=2) == [alone]
    (five,) = run(repeats=2, levels=5)
    assert five.frequency_factor is None
    assert "frequency_factor" not in five.to_dict()


def test_bayes_knows_shares_better() -> None:
    """All keys have one profile: what is learned from all of them is nearer than what each says of itself."""
    own, learned = run(mechanism="collision", epsilon=1, levels=5, method=["corrected", "bayes"], repeats=5)
    assert own.total_variation is not None
    assert learned.total_variation is not None
    assert learned.total_variation < own.total_variation / 2


def test_shares_are_those_of_the_most_frequent_keys() -> None:
    data = rated(5000, 80)
    all_keys, ten = (
        simulate(data, epsilon=4, levels=3, repeats=1, workers=1, method="corrected", top=top)[0] for top in (None, 10)
    )
    assert (all_keys.share_keys, ten.share_keys) == (50, 10)


def test_baselines_have_two_levels() -> None:
    rows = run(mechanism=["kvue", "grr"], levels=[2, 5], repeats=1)
    assert [(row.mechanism, row.level_count) for row in rows] == [("kvue", 2), ("grr", 2), ("grr", 5)]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (1, "^levels must be at least 2 and at most 16$"),
        (17, "^levels must be at least 2 and at most 16$"),
        ([], "^no levels were given$"),
        ([2, 1], "^levels must be at least 2 and at most 16$"),
        ([[1, 3, 2, 5]], "^levels must ascend: 3 is followed by 2$"),
        ([[1, 2, 3]], "^the levels must begin with 1 and end with 5"),
        ([[0, 2, 5]], "^level 0 is not within \\[1, 5\\]$"),
        ("5", "^levels must be a number of them or a list of their values, not '5'$"),
    ],
)
def test_bad_levels(levels: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        simulate(rated(20, 2), epsilon=1, levels=levels, repeats=1, workers=1)


def test_mechanisms_that_cannot_have_levels() -> None:
    with pytest.raises(ParameterError, match="mechanism 'ue' takes 2 levels, not 5"):
        run(mechanism="ue", levels=5, repeats=1)
    assert build("grr", 3, 1, Fraction(1), {}, 5).levels == 5
