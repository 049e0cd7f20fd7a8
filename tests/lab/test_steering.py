"""Hostile reports that say what is wanted of one key, and of how many pairs a participant holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from experiments.steering import SAYINGS, possible_sayings, size_answers, steered_reports
from pckv import Tally, Task
from pckv.tally.decode.support import key_support

MECHANISMS = ["ue", "grr", "ue-compact", {"name": "ue-compact", "q": 7, "r": 3, "o": 1}, "collision"]


def make_task(mechanism: object) -> Task:
    return Task(name="t", keys=40, values=(-1, 1), epsilon=2, padding=2, mechanism=mechanism)  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_all_reports_say_what_is_wanted(mechanism: object) -> None:
    task = make_task(mechanism)
    for says in possible_sayings(task.law):
        tally = Tally(task)
        tally.add_many(steered_reports(task, 5, says, 50, default_rng(1)))
        support = key_support(tally, np.array([5]))
        assert tuple(support.counts[::-1, 0]) == tuple(50 * flag for flag in SAYINGS[says])


def test_both_signs_only_where_one_report_can_support_both() -> None:
    able = ["both" in possible_sayings(make_task(mechanism).law) for mechanism in MECHANISMS]
    assert able == [False, False, False, True, True]
    with pytest.raises(ValueError, match="no report says both of key 3"):
        steered_reports(make_task("grr"), 3, "both", 1, default_rng(1))


def test_answers_to_the_size_question() -> None:
    task = make_task("grr")
    tally = Tally(task)
    tally.add_many(size_answers(task, 2, 7))
    assert tally.size_answers.tolist() == [0, 0, 7, 0]
