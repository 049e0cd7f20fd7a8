"""What estimates say of people who hold more pairs than the padding: intervals that reach the truth, and a true summary.

Twenty seeded collections of 4,000 people with 1 to 5 pairs, padding 2: ten top keys each, so that a coverage
of 0.95 has a standard error of about 0.03 even if the keys of one collection miss together. Without the size
question the top intervals miss nearly always, which is the control.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from pckv import Tally, Task, estimate
from pckv.base.arrays import Floats, Integers
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.sets import SECOND_FACTOR, hidden_share, summarise_sets
from pckv.lab.dataset import Dataset
from pckv.lab.populations import zipf_sets

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
    monkeypatch.setattr("pckv.estimators.key_columns.raise_limits", lambda _task, _answers, high, *_: high)
    assert top_coverage(make_task(4)) < 0.5


@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_the_share_of_larger_sets_is_covered(epsilon: float) -> None:
    """100 collections: a coverage of 0.95 has a standard error of 0.022; those who answered are a sample of all.

    The bar is four of them below (α < 1e-4); a coverage of 0.77 is found with power 0.99.
    """
    task = make_task(epsilon, mechanism="grr")
    truth = float(np.mean(people().population.sizes > PADDING))
    found = (summarise_sets(collected(task, seed, people()), 0.95) for seed in range(100))
    covered = [each.larger_low <= truth <= each.larger_high for each in found]
    assert np.mean(covered) >= 0.86


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
    assert re.fullmatch(
        r"How many pairs people hold is not known, and a report stands for at most 2 pairs\. If people hold more, true "
        r"frequencies are higher, up to 20 times, and if people with many pairs give other values than the rest, the "
        r"means are off\. The intervals include both\.",
        found.verdict[0],
    )
    assert found.verdict[1].startswith("The means of ")
    assert "padding" not in found.verdict[1]


@pytest.mark.parametrize(("levels", "means"), [(2, "the means"), (3, "the means, shares and quantiles of values")])
def test_what_larger_sets_mean_is_said_first_in_plain_words(levels: int, means: str) -> None:
    asked = estimate(collected(make_task(4, mechanism="grr", levels=levels), 1, people()))
    assert re.fullmatch(
        rf"\S+ % of people hold more than {PADDING} pairs \(\S+ % to \S+ %\), but a report stands for at most {PADDING}\. So "
        r"frequencies may be too low by up to \S+ points, and if people with many pairs give other values than the rest, "
        rf"{means} are off\. The intervals include both\.",
        asked.verdict[0],
    )


@pytest.mark.parametrize(
    "options", [{"more": "refuse", "size_share": "0", "padding": 5}, {"padding": KEYS, "size_share": "0"}]
)
def test_nothing_is_added_where_nobody_can_hold_more(options: dict[str, object]) -> None:
    sets = estimate(collected(make_task(1, **options), 1, people())).sets
    assert (sets.larger_high, sets.hidden_high, sets.factor) == (0, 0, 1)


def test_the_keys_come_first_where_no_larger_set_shows() -> None:
    """People hold five pairs at most: with that padding none shows, and what may be is said last."""
    found = estimate(collected(make_task(4, mechanism="grr", padding=5), 1, people()))
    assert found.sets.larger_low == 0
    keys, sets = found.verdict
    assert "out from the noise" in keys
    assert re.fullmatch(
        r"Up to \S+ % of people may hold more than the 5 pairs that a report stands for: frequencies may be too low by up to "
        r"\S+ points for that reason, and if people with many pairs give other values than the rest, the means are off\. "
        r"The intervals include both\.",
        sets,
    )
    refused = estimate(collected(make_task(4, mechanism="grr", padding=5, more="refuse", size_share="0"), 1, people()))
    assert refused.verdict[1:] == ("No participant holds more than 5 pairs, by contract.",)


def test_hostile_answers_never_hide_what_honest_ones_show() -> None:
    """Whichever answers are hostile, and however few: the upper end is not below the one of the honest answers alone."""
    task, rng, level = make_task(4), np.random.default_rng(18), 0.95
    ends = len(task.size_question.ends)  # type: ignore[union-attr]

    def upper_ends(answers: Integers, hostile: int) -> Floats:
        bounds = [hidden_share(task, answers, level, hostile, factor) for factor in (1, SECOND_FACTOR)]
        return np.array([bound.raise_limits(np.array([0.01]), np.array([0.02]), level)[0] for bound in bounds])

    for _ in range(300):
        answers = rng.multinomial(rng.integers(2, 60), rng.dirichlet(np.full(ends, 0.1)))
        hostile = int(rng.integers(1, answers.sum()))
        said = np.repeat(np.arange(ends), answers)[rng.integers(0, hostile + 1) :]
        assert (upper_ends(answers, hostile) >= upper_ends(np.bincount(said, minlength=ends), 0) - 1e-12).all()


def test_everybody_holds_all_keys_and_nearly_all_answers_may_be_hostile() -> None:
    task = make_task(4)
    assert task.size_question is not None
    answers = np.zeros(len(task.size_question.ends), np.int64)
    answers[-1] = 28
    # All 28 may be honest: one of them alone, with the added answers, would show less.
    assert hidden_share(task, answers, 0.95, hostile=27).value >= hidden_share(task, answers, 0.95).value
