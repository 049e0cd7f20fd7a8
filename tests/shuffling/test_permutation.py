"""The order of shuffled reports is uniform, and planted faults are caught by the checks that say so."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pckv.base.arrays import Bytes, Integers
from pckv.base.randomness import Source
from pckv.base.seeded import seeded_source
from pckv.files import spill
from pckv.shuffling import permutation
from pckv.shuffling.permutation import random_groups, random_order
from support.shuffling import (
    check_four_rows,
    check_many_rows,
    check_order,
    shuffle_law,
    shuffle_rows,
    two_group_tapes,
)


def test_an_order_is_uniform_over_all_tapes() -> None:
    check_order(random_order)


def test_a_byte_names_each_group_once() -> None:
    assert random_groups(256, lambda count: bytes(range(count))).tolist() == list(range(256))


def test_four_rows_are_uniform_over_all_tapes() -> None:
    check_four_rows()


def test_four_rows_are_uniform_where_groups_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of more than two rows are split once more; the tapes name two groups, four draws per level."""
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", 16)
    monkeypatch.setattr(spill, "MAX_LEVELS", 2)
    assert set(shuffle_law((1, 3), two_group_tapes(8)).values()) == {Fraction(1, 24)}


def seeded_orders(batches: Callable[[int], tuple[int, ...]]) -> Callable[[int], tuple[int, ...]]:
    source = seeded_source(16)
    return lambda rows: shuffle_rows(batches(rows), source)


def test_many_rows_look_uniform() -> None:
    check_many_rows(seeded_orders(lambda rows: (rows,)))


def test_many_rows_look_uniform_where_groups_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows go to three groups, of about 67 rows: they are split again, by three groups at each level."""
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", 8 * 30)
    monkeypatch.setattr(permutation, "random_groups", lambda count, source: np.frombuffer(source(8 * count), "<u8") % 3)
    check_many_rows(seeded_orders(lambda rows: (rows // 2, rows - rows // 2)))


def swap_with_any_place(rows: int) -> list[int]:
    """Swap every place with a random one of all: n^n equally likely ways, which n! does not divide."""
    order = list(range(rows))
    for place in range(rows):
        other = int(RNG.integers(rows))
        order[place], order[other] = order[other], order[place]
    return order


RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    "order_of",
    [
        swap_with_any_place,
        lambda rows: np.argsort(RNG.integers(0, 256, rows), kind="stable"),
        lambda rows: np.roll(np.arange(rows), RNG.integers(rows)),
        np.arange,
    ],
    ids=["naive-swaps", "keys-of-eight-bits", "a-rotation", "no-shuffle"],
)
def test_controls_do_not_look_uniform(order_of: Callable[[int], Any]) -> None:
    with pytest.raises(AssertionError):
        check_many_rows(order_of)


# Planted faults


def ties_kept(count: int, source: Source) -> Integers:
    return np.argsort(np.frombuffer(source(8 * count), "<u8"), kind="stable")


def short_keys(count: int, source: Source) -> Integers:
    return np.argsort(np.frombuffer(source(count), np.uint8), kind="stable")


def ties_moved_up(count: int, source: Source) -> Integers:
    """Only the tied keys are drawn again, each against the rest: later rows give way to earlier ones."""
    keys = np.frombuffer(source(8 * count), "<u8").copy()
    for row in range(1, count):
        while keys[row] in keys[:row]:
            keys[row] += 1
    return np.argsort(keys)


@pytest.mark.parametrize("fault", [ties_kept, short_keys, ties_moved_up])
def test_a_faulty_order_is_caught_by_the_exact_check(fault: Callable[[int, Source], Integers]) -> None:
    with pytest.raises(AssertionError):
        check_order(fault)


def groups_by_position(count: int, source: Source) -> Bytes:
    source(count)
    return np.arange(count).astype(np.uint8)


def groups_of_fixed_sizes(count: int, source: Source) -> Bytes:
    """Every batch is dealt to two groups in equal parts, at random."""
    return np.argsort(np.frombuffer(source(count), np.uint8), kind="stable").argsort().astype(np.uint8) % 2


def one_group_per_batch(count: int, source: Source) -> Bytes:
    return np.full(count, source(count)[0], np.uint8)


def alternate_groups(count: int, source: Source) -> Bytes:
    """The groups of the second half of a batch are those of the first."""
    groups = np.frombuffer(source(count), np.uint8).copy()
    groups[count // 2 :] = groups[: count - count // 2]
    return groups


@pytest.mark.parametrize("fault", [groups_by_position, groups_of_fixed_sizes, one_group_per_batch, alternate_groups])
def test_faulty_groups_are_caught_by_the_exact_check(
    fault: Callable[[int, Source], Bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation, "random_groups", fault)
    with pytest.raises(AssertionError):
        check_four_rows()


def test_a_group_that_is_not_permuted_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "random_order", lambda count, _: np.arange(count))
    with pytest.raises(AssertionError):
        check_four_rows()
