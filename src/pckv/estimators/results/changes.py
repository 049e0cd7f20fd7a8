"""The part of a trend that says which keys changed, when, and how small a change would have been seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import DataError
from pckv.base.records import plain, read_columns, read_members
from pckv.base.words import between, in_points, percent, rounded_up, signed

FACTS = (
    "first",
    "last",
    "comparisons",
    "false_discovery_rate",
    "level",
    "changed_level",
    "keys_compared",
    "keys_changed",
    "seen",
)


class SeenChange(NamedTuple):
    """The least change between two windows of rounds that stands out four times out of five, of any key.

    Attributes:
        before_first: The numbers of the first and the last round of the earlier window are `before_first` and
            `before_last`, those of the later one `after_first` and `after_last`.
        change: The change of a frequency; 1 where not even the largest one is seen as often.
    """

    before_first: int
    before_last: int
    after_first: int
    after_last: int
    change: float

    @property
    def words(self) -> str:
        """Between which rounds it is, in words."""
        before, after = _rounds(self.before_first, self.before_last), _rounds(self.after_first, self.after_last)
        return f"from {before} to {after}"


class KeyChange(NamedTuple):
    """By how much one key's frequency changed from one window of rounds to a later one.

    Attributes:
        key: The name of the key.
        before_first: The numbers of the first and the last round of the earlier window are `before_first` and
            `before_last`, those of the later one `after_first` and `after_last`: the frequency changed somewhere
            from the first of these rounds to the last.
        change: The average frequency of the later window less that of the earlier one, with its interval
            `change_low` to `change_high`.
        changed: Whether the change stands out from the noise, at the false discovery rate of the table.
    """

    key: str
    before_first: int
    before_last: int
    after_first: int
    after_last: int
    change: float
    change_low: float
    change_high: float
    changed: bool

    @property
    def when(self) -> str:
        """Between which rounds it changed, in words: "7 and 8", "3–4 and 5–6"."""
        return f"{_span(self.before_first, self.before_last)} and {_span(self.after_first, self.after_last)}"

    def cells(self) -> tuple[str, str, str]:
        """Return what tables for people say of it: when, and by how many points."""
        interval = between(f"{100 * self.change_low:+.2f}", f"{100 * self.change_high:+.2f}")
        return self.when if self.changed else "", signed(f"{100 * self.change:+.2f}"), interval


class _KeyTest(NamedTuple):
    """What is known of a key, whether it changed or not."""

    key: str
    p_value: float
    changed: bool
    smallest_change: float


@dataclass(frozen=True, eq=False)
class Changes:
    """Which keys changed from round `first` to round `last`, and when.

    All neighbouring windows of rounds were compared, or two rounds that were asked for: `comparisons` per key.

    Attributes:
        false_discovery_rate: The share of keys with a false change among those that are `changed`, on average,
            is at most this. It holds for all keys that were compared, `keys_compared`, of which `keys_changed`
            changed, whichever of them the table has.
        level: The level of the interval of a change that is shown whether it stands out or not.
        changed_level: That of each change which is shown because it stands out: on average at most a share of
            1 - `level` of the changed keys has one that does not contain the truth (the false coverage rate).
        seen: The smallest changes that would have been seen, of any key: in the last round, against the window
            before it that has the least error, and between the windows with the least error of all.
        key: The names of the keys; every array has one entry per key.
        p_value: The chance of a comparison as clear as the key's clearest one, if its frequency did not change.
        changed: Whether the key changed.
        smallest_change: The least change of this key in the last round, as in `seen`, that is seen four times out
            of five; 1 where none is.
        rows: The changes; of two rounds that were asked for, those of all keys.
    """

    first: int
    last: int
    comparisons: int
    false_discovery_rate: float
    level: float
    changed_level: float
    keys_compared: int
    keys_changed: int
    seen: tuple[SeenChange, ...]
    key: list[str]
    p_value: Floats
    changed: NDArray[np.bool_]
    smallest_change: Floats
    rows: tuple[KeyChange, ...]

    def __len__(self) -> int:
        return len(self.key)

    def __getitem__(self, key: str) -> tuple[KeyChange, ...]:
        """Return the changes of a key, in the order of rounds."""
        return self._by_key.get(key, ())

    @cached_property
    def _by_key(self) -> dict[str, tuple[KeyChange, ...]]:
        found: dict[str, tuple[KeyChange, ...]] = {}
        for row in self.rows:
            found[row.key] = (*found.get(row.key, ()), row)
        return found

    @property
    def order(self) -> NDArray[np.int64]:
        """The numbers of the keys, those that moved most, relative to the noise, first."""
        moved = {key: max(abs(row.change) for row in rows) for key, rows in self._by_key.items()}
        return np.lexsort((np.array([-moved.get(key, 0.0) for key in self.key]), self.p_value))

    def take(self, places: NDArray[np.int64]) -> Changes:
        """Return what is known of some of the keys, by their places, in the order given."""
        keys, rows = [self.key[place] for place in places], self._by_key
        return replace(
            self,
            key=keys,
            p_value=self.p_value[places],
            changed=self.changed[places],
            smallest_change=self.smallest_change[places],
            rows=tuple(row for key in keys for row in rows.get(key, ())),
        )

    @property
    def sentences(self) -> Iterator[str]:
        """What was found among all keys, and what may have been missed, in words."""
        changed, of_rounds = self.keys_changed, f"between rounds {self.first:,} and {self.last:,}"
        if changed:
            yield (
                f"{changed:,} of {self.keys_compared:,} keys changed {of_rounds} (at most "
                f"{percent(self.false_discovery_rate)} of such flags are false, on average)."
            )
            yield (
                f"On average at most {percent(1 - self.level)} of these keys have a change outside its interval: each "
                f"interval has the level {100 * self.changed_level:.6g} %, since the keys were selected."
            )
        else:
            yield f"No change stands out from the noise {of_rounds}."
        seen = {rounded_up(100 * each.change, 2): each.words for each in reversed(self.seen) if each.change < 1}
        if seen:
            first, *others = (f"by {in_points(size)} {words}" for size, words in reversed(seen.items()))
            further, often = "".join(f", and one {each}" for each in others), "at least four times out of five"
            yield f"A change of any key {first} stands out {often}{further}; smaller ones may not."
        else:
            yield "These are too few reports to see any change four times out of five."

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        columns = (getattr(self, name).tolist() for name in _KeyTest._fields[1:])
        keys = [_KeyTest._make(row)._asdict() for row in zip(self.key, *columns, strict=True)]
        facts: dict[str, Any] = {name: getattr(self, name) for name in FACTS}
        facts |= {"seen": plain(self.seen), "sentences": list(self.sentences)}
        return facts | {"keys": keys, "rows": [row._asdict() for row in self.rows]}

    @classmethod
    def from_dict(cls, document: Any) -> Changes:
        """Return the changes that `to_dict` wrote; a missing or mistyped member is a `DataError`."""
        facts = read_members(cls, document, (*FACTS, "rows"))
        columns = read_columns(_KeyTest, document.get("keys"), place="keys")
        known = set(columns["key"])
        for number, row in enumerate(facts["rows"]):
            if row.key not in known:
                raise DataError("not of a key of the table", place=f"rows[{number}]")
        return cls(
            **facts,
            key=columns["key"],
            p_value=np.array(columns["p_value"], float),
            changed=np.array(columns["changed"], bool),
            smallest_change=np.array(columns["smallest_change"], float),
        )


def unseen(smallest: float) -> str:
    """Return how large a change may be that was not seen, for a table."""
    return f"below {rounded_up(100 * smallest, 2)} may hide" if smallest < 1 else "any may hide"


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _rounds(first: int, last: int) -> str:
    return f"round{'' if first == last else 's'} {_span(first, last)}"
