"""Results within the labels of a segment: labels, keys within each, and which keys differ between labels."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from pckv.base.arrays import Flags, Floats
from pckv.base.errors import DataError
from pckv.base.records import read_members
from pckv.base.words import TOO_RARE, Ranged, ranged
from pckv.contract.task import Task
from pckv.estimators.results.columns import ColumnTable, Origin, tested_note
from pckv.estimators.results.key_estimate import UNKNOWN
from pckv.estimators.results.key_sheets import average_header
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.workbooks import (
    SheetColumn,
    clear_column,
    clear_sentence,
    number_columns,
    share_columns,
    told_shares,
    triples,
)

# What cells have of means, where keys have values.
CELL_MEANS = ("mean", "mean_low", "mean_high", "mean_known")


class LabelShare(NamedTuple):
    """The share of people with a label, with its interval."""

    label: str
    share: float
    share_low: float
    share_high: float


class SegmentCell(NamedTuple):
    """What is known of one key within one label.

    Attributes:
        segment: The label.
        key: The name of the key.
        share: The share of the people with this label who hold the key, with its interval `share_low` to
            `share_high`; where that is 0 to 1, the share is unknown.
        share_of_all: The share of all people who have the label and hold the key, with its interval.
        mean: The mean value that they give it, with its interval; keys without values have none.
        mean_known: Whether that interval is narrow enough to say anything.
        detected: Whether the key stands out from the noise within this label, at the false discovery rate.
    """

    segment: str
    key: str
    share: float
    share_low: float
    share_high: float
    share_of_all: float
    share_of_all_low: float
    share_of_all_high: float
    mean: float
    mean_low: float
    mean_high: float
    mean_known: bool
    detected: bool


class SegmentDifference(NamedTuple):
    """A key whose share is larger in `label_a` than in `label_b` by the `difference`, with its interval.

    The shares themselves are those of `SegmentCell`, which a method may pull together: here they are not repeated.
    """

    key: str
    label_a: str
    label_b: str
    difference: float
    difference_low: float
    difference_high: float


@dataclass(frozen=True, eq=False)
class LabelShares(ColumnTable):
    """The share of people with each label: a table of one `LabelShare` per label, whose name is its `key`."""

    MISSING: ClassVar[str] = "there is no label {!r}"
    NOUN: ClassVar[str] = "labels"
    ROW: ClassVar[Any] = LabelShare

    label: list[str]
    share: Floats
    share_low: Floats
    share_high: Floats

    @property
    def key(self) -> list[str]:
        """The labels."""
        return self.label

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        return "label", "share", self.interval_header

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people."""
        return [(row.label, *self._cells(row)) for row in self]

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:  # noqa: ARG002
        """Return the columns of the sheet for people."""
        shares = share_columns(words, words("Share of people"), triples(self, "share"), self._clear)
        clear = clear_column(words, self._clear, self.share_high.tolist())
        return [SheetColumn.of_texts(words("Group"), self.label), *shares, clear]

    def _findings(self, words: SheetWords) -> list[str]:
        """Return what the table says, in sentences for people."""
        return [clear_sentence(words, self._clear)]

    @property
    def _clear(self) -> list[bool]:
        clear: list[bool] = (self.share_low > 0).tolist()
        return clear

    @staticmethod
    def _cells(row: LabelShare) -> tuple[str, str]:
        share = _share_in_words(row.share, row.share_low, row.share_high)
        known = row.share_low > 0 or share.value == UNKNOWN
        return (share.value, share.range) if known else (TOO_RARE, share.most)

    def shown(self, count: int) -> tuple[Self, int]:
        """Return the first labels, at most `count`, and how many others there are."""
        return self.take(np.arange(min(count, len(self)))), max(len(self) - count, 0)


@dataclass(frozen=True, eq=False)
class SegmentCells(ColumnTable):
    """Keys within labels: a table of one `SegmentCell` per label and key, all keys of a label together."""

    MISSING: ClassVar[str] = "there is no label {!r}"
    NOUN: ClassVar[str] = "keys within labels"
    TEXTS: ClassVar[int] = 2
    ROW: ClassVar[Any] = SegmentCell
    MAYBE: ClassVar[tuple[str, ...]] = CELL_MEANS

    segment: list[str]
    key: list[str]
    share: Floats
    share_low: Floats
    share_high: Floats
    share_of_all: Floats
    share_of_all_low: Floats
    share_of_all_high: Floats
    detected: Flags
    mean: Floats | None = None
    mean_low: Floats | None = None
    mean_high: Floats | None = None
    mean_known: Flags | None = None

    def __iter__(self) -> Iterator[SegmentCell]:
        """Yield what is known of every key within every label."""
        if self.mean is not None:
            return super().__iter__()
        missing = np.full(len(self), np.nan)
        return iter(replace(self, mean=missing, mean_low=missing, mean_high=missing, mean_known=missing > 0))

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        means = () if self.mean is None else ("mean", self.interval_header)
        return "label", "key", "share", self.interval_header, *means

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: rounded, and in words where reports say nothing."""
        return [self._cells(row) for row in self]

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:
        """Return the columns of the sheet for people."""
        numbers = triples(self, "share")
        told = told_shares(numbers, self.detected.tolist())
        shares = share_columns(words, words("Share within the group"), numbers, told)
        means = []
        if self.mean_known is not None:
            means = number_columns(words, average_header(words, task), triples(self, "mean"), self.mean_known.tolist())
        return [
            SheetColumn.of_texts(words("Group"), self.segment),
            SheetColumn.of_texts(words("Answer"), self.key),
            *shares,
            *means,
            clear_column(words, told, self.share_high.tolist()),
        ]

    def _findings(self, words: SheetWords) -> list[str]:
        """Return what the table says, in sentences for people."""
        return [clear_sentence(words, self.detected.tolist())]

    def _cells(self, row: SegmentCell) -> tuple[str, ...]:
        share = _share_in_words(row.share, row.share_low, row.share_high)
        value, interval = share.value, share.range
        if not row.detected:
            # A share that may be all is not known to be rare.
            value, interval = TOO_RARE if row.share_high < 1 else UNKNOWN, share.most
        if self.mean is None:
            return row.segment, row.key, value, interval
        mean = ranged(row.mean, row.mean_low, row.mean_high)
        return row.segment, row.key, value, interval, mean.value if row.mean_known else UNKNOWN, mean.range

    @property
    def grey(self) -> list[bool]:
        """Which rows do not stand out from the noise."""
        return [not told for told in self.detected]

    def shown(self, count: int) -> tuple[Self, int]:
        """Return the largest shares that stand out, at most `count`, and how many other rows there are."""
        order = np.lexsort((-self.share, ~self.detected))[:count]
        return self.take(order), len(self) - order.size


@dataclass(frozen=True, eq=False)
class SegmentDifferences(ColumnTable):
    """Which keys differ between two labels, the largest differences first: one `SegmentDifference` each."""

    MISSING: ClassVar[str] = "key {!r} differs between no labels"
    NOUN: ClassVar[str] = "differences"
    TEXTS: ClassVar[int] = 3
    ROW: ClassVar[Any] = SegmentDifference

    key: list[str]
    label_a: list[str]
    label_b: list[str]
    difference: Floats
    difference_low: Floats
    difference_high: Floats

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        return "key", "more often in", "than in", "points", self.interval_header

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people."""
        return [self._cells(row) for row in self]

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:  # noqa: ARG002
        """Return the columns of the sheet for people."""
        in_points = [(100 * value, 100 * low, 100 * high) for value, low, high in triples(self, "difference")]
        return [
            SheetColumn.of_texts(words("Answer"), self.key),
            SheetColumn.of_texts(words("Chosen more often in"), self.label_a),
            SheetColumn.of_texts(words("than in"), self.label_b),
            *number_columns(words, words("Difference (percentage points)"), in_points, [True] * len(self)),
        ]

    def _findings(self, words: SheetWords) -> list[str]:
        """Return what the table says, in sentences for people."""
        return [words("Differences that stand out from the noise: {number}.", number=words.count(len(self)))]

    @staticmethod
    def _cells(row: SegmentDifference) -> tuple[str, ...]:
        told = ranged(100 * row.difference, 100 * row.difference_low, 100 * row.difference_high)
        return (
            row.key,
            row.label_a,
            row.label_b,
            told.value,
            told.range,
        )

    def shown(self, count: int) -> tuple[Self, int]:
        """Return the largest differences, at most `count`, and how many others there are."""
        return self.take(np.arange(min(count, len(self)))), max(len(self) - count, 0)


@dataclass(frozen=True, eq=False)
class Segments:
    """What is known within the labels of a segment.

    Attributes:
        name: What the labels are the answers to.
        false_discovery_rate: The share of keys without holders among the `cells` that are `detected`, and of keys
            that do not differ among the `differences`, is at most this, each on average.
        cells_tested: How many keys within labels were tested, and `differences_tested` how many differences.
        detected_level: The least level of the intervals of cells that are detected: on average at most a share of
            1 - level of them does not contain the truth, nor of the ten, hundred, … largest shares, whose intervals
            have a higher level. None where none is detected.
        differences_level: The same of the intervals of differences.
        cells_found: How many of the cells that were tested are detected, and `differences_found` how many differences,
            whichever of them the tables have.
        labels: The share of people with each label.
        cells: Keys within labels.
        differences: Keys whose share differs between two labels; in `label_a` it is larger.
    """

    name: str
    false_discovery_rate: float
    cells_tested: int
    differences_tested: int
    detected_level: float | None
    differences_level: float | None
    cells_found: int
    differences_found: int
    labels: LabelShares
    cells: SegmentCells
    differences: SegmentDifferences

    FACTS: ClassVar = (
        "name",
        "false_discovery_rate",
        "cells_tested",
        "differences_tested",
        "detected_level",
        "differences_level",
        "cells_found",
        "differences_found",
    )

    def only(self, keys: Container[str]) -> Segments:
        """Return what is known of some keys."""
        of_cells, of_differences = (
            np.array([key in keys for key in table.key], np.bool_) for table in (self.cells, self.differences)
        )
        return replace(self, cells=self.cells.take(of_cells), differences=self.differences.take(of_differences))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found among all that was tested, in words: rates of false flags are those of all."""
        detected, differences = self.cells_found, self.differences_found
        labels, noise, rate = f"labels of “{self.name}”", self.cells.origin.noise, self.false_discovery_rate
        found = f"Within the {labels}, no key stands out from {noise}."
        if detected:
            shares = "1 share of a key stands" if detected == 1 else f"{detected:,} shares of keys stand"
            found = f"Within the {labels}, {shares} out from {noise}, {tested_note(self.cells_tested, rate)}."
        compared = () if self.cells.mean is None else ("Means are not compared between labels: only shares are.",)
        if not differences:
            return found, f"No difference of shares between {labels} stands out from {noise}.", *compared
        between = (
            f"1 difference of shares between {labels} stands"
            if differences == 1
            else f"{differences:,} differences of shares between {labels} stand"
        )
        return found, f"{between} out from {noise}, {tested_note(self.differences_tested, rate)}.", *compared

    def members(self) -> dict[str, Any]:
        """Return all tables as plain values; the estimates that they belong to hold what they have in common."""
        return {name: getattr(self, name) for name in self.FACTS} | {
            name: getattr(self, name).rows() for name in ("labels", "cells", "differences")
        }

    @classmethod
    def read(cls, document: Any, origin: Origin) -> Segments:
        """Return what `members` gave; a missing or mistyped member is a `DataError`."""
        facts = read_members(cls, document, cls.FACTS, "segments")
        labels, cells, differences = (
            table.read_rows(document.get(name), f"segments.{name}")
            for name, table in (("labels", LabelShares), ("cells", SegmentCells), ("differences", SegmentDifferences))
        )
        known = set(labels["label"])
        named = {"cells": cells["segment"], "differences": differences["label_a"] + differences["label_b"]}
        for name, found in named.items():
            if not known.issuperset(found):
                raise DataError("not of a label of the segment", place=f"segments.{name}")
        return cls(
            **facts,
            labels=LabelShares(origin, **labels),
            cells=SegmentCells(origin, **cells),
            differences=SegmentDifferences(origin, **differences),
        )


def _share_in_words(share: float, low: float, high: float) -> Ranged:
    told = ranged(100 * share, 100 * low, 100 * high, " %")
    return told._replace(value=UNKNOWN) if (low, high) == (0.0, 1.0) else told
