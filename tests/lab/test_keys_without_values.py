"""Tables and simulations of keys without values: the same law as real reports, and errors as theory says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pckv
from experiments import without_values
from pckv import Task, perturb_frame, read_ratings, simulate, tally_frame
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many
from pckv.estimators.linear import unbiased_frequency
from pckv.files.pairs.population import Repairs, population_of
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import TablePairs
from pckv.lab.dataset import Dataset
from pckv.lab.simulator import Setting, Simulator
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally.decode.support import key_support
from support.tiers import wide

# Some hold both keys, some one, some none; at this ε hardly any report of grr differs from its key.
HELD: dict[str, list[Any]] = {"user": ["ann", "ann", "bob", "cat", "cat"], "drink": ["tea", "milk", "tea", None, "tea"]}
DRINKS = Task(name="drinks", keys=["tea", "milk"], epsilon=20, padding=2, mechanism="grr", size_share=0)
TWO: dict[str, Any] = {"user": "user", "key": "drink"}


@pytest.mark.parametrize("made", [pd.DataFrame, pa.table])
def test_a_table_of_two_columns(made: Any) -> None:
    """Keys are held once, however often a user has them, and however they are listed."""
    rows = made({name: [*column, column[2]] for name, column in HELD.items()})
    lists = made({"user": ["ann", "bob", "cat"], "drink": [["tea", "milk"], ["tea", "tea"], ["tea"]]})
    for table in (rows, lists):
        assert tally_frame(DRINKS, perturb_frame(DRINKS, table, **TWO)).reports == 3
        repairs = Repairs.of(DRINKS, clip=False, repeated=None)
        population = population_of(TablePairs(table, Columns("user", "drink")), DRINKS, repairs).population
        assert population.offsets.tolist() == [0, 2, 3, 4]
        assert population.keys.tolist() == [0, 1, 0, 0]
        assert set(population.values) == {1.0}


@pytest.mark.parametrize(
    ("task", "options", "problem"),
    [
        (DRINKS, {"value": "user"}, "^this task has no values$"),
        (DRINKS, {"clip": True}, "^clip and repeated are about values, which this task does not have$"),
        (DRINKS, {"repeated": "last"}, "^clip and repeated are about values, which this task does not have$"),
    ],
)
def test_options_of_values_are_refused(task: Task, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        perturb_frame(task, pd.DataFrame(HELD), **TWO, **options)


def dataset() -> Dataset:
    """Return 400 people: a quarter each hold three keys, the last two, the first, and none."""
    sizes = np.tile([3, 2, 1, 0], 100)
    keys = np.tile([0, 1, 2, 1, 2, 0], 100).astype(np.int32)
    return Dataset("held", Population(np.concatenate([[0], np.cumsum(sizes)]), keys, np.ones(600)), 3, 1.0, 1.0)


@pytest.mark.parametrize("mechanism", ["ue-compact", *wide("ue", "grr", "collision")])
def test_simulated_counts_have_the_law_of_real_reports(mechanism: str) -> None:
    """Mean and variance of every key's frequency, over 200 collections each, within 5 standard errors.

    Chance of a failure: below 10^-4.
    """
    people, repeats = dataset(), 200
    setting, rng = Setting(mechanism, "1", 2, "baseline", None, levels=1), np.random.default_rng(7)
    simulator = Simulator(people)
    simulated = np.array([simulator.estimate(setting, rng).frequency for _ in range(repeats)])
    task = Task(name="t", keys=3, epsilon=1, padding=2, mechanism=mechanism, size_share=0)
    population, found = people.population, []
    for _ in range(repeats):
        tally = pckv.Tally(task)
        for batch in perturb_many(task, population):
            tally.add_many(batch.messages)
        moments = CountMoments.of(tally.count_law, scale=Scale((0.0,)))
        found.append(unbiased_frequency(key_support(tally, np.arange(3)), tally.reports, moments))
    real = np.array(found)
    error = np.sqrt((simulated.var(axis=0) + real.var(axis=0)) / repeats)
    assert (np.abs(simulated.mean(axis=0) - real.mean(axis=0)) < 5 * error).all()
    assert (np.abs(np.log(simulated.var(axis=0) / real.var(axis=0))) < 5 * np.sqrt(4 / repeats)).all()
    assert (np.abs(simulated.mean(axis=0) - people.sampled_share(2)) < 5 * error).all()


@pytest.mark.parametrize("mechanism", ["grr", *wide("ue", "ue-compact", "collision")])
def test_errors_are_as_theory_says(mechanism: str) -> None:
    """200 collections: a squared error within 5 standard errors of theory; results have nothing of means."""
    setting, rng = Setting(mechanism, "2", 2, "baseline", None, levels=1), np.random.default_rng(8)
    simulator = Simulator(dataset())
    errors = np.array([simulator.run(setting, rng).mse_frequency for _ in range(200)])
    theory, of_mean = simulator.theory(setting)
    assert theory is not None
    assert of_mean is None
    assert abs(errors.mean() - theory) < 5 * errors.std() / np.sqrt(errors.size)
    [row] = simulate(dataset(), epsilon=2, mechanism=mechanism, padding=2, repeats=1, workers=1)
    assert not [name for name in row.to_dict() if "mean" in name or "level" in name]
    assert np.isnan(row.mse_mean)
    assert (row.coverage_mean, row.theory_mse_mean) == (None, None)


def test_a_table_is_simulated_as_its_dataset_is() -> None:
    people = dataset()
    owners = np.repeat(np.arange(people.users), people.population.sizes)
    table = pd.DataFrame({"user": owners, "drink": people.population.keys.astype(str)})
    read = read_ratings(table, ("user", "drink"))
    assert not read.has_values
    assert (read.users, read.keys) == (300, 3)
    rows = [
        simulate(each, epsilon=1, repeats=2, workers=1) for each in (read, Dataset("", read.population, 3, 1.0, 1.0))
    ]
    [by_table] = simulate(table, **TWO, epsilon=1, repeats=2, workers=1)
    assert by_table.mse_frequency == rows[0][0].mse_frequency == rows[1][0].mse_frequency


@pytest.mark.parametrize("mechanism", without_values.MECHANISMS)
@pytest.mark.parametrize("epsilon", without_values.EPSILONS)
def test_rare_keys_have_nearly_the_error_of_the_usual_oracles(mechanism: str, epsilon: str) -> None:
    """By the law, at most 1.02 × 4E/(E - 1)²/n; control: with two levels it is at least 1.9 times as large."""
    assert without_values.law_error(mechanism, epsilon, 1) <= without_values.MAX_RATIO
    assert without_values.law_error(mechanism, epsilon, 2) >= 1.9
