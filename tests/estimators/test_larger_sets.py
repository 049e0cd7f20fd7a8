"""What estimates say of people who hold more pairs than the padding: intervals that reach the truth, and a true summary.

Twenty seeded collections of 4,000 people with 1 to 5 pairs, padding 2: ten top keys each, so that a coverage of 0.95 has
a standard error of about 0.03 even if the keys of one collection miss together. Without the size question the top
intervals miss nearly always, which is the control.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from pckv import Tally, Task, estimate
from pckv.device.vectorised import perturb_many
from pckv.estimators.result import Estimates
from pckv.estimators.set_sizes import HiddenShare, summarise_sets
from pckv.lab.dataset import Dataset
from pckv.lab.populations import zipf_sets
from pckv.seeded import seeded_source

PEOPLE, KEYS, PADDING, REPEATS, TOP = 4_000, 40, 2, 20, 10


def make_task(epsilon: float, **options: object) -> Task:
    chosen = {"padding": PADDING, "mechanism": "collision", "size_share": "0.1", **options}
    return Task(name="t", keys=KEYS, values=(-1, 1), epsilon=epsilon, **chosen)  # type: ignore[arg-type]


@cache
def people() -> Dataset:
    rng = np.random.default_rng(11)
    return zipf_sets(rng.integers(1, 6, PEOPLE), KEYS, rng)


def collected(task: Task, seed: int, dataset: Dataset) -> Tally:
    tally = Tally(task)
    for batch in perturb_many(task, dataset.population, seeded_source(seed)):
        tally.add_many(batch.messages)
    return tally


def collections(task: Task) -> Iterator[Estimates]:
    return (estimate(collected(task, seed, people())) for seed in range(REPEATS))


def top_coverage(task: Task) -> float:
    truth, top = people().truth[0], people().top(TOP)
    inside = [(found.frequency_low <= truth) & (truth <= found.frequency_high) for found in collections(task)]
    return float(np.mean([each[top] for each in inside]))


@pytest.mark.parametrize("epsilon", [1, 4])
def test_intervals_hold_frequencies_that_the_padding_truncates(epsilon: float) -> None:
    assert top_coverage(make_task(epsilon)) >= 0.9


def test_intervals_that_know_nothing_of_larger_sets_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with nothing hidden, most of the top ten miss."""
    monkeypatch.setattr("pckv.estimators.estimate.hidden_share", lambda *_: HiddenShare())
    assert top_coverage(make_task(4)) < 0.5


@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_the_share_of_larger_sets_is_covered(epsilon: float) -> None:
    """200 collections: a coverage of 0.95 has a standard error of 0.015; those who answered are a sample of all."""
    task = make_task(epsilon, mechanism="grr")
    truth = float(np.mean(people().population.sizes > PADDING))
    found = (summarise_sets(collected(task, seed, people()), 0.95) for seed in range(200))
    covered = [each.larger_low <= truth <= each.larger_high for each in found]
    assert np.mean(covered) >= 0.9


def test_what_is_hidden_is_never_more_than_the_keys_allow() -> None:
    task = make_task(0.1, mechanism="grr")
    for seed in range(30):
        sets = estimate(collected(task, seed, zipf_sets(np.full(30, 3), KEYS, np.random.default_rng(1)))).sets
        assert 0 <= sets.hidden <= sets.hidden_high <= 1 - PADDING / KEYS
        assert 0 <= sets.larger_low <= sets.larger <= sets.larger_high <= 1


def test_without_the_question_intervals_reach_to_what_is_possible() -> None:
    task = make_task(4, mechanism="ue", size_share="0")
    found = estimate(collected(task, 1, people()))
    truth = people().truth[0]
    assert (found.frequency_high >= np.minimum(truth, 1)).all()
    assert found.sets.factor == KEYS / PADDING
    assert "Nobody has said" in found.verdict[1]


@pytest.mark.parametrize(
    "options", [{"more": "refuse", "size_share": "0", "padding": 5}, {"padding": KEYS, "size_share": "0"}]
)
def test_nothing_is_added_where_nobody_can_hold_more(options: dict[str, object]) -> None:
    sets = estimate(collected(make_task(1, **options), 1, people())).sets
    assert (sets.larger_high, sets.hidden_high, sets.factor) == (0, 0, 1)
