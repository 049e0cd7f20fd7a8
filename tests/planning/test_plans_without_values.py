"""Plans for keys without values: frequencies, and no word of anything else."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from pckv import Plan, Task, plan
from pckv.base.errors import ParameterError
from pckv.mechanisms.registry import build
from pckv.planning.prediction import predict
from pckv.statistics.moments import CountMoments, Scale
from support.tiers import wide

KINDS: dict[str, dict[str, Any]] = {
    "listed": {"keys": 50, "users": 20_000, "epsilon": 2, "pairs": 2},
    "one choice": {"keys": 12, "users": 500, "epsilon": 1, "more": "refuse"},
    "hashed": {"keys": "hashed", "users": 10**6, "epsilon": 4, "pairs": 3},
    "mixed": {"keys": 20, "users": 5000, "epsilon": 1, "pairs": 2, "mixed": 4000},
    "series": {"keys": 20, "users": 50_000, "epsilon": 2, "panels": 4, "drift": 0.01},
    "few people": {"keys": 100, "users": 20, "epsilon": 1, "pairs": 5, "most_influence": 60},
}
ABOUT_VALUES = re.compile(r"\b(means?|mean_\w+|values? (of|from|is)|pairs?|signs?|levels?|ratings?)\b")
# What JSON calls the number of keys that people hold, whatever they hold with them.
COUNTED = re.compile(r'"(pairs|usual_pairs|assumes_one_pair)"|pckv\.plan')


@pytest.mark.parametrize("kind", ["listed", *wide(*(kind for kind in KINDS if kind != "listed"))])
def test_no_word_of_means(kind: str) -> None:
    """In sections, pages and JSON; the same words are found in a plan for values."""
    planned = plan(**KINDS[kind])
    assert (planned.values, planned.objective) == (None, "frequency")
    texts = said(planned)
    assert {match[0] for text in texts for match in ABOUT_VALUES.finditer(text)} == set()
    rated = plan(**KINDS[kind], values=(1, 5))
    assert {"mean", "means"} <= {match[0] for text in said(rated) for match in ABOUT_VALUES.finditer(text)}
    assert Plan.from_json(planned.to_json()) == planned


def said(planned: Plan) -> tuple[str, ...]:
    """Return all that a plan says, to people and to programs."""
    sections = planned.sections(verbose=True)
    words = [text for each in sections for text in (each.title, *each.sentences, *each.columns, *sum(each.rows, ()))]
    return (*words, planned._repr_html_(), COUNTED.sub("", planned.to_json()))


@pytest.mark.parametrize("kind", ["listed", *wide("one choice", "hashed", "few people")])
def test_a_task_is_what_the_plan_recommends(kind: str) -> None:
    planned = plan(**KINDS[kind])
    task = Task(name="t", **KINDS[kind])
    assert (planned.mechanism, planned.padding, planned.parameters) == (task.mechanism, task.padding, task.parameters)
    assert planned.size_share == task.size_share


def test_errors_are_those_of_the_law() -> None:
    planned = plan(keys=200, users=50_000, epsilon=1, more="refuse")
    law = build(planned.mechanism, 200, planned.padding, Fraction(1), planned.parameters, 1)
    moments = CountMoments.of(law.count_law, scale=Scale((0.0,)))
    for error in planned.errors:
        assert error.frequency_error**2 == pytest.approx(predict(moments, 50_000, error.frequency).frequency)
        assert error.mean_error is None


@pytest.mark.parametrize("epsilon", ["1", *wide("0.5", "2", "4")])
def test_values_take_twice_as_many_people(epsilon: str) -> None:
    """For the same range of the frequency of a rare key, with one choice per person; never fewer with values."""
    asked: dict[str, Any] = {"keys": 1000, "users": 10**5, "epsilon": epsilon, "more": "refuse", "frequency": 0.001}
    alone, rated = plan(**asked), plan(**asked, values=(1, 5), objective="frequency")
    for fewer, more in zip(alone.users_needed, rated.users_needed, strict=True):
        assert fewer.users is not None
        assert more.users is not None
        assert 1.9 * fewer.users <= more.users


@pytest.mark.parametrize("objective", ["both", "mean"])
def test_an_objective_of_means_needs_values(objective: str) -> None:
    message = f"^objective '{objective}' needs values: without them, choose from frequency, mse$"
    with pytest.raises(ParameterError, match=message):
        plan(keys=3, users=100, epsilon=1, objective=objective)
    with pytest.raises(ParameterError, match=message):
        Task(name="t", keys=3, epsilon=1, objective=objective)
    assert plan(keys=3, users=100, epsilon=1, objective=objective, values=(0, 1)).objective == objective


def test_other_objectives() -> None:
    assert [plan(keys=3, users=100, epsilon=1, objective=each).objective for each in (None, "frequency", "mse")] == [
        "frequency",
        "frequency",
        "mse",
    ]
    assert plan(keys=3, users=100, epsilon=1, levels=2).objective == "both"
