"""Which keys people hold together: pairs of keys with shares, conditional shares and lift."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from pckv.base.arrays import Flags, Floats
from pckv.base.records import read_members
from pckv.base.words import TOO_RARE, plural, ranged
from pckv.contract.task import Task
from pckv.estimators.results.columns import ColumnTable, Origin, tested_note
from pckv.estimators.results.key_estimate import UNKNOWN
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.workbooks import (
    SheetColumn,
    clear_column,
    number_columns,
    share_columns,
    told_shares,
    triples,
)

# How two keys are related.
TOGETHER, APART, UNRELATED = "together", "apart", ""
# What tables for people say of it.
RELATIONS = {TOGETHER: "more often than by chance", APART: "less often than by chance", UNRELATED: ""}


class KeysTogether(NamedTuple):
    """What is known of two keys together.

    Attributes:
        first: The keys, in the order of the task: `first` and `second`.
        share: The share of people who hold both, with its interval `share_low` to `share_high`.
        second_given_first: The share of those who hold the first key that hold the second, with its interval.
        first_given_second: The other way round.
        lift: How many times as often both are held as if they were held independently of each other, with its
            interval; None where the reports do not limit it.
        relation: `together` where people hold both more often than independently of each other, `apart` where
            less often, at the false discovery rate; empty where neither stands out.
        detected: Whether both together stand out from the noise, at the false discovery rate.
    """

    first: str
    second: str
    share: float
    share_low: float
    share_high: float
    second_given_first: float
    second_given_first_low: float
    second_given_first_high: float
    first_given_second: float
    first_given_second_low: float
    first_given_second_high: float
    lift: float | None
    lift_low: float | None
    lift_high: float | None
    relation: Literal["together", "apart", ""]
    detected: bool


@dataclass(frozen=True, eq=False)
class PairsTogether(ColumnTable):
    """Pairs of keys that stand out from the noise, or are held more or less often than by chance.

    A table of one `KeysTogether` per pair. Other pairs are not listed: noise alone may give them.

    Attributes:
        tested: How many pairs there are.
        false_discovery_rate: The share of pairs that nobody holds among those that are `detected`, and of pairs that
            are held independently of each other among those with a `relation`, is at most this, each on average.
        shown_level: The least level of the intervals: on average at most a share of 1 - level of them does not
            contain the truth, nor of the ten, hundred, … largest conditional shares or lifts, whose intervals have a
            higher level. None where no pair is listed.
        found: How many of all pairs are detected, whichever of them the table has; `together` and `apart` are how many
            have that relation.
    """

    MISSING: ClassVar[str] = "no pair with key {!r} stands out"
    NOUN: ClassVar[str] = "pairs"
    TEXTS: ClassVar[int] = 2
    ROW: ClassVar[Any] = KeysTogether

    tested: int
    false_discovery_rate: float
    shown_level: float | None
    found: int
    together: int
    apart: int
    first: list[str]
    second: list[str]
    share: Floats
    share_low: Floats
    share_high: Floats
    second_given_first: Floats
    second_given_first_low: Floats
    second_given_first_high: Floats
    first_given_second: Floats
    first_given_second_low: Floats
    first_given_second_high: Floats
    lift: Floats
    lift_low: Floats
    lift_high: Floats
    relation: list[str]
    detected: Flags

    @property
    def key(self) -> list[str]:
        """The first key of every pair."""
        return self.first

    FACTS: ClassVar = ("tested", "false_discovery_rate", "shown_level", "found", "together", "apart")

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        return super().facts() | {name: getattr(self, name) for name in self.FACTS}

    def only(self, keys: Container[str]) -> Self:
        """Return the pairs that have one of these keys."""
        named = zip(self.first, self.second, strict=True)
        return self.take(np.array([first in keys or second in keys for first, second in named], np.bool_))

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        interval = self.interval_header
        given = ("second, of holders of the first", interval, "first, of holders of the second", interval)
        return "first key", "second key", "hold both", interval, *given, "lift", interval, "held together"

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: rounded, and in words where reports say nothing."""
        return [self._cells(row) for row in self]

    @staticmethod
    def _cells(row: KeysTogether) -> tuple[str, ...]:
        def shares(name: str) -> tuple[str, str]:
            value, low, high = (getattr(row, name + end) for end in ("", "_low", "_high"))
            told = ranged(100 * value, 100 * low, 100 * high, " %")
            if high == 1 and (low == 0 or not row.detected):
                return UNKNOWN, told.range
            return (told.value, told.range) if row.detected else (TOO_RARE, told.most)

        lift = (UNKNOWN, "")
        if row.lift is not None and row.lift_low is not None and row.lift_high is not None:
            told = ranged(row.lift, row.lift_low, row.lift_high)
            lift = (told.value, told.range) if row.detected else (TOO_RARE, told.most)
        given = (*shares("second_given_first"), *shares("first_given_second"))
        return row.first, row.second, *shares("share"), *given, *lift, RELATIONS[row.relation]

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:  # noqa: ARG002
        """Return the columns of the sheet for people."""
        detected, lifts = self.detected.tolist(), triples(self, "lift")
        headers = {
            "share": "Chose both",
            "second_given_first": "Second, among those who chose the first",
            "first_given_second": "First, among those who chose the second",
        }
        numbers = {name: triples(self, name) for name in headers}
        relations = [RELATIONS[relation] for relation in self.relation]
        limited = [is_clear and lift == lift for (lift, *_), is_clear in zip(lifts, detected, strict=True)]  # noqa: PLR0124
        return [
            SheetColumn.of_texts(words("First answer"), self.first),
            SheetColumn.of_texts(words("Second answer"), self.second),
            *(
                column
                for name, header in headers.items()
                for column in share_columns(words, words(header), numbers[name], told_shares(numbers[name], detected))
            ),
            *number_columns(words, words("Times as often as by chance"), lifts, limited),
            clear_column(words, detected, self.share_high.tolist()),
            SheetColumn.of_texts(words("Chosen together"), [told and words(told) for told in relations]),
        ]

    def _findings(self, words: SheetWords) -> list[str]:
        """Return what the table says, in sentences for people."""
        return [words("Pairs that stand out from the noise: {number}.", number=words.count(int(self.detected.sum())))]

    @property
    def less_important(self) -> tuple[int, ...]:
        """Shares of the holders of one key: the lift tells the same for both."""
        return 6, 4

    @property
    def grey(self) -> list[bool]:
        """Which rows do not stand out from the noise."""
        return [not told for told in self.detected]

    def shown(self, count: int) -> tuple[Self, int]:
        """Return at most `count` pairs and how many others are listed: first those with a relation, as listed."""
        unrelated = np.array([relation == UNRELATED for relation in self.relation], np.bool_)
        order = np.argsort(unrelated, kind="stable")[:count]
        return self.take(np.sort(order)), len(self) - order.size

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found among all pairs, in words: rates of false flags are those of all."""
        detected, together, apart = self.found, self.together, self.apart
        noise, tested = self.origin.noise, tested_note(self.tested, self.false_discovery_rate)
        found = f"No two keys together stand out from {noise}."
        if detected:
            pairs = "1 pair of keys stands" if detected == 1 else f"{detected:,} pairs of keys stand"
            found = f"{pairs} out from {noise}, {tested}."
        if not together + apart:
            claim = "That two keys are held together more or less often than by chance"
            return found, f"{claim} does not stand out from {noise}."
        return found, (
            f"{plural(together, 'pair')} of keys {'is' if together == 1 else 'are'} held together more often than by "
            f"chance, and {apart:,} less often, {tested}."
        )

    def members(self) -> dict[str, Any]:
        """Return the table as plain values; the estimates that it belongs to hold what they have in common."""
        return {name: getattr(self, name) for name in self.FACTS} | {"rows": self.rows()}

    @classmethod
    def read(cls, document: Any, origin: Origin) -> Self:
        """Return what `members` gave; a missing or mistyped member is a `DataError`."""
        facts = read_members(cls, document, cls.FACTS, "pairs")
        return cls(origin, **facts, **cls.read_rows(document.get("rows"), "pairs.rows"))
