"""Records that are spilled to disk in 256 groups, so that each group is small enough for memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers

# A group is chosen by one byte. With this many, a thousand million records are read a few million at a time.
SPILL_GROUPS = 256
# Records wait in memory until there are about this many bytes of them, so that writes are large.
BYTES_PER_WRITE = 2**24
# A group of more bytes than this is split into smaller groups before it is read, where it can be, and those
# again; after this many levels, 2^64 groups in all, what is left in one group is the same record or bad luck.
MAX_GROUP_BYTES = 2**26
MAX_LEVELS = 8

Records = NDArray[Any]
# Takes some records of too large a group, and its level; returns those to keep, and a new hash of each.
Split = Callable[[Records, int], tuple[Records, NDArray[Any]]]


class SpilledRecords:
    """Records in a temporary file without a name, which never outlives the process.

    One write holds the records of all groups, sorted by group. For every write, where each group begins is
    kept in memory: 2 KiB per 16 MiB of records.
    """

    def __init__(self, kind: np.dtype[Any], level: int = 1) -> None:
        self._kind = kind
        self._level = level
        self._file = tempfile.TemporaryFile(buffering=0, dir=os.environ.get("TMPDIR"))  # noqa: SIM115
        self._waiting: list[tuple[Records, NDArray[np.uint8]]] = []
        self._waiting_bytes = 0
        self._starts: list[Integers] = []
        self._sizes = np.zeros(SPILL_GROUPS, np.int64)

    def close(self) -> None:
        """Remove the records."""
        self._file.close()

    def add(self, records: Records, hashes: NDArray[Any]) -> None:
        """Add each record to the group that the lowest byte of its hash names."""
        self._waiting.append((records, hashes.astype(np.uint8)))
        self._waiting_bytes += records.nbytes
        if self._waiting_bytes >= BYTES_PER_WRITE:
            self._flush()

    def read(self, split: Split | None = None) -> Iterator[Records]:
        """Yield the records of one group after another.

        A group that is too large for memory is first divided by `split`; without `split` it is read whole.
        """
        self._flush()
        most = max(2, MAX_GROUP_BYTES // self._kind.itemsize)
        for group, size in enumerate(self._sizes.tolist()):
            if split is None or size <= most or self._level == MAX_LEVELS:
                yield from self._parts(group, size)
                continue
            with closing(SpilledRecords(self._kind, self._level + 1)) as smaller:
                for part in self._parts(group, most):
                    smaller.add(*split(part, self._level))
                yield from smaller.read(split)

    def _flush(self) -> None:
        if not self._waiting:
            return
        records = np.concatenate([records for records, _ in self._waiting])
        groups = np.concatenate([groups for _, groups in self._waiting])
        self._waiting.clear()
        self._waiting_bytes = 0
        sizes = np.bincount(groups, minlength=SPILL_GROUPS)
        start = int(self._sizes.sum())
        self._write(records[np.argsort(groups, kind="stable")])
        self._starts.append(start + np.concatenate([[0], np.cumsum(sizes)]))
        self._sizes += sizes

    def _write(self, records: Records) -> None:
        rest = _as_bytes(records)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            # The file has no name: people know the folder, and can choose another one by TMPDIR.
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from error

    def _parts(self, group: int, most: int) -> Iterator[Records]:
        """Yield the records of a group, at most this many at a time."""
        part, filled = np.empty(min(most, int(self._sizes[group])), self._kind), 0
        for starts in self._starts:
            start, stop = int(starts[group]), int(starts[group + 1])
            while start < stop:
                count = min(stop - start, len(part) - filled)
                self._read_into(part[filled : filled + count], start)
                start, filled = start + count, filled + count
                if filled == len(part):
                    yield part
                    part, filled = np.empty_like(part), 0
        if filled:
            yield part[:filled]

    def _read_into(self, records: Records, start: int) -> None:
        target, offset = _as_bytes(records), start * self._kind.itemsize
        while target:
            count = os.preadv(self._file.fileno(), [target], offset)
            if not count:
                raise OSError("a temporary file became shorter")
            target, offset = target[count:], offset + count


def _as_bytes(records: Records) -> memoryview:
    return records.reshape(-1).view(np.uint8).data
