"""The result: what every round says of every key, smoothed over the rounds, pooled, and compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import DataError, ParameterError
from pckv.base.records import plain, read_columns, read_members, read_value
from pckv.base.words import UNLISTED, between, percent, plural
from pckv.contract.facts import realised_text
from pckv.contract.task import Task
from pckv.estimators.results.changes import Changes, KeyChange, unseen
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import KeyEstimate
from pckv.estimators.results.key_sheets import average_header
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.workbooks import (
    CountedReports,
    PeopleTable,
    SheetColumn,
    clear_column,
    number_columns,
    share_columns,
)
from pckv.statistics.detection import DEFAULT_FLAG_RATE

SCALARS = ("series", "name", "mechanism", "epsilon", "panels", "level", "keys_differing")
# A round differs from the others where noise alone has a smaller chance of so large a difference.
DIFFERING_BY_NOISE = 0.15


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
        differs: Whether the round's own frequency differs from what the other rounds lead to expect, by more than
            noise explains in 85 % of cases. The smoothed interval then contains the round's own.
        mean: The mean value, in the task's own units, from this round's reports alone, with its interval; here and
            below not a number (NaN) where keys have no values, and left out of JSON, files and tables.
        mean_known: False where that interval spans 95 % of the range or more, or the key does not stand out
            from the noise.
        smoothed_mean: The same from all rounds; that of the round alone where the key does not stand out from
            the noise.
        mean_differs: As `differs`, of the mean.
    """

    round: int
    frequency: float
    frequency_low: float
    frequency_high: float
    smoothed: float
    smoothed_low: float
    smoothed_high: float
    differs: bool
    mean: float = math.nan
    mean_low: float = math.nan
    mean_high: float = math.nan
    mean_known: bool = False
    smoothed_mean: float = math.nan
    smoothed_mean_low: float = math.nan
    smoothed_mean_high: float = math.nan
    mean_differs: bool = False


COLUMNS = RoundEstimate._fields[1:]
FLAGS = ("differs", "mean_known", "mean_differs")
CHANGE_COLUMNS = ("change", "change_low", "change_high")


def columns_of(*, has_means: bool) -> tuple[str, ...]:
    """Return the columns of rounds whose keys have values, or none."""
    return COLUMNS if has_means else tuple(name for name in COLUMNS if "mean" not in name)


class KeyTrend(NamedTuple):
    """What is known of one key: in every round, pooled over the last rounds, and when it changed."""

    key: str
    rounds: tuple[RoundEstimate, ...]
    pooled: KeyEstimate
    changes: tuple[KeyChange, ...]


@dataclass(frozen=True, eq=False)
class Trend(PeopleTable):
    """Frequencies and means of every round, with intervals; `trend["alien"]` is a key's `KeyTrend`.

    Where keys have no values, there are no means.

    Attributes:
        series: The id of the series, with its `name` and number of `panels`.
        mechanism: That of its reports, whose realised ε is `epsilon`.
        level: The level of all intervals.
        keys_differing: How many of all keys, whichever the table has, differ in the last round from what the
            other rounds lead to expect.
        rounds: The rounds that have reports, in order; those without are left out.
        key: The names of the keys.
        columns: Arrays by key and round, under the names of `RoundEstimate`.
        pooled: The estimates of the last rounds together, as many as there are panels: each person at most
            once; the rows of the same keys.
        changes: What changed over all rounds, and when, or between two of them; None if there is only one.
        derived_note: What a trend leaves out of a task with a segment, or of keys together, in words; else empty.
        compare_counts: Compares two rounds of all keys by their numbers, at a false discovery rate; None
            where the trend was read from JSON, which has no counts.
    """

    REPEATED: ClassVar[tuple[str, ...]] = ("epsilon", "level", "mixed", "warning")
    MISSING: ClassVar[str] = "there is no trend of key {!r}"

    series: str
    name: str
    mechanism: str
    epsilon: float
    panels: int
    level: float
    keys_differing: int
    rounds: tuple[RoundSummary, ...]
    key: list[str]
    columns: dict[str, Floats | NDArray[np.bool_]]
    pooled: Estimates
    changes: Changes | None
    derived_note: str = ""
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
        columns = {name: column[row].tolist() for name, column in self.columns.items()}
        changes = () if self.changes is None else self.changes[key]
        rounds = tuple(
            RoundEstimate(each.round, **{name: column[place] for name, column in columns.items()})
            for place, each in enumerate(self.rounds)
        )
        return KeyTrend(key, rounds, self.pooled[key], changes)

    def compare(self, before: int, after: int, false_discovery_rate: float = DEFAULT_FLAG_RATE) -> Changes:
        """Return by how much every frequency changed from round `before` to a later one, `after`.

        No other rounds are compared: the `false_discovery_rate` of the flags is that of this comparison.

        Raises:
            ParameterError: if one of them has no reports, they are not in order, or the trend was read from
                JSON.
        """
        if not before < after:
            raise ParameterError(f"round {before:,} is not before round {after:,}")
        if self.compare_counts is None:
            raise ParameterError("a trend that was read has no counts: compare rounds where they are counted")
        found = self.compare_counts(before, after, false_discovery_rate)
        places = {key: place for place, key in enumerate(found.key)}
        return found.take(np.array([places[key] for key in self.key], np.int64))

    def since(self, before: int, false_discovery_rate: float = DEFAULT_FLAG_RATE) -> Trend:
        """Return the same trend, its changes being those between round `before` and the last one, of all keys.

        No other rounds are compared: the `false_discovery_rate` of the flags is that of this comparison.

        Raises:
            ParameterError: if there are no reports of that round, or it is the last one.
        """
        if not self.rounds:
            raise ParameterError("there are no reports of any round")
        return replace(self, changes=self.compare(before, self.rounds[-1].round, false_discovery_rate))

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
    def warning(self) -> tuple[str, ...]:
        """What counts of the rounds are impossible, and what to do; empty if none is."""
        return self.pooled.warning

    @property
    def verdict(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        if not self.rounds:
            return self.pooled.verdict
        compared: tuple[str, ...] = (self.derived_note,) if self.derived_note else ()
        if self.changes is not None:
            compared = (*compared, *self._reported(), *self.changes.sentences, *self._differing(self.changes))
        return (*self.warning, *compared, *self.pooled.conclusion)

    def _reported(self) -> Iterator[str]:
        """Say that changes are those of reported pairs, where people may hold more than a report stands for."""
        if self.pooled.sets.larger_high:
            noun = "pair" if self.pooled.has_means else "key"
            yield (
                f"Changes are those of reported {noun}s: of a person who holds more than the "
                f"{plural(self.pooled.sets.padding, noun)} that a report stands for, only some count. If people "
                f"hold more or fewer {noun}s than before, that alone can look like a change of a key, or hide one; the "
                "intervals of changes do not include it."
            )

    def _differing(self, changes: Changes) -> Iterator[str]:
        """Say how many keys differ in the last round, and what their intervals contain."""
        if found := self.keys_differing:
            yield (
                f"In round {self.rounds[-1].round:,}, {found:,} of {plural(changes.keys_compared, 'key')} "
                f"{'differs' if found == 1 else 'differ'} from what the other rounds lead to expect, as up to "
                f"{percent(DIFFERING_BY_NOISE)} do by noise alone, on average. There the smoothed interval contains "
                "that of the round alone, which is shown as well."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; the columns of a key have one number per round."""
        columns = {name: column.tolist() for name, column in self.columns.items()}
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
        facts = read_members(cls, document, (*SCALARS, "derived_note", "rounds"))
        rows = document.get("keys")
        keys = read_columns(KeyTrend, rows, ("key",), "keys")["key"]
        without_changes = document.get("changes", ()) is None
        changes = None if without_changes else _read_part(Changes, document, "changes", keys)
        pooled = _read_part(Estimates, document, "pooled", keys)
        named = columns_of(has_means=pooled.has_means)
        known = {each.round for each in facts["rounds"]}
        if changes is not None and not {row.after_first for row in changes.rows} <= known:
            raise DataError("not of the rounds of the trend", place="changes")
        return cls(
            **facts,
            key=keys,
            columns={name: _read_rounds(rows, name, len(facts["rounds"])) for name in named},
            pooled=pooled,
            changes=changes,
        )

    def table(self) -> dict[str, Any]:
        """Return one row per key and round, one sequence per column.

        A change is in the first round of its later window, and the columns of changes are empty elsewhere.
        """
        keys, rounds = len(self), len(self.rounds)
        return (
            {
                "key": [key for key in self.key for _ in range(rounds)],
                "round": np.tile(np.array([each.round for each in self.rounds], np.int64), keys),
                "opens": [each.opens for each in self.rounds] * keys,
                "reports": np.tile(np.array([each.reports for each in self.rounds], np.int64), keys),
            }
            | {name: column.reshape(-1) for name, column in self.columns.items()}
            | self._change_columns()
        )

    @property
    def counted(self) -> CountedReports:
        """The reports that the table was computed from."""
        return CountedReports(sum(each.reports for each in self.rounds), self.epsilon, self.level)

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:
        """Return the columns of the sheet for people: one row per key and round, with smoothed numbers.

        What stands out is what does so over the last rounds together; a change has numbers where it stands out.
        """
        table = self.table()

        def numbers(name: str, scale: int = 1) -> list[tuple[Any, Any, Any]]:
            columns = ((scale * table[f"{name}{end}"]).tolist() for end in ("", "_low", "_high"))
            return list(zip(*columns, strict=True))

        def by_round(flags: NDArray[np.bool_]) -> list[bool]:
            return np.repeat(flags, len(self.rounds)).tolist()

        detected, changed = by_round(self.pooled.detected), table["changed"].tolist()
        means: Sequence[SheetColumn] = ()
        if self.pooled.has_means:
            known = by_round(self.pooled.mean_known)
            means = number_columns(words, average_header(words, task), numbers("smoothed_mean"), known)
        between = (when.replace(" and ", f" {words('and')} ") for when in table["change_between"])
        return [
            SheetColumn.of_texts(words("Answer"), table["key"]),
            SheetColumn(words("Round"), table["round"].tolist()),
            SheetColumn(words("First day"), [date.fromisoformat(day) for day in table["opens"]]),
            SheetColumn(words("Responses"), table["reports"].tolist()),
            *share_columns(words, words("Share of people"), numbers("smoothed"), detected),
            *means,
            clear_column(words, detected, table["smoothed_high"].tolist()),
            *number_columns(words, words("Change (percentage points)"), numbers("change", 100), changed),
            SheetColumn(
                words("Changed between the rounds"),
                [when if is_clear else "" for when, is_clear in zip(between, changed, strict=True)],
            ),
        ]

    def _findings(self, words: SheetWords) -> Iterator[str]:
        """Yield what the table says, in sentences for people."""
        if not self.rounds:
            yield words("There are no responses yet.")
            return
        changes = () if self.changes is None else self.changes.rows
        number = words.count(sum(change.changed for change in changes))
        yield words("Changes that stand out from the noise: {number}.", number=number)
        yield words("Shares of a round are smoothed: they are from all rounds together.")

    def _change_columns(self) -> dict[str, Any]:
        places = {each.round: place for place, each in enumerate(self.rounds)}
        found: dict[str, NDArray[Any]] = {name: np.full((len(self), len(places)), np.nan) for name in CHANGE_COLUMNS}
        changed, when = np.zeros((len(self), len(places)), np.bool_), [""] * (len(self) * len(places))
        for row in () if self.changes is None else self.changes.rows:
            at = self.row_of(row.key), places[row.after_first]
            changed[at], when[at[0] * len(places) + at[1]] = row.changed, row.when
            for name in CHANGE_COLUMNS:
                found[name][at] = getattr(row, name)
        numbers = {name: column.reshape(-1) for name, column in found.items()}
        return {"changed": changed.reshape(-1), "change_between": when} | numbers

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        warning = {"warning": list(self.warning)} if self.warning else {}
        mixed = {} if self.pooled.mixed is None else {"mixed": self.pooled.mixed}
        note = {"derived_note": self.derived_note} if self.derived_note else {}
        return (
            {name: getattr(self, name) for name in SCALARS} | note | mixed | warning | {"verdict": list(self.verdict)}
        )

    @property
    def title(self) -> str:
        """What stands above the table for people."""
        numbers = [each.round for each in self.rounds]
        last = f" to {numbers[-1]:,}" if len(numbers) > 1 else ""
        span = f" ({numbers[0]:,}{last})" if numbers else ""
        per_report = "" if self.pooled.mixed else " per report"
        realised = f"{realised_text(self.epsilon, self.pooled.mixed)}{per_report}"
        return (
            f"{plural(len(numbers), 'round')}{span}, {plural(sum(each.reports for each in self.rounds), 'report')}, "
            f"{self.mechanism}, {realised}, {plural(self.panels, 'panel')}"
        )

    def shown(self, count: int) -> tuple[Trend, int]:
        """Return the keys that moved most, at most `count`, and how many others there are; none without reports."""
        shown = self.moved_most(count if self.rounds else 0)
        return shown, len(self) - len(shown)

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people: the last round, smoothed; changes; and pooled."""
        interval = f"{100 * self.level:.6g} % interval"
        last = max((each.round for each in self.rounds), default=0)
        together = sum(each.round > last - self.panels for each in self.rounds)
        pooled = f"pooled, {together:,} rounds" if together > 1 else "last round"
        return ("key", "smoothed", interval, "changed between", "points", interval, pooled, interval)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people, in percent.

        A key that changed twice has two, and so has one whose last round differs from the others.
        """
        found: list[tuple[str, ...]] = []
        for row, key in enumerate(self.key):
            name = f"{key} ({UNLISTED})" if key == self.pooled.other else key
            pooled = _percent(*self.pooled[key][1:4])
            lines = zip_longest(self._last_cells(row), self._change_cells(row), [pooled])
            found += [
                (name, *(last or ("", "")), *(change or ("", "", "")), *(of_pooled or ("", "")))
                for last, change, of_pooled in lines
            ]
        return found

    def _last_cells(self, row: int) -> list[tuple[str, str]]:
        """Return what is said of the last round: smoothed, and alone where that differs."""
        shown = [_percent(*(float(self.columns[each][row, -1]) for each in _SMOOTHED))]
        if self.columns["differs"][row, -1]:
            value, interval = _percent(*(float(self.columns[each][row, -1]) for each in _ALONE))
            shown.append((f"alone {value}", interval))
        return shown

    def _change_cells(self, row: int) -> list[tuple[str, str, str]]:
        if self.changes is None:
            return [("", "", "")]
        changes = [change.cells() for change in self.changes[self.key[row]]]
        return changes or [("", "", unseen(float(self.changes.smallest_change[row])))]

    def __repr__(self) -> str:
        return (
            f"<Trend of {len(self):,} keys over {len(self.rounds):,} rounds of {self.name!r}: {self.mechanism}, "
            f"ε = {self.epsilon:g}, {self.panels:,} panels, level {self.level:g}>"
        )


_SMOOTHED = ("smoothed", "smoothed_low", "smoothed_high")
_ALONE = ("frequency", "frequency_low", "frequency_high")


def _percent(value: float, low: float, high: float) -> tuple[str, str]:
    return f"{100 * value:.2f} %", between(f"{100 * low:.2f}", f"{100 * high:.2f} %")


def _read_rounds(rows: list[dict[str, Any]], name: str, rounds: int) -> NDArray[Any]:
    """Return a column by key and round."""
    kind: Any = bool if name in FLAGS else float
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
