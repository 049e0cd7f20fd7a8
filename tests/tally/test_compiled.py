"""Compiled tallies: the same counts as plain ones, the same refusals, and no change after a refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pckv import Tally, Task
from pckv.base.errors import ReportError
from pckv.base.wire import BitPlanes
from pckv.tally.layouts import PlaneLayout, plane_problems
from pckv.tally.loops import LANES_AT_ONCE, are_planes, count_bits
from pckv.tally.tally import CompiledPlaneLayout, compiled_tally, fast_tally
from support.faults import stand_in
from support.sample_reports import COMPACT, GRR, SPARSE, UE, make_task, some_messages

Array = Any


def as_is(array: Array) -> Array:
    return array


def from_the_middle(array: Array) -> Array:
    """Return a part of a larger array."""
    return np.concatenate([array[:3], array, array[:5]])[min(3, len(array)) :][: len(array)]


def every_second(array: Array) -> Array:
    """Return an array whose rows are not contiguous."""
    return np.repeat(array, 2, axis=0)[::2]


def backwards(array: Array) -> Array:
    return array[::-1].copy()[::-1]


def by_columns(array: Array) -> Array:
    return np.asfortranarray(array)


def unaligned(array: Array) -> Array:
    """Return an array that begins at an odd address."""
    buffer = bytearray(array.nbytes + 1)
    copy = np.frombuffer(buffer, array.dtype, array.size, offset=1).reshape(array.shape)
    copy[...] = array
    return copy


def read_only(array: Array) -> Array:
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


LAYOUTS: list[Callable[[Array], Array]] = [
    as_is,
    from_the_middle,
    every_second,
    backwards,
    by_columns,
    unaligned,
    read_only,
]
layouts = st.sampled_from(LAYOUTS)
seeds = st.integers(0, 2**32 - 1)


def both(task: Task) -> tuple[Tally, Tally]:
    return compiled_tally(task), Tally(task)


@given(st.integers(1, 150), st.integers(0, 700), seeds, layouts)
@example(100, 1000, 1, as_is)
@example(8, 70_000, 1, as_is)
@example(5000, 600, 1, as_is)
def test_planes(keys: int, rows: int, seed: int, layout: Callable[[Array], Array]) -> None:
    task = make_task("ue", keys)
    compiled, plain = both(task)
    planes = some_messages(task, rows, seed)
    for tally in (compiled, plain):
        tally.add_many(layout(planes))
        tally.add_many(planes[: rows // 2])
    assert bytes(compiled) == bytes(plain)
    assert compiled.reports == rows + rows // 2


@pytest.mark.parametrize("rows", [1, 3, 4, 15, 16, 255, 256, 1023, 3 * 5 * 17 * 64, 3 * 5 * 17 * 64 + 1])
def test_fields_that_are_full(rows: int) -> None:
    """Every bit of every row is set: the fields of the counting loop reach their maximum."""
    for lanes in (1, 3, 64):
        all_set = np.full((rows, lanes), 2**64 - 1, np.uint64)
        assert count_bits(all_set).tolist() == [rows] * (64 * lanes)
    task = make_task("ue", 16)
    tally = compiled_tally(task)
    tally.add_many(np.full((rows, 4), 0xFF, np.uint8))
    assert tally.counts.take(np.arange(32)).tolist() == [0, rows] * 16


def check_wide_rows(count: Callable[[Array], Array]) -> None:
    """Assert that bits are counted in rows of few lanes and of many, up to those of the largest tasks."""
    for lanes in (1, LANES_AT_ONCE - 1, LANES_AT_ONCE, LANES_AT_ONCE + 1, 3 * LANES_AT_ONCE + 5):
        rows = np.random.default_rng(lanes).integers(0, 2**64, (4, lanes), np.uint64)
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
        assert (count(rows) == bits.sum(axis=0)).all(), lanes


def first_lanes_only(rows: Array) -> Array:
    """Return totals in which later lanes are added to the first ones."""
    totals = np.zeros(64 * rows.shape[1], np.int64)
    for start in range(0, rows.shape[1], LANES_AT_ONCE):
        found = count_bits(np.ascontiguousarray(rows[:, start : start + LANES_AT_ONCE]))
        totals[: found.size] += found
    return totals


def test_rows_of_any_width() -> None:
    check_wide_rows(count_bits)
    stand_in("lanes beyond the first are counted as the first", first_lanes_only, check_wide_rows).check_caught(
        Path(), raises=AssertionError
    )


@given(st.integers(0, 300), seeds, layouts, st.sampled_from([GRR, COMPACT, SPARSE]))
def test_words(rows: int, seed: int, layout: Callable[[Array], Array], task: Task) -> None:
    compiled, plain = both(task)
    words = some_messages(task, rows, seed)
    for tally in (compiled, plain):
        tally.add_many(layout(words))
        tally.add_many(words[: rows // 2])
    assert bytes(compiled) == bytes(plain)
    assert compiled.reports == rows + rows // 2


def refused_alike(task: Task, good: Array, bad: Array) -> str:
    refusals = []
    for tally in both(task):
        tally.add_many(good)
        before = bytes(tally)
        with pytest.raises(ReportError) as caught:
            tally.add_many(bad)
        assert bytes(tally) == before
        refusals.append((caught.value.code, str(caught.value)))
    assert refusals[0] == refusals[1]
    return refusals[0][1]


@given(st.integers(1, 60), seeds, layouts, st.sampled_from([GRR, COMPACT, SPARSE]), st.sampled_from([0, 1, 2, 3]))
def test_words_out_of_range(rows: int, seed: int, layout: Callable[[Array], Array], task: Task, kind: int) -> None:
    good = some_messages(task, rows, seed)
    row = seed % rows
    bad = good.copy()
    bad[row] = [task.word_limit or 0, -1, 2**63 - 1, -(2**63)][kind]
    assert refused_alike(task, good, layout(bad)).startswith(f"report {row}: word {bad[row]} is not below")


@given(st.integers(1, 40), st.integers(1, 60), seeds, layouts, st.booleans())
def test_bad_planes(keys: int, rows: int, seed: int, layout: Callable[[Array], Array], stray: bool) -> None:
    task = make_task("ue", keys)
    good = some_messages(task, rows, seed)
    row, width = seed % rows, good.shape[1] // 2
    bad = good.copy()
    if stray:
        key = seed % keys
        bad[row, key // 8] &= ~np.uint8(1 << key % 8)
        bad[row, width + key // 8] |= np.uint8(1 << key % 8)
    elif keys % 8:
        bad[row, width - 1] |= np.uint8(0x80)
    else:
        return
    reason = "a sign is set where" if stray else f"a bit beyond the last of {keys} keys"
    assert refused_alike(task, good, layout(bad)).startswith(f"report {row}: {reason}")


@given(st.integers(1, 20), st.integers(0, 5), seeds)
def test_any_bytes_are_planes_or_not(keys: int, rows: int, seed: int) -> None:
    width = 2 * -(-keys // 8)
    bodies = np.random.default_rng(seed).integers(0, 256, (rows, width), np.uint8)
    # Signs are mostly a subset of presence, so that both answers occur.
    bodies[:, width // 2 :] &= bodies[:, : width // 2]
    assert are_planes(bodies, keys) == (not list(plane_problems(bodies, BitPlanes(keys))))


@pytest.mark.parametrize("task", [GRR, UE, COMPACT, SPARSE], ids=lambda task: task.mechanism)
def test_arrays_of_another_kind_are_refused(task: Task) -> None:
    messages = some_messages(task, 8)
    for wrong in (messages.astype(np.int32), messages.astype(">i8"), messages.reshape(2, -1)):
        refused_alike(task, messages, wrong)


def test_compiled_tallies_are_tallies() -> None:
    for task in (GRR, UE, COMPACT, SPARSE):
        messages = some_messages(task, 100)
        compiled, plain = both(task)
        compiled.add_many(messages[:60])
        plain.add_many(messages[60:])
        compiled.merge(plain)
        expected = Tally(task)
        expected.add_many(messages)
        assert compiled == expected
        assert Tally.from_bytes(task, bytes(compiled)) == compiled


def test_compiling_is_for_many_reports() -> None:
    layouts = [type(fast_tally(UE, reports).layout) for reports in (1000, 10**9)]
    assert layouts == [PlaneLayout, CompiledPlaneLayout]


@given(st.integers(0, 300), seeds, st.sampled_from([GRR, COMPACT, SPARSE]))
def test_counted_words_can_be_added(rows: int, seed: int, task: Task) -> None:
    words = some_messages(task, rows, seed).astype(np.int64)
    distinct, times = np.unique(words, return_counts=True)
    order = np.random.default_rng(seed).permutation(distinct.size)
    for tally in both(task):
        tally.add_counted(distinct[order], times[order])
        tally.add_counted(distinct[:1], times[:1])
        expected = Tally(task)
        expected.add_many(np.concatenate([words, words[words == distinct[0]]]) if rows else words)
        assert tally == expected


@pytest.mark.parametrize("word", [-1, 28, 2**62])
def test_counted_words_are_checked(word: int) -> None:
    for tally in both(GRR):
        tally.add_many(np.array([1, 2, 3]))
        before = bytes(tally)
        with pytest.raises(ReportError, match="a word is not below 28"):
            tally.add_counted(np.array([5, word]), np.array([2, 1]))
        assert bytes(tally) == before
