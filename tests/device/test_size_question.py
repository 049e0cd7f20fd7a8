"""The device half of the size question: thresholds hit exactly, and the vectorised answers are the scalar ones."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task, perturb
from pckv.base.errors import PairsError
from pckv.base.population import Population
from pckv.base.randomness import Tape, fixed_source
from pckv.device.perturb import make_message, read_pairs
from pckv.device.vectorised import VectorisedTape, answer_sizes, perturb_many
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.size_question.device import answer

LAST = 2**64 - 1


def make_task(mechanism: str = "grr", keys: int = 12, padding: int = 2, **members: Any) -> Task:
    parts: dict[str, Any] = {"name": "t", "values": (-1, 1), "epsilon": 2, "size_share": "0.25"}
    return Task(keys=keys, padding=padding, mechanism=mechanism, **(parts | members))


def tape_of(*draws: int) -> Tape:
    return Tape(len(draws), fixed_source(bytes(16) + struct.pack(f"<{len(draws)}Q", *draws)))


def pairs_of(task: Task, size: int) -> list[Pair]:
    return read_pairs(task, {task.key_name(key): 1.0 for key in range(size)})


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision"])
def test_the_first_draw_decides_which_question_is_answered(mechanism: str) -> None:
    """Whatever the pairs, T - 1 asks the size and T does not; what follows is each question's own."""
    task = make_task(mechanism)
    question, first = task.size_question, task.law.word_limit
    assert question is not None
    assert first is not None
    for size in range(task.key_count + 1):
        pairs = pairs_of(task, size)
        asked = make_message(task, pairs, tape_of(question.asked - 1, 0, 0))
        assert asked == first + answer(question, size, tape_of(0, 0))
        assert make_message(task, pairs, tape_of(question.asked, *[0] * task.draws)) < first


def test_thresholds_are_hit_exactly() -> None:
    question = make_task().size_question
    assert question is not None
    assert question.ends == (2, 3, 8, 12)
    for size, true in ((0, 0), (1, 0), (2, 0), (3, 1), (8, 2), (12, 3)):
        assert answer(question, size, tape_of(question.kept - 1)) == true
        others = [answer(question, size, tape_of(question.kept, other)) for other in range(3)]
        assert others == [end for end in range(4) if end != true]
        # The incomplete last run of three is drawn again.
        assert answer(question, size, tape_of(LAST, LAST, 2)) == others[2]
    for size in (4, 7, 9, 11):
        rounding = question.rounding(size)
        assert rounding is not None
        lower = rounding.lower
        assert answer(question, size, tape_of(rounding.down - 1, 0)) == lower
        assert answer(question, size, tape_of(rounding.down, 0)) == lower + 1
        assert answer(question, size, tape_of(rounding.total - 1, 0)) == lower + 1


def test_a_task_that_refuses_more_pairs_perturbs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(keys=3, more="refuse", size_share=0)
    held = {"0": 1, "1": 0, "2": -1}
    monkeypatch.setattr("pckv.device.perturb.make_message", lambda *_: pytest.fail("pairs were perturbed"))
    with pytest.raises(PairsError, match="task 't' takes at most 2 pairs, not 3"):
        perturb(task, held)
    people = Population(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2]), np.zeros(5))
    with pytest.raises(PairsError, match="takes at most 2"):
        next(perturb_many(task, people))


@st.composite
def answered(draw: st.DrawFn) -> tuple[Task, int, list[int]]:
    keys = draw(st.integers(2, 60))
    padding = draw(st.integers(1, keys - 1))
    task = make_task(keys=keys, padding=padding, epsilon=draw(st.sampled_from(["0.1", "1", "4"])))
    # Draws at the very ends make rejections likely.
    draws = st.one_of(st.integers(0, LAST), st.integers(LAST - 5, LAST), st.integers(0, 5))
    return task, draw(st.integers(0, keys)), draw(st.lists(draws, min_size=12, max_size=12))


@given(answered())
def test_one_vectorised_answer_is_the_scalar_one(case: tuple[Task, int, list[int]]) -> None:
    """On any tape: both read the same draws in the same order, so that their laws are the same exactly."""
    task, size, draws = case
    draws = [*draws, 0, 0, 0, 0]
    question = task.size_question
    assert question is not None
    source = fixed_source(struct.pack(f"<{len(draws)}Q", *draws))
    many = answer_sizes(question, np.array([size]), np.zeros(1, np.int64), VectorisedTape(source))
    assert many.tolist() == [answer(question, size, tape_of(*draws))]
