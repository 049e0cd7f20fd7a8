"""What pairs of a task may be: the names of its keys, the range of its values, and their levels."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pckv.errors import PairsError
from pckv.levels import Levels, level_count, level_values


class TaskDomain:
    """The part of a task that knows its keys and values."""

    name: str
    keys: tuple[str, ...] | int
    levels: Levels
    # As decimal texts, exactly as the task's JSON has them.
    _low: str
    _high: str

    @property
    def key_count(self) -> int:
        """The number of keys, d."""
        return self.keys if isinstance(self.keys, int) else len(self.keys)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {} if isinstance(self.keys, int) else {key: index for index, key in enumerate(self.keys)}

    def build_index(self) -> None:
        """Build the table that `key_index` finds keys in, unless that was done before."""
        self._index  # noqa: B018

    def key_index(self, key: str) -> int:
        """Return the number of the key called `key`, or raise a `PairsError` that names it."""
        try:
            if not isinstance(self.keys, int):
                return self._index[key]
            # Numbered keys are named by their number, written in the one plain way.
            index = int(key)
            if 0 <= index < self.keys and str(index) == key:
                return index
        except (KeyError, ValueError, TypeError):
            pass
        raise PairsError(f"key {key!r} is not a key of task {self.name!r}")

    def key_name(self, index: int) -> str:
        """Return the name of key number `index`."""
        return str(index) if isinstance(self.keys, int) else self.keys[index]

    def key_names(self, indices: Iterable[int]) -> list[str]:
        """Return the names of the keys with these `indices`, in the same order."""
        return list(map(str if isinstance(self.keys, int) else self.keys.__getitem__, indices))

    @property
    def level_count(self) -> int:
        """The number of levels, L."""
        return level_count(self.levels)

    @cached_property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units."""
        return level_values(self.levels, self._low, self._high)

    @cached_property
    def low(self) -> float:
        """The least value a key may have."""
        return float(self._low)

    @cached_property
    def high(self) -> float:
        """The largest value a key may have."""
        return float(self._high)
