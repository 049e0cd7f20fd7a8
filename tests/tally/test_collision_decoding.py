"""`collision`: every way to decode gives the same counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv.channels.collision import CollisionChannel
from pckv.channels.hashing import hashed
from pckv.errors import TallyError
from pckv.tally.counts import SparseCounts
from pckv.tally.decode import collision
from pckv.tally.decode.support import decode
from support.collision import collision_channel


def naive_decode(channel: CollisionChannel, word_counts: dict[int, int], keys: list[int]) -> list[list[int]]:
    """[n1 of every key, n2 of every key], in Python's integers."""
    return [
        [
            sum(
                times
                for word, times in word_counts.items()
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
    channel = collision_channel(2**31, 1, "1", symbols)
    word_counts = data.draw(
        st.dictionaries(st.integers(0, channel.word_limit - 1), st.integers(1, 2**40), max_size=30)
    )
    # Words that support chosen keys, since random words hardly do if there are many symbols.
    keys = data.draw(st.lists(st.integers(0, 2**31 - 1), max_size=8))
    for function, key in enumerate(keys):
        word_counts[function * symbols + channel.symbol(function, 2 * key + function % 2)] = 7 + function
    words = np.array(sorted(word_counts), np.int64)
    times = np.array([word_counts[word] for word in words.tolist()], np.int64)
    expected = naive_decode(channel, word_counts, keys)
    key_array = np.array(keys, np.int64)
    assert [part.tolist() for part in collision.check_words(channel, words, times, key_array)] == expected
    assert [
        part.tolist() for part in collision.check_words_compiled(channel, words, times, key_array)
    ] == expected
    counts = SparseCounts(channel.word_limit)
    counts.add_counts(words, times)
    assert [part.tolist() for part in decode(channel, counts, key_array)] == expected


def test_long_decodes_agree_and_report_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    channel = collision_channel(300, 3, "2")
    words, times = np.unique(default_rng(4).integers(0, channel.word_limit, 5000), return_counts=True)
    monkeypatch.setattr(collision, "CHECKS_PER_SPAN", 2**17)
    progress: dict[str, list[float]] = {"check_words": [], "check_words_compiled": []}
    decoded = [
        getattr(collision, name)(channel, words, times, np.arange(300), shares.append)
        for name, shares in progress.items()
    ]
    assert np.array_equal(decoded[0], decoded[1])
    for shares in progress.values():
        assert len(shares) > 5
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


def test_a_decode_that_would_take_forever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = collision_channel(10, 1)
    counts = SparseCounts(channel.word_limit)
    counts.add(np.arange(11))
    monkeypatch.setattr(collision, "MAX_CHECKS", 100)
    with pytest.raises(
        TallyError, match=r"^11 words are too many to check against 10 keys: ask for fewer keys$"
    ):
        decode(channel, counts)
    assert decode(channel, counts, np.arange(9)).plus.size == 9
