"""The public hash functions of `collision`: equal bits everywhere, and practically independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats

from pckv.channels.hashing import hashed, mix, reduced, symbol_start


def test_hashing_is_the_same_in_numpy_and_in_pythons_integers() -> None:
    rng = default_rng(3)
    functions = [0, 1, 2**32 - 1, *rng.integers(0, 2**32, 50).tolist()]
    items = [0, 1, 2**32 - 1, *rng.integers(0, 2**32, 50).tolist()]
    for symbols in (2, 3, 46, 2**31 - 1):
        one_by_one = [[reduced(hashed(f, item), symbols) for item in items] for f in functions]
        numbers = hashed(np.array(functions, np.uint64)[:, None], np.array(items, np.uint64))
        assert reduced(numbers, symbols).tolist() == one_by_one
        for number, symbol in zip(numbers[0].tolist(), one_by_one[0], strict=True):
            assert symbol == number * symbols >> 64
            assert symbol_start(symbol, symbols) <= number < symbol_start(symbol + 1, symbols)
    assert (symbol_start(0, 7), symbol_start(7, 7)) == (0, 2**64)


def test_mixing_is_a_permutation_that_spreads_every_bit() -> None:
    """Every step is invertible, and one changed bit changes half of the bits, to within 3 of 64 on average."""
    numbers = default_rng(5).integers(0, 2**63, 20_000).astype(np.uint64)
    assert np.unique(mix(numbers)).size == np.unique(numbers).size
    for bit in range(64):
        changed = np.bitwise_count(mix(numbers) ^ mix(numbers ^ np.uint64(1 << bit)))
        assert abs(changed.mean() - 32) < 3


FUNCTIONS_TRIED = 2**21
# Items close together, as the two signs of a key and neighbouring keys are, and far apart.
TRIPLES = ((0, 1, 2), (1, 2, 4), (100, 101, 103), (0, 2**31, 2**32 - 1))


def symbols_of(family: str, functions: NDArray[np.uint64], item: int, symbols: int) -> Any:
    if family == "affine":
        # (a·x + c mod p) reduced to symbols: enumeration showed that this is biased.
        prime = np.uint64(2**31 - 1)
        numbers = (mix(functions) % prime * np.uint64(item % (2**31 - 1)) + functions % prime) % prime
        return (numbers * np.uint64(symbols) // prime).astype(np.int64)
    items = np.full(1, item, np.uint64)
    return reduced(hashed(functions, items), symbols).astype(np.int64)


def independence_p(family: str, symbols: int) -> float:
    """The least p-value of χ² over all pairs and triples: their joint symbols against the uniform law."""
    functions = np.arange(FUNCTIONS_TRIED, dtype=np.uint64)
    least = 1.0
    for triple in TRIPLES:
        sent = [symbols_of(family, functions, item, symbols) for item in triple]
        for group in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
            code = sum(sent[index] * symbols**digit for digit, index in enumerate(group))
            observed = np.bincount(code, minlength=symbols ** len(group))
            expected = FUNCTIONS_TRIED / symbols ** len(group)
            statistic = float(((observed - expected) ** 2 / expected).sum())
            least = min(least, float(stats.chi2.sf(statistic, observed.size - 1)))
    return least


@pytest.mark.parametrize("symbols", [3, 8, 46])
def test_hashes_of_pairs_and_triples_are_independent(symbols: int) -> None:
    """χ² over the first 2^21 functions, α = 1e-6 over all 16 groups (Bonferroni); each cell expects at least 21.

    Power: chances of pairs that are wrong by 2 % give a noncentrality of 2^21/2500 = 839 against at most 2115
    degrees of freedom, 13 standard deviations. The control, an affine family, must fail.
    """
    assert independence_p("mixed", symbols) > 1e-6 / 16
    assert independence_p("affine", symbols) < 1e-6 / 16
