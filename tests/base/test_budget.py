"""Budgets: rational bounds of e^ε, composition, allocation, and how ε is shown."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.base.budget import ALLOCATIONS, PRECISION_BITS, allocate, epsilon_of, exp_lower
from pckv.base.errors import ParameterError

EPSILONS = st.decimals("0.0001", "20", places=4).map(Fraction)


def taylor_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """An independent enclosure of e^x for x ≤ 1: the series, and the series plus its remainder."""
    term, total = Fraction(1), Fraction(0)
    for k in range(120):
        total += term
        term = term * x / (k + 1)
    return total, total + 2 * term


@given(st.decimals("0.0001", "1", places=6).map(Fraction))
def test_exp_lower_is_below_and_close(epsilon: Fraction) -> None:
    low, high = taylor_bounds(epsilon)
    bound = exp_lower(epsilon)
    assert bound <= high
    assert low - bound < Fraction(1, 2 ** (PRECISION_BITS - 1))


@given(EPSILONS)
def test_exp_lower_squares_from_below(epsilon: Fraction) -> None:
    bound, half = exp_lower(epsilon), exp_lower(epsilon / 2)
    assert bound <= half * half + Fraction(1, 2**200)
    assert math.isclose(float(bound), math.exp(float(epsilon)), rel_tol=1e-14)


@given(st.fractions(Fraction(1001, 1000), Fraction(10**8)))
def test_epsilon_is_rounded_up_by_less_than_a_step(ratio: Fraction) -> None:
    epsilon = Fraction(repr(epsilon_of(ratio)))
    assert exp_lower(epsilon) >= ratio
    assert exp_lower(epsilon - Fraction(2, 10**15) - epsilon / 2**50) < ratio


def test_epsilon_of_nothing_is_zero() -> None:
    assert epsilon_of(Fraction(1)) == 0


@given(EPSILONS, st.integers(1, 1000))
def test_tight_allocations_compose_to_epsilon(epsilon: Fraction, padding: int) -> None:
    for allocation in ("optimized", "non-optimized"):
        assert allocate(allocation, epsilon, padding).composed(padding) == exp_lower(epsilon)


@given(EPSILONS)
def test_theorem_2_is_theorem_3_at_padding_1(epsilon: Fraction) -> None:
    for allocation in ALLOCATIONS:
        budget = allocate(allocation, epsilon)
        theorem_2 = max(budget.value, budget.key * 2 / (1 + 1 / budget.value))
        assert budget.composed() == theorem_2


def test_naive_allocation_wastes_budget() -> None:
    # At ε = 1 the exact loss of ue under the naive allocation is only .719.
    assert epsilon_of(allocate("naive", Fraction(1)).composed()) == pytest.approx(0.719, abs=5e-4)


def test_paper_formulas() -> None:
    e = math.e
    ue, grr = allocate("optimized", Fraction(1)), allocate("optimized", Fraction(1), 3)
    assert float(ue.key) == pytest.approx((e + 1) / 2)
    assert float(ue.value) == pytest.approx(e)
    assert float(grr.key) == pytest.approx(3 * (e - 1) / 2 + 1)
    assert float(grr.value) == pytest.approx(3 * (e - 1) + 1)
    assert float(allocate("non-optimized", Fraction(1)).key) == pytest.approx((e + math.sqrt(e)) / 2)


def test_unknown_allocation() -> None:
    with pytest.raises(ParameterError, match="choose from optimized"):
        allocate("generous", Fraction(1))
