"""`collision`: its exact law, its hash functions, decoding, and what its counts say."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats

from pckv import Tally, Task, audit, estimate, perturb
from pckv.auditing.audit import audit_channel
from pckv.auditing.conformance import law_at
from pckv.auditing.exact import input_sets, worst_ratio
from pckv.auditing.toy_tasks import with_channel
from pckv.channels.collision import FUNCTIONS, MOST_SYMBOLS, CollisionChannel
from pckv.channels.hashing import hashed, mix, reduced, symbol_start
from pckv.device import vectorised
from pckv.device.vectorised import perturb_many
from pckv.errors import ParameterError, TallyError
from pckv.estimators.intervals import frequency_interval, mean_interval
from pckv.estimators.methods.corrected import corrected
from pckv.moments import CountMoments
from pckv.population import Population
from pckv.tally.counts import SparseCounts
from pckv.tally.decode import collision
from pckv.tally.decode.support import KeySupport, decode, key_support

EPSILONS = ("0.000001", "0.01", "0.1", "0.5", "1", "2", "4", "10", "20")

Cells = NDArray[np.int64]


def channel_of(
    keys: int,
    padding: int,
    epsilon: str = "1",
    symbols: int | None = None,
    functions: int | None = FUNCTIONS,
    bits: int = 64,
) -> CollisionChannel:
    return CollisionChannel(keys, padding, Fraction(epsilon), symbols, bits, functions=functions)


# The law.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("padding", [1, 2, 3, 5])
def test_realised_is_the_worst_ratio_over_all_sizes_of_sets(epsilon: str, padding: int) -> None:
    """The chance of a word is that of an own symbol, or of another given 0 to s own ones: all pairs of these."""
    for symbols in sorted({padding + 1, padding + 2, 3 * padding, 8 * padding, 1000}):
        channel = channel_of(5, padding, epsilon, symbols)
        chances = [Fraction(channel.hit, channel.one)]
        for own in range(padding + 1):
            left = Fraction(channel.one - own * channel.hit, channel.one)
            chances.append(left / (symbols - own))
            assert left > 0
        assert max(chances) / min(chances) == channel.realised <= channel.claim


def test_enumeration_reaches_the_closed_form() -> None:
    """With the family of all functions and enough keys, the loss that is found is `realised` itself."""
    for padding, keys, symbols in ((1, 1, 2), (1, 2, 3), (2, 2, 3), (2, 2, 5)):
        for epsilon in ("0.1", "1", "4"):
            channel = channel_of(keys, padding, epsilon, symbols, None)
            assert worst_ratio(channel.law, keys) == channel.realised


@pytest.mark.parametrize("bits", [4, 5, 8])
def test_toy_thresholds_keep_the_claim_too(bits: int) -> None:
    for padding, symbols, epsilon in itertools.product((1, 2, 3), (4, 5, 9), ("0.5", "1", "2")):
        channel = channel_of(3, padding, epsilon, symbols, 5, bits)
        # A threshold so coarse that it is below 1/t loses the other way round; it is still what `realised` says.
        assert worst_ratio(channel.law, 3) <= channel.realised
        if channel.hit * symbols >= channel.one:
            assert channel.realised <= channel.claim


def test_the_count_law_is_exact_over_all_functions() -> None:
    """Jointly for both signs of a key, whoever else holds what: nothing but independent hashes is assumed."""
    for keys, padding, symbols in ((1, 1, 2), (1, 2, 3), (2, 2, 3), (2, 1, 3), (2, 2, 4), (3, 2, 3)):
        channel = channel_of(keys, padding, "1", symbols, None)
        for signs in input_sets(keys):
            if len(signs) > padding:
                continue
            weights, total = channel.law(signs)
            for key in range(keys):
                found: Counter[tuple[bool, bool]] = Counter()
                for word, weight in weights.items():
                    function, symbol = divmod(word, symbols)
                    plus, minus = (channel.symbol(function, 2 * key + sign) == symbol for sign in (1, 0))
                    found[plus, minus] += weight
                law = channel.count_law
                stated = {+1: law.holder_plus, -1: law.holder_minus, 0: law.absent}[signs.get(key, 0)]
                assert Fraction(found[True, False], total) == stated.plus
                assert Fraction(found[False, True], total) == stated.minus
                assert Fraction(found[True, True], total) == stated.both


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@pytest.mark.parametrize("padding", [1, 2, 10, 100])
def test_variance_is_the_formula(epsilon: str, padding: int) -> None:
    channel = channel_of(50, padding, epsilon)
    e = math.exp(float(epsilon))
    assert channel.symbols == math.floor(padding * e + 2 * padding - 1)
    alpha, beta = e / (padding * e + channel.symbols - padding), 1 / channel.symbols
    a, b, p = map(float, channel.probabilities)
    assert (a, b, p) == pytest.approx((alpha + beta, 2 * beta, alpha / (alpha + beta)), rel=1e-12)
    moments = CountMoments.of(channel.count_law)
    for f in (0.0, 0.01, 0.3, 1.0):
        stated = 2 * beta * (1 - beta) + f * (alpha * (1 - alpha) - beta * (1 - beta))
        assert moments.frequency_variance(f) == pytest.approx(stated / (alpha - beta) ** 2, rel=1e-9)
        # The signs are independent, so that the counts' difference has the variance of their sum.
        constant, _ = moments.ratio_variance(f)
        held, other = alpha + beta - 2 * alpha * beta, 2 * beta * (1 - beta)
        assert constant == pytest.approx(f * held + (1 - f) * other, rel=1e-9)


def test_the_chosen_number_of_symbols_is_next_to_the_best_for_rare_keys() -> None:
    """Rounding down costs most where there are fewest: 5.4 % with 2 symbols instead of 3."""
    for padding, epsilon in itertools.product((1, 2, 5), ("0.5", "1", "2")):

        def variance(symbols: int, padding: int = padding, epsilon: str = epsilon) -> float:
            return CountMoments.of(channel_of(9, padding, epsilon, symbols).count_law).frequency_variance(0.0)

        chosen = channel_of(9, padding, epsilon).symbols
        best = min(range(padding + 1, 3 * chosen), key=variance)
        assert variance(chosen) <= 1.06 * variance(best)


# Parameters.


@pytest.mark.parametrize(
    ("padding", "symbols", "message"),
    [
        (1, 1, r"^symbols must be more than the padding, so that some say none of the pairs: 1 ≤ 1$"),
        (5, 5, r"5 ≤ 5$"),
        (1, 0, r"0 ≤ 1$"),
        (1, -4, r"-4 ≤ 1$"),
        (1, 2**31, r"^symbols must be at most 2\^31 - 1, for words of 63 bits, not 2147483648$"),
        (1, True, r"^symbols must be a whole number, not True$"),
        (1, 4.0, r"^symbols must be a whole number, not 4.0$"),
        (1, "4", r"^symbols must be a whole number, not '4'$"),
        (1, None, r"^symbols must be a whole number, not None$"),
        (2**31 - 1, None, None),
    ],
)
def test_bad_symbols(padding: int, symbols: object, message: str | None) -> None:
    given_symbols = {} if message is None else {"symbols": symbols}
    with pytest.raises(ParameterError, match=message):
        CollisionChannel.from_parameters(3, padding, Fraction(1), given_symbols)


def test_words_always_fit() -> None:
    for epsilon, padding in itertools.product(EPSILONS, (1, 2, 1000, 2**24)):
        channel = channel_of(2**31, padding, epsilon)
        assert padding < channel.symbols <= MOST_SYMBOLS
        assert channel.word_limit <= 2**63 - 1
        assert channel.realised <= channel.claim
    with pytest.raises(
        ParameterError, match=r"^padding 2,147,483,646 is too large for ε = 1e-06: 64 bits are too"
    ):
        channel_of(2**31, 2**31 - 2, "0.000001")
    assert channel_of(9, 100, "20").symbols == MOST_SYMBOLS


def test_audits_at_any_size() -> None:
    for keys, padding, epsilon in (
        (2, 1, "1"),
        (5850, 3, "1"),
        (10, 100, "2"),
        (2**31, 5, "20"),
        (1, 1, "10"),
    ):
        channel = channel_of(keys, padding, epsilon)
        found = audit_channel(channel)
        assert found.holds
        assert found.enumerated <= found.closed_form <= found.claimed <= float(epsilon)
        # What is enumerated is a worst case: of a channel with fewer pairs and symbols, if these are many.
        assert found.enumerated == pytest.approx(found.closed_form, abs=1e-9)
    task = Task(name="t", keys=50, values=(0, 1), epsilon=1, padding=2, mechanism="collision")
    assert audit(task).holds


# The hash functions.


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
    """Each step can be undone; and a changed bit changes half of the bits, to within 3 of 64 on average."""
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
        # (a·x + c mod p) reduced to symbols: what was enumerated to be biased.
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
            code = sum(sent[place] * symbols**digit for digit, place in enumerate(group))
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


# The vectorised sampler.

HOLDINGS: tuple[dict[int, float], ...] = ({}, {1: 0.5}, {0: 0.5, 1: -1.0}, {0: 0.5, 1: -1.0, 2: 0.0})


def vectorised_p_value(held: dict[int, float], asked: dict[int, float], users: int) -> float:
    """χ² of the vectorised sampler's words against the law of some pairs, with three hash functions."""
    task = Task(name="t", keys=3, values=(-1, 1), epsilon=2, padding=2, mechanism="collision")
    task = with_channel(task, channel_of(3, 2, "2", functions=3))
    people = Population(
        np.arange(users + 1) * len(held),
        np.tile(list(held), users).astype(np.int32),
        np.tile(list(held.values()), users) * 1.0,
    )
    observed = np.zeros(task.channel.word_limit or 0)
    for batch in perturb_many(task, people, default_rng(7).bytes):
        observed += np.bincount(batch.messages, minlength=observed.size)
    law = law_at(task.channel, asked)
    expected = users * np.array([float(law[word]) for word in range(observed.size)])
    return float(stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), observed.size - 1))


@pytest.mark.parametrize("held", HOLDINGS, ids=len)
def test_vectorised_path_follows_the_law(held: dict[int, float]) -> None:
    """χ² over 51 words at α = 1e-6, n = 10^6: nobody's pairs, fewer than the padding, as many, and more.

    The control is the law with the value of one key moved by .05, or one pair more where there is none. That moves
    .6 % of the reports at least between two words of a chance of .08: a noncentrality of 450 against 50 degrees of
    freedom.
    """
    assert vectorised_p_value(held, held, 10**6) > 1e-6
    moved = {**held, 1: held[1] + 0.05} if held else {1: 0.5}
    assert vectorised_p_value(held, moved, 10**6) < 1e-6


def test_planted_faults_of_the_vectorised_path_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = vectorised.perturb_collision

    def never_more_than_one(
        channel: CollisionChannel, taken: vectorised.Taken, tape: vectorised.VectorisedTape
    ) -> Any:
        first = np.flatnonzero(np.diff(taken.owners, prepend=-1))
        fewer = vectorised.Taken(taken.users, taken.owners[first], taken.keys[first], taken.positive[first])
        return right(channel, fewer, tape)

    def signs_lost(
        channel: CollisionChannel, taken: vectorised.Taken, tape: vectorised.VectorisedTape
    ) -> Any:
        return right(channel, taken._replace(positive=np.ones_like(taken.positive)), tape)

    for fault in (never_more_than_one, signs_lost):
        monkeypatch.setattr(vectorised, "load_part", lambda *_, fault=fault: fault)
        assert vectorised_p_value(HOLDINGS[2], HOLDINGS[2], 10**5) < 1e-6


# Decoding.


def naive_decode(channel: CollisionChannel, counted: dict[int, int], keys: list[int]) -> list[list[int]]:
    """[n1 of every key, n2 of every key], in Python's integers."""
    return [
        [
            sum(
                times
                for word, times in counted.items()
                if hashed(word // channel.symbols, 2 * key + sign) * channel.symbols >> 64
                == word % channel.symbols
            )
            for key in keys
        ]
        for sign in (1, 0)
    ]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_way_to_decode_agrees(data: st.DataObject) -> None:
    pytest.importorskip("numba")
    symbols = data.draw(st.sampled_from([2, 3, 8, 46, 65_537, 2**31 - 1]))
    channel = channel_of(2**31, 1, "1", symbols)
    counted = data.draw(
        st.dictionaries(st.integers(0, channel.word_limit - 1), st.integers(1, 2**40), max_size=30)
    )
    # Words whose symbol is that of a key asked for, since chance does not find them among many symbols.
    keys = data.draw(st.lists(st.integers(0, 2**31 - 1), max_size=8))
    for function, key in enumerate(keys):
        counted[function * symbols + channel.symbol(function, 2 * key + function % 2)] = 7 + function
    words = np.array(sorted(counted), np.int64)
    times = np.array([counted[word] for word in words.tolist()], np.int64)
    wanted = naive_decode(channel, counted, keys)
    asked = np.array(keys, np.int64)
    assert [part.tolist() for part in collision.check_words(channel, words, times, asked)] == wanted
    assert [part.tolist() for part in collision.check_words_compiled(channel, words, times, asked)] == wanted
    counts = SparseCounts(channel.word_limit)
    counts.add_counts(words, times)
    assert [part.tolist() for part in decode(channel, counts, asked)] == wanted


def test_long_decodes_agree_and_tell_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    channel = channel_of(300, 3, "2")
    words, times = np.unique(default_rng(4).integers(0, channel.word_limit, 5000), return_counts=True)
    monkeypatch.setattr(collision, "CHECKS_PER_SPAN", 2**17)
    told: dict[str, list[float]] = {"check_words": [], "check_words_compiled": []}
    found = [
        getattr(collision, way)(channel, words, times, np.arange(300), shares.append)
        for way, shares in told.items()
    ]
    assert np.array_equal(found[0], found[1])
    for shares in told.values():
        assert len(shares) > 5
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


def test_a_decode_that_would_take_forever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = channel_of(10, 1)
    counts = SparseCounts(channel.word_limit)
    counts.add(np.arange(11))
    monkeypatch.setattr(collision, "MAX_CHECKS", 100)
    with pytest.raises(
        TallyError, match=r"^11 words are too many to check against 10 keys: ask for fewer keys$"
    ):
        decode(channel, counts)
    assert decode(channel, counts, np.arange(9)).plus.size == 9


# Estimates.

USERS, COLLECTIONS = 40_000, 20_000


def counts_of(
    channel: CollisionChannel, f: float, m: float, users: int, seed: int, size: int = COLLECTIONS
) -> KeySupport:
    """Counts of one key over many collections, report by report as the count law has them."""
    rng = default_rng(seed)
    holders = round(users * f)
    positive = rng.binomial(holders, (1 + m) / 2, size)
    law = channel.count_law
    plus, minus = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for number, support in (
        (positive, law.holder_plus),
        (holders - positive, law.holder_minus),
        (np.full(size, users - holders), law.absent),
    ):
        chances = [float(part) for part in (support.plus, support.minus, support.both)]
        drawn = rng.multinomial(number, [*chances, 1 - sum(chances)])
        plus += drawn[:, 0] + drawn[:, 2]
        minus += drawn[:, 1] + drawn[:, 2]
    return KeySupport(plus, minus)


@pytest.mark.parametrize(("padding", "epsilon"), [(1, "1"), (3, "4"), (10, "1")])
@pytest.mark.parametrize(("f", "m"), [(0.5, 0.0), (0.5, 0.9), (0.05, -1.0), (0.005, 0.5)])
def test_coverage(padding: int, epsilon: str, f: float, m: float) -> None:
    """At 95 %, over 20,000 collections of 40,000 users: one standard error of a share is .15 points.

    94 to 96 % is 6 standard errors on either side. The control is the next test.
    """
    channel = channel_of(20, padding, epsilon)
    moments = CountMoments.of(channel.count_law)
    support = counts_of(channel, f, m, USERS, seed=11)
    low, high = frequency_interval(support, USERS, moments, 0.95)
    assert 0.94 < np.mean((low <= f) & (f <= high)) < 0.96
    low, high, _ = mean_interval(support, USERS, moments, 0.95)
    covered = np.mean((low <= m) & (m <= high))
    # At the end of the range the set is cut there, and a mean inside has Var(v) to spare (proofs/intervals.md).
    assert covered > 0.94


def test_exclusive_counts_would_cover_too_little() -> None:
    """The control: with Var S = s(1 - s), which forgets `both`, coverage falls below 90 %."""
    channel = channel_of(20, 1, "1")
    moments = CountMoments.of(channel.count_law)
    support = counts_of(channel, 0.3, 0.0, USERS, seed=12)
    exclusive = CountMoments(
        *(replace(part, mean_square_sum=part.mean_sum) for part in (moments.holder, moments.absent))
    )
    covered = []
    for taken in (moments, exclusive):
        low, high = frequency_interval(support, USERS, taken, 0.95)
        covered.append(np.mean((low <= 0.3) & (high >= 0.3)))
    assert covered[0] > 0.94
    assert covered[1] < 0.9


@pytest.mark.parametrize(("users", "f"), [(2000, 0.0), (2000, 0.002), (2000, 0.05), (300, 0.5)])
def test_few_counts_are_covered_at_least(users: int, f: float) -> None:
    """n·2/t below 50, where the count is Bin(h, α) + Bin(2n - h, β): coverage at least 95 %, less 5 standard errors."""
    channel = channel_of(20, 1, "6")
    moments = CountMoments.of(channel.count_law)
    assert users * moments.noise < 50
    support = counts_of(channel, f, 0.2, users, seed=13, size=5000)
    low, high = frequency_interval(support, users, moments, 0.95)
    assert np.mean((low <= round(users * f) / users) & (round(users * f) / users <= high)) > 0.95 - 5 * 0.0031


def crowd(users: int, rng: np.random.Generator) -> Population:
    """Up to four of six keys each, popular ones often together, values of their own."""
    held = rng.random((users, 6)) < np.array([0.6, 0.5, 0.3, 0.1, 0.02, 0.0])
    held[np.flatnonzero(held.sum(axis=1) > 4), 0] = False
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
    keys = np.nonzero(held)[1].astype(np.int32)
    return Population(offsets, keys, np.array([0.8, -0.5, 0.0, 1.0, -1.0, 0.0])[keys])


def test_a_collection_from_end_to_end() -> None:
    """Real words and the real decode: frequencies and means within 4.5 standard errors of the truth.

    α = 1e-5 a number. The control, the same words decoded with each function's number one too high, is
    uniform over all keys: it misses the three popular keys.
    """
    people = crowd(60_000, default_rng(21))
    task = Task(name="t", keys=6, values=(-1, 1), epsilon=2, padding=4, mechanism="collision")
    channel = task.channel
    assert isinstance(channel, CollisionChannel)
    words = np.concatenate([batch.messages for batch in perturb_many(task, people, default_rng(22).bytes)])
    frequency, mean = people.truth(6)
    moments = CountMoments.of(channel.count_law)
    error = np.sqrt(moments.frequency_variance(frequency) / len(people))

    def misses(shifted: Cells) -> NDArray[np.bool_]:
        tally = Tally(task)
        tally.add_many(shifted)
        found, means = corrected(key_support(tally), tally.reports, moments)
        popular = frequency > 0.05
        mean_error = np.sqrt(moments.mean_variance(frequency[popular], mean[popular]) / len(people))
        wrong_mean = np.abs(means - mean)[popular] > 4.5 * mean_error
        return np.append(np.abs(found - np.maximum(frequency, 1 / len(people))) > 4.5 * error, wrong_mean)

    assert not misses(words).any()
    assert misses((words + channel.symbols) % channel.word_limit)[:3].all()


def test_one_report_at_a_time() -> None:
    """The plain path, from the operating system's randomness, to estimates with intervals."""
    task = Task(name="t", keys=["alien", "heat"], values=(1, 5), epsilon=4, padding=2, mechanism="collision")
    tally = Tally(task)
    tally.add_many(perturb(task, {"alien": 5, "heat": 1}) for _ in range(400))
    found = estimate(tally)
    assert np.all(found.frequency_high > 0.8)
    assert found.mean[0] > found.mean[1]
