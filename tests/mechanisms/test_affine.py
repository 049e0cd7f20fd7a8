"""The public functions of `collision`: primes, generators, where items stand, and equal numbers everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, islice, permutations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats

from pckv.mechanisms.collision.affine import (
    MAX_POSITIONS,
    Number,
    Numbering,
    best_generator,
    is_generator,
    min_positions,
    mix,
    numbers_of,
    reduced,
)
from pckv.mechanisms.collision.law import INDICES, MAX_COUNTED_ITEMS, MAX_SYMBOLS, CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from pckv.mechanisms.primes import is_prime, least_prime
from support.laws import collision_law

TRIED = 30_000
PRIMES = [number for number in range(2, 2_000) if all(number % factor for factor in range(2, number))]


# Primes and generators


def test_primes_are_those_of_the_sieve() -> None:
    prime = np.ones(TRIED, np.bool_)
    prime[:2] = False
    for number in range(2, int(TRIED**0.5) + 1):
        prime[number * number :: number] = False
    assert [is_prime(number) for number in range(TRIED)] == prime.tolist()


def test_large_primes_are_those_of_trial_division() -> None:
    """The numbers next to the largest, and composites that behave like primes for the bases 2, 3 and 5."""
    factors = np.arange(2, 46_341)
    for number in (*range(MAX_POSITIONS - 60, MAX_POSITIONS + 1), *range(2**27, 2**27 + 60)):
        assert is_prime(number) == bool((number % factors).all())
    for composite in (2047, 1_373_653, 25_326_001, 161_304_001, 960_946_321, 1_157_839_381):
        assert not is_prime(composite)
    assert is_prime(MAX_POSITIONS)


def test_the_least_prime_is_the_next() -> None:
    for start in range(2, PRIMES[-1]):
        assert least_prime(start) == next(prime for prime in PRIMES if prime >= start)
    assert least_prime(16 * MAX_SYMBOLS) == least_prime(4 * CollisionLaw.max_keys) == MAX_POSITIONS


def test_positions_are_enough_for_keys_and_symbols() -> None:
    assert [min_positions(*counts) for counts in ((2, 2), (2_730, 256), (2_734, 2), (2, 257))] == [
        4_096,
        4_096,
        4_101,
        4_112,
    ]


def test_generators_are_those_whose_powers_are_all_positions() -> None:
    for positions in islice(PRIMES, 1, 40):
        for number in range(-2, positions + 3):
            power, powers = 1, {1}
            for _ in range(positions):
                power = power * number % positions
                powers.add(power)
            whole = powers == set(range(1, positions)) and 0 < number < positions
            assert is_generator(number, positions) == whole, (number, positions)


@pytest.mark.parametrize("positions", [*PRIMES[1:100], 4_099, 107_077, MAX_POSITIONS])
def test_the_chosen_generator_is_the_least_from_a_share_of_the_positions_on(positions: int) -> None:
    """The least without simple ratios; the least of all where every one of the first hundred has some."""
    chosen = best_generator(positions)
    start = positions * 618_034 // 10**6
    assert is_generator(chosen, positions)
    passed = [number for number in range(start, chosen) if is_generator(number, positions)]
    assert all(simple_ratios(number, positions) for number in passed)
    assert not passed or not simple_ratios(chosen, positions)
    assert start <= chosen < positions
    if positions > 4_000:
        assert not simple_ratios(chosen, positions)


def simple_ratios(generator: int, positions: int) -> list[tuple[int, int]]:
    """Return the distances to two items, at most 20, that are in a ratio of at most 3 to 3, checked one by one."""
    steps = {a: pow(generator, a, positions) - 1 for a in range(-20, 21) if a}
    return [
        (a, b)
        for (a, first), (b, second) in combinations(steps.items(), 2)
        if any(
            (p * first - sign * q * second) % positions == 0 for p in (1, 2, 3) for q in (1, 2, 3) for sign in (1, -1)
        )
    ]


def test_a_generator_with_simple_ratios_is_passed_over() -> None:
    """4326, the first from the share on modulo 7001, sends items 6, 4 and 0 apart by -1 to 1."""
    assert is_generator(4326, 7001)
    assert simple_ratios(4326, 7001)
    assert best_generator(7001) > 4326
    assert not simple_ratios(best_generator(7001), 7001)


# Where items stand


@pytest.mark.parametrize("keys", [1, 2, 3, 50, 1_024, 1_025, 26_744])
def test_items_stand_apart_and_never_at_0(keys: int) -> None:
    """Where the powers are, whether they are computed one by one or from tables."""
    numbering = collision_law(keys, 1).numbering
    items = np.arange(numbering.items)
    places = item_positions(numbering, items)
    assert np.unique(places).size == numbering.items
    assert 0 < places.min() <= places.max() < numbering.positions
    assert numbering.position(items.astype(np.uint64)).tolist() == places.tolist()
    some = [*range(min(keys, 20)), numbering.items // 2, numbering.items - 1]
    powers = [pow(numbering.generator, item, numbering.positions) for item in some]
    assert [numbering.position(item) for item in some] == powers == places[some].tolist()


def test_items_stand_apart_in_families_without_a_spare_position() -> None:
    for positions in PRIMES[1:60]:
        numbering = Numbering(positions - 1, positions, best_generator(positions))
        places = {numbering.position(item) for item in range(numbering.items)}
        assert places == set(range(1, positions))


# Equal numbers everywhere

LARGEST = {
    "items": lambda: collision_law(CollisionLaw.max_keys, 5, "2"),
    "symbols": lambda: collision_law(1_000, 5, "2", MAX_SYMBOLS),
    "counted keys": lambda: collision_law(MAX_COUNTED_ITEMS // 2, 5, "2"),
    "named functions": lambda: collision_law(10, 5, "2", 2**16),
}


def largest_and_random(limit: int, seed: int) -> list[int]:
    chosen = [0, 1, limit - 2, limit - 1, *default_rng(seed).integers(limit, size=300).tolist()]
    return [number for number in chosen if 0 <= number < limit]


@pytest.mark.parametrize("make", LARGEST.values(), ids=LARGEST)
def test_numpy_and_pythons_integers_agree_at_every_step(make: Callable[[], CollisionLaw]) -> None:
    """At the largest sizes: a product of two numbers below 2^31 and another such number, in unsigned 64 bits."""
    law = make()
    items, functions = largest_and_random(law.items, 1), largest_and_random(law.functions, 2)
    item_array, function_array = np.array(items, np.uint64), np.array(functions, np.uint64)
    places = [law.numbering.position(item) for item in items]
    assert law.numbering.position(item_array).tolist() == places
    assert item_positions(law.numbering, np.array(items)).tolist() == places
    numbers = [law.coefficients(function) for function in functions]
    assert list(zip(*(each.tolist() for each in law.coefficients(function_array)), strict=True)) == numbers
    assert all(1 <= factor < law.positions > offset >= 0 for factor, offset in numbers)
    sent = [[law.symbol(function, item) for item in items[:60]] for function in functions]
    assert law.symbol(function_array[:, None], item_array[:60]).tolist() == sent
    assert sent[-1][0] == (numbers[-1][0] * places[0] + numbers[-1][1]) % law.positions % law.symbols


def test_the_largest_product_stays_below_63_bits() -> None:
    """Both factors and what is added are the largest there are, and signed and unsigned numbers agree."""
    law = collision_law(1_000, 5, "2", MAX_SYMBOLS)
    most = law.positions - 1
    assert most == 2**31 - 2
    expected = (most * most + most) % law.positions % law.symbols
    for kind in (np.int64, np.uint64):
        largest = np.array([most], kind)
        assert law.sent_to(largest, largest, largest).tolist() == [expected]


def test_functions_are_named_by_both_numbers_or_by_an_index() -> None:
    named, many_keys = (
        collision_law(MAX_COUNTED_ITEMS // 2, 1),
        collision_law(MAX_COUNTED_ITEMS // 2 + 1, 1),
    )
    assert (named.by_index, many_keys.by_index) == (False, True)
    assert named.functions == named.positions * (named.positions - 1)
    assert many_keys.functions == INDICES == 2**32
    # With 2^18 symbols words would not fit: as many functions as 2^22 positions have, and more.
    fewer, symbols = collision_law(9, 1, "1", 2**18 - 2**12), collision_law(9, 1, "1", 2**18)
    assert (fewer.by_index, symbols.by_index) == (False, True)
    assert symbols.word_limit < fewer.word_limit <= 2**62 < symbols.positions**2 * symbols.symbols


@pytest.mark.parametrize("positions", [5, 7, 11, 13])
def test_numbers_name_every_function_once_and_pairs_of_positions_are_uniform(positions: int) -> None:
    """Over all functions two positions are sent to every two different places exactly once."""
    law = collision_law(2, 1, "1", 3, positions)
    numbers = [law.coefficients(function) for function in range(law.functions)]
    assert sorted(numbers) == [(a, c) for a in range(1, positions) for c in range(positions)]
    assert law.coefficients(law.functions - 1) == (positions - 1, positions - 1)
    for x, y in permutations(range(positions), 2):
        places = sorted(((a * x + c) % positions, (a * y + c) % positions) for a, c in numbers)
        assert places == sorted(permutations(range(positions), 2))


# Functions by index


def test_mixing_is_a_permutation_that_spreads_every_bit() -> None:
    """Every step is invertible, and one changed bit changes half of the bits, to within 3 of 64 on average."""
    numbers = default_rng(5).integers(0, 2**63, 20_000).astype(np.uint64)
    assert np.unique(mix(numbers)).size == np.unique(numbers).size
    for bit in range(64):
        changed = np.bitwise_count(mix(numbers) ^ mix(numbers ^ np.uint64(1 << bit)))
        assert abs(changed.mean() - 32) < 3


def test_reducing_is_a_product_without_its_lower_half() -> None:
    numbers = [0, 1, 2**32 - 1, 2**32, 2**64 - 1, *default_rng(3).integers(0, 2**63, 100).tolist()]
    for count in (1, 2, 46, MAX_POSITIONS, 2**32 - 1):
        expected = [number * count >> 64 for number in numbers]
        assert [reduced(number, count) for number in numbers] == expected
        assert reduced(np.array(numbers, np.uint64), count).tolist() == expected


INDICES_TRIED, CELLS, ALPHA = 2**20, 64, 1e-6
Numbers = Callable[[Number, int], tuple[Number, Number]]


def uniform_p(one: NDArray[np.uint64], other: NDArray[np.uint64], limits: tuple[int, int]) -> float:
    """The p-value of χ² of two numbers, each cut into 64 ranges, against independent uniform ones."""
    cells = [
        (numbers * np.uint64(CELLS) // np.uint64(limit)).astype(np.int64)
        for numbers, limit in zip((one, other), limits, strict=True)
    ]
    observed = np.bincount(cells[0] * CELLS + cells[1], minlength=CELLS**2)
    ends = [-(-np.arange(CELLS + 1) * limit // CELLS) for limit in limits]
    shares = np.outer(*(np.diff(end) / limit for end, limit in zip(ends, limits, strict=True)))
    return float(stats.chisquare(observed, shares.reshape(-1) * observed.sum()).pvalue)


def least_p(numbers: Numbers) -> float:
    """The least p-value over A and C themselves, and over where functions send pairs of positions."""
    positions = collision_law(CollisionLaw.max_keys, 5).positions
    less_one, offset = numbers(np.arange(INDICES_TRIED, dtype=np.uint64), positions)
    found = [uniform_p(less_one, offset, (positions - 1, positions))]
    for pair in ((1, 2), (1, positions - 1), (3, 1_000_003)):
        sent = [((less_one + 1) * np.uint64(x) + offset) % positions for x in pair]
        found.append(uniform_p(sent[0], sent[1], (positions, positions)))
    return min(found)


CONTROLS: dict[str, Numbers] = {
    "the index is taken for both numbers": lambda index, count: (index // count, index % count),
    "both numbers are equal": lambda index, count: (numbers_of(index, count - 1)[0],) * 2,
    "the index is not mixed": lambda index, count: (
        reduced(index << 32, count - 1),
        reduced(mix(index), count),
    ),
}


def test_functions_of_an_index_are_spread_over_all() -> None:
    """χ² over the first 2^20 indices, 4,096 cells, four pairs of numbers: α = 1e-6 over all (Bonferroni).

    Power: chances of cells that are wrong by 4 % give a noncentrality of 2^20·.0016 = 1678 against 4,095 degrees of
    freedom, 18 standard deviations. The controls must fail.
    """
    law = collision_law(CollisionLaw.max_keys, 5)

    def numbers(index: Number, _: int) -> tuple[Number, Number]:
        factor, offset = law.coefficients(index)
        return factor - 1, offset

    assert least_p(numbers) > ALPHA / 4


@pytest.mark.parametrize("wrong", CONTROLS.values(), ids=CONTROLS)
def test_functions_that_are_not_spread_are_found(wrong: Numbers) -> None:
    assert least_p(wrong) < ALPHA / 4


def test_numbers_of_an_index_are_within_their_ranges() -> None:
    for count in (5, 4_099, MAX_POSITIONS):
        less_one, offset = numbers_of(np.arange(100_000, dtype=np.uint64), count)
        assert 0 <= int(less_one.min()) <= int(less_one.max()) < count - 1
        assert 0 <= int(offset.min()) <= int(offset.max()) < count
    assert Fraction(int(less_one.max()), count) > Fraction(999, 1000)
