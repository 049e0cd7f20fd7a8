"""`ue-compact`: every way to decode gives the same exact counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv import Tally, Task
from pckv.arrays import Integers
from pckv.channels.ue_compact import MAX_DECODED_WORDS, UeCompactChannel
from pckv.errors import TallyError
from pckv.tally.counts import DENSE_CELLS, Counts, DenseCounts, SparseCounts
from pckv.tally.decode import ue_compact as compact
from pckv.tally.decode.support import decode, key_support
from support.compact import MINUS, PLUS, compact_channel, naive_residue


def naive_decode(channel: UeCompactChannel, counted: dict[int, int], keys: list[int]) -> list[list[int]]:
    """[n1 of every key, n2 of every key], in Python's integers."""
    return [
        [
            sum(times for word, times in counted.items() if naive_residue(channel, word, key) == said)
            for key in keys
        ]
        for said in (PLUS, MINUS)
    ]


def arrays(counted: dict[int, int]) -> tuple[Integers, Integers]:
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


def full_counts(channel: UeCompactChannel, total: int, seed: int) -> tuple[Counts, Integers]:
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

    def noted(name: str) -> Callable[..., tuple[Integers, Integers]]:
        way = getattr(compact, name)

        def noting(*parts: Any) -> tuple[Integers, Integers]:
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
    assert DENSE_CELLS < channel.word_limit <= MAX_DECODED_WORDS
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
    assert channel.word_limit > MAX_DECODED_WORDS
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
