"""Many participants' pairs in compressed rows: arrays, not Python objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Population:
    """Participant i holds keys[offsets[i]:offsets[i + 1]] with those values.

    Keys are numbered as in the task, and each is there once, but for several that the task does not list, or
    whose hashes are equal. Values are in the task's own units. A participant may have no pairs. Where the task has
    a segment, `labels` are the numbers of the participants' labels.
    """

    offsets: NDArray[np.int64]
    keys: NDArray[np.int32]
    values: NDArray[np.float64]
    labels: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many pairs every participant holds."""
        return np.diff(self.offsets)

    def take(self, participants: NDArray[np.int64]) -> Population:
        """Some of the participants, in the order given."""
        sizes = self.sizes[participants]
        offsets = np.append(0, np.cumsum(sizes))
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[participants] - offsets[:-1], sizes)
        labels = None if self.labels is None else self.labels[participants]
        return Population(offsets, self.keys[rows], self.values[rows], labels)

    def with_rows(self, rows: NDArray[np.int64]) -> Population:
        """All participants with some of their pairs, which are in the order of the participants."""
        owners = np.searchsorted(self.offsets, rows, "right") - 1
        sizes = np.bincount(owners, minlength=len(self))
        return Population(np.append(0, np.cumsum(sizes)), self.keys[rows], self.values[rows], self.labels)

    def pairs(self, participant: int) -> dict[int, float]:
        """One participant's pairs."""
        row = slice(self.offsets[participant], self.offsets[participant + 1])
        return dict(zip(self.keys[row].tolist(), self.values[row].tolist(), strict=True))

    def truth(self, key_count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The true frequency and mean of every key; a key without holders has mean 0."""
        holders = np.bincount(self.keys, minlength=key_count)
        sums = np.bincount(self.keys, self.values, minlength=key_count)
        return holders / max(len(self), 1), sums / np.maximum(holders, 1)
