"""Records that are spilled to files by a hash, so that each file is small enough to be sorted in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# With this many files, a thousand million records are sorted a few million at a time.
SPILL_FILES = 256


class SpillFiles:
    """Files of records in a temporary folder that only their owner can read."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._kind = kind
        self._folder = tempfile.TemporaryDirectory(prefix="pckv-")

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def add(self, records: NDArray[Any], hashes: NDArray[np.uint64]) -> None:
        """Append each record to the file that its hash selects: records of equal hash share a file."""
        numbers = (hashes % np.uint64(SPILL_FILES)).astype(np.int64)
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=SPILL_FILES))
        for number, rows in enumerate(np.split(order, ends[:-1])):
            if rows.size:
                with self._path(number).open("ab") as file:
                    file.write(records[rows].tobytes())

    def read(self) -> Iterator[NDArray[Any]]:
        """Yield the records of one file after another."""
        for number in range(SPILL_FILES):
            if self._path(number).exists():
                yield np.fromfile(self._path(number), self._kind)

    def _path(self, number: int) -> Path:
        return Path(self._folder.name) / str(number)
