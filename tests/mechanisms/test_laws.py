"""Laws: the paper's probabilities, the recipe's integers, the exact guarantee."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from pckv.base.budget import ALLOCATIONS, epsilon_of, exp_lower
from pckv.base.limits import MIN_EPSILON
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from support.worst_ratio import worst_ratio

N = 2**64
GRID = list(itertools.product(("ue", "grr"), ALLOCATIONS, (1, 2, 3, 4), (1, 2, 3), ("0.1", "0.5", "1", "2", "4")))


def test_the_grid_is_large_enough() -> None:
    assert len(GRID) >= 150


@pytest.mark.parametrize("name", ["ue", "grr"])
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_exact_epsilon(name: str, allocation: str) -> None:
    """Every input set at every output, in fractions: within the claim, and reaching it where it can."""
    for _, _, keys, padding, epsilon in (case for case in GRID if case[:2] == (name, allocation)):
        law = build(name, keys, padding, Fraction(epsilon), {"allocation": allocation})
        exact = worst_ratio(law.distribution, keys)
        assert exact <= law.realised <= law.claim
        assert law.claim <= exp_lower(Fraction(epsilon))
        # Without dummies, ue reaches the worst case only if there are keys for two disjoint sets.
        reaches = name == "grr" or keys >= (padding if allocation == "optimized" else 2 * padding)
        if reaches:
            assert epsilon_of(exact) >= epsilon_of(law.claim) - 1e-9


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "6", "20"])
@pytest.mark.parametrize("keys", [1, 100, 10**6, 2**31])
@pytest.mark.parametrize("padding", [1, 3])
def test_recipe_integers(epsilon: str, keys: int, padding: int) -> None:
    """The thresholds of the optimized allocation, written out as the recipe has them."""
    e = exp_lower(Fraction(epsilon))
    ue = UeLaw(keys, padding, Fraction(epsilon))
    minus = math.ceil(Fraction(N // 2) / (e + 1))
    plus = N // 2 - minus
    assert (ue.silent, ue.flipped, ue.kept) == (N // 2, minus, plus)
    assert ue.fake == math.ceil(Fraction(plus * N) / (e * (N // 2) + 2 * plus))
    grr = GrrLaw(keys, padding, Fraction(epsilon))
    gain, symbols = padding * (e - 1) + 1, 2 * (keys + padding)
    kept = math.floor(N * gain / (gain + symbols - 1))
    other = Fraction(N - kept, symbols - 1)
    assert (grr.kept, grr.flipped) == (kept, 0)
    assert grr.realised == (kept + (padding - 1) * other) / (padding * other)
    compact = UeCompactLaw(keys, padding, Fraction(epsilon))
    small = UeCompactLaw(keys, padding, Fraction(epsilon), 3)
    for words_law in (compact, small):
        kept = math.floor(N * e / (e + words_law.q - 1))
        assert words_law.kept == kept
        assert words_law.realised == Fraction(kept * (words_law.q - 1), N - kept)
        assert words_law.functions > keys >= words_law.functions // words_law.q
    for law in (ue, grr, compact, small):
        assert law.realised <= e


@pytest.mark.parametrize("name", sorted(LAWS))
@pytest.mark.parametrize("padding", [1, 3, 100, 10_000])
def test_rounding_makes_the_realised_epsilon_hardly_smaller(name: str, padding: int) -> None:
    for epsilon, keys in itertools.product(("0.01", "0.037", "0.1", "1", "6", "19.5", "20"), (10_000, 2**29, 2**31)):
        law = build(name, min(keys, LAWS[name].max_keys), padding, Fraction(epsilon), {})
        assert 0 <= float(epsilon) - epsilon_of(law.realised) < 1e-9


@pytest.mark.parametrize("keys", [1, 2, 1000, 10**6 + 7, 2**31])
@pytest.mark.parametrize("padding", [1, 2, 977, 2**31])
def test_rounding_favours_privacy_at_the_smallest_epsilon(keys: int, padding: int) -> None:
    for name, allocation, factor in itertools.product(("ue", "grr"), ALLOCATIONS, (1, 3, 1000)):
        law = build(name, keys, padding, MIN_EPSILON * factor, {"allocation": allocation})
        assert law.realised <= law.claim <= exp_lower(MIN_EPSILON * factor)
    for q, factor in itertools.product((None, 3, 2097143, 3037000493), (1, 3, 1000)):
        compact = UeCompactLaw(keys, padding, MIN_EPSILON * factor, q)
        # Nor is the true residue ever less likely than another one.
        assert 1 <= compact.sampled.own / compact.sampled.other == compact.realised <= compact.claim


@pytest.mark.parametrize(("name", "keys", "padding"), [("ue", 2, 3), ("grr", 3, 4), ("grr", 1, 5)])
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_dummies_are_summed_as_if_one_by_one(name: str, keys: int, padding: int, allocation: str) -> None:
    law = build(name, keys, padding, Fraction(1), {"allocation": allocation})
    assert isinstance(law, SamplingLaw)
    dummies = list(itertools.product(range(keys, keys + padding), (1, 0)))
    for message in law.messages():
        one_by_one = sum(law.pair_weight(message, dummy, level) for dummy, level in dummies)
        assert one_by_one == law.dummy_weight(message)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize(("keys", "q"), [(1, 3), (100, None), (5850, 7), (26744, None), (2**31, 2097143)])
def test_compact_probabilities(epsilon: float, keys: int, q: int | None) -> None:
    """PCKV-UE's law with a = (E+1)/(E+q-1), b = 2/q, p = E/(E+1); at q = E+3 it is the paper's own."""
    e, law = math.exp(epsilon), UeCompactLaw(keys, 2, Fraction(str(epsilon)), q)
    a, b, p = law.probabilities
    assert float(a) == pytest.approx((e + 1) / (e + law.q - 1), rel=1e-9)
    assert b == Fraction(2, law.q)
    assert float(p) == pytest.approx(e / (e + 1), rel=1e-9)


def test_all_dummies_are_one_more_key() -> None:
    for keys, padding, q in itertools.product((1, 2, 3), (1, 2, 3), (3, 5)):
        law = UeCompactLaw(keys, padding, Fraction(1), q)
        total = 0
        for word in law.messages():
            weight = padding * sum(law.pair_weight(word, keys, level) for level in (1, 0))
            assert weight == law.dummy_weight(word)
            total += weight
        assert total == 2 * padding * law.pair_total


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize(("keys", "padding"), [(1, 1), (100, 1), (5850, 2), (26744, 100)])
def test_paper_probabilities(allocation: str, epsilon: float, keys: int, padding: int) -> None:
    e, half = math.exp(epsilon), math.exp(epsilon / 2)
    others = keys + padding - 1
    budgets = {
        "optimized": {"ue": ((e + 1) / 2, e), "grr": (padding * (e - 1) / 2 + 1, padding * (e - 1) + 1)},
        "non-optimized": {
            "ue": ((e + half) / 2, half),
            "grr": ((padding * (e - 1) + 1) * (1 + 1 / half) / 2, half),
        },
        "naive": {"ue": (half, half), "grr": (half, half)},
    }[allocation]
    for name in ("ue", "grr"):
        key, value = budgets[name]
        a, b, p = build(name, keys, padding, Fraction(str(epsilon)), {"allocation": allocation}).probabilities
        expected_a = 0.5 if name == "ue" else key / (key + others)
        expected_b = 1 / (key + 1) if name == "ue" else (1 - expected_a) / others
        assert float(a) == pytest.approx(expected_a, rel=1e-9)
        assert float(b) == pytest.approx(expected_b, rel=1e-9)
        assert float(p) == pytest.approx(value / (value + 1), rel=1e-9)
