"""The result: what every round says of every key, smoothed over the rounds, pooled, and compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import ParameterError, UnknownKey
from pckv.base.html import ROWS_SHOWN, html_paragraphs, html_table
from pckv.estimators.results import table as column_tables
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import KeyEstimate
from pckv.estimators.trends.changes import Changes, KeyChange, compare
from pckv.estimators.trends.rounds import RoundCounts
from pckv.statistics.detection import DEFAULT_FLAG_RATE, check_rate

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# What stands behind the name of the key for all others, which is no key among others.
UNLISTED = "all keys that are not listed"
SCALARS = ("series", "name", "mechanism", "epsilon", "panels", "level")


class RoundSummary(NamedTuple):
    """One round: its number, its task, its days, and how many reports it has."""

    round: int
    task: str
    opens: str
    closes: str
    reports: int


class RoundEstimate(NamedTuple):
    """What one round says of one key, and what all rounds together say of it in that round.

    Attributes:
        round: The number of the round.
        frequency: The share of people who hold the key, from this round's reports alone, with its interval.
        smoothed: The same from all rounds, by a local level model.
        mean: The mean value, in the task's own units, from this round's reports alone, with its interval.
        mean_known: False where that interval spans 95 % of the range or more, or the key does not stand out from the noise.
        smoothed_mean: The same from all rounds; that of the round alone where the key does not stand out from the noise.
    """

    round: int
    frequency: float
    frequency_low: float
    frequency_high: float
    smoothed: float
    smoothed_low: float
    smoothed_high: float
    mean: float
    mean_low: float
    mean_high: float
    mean_known: bool
    smoothed_mean: float
    smoothed_mean_low: float
    smoothed_mean_high: float


COLUMNS = RoundEstimate._fields[1:]


class KeyTrend(NamedTuple):
    """What is known of one key: in every round, pooled over the last rounds, and by how much it changed."""

    key: str
    rounds: tuple[RoundEstimate, ...]
    pooled: KeyEstimate
    change: KeyChange | None


@dataclass(frozen=True, eq=False)
class Trend:
    """Frequencies and means of every round, with intervals; `trend["alien"]` is a key's `KeyTrend`.

    Attributes:
        series: The id of the series, with its `name` and number of `panels`.
        mechanism: That of its reports, whose realised ε is `epsilon`.
        level: The level of all intervals.
        rounds: The rounds that have reports, in order; those without are left out.
        key: The names of the keys.
        columns: Arrays by key and round, under the names of `RoundEstimate`.
        pooled: The estimates of the last rounds together, as many as there are panels: everybody at most once.
        changes: What changed between the last round and the one before it; None if there is only one.
        counts: What the rounds were counted to, for comparisons.
    """

    series: str
    name: str
    mechanism: str
    epsilon: float
    panels: int
    level: float
    rounds: tuple[RoundSummary, ...]
    key: list[str]
    columns: dict[str, Floats | NDArray[np.bool_]]
    pooled: Estimates
    changes: Changes | None
    counts: tuple[RoundCounts, ...]

    def __len__(self) -> int:
        return len(self.key)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[KeyTrend]:
        """Yield what is known of every key."""
        return (self[key] for key in self.key)

    def __getitem__(self, key: str) -> KeyTrend:
        """Return what is known of a key.

        Raises:
            UnknownKey: if the table has no such key; it is a `KeyError`, too.
        """
        try:
            row = self._rows[key]
        except (KeyError, TypeError):
            raise UnknownKey(f"there is no trend of key {key!r}") from None
        columns = [self.columns[name][row].tolist() for name in COLUMNS]
        numbers = [each.round for each in self.rounds]
        change = None if self.changes is None else next(iter(self.changes.take(np.array([row]))))
        rounds = tuple(map(RoundEstimate._make, zip(numbers, *columns, strict=True)))
        return KeyTrend(key, rounds, self.pooled[key], change)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.key)}

    def compare(self, before: int, after: int, rate: float = DEFAULT_FLAG_RATE) -> Changes:
        """Compare two rounds.

        Args:
            before: The number of a round.
            after: That of a later one.
            rate: The false discovery rate of the flags.

        Returns:
            By how much every frequency changed.

        Raises:
            ParameterError: if one of them has no reports, or they are not in order.
        """
        if not before < after:
            raise ParameterError(f"round {before:,} is not before round {after:,}")
        by_number = {each.number: each for each in self.counts}
        for number in (before, after):
            if number not in by_number:
                raise ParameterError(f"there are no reports of round {number:,}")
        found = compare(by_number[before], by_number[after], self._all_keys, self.level, check_rate(rate))
        return found.take(self._places)

    def since(self, before: int, rate: float = DEFAULT_FLAG_RATE) -> Trend:
        """Return the same trend, its changes being those since another round than the last but one.

        Args:
            before: The number of the round to compare the last one with.
            rate: The false discovery rate of the flags.

        Returns:
            The trend.

        Raises:
            ParameterError: if there are no reports of that round, or it is the last one.
        """
        if not self.rounds:
            raise ParameterError("there are no reports of any round")
        return replace(self, changes=self.compare(before, self.rounds[-1].round, rate))

    @property
    def _all_keys(self) -> list[str]:
        return self.pooled.key

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        places = {key: place for place, key in enumerate(self._all_keys)}
        return np.array([places[key] for key in self.key], np.int64)

    def take(self, rows: NDArray[np.int64]) -> Trend:
        """Return the keys in these `rows`, in the order given."""
        return replace(
            self,
            key=[self.key[row] for row in rows],
            columns={name: column[rows] for name, column in self.columns.items()},
            changes=None if self.changes is None else self.changes.take(rows),
        )

    def only(self, keys: list[str]) -> Trend:
        """Return these `keys`; one that does not exist is an `UnknownKey`, which is a `PckvError`."""
        missing = [key for key in keys if key not in self]
        if missing:
            raise UnknownKey(f"there is no trend of key {missing[0]!r}")
        return self.take(np.array([self._rows[key] for key in keys], np.int64))

    def moved_most(self, count: int) -> Trend:
        """Return the `count` keys whose change is largest relative to the noise; without a change, the most frequent ones."""
        if self.changes is not None:
            return self.take(self.changes.order[:count])
        frequency = np.array([self.pooled[key].frequency for key in self.key])
        return self.take(np.argsort(-frequency, kind="stable")[:count])

    @property
    def verdict(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        if not self.rounds:
            return ("There are no reports yet.",)
        compared = () if self.changes is None else (self.changes.sentence,)
        return (*compared, *self.pooled.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; the columns of a key have one number per round."""
        return {name: getattr(self, name) for name in SCALARS} | {
            "verdict": list(self.verdict),
            "rounds": [each._asdict() for each in self.rounds],
            "keys": [
                {"key": key} | {name: self.columns[name][row].tolist() for name in COLUMNS}
                for row, key in enumerate(self.key)
            ],
            "pooled": self.pooled.take(self._places).to_dict(),
            "changes": None if self.changes is None else self.changes.to_dict(),
        }

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def table(self) -> dict[str, list[Any]]:
        """Return one row per key and round as plain lists, one per column."""
        keys, rounds = len(self), len(self.rounds)
        of_rounds = {name: [getattr(each, name) for each in self.rounds] * keys for name in _OF_ROUND}
        columns = {name: self.columns[name].reshape(-1).tolist() for name in COLUMNS}
        return {"key": [key for key in self.key for _ in range(rounds)]} | of_rounds | columns

    def to_csv(self) -> str:
        """Return the table of keys and rounds as CSV with a header."""
        return column_tables.to_csv(self.table(), {"epsilon": self.epsilon, "level": self.level})

    def to_arrow(self) -> pa.Table:
        """Return the same table for Arrow, with series, level and the like in the schema's metadata."""
        return column_tables.to_arrow(self.table(), self._about())

    def to_pandas(self) -> pd.DataFrame:
        """Return the same table for pandas, with series, level and the like in `attrs`."""
        return column_tables.to_pandas(self.table(), self._about())

    def _about(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SCALARS}

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people: the last round, smoothed; its change; and pooled."""
        interval = f"{100 * self.level:.6g} % interval"
        last = max((each.round for each in self.rounds), default=0)
        together = sum(each.round > last - self.panels for each in self.rounds)
        pooled = f"pooled, {together:,} rounds" if together > 1 else "last round"
        return ("key", "smoothed", interval, "change, points", interval, "", pooled, interval)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people, in percent."""
        changes = [None] * len(self) if self.changes is None else list(self.changes)
        return [
            (
                f"{key} ({UNLISTED})" if key == self.pooled.other else key,
                *_percent(*(float(self.columns[name][row, -1]) for name in _SMOOTHED)),
                *(("", "", "") if change is None else _points(change)),
                *_percent(*self.pooled[key][1:4]),
            )
            for row, (key, change) in enumerate(zip(self.key, changes, strict=True))
        ]

    def __repr__(self) -> str:
        return (
            f"<Trend of {len(self):,} keys over {len(self.rounds):,} rounds of {self.name!r}: {self.mechanism}, "
            f"ε = {self.epsilon:g}, {self.panels:,} panels, level {self.level:g}>"
        )

    def _repr_html_(self) -> str:
        shown = self.moved_most(ROWS_SHOWN if self.rounds else 0)
        rows = shown.cells()
        table = html_table(
            repr(self).strip("<>"), self.headers(), rows, hidden=len(self) - len(rows), what="keys"
        )
        return table + html_paragraphs(self.verdict)


_OF_ROUND = ("round", "opens", "reports")
_SMOOTHED = ("smoothed", "smoothed_low", "smoothed_high")


def _percent(value: float, low: float, high: float) -> tuple[str, str]:
    return f"{100 * value:.2f} %", f"{100 * low:.2f} – {100 * high:.2f} %"


def _points(change: KeyChange) -> tuple[str, str, str]:
    interval = f"{100 * change.change_low:+.2f} – {100 * change.change_high:+.2f}"
    return f"{100 * change.change:+.2f}", interval, "changed" if change.changed else ""
