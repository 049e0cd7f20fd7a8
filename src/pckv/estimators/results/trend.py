"""The result: what every round says of every key, smoothed over the rounds, pooled, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import DataError, ParameterError
from pckv.base.records import plain, read_columns, read_members, read_value
from pckv.base.table import ResultTable
from pckv.estimators.results.estimates import Estimates, KeyEstimate
from pckv.statistics.detection import DEFAULT_FLAG_RATE

# What stands behind the name of the key for all others, which is no key among others.
UNLISTED = "all keys that are not listed"
SCALARS = ("series", "name", "mechanism", "epsilon", "panels", "level")
CHANGE_FACTS = ("before", "after", "false_discovery_rate", "level", "keys_compared", "keys_changed")


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
        mean_known: False where that interval spans 95 % of the range or more, or the key does not stand out
            from the noise.
        smoothed_mean: The same from all rounds; that of the round alone where the key does not stand out from
            the noise.
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


class KeyChange(NamedTuple):
    """By how much one key's frequency changed between two rounds.

    Attributes:
        key: The name of the key.
        change: The frequency of the later round less that of the earlier one, with its interval `change_low`
            to `change_high`.
        p_value: The chance of a difference as large if the frequency is the same in both rounds.
        changed: Whether the change is real, at the false discovery rate of the table.
    """

    key: str
    change: float
    change_low: float
    change_high: float
    p_value: float
    changed: bool


@dataclass(frozen=True, eq=False)
class Changes:
    """What changed between two rounds, one `KeyChange` per key.

    Among the keys with `changed`, at most a share of `false_discovery_rate` is expected not to have changed.
    That holds for all keys that were compared, `keys_compared`, of which `keys_changed` changed, whichever of
    them the table has.
    """

    before: int
    after: int
    false_discovery_rate: float
    level: float
    keys_compared: int
    keys_changed: int
    key: list[str]
    change: Floats
    change_low: Floats
    change_high: Floats
    p_value: Floats
    changed: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.key)

    def __iter__(self) -> Iterator[KeyChange]:
        """Yield the change of every key."""
        columns = (getattr(self, name) for name in KeyChange._fields[1:])
        return map(KeyChange._make, zip(self.key, *(column.tolist() for column in columns), strict=True))

    @property
    def order(self) -> NDArray[np.int64]:
        """The numbers of the rows, those that moved most, relative to the noise, first."""
        return np.lexsort((-np.abs(self.change), self.p_value))

    def take(self, rows: NDArray[np.int64]) -> Changes:
        """Return some rows of the table."""
        columns = {name: getattr(self, name)[rows] for name in KeyChange._fields[1:]}
        keys = [self.key[row] for row in rows]
        return replace(self, key=keys, **columns)

    @property
    def sentence(self) -> str:
        """How many of all keys changed, in words."""
        changed = self.keys_changed
        which = "No key" if not changed else f"{changed:,} of {self.keys_compared:,} keys"
        among = (
            f" (at most {100 * self.false_discovery_rate:g} % of such flags are false, on average)" if changed else ""
        )
        return f"{which} changed between rounds {self.before:,} and {self.after:,}{among}."

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        facts = {name: getattr(self, name) for name in CHANGE_FACTS}
        return facts | {"sentence": self.sentence, "keys": [row._asdict() for row in self]}

    @classmethod
    def from_dict(cls, document: Any) -> Changes:
        """Return the changes that `to_dict` wrote; a missing or mistyped member is a `DataError`."""
        facts = read_members(cls, document, CHANGE_FACTS)
        columns = read_columns(KeyChange, document.get("keys"), place="keys")
        keys, changed = columns.pop("key"), columns.pop("changed")
        arrays: dict[str, Any] = {name: np.array(column, float) for name, column in columns.items()}
        return cls(**facts, key=keys, **arrays, changed=np.array(changed, bool))


class KeyTrend(NamedTuple):
    """What is known of one key: in every round, pooled over the last rounds, and by how much it changed."""

    key: str
    rounds: tuple[RoundEstimate, ...]
    pooled: KeyEstimate
    change: KeyChange | None


@dataclass(frozen=True, eq=False)
class Trend(ResultTable):
    """Frequencies and means of every round, with intervals; `trend["alien"]` is a key's `KeyTrend`.

    Attributes:
        series: The id of the series, with its `name` and number of `panels`.
        mechanism: That of its reports, whose realised ε is `epsilon`.
        level: The level of all intervals.
        rounds: The rounds that have reports, in order; those without are left out.
        key: The names of the keys.
        columns: Arrays by key and round, under the names of `RoundEstimate`.
        pooled: The estimates of the last rounds together, as many as there are panels: each person at most
            once; the rows of the same keys.
        changes: What changed between the last round and the one before it; None if there is only one.
        compare_counts: Compares two rounds of all keys by their numbers, at a false discovery rate; None
            where the trend was read from JSON, which has no counts.
    """

    REPEATED: ClassVar[tuple[str, ...]] = ("epsilon", "level")
    MISSING: ClassVar[str] = "there is no trend of key {!r}"

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
    compare_counts: Callable[[int, int, float], Changes] | None = None

    def __iter__(self) -> Iterator[KeyTrend]:
        """Yield what is known of every key."""
        return (self[key] for key in self.key)

    def __getitem__(self, key: str) -> KeyTrend:
        """Return what is known of a key.

        Raises:
            UnknownKey: if the table has no such key; it is a `KeyError`, too.
        """
        row = self.row_of(key)
        columns = [self.columns[name][row].tolist() for name in COLUMNS]
        numbers = [each.round for each in self.rounds]
        change = None if self.changes is None else next(iter(self.changes.take(np.array([row]))))
        rounds = tuple(map(RoundEstimate._make, zip(numbers, *columns, strict=True)))
        return KeyTrend(key, rounds, self.pooled[key], change)

    def compare(self, before: int, after: int, rate: float = DEFAULT_FLAG_RATE) -> Changes:
        """Return by how much every frequency changed from round `before` to a later one, `after`.

        The false discovery rate of the flags is `rate`.

        Raises:
            ParameterError: if one of them has no reports, they are not in order, or the trend was read from
                JSON.
        """
        if not before < after:
            raise ParameterError(f"round {before:,} is not before round {after:,}")
        if self.compare_counts is None:
            raise ParameterError("a trend that was read has no counts: compare rounds where they are counted")
        found = self.compare_counts(before, after, rate)
        places = {key: place for place, key in enumerate(found.key)}
        return found.take(np.array([places[key] for key in self.key], np.int64))

    def since(self, before: int, rate: float = DEFAULT_FLAG_RATE) -> Trend:
        """Return the same trend, its changes being those since round `before` instead of the last but one.

        The false discovery rate of the flags is `rate`.

        Raises:
            ParameterError: if there are no reports of that round, or it is the last one.
        """
        if not self.rounds:
            raise ParameterError("there are no reports of any round")
        return replace(self, changes=self.compare(before, self.rounds[-1].round, rate))

    def take(self, rows: NDArray[np.int64]) -> Trend:
        """Return the keys in these `rows`, in the order given."""
        return replace(
            self,
            key=[self.key[row] for row in rows],
            columns={name: column[rows] for name, column in self.columns.items()},
            pooled=self.pooled.take(rows),
            changes=None if self.changes is None else self.changes.take(rows),
        )

    def only(self, keys: list[str]) -> Trend:
        """Return these `keys`; one that does not exist is an `UnknownKey`, which is a `PckvError`."""
        return self.take(np.array([self.row_of(key) for key in keys], np.int64))

    def moved_most(self, count: int) -> Trend:
        """Return the `count` keys with the largest change relative to the noise, or the most frequent."""
        if self.changes is not None:
            return self.take(self.changes.order[:count])
        return self.take(np.argsort(-self.pooled.frequency, kind="stable")[:count])

    @property
    def verdict(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        if not self.rounds:
            return ("There are no reports yet.",)
        compared = () if self.changes is None else (self.changes.sentence,)
        return (*compared, *self.pooled.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; the columns of a key have one number per round."""
        columns = {name: self.columns[name].tolist() for name in COLUMNS}
        return self.facts() | {
            "rounds": plain(self.rounds),
            "keys": [
                {"key": key} | {name: column[row] for name, column in columns.items()}
                for row, key in enumerate(self.key)
            ],
            "pooled": self.pooled.to_dict(),
            "changes": None if self.changes is None else self.changes.to_dict(),
        }

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the trend that `to_dict` wrote, the `document`, without counts for other comparisons.

        A member that is missing, is not of its type, or contradicts others is a `DataError` that names it.
        """
        facts = read_members(cls, document, (*SCALARS, "rounds"))
        rows = document.get("keys")
        keys = read_columns(KeyChange, rows, ("key",), "keys")["key"]
        without_changes = document.get("changes", ()) is None
        return cls(
            **facts,
            key=keys,
            columns={name: _read_rounds(rows, name, len(facts["rounds"])) for name in COLUMNS},
            pooled=_read_part(Estimates, document, "pooled", keys),
            changes=None if without_changes else _read_part(Changes, document, "changes", keys),
        )

    def table(self) -> dict[str, Any]:
        """Return one row per key and round, one sequence per column."""
        keys, rounds = len(self), len(self.rounds)
        return {
            "key": [key for key in self.key for _ in range(rounds)],
            "round": np.tile(np.array([each.round for each in self.rounds], np.int64), keys),
            "opens": [each.opens for each in self.rounds] * keys,
            "reports": np.tile(np.array([each.reports for each in self.rounds], np.int64), keys),
        } | {name: self.columns[name].reshape(-1) for name in COLUMNS}

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        return {name: getattr(self, name) for name in SCALARS} | {"verdict": list(self.verdict)}

    @property
    def title(self) -> str:
        """What stands above the table for people."""
        numbers = [each.round for each in self.rounds]
        span = f" ({numbers[0]:,} to {numbers[-1]:,})" if numbers else ""
        return (
            f"{len(numbers):,} rounds{span}, {sum(each.reports for each in self.rounds):,} reports, "
            f"{self.mechanism}, realised ε {self.epsilon:g} per report, {self.panels:,} panels"
        )

    def shown(self, count: int) -> tuple[Trend, int]:
        """Return the keys that moved most, at most `count`, and how many others there are; none without reports."""
        shown = self.moved_most(count if self.rounds else 0)
        return shown, len(self) - len(shown)

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


_SMOOTHED = ("smoothed", "smoothed_low", "smoothed_high")


def _percent(value: float, low: float, high: float) -> tuple[str, str]:
    return f"{100 * value:.2f} %", f"{100 * low:.2f} – {100 * high:.2f} %"


def _points(change: KeyChange) -> tuple[str, str, str]:
    interval = f"{100 * change.change_low:+.2f} – {100 * change.change_high:+.2f}"
    return f"{100 * change.change:+.2f}", interval, "changed" if change.changed else ""


def _read_rounds(rows: list[dict[str, Any]], name: str, rounds: int) -> NDArray[Any]:
    """Return a column by key and round."""
    kind: Any = bool if name == "mean_known" else float
    column = []
    for number, row in enumerate(rows):
        place = f"keys[{number}].{name}"
        column.append(read_value(tuple[kind, ...], row.get(name), place))
        if len(column[-1]) != rounds:
            raise DataError(f"not one value per round, {rounds:,}", place=place)
    return np.array(column, kind).reshape(len(rows), rounds)


_Part = TypeVar("_Part", Estimates, Changes)


def _read_part(kind: type[_Part], document: Any, name: str, keys: list[str]) -> _Part:
    """Return a part of a trend, which is about the same keys."""
    try:
        part = kind.from_dict(document.get(name))
    except DataError as error:
        raise DataError(str(error), place=name) from None
    if part.key != keys:
        raise DataError("not of the same keys", place=name)
    return part
