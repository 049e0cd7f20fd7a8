"""`pckv shuffle` on bytes that a test chooses, and what it must write given them, in plain code."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from pckv import Task
from pckv.base.arrays import Bytes, Messages
from pckv.base.randomness import Source
from pckv.files import spill
from pckv.files.reports.columns import column_to_ids, message_column
from pckv.files.reports.writer import rows_per_group, stream_reports, write_reports
from pckv.shuffling import shuffle
from support.cli import run
from support.sample_reports import make_task
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
