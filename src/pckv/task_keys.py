"""The keys of a task: their number, their names, and which number a name has."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pckv.errors import PairsError


class TaskKeys:
    """The part of a task that knows its keys."""

    name: str
    keys: tuple[str, ...] | int

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
