"""`ue-compact`: the exact guarantee of one word per report."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pckv.arrays import Integers
from pckv.auditing.exact import input_sets, worst_ratio
from pckv.auditing.exhaustive import ExhaustiveTape, sampler_law
from pckv.budget import epsilon_of, exp_lower
from pckv.channels import HeldLevels, Support
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device import ue_compact
from support.compact import MINUS, PLUS, PRIMES, compact_channel

EPSILONS = ("0.1", "0.5", "1", "2", "4", "6")


def residues_of(channel: UeCompactChannel, words: Integers, key: int) -> Integers:
    """Return the residues of a key in all words."""
    return channel.residue(words, np.full(1, key))


def true_halves(channel: UeCompactChannel, held: HeldLevels, words: Integers) -> Integers:
    """Return, per word, how many half slots of this input set give it the larger of the two chances.

    A pair's slot counts two halves where the word says the pair's sign, a dummy's slot one where it
    says either sign of key number d.
    """
    halves = np.zeros(words.size, np.int64)
    for key, level in held.items():
        halves += 2 * (residues_of(channel, words, key) == (PLUS if level else MINUS))
    dummies = max(channel.padding - len(held), 0)
    return np.asarray(halves + dummies * (residues_of(channel, words, channel.keys) <= MINUS))


def distinct_words(channel: UeCompactChannel) -> Integers:
    """Return one word per combination of +, - or nothing over all keys and the dummy; `true_halves` uses nothing else."""
    words = np.arange(channel.word_limit)
    codes = np.zeros(channel.word_limit, np.int64)
    for key in range(channel.keys + 1):
        codes = 3 * codes + np.minimum(residues_of(channel, words, key), 2)
    word_of_code = np.full(3 ** (channel.keys + 1), -1)
    word_of_code[codes] = words
    return np.asarray(word_of_code[word_of_code >= 0])


def chance(channel: UeCompactChannel, halves: int, slots: int) -> Fraction:
    """Return the chance of a word, computed from the channel's integers."""
    kept, other = channel.kept * (channel.q - 1), channel.one - channel.kept
    return Fraction(halves * kept + (2 * slots - halves) * other, 2 * slots * channel.pair_total)


def vectorised_worst_ratio(channels: list[UeCompactChannel]) -> list[Fraction]:
    """Return what `worst_ratio` returns, for channels that differ in ε only."""
    first = channels[0]
    words = distinct_words(first)
    sets = list(input_sets(first.keys))
    halves = np.stack([true_halves(first, held, words) for held in sets], axis=1).tolist()
    slots = [max(len(held), first.padding) for held in sets]
    laws = {frozenset(zip(row, slots, strict=True)) for row in halves}
    return [
        max(
            spread([chance(channel, *halves_and_slots) for halves_and_slots in word_laws])
            for word_laws in laws
        )
        for channel in channels
    ]


def spread(chances: list[Fraction]) -> Fraction:
    return max(chances) / min(chances)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 2, 1), (3, 3, 2), (3, 4, 3), (5, 5, 2), (11, 2, 3)])
def test_vectorised_enumeration_is_the_law(q: int, keys: int, padding: int) -> None:
    """Word for word and input set for input set, so that what it finds is the channel's loss."""
    channel = compact_channel(keys, padding, "2", q)
    for held in input_sets(keys):
        weights, total = channel.law(held)
        halves, slots = true_halves(channel, held, np.arange(channel.word_limit)), max(len(held), padding)
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
        residues = residues_of(channel, words, key)
        # The residue is uniform over the words, so that every pair has the same law but for names.
        assert np.bincount(residues, minlength=q).tolist() == [channel.functions] * q
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
        residues = [residues_of(channel, words, key) for key in range(channel.keys + 1)]
        times = channel.word_limit // channel.q**2
        return all(
            np.all(np.bincount(one * channel.q + other, minlength=channel.q**2) == times)
            for one, other in itertools.combinations(residues, 2)
        )

    assert even(compact_channel(keys, q=q))
    control = compact_channel(3, q=5)
    # No such channel can be built: 4 is not prime.
    vars(control).update(q=4, functions=4)
    assert not even(control)


@pytest.mark.parametrize(("q", "keys", "padding"), [(3, 1, 1), (3, 2, 2), (3, 3, 2), (5, 3, 2), (7, 2, 3)])
def test_counts_of_the_running_sampler(q: int, keys: int, padding: int) -> None:
    """On every value of a toy tape: a key's (n1, n2) follow PCKV-UE's law with a, b and p of section 4."""
    channel = UeCompactChannel(keys, padding, Fraction(1), q, bits=5)
    kept = math.floor(32 * channel.bound / (channel.bound + q - 1))
    sampled = Fraction(kept, 32), Fraction(32 - kept, 32 * (q - 1))
    share, other = Fraction(1, padding), Fraction(1, q)
    own, flipped = (share * chance + (1 - share) * other for chance in sampled)
    for held in input_sets(keys):
        if len(held) > padding:
            continue
        pairs = [(key, 0, channel.one * level) for key, level in held.items()]
        law = sampler_law(ue_compact.perturb, channel, pairs, ExhaustiveTape(5))
        assert set(law) == set(range(channel.word_limit))
        for key in range(keys):
            measured = [
                sum((law[word] for word in law if channel.residue(word, key) == sign_residue), Fraction(0))
                for sign_residue in (PLUS, MINUS)
            ]
            expected = {1: [own, flipped], 0: [flipped, own], None: [other, other]}[held.get(key)]
            assert measured == expected
    assert channel.count_law.holder == Support.exclusive(2, own, flipped)
    assert channel.count_law.absent == Support.exclusive(2, other, other)


def test_realised_epsilon_is_shown_rounded_up() -> None:
    channel = compact_channel(249_274, epsilon="6")
    assert exp_lower(Fraction(str(epsilon_of(channel.realised)))) >= channel.realised
