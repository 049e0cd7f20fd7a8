"""What is found in rows while they are read: those that are refused, repaired, or have a key that is not listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers

# How many different unlisted keys are counted by name: there may be more than memory holds.
NAMES_COUNTED = 2**20
# How many rows of a fault are named.
ROWS_NAMED = 3


@dataclass
class Fault:
    """Rows that are refused for the same kind of reason: the first ones, and what is wrong with the first."""

    reason: str = ""
    code: str | None = None
    count: int = 0
    first: list[int] = field(default_factory=list)
    # Whether the reason of another one reads differently.
    differ: bool = False

    def add(self, rows: Integers, reason: str, code: str | None, differ: bool) -> None:
        """Count rows, of which the first has this reason; of a row of lists several pairs may be refused."""
        different = np.unique(rows)
        self.differ |= differ or (self.count > 0 and reason != self.reason)
        self.count += different.size
        # Rows that were spilled do not come in order.
        if not self.first or different[0] < self.first[0]:
            self.reason, self.code = reason, code
        self.first = sorted([*self.first, *different[:ROWS_NAMED].tolist()])[:ROWS_NAMED]


@dataclass
class RowFindings:
    """What is found in the rows of a source.

    Attributes:
        rows: How many rows were read.
        clipped: How many values were moved into the range, or to a level.
        left_out: How many pairs have a text that cannot be a key, where any text that can is one.
        unlisted_pairs: How many pairs have a key that the task does not list.
        unlisted: These keys with the number of their pairs; once there are very many, no further ones.
        faults: The rows that are refused, by the kind of what is wrong; None where the first is an error.
    """

    rows: int = 0
    clipped: int = 0
    left_out: int = 0
    unlisted_pairs: int = 0
    unlisted: Counter[str] = field(default_factory=Counter)
    faults: dict[str, Fault] | None = None

    def add_unlisted(self, name: str, pairs: int) -> None:
        """Count pairs of a key that the task does not list."""
        self.unlisted_pairs += pairs
        if name in self.unlisted or len(self.unlisted) < NAMES_COUNTED:
            self.unlisted[name] += pairs

    @property
    def names_are_complete(self) -> bool:
        """Whether every pair of an unlisted key is counted by its name."""
        return self.unlisted.total() == self.unlisted_pairs


class SetSizeCounts:
    """How many people hold how many pairs, relative to the padding of a task."""

    def __init__(self, padding: int) -> None:
        self.padding = padding
        self._people = np.zeros(1, np.int64)

    def add(self, sizes: NDArray[np.int64]) -> None:
        """Count people by how many pairs each holds."""
        found = np.bincount(sizes, minlength=self._people.size)
        found[: self._people.size] += self._people
        self._people = found

    @property
    def people(self) -> int:
        """How many people were counted."""
        return int(self._people.sum())

    @property
    def larger(self) -> int:
        """How many of them hold more pairs than the padding."""
        return int(self._people[self.padding + 1 :].sum())

    @property
    def largest(self) -> int:
        """The largest number of pairs that one of them holds."""
        return int(np.flatnonzero(self._people).max(initial=0))

    def covering(self, share: float) -> int:
        """Return the smallest padding that is enough for this share of the people."""
        return int(np.searchsorted(np.cumsum(self._people), share * self.people))
