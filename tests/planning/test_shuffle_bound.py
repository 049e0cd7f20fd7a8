"""How the bound on shuffled reports is computed: always upward, and close to the exact sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from pckv.base.arrays import Floats
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.planning import shuffle as shuffle_bound
from pckv.planning.planner import plan
from pckv.planning.shuffle import ShuffleBound
from support.shuffles import plain_sum, theorem

Monkey = pytest.MonkeyPatch
# How far from 1 to R the mean likelihood is, π; from one half on, both sets' likelihoods are the largest at once.
SPREADS = tuple(map(Fraction, ("0.001", "0.1", "0.4", "0.5", "0.6", "0.95")))
RATIOS = (*map(Fraction, ("1.01", "1.7", "8", "400")), exp_lower(Fraction(9)), exp_lower(Fraction(20)))
SHARES_OF_EPSILON = tuple(map(Fraction, ("0.01", "0.2", "0.7")))


def bound_with(reports: int, spread: Fraction, ratio: Fraction) -> ShuffleBound:
    return ShuffleBound(reports, 1 / (1 + spread * (ratio - 1)), ratio)


def rounded_epsilon(share: Fraction, ratio: Fraction) -> Fraction:
    return Fraction(f"{float(share) * math.log(ratio):.6f}")


def cells(reports: int) -> list[tuple[float, float]]:
    """What the bound says, and the exact sum."""
    found = []
    for spread in SPREADS:
        for ratio in RATIOS:
            bound = bound_with(reports, spread, ratio)
            for share in SHARES_OF_EPSILON:
                epsilon = rounded_epsilon(share, ratio)
                exact = theorem(reports, bound.blanket, ratio, exp_lower(epsilon))
                found.append((bound.delta(epsilon), float(exact)))
    return found


@pytest.mark.parametrize("reports", [1, 2, 3, 7])
def test_small_sums_in_fractions(reports: int) -> None:
    for said, exact in cells(reports):
        assert exact <= said <= exact * (1 + 2 * shuffle_bound.ROUNDING) + 1e-40


def below(reports: int) -> int:
    """In how many cells the bound is below the exact sum."""
    return sum(said < exact for said, exact in cells(reports))


@pytest.mark.parametrize("exponent", [0.01, 0.3])
def test_what_is_cut_off_counts_in_full(monkeypatch: Monkey, exponent: float) -> None:
    monkeypatch.setattr(shuffle_bound, "TAIL_EXPONENT", exponent)
    assert not below(7)
    relative = shuffle_bound._relative

    def without_the_rest(ratios: Floats) -> tuple[Floats, Floats]:
        weights, outside = relative(ratios)
        return weights, np.zeros_like(outside)

    monkeypatch.setattr(shuffle_bound, "_relative", without_the_rest)
    assert below(7)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_groups_round_upward(monkeypatch: Monkey, groups: int) -> None:
    monkeypatch.setattr(shuffle_bound, "MAX_GROUPS", groups)
    assert not below(7)


Rows = Callable[[ShuffleBound, Floats, Floats, Floats], object]


def test_groups_that_round_downward_are_caught(monkeypatch: Monkey) -> None:
    monkeypatch.setattr(shuffle_bound, "MAX_GROUPS", 4)
    rows: Rows = ShuffleBound._rows
    monkeypatch.setattr(ShuffleBound, "_rows", lambda self, chances, least, most: rows(self, chances, most, least))
    assert below(7)


def test_smaller_tables_round_upward(monkeypatch: Monkey) -> None:
    bound, epsilon = bound_with(3000, Fraction("0.1"), Fraction(8)), Fraction("0.3")
    whole = bound.delta(epsilon)
    monkeypatch.setattr(shuffle_bound, "MAX_TABLE", 2**15)
    in_parts = bound_with(3000, Fraction("0.1"), Fraction(8))
    assert len(in_parts._tables) > len(bound._tables)
    assert whole <= in_parts.delta(epsilon) < 5 * whole


@pytest.mark.parametrize("reports", [200, 1500])
@pytest.mark.parametrize("spread", ["0.01", "0.3", "0.8"])
@pytest.mark.parametrize("ratio", [2, 50])
def test_sums_over_many_reports(reports: int, spread: str, ratio: int) -> None:
    bound = bound_with(reports, Fraction(spread), Fraction(ratio))
    central = bound.epsilon(1e-6)
    distributions = (bound.blanket, bound.ratio)
    assert plain_sum(reports, *distributions, central) <= 1e-6 < plain_sum(reports, *distributions, 0.98 * central)


@pytest.mark.parametrize("power", range(3, 19))
def test_every_order_of_magnitude(power: int) -> None:
    """A number of reports per octave: the plain sum is below the bound, and not far below."""
    reports = 2**power + 2**power * (7 * power % 11) // 11
    bound = bound_with(reports, Fraction("0.05"), Fraction(20))
    epsilon = Fraction(f"{float(bound.epsilon(1e-5)):.4g}")
    exact = plain_sum(reports, bound.blanket, bound.ratio, float(epsilon))
    assert exact <= bound.delta(epsilon) <= 1.05 * exact + 1e-12


@pytest.mark.parametrize("power", range(9))
def test_epsilon_reaches_delta_up_to_many_reports(power: int) -> None:
    bound = bound_with(3 * 10**power, Fraction("0.02"), Fraction(30))
    assert bound.delta(Fraction(str(bound.epsilon(1e-9)))) <= 1e-9


def test_more_reports_and_a_larger_delta_help() -> None:
    def central(reports: int, delta: float) -> float:
        return bound_with(reports, Fraction("0.05"), Fraction(20)).epsilon(delta)

    by_reports = [central(10**power, 1e-8) for power in (0, 1, 2, 4, 6, 9)]
    assert by_reports == sorted(by_reports, reverse=True)
    assert by_reports[-1] < by_reports[0] / 1000
    by_delta = [central(1000, delta) for delta in (1e-300, 1e-30, 1e-12, 1e-3, 0.5)]
    assert by_delta == sorted(by_delta, reverse=True)


def test_epsilon_and_delta_agree() -> None:
    bound = bound_with(5000, Fraction("0.05"), Fraction(20))
    epsilon = bound.epsilon(1e-8)
    assert bound.delta(Fraction(str(epsilon))) <= 1e-8 < bound.delta(Fraction(str(0.9999 * epsilon)))


def test_beyond_the_local_epsilon_nothing_fails() -> None:
    bound = bound_with(10, Fraction("0.3"), exp_lower(Fraction(2)))
    assert bound.delta(Fraction(2)) == 0
    assert bound.delta(Fraction("1.9")) > 0
    assert bound.epsilon(1e-300) == 2


def test_reports_that_say_nothing_have_no_loss() -> None:
    assert ShuffleBound(5, Fraction(1), Fraction(3)).delta(Fraction(0)) == 0
    assert ShuffleBound(5, Fraction(1), Fraction(1)).epsilon(0.1) == 0


@pytest.mark.parametrize(
    ("blanket", "ratio"),
    [(Fraction(0), Fraction(2)), (Fraction(2), Fraction(2)), (Fraction(1, 3), Fraction(2))],
)
def test_constants_that_no_law_has_are_refused(blanket: Fraction, ratio: Fraction) -> None:
    with pytest.raises(ParameterError, match="no law can be between these bounds"):
        ShuffleBound(5, blanket, ratio)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1, "delta": 1e-7}, "say how many reports are shuffled"),
        ({"epsilon": 1, "shuffled": 10}, "a shuffle needs delta"),
        ({"shuffled": 10, "delta": 1e-7}, "either epsilon or the central epsilon"),
        (
            {"epsilon": 1, "central": 1, "shuffled": 10, "delta": 1e-7},
            "either epsilon or the central epsilon",
        ),
        ({"central": 1}, "only shuffled reports have a central epsilon"),
    ],
)
def test_half_a_shuffle_is_refused_by_plans(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(100, 1000, **options)  # type: ignore[arg-type]
