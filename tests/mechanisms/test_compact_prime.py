"""`ue-compact`: the choice of the prime q."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.mechanisms.primes import is_prime
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue_compact import residues
from pckv.planning.tuning import explain_parameters
from pckv.statistics.moments import CountMoments
from support.laws import PRIMES, compact_law, naive_residue


@pytest.mark.parametrize(
    ("keys", "epsilon", "q", "digits"), [(249_274, "6", 503, 2), (249_274, "4", 67, 3), (100, "1", 5, 3)]
)
def test_q_of_the_examples(keys: int, epsilon: str, q: int, digits: int) -> None:
    law = compact_law(keys, epsilon=epsilon)
    assert (law.q, law.digits, law.word_limit) == (q, digits, q ** (digits + 1))
    assert law.decodes_all
    assert law.parameters == {"q": q}


def test_the_explanation_states_the_cost_of_q() -> None:
    assert explain_parameters(compact_law(249_274, epsilon="6")) == (
        "q = 503: 127,263,527 words, 1.2 % more error than ue (q = 409: 0.0041 %)"
    )
    assert explain_parameters(compact_law(100)) == "q = 5: 625 words, 1.2 % more error than ue"
    assert explain_parameters(compact_law(100, q=3)) == "q = 3: 729 words, 50 % more error than ue (q = 5: 1.2 %)"
    assert explain_parameters(compact_law(2**31)).endswith(
        "; too many words to decode all keys together, only those asked for"
    )


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4"])
def test_the_error_of_q_is_that_of_a_rare_key_relative_to_ue(epsilon: str) -> None:
    """Against the exact variances of both laws: the worse of frequency and mean."""
    ue = CountMoments.of(build("ue", 1000, 1, Fraction(epsilon), {}).count_law)
    for q in (3, 5, 7, 11, 29, 61):
        compact = CountMoments.of(compact_law(1000, epsilon=epsilon, q=q).count_law)
        rare = 1e-9
        losses = [
            compact.frequency_variance(rare) / ue.frequency_variance(rare),
            compact.mean_variance(rare, 0.0) / ue.mean_variance(rare, 0.0),
        ]
        assert float(residues.error(q, exp_lower(Fraction(epsilon)))) == pytest.approx(max(losses), rel=1e-6)


def test_q_is_the_one_that_a_search_finds() -> None:
    """Over all primes below 700, beyond which none is within 2 % of the best for these ε."""
    primes = [number for number in range(3, 700) if is_prime(number)]
    chosen = set()
    for epsilon in (Fraction(step, 10) for step in range(1, 61)):
        bound = exp_lower(epsilon)
        errors = {q: residues.error(q, bound) for q in primes}
        best = min(primes, key=lambda q: errors[q])
        good = [q for q in primes if errors[q] <= Fraction(102, 100) * errors[best]]
        assert max(good) < primes[-1]
        for keys in (1, 2, 3, 4, 5, 10, 24, 25, 100, 121, 409, 1000, 5850, 26_744, 249_274, 10**6):
            q, _ = residues.choose(keys, bound)
            assert residues.best(keys, bound) == best
            assert q == min(good, key=lambda q: (words_needed(keys, q), q))
            chosen.add(q)
    assert chosen <= set(PRIMES)


def words_needed(keys: int, q: int) -> int:
    digits = next(count for count in itertools.count(1) if q**count > keys)
    return int(q ** (digits + 1))


@given(st.integers(1, 2**31), st.fractions(1, 485_165_195, max_denominator=1000))
def test_q_always_fits_and_is_as_good_as_the_best(keys: int, bound: Fraction) -> None:
    q, best = residues.choose(keys, bound)[0], residues.best(keys, bound)
    assert residues.check(q, keys) == q
    assert (
        residues.error(best, bound)
        <= residues.error(q, bound)
        <= residues.EQUIVALENT_FACTOR * residues.error(best, bound)
    )
    assert words_needed(keys, q) <= words_needed(keys, best)
    assert words_needed(keys, q) == q ** (residues.digits(keys, q) + 1)


def test_primes() -> None:
    sieve = np.ones(2000, np.bool_)
    sieve[:2] = False
    for number in range(2, 45):
        sieve[2 * number :: number] = False
    assert [number for number in range(2000) if is_prime(number)] == np.flatnonzero(sieve).tolist()
    assert is_prime(3037000493)
    assert not is_prime(46_337**2)


@pytest.mark.parametrize("q", [-3, 0, 1, 2, 4, 9, 561, 3037000499, 3037000507, 2**64 + 13, True, 5.0, "5", None])
def test_bad_q(q: object) -> None:
    with pytest.raises(ParameterError, match=r"^q must be a (prime from 3 to 3037000499|whole number), not"):
        residues.check(q, 10)


def test_a_q_with_too_many_words_is_refused() -> None:
    assert residues.check(2097143, 2**31) == 2097143
    for q, keys in ((2097169, 2097169), (2097169, 2**31), (55109, 55109**2)):
        with pytest.raises(ParameterError, match=f"^q = {q} needs words of more than 63 bits for {keys:,} keys$"):
            residues.check(q, keys)


def test_residues_of_the_largest_words_do_not_overflow() -> None:
    """For every number of digits, the largest prime it goes with: numpy says what Python's integers say."""
    for digits in range(1, 39):
        q = next(
            number
            for number in itertools.count(int((2**63) ** (1 / (digits + 1))) + 2, -1)
            if number ** (digits + 1) < 2**63 and is_prime(number)
        )
        keys = min(q**digits - 1, 2**31) if q**digits - 1 >= q ** (digits - 1) else 1
        if residues.digits(keys, q) != digits:
            continue
        law = compact_law(keys, q=q)
        words = [law.word_limit - 1, law.word_limit - q, law.word_limit // 2, 0]
        keys_to_check = [keys, keys - 1, keys // 2, 0]
        computed = law.residue(np.array(words)[:, None], np.array(keys_to_check)[None, :])
        assert computed.tolist() == [[naive_residue(law, word, key) for key in keys_to_check] for word in words]
