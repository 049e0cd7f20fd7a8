"""`ue-compact`: the exact guarantee of one word per report."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from audit.exhaustive import ExhaustiveTape, sampler_law
from pckv.auditing.exact import input_sets
from pckv.base.arrays import Integers
from pckv.base.budget import epsilon_of, exp_lower
from pckv.mechanisms.base import HeldLevels, Support
from pckv.mechanisms.ue_compact import device as ue_compact
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from support.laws import MINUS, PLUS, PRIMES, compact_law
from support.worst_ratio import worst_ratio

EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")


def residues_of(law: UeCompactLaw, words: Integers, key: int) -> Integers:
    """Return the residues of a key in all words."""
    return law.residue(words, np.full(1, key))


def true_halves(law: UeCompactLaw, held: HeldLevels, words: Integers) -> Integers:
    """Return, per word, how many half slots of this input set give it the larger of the two chances.

    A pair's slot counts two halves where the word says the pair's sign, a dummy's slot one where it
    says either sign of key number d.
    """
    halves = np.zeros(words.size, np.int64)
    for key, level in held.items():
        halves += 2 * (residues_of(law, words, key) == (PLUS if level else MINUS))
    dummies = max(law.padding - len(held), 0)
    return np.asarray(halves + dummies * (residues_of(law, words, law.keys) <= MINUS))


def distinct_words(law: UeCompactLaw) -> Integers:
    """Return one word per combination of +, - or nothing over all keys and the dummy; `true_halves` uses nothing else."""
    words = np.arange(law.word_limit)
    codes = np.zeros(law.word_limit, np.int64)
    for key in range(law.keys + 1):
        codes = 3 * codes + np.minimum(residues_of(law, words, key), 2)
    word_of_code = np.full(3 ** (law.keys + 1), -1)
    word_of_code[codes] = words
    return np.asarray(word_of_code[word_of_code >= 0])


def chance(law: UeCompactLaw, halves: int, slots: int) -> Fraction:
    """Return the chance of a word, computed from the law's integers."""
    kept, other = law.kept * (law.q - 1), law.one - law.kept
    return Fraction(halves * kept + (2 * slots - halves) * other, 2 * slots * law.pair_total)


def vectorised_worst_ratio(laws: list[UeCompactLaw]) -> list[Fraction]:
    """Return what `worst_ratio` returns, for laws that differ in ε only."""
    first = laws[0]
    words = distinct_words(first)
    sets = list(input_sets(first.keys))
    halves = np.stack([true_halves(first, held, words) for held in sets], axis=1).tolist()
    slots = [max(len(held), first.padding) for held in sets]
    distributions = {frozenset(zip(row, slots, strict=True)) for row in halves}
    return [
        max(spread([chance(law, *halves_and_slots) for halves_and_slots in word_laws]) for word_laws in distributions)
        for law in laws
    ]


def spread(chances: list[Fraction]) -> Fraction:
    return max(chances) / min(chances)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 2, 1), (3, 3, 2), (3, 4, 3), (5, 5, 2), (11, 2, 3)])
def test_vectorised_enumeration_is_the_law(q: int, keys: int, padding: int) -> None:
    """Word for word and input set for input set, so that what it finds is the law's loss."""
    law = compact_law(keys, padding, "2", q)
    for held in input_sets(keys):
        weights, total = law.distribution(held)
        halves, slots = true_halves(law, held, np.arange(law.word_limit)), max(len(held), padding)
        assert all(Fraction(weights[word], total) == chance(law, int(halves[word]), slots) for word in weights)
        assert len(weights) == law.word_limit
    assert vectorised_worst_ratio([law]) == [worst_ratio(law.distribution, keys)]


@pytest.mark.parametrize("primes", [PRIMES[start::4] for start in range(4)], ids=lambda primes: f"{primes[0]}…")
def test_exact_epsilon_of_every_prime(primes: list[int]) -> None:
    """Padding 1, two keys: every word, every input set, reaching what is stated."""
    for q in primes:
        laws = [compact_law(2, 1, epsilon, q) for epsilon in EPSILONS]
        for law, exact in zip(laws, vectorised_worst_ratio(laws), strict=True):
            assert exact == law.realised <= law.claim == exp_lower(law.epsilon)


@pytest.mark.parametrize("padding", [1, 2, 3])
@pytest.mark.parametrize(("q", "most_keys"), [(3, 7), (5, 6), (7, 6), (11, 5)], ids=str)
def test_exact_epsilon_with_padding(q: int, most_keys: int, padding: int) -> None:
    """Reached as soon as a set without dummies is possible; two digits from q keys on."""
    for keys in range(1, most_keys + 1):
        laws = [compact_law(keys, padding, epsilon, q) for epsilon in EPSILONS]
        assert laws[0].digits == 1 + (keys >= q)
        for law, exact in zip(laws, vectorised_worst_ratio(laws), strict=True):
            assert exact <= law.realised <= law.claim == exp_lower(law.epsilon)
            assert (exact == law.realised) == (keys >= padding)


@pytest.mark.parametrize(("q", "keys"), [(3, 9), (3, 30), (5, 26), (7, 50), (11, 12), (11, 125), (13, 170)])
def test_exact_epsilon_with_more_digits(q: int, keys: int) -> None:
    """Padding 1: every set is a mixture of single pairs and the dummy, so that those decide."""
    law = compact_law(keys, 1, "1", q)
    assert law.digits >= 2
    words = np.arange(law.word_limit)
    for key in range(keys + 1):
        residues = residues_of(law, words, key)
        # The residue is uniform over the words, so that every pair has the same law but for names.
        assert np.bincount(residues, minlength=q).tolist() == [law.functions] * q
    odds = Fraction(law.kept * (q - 1), law.one - law.kept)
    assert odds == law.realised <= law.claim


@pytest.mark.parametrize(
    ("q", "keys"), [(3, 2), (3, 8), (3, 11), (5, 4), (5, 24), (5, 30), (7, 20), (11, 10), (13, 40)]
)
def test_keys_are_pairwise_independent(q: int, keys: int) -> None:
    """Of any two keys, dummy included, the words say every pair of residues equally often.

    So what is reported of a key that was not sampled is exactly uniform. With q no prime it is not:
    the control.
    """

    def even(law: UeCompactLaw) -> bool:
        words = np.arange(law.word_limit)
        residues = [residues_of(law, words, key) for key in range(law.keys + 1)]
        times = law.word_limit // law.q**2
        return all(
            np.all(np.bincount(one * law.q + other, minlength=law.q**2) == times)
            for one, other in itertools.combinations(residues, 2)
        )

    assert even(compact_law(keys, q=q))
    control = compact_law(3, q=5)
    # No such law can be built: 4 is not prime.
    vars(control).update(q=4, functions=4)
    assert not even(control)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 1, 1), (3, 2, 2), (3, 3, 2), (5, 3, 2), (7, 2, 3)])
def test_counts_of_the_running_sampler(q: int, keys: int, padding: int) -> None:
    """On every value of a toy tape: a key's (n1, n2) follow PCKV-UE's law with a, b and p of section 4."""
    law = UeCompactLaw(keys, padding, Fraction(1), q, bits=5)
    kept = math.floor(32 * law.bound / (law.bound + q - 1))
    sampled = Fraction(kept, 32), Fraction(32 - kept, 32 * (q - 1))
    share, other = Fraction(1, padding), Fraction(1, q)
    own, flipped = (share * chance + (1 - share) * other for chance in sampled)
    for held in input_sets(keys):
        if len(held) > padding:
            continue
        pairs = [(key, 0, law.one * level) for key, level in held.items()]
        distribution = sampler_law(ue_compact.perturb, law, pairs, ExhaustiveTape(5))
        assert set(distribution) == set(range(law.word_limit))
        for key in range(keys):
            measured = [
                sum(
                    (distribution[word] for word in distribution if law.residue(word, key) == sign_residue),
                    Fraction(0),
                )
                for sign_residue in (PLUS, MINUS)
            ]
            expected = {1: [own, flipped], 0: [flipped, own], None: [other, other]}[held.get(key)]
            assert measured == expected
    assert law.count_law.holder == Support.exclusive(2, own, flipped)
    assert law.count_law.absent == Support.exclusive(2, other, other)


def test_realised_epsilon_is_shown_rounded_up() -> None:
    law = compact_law(249_274, epsilon="6")
    assert exp_lower(Fraction(str(epsilon_of(law.realised)))) >= law.realised
