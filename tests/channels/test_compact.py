"""One word a report: the exact guarantee, the choice of q, decoding, and the errors that follow."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats

from pckv import Tally, Task
from pckv.arrays import Floats
from pckv.auditing.exact import input_sets, worst_ratio
from pckv.auditing.exhaustive import ExhaustiveTape, sampler_law
from pckv.budget import epsilon_of, exp_lower
from pckv.channels import Signs, Support, build, residues
from pckv.channels.ue_compact import MOST_DECODED, UeCompactChannel
from pckv.device import ue_compact
from pckv.errors import ParameterError, TallyError
from pckv.lab.populations import uniform
from pckv.lab.simulate import Setting, Simulator
from pckv.moments import CountMoments
from pckv.planning.explanation import explain_parameters
from pckv.tally.counts import DENSE_CELLS, Counts, DenseCounts, SparseCounts
from pckv.tally.decode import ue_compact as compact
from pckv.tally.decode.support import decode, key_support

Cells = NDArray[np.int64]

# What residues say where there is one a sign.
PLUS, MINUS = 0, 1
EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")
PRIMES = [number for number in range(3, 548) if residues.is_prime(number)]


def compact_channel(
    keys: int, padding: int = 1, epsilon: str = "1", q: int | None = None, r: int = 1, o: int = 0
) -> UeCompactChannel:
    return UeCompactChannel(keys, padding, Fraction(epsilon), q, r, o)


# The exact guarantee.


def said_of(channel: UeCompactChannel, words: Cells, key: int) -> Cells:
    """What words say of a key."""
    return channel.residue(words, np.full(1, key))


def true_halves(channel: UeCompactChannel, signs: Signs, words: Cells) -> Cells:
    """For every word, how many half slots of this input set give it the larger of the two chances.

    A pair's slot counts two halves where the word says the pair's sign, a dummy's slot one where it
    says either sign of key number d.
    """
    halves = np.zeros(words.size, np.int64)
    for key, sign in signs.items():
        halves += 2 * (said_of(channel, words, key) == (PLUS if sign > 0 else MINUS))
    dummies = max(channel.padding - len(signs), 0)
    return np.asarray(halves + dummies * (said_of(channel, words, channel.keys) <= MINUS))


def distinct_words(channel: UeCompactChannel) -> Cells:
    """One word for each way to say +, - or nothing of all keys and the dummy: nothing else is used above."""
    words = np.arange(channel.word_limit)
    codes = np.zeros(channel.word_limit, np.int64)
    for key in range(channel.keys + 1):
        codes = 3 * codes + np.minimum(said_of(channel, words, key), 2)
    found = np.full(3 ** (channel.keys + 1), -1)
    found[codes] = words
    return np.asarray(found[found >= 0])


def chance(channel: UeCompactChannel, halves: int, slots: int) -> Fraction:
    """The chance of a word, in the channel's own integers."""
    kept, other = channel.kept * (channel.q - 1), channel.one - channel.kept
    return Fraction(halves * kept + (2 * slots - halves) * other, 2 * slots * channel.pair_total)


def vectorised_worst_ratio(channels: list[UeCompactChannel]) -> list[Fraction]:
    """What `worst_ratio` finds, for channels that differ in ε only."""
    first = channels[0]
    words = distinct_words(first)
    sets = list(input_sets(first.keys))
    halves = np.stack([true_halves(first, signs, words) for signs in sets], axis=1).tolist()
    slots = [max(len(signs), first.padding) for signs in sets]
    laws = {frozenset(zip(row, slots, strict=True)) for row in halves}
    return [max(spread([chance(channel, *law) for law in each]) for each in laws) for channel in channels]


def spread(chances: list[Fraction]) -> Fraction:
    return max(chances) / min(chances)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 2, 1), (3, 3, 2), (3, 4, 3), (5, 5, 2), (11, 2, 3)])
def test_vectorised_enumeration_is_the_law(q: int, keys: int, padding: int) -> None:
    """Word for word and input set for input set, so that what it finds is the channel's loss."""
    channel = compact_channel(keys, padding, "2", q)
    for signs in input_sets(keys):
        weights, total = channel.law(signs)
        halves, slots = true_halves(channel, signs, np.arange(channel.word_limit)), max(len(signs), padding)
        assert all(
            Fraction(weights[word], total) == chance(channel, int(halves[word]), slots) for word in weights
        )
        assert len(weights) == channel.word_limit
    assert vectorised_worst_ratio([channel]) == [worst_ratio(channel.law, keys)]


@pytest.mark.parametrize(
    "primes", [PRIMES[start::4] for start in range(4)], ids=lambda primes: f"{primes[0]}…"
)
def test_exact_epsilon_of_every_prime(primes: list[int]) -> None:
    """Padding 1, two keys: every word, every input set, reaching what is stated."""
    for q in primes:
        channels = [compact_channel(2, 1, epsilon, q) for epsilon in EPSILONS]
        for channel, exact in zip(channels, vectorised_worst_ratio(channels), strict=True):
            assert exact == channel.realised <= channel.claim == exp_lower(channel.epsilon)


@pytest.mark.parametrize("padding", [1, 2, 3])
@pytest.mark.parametrize(("q", "most_keys"), [(3, 7), (5, 6), (7, 6), (11, 5)], ids=str)
def test_exact_epsilon_with_padding(q: int, most_keys: int, padding: int) -> None:
    """Reached as soon as a set without dummies is possible; two digits from q keys on."""
    for keys in range(1, most_keys + 1):
        channels = [compact_channel(keys, padding, epsilon, q) for epsilon in EPSILONS]
        assert channels[0].digits == 1 + (keys >= q)
        for channel, exact in zip(channels, vectorised_worst_ratio(channels), strict=True):
            assert exact <= channel.realised <= channel.claim == exp_lower(channel.epsilon)
            assert (exact == channel.realised) == (keys >= padding)


@pytest.mark.parametrize(("q", "keys"), [(3, 9), (3, 30), (5, 26), (7, 50), (11, 12), (11, 125), (13, 170)])
def test_exact_epsilon_with_more_digits(q: int, keys: int) -> None:
    """Padding 1: every set is a mixture of single pairs and the dummy, so that those decide."""
    channel = compact_channel(keys, 1, "1", q)
    assert channel.digits >= 2
    words = np.arange(channel.word_limit)
    for key in range(keys + 1):
        said = said_of(channel, words, key)
        # The residue is uniform over the words, so that every pair has the same law but for names.
        assert np.bincount(said, minlength=q).tolist() == [channel.functions] * q
    odds = Fraction(channel.kept * (q - 1), channel.one - channel.kept)
    assert odds == channel.realised <= channel.claim


@pytest.mark.parametrize(
    ("q", "keys"), [(3, 2), (3, 8), (3, 11), (5, 4), (5, 24), (5, 30), (7, 20), (11, 10), (13, 40)]
)
def test_keys_are_pairwise_independent(q: int, keys: int) -> None:
    """Of any two keys, dummy included, the words say every pair of residues equally often.

    So what is reported of a key that was not sampled is exactly uniform. With q no prime it is not:
    the control.
    """

    def even(channel: UeCompactChannel) -> bool:
        words = np.arange(channel.word_limit)
        said = [said_of(channel, words, key) for key in range(channel.keys + 1)]
        times = channel.word_limit // channel.q**2
        return all(
            np.all(np.bincount(one * channel.q + other, minlength=channel.q**2) == times)
            for one, other in itertools.combinations(said, 2)
        )

    assert even(compact_channel(keys, q=q))
    control = compact_channel(3, q=5)
    control.q = control.functions = 4
    assert not even(control)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 1, 1), (3, 2, 2), (3, 3, 2), (5, 3, 2), (7, 2, 3)])
def test_counts_of_the_running_sampler(q: int, keys: int, padding: int) -> None:
    """On every value of a toy tape: a key's (n1, n2) follow PCKV-UE's law with a, b and p of section 4."""
    channel = UeCompactChannel(keys, padding, Fraction(1), q, bits=5)
    kept = math.floor(32 * channel.bound / (channel.bound + q - 1))
    own = Support(Fraction(kept, 32), Fraction(32 - kept, 32 * (q - 1)))
    share, other = Fraction(1, padding), Fraction(1, q)
    holder = (share * own.plus + (1 - share) * other, share * own.minus + (1 - share) * other)
    for signs in input_sets(keys):
        if len(signs) > padding:
            continue
        pairs = [(key, channel.one * (sign > 0)) for key, sign in signs.items()]
        law = sampler_law(ue_compact.perturb, channel, pairs, ExhaustiveTape(5))
        assert set(law) == set(range(channel.word_limit))
        for key in range(keys):
            found = [
                sum((law[word] for word in law if channel.residue(word, key) == said), Fraction(0))
                for said in (PLUS, MINUS)
            ]
            wanted = {1: holder, -1: holder[::-1], 0: (other, other)}[signs.get(key, 0)]
            assert tuple(found) == wanted
    assert (channel.count_law.holder_plus.plus, channel.count_law.holder_plus.minus) == holder
    assert (channel.count_law.absent.plus, channel.count_law.absent.minus) == (other, other)
    assert channel.count_law.holder_plus.both == channel.count_law.absent.both == 0


# The choice of q.


@pytest.mark.parametrize(
    ("keys", "epsilon", "q", "digits"), [(249_274, "6", 503, 2), (249_274, "4", 67, 3), (100, "1", 5, 3)]
)
def test_q_of_the_examples(keys: int, epsilon: str, q: int, digits: int) -> None:
    channel = compact_channel(keys, epsilon=epsilon)
    assert (channel.q, channel.digits, channel.word_limit) == (q, digits, q ** (digits + 1))
    assert channel.decodes_all
    assert channel.parameters == {"q": q}


def test_why_says_what_q_costs() -> None:
    assert explain_parameters(compact_channel(249_274, epsilon="6")) == (
        "q = 503: 127,263,527 words, 1.2% more error than ue (q = 409: 0.0%)"
    )
    assert explain_parameters(compact_channel(100)) == "q = 5: 625 words, 1.2% more error than ue"
    assert (
        explain_parameters(compact_channel(100, q=3))
        == "q = 3: 729 words, 49.7% more error than ue (q = 5: 1.2%)"
    )
    assert explain_parameters(compact_channel(2**31)).endswith(
        "; too many words to decode all keys together, only those asked for"
    )


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4"])
def test_the_error_is_that_of_a_rare_key_beside_ue(epsilon: str) -> None:
    """Against the exact variances of both channels: the worse of frequency and mean."""
    ue = CountMoments.of(build("ue", 1000, 1, Fraction(epsilon), {}).count_law)
    for q in (3, 5, 7, 11, 29, 61):
        compact = CountMoments.of(compact_channel(1000, epsilon=epsilon, q=q).count_law)
        rare = 1e-9
        losses = [
            compact.frequency_variance(rare) / ue.frequency_variance(rare),
            compact.mean_variance(rare, 0.0) / ue.mean_variance(rare, 0.0),
        ]
        assert float(residues.error(q, exp_lower(Fraction(epsilon)))) == pytest.approx(max(losses), rel=1e-6)


def test_q_is_the_one_that_a_search_finds() -> None:
    """Over all primes below 700, beyond which none is within 2 % of the best for these ε."""
    primes = [number for number in range(3, 700) if residues.is_prime(number)]
    chosen = set()
    for epsilon in (Fraction(step, 10) for step in range(1, 61)):
        bound = exp_lower(epsilon)
        errors = {q: residues.error(q, bound) for q in primes}
        best = min(primes, key=lambda q: errors[q])
        good = [q for q in primes if errors[q] <= Fraction(102, 100) * errors[best]]
        assert max(good) < primes[-1]
        for keys in (1, 2, 3, 4, 5, 10, 24, 25, 100, 121, 409, 1000, 5850, 26_744, 249_274, 10**6):
            q = residues.choose(keys, bound)
            assert residues.best(keys, bound) == best
            assert q == min(good, key=lambda q: (words_needed(keys, q), q))
            chosen.add(q)
    assert chosen <= set(PRIMES)


def words_needed(keys: int, q: int) -> int:
    digits = next(count for count in itertools.count(1) if q**count > keys)
    return int(q ** (digits + 1))


@given(st.integers(1, 2**31), st.fractions(1, 485_165_195, max_denominator=1000))
def test_q_always_fits_and_is_as_good_as_the_best(keys: int, bound: Fraction) -> None:
    q, best = residues.choose(keys, bound), residues.best(keys, bound)
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
    assert [number for number in range(2000) if residues.is_prime(number)] == np.flatnonzero(sieve).tolist()
    assert residues.is_prime(3037000493)
    assert not residues.is_prime(46_337**2)


@pytest.mark.parametrize(
    "q", [-3, 0, 1, 2, 4, 9, 561, 3037000499, 3037000507, 2**64 + 13, True, 5.0, "5", None]
)
def test_bad_q(q: object) -> None:
    with pytest.raises(ParameterError, match=r"^q must be a (prime from 3 to 3037000499|whole number), not"):
        residues.check(q, 10)


def test_q_whose_words_are_too_long() -> None:
    assert residues.check(2097143, 2**31) == 2097143
    for q, keys in ((2097169, 2097169), (2097169, 2**31), (55109, 55109**2)):
        with pytest.raises(
            ParameterError, match=f"^q = {q} needs words of more than 63 bits for {keys:,} keys$"
        ):
            residues.check(q, keys)


def test_residues_of_the_largest_words_do_not_overflow() -> None:
    """For every number of digits, the largest prime it goes with: numpy says what Python's integers say."""
    for digits in range(1, 39):
        q = next(
            number
            for number in itertools.count(int((2**63) ** (1 / (digits + 1))) + 2, -1)
            if number ** (digits + 1) < 2**63 and residues.is_prime(number)
        )
        keys = min(q**digits - 1, 2**31) if q**digits - 1 >= q ** (digits - 1) else 1
        if residues.digits(keys, q) != digits:
            continue
        channel = compact_channel(keys, q=q)
        words = [channel.word_limit - 1, channel.word_limit - q, channel.word_limit // 2, 0]
        asked = [keys, keys - 1, keys // 2, 0]
        said = channel.residue(np.array(words)[:, None], np.array(asked)[None, :])
        assert said.tolist() == [[naive_residue(channel, word, key) for key in asked] for word in words]


# Decoding.


def naive_residue(channel: UeCompactChannel, word: int, key: int) -> int:
    function, offset = divmod(word, channel.q)
    total = offset
    for _ in range(channel.digits):
        total += function % channel.q * (key % channel.q)
        function, key = function // channel.q, key // channel.q
    return total % channel.q


def naive_decode(channel: UeCompactChannel, counted: dict[int, int], keys: list[int]) -> list[list[int]]:
    """[n1 of every key, n2 of every key], in Python's integers."""
    return [
        [
            sum(times for word, times in counted.items() if naive_residue(channel, word, key) == said)
            for key in keys
        ]
        for said in (PLUS, MINUS)
    ]


def arrays(counted: dict[int, int]) -> tuple[Cells, Cells]:
    words = sorted(counted)
    return np.array(words, np.int64), np.array([counted[word] for word in words], np.int64)


SHAPES = (
    (1, 3), (2, 3), (3, 3), (8, 3), (9, 3), (26, 3), (27, 3), (60, 3),
    (4, 5), (5, 5), (24, 5), (25, 5), (100, 5), (6, 7), (7, 7), (30, 7), (48, 7), (49, 7),
    (10, 11), (11, 11), (100, 11), (130, 11), (12, 13), (100, 13), (30, 31), (31, 31), (60, 61), (100, 101),
)  # fmt: skip


@pytest.mark.parametrize(("keys", "q"), SHAPES)
def test_every_way_to_decode_agrees(keys: int, q: int) -> None:
    """Asking, adding up and Fourier transforms against Python's integers; the dummy's number too."""
    channel = compact_channel(keys, q=q)
    rng = default_rng([keys, q])
    counted = dict(Counter(rng.integers(0, channel.word_limit, 60).tolist()))
    counted |= {0: 7, channel.word_limit - 1: 2**30}
    words, times = arrays(counted)
    for used in sorted({1, (keys + 1) // 2, keys, keys + 1}):
        wanted = naive_decode(channel, counted, list(range(used)))
        for found in (
            compact.check_words(channel, words, times, np.arange(used)),
            compact.add_up(channel, words, times, used),
            compact.transform(channel, words, times, used),
        ):
            assert [part.tolist() for part in found] == wanted


@settings(max_examples=150)
@given(st.data())
def test_any_tally_decodes_the_same_in_every_way(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from([3, 5, 7, 11, 13, 17]))
    channel = compact_channel(data.draw(st.integers(1, 150)), q=q)
    counted = data.draw(
        st.dictionaries(st.integers(0, channel.word_limit - 1), st.integers(1, 2**32), max_size=30)
    )
    keys = data.draw(st.lists(st.integers(0, channel.keys - 1), max_size=12))
    wanted = naive_decode(channel, counted, keys)
    words, times = arrays(counted)
    for counts in (DenseCounts(channel.word_limit), SparseCounts(channel.word_limit)):
        counts.add_counts(words, times)
        assert [part.tolist() for part in decode(channel, counts, np.array(keys, np.int64))] == wanted
    for way in (compact.add_up, compact.transform):
        plus, minus = way(channel, words, times, channel.keys + 1)
        assert [plus[keys].tolist(), minus[keys].tolist()] == wanted


@pytest.mark.parametrize("q", [3, 5, 7, 13, 31, 101])
def test_an_empty_tally_decodes_to_nothing(q: int) -> None:
    channel = compact_channel(100, q=q)
    for counts in (DenseCounts(channel.word_limit), SparseCounts(channel.word_limit)):
        assert not np.any(decode(channel, counts))
        assert [part.size for part in decode(channel, counts, np.zeros(0, np.int64))] == [0, 0]
    words, times = arrays({})
    for way in (compact.add_up, compact.transform):
        assert not np.any(way(channel, words, times, 100))


def full_counts(channel: UeCompactChannel, total: int, seed: int) -> tuple[Counts, Cells]:
    """Counts in every word, so that all keys are decoded together; uneven, and summing to a total."""
    shares = default_rng(seed).dirichlet(np.full(channel.word_limit, 0.3))
    times = (shares * (total - 2 * channel.word_limit)).astype(np.int64) + 1
    times[0] += total - times.sum()
    counts = DenseCounts(channel.word_limit)
    counts.add_counts(np.arange(channel.word_limit), times)
    return counts, times


@pytest.mark.parametrize(("keys", "q"), [(24, 5), (48, 7), (100, 11), (60, 61), (150, 151), (900, 31)])
def test_huge_counts_are_exact(keys: int, q: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 2^40 reports by Fourier transforms, beyond in integers: to the unit, whatever the counts."""
    channel = compact_channel(keys, q=q)
    used: list[str] = []

    def noted(name: str) -> Callable[..., tuple[Cells, Cells]]:
        way = getattr(compact, name)

        def noting(*parts: Any) -> tuple[Cells, Cells]:
            used.append(name)
            plus, minus = way(*parts)
            return plus, minus

        return noting

    for name in ("transform", "add_up"):
        monkeypatch.setattr(compact, name, noted(name))
    for total in (2**40, 2**40 + 1, 2**62 + 12345):
        counts, times = full_counts(channel, total, q)
        plus, minus = decode(channel, counts)
        wanted = compact.check_words(channel, np.arange(channel.word_limit), times, np.arange(keys))
        assert (plus.tolist(), minus.tolist()) == (wanted[0].tolist(), wanted[1].tolist())
        # In Python's integers for a few, since all of the above is numpy.
        counted = dict(enumerate(times.tolist()))
        for key in (0, keys - 1):
            assert naive_decode(channel, counted, [key]) == [[plus[key]], [minus[key]]]
    assert used == ["transform" if q >= 7 else "add_up", "add_up", "add_up"]


def test_a_single_huge_count_is_exact() -> None:
    """All but a few of 2^40 reports in one word: the worst case for rounding the rest."""
    channel = compact_channel(300, q=307)
    counted = dict.fromkeys(range(5, 90_000, 1777), 1) | {60_001: 2**40 - 60}
    words, times = arrays(counted)
    wanted = compact.check_words(channel, words, times, np.arange(300))
    found = compact.transform(channel, words, times, 300)
    assert [part.tolist() for part in found] == [part.tolist() for part in wanted]


def test_sparse_tallies_decode() -> None:
    """More cells than are held as one array: all keys together, a list of them, and as they come."""
    task = Task(name="t", keys=20_000, values=(0, 1), epsilon=4, mechanism={"name": "ue-compact", "q": 409})
    channel = task.channel
    assert isinstance(channel, UeCompactChannel)
    assert DENSE_CELLS < channel.word_limit <= MOST_DECODED
    tally = Tally(task)
    words = default_rng(1).integers(0, channel.word_limit, 300)
    tally.add_many(words)
    assert isinstance(tally.counts, SparseCounts)
    asked = np.array([0, 19_999, 7, 7, 408, 409])
    wanted = naive_decode(channel, Counter(words.tolist()), asked.tolist())
    assert [part.tolist() for part in key_support(tally, asked)] == wanted
    everything = key_support(tally)
    assert [part[asked].tolist() for part in everything] == wanted
    assert Tally.from_bytes(task, bytes(tally)) == tally


def test_too_many_words_are_asked_key_by_key() -> None:
    """Beyond 2^28 words there is no decoding of all keys together, but of those asked for there is."""
    channel = compact_channel(10**6, epsilon="6")
    assert channel.word_limit > MOST_DECODED
    assert not channel.decodes_all
    counts = SparseCounts(channel.word_limit)
    words = default_rng(2).integers(0, channel.word_limit, 70_000)
    counts.add(words)
    asked = [0, 311, 999_999]
    wanted = naive_decode(channel, Counter(words.tolist()), asked)
    assert [part.tolist() for part in decode(channel, counts, np.array(asked))] == wanted
    with pytest.raises(
        TallyError, match=r"words are too many to decode 1,000,000 keys together: ask for fewer$"
    ):
        decode(channel, counts)


# Errors.

# ε, users, keys: for ε ≤ 3 the users a key squared are those of the paper's 10^6 users and 100 keys.
ACCURACY = (
    ("0.5", 40_000, 20),
    ("1", 40_000, 20),
    ("2", 40_000, 20),
    ("3", 40_000, 20),
    ("4", 10_000, 20),
    ("5", 10_000, 20),
)
KEY_REPEATS = 33_000


def clipped_square(variance: Floats, f: Floats, users: int) -> float:
    """The mean of (clip(f̂, 1/n, 1) - f)², f̂ being Gaussian about f: the integral in closed form.

    At ε = .5, where f is 1.4 standard errors, clipping takes 13 % off, at ε = 1 it takes .2 %, and from
    ε = 2 on nothing: there the theory is the exact variance as it stands. n·b is at least 157.
    """
    deviation = np.sqrt(variance)
    low, high = (1 / users - f) / deviation, (1 - f) / deviation
    density, below = stats.norm.pdf, stats.norm.cdf
    inside = below(high) - below(low) - high * density(high) + low * density(low)
    squares = inside + low**2 * below(low) + high**2 * stats.norm.sf(high)
    return float(np.mean(variance * squares))


@pytest.mark.parametrize(("epsilon", "users", "keys"), ACCURACY)
def test_errors_are_those_of_theory_and_of_ue(epsilon: str, users: int, keys: int) -> None:
    """Uniform population, corrected, the chosen q: frequency within 3 % of theory, and at most 5 % above ue.

    33,000 key-repeats of each mechanism: one standard error of a mean square is .7 to 1.0 %, so that 3 % are at
    least three of them. The control, the theory of an ε 5 % larger at the same q, is 9 % off at ε = .5 and 26 %
    at ε = 5: at least six standard errors beyond what is let pass, so that it is told apart. Against ue the
    standard error is 1.3 %; what leaves the least room is the mean at ε = .5, where q = 5 costs about 4 % by
    the exact variances (the test below). Seeds are fixed.
    """
    rng = default_rng([31, users, keys])
    simulator = Simulator(uniform(users, keys, rng))
    errors = {}
    for name in ("ue-compact", "ue"):
        setting = Setting(name, epsilon, 1, "corrected", None)
        outcomes = [simulator.run(setting, rng) for _ in range(-(-KEY_REPEATS // keys))]
        errors[name] = np.array([(outcome.mse_frequency, outcome.mse_mean) for outcome in outcomes])
    measured = {name: error.mean(axis=0) for name, error in errors.items()}
    standard_error = errors["ue-compact"].std(axis=0, ddof=1) / math.sqrt(len(errors["ue-compact"]))
    assert standard_error[0] <= 0.011 * measured["ue-compact"][0]
    frequency = simulator.dataset.truth[0]
    q = residues.choose(keys, exp_lower(Fraction(epsilon)))

    def theory(at: Fraction) -> float:
        moments = CountMoments.of(build("ue-compact", keys, 1, at, {"q": q}).count_law)
        return clipped_square(moments.frequency_variance(frequency) / users, frequency, users)

    assert measured["ue-compact"][0] == pytest.approx(theory(Fraction(epsilon)), rel=0.03)
    assert measured["ue-compact"][0] != pytest.approx(theory(Fraction(epsilon) * Fraction(21, 20)), rel=0.03)
    assert np.all(measured["ue-compact"] <= 1.05 * measured["ue"])


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "4", "5"])
@pytest.mark.parametrize("keys", [20, 100, 1000, 5850, 249_274])
def test_predicted_errors_are_at_most_5_percent_above_those_of_ue(epsilon: str, keys: int) -> None:
    """The exact variances, so that the statement does not hang on a simulation."""
    ue, ours = (
        CountMoments.of(build(name, keys, 1, Fraction(epsilon), {}).count_law)
        for name in ("ue", "ue-compact")
    )
    means = np.linspace(-1, 1, 201)
    for f in (0.0001, 0.01, 0.05):
        assert ours.frequency_variance(f) <= 1.05 * ue.frequency_variance(f)
        variances = [moments.mean_variance(np.full(201, f), means).mean() for moments in (ue, ours)]
        assert variances[1] <= 1.05 * variances[0]


def test_realised_epsilon_is_shown_rounded_up() -> None:
    channel = compact_channel(249_274, epsilon="6")
    assert exp_lower(Fraction(str(epsilon_of(channel.realised)))) >= channel.realised
