"""Checks of shuffling that raise AssertionError, so that mutants can name the one that must catch them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy import stats

from pckv import Task
from pckv.base.arrays import Bytes, Integers, Messages
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.randomness import Source
from pckv.base.seeded import seeded_source
from pckv.files.reports.columns import column_to_ids, message_column
from pckv.files.reports.writer import rows_per_group, write_reports
from pckv.shuffling.permutation import MessageShuffler
from pckv.shuffling.shuffle import shuffled

Order = tuple[int, ...]
MessageDistribution = dict[Order, Fraction]
KEY_BYTES = 8
GROUPS = 256
# The chance that a statistical check fails although nothing is wrong.
ALPHA = 1e-6


class MoreNeededError(Exception):
    """A tape that ended, and how many bytes were wanted."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class Tape:
    """A source that gives bytes for groups (fewer than a key has) and, one answer at a time, bytes for keys."""

    def __init__(self, groups: bytes, keys: Sequence[bytes]) -> None:
        self.groups, self.keys = groups, list(keys)

    def __call__(self, count: int) -> bytes:
        if count < KEY_BYTES:
            taken, self.groups = self.groups[:count], self.groups[count:]
        else:
            if not self.keys:
                raise MoreNeededError(count)
            taken = self.keys.pop(0)
        if len(taken) < count:
            raise EOFError(count)
        return taken


def tie_patterns(count: int, values: int) -> Iterator[tuple[Order, Fraction]]:
    """Yield every way in which draws can be ordered, ties included, and its chance where draws are uniform."""
    for ranks in product(range(count), repeat=count):
        classes = len(set(ranks))
        if set(ranks) == set(range(classes)):
            yield ranks, Fraction(comb(values, classes), values**count)


def check_order(order_of: Callable[[int, Source], Integers]) -> None:
    """Assert that the order of up to four rows is uniform over all tapes, exactly.

    An order depends on comparisons of keys alone, so that one tape per pattern of ties stands for all of its
    tapes. Where a tape is followed by another draw of the same size, everything begins again.
    """
    for count in range(1, 5):
        distribution, again = dict.fromkeys(permutations(range(count)), Fraction(0)), Fraction(0)
        width = key_width(order_of, count)
        for ranks, chance in tie_patterns(count, 256**width):
            keys = b"".join(rank.to_bytes(width, "little") for rank in ranks)
            try:
                distribution[tuple(order_of(count, AnyTape(keys)).tolist())] += chance
            except MoreNeededError:
                again += chance
        assert {chance / (1 - again) for chance in distribution.values()} == {Fraction(1, factorial(count))}


class AnyTape:
    """A source that gives these bytes, and no more."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __call__(self, count: int) -> bytes:
        if not self.data:
            raise MoreNeededError(count)
        taken, self.data = self.data[:count], self.data[count:]
        return taken


def key_width(order_of: Callable[[int, Source], Integers], count: int) -> int:
    """Return the bytes that are drawn per key."""
    try:
        order_of(count, AnyTape(b""))
    except MoreNeededError as more:
        return more.count // count
    raise AssertionError("nothing is drawn")


def group_tapes(rows: int) -> Iterator[tuple[bytes, Fraction]]:
    """Yield the groups of rows: one tape per pattern of ties among 256 groups, with its chance."""
    for ranks, chance in tie_patterns(rows, GROUPS):
        yield bytes(ranks), chance


def two_group_tapes(draws: int) -> Iterator[tuple[bytes, Fraction]]:
    """Yield all tapes on which only the first and the last of the groups occur."""
    for choices in product((0, GROUPS - 1), repeat=draws):
        yield bytes(choices), Fraction(1, 2**draws)


def shuffle_law(batches: Sequence[int], tapes: Iterator[tuple[bytes, Fraction]]) -> MessageDistribution:
    """Return the exact law of the order of rows that come in batches of these sizes."""
    distribution = dict.fromkeys(permutations(range(sum(batches))), Fraction(0))

    def explore(groups: bytes, keys: list[bytes], chance: Fraction) -> None:
        try:
            distribution[shuffle_rows(batches, Tape(groups, keys))] += chance
        except MoreNeededError as more:
            # Ties are drawn again (check_order), so that all orders without them are equally likely.
            count = more.count // KEY_BYTES
            for order in permutations(range(count)):
                answer = b"".join(rank.to_bytes(KEY_BYTES, "little") for rank in order)
                explore(groups, [*keys, answer], chance / factorial(count))

    for groups, chance in tapes:
        explore(groups, [], chance)
    return distribution


def shuffle_rows(batches: Sequence[int], source: Source) -> Order:
    """Shuffle the numbers of rows that come in batches of these sizes."""
    shuffler = MessageShuffler(np.dtype(np.int64), source)
    try:
        rows = iter(range(sum(batches)))
        for size in batches:
            shuffler.add(np.array([next(rows) for _ in range(size)], np.int64))
        return tuple(int(row) for part in shuffler.read() for row in part)
    finally:
        shuffler.close()


def check_four_rows() -> None:
    """Assert that four rows have a uniform order over all tapes, exactly, in whatever batches they come."""
    for batches in [(2, 2), (4,), (1, 3), (1, 1, 1, 1)]:
        assert set(shuffle_law(batches, group_tapes(4)).values()) == {Fraction(1, 24)}, batches


def check_many_rows(order_of: Callable[[int], Sequence[int] | Integers]) -> None:
    """Assert that orders of 200 rows look uniform, 200 times.

    Two statistics, each at α/2 = 5e-7: the table of tenths of the input by tenths of the output (χ² with 81
    degrees of freedom, (n-1)/n for drawing without replacement), and the number of places where a row is followed
    by one from further down (mean (n-1)/2, variance (n+1)/12 per run). Power for swapping every place with a
    random one: noncentrality 398, so that 1e-22 of all runs would miss it.
    """
    rows, runs, tenths = 200, 200, 10
    table, ascents = np.zeros((tenths, tenths)), 0
    for _ in range(runs):
        order = np.asarray(order_of(rows))
        assert sorted(order.tolist()) == list(range(rows))
        np.add.at(table, (order * tenths // rows, np.arange(rows) * tenths // rows), 1)
        ascents += int((np.diff(order) > 0).sum())
    expected = rows * runs / tenths**2
    statistic = ((table - expected) ** 2 / expected).sum() * (rows - 1) / rows
    assert stats.chi2.sf(statistic, (tenths - 1) ** 2) > ALPHA / 2, statistic
    score = (ascents - runs * (rows - 1) / 2) / sqrt(runs * (rows + 1) / 12)
    assert 2 * stats.norm.sf(abs(score)) > ALPHA / 2, score


def read_back(path: Path, task: Task) -> tuple[Bytes, Messages]:
    """Return ids and messages of a report file, in order."""
    table = pq.read_table(path).combine_chunks()
    column = message_column(task)
    ids = column_to_ids(table.column("report_id").combine_chunks())
    return ids, column.to_messages(table.column(column.name).combine_chunks())


def shuffle_to(out: Path, paths: Sequence[Path], **options: Any) -> Task:
    """Shuffle report files into another one; return their task."""
    with shuffled(paths, **options) as batch:
        write_reports(out, batch.task, batch.blocks())
        return batch.task


def check_drawn_ids(blocks_of: Callable[..., Iterator[tuple[Bytes, Messages]]], task: Task, rows: int) -> None:
    """Assert that ids are the bytes that were drawn for them, each byte once, in the order of the output."""
    seeded, drawn = seeded_source(1), []

    def recorded(size: int) -> bytes:
        drawn.append(seeded(size))
        return drawn[-1]

    messages = np.zeros(rows, message_column(task).array_type)
    ids = [ids.tobytes() for ids, _ in blocks_of(task, [messages[: rows // 3], messages[rows // 3 :]], recorded)]
    assert b"".join(ids) == b"".join(drawn)
    assert sum(map(len, ids)) == REPORT_ID_BYTES * rows


def check_fresh_ids(task: Task, path: Path, inputs: Sequence[Path]) -> None:
    """Assert that no id of a file is one of the inputs' or there twice."""
    ids = Counter(row.tobytes() for row in read_back(path, task)[0])
    known = {row.tobytes() for source in inputs for row in read_back(source, task)[0]}
    assert max(ids.values()) == 1
    assert not known & set(ids)


def check_tells_nothing_else(task: Task, path: Path) -> None:
    """Assert that a file is what its reports alone make of it: row groups, pages, statistics and metadata."""
    ids, messages = read_back(path, task)
    size = rows_per_group(task)
    blocks = [(ids[start : start + size], messages[start : start + size]) for start in range(0, len(ids), size)]
    file = io.BytesIO()
    write_reports(file, task, blocks)
    assert path.read_bytes() == file.getvalue()


def check_same_messages(task: Task, path: Path, inputs: Sequence[Path]) -> None:
    """Assert that a file has the messages of the inputs, each as often."""

    def counts(paths: Sequence[Path]) -> Counter[bytes]:
        return Counter(row.tobytes() for each in paths for row in read_back(each, task)[1])

    assert counts([path]) == counts(inputs)
