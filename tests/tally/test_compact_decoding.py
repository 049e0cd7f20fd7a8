"""`ue-compact`: every way to decode gives the same exact counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv import Tally, Task
from pckv.base.arrays import Integers
from pckv.base.errors import TallyError
from pckv.mechanisms.ue_compact.law import MAX_DECODED_WORDS, UeCompactLaw
from pckv.tally.counts import DENSE_CELLS, Counts, DenseCounts, SparseCounts
from pckv.tally.decode import ue_compact as compact
from pckv.tally.decode.support import decode, key_support
from support.faults import Fault, in_place
from support.laws import compact_law, naive_residue


def naive_decode(law: UeCompactLaw, word_counts: dict[int, int], keys: list[int]) -> list[list[int]]:
    """Return the counts of every key for every level, in Python's integers."""

    def says(word: int, key: int, level: int) -> bool:
        # The highest level has the first residues.
        return naive_residue(law, word, key) // law.r == law.levels - 1 - level

    return [
        [sum(times for word, times in word_counts.items() if says(word, key, level)) for key in keys]
        for level in range(law.levels)
    ]


def arrays(word_counts: dict[int, int]) -> tuple[Integers, Integers]:
    words = sorted(word_counts)
    return np.array(words, np.int64), np.array([word_counts[word] for word in words], np.int64)


SHAPES = (
    (1, 3), (2, 3), (3, 3), (8, 3), (9, 3), (26, 3), (27, 3), (60, 3),
    (4, 5), (5, 5), (24, 5), (25, 5), (100, 5), (6, 7), (7, 7), (30, 7), (48, 7), (49, 7),
    (10, 11), (11, 11), (100, 11), (130, 11), (12, 13), (100, 13), (30, 31), (31, 31), (60, 61), (100, 101),
)  # fmt: skip


# With more levels than two: keys, q, levels, and residues per level.
LEVELS = (
    (8, 5, 3, 1),
    (24, 7, 5, 1),
    (30, 7, 3, 2),
    (48, 7, 5, 1),
    (100, 11, 5, 2),
    (40, 17, 16, 1),
    (60, 61, 16, 3),
)


@pytest.mark.parametrize(("keys", "q", "levels", "r"), [*((*shape, 2, 1) for shape in SHAPES), *LEVELS])
def test_every_way_to_decode_agrees(keys: int, q: int, levels: int, r: int) -> None:
    """Checking words, adding up and Fourier transforms against Python's integers; for the dummy too."""
    law = compact_law(keys, q=q, r=r, levels=levels)
    rng = default_rng([keys, q])
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
            assert decoded.tolist() == expected


def check_portions() -> None:
    """Assert that decoding in portions of any size gives the same counts."""
    law = compact_law(30, q=7)
    words, times = arrays(dict.fromkeys(range(0, law.word_limit, 5), 3) | {law.word_limit - 1: 2})
    ways: tuple[tuple[str, Callable[[], Integers]], ...] = (
        ("CHECKS_AT_ONCE", lambda: compact.check_words(law, words, times, np.arange(law.keys))),
        ("CELLS_AT_ONCE", lambda: compact.transform(law, words, times, law.keys)),
    )
    for limit, decoded in ways:
        expected = decoded()
        for at_once in (1, 4 * words.size, 20 * law.q, law.word_limit - 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(compact, limit, at_once)
                assert (decoded() == expected).all(), (limit, at_once)


def test_portions_of_any_size() -> None:
    check_portions()


PORTION_FAULTS = [
    in_place("counts of another portion", "tally/decode/ue_compact.py", {right: wrong}, check_portions)
    for right, wrong in (
        ("= times[inside]", "= times[: inside.stop - inside.start]"),
        (
            "residue(words[None, :], keys[start : start + step, None])",
            "residue(words[None, :], keys[:step, None][: keys.size - start])",
        ),
    )
]


@pytest.mark.parametrize("fault", PORTION_FAULTS, ids=["transformed", "checked"])
def test_a_fault_of_portions_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


@settings(max_examples=150)
@given(st.data())
def test_any_tally_decodes_the_same_in_every_way(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from([3, 5, 7, 11, 13, 17]))
    law = compact_law(data.draw(st.integers(1, 150)), q=q)
    word_counts = data.draw(st.dictionaries(st.integers(0, law.word_limit - 1), st.integers(1, 2**32), max_size=30))
    keys = data.draw(st.lists(st.integers(0, law.keys - 1), max_size=12))
    expected = naive_decode(law, word_counts, keys)
    words, times = arrays(word_counts)
    for counts in (DenseCounts(law.word_limit), SparseCounts(law.word_limit)):
        counts.add_counts(words, times)
        assert decode(law, counts, np.array(keys, np.int64)).counts.tolist() == expected
    for decode_all in (compact.add_up, compact.transform):
        assert decode_all(law, words, times, law.keys + 1)[:, keys].tolist() == expected


@pytest.mark.parametrize("q", [3, 5, 7, 13, 31, 101])
def test_an_empty_tally_decodes_to_nothing(q: int) -> None:
    law = compact_law(100, q=q)
    for counts in (DenseCounts(law.word_limit), SparseCounts(law.word_limit)):
        assert not np.any(decode(law, counts))
        assert decode(law, counts, np.zeros(0, np.int64)).counts.shape == (2, 0)
    words, times = arrays({})
    for decode_all in (compact.add_up, compact.transform):
        assert not np.any(decode_all(law, words, times, 100))


def full_counts(law: UeCompactLaw, total: int, seed: int) -> tuple[Counts, Integers]:
    """Return uneven counts of every word that sum to a total, so that all keys are decoded together."""
    shares = default_rng(seed).dirichlet(np.full(law.word_limit, 0.3))
    times = (shares * (total - 2 * law.word_limit)).astype(np.int64) + 1
    times[0] += total - times.sum()
    counts = DenseCounts(law.word_limit)
    counts.add_counts(np.arange(law.word_limit), times)
    return counts, times


@pytest.mark.parametrize(("keys", "q"), [(24, 5), (48, 7), (100, 11), (60, 61), (150, 151), (900, 31)])
def test_huge_counts_are_exact(keys: int, q: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 2^40 reports by Fourier transforms, beyond in integers: to the unit, whatever the counts."""
    law = compact_law(keys, q=q)
    used: list[str] = []

    def recording(name: str) -> Callable[..., Integers]:
        function = getattr(compact, name)

        def record(*parts: Any) -> Integers:
            used.append(name)
            return np.asarray(function(*parts))

        return record

    for name in ("transform", "add_up"):
        monkeypatch.setattr(compact, name, recording(name))
    for total in (2**40, 2**40 + 1, 2**62 + 12345):
        counts, times = full_counts(law, total, q)
        found = decode(law, counts).counts
        expected = compact.check_words(law, np.arange(law.word_limit), times, np.arange(keys))
        assert found.tolist() == expected.tolist()
        # A few keys in Python's integers, since everything above is numpy.
        word_counts = dict(enumerate(times.tolist()))
        for key in (0, keys - 1):
            assert naive_decode(law, word_counts, [key]) == found[:, [key]].tolist()
    assert used == ["transform" if q >= 7 else "add_up", "add_up", "add_up"]


def test_a_single_huge_count_is_exact() -> None:
    """All but a few of 2^40 reports in one word: the worst case for rounding the rest."""
    law = compact_law(300, q=307)
    word_counts = dict.fromkeys(range(5, 90_000, 1777), 1) | {60_001: 2**40 - 60}
    words, times = arrays(word_counts)
    expected = compact.check_words(law, words, times, np.arange(300))
    decoded = compact.transform(law, words, times, 300)
    assert decoded.tolist() == expected.tolist()


def test_sparse_tallies_decode() -> None:
    """More cells than one array holds: all keys together, a list of keys, and from bytes."""
    task = Task(name="t", keys=20_000, values=(0, 1), epsilon=4, mechanism={"name": "ue-compact", "q": 409})
    law = task.law
    assert isinstance(law, UeCompactLaw)
    assert DENSE_CELLS < law.word_limit <= MAX_DECODED_WORDS
    tally = Tally(task)
    words = default_rng(1).integers(0, law.word_limit, 300)
    tally.add_many(words)
    assert isinstance(tally.counts, SparseCounts)
    keys = np.array([0, 19_999, 7, 7, 408, 409])
    expected = naive_decode(law, Counter(words.tolist()), keys.tolist())
    assert key_support(tally, keys).counts.tolist() == expected
    assert key_support(tally).take(keys).counts.tolist() == expected
    assert Tally.from_bytes(task, bytes(tally)) == tally


def test_with_too_many_words_only_chosen_keys_are_decoded() -> None:
    """Beyond 2^28 words all keys cannot be decoded together, but chosen keys can."""
    law = compact_law(10**6, epsilon="6")
    assert law.word_limit > MAX_DECODED_WORDS
    assert not law.decodes_all
    counts = SparseCounts(law.word_limit)
    words = default_rng(2).integers(0, law.word_limit, 70_000)
    counts.add(words)
    keys = [0, 311, 999_999]
    expected = naive_decode(law, Counter(words.tolist()), keys)
    assert decode(law, counts, np.array(keys)).counts.tolist() == expected
    with pytest.raises(TallyError, match=r"words are too many to decode 1,000,000 keys together: ask for fewer$"):
        decode(law, counts)
