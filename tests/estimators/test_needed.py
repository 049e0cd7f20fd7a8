"""Precision: the ranges that more reports would bring, and what no number of reports can show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from pckv import Task
from pckv.estimators.needed import Precision
from pckv.estimators.sets import SetSummary
from pckv.planning.people import expect
from pckv.planning.prediction import users_for
from pckv.planning.sections import HALF_RANGE
from pckv.planning.set_sizes import SetSizes
from pckv.statistics.moments import CountMoments
from support.collectors import new_task

# The shares of people at the ends of the size question: none above the padding, a few, most of them.
SHARES = ((1.0, 0.0, 0.0, 0.0), (0.9, 0.05, 0.05, 0.0), (0.97, 0.0, 0.0, 0.03), (0.1, 0.2, 0.6, 0.1))


def known_sizes(task: Task, shares: Sequence[float], unsure: float = 0.0, answers: int = 1000) -> SetSummary:
    """Return what would be known of the sizes if these were the shares, and the limit `unsure` above that."""
    assert task.size_question is not None
    hidden = sum(share * float(part) for share, part in zip(shares, task.size_question.hidden, strict=True))
    above = 1 - shares[0]
    return SetSummary(
        padding=task.padding,
        more=task.more,
        answers=answers,
        ends=task.size_question.ends,
        shares=tuple(shares),
        larger=above,
        larger_low=above,
        larger_high=above,
        hidden=hidden,
        hidden_high=hidden + unsure,
        factor=task.key_count / task.padding,
    )


@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision"])
def test_precision_never_promises_what_a_plan_denies(mechanism: str, shares: Sequence[float]) -> None:
    task = new_task(keys=100, padding=3, mechanism=mechanism)
    sets = known_sizes(task, shares)
    assert task.size_question is not None
    measured = SetSizes.of_shares(task.size_question.ends, shares)
    for frequency, wanted in itertools.product((0.01, 0.05, 0.4), (0.001, 0.01, 0.1)):
        expected = expect(100, sizes=measured, frequency=frequency)
        seen = expected.shown(task.padding)[0] / frequency
        precision = Precision(task, sets, 20_000, frequency)
        needed = precision.needed(wanted)
        # A plan's errors are smaller: it adds the square of what is hidden, a range what is hidden itself.
        planned = users_for(task.law, frequency, wanted / HALF_RANGE, seen, Fraction(str(task.size_share)))
        # Where no participant holds more, they are the same, and a number is given.
        if not sets.hidden:
            assert needed == planned
        elif needed is not None:
            assert precision.half_range(needed) <= wanted
            assert needed > precision.needed_for_noise(wanted)
    assert (needed is not None) == (sets.hidden < wanted)


def test_more_reports_tell_how_much_is_hidden() -> None:
    task = new_task(keys=100, padding=3, size_share="0.05")
    unsure, sure = (known_sizes(task, SHARES[0], width) for width in (0.05, 0.0))
    precision = Precision(task, unsure, 20_000, 0.2)
    needed, with_known_sizes = precision.needed(0.04), Precision(task, sure, 20_000, 0.2).needed(0.04)
    assert needed is not None
    assert with_known_sizes is not None
    assert needed > with_known_sizes == precision.needed_for_noise(0.04)
    variance = CountMoments.of(task.law.count_law, left_out=0.05).frequency_variance(0.2)
    noise = math.sqrt(variance / (0.95 * needed))
    assert HALF_RANGE * noise + precision.hidden(needed) == pytest.approx(0.04, rel=1e-3)


def test_the_curve_ends_at_what_is_hidden() -> None:
    task = new_task(keys=100, padding=3)
    precision = Precision(task, known_sizes(task, SHARES[3]), 10**9, 0.4)
    hidden = precision.hidden(10**9)
    assert hidden > 0.1
    *_, (reports, error) = curve = precision.curve()
    assert reports == pytest.approx(10**10)
    assert error == pytest.approx(hidden, rel=1e-3)
    assert min(error for _, error in curve) >= hidden
