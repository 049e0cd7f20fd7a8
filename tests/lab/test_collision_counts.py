"""Simulated counts of `collision`: their covariances, and what follows for sums over keys."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from experiments.level_few_keys import single_pairs
from pckv.base.population import Population
from pckv.lab import counting
from pckv.lab.counting import SamplingModel, TakenPairs, count_reports
from pckv.lab.dataset import Dataset
from support.laws import collision_law

# Two pairs are taken at most: the last of these people has more.
PEOPLE: tuple[dict[int, int], ...] = ({0: 1, 1: 0}, {0: 1, 1: 1}, {0: 1}, {}, {0: 0, 1: 1, 2: 1})
# All functions over 11 positions, of which 6 are items: 330 words.
LAW = collision_law(3, 2, "2", symbols=3, positions=11)
COLLECTIONS = 2000


def exact_covariances() -> np.ndarray:
    """Covariances of the counts of all items, over all words of every participant: people report independently."""
    words = range(LAW.word_limit)
    supports = np.array(
        [[LAW.symbol(word // 3, item) == word % 3 for item in range(LAW.items)] for word in words], np.float64
    )
    found = np.zeros((LAW.items, LAW.items))
    for held in PEOPLE:
        chances = np.array([LAW.weight(held, word) / LAW.total(held) for word in words])
        mean = chances @ supports
        found += (chances[:, None] * supports).T @ supports - np.outer(mean, mean)
    return found


def model() -> SamplingModel:
    sizes = [len(held) for held in PEOPLE]
    keys = np.array([key for held in PEOPLE for key in held], np.int32)
    values = np.array([2.0 * level - 1 for held in PEOPLE for level in held.values()])
    return SamplingModel(Dataset("t", Population(np.cumsum([0, *sizes]), keys, values), 3, -1, 1))


def simulated(rng: Generator) -> np.ndarray:
    """Counts of all items, one row per collection."""
    people = model()
    return np.array(
        [count_reports(LAW, people.prepare(LAW, rng), rng).support.counts.T.ravel() for _ in range(COLLECTIONS)]
    )


def standard_errors_off(counts: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """How many standard errors each measured covariance is from the exact one."""
    off = counts - counts.mean(axis=0)
    products = off[:, :, None] * off[:, None]
    return np.asarray((products.mean(axis=0) - exact) / (products.std(axis=0) / len(counts) ** 0.5))


def test_covariances_between_keys_are_those_of_all_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """21 covariances of 6 items within 5 standard errors, and the variance of all counts together (α < 1.3e-5).

    2,000 collections: a correlation that is off by .15 is found with power .95. Counts that are drawn key by
    key, the control, are found by the pairs that a participant holds together, and by the sum, whose variance
    is 1.9 × too large.
    """
    exact, everything = exact_covariances(), np.ones((6, 1))
    of_sum = everything.T @ exact @ everything
    counts = simulated(default_rng(1))
    assert np.abs(standard_errors_off(counts, exact)).max() < 5
    assert np.abs(standard_errors_off(counts @ everything, of_sum)).max() < 5
    monkeypatch.setattr(counting, "MAX_SUPPORTS", 0)
    control = simulated(default_rng(2))
    assert np.abs(np.diag(standard_errors_off(control, exact))).max() < 5
    assert standard_errors_off(control, exact)[1, 2] > 5
    assert standard_errors_off(control @ everything, of_sum).max() > 12


def test_two_items_are_supported_together_as_often_as_the_proof_says() -> None:
    """All functions: with nothing held, with one of the two held, and with both, κ being that of proofs/collision.md."""
    alike = Fraction(4 * 3 + 4 * 3 + 3 * 2, 11 * 10)
    hit, words = Fraction(LAW.hit, LAW.one), range(LAW.word_limit)
    for held, chance in (({}, Fraction(1, 3)), ({0: 0}, hit), ({1: 1}, hit), ({0: 0, 1: 1}, hit)):
        both = sum(
            LAW.weight(held, word) for word in words if all(LAW.symbol(word // 3, item) == word % 3 for item in (0, 3))
        )
        assert Fraction(both, LAW.total(held)) == alike * chance


def test_one_pair_each_and_some_of_the_people() -> None:
    taken = single_pairs(np.array([[1, 0], [0, 2]]), 5)
    assert list(zip(taken.keys.tolist(), taken.levels.tolist(), strict=True)) == [(0, 0), (1, 1), (1, 1)]
    assert (taken.owners.tolist(), taken.users) == ([0, 1, 2], 5)
    people = TakenPairs(np.array([0, 0, 2, 2, 3]), np.arange(5), np.zeros(5, np.int64), 4)
    for seed in range(20):
        some = people.of_some(0.5, default_rng(seed))
        kept = np.flatnonzero(default_rng(seed).random(4) < 0.5)
        assert some.users == kept.size
        # Who is kept keeps all of their pairs.
        held = {int(place): some.keys[some.owners == number].tolist() for number, place in enumerate(kept)}
        assert held == {int(place): np.flatnonzero(people.owners == place).tolist() for place in kept}


@pytest.mark.parametrize("most", [1, 2, 5])
def test_everybody_takes_as_many_pairs_as_one_may(most: int) -> None:
    taken = model().take(most, default_rng(3))
    assert np.bincount(taken.owners, minlength=5).tolist() == [min(len(held), most) for held in PEOPLE]
    for owner, key, level in zip(taken.owners, taken.keys, taken.levels, strict=True):
        assert PEOPLE[owner][int(key)] == level
