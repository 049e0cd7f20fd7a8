"""How the bound on shuffled reports is computed: always upward, and close to the exact sum."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pckv.base.arrays import Floats
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.planning import shuffle as shuffle_bound
from pckv.planning.shuffle import MAX_REPORTS, ShuffleBound
from support.faults import Fault, in_place
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


def check_cut_off(exponent: float) -> None:
    """Assert that what is cut off counts in full, where much is."""
    with Monkey.context() as patch:
        patch.setattr(shuffle_bound, "TAIL_EXPONENT", exponent)
        assert not below(7)


@pytest.mark.parametrize("exponent", [0.01, 0.3])
def test_what_is_cut_off_counts_in_full(monkeypatch: Monkey, exponent: float) -> None:
    check_cut_off(exponent)
    monkeypatch.setattr(shuffle_bound, "TAIL_EXPONENT", exponent)
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


def check_sum(reports: int, spread: str, ratio: str, most: float = 2.0) -> None:
    """Assert that the plain sum, which is off by less than 10^-6, is not above the bound; nor this many times lower."""
    bound = bound_with(reports, Fraction(spread), Fraction(ratio))
    epsilon = Fraction(f"{bound.epsilon(1e-6):.4g}")
    exact = plain_sum(reports, bound.blanket, bound.ratio, float(epsilon))
    assert exact * (1 - 1e-6) <= bound.delta(epsilon) <= most * exact + 1e-12, (reports, spread, ratio)


def sizes_at_limits() -> list[int]:
    """Numbers of reports before and after the number of groups begins to fall, and up to the most."""
    steps = shuffle_bound.MAX_TABLE // shuffle_bound.MAX_GROUPS
    fewer = bisect_right(range(MAX_REPORTS), steps, key=lambda reports: shuffle_bound._half_width(reports, 0.5))
    return [fewer - 1, fewer + 1, 10 * fewer, MAX_REPORTS - 1, MAX_REPORTS]


# Many and few reports that speak for one of two sets, and a likelihood of those that speak for both. Where there are
# few, the groups of T are wide relative to T; where R is large, those of N count.
KINDS = (("0.0005", "20"), ("0.000001", "400"), ("0.00001", "50000"), ("0.05", "20"), ("0.8", "3"))


def test_sums_over_millions_of_reports() -> None:
    check_sum(2 * 10**6, *KINDS[0])
    check_sum(MAX_REPORTS, *KINDS[1])


@pytest.mark.verify
@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_sums_next_to_the_limits(kind: tuple[str, str]) -> None:
    for reports in sizes_at_limits():
        check_sum(reports, *kind)


def test_every_order_of_magnitude() -> None:
    """A number of reports in every other octave, up to the most."""
    for power in range(3, 30, 2):
        check_sum(2**power + 2**power * (7 * power % 11) // 11, "0.05", "20", most=1.05)


LAST_OF_GROUP = "most = np.minimum(first + step * np.arange(1, len(grouped) + 1) - 1, float(self.reports))"
FAULTS = [
    in_place(
        "the largest T of a group is its least above 10^6 reports",
        "planning/shuffle.py",
        {LAST_OF_GROUP: f"{LAST_OF_GROUP} if self.reports <= 10**6 else least"},
        partial(check_sum, 2 * 10**6, *KINDS[0]),
    ),
    in_place(
        "the walk has as many steps as the least T of a group above 10^8 reports",
        "planning/shuffle.py",
        {"walk = _walk(most)": "walk = _walk(most if self.reports < 10**8 else least)"},
        partial(check_sum, MAX_REPORTS, *KINDS[1]),
    ),
    in_place(
        "N is the least of the next group above 10^6 reports",
        "planning/shuffle.py",
        {
            "step * np.arange(still_chances.shape[1])": "step * (np.arange(still_chances.shape[1]) + (self.reports > 10**6))"
        },
        partial(check_sum, 2 * 10**6, *KINDS[2]),
    ),
    in_place(
        "what is cut off T is left out",
        "planning/shuffle.py",
        {"outside += float(self._totals.outside[0])": ""},
        partial(check_cut_off, 0.01),
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_the_sum_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


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
