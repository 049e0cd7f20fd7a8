"""Checks of `pckv shuffle` that raise AssertionError, so that planted faults can name the one that must catch them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import permutations
from math import factorial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pckv import Task
from pckv.base.arrays import Messages
from pckv.counting import deduplicator
from pckv.files import spill
from pckv.files.reports import reader, writer
from pckv.shuffling import permutation, shuffle
from support.cli import run
from support.sample_reports import GRR, SPARSE
from support.shuffle_command import (
    FILE_TO_FILE,
    ID_BYTES,
    KEY_BYTES,
    PLANES,
    WAYS,
    ByteStream,
    Way,
    any_bytes,
    expected_output,
    narrow_bytes,
    numbered_ids,
    numbered_messages,
    shuffle_by_command,
    work_folder,
    write_inputs,
)
from support.shuffling import read_back


def check_follows_bytes(task: Task, messages: Messages, drawn: bytes, way: Way = FILE_TO_FILE) -> None:
    """Assert that order and ids are those that the drawn bytes say, and nothing else."""
    ids, order = expected_output(task, len(messages), ByteStream(drawn))
    found, shuffled = shuffle_by_command(task, messages, ByteStream(drawn), way)
    assert found == ids, "ids are not the bytes that were drawn for them"
    assert (shuffled == messages[order]).all(), "the order is not the one that was drawn"


def check_sizes(task: Task, sizes: Iterable[int], ways: Sequence[Way] = (FILE_TO_FILE,), turn: int = 0) -> None:
    """Assert that batches of these sizes follow the bytes.

    By turns, so that three neighbouring sizes have all: messages that differ, few of them, and all in one group.
    """
    for number, rows in enumerate(sizes, turn):
        messages, drawn = numbered_messages(task, rows), any_bytes(rows)
        if number % 3 == 1:
            messages = messages[np.arange(rows) ** 2 % 5 % rows]
        if number % 3 == 2:
            drawn = bytes(rows) + drawn
        check_follows_bytes(task, messages, drawn, ways[number % len(ways)])


def check_every_byte_of_keys() -> None:
    """Assert that rows are ordered by all 64 bits of their keys, and that keys which tie are all drawn again."""
    for place in range(KEY_BYTES - 1):
        for task in (SPARSE, PLANES):
            messages = numbered_messages(task, 400)
            check_follows_bytes(task, messages, narrow_bytes(len(messages), place))


LIMITED: tuple[ModuleType, ...] = (permutation, shuffle, spill, deduplicator, reader, writer)


def limits() -> Iterator[tuple[ModuleType, str, int]]:
    """Yield all numbers above 16 that the shuffle's modules name, as module, name and number."""
    for module in LIMITED:
        for name, number in vars(module).items():
            if name.isupper() and isinstance(number, int) and number > 16:
                yield module, name, number


def sizes_at_limits(task: Task, max_rows: int) -> list[int]:
    """Return the numbers of rows next to every limit, whether it is one of rows, messages or reports."""
    body = task.law.body_bytes
    at = {number // size for _, _, number in limits() for size in (1, body, body + ID_BYTES)}
    return sorted({rows for limit in at for rows in (limit - 1, limit, limit + 1) if 1 <= rows <= max_rows})


@contextmanager
def small_limits() -> Iterator[None]:
    """Divide every limit but the number of groups, which a byte names, so that few rows reach it."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, number in limits():
            if name != "SPILL_GROUPS":
                patch.setattr(module, name, number >> 15)
        yield


def check_small_limits(turn: int = 0) -> None:
    """Assert that batches of sizes next to every limit follow the bytes, where limits are small."""
    with small_limits():
        for task in (SPARSE, PLANES):
            check_sizes(task, sizes_at_limits(task, 600), WAYS, turn)


def check_large_split() -> None:
    """Assert that a group of thousands of rows, which is split in two parts, follows the bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "MAX_GROUP_BYTES", 2**18)
        for task in (SPARSE, PLANES):
            rows = 2**18 // task.law.body_bytes + 2**12
            check_follows_bytes(task, numbered_messages(task, rows), bytes(rows) + any_bytes(rows))


# The law of the order

Choose = Callable[[int], int]


class Choices:
    """Gives the numbers of a script, then 0, and notes the scripts with any other number instead."""

    def __init__(self, script: list[int], others: list[list[int]]) -> None:
        self._script, self._others = script, others
        self._made = 0
        self.chance = Fraction(1)

    def __call__(self, count: int) -> int:
        """Return a number below the count, all of which are equally likely."""
        if self._made == len(self._script):
            self._others.extend([*self._script, other] for other in range(1, count))
            self._script.append(0)
        self._made += 1
        self.chance /= count
        return self._script[self._made - 1]


def all_runs(call: Callable[[Choose], Any]) -> Iterator[tuple[Any, Fraction]]:
    """Call something once for all choices that it asks for; yield what it returns, with the chance of that."""
    scripts: list[list[int]] = [[]]
    while scripts:
        choices = Choices(scripts.pop(), scripts)
        yield call(choices), choices.chance


def check_uniform(task: Task, rows: int, way: Way, block: int, *, split: bool = False) -> None:
    """Assert that all orders of a few rows are equally likely, exactly, over all groups and keys that may be drawn.

    Rows go to the first or the last group; given the groups that occur at all, orders are uniform, too. Keys are
    compared only (`check_every_byte_of_keys`), so that one set of keys stands for all in its order.
    """
    messages = numbered_messages(task, rows)
    row_of = {message.tobytes(): row for row, message in enumerate(messages)}
    groups_of, order_of = permutation.random_groups, permutation.random_order

    def order(choose: Choose) -> tuple[int, ...]:
        def group_source(count: int) -> bytes:
            return bytes(255 * choose(2) for _ in range(count))

        def key_source(count: int) -> bytes:
            orders = list(permutations(range(count // KEY_BYTES)))
            return b"".join(rank.to_bytes(KEY_BYTES, "little") for rank in orders[choose(len(orders))])

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(permutation, "random_groups", lambda count, _: groups_of(count, group_source))
            patch.setattr(permutation, "random_order", lambda count, _: order_of(count, key_source))
            patch.setattr(writer, "ROWS_PER_GROUP", block)
            if split:
                patch.setattr(spill, "MAX_GROUP_BYTES", 16)
                patch.setattr(spill, "MAX_LEVELS", 2)
            _, shuffled = shuffle_by_command(task, messages, lambda count: any_bytes(count)[:count], way)
        return tuple(row_of[message.tobytes()] for message in shuffled)

    law: Counter[tuple[int, ...]] = Counter()
    for each, chance in all_runs(order):
        law[each] += chance  # type: ignore[assignment]
    assert law == dict.fromkeys(permutations(range(rows)), Fraction(1, factorial(rows))), (task.mechanism, way, block)


def check_at_least(way: Way) -> None:
    """Assert that `--at-least` counts different reports: neither copies in a file nor those in another one."""
    for task in (GRR, PLANES):
        for rows, copies in ((1, 1), (2, 5), (7, 3)):
            kept = np.arange(rows + copies) % rows
            with work_folder():
                ids, messages = numbered_ids(rows), numbered_messages(task, rows)
                named, stdin = write_inputs(task, ids[kept], messages[kept], way)
                refused = run(f"shuffle {named} --out new.parquet --at-least {rows + 1}", stdin)
                assert refused.exit_code == 1
                wanted = f"a batch of {rows} reports is too small: at least {rows + 1} are wanted"
                assert wanted in refused.stderr
                assert not Path("new.parquet").exists()
                taken = run(f"shuffle {named} --out new.parquet --at-least {rows}", stdin)
                assert taken.exit_code == 0, taken.output
                assert len(read_back(Path("new.parquet"), task)[0]) == rows
