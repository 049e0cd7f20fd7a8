"""The experiments on the functions of `collision` compute what they say: against exact sums over all functions."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from numpy.random import default_rng

from experiments.collision_accuracy import MixedLaw, add_mixed_supports, mixed_symbols, ratio_with_error
from experiments.collision_bias import biases, positioned, squared_bias
from experiments.collision_kernels import (
    FUNCTIONS_PER_CHOICE,
    ChanceSums,
    PositionedFamily,
    chances_of_all_functions,
    chances_of_some_functions,
    fill_symbols,
    signed_rows,
)
from pckv.base.arrays import Floats, Integers
from pckv.base.population import Population
from pckv.lab.dataset import Dataset
from pckv.mechanisms.collision.affine import LOW_HALF, MASK, START, mix, reduced
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from support.laws import collision_law

KEYS = 10


def own_items(law: CollisionLaw) -> Integers:
    """Return the positions of all items."""
    return item_positions(law.numbering, np.arange(law.items))


def own_family(law: CollisionLaw) -> PositionedFamily:
    """Return the law's functions with its own numbering."""
    return positioned(law, own_items(law), default_rng(1))


@pytest.mark.parametrize(("keys", "padding", "epsilon"), [(1, 1, "0.5"), (1000, 5, "4"), (26_744, 100, "4")])
def test_the_symbols_are_those_of_the_law(keys: int, padding: int, epsilon: str) -> None:
    law = collision_law(keys, padding, epsilon)
    family, items = own_family(law), np.unique(default_rng(2).integers(0, 2 * keys, 500))
    found = np.empty(items.size, np.int32)
    prime = law.positions
    for function in [0, prime * (prime - 1) - 1, *default_rng(3).integers(0, law.functions, 20).tolist()]:
        factor, shift = law.coefficients(function)
        fill_symbols(family.items[items], (float(factor), float(shift)), family, found)
        assert found.tolist() == [law.symbol(function, item) for item in items.tolist()]


def one_pair_law(law: CollisionLaw) -> Fraction:
    """Return β for people with one pair: κ·α + (1 - κ)(1 - α)/(t - 1), κ the chance that two positions collide."""
    prime, symbols, hit = law.positions, law.symbols, Fraction(law.hit, law.one)
    sizes = [len(range(symbol, prime, symbols)) for symbol in range(symbols)]
    collide = Fraction(sum(size * (size - 1) for size in sizes), prime * (prime - 1))
    return collide * hit + (1 - collide) * (1 - hit) / (symbols - 1)


@pytest.mark.parametrize(("positions", "symbols"), [(23, 4), (97, 7), (211, 30)])
def test_the_law_is_exact_for_one_pair(positions: int, symbols: int) -> None:
    """Two positions are sent to every two different places equally often, wherever they stand."""
    law = collision_law(KEYS, 1, "2", symbols, positions)
    family = own_family(law)
    chances = chances_of_all_functions(family.items[3:4], np.arange(positions, dtype=np.float64), family)
    expected = np.full(positions, float(one_pair_law(law)))
    expected[int(family.items[3])] = law.hit / law.one
    assert chances == pytest.approx(expected, rel=1e-12)
    # A key that no participant holds is supported less often than one in t: the test would notice.
    assert float(one_pair_law(law)) != pytest.approx(1 / symbols, rel=1e-4)


def test_the_chances_are_those_of_the_law() -> None:
    """Three pairs, some of which share a symbol under some functions."""
    law = collision_law(KEYS, 3, "1", 5, 23)
    held, own = {0: 1, 4: 0, 7: 1}, [1, 8, 15]
    expected = [
        Fraction(
            sum(
                law.weight(held, function * law.symbols + law.symbol(function, item))
                for function in range(law.functions)
            ),
            law.total(held),
        )
        for item in range(law.items)
    ]
    family = own_family(law)
    chances = chances_of_all_functions(family.items[own], family.items, family)
    assert chances == pytest.approx([float(chance) for chance in expected], rel=1e-12)


def holders(keys: list[int], people: int) -> Dataset:
    """Return people who all hold the same keys with the highest value."""
    rows = np.tile(np.array(keys, np.int32), people)
    offsets = np.arange(people + 1) * len(keys)
    return Dataset("holders", Population(offsets, rows, np.ones(rows.size)), KEYS, -1.0, 1.0)


def test_drawn_functions_give_the_sums_over_all_functions() -> None:
    """200,000 functions; a wrong alarm has α = 22·6·10⁻⁷ at most, since no chance has a deviation above (α - o)/2.

    The control, the sums over all functions for items that stand elsewhere, must differ.
    """
    law = collision_law(KEYS, 3, "2", positions=211)
    family, held = own_family(law), [0, 1, 2]
    choices = 200_000 // FUNCTIONS_PER_CHOICE
    every_item = np.arange(law.items)
    sums = chances_of_some_functions(default_rng(4), signed_rows(holders(held, 5)), family, every_item, choices)
    assert sums.functions == 200_000
    assert sums.pairs == 600_000
    assert sums.held.tolist() == [200_000 * (item in {1, 3, 5}) for item in every_item]
    own = family.items[[2 * key + 1 for key in held]]
    other = (1 - 3 * family.hit) / (family.symbols - 3)
    bound = 5 * (family.hit - other) / 2 / sqrt(sums.functions)
    exact = chances_of_all_functions(own, np.concatenate([family.items, family.unused]), family)
    assert np.abs(sums.supported / sums.functions - exact[: law.items]).max() < bound
    assert abs(sums.unused / sums.functions - exact[law.items :].mean()) < bound
    plain = every_item.astype(np.float64)
    elsewhere = chances_of_all_functions(plain[[2 * key + 1 for key in held]], plain, family)
    assert np.abs(sums.supported / sums.functions - elsewhere).max() > bound


def exact_biases(law: CollisionLaw, items: Integers, held: list[int]) -> Floats:
    """Return the bias of every key where every participant holds the same keys with +, over all functions."""
    family = positioned(law, items, default_rng(1))
    own = np.array([2 * key + 1 for key in held])
    chances = chances_of_all_functions(family.items[own], np.concatenate([family.items, family.unused]), family)
    is_held = np.isin(np.arange(law.items), own).astype(np.int64)
    unused = float(chances[law.items :].mean())
    return biases(ChanceSums(1, chances[: law.items], is_held, unused, len(held)), family.hit)


def test_plain_numbering_is_biased() -> None:
    """With neighbours held together, the keys next to them are far off; powers of a generator leave a tenth of it."""
    law = collision_law(KEYS, 2, "1", positions=499)
    own = exact_biases(law, own_items(law), [4, 5])
    plain = exact_biases(law, np.arange(law.items), [4, 5])
    assert (plain**2).mean() > 10 * (own**2).mean()
    assert (plain**2).mean() > 1e-4


def test_nobody_is_biased_with_one_pair() -> None:
    law = collision_law(KEYS, 2, "1", positions=101)
    assert exact_biases(law, own_items(law), [4]) == pytest.approx(0, abs=1e-12)
    assert np.abs(exact_biases(law, own_items(law), [4, 5])).max() > 1e-3


def test_the_noise_of_blocks_is_left_out() -> None:
    """The mean of 2,000 results is within five of its standard errors of the truth; the plain mean square is not."""
    rng, bias = default_rng(5), np.array([0.3, 0.0, -0.2, 0.0])
    variance = np.full(4, 2.0)
    truth = (bias**2).mean() / 2
    found, naive, errors = [], [], []
    for _ in range(2000):
        blocks = bias + rng.standard_normal((6, 4))
        result = squared_bias(blocks, variance)
        found.append(result.share)
        errors.append(result.error)
        naive.append((blocks.mean(axis=0) ** 2).mean() / 2)
    error = np.std(found) / sqrt(2000)
    assert abs(np.mean(found) - truth) < 5 * error
    assert np.mean(naive) - truth > 5 * error
    # The jackknife is on the safe side where the bias is no larger than the noise, by at most √2.
    assert 1 < np.sqrt(np.mean(np.square(errors))) / np.std(found) < 1.6


def test_mixed_functions_are_decoded_as_they_are_made() -> None:
    law = MixedLaw(collision_law(20, 3))
    rng = default_rng(6)
    functions = rng.integers(0, law.functions, 300).astype(np.uint64)
    positions = own_items(law).astype(np.uint64)
    words = functions * np.uint64(law.symbols) + rng.integers(0, law.symbols, 300).astype(np.uint64)
    counts = np.ones(positions.size, np.int64)
    add_mixed_supports(words, np.uint64(law.symbols), positions, counts)
    for position, count in zip(positions, counts, strict=True):
        symbols = law.symbol_at(functions, np.full(300, position))
        assert count == 1 + np.sum(symbols == words % np.uint64(law.symbols))


def test_mixed_functions_are_those_of_the_mixer() -> None:
    functions, positions = [0, 1, 2**32 - 1], [1, 4098, 77]
    found = mixed_symbols(np.array(functions, np.uint64), np.array(positions, np.uint64), np.uint64(22))
    for function, position, symbol in zip(functions, positions, found.tolist(), strict=True):
        assert symbol == reduced(mix(mix((function + START) & MASK) ^ position), 22)
    assert LOW_HALF == 2**32 - 1


def test_a_ratio_of_means_has_the_error_of_its_repeats() -> None:
    rng = default_rng(7)
    below = 1 + 0.1 * rng.standard_normal((400, 30))
    above = 1.2 + 0.1 * rng.standard_normal((400, 30))
    results = np.array([ratio_with_error(*rows) for rows in zip(above, below, strict=True)])
    assert results[:, 0].mean() == pytest.approx(1.2, abs=0.01)
    assert results[:, 1].mean() == pytest.approx(results[:, 0].std(), rel=0.15)
    assert ratio_with_error(2 * below[0], below[0]) == pytest.approx((2, 0), abs=1e-12)
