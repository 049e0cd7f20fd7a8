"""Exact integer counts of cells, dense in memory where they fit and sorted sparse where not."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pckv.base.arrays import Integers

# Up to this many cells (128 MiB) are held as one array.
DENSE_CELLS = 2**24
# Sparse counts are folded together once this many new cells wait.
FOLD_AT = 2**20
# Words are checked and counted in parts that stay in the cache, but large enough to be worth adding up;
# above this many cells (2 MiB) the counts themselves leave the cache, and parts cost more than they save.
PART_WORDS = 2**16
WORDS_PER_CELL = 4
CELLS_FOR_PARTS = 2**18
# As an integer of the counts' own kind: only then does numpy add in place at full speed.
ONE = np.int64(1)


class Counts(Protocol):
    """Counts by cell."""

    @property
    def nbytes(self) -> int:
        """The memory that the counts take, once additions are folded together."""

    def add(self, cells: Integers) -> None:
        """Count every cell once for each time it appears; an `IndexError`, and nothing, if one is beyond."""

    def add_counts(self, cells: Integers, counts: Integers) -> None:
        """Add counts to cells that appear once each."""

    def merge(self, other: Counts) -> None:
        """Add the counts of as many cells."""

    def nonzero(self, below: int | None = None) -> tuple[Integers, Integers]:
        """The cells with a count, in order, and their counts; only those below a limit, if there is one."""

    def take(self, cells: Integers) -> Integers:
        """The counts of some cells."""


class DenseCounts:
    """One array over all cells."""

    def __init__(self, cells: int) -> None:
        self.array = np.zeros(cells, np.int64)

    @property
    def nbytes(self) -> int:
        return self.array.nbytes

    def add(self, cells: Integers) -> None:
        if cells.size < self.array.size:
            # A histogram would cost more than the words.
            self._check(cells)
            np.add.at(self.array, cells, ONE)
            return
        small = self.array.size <= CELLS_FOR_PARTS
        parts = cells.size // max(PART_WORDS, WORDS_PER_CELL * self.array.size) if small else 1
        first, *rest = np.array_split(cells, max(1, parts))
        found = self._counted(first)
        for part in rest:
            found += self._counted(part)
        self.array += found

    def _counted(self, cells: Integers) -> Integers:
        self._check(cells)
        return np.bincount(cells, minlength=self.array.size)

    def _check(self, cells: Integers) -> None:
        # Negative cells are huge as unsigned ones, so that one pass finds both ends.
        if cells.size and cells.view(np.uint64).max() >= self.array.size:
            raise IndexError

    def add_counts(self, cells: Integers, counts: Integers) -> None:
        self.array[cells] += counts

    def merge(self, other: Counts) -> None:
        if isinstance(other, DenseCounts):
            self.array += other.array
        else:
            self.add_counts(*other.nonzero())

    def nonzero(self, below: int | None = None) -> tuple[Integers, Integers]:
        cells = np.flatnonzero(self.array[:below])
        return cells, self.array[cells]

    def take(self, cells: Integers) -> Integers:
        return self.array[cells]


class SparseCounts:
    """Sorted cells with their counts; additions wait and are folded in together."""

    def __init__(self, cells: int) -> None:
        self._limit = cells
        self._cells = np.zeros(0, np.int64)
        self._counts = np.zeros(0, np.int64)
        self._waiting: list[tuple[Integers, Integers]] = []
        self._waiting_cells = 0

    @property
    def nbytes(self) -> int:
        return self._cells.nbytes + self._counts.nbytes

    def add(self, cells: Integers) -> None:
        found, counts = np.unique(cells, return_counts=True)
        if found.size and not 0 <= found[0] <= found[-1] < self._limit:
            raise IndexError
        self.add_counts(found, counts)

    def add_counts(self, cells: Integers, counts: Integers) -> None:
        if not cells.size:
            return
        self._waiting.append((cells, counts))
        self._waiting_cells += cells.size
        if self._waiting_cells > max(FOLD_AT, self._cells.size):
            self._fold()

    def merge(self, other: Counts) -> None:
        self.add_counts(*other.nonzero())

    def nonzero(self, below: int | None = None) -> tuple[Integers, Integers]:
        self._fold()
        end = None if below is None else int(np.searchsorted(self._cells, below))
        return self._cells[:end], self._counts[:end]

    def take(self, cells: Integers) -> Integers:
        known, counts = self.nonzero()
        places = np.searchsorted(known, cells)
        found = np.zeros(cells.size, np.int64)
        inside = places < known.size
        hits = np.flatnonzero(inside)[known[places[inside]] == cells[inside]]
        found[hits] = counts[places[hits]]
        return found

    def _fold(self) -> None:
        if not self._waiting:
            return
        first, *others = self._waiting
        if not self._cells.size and not others and bool((first[0][1:] > first[0][:-1]).all()):
            # In order already, as the words of a small batch are.
            self._cells, self._counts = first
        else:
            cells = np.concatenate([self._cells, *(part for part, _ in self._waiting)])
            counts = np.concatenate([self._counts, *(part for _, part in self._waiting)])
            order = np.argsort(cells, kind="stable")
            cells, counts = cells[order], counts[order]
            starts = np.flatnonzero(np.r_[True, cells[1:] != cells[:-1]])
            self._cells, self._counts = cells[starts], np.add.reduceat(counts, starts)
        # Last: if memory ends before, nothing is lost.
        self._waiting, self._waiting_cells = [], 0


def empty_counts(cells: int) -> Counts:
    """Counts that are all zero."""
    return DenseCounts(cells) if cells <= DENSE_CELLS else SparseCounts(cells)
