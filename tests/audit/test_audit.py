"""The audit of a task: both questions, at its own size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pckv import Task, audit
from pckv.auditing.audit import standard_audits
from pckv.auditing.exact import visited_sizes
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.size_question.law import SizeQuestion
from support.tasks import a_task

WITH_WORDS = [name for name in LAWS if name != "ue"]


def make_task(mechanism: str, keys: int, padding: int, **members: Any) -> Task:
    return a_task(keys=keys, padding=padding, mechanism=mechanism, **members)


@pytest.mark.parametrize("mechanism", WITH_WORDS)
@pytest.mark.parametrize(("keys", "padding"), [(2, 1), (3, 2), (100, 5), (10**6, 10), (2**31, 2)])
def test_the_mixture_is_audited_at_any_size(mechanism: str, keys: int, padding: int) -> None:
    keys = min(keys, LAWS[mechanism].max_keys)
    result = audit(make_task(mechanism, keys, padding, size_share="0.05"))
    assert result.holds
    assert result.size_share == 0.05
    assert 0.999999999 < result.size_answers <= result.closed_form <= result.claimed == 1
    assert 0.5 < result.enumerated <= 1


def test_all_sets_are_visited_where_they_are_few() -> None:
    # 27 sets of signed keys, and one with a value inside the range.
    assert audit(make_task("grr", 3, 1, size_share="0.5")).sets == 28


@pytest.mark.parametrize(
    "task",
    [make_task("ue", 3, 1), make_task("grr", 3, 3), make_task("grr", 3, 1, more="refuse")],
    ids=["planes", "as much padding as keys", "refuse"],
)
def test_without_the_question_pairs_alone_are_audited(task: Task) -> None:
    result = audit(task)
    assert (result.holds, result.size_share, result.size_answers) == (True, 0, 0)


def test_standard_audits_ask_sizes_wherever_they_matter(covers_all: bool) -> None:
    """Up to two keys, with `--all` up to three as the command has them."""
    audits = standard_audits() if covers_all else standard_audits(max_keys=2)
    assert all(result.holds for result in audits)
    for result in audits:
        assert (result.size_share > 0) == (result.mechanism != "ue" and result.padding < result.keys)


def test_visited_sizes_reach_every_end_and_between() -> None:
    question = SizeQuestion(100, 5, Fraction(1), Fraction(1, 20))
    sizes = visited_sizes(question)
    assert {0, *question.ends} <= set(sizes)
    roundings = [rounding for size in sizes if (rounding := question.rounding(size)) is not None]
    assert {rounding.lower for rounding in roundings} == {1, 2}
    assert len(sizes) < 30
