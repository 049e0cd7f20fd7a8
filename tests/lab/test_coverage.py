"""What simulated collections say of bias and coverage, where values depend on how many pairs people hold.

3,000 people, two of five with four pairs and the least value, the others with one pair and the largest; padding
1, 20 collections of 8 keys. A coverage of 0.95 over 160 intervals has a standard error of at most 0.05, even if
the keys of one collection miss together.
"""

from __future__ import annotations

import numpy as np
import pytest

from pckv.base.population import Population
from pckv.lab.dataset import Dataset
from pckv.lab.populations import weighted_sets
from pckv.lab.simulate import Result, simulate
from pckv.lab.simulator import Setting, Simulator

KEYS = 8


def people() -> Dataset:
    rng = np.random.default_rng(2)
    sizes = np.where(np.arange(3_000) % 5 < 2, 4, 1)
    made = weighted_sets("sizes", sizes, np.ones(KEYS), rng).population
    values = np.where(np.repeat(sizes, sizes) == 4, -1.0, 1.0)
    return Dataset("sizes", Population(made.offsets, made.keys, values), KEYS, -1.0, 1.0)


def run(padding: int, **options: object) -> Result:
    [row] = simulate(people(), epsilon=4, mechanism="grr", padding=padding, repeats=20, workers=1, **options)  # type: ignore[arg-type]
    return row


@pytest.mark.parametrize("levels", [2, 3])
def test_the_bias_of_a_short_padding_is_told_and_covered(levels: int) -> None:
    short, long = run(1, levels=levels), run(KEYS, levels=levels)
    true = people().truth[0]
    hidden = (people().sampled_share(1) - true).mean()
    assert short.bias_frequency == pytest.approx(hidden, abs=0.01)
    # Of the holders three in eleven have one pair, of the reported pairs three in five are theirs.
    assert short.bias_mean == pytest.approx((0.6 - 0.4) - (0.6 - 1.6) / 2.2, abs=0.05)
    assert abs(long.bias_frequency) < 0.01
    assert abs(long.bias_mean) < 0.05
    for row in (short, long):
        assert row.coverage_frequency is not None
        assert row.coverage_mean is not None
        assert min(row.coverage_frequency, row.coverage_mean) >= 0.8


def test_answers_to_the_size_question_have_its_law() -> None:
    """100,000 answers: four standard errors of a share are 0.0064 at most (α < 1e-3); rounding to an end adds none."""
    simulator = Simulator(people())
    task = simulator._task(Setting("grr", "1", 1, "corrected", None, size_share=0.1))
    question = task.size_question
    assert question is not None
    rng, drawn = np.random.default_rng(4), np.zeros(len(question.ends))
    for _ in range(50):
        drawn += simulator._size_answers(task, 2_000, rng)
    expected = sum(
        share
        * np.array([float(weight) for weight in question.distribution(size).weights.values()])
        / question.distribution(size).total
        for size, share in ((1, 0.6), (4, 0.4))
    )
    assert drawn.sum() == 100_000
    assert drawn / drawn.sum() == pytest.approx(expected, abs=0.0064)
