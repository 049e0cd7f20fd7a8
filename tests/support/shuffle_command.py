"""`pckv shuffle` on bytes that a test chooses, and what it must write given them, in plain code.

Checks raise AssertionError, so that planted faults can name the one that must catch them.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from fractions import Fraction
from itertools import islice, permutations
from math import factorial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from pckv import Task
from pckv.base.arrays import Bytes, Messages
from pckv.base.randomness import Source
from pckv.counting import deduplicator
from pckv.files import spill
from pckv.files.reports import reader, writer
from pckv.files.reports.columns import column_to_ids, message_column
from pckv.files.reports.writer import rows_per_group, stream_reports, write_reports
from pckv.shuffling import permutation, shuffle
from support.cli import run
from support.sample_reports import GRR, SPARSE, make_task
from support.shuffling import read_back

KEY_BYTES, ID_BYTES = 8, 16
# Planes of which every number of a row can be one.
PLANES = make_task("ue", 64)
# Planes as wide as they may be: a few hundred rows reach every limit in bytes.
WIDE_PLANES = make_task("ue", 2**18)


class ByteStream:
    """A source that gives these bytes one after another, in whatever portions they are wanted."""

    def __init__(self, *parts: bytes) -> None:
        self._data = b"".join(parts)
        self._taken = 0

    def __call__(self, count: int) -> bytes:
        self._taken += count
        if self._taken > len(self._data):
            raise EOFError(f"{count} bytes wanted")
        return self._data[self._taken - count : self._taken]


def any_bytes(rows: int) -> bytes:
    """Return repeatable bytes, enough for groups at two levels, keys and ids of rows."""
    return hashlib.shake_128(b"any").digest((2 + KEY_BYTES + ID_BYTES) * rows)


def narrow_bytes(rows: int, place: int) -> bytes:
    """Return bytes of which two in eight are random: the only ones that keys differ in, if rows are a multiple of 8.

    Most rows go to one group, and keys tie now and then.
    """
    data = np.full((20 * rows, KEY_BYTES), 0xA5, np.uint8)
    drawn = np.frombuffer(hashlib.shake_128(bytes([place])).digest(40 * rows), np.uint8)
    data[:, place : place + 2] = drawn.reshape(-1, 2)
    return data.tobytes()


# What must be written


def ordered_parts(rows: Sequence[int], source: Source, max_rows: int, level: int = 1) -> Iterator[list[int]]:
    """Yield rows as proofs/permutation.md says: by a random byte each, then by random keys of 64 bits."""
    groups = defaultdict(list)
    for row, group in zip(rows, source(len(rows)), strict=True):
        groups[group].append(row)
    for _, members in sorted(groups.items()):
        if len(members) > max_rows and level < spill.MAX_LEVELS:
            yield from ordered_parts(members, source, max_rows, level + 1)
            continue
        keys: list[int] = []
        while len(set(keys)) < len(members):
            drawn = source(KEY_BYTES * len(members))
            keys = [int.from_bytes(drawn[at : at + KEY_BYTES], "little") for at in range(0, len(drawn), KEY_BYTES)]
        yield [row for _, row in sorted(zip(keys, members, strict=True))]


def expected_output(task: Task, rows: int, source: Source) -> tuple[bytes, list[int]]:
    """Return the ids, and the rows in their new order."""
    max_rows = max(2, spill.MAX_GROUP_BYTES // task.law.body_bytes)
    ids, order = b"", []
    ordered = (row for part in ordered_parts(range(rows), source, max_rows) for row in part)
    while block := list(islice(ordered, rows_per_group(task))):
        ids += source(ID_BYTES * len(block))
        order += block
    return ids, order


# The command


class Way(NamedTuple):
    """How reports come, as file, files, stream, or a file and a stream; and whether they leave as a file or a stream."""

    source: str
    target: str


WAYS = tuple(Way(source, target) for source in ("file", "files", "stream", "both") for target in ("file", "stream"))
FILE_TO_FILE, STREAM_TO_STREAM = Way("file", "file"), Way("stream", "stream")


def numbered_messages(task: Task, rows: int) -> Messages:
    """Return different messages, in an order that is not theirs."""
    numbers = np.arange(rows, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    if task.word_limit is not None:
        # An odd factor: no two rows have the same remainder.
        modulus = 2 ** (task.word_limit.bit_length() - 1)
        assert rows <= modulus
        return (numbers % np.uint64(modulus)).astype(np.int64)
    presence = np.zeros((rows, task.law.body_bytes // 2), np.uint8)
    presence[:, :8] = numbers.view(np.uint8).reshape(-1, 8)
    return np.concatenate([presence, presence & 0x5A], axis=1)


def numbered_ids(rows: int) -> Bytes:
    """Return different ids, none of which moves a report before it reaches the shuffle: their halves add up to 0."""
    ids = np.zeros((rows, 2), np.uint64)
    ids[:, 0] = np.arange(rows)
    ids[:, 1] -= ids[:, 0]
    return ids.view(np.uint8)


@contextmanager
def chosen_source(source: Source) -> Iterator[pytest.MonkeyPatch]:
    """Have the command draw from a source in place of the operating system's randomness."""
    defaults: Any = getattr(shuffle.shuffled, "__wrapped__").__kwdefaults__  # noqa: B009 - of the undecorated function
    assert defaults["source"] is os.urandom
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(defaults, "source", source)
        # Copies are looked for in groups by a secret hash of the id: here it is the sum of its halves.
        patch.setattr("secrets.randbits", lambda _: 0)
        yield patch


@contextmanager
def work_folder() -> Iterator[None]:
    """Work in an empty folder where pytest has its own, which may be in memory."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as folder, chdir(folder):
        yield


def shuffle_by_command(task: Task, messages: Messages, source: Source, way: Way) -> tuple[bytes, Messages]:
    """Return the ids and messages that `pckv shuffle` writes."""
    with work_folder(), chosen_source(source):
        first, stdin = write_inputs(task, numbered_ids(len(messages)), messages, way)
        out = "new.parquet" if way.target == "file" else "-"
        result = run(f"shuffle {first} --out {out}", stdin)
        assert result.exit_code == 0, result.output
        if way.target == "file":
            ids, shuffled = read_back(Path(out), task)
        else:
            table = pa.ipc.open_stream(result.stdout_bytes).read_all().combine_chunks()
            ids = column_to_ids(table.column(0).combine_chunks())
            shuffled = message_column(task).to_messages(table.column(1).combine_chunks())
        return ids.tobytes(), shuffled


def write_inputs(task: Task, ids: Bytes, messages: Messages, way: Way) -> tuple[str, bytes | None]:
    """Write reports to a folder and to a stream; return their names for a command, and the stream."""
    in_first = {"file": len(ids), "files": 1, "stream": 0, "both": len(ids) // 2}[way.source]
    parts = [(ids[:in_first], messages[:in_first]), (ids[in_first:], messages[in_first:])]
    if way.source != "stream":
        Path("in").mkdir()
        write_reports(Path("in/0.parquet"), task, parts[:1])
    if way.source == "files":
        write_reports(Path("in/1.parquet"), task, parts[1:])
    if way.source in ("file", "files"):
        return "in", None
    stream = io.BytesIO()
    stream_reports(stream, task, parts[1:])
    return ("-" if way.source == "stream" else "in -"), stream.getvalue()


# Checks


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
