"""Sets of residues: the same words with several residues per sign, some of them shared."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from audit.exhaustive import ExhaustiveTape, sampler_law
from pckv import Task
from pckv.base.arrays import Integers
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError, TaskError
from pckv.estimators.intervals import frequency_interval, mean_interval
from pckv.lab.counting import draw_counts
from pckv.mechanisms.base import CountLaw, Support
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue_compact import device as ue_compact
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.planning.influence import hostile
from pckv.planning.tuning import explain_parameters, relative_errors
from pckv.statistics.moments import CountMoments
from pckv.tally.decode import ue_compact as compact
from support.worst_ratio import worst_ratio

EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")
# Every r and o that q = 3, 5 and 7 allow, and the sets that are known to do well.
SMALL_SETS = [
    (q, r, o) for q in (3, 5, 7) for r in range(1, q) for o in range(max(0, 2 * r - q), r) if (r, o) != (1, 0)
]
GOOD_SETS = [(19, 9, 3), (37, 14, 3), (41, 11, 1), (109, 29, 8)]


def law_of(keys: int, sets: tuple[int, int, int], padding: int = 1, epsilon: str = "1") -> UeCompactLaw:
    return UeCompactLaw(keys, padding, Fraction(epsilon), *sets)


# The exact guarantee.


@pytest.mark.parametrize("sets", SMALL_SETS, ids=str)
def test_exact_epsilon_of_every_small_set(sets: tuple[int, int, int]) -> None:
    """Every input set at every word, reaching what is stated once a set without dummies is possible."""
    for keys, padding, epsilon in itertools.product((1, 2), (1, 2), EPSILONS):
        law = law_of(keys, sets, padding, epsilon)
        exact = worst_ratio(law.distribution, keys)
        assert exact <= law.realised <= law.claim == exp_lower(Fraction(epsilon))
        assert keys < padding or exact == law.realised


@pytest.mark.parametrize("sets", GOOD_SETS, ids=str)
@pytest.mark.parametrize("epsilon", ["0.000001", *EPSILONS, "20"])
def test_thresholds_of_good_sets(sets: tuple[int, int, int], epsilon: str) -> None:
    """The largest integer threshold within the claim: one more would break it."""
    q, r, _ = sets
    for keys in (1, 1000, 10**6):
        law = law_of(keys, sets, epsilon=epsilon)
        kept, one = law.kept, law.one
        assert Fraction(kept * (q - r), (one - kept) * r) == law.realised <= law.claim
        assert Fraction((kept + 1) * (q - r), (one - kept - 1) * r) > law.claim


def test_with_the_largest_prime_the_true_set_is_still_likelier() -> None:
    """The proof's worst case: at the smallest ε the true set is still likelier than the rest."""
    for r, o in ((1, 0), (2, 1), (3037000492, 3037000491), (1518500246, 0)):
        law = UeCompactLaw(1, 1, Fraction(1, 10**6), 3037000493, r, o)
        assert 1 <= law.inside / law.outside == law.realised <= law.claim


@pytest.mark.parametrize("sets", [(3, 2, 1), (5, 2, 0), (5, 3, 1), (7, 3, 1)], ids=str)
def test_counts_of_the_running_sampler(sets: tuple[int, int, int]) -> None:
    """On every value of a toy tape: of the sampled key + alone, - alone and both; of others as if at random."""
    q, r, o = sets
    law = UeCompactLaw(2, 1, Fraction(1), q, r, o, bits=5)
    distribution = sampler_law(ue_compact.perturb, law, [(1, 0, law.one)], ExhaustiveTape(5))
    plus, minus = set(range(r)), set(range(r - o, 2 * r - o))

    def support(key: int) -> Support:
        alone, other, both = (
            sum(
                (distribution[word] for word in distribution if law.residue(word, key) in residues),
                Fraction(0),
            )
            for residues in (plus - minus, minus - plus, plus & minus)
        )
        if o:
            return Support.overlapping(alone + both, other + both, both)
        return Support.exclusive(2, alone, other)

    assert support(1) == law.sampled == law.count_law.holder
    assert support(0) == law.unsampled == law.count_law.absent
    a, b, p = law.probabilities
    assert (a * p, a * (1 - p)) == (law.sampled.own, law.sampled.other)
    assert b == Fraction(2 * r, q)


@pytest.mark.parametrize("sets", [*GOOD_SETS, (11, 5, 2), (31, 2, 1)], ids=str)
@pytest.mark.parametrize("padding", [1, 3])
def test_variances_are_the_closed_forms(sets: tuple[int, int, int], padding: int) -> None:
    """Section 4's h and g, from the exact joint law; and what `why` says of them."""
    q, r, o = sets
    e = float(exp_lower(Fraction(1)))
    beta, omega = r / q, o / q
    square = 2 * (1 + beta * (e - 1)) ** 2 / (e - 1) ** 2
    moments = CountMoments.of(law_of(1000, sets, padding).count_law)
    rare = 1e-9
    assert moments.frequency_variance(0.0) == pytest.approx(padding**2 * square / (beta + omega - 2 * beta**2))
    assert rare**2 * moments.mean_variance(rare, 0.0) == pytest.approx(padding**2 * square / (beta - omega))
    ue = CountMoments.of(build("ue", 1000, padding, Fraction(1), {}).count_law)
    frequency, mean = relative_errors(Fraction(r, q), Fraction(o, q), exp_lower(Fraction(1)))
    assert float(frequency) == pytest.approx(moments.frequency_variance(0.0) / ue.frequency_variance(0.0))
    assert float(mean) == pytest.approx(moments.mean_variance(rare, 0.0) / ue.mean_variance(rare, 0.0))


def test_the_explanation_states_the_gain_of_sets() -> None:
    assert explain_parameters(law_of(100, (109, 29, 8))) == (
        "q = 109, r = 29, o = 8: 11,881 words; the error of a rare key relative to ue: frequency −27.9%, mean +14.0%"
    )


# What a task may say.


def task_of(**sets: object) -> Task:
    return Task(name="t", keys=20, values=(0, 1), epsilon="0.1", mechanism={"name": "ue-compact", **sets})


def test_a_task_states_its_sets_unless_they_are_the_defaults() -> None:
    tuned = task_of(q=19, r=9, o=3)
    assert '"mechanism":{"name":"ue-compact","o":3,"q":19,"r":9}' in tuned.to_json()
    assert Task.from_json(tuned.to_json()) == tuned
    assert tuned.parameters == {"q": 19, "r": 9, "o": 3}
    assert '"mechanism":{"name":"ue-compact","q":19,"r":9}' in task_of(q=19, r=9, o=0).to_json()
    plain = task_of(q=19, r=1, o=0)
    assert plain == task_of(q=19)
    assert '"mechanism":{"name":"ue-compact","q":19}' in plain.to_json()
    for written in ('"o":0,"q":19,"r":1', '"q":19,"r":1', '"o":0,"q":19'):
        with pytest.raises(TaskError, match="canonical form"):
            Task.from_json(plain.to_json().replace('"q":19', written))


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({"q": 19, "r": 0}, "r must be at least 1 and below q = 19, not 0"),
        ({"q": 19, "r": 19}, "r must be at least 1 and below q = 19, not 19"),
        ({"q": 19, "r": 9, "o": 9}, "o must be at least 0 and below r = 9 at q = 19, not 9"),
        ({"q": 19, "r": 9, "o": -1}, "o must be at least 0 and below r = 9 at q = 19, not -1"),
        ({"q": 19, "r": 10, "o": 0}, "o must be at least 1 and below r = 10 at q = 19, not 0"),
        ({"q": 19, "o": 1}, "o must be at least 0 and below r = 1 at q = 19, not 1"),
        ({"q": 19, "r": True}, "r must be a whole number, not True"),
        ({"q": 19, "r": "9"}, "r must be a whole number, not '9'"),
        ({"q": 19, "r": 9, "o": 3.0}, "o must be a whole number, not 3.0"),
        ({"r": 9, "o": 3}, "o must be given together with q"),
        ({"r": 9}, "r must be given together with q"),
    ],
)
def test_bad_sets(sets: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}$"):
        task_of(**sets)


# Decoding.


def naive_decode(law: UeCompactLaw, word_counts: dict[int, int], keys: list[int]) -> list[list[int]]:
    """Return the counts of every key for both levels, in Python's integers."""
    r, o = law.r, law.o
    return [
        [sum(times for word, times in word_counts.items() if law.residue(word, key) in residues) for key in keys]
        for residues in (range(r - o, 2 * r - o), range(r))
    ]


def arrays(word_counts: dict[int, int]) -> tuple[Integers, Integers]:
    words = sorted(word_counts)
    return np.array(words, np.int64), np.array([word_counts[word] for word in words], np.int64)


@pytest.mark.parametrize(
    ("keys", "sets"),
    [
        (1, (3, 2, 1)), (9, (3, 2, 1)), (60, (3, 2, 1)), (4, (5, 2, 0)), (25, (5, 3, 2)), (100, (5, 4, 3)),
        (7, (7, 3, 1)), (49, (7, 6, 5)), (100, (11, 5, 2)), (60, (19, 9, 3)), (100, (37, 14, 3)), (30, (41, 11, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_every_way_to_decode_agrees(keys: int, sets: tuple[int, int, int]) -> None:
    law = law_of(keys, sets)
    rng = default_rng([keys, *sets])
    word_counts = dict(Counter(rng.integers(0, law.word_limit, 60).tolist()))
    word_counts |= {0: 7, law.word_limit - 1: 2**30}
    words, times = arrays(word_counts)
    for used in sorted({1, (keys + 1) // 2, keys, keys + 1}):
        expected = naive_decode(law, word_counts, list(range(used)))
        for decoded in (
            compact.check_words(law, words, times, np.arange(used)),
            compact.add_up(law, words, times, used),
            compact.transform(law, words, times, used),
        ):
            assert [part.tolist() for part in decoded] == expected


@settings(max_examples=60)
@given(st.data())
def test_any_counts_decode_the_same_in_every_way(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from([3, 5, 7, 11, 13]))
    r = data.draw(st.integers(1, q - 1))
    o = data.draw(st.integers(max(0, 2 * r - q), r - 1))
    law = law_of(data.draw(st.integers(1, 60)), (q, r, o))
    word_counts = data.draw(st.dictionaries(st.integers(0, law.word_limit - 1), st.integers(1, 2**32), max_size=30))
    words, times = arrays(word_counts)
    expected = naive_decode(law, word_counts, list(range(law.keys)))
    for decode in (compact.add_up, compact.transform):
        assert [part.tolist() for part in decode(law, words, times, law.keys)] == expected
    assert [part.tolist() for part in compact.check_words(law, words, times, np.arange(law.keys))] == expected


@pytest.mark.parametrize("sets", [(11, 5, 2), (37, 14, 3), (109, 29, 8)], ids=str)
def test_huge_counts_are_exact(sets: tuple[int, int, int]) -> None:
    """2^40 reports, the most that Fourier transforms are used for, nearly all of them in one word: to the unit."""
    law = law_of(sets[0] - 1, sets)
    word_counts = dict.fromkeys(range(1, law.word_limit, 97), 1) | {law.word_limit // 2: 2**40}
    words, times = arrays(word_counts)
    expected = compact.check_words(law, words, times, np.arange(law.keys))
    decoded = compact.transform(law, words, times, law.keys)
    assert [part.tolist() for part in decoded] == [part.tolist() for part in expected]


@pytest.mark.parametrize(("sets", "epsilon"), [((19, 9, 3), "0.1"), ((37, 14, 3), "0.5"), ((109, 29, 8), "1")])
@pytest.mark.parametrize(("users", "frequency"), [(200_000, 0.05), (200_000, 0.3), (60, 0.3)])
def test_intervals_cover(sets: tuple[int, int, int], epsilon: str, users: int, frequency: float) -> None:
    """95 % intervals of frequency and mean hold the truth in 95 ± 1 % of 20,000 keys; with 60 users in ± 2 %.

    Those of frequencies hold more where estimates reach beyond 0, which has the error of that end: up to 97.5 %. One standard error is .15 %. Control: variances that forget the overlap, by two sets apart, miss it for the
    frequency where the overlap is large.
    """
    distribution = law_of(20, sets, 1, epsilon).count_law
    rng, keys = default_rng(4), 20_000
    holders, means = np.full(keys, round(users * frequency)), rng.uniform(-1, 1, keys)
    support = draw_counts(distribution, users, holders, means, rng)
    slack = 0.01 if users > 1000 else 0.02

    def covered(moments: CountMoments) -> tuple[float, float]:
        low, high = frequency_interval(support, users, moments, 0.95)
        mean_low, mean_high, _ = mean_interval(support, users, moments, 0.95)
        held = np.mean((low <= holders / users) & (holders / users <= high))
        return float(held), float(np.mean((mean_low <= means) & (means <= mean_high)))

    frequency_share, mean_share = covered(CountMoments.of(distribution))
    assert 0.95 - slack <= frequency_share
    assert frequency_share <= 0.975 + slack or frequency == 0.3
    assert mean_share >= 0.95 - slack
    holder, absent = (Support.exclusive(2, part.own, part.other) for part in (distribution.holder, distribution.absent))
    apart = CountLaw(holder, absent)
    assert covered(CountMoments.of(apart))[0] < 0.93


def test_a_hostile_word_says_both_signs_of_every_key() -> None:
    law, users = law_of(20, (19, 9, 3)), 1000
    moments = CountMoments.of(law.count_law)
    shared = 8
    assert all(law.residue(shared, key) in range(6, 9) for key in range(20))
    assert hostile(law, users).own_function.one_report == pytest.approx((2 - moments.noise) / moments.signal / users)
    assert hostile(law, users).own_function.ten_keys == pytest.approx(100 * hostile(law, users).own_function.one_report)
