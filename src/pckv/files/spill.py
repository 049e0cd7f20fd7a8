"""Records dealt out to files by what they have in common, so that each file can be sorted in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# With so many parts, a thousand million records are sorted a few million at a time.
PARTS = 256


class Parts:
    """Files in a temporary folder that only their owner can read."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._kind = kind
        self._folder = tempfile.TemporaryDirectory(prefix="pckv-")

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def deal(self, records: NDArray[Any], marks: NDArray[np.uint64]) -> None:
        """Add records to the files that their marks say; equal marks meet in one file."""
        parts = (marks % np.uint64(PARTS)).astype(np.int64)
        order = np.argsort(parts, kind="stable")
        ends = np.cumsum(np.bincount(parts, minlength=PARTS))
        for part, rows in enumerate(np.split(order, ends[:-1])):
            if rows.size:
                with self._path(part).open("ab") as file:
                    file.write(records[rows].tobytes())

    def read(self) -> Iterator[NDArray[Any]]:
        """The records of one file after another."""
        for part in range(PARTS):
            if self._path(part).exists():
                yield np.fromfile(self._path(part), self._kind)

    def _path(self, part: int) -> Path:
        return Path(self._folder.name) / str(part)
