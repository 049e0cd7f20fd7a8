"""Supports of `collision`: every way to count them gives the cells of a naive count."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Barrier, get_ident
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv.base.arrays import Integers
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally import loops, supports
from support.faults import faulty_module
from support.laws import collision_law, naive_supports

# The largest number of positions.
LARGEST = 2**31 - 1
SMALL_PRIMES = [5, 7, 11, 13, 31, 101, 211, 1021]

# From a law and words, the number of supports of every item, and of all unused positions together.
Counter = Callable[..., list[int]]


def all_cells(law: CollisionLaw, cells: Integers, counts: Integers) -> list[int]:
    dense = np.zeros(law.items + 1, np.int64)
    dense[cells] = counts
    return dense.tolist()


def by_position(law: CollisionLaw, counts: Integers) -> list[int]:
    """Return the cells for counts of every position."""
    places = [pow(law.numbering.generator, item, law.positions) for item in range(law.items)]
    of_items = counts[places]
    return [*of_items.tolist(), int(counts.sum() - of_items.sum())]


def looked_up(law: CollisionLaw, words: Integers, module: ModuleType = supports) -> list[int]:
    return all_cells(law, *module.look_up(law, words))


def checked(law: CollisionLaw, words: Integers, module: ModuleType = supports) -> list[int]:
    return all_cells(law, *module.check_items(law, words))


def plain(law: CollisionLaw, words: Integers, module: ModuleType = supports) -> list[int]:
    return by_position(law, module.count_positions(law, words, compiled=False))


def compiled(law: CollisionLaw, words: Integers, module: ModuleType = supports) -> list[int]:
    return by_position(law, module.count_positions(law, words, compiled=True))


def chosen(law: CollisionLaw, words: Integers, module: ModuleType = supports) -> list[int]:
    """Count in the way that suits the number of words."""
    return all_cells(law, *module.count_supports(law, words, compiled=True))


@contextmanager
def interpreted() -> Iterator[None]:
    """Leave loops uncompiled: numba keeps compiled ones on disk, and does not know a fault in what they call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numba.njit", lambda **_: lambda function: function)
        yield


def small(draw: st.DrawFn) -> CollisionLaw:
    """Draw a law over few positions, on which every function and every symbol is likely."""
    positions = draw(st.sampled_from(SMALL_PRIMES))
    keys = draw(st.integers(1, min((positions - 1) // 2, 30)))
    symbols = draw(st.sampled_from([2, 3, 8, 46, 65_537, 2**27 - 1]))
    return collision_law(keys, 1, "1", symbols, positions)


def large(draw: st.DrawFn) -> CollisionLaw:
    """Draw a law whose products are close to 2^62, and whose functions are named by an index."""
    symbols = draw(st.sampled_from([2**27 - 1, 2**26 + 1, 2**24]))
    keys = draw(st.integers(1, 30))
    return CollisionLaw(keys, 1, Fraction(1), symbols=symbols, positions=LARGEST, functions=2**32)


def shipped(draw: st.DrawFn) -> CollisionLaw:
    """Draw a law as tasks have it."""
    padding = draw(st.integers(1, 5))
    symbols = draw(st.sampled_from([None, 6, 300, 3000]))
    return collision_law(draw(st.integers(1, 40)), padding, draw(st.sampled_from(["0.5", "1", "4"])), symbols)


@st.composite
def words_of(draw: st.DrawFn, family: Callable[[st.DrawFn], CollisionLaw]) -> tuple[CollisionLaw, list[int]]:
    """Draw a law and words: any, words that support a chosen item, and repeats of both."""
    law = family(draw)
    words = draw(st.lists(st.integers(0, law.word_limit - 1), max_size=20))
    for item in draw(st.lists(st.integers(0, law.items - 1), max_size=6)):
        function = draw(st.integers(0, law.functions - 1))
        words.append(function * law.symbols + law.symbol(function, item))
    repeats = draw(st.lists(st.integers(0, len(words) - 1), max_size=4)) if words else []
    return law, words + [words[place] for place in repeats]


@pytest.mark.parametrize("family", [small, large, shipped])
def test_every_way_to_count_agrees(family: Callable[[st.DrawFn], CollisionLaw]) -> None:
    pytest.importorskip("numba")

    @settings(max_examples=20, deadline=None)
    @given(words_of(family), st.sampled_from([1, 2, 7, 64, 2**14]), st.sampled_from([1, 3, 2**16]), st.booleans())
    def check(drawn: tuple[CollisionLaw, list[int]], places: int, at_once: int, threads: bool) -> None:
        law, sent = drawn
        words, expected = np.array(sent, np.int64), naive_supports(law, sent)
        ways: list[Counter] = [looked_up, checked, chosen]
        if law.positions < LARGEST:
            ways += [plain, compiled]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(supports, "PLACES_AT_ONCE", places)
            patch.setattr(supports, "CHECKS_AT_ONCE", places)
            patch.setattr(supports, "MAX_PART_WORDS", at_once)
            if threads:
                patch.setattr(supports, "SUPPORTS_PER_THREAD", 1)
                patch.setattr("os.cpu_count", lambda: 3)
            for way in ways:
                assert way(law, words) == expected, way.__name__

    check()


@pytest.mark.parametrize("copies", [1, 254, 255, 256, 510, 511, 70_000])
def test_a_word_that_comes_often(copies: int) -> None:
    """The compiled loop counts in bytes, which 256 copies of a word would overflow."""
    pytest.importorskip("numba")
    law = collision_law(3, 1, "1", 3, 13)
    word = 5 * law.symbols + law.symbol(5, 4)
    expected = [copies * count for count in naive_supports(law, [word])]
    for way in (looked_up, checked, plain, compiled, chosen):
        assert way(law, np.full(copies, word)) == expected, way.__name__


@pytest.mark.parametrize(
    ("keys", "padding", "words", "way"),
    [
        # One word supports 1/22 of the positions: three are worth a counter per position.
        (1000, 5, 2, "look_up"),
        (1000, 5, 3, "count_positions"),
        # As few items as positions that a word supports: a check is cheaper than a look-up.
        (93, 5, 2, "check_items"),
        (93, 5, 3, "count_positions"),
        # Very few items.
        (11, 1, 100, "check_items"),
    ],
)
def test_the_way_that_suits_the_number_of_words(
    keys: int, padding: int, words: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = collision_law(keys, padding)
    called = {name: Mock(wraps=getattr(supports, name)) for name in ("look_up", "check_items", "count_positions")}
    for name, mock in called.items():
        monkeypatch.setattr(supports, name, mock)
    sent = default_rng(1).integers(0, law.word_limit, words)
    assert chosen(law, sent) == naive_supports(law, sent.tolist())
    assert [name for name, mock in called.items() if mock.called] == [way]


def test_inverses() -> None:
    for prime in (5, 4099, LARGEST):
        numbers = np.array([1, 2, 3, prime - 1, prime // 2, *default_rng(1).integers(1, prime, 50)])
        for found in (supports.inverse(numbers, prime), loops.invert(numbers, prime)):
            assert [int(a) * int(b) % prime for a, b in zip(numbers, found, strict=True)] == [1] * numbers.size
    assert loops.invert(numbers[:0], LARGEST).size == 0


# Planted faults: the file, what stands there, what a slip would make of it, and the way to count that must show it.
SUPPORTS, LOOPS = "tally/supports.py", "tally/loops.py"
FAULTS: dict[str, tuple[str, str, str, Counter]] = {
    "progressions that are one too short": (SUPPORTS, "(law.positions - 1 - symbols) // law.symbols + 1", "(law.positions - 1 - symbols) // law.symbols", plain),
    "places taken for items": (SUPPORTS, "items[found[hit]]", "found[hit]", looked_up),
    "offsets that are added": (SUPPORTS, "(symbols - offsets)", "(symbols + offsets)", plain),
    "the last supports left out": (SUPPORTS, "ranks < left[:, None]", "ranks < left[:, None] - 1", plain),
    "places that are not reduced": (SUPPORTS, "unsigned - np.uint64(positions)", "unsigned", looked_up),
    "a part of the words left out": (SUPPORTS, "range(0, words.size, size)", "range(size, words.size, size)", compiled),
    "unused positions counted per word": (SUPPORTS, "supported.size - int(hit.sum())", "int(supported.size > hit.sum())", looked_up),
    "unused positions counted with the items": (SUPPORTS, "total - int(found.sum())", "total", checked),
    "checks of the first words alone": (SUPPORTS, "        found += times[part]", "        found = times[part]", checked),
    "bytes that overflow": (LOOPS, "MAX_BYTE = 255", "MAX_BYTE = 256", compiled),
    "a byte sum that is not emptied": (LOOPS, "                recent[position] = 0", "                pass", compiled),
    "one place in eight lost": (LOOPS, "        counts[fifth] += 1\n", "", compiled),
    "the odd ones lost": (LOOPS, "range(length % 8)", "range(length % 8 - 1)", compiled),
    "a stride of five": (LOOPS, "after(fourfold, fourfold, positions)", "after(fourfold, step, positions)", compiled),
}  # fmt: skip


# Where numba does not compile them, numpy warns of the bytes and unsigned numbers that are meant to overflow.
@pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")
@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words are those on which the way agrees without the fault: with it, it must not."""
    pytest.importorskip("numba")
    file, right, wrong, way = FAULTS[name]
    law = collision_law(20, 1, "1", 7, 211)
    words = np.concatenate([default_rng(1).integers(0, law.word_limit, 600), np.full(700, 8)])
    expected = naive_supports(law, words.tolist())
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for planted in (right, wrong):
        with interpreted():
            module = faulty_module(file, {right: planted})
        if file == LOOPS:
            monkeypatch.setattr(loops, "count_progressions", module.count_progressions)
            module = faulty_module(SUPPORTS, {"SUPPORTS_PER_THREAD = 2**24": "SUPPORTS_PER_THREAD = 1000"})
        else:
            monkeypatch.setattr(module, "SUPPORTS_PER_THREAD", 1000)
        assert (way(law, words, module) == expected) == (planted == right)


class PartsForAll:
    """Parts of which every one of two threads takes one at least."""

    def __init__(self, parts: list[Integers]) -> None:
        self.parts = iter(parts)
        self.meeting = Barrier(2, timeout=60)
        self.seen: set[int] = set()

    def __iter__(self) -> Iterator[Integers]:
        return self

    def __next__(self) -> Integers:
        if get_ident() not in self.seen:
            self.seen.add(get_ident())
            self.meeting.wait()
        return next(self.parts)


def test_the_counts_of_every_thread_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    law = collision_law(20, 1, "1", 7, 211)
    words = default_rng(1).integers(0, law.word_limit, 2000)
    expected = naive_supports(law, words.tolist())
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    right = "    for counts in rest:"
    for planted in (right, "    for counts in rest[1:]:"):
        module = faulty_module(SUPPORTS, {right: planted})
        monkeypatch.setattr(module, "SUPPORTS_PER_THREAD", 1000)
        monkeypatch.setattr(module, "_parts_for", lambda words, _: PartsForAll(np.array_split(words, 8)))
        # One thread may take all parts now and then, so that nothing is lost.
        found = [plain(law, words, module) for _ in range(20)]
        assert all(counts == expected for counts in found) == (planted == right)


@pytest.mark.parametrize("error", [ImportError("no numba"), RuntimeError("no place for a cache")])
def test_words_are_counted_where_the_compiled_loop_cannot_be_loaded(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba refuses to load what it is to keep on disk, where it may not write anywhere."""

    class Refusing:
        def __getattr__(self, name: str) -> object:
            raise error

    law = collision_law(40, 3, "1")
    words = default_rng(1).integers(0, law.word_limit, 50)
    monkeypatch.setattr(supports, "_compiled_loop", supports._compiled_loop.__wrapped__)
    monkeypatch.setitem(sys.modules, supports.COMPILED_LOOPS, Refusing())
    supports.prepare_counting(law)
    assert compiled(law, words) == naive_supports(law, words.tolist())
