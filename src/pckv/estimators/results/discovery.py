"""What a discovery found: texts with frequencies and intervals, and the prefixes that led to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from pckv.base.canonical import check_names
from pckv.base.errors import DataError, ParameterError
from pckv.base.words import percent, plural, ranged, sentence
from pckv.contract.facts import realised_text
from pckv.contract.task import Task
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.workbooks import CountedReports, PeopleTable, SheetColumn, share_columns

# What is not a property of the whole table.
PARTS = ("keys", "tree", "mixed")
FREQUENCIES = ("frequency", "frequency_low", "frequency_high")


@dataclass(frozen=True)
class FoundKey:
    """A text that was found.

    Attributes:
        key: The text.
        frequency: The share of people who hold it, with its interval, `frequency_low` to `frequency_high`. Of
            those that are only just found, more are too high than too low: others of the same frequency were
            not found. The interval allows for that.
        is_cut: Whether it has as many characters as are found, so that people may hold longer texts that
            begin like it.
    """

    key: str
    frequency: float
    frequency_low: float
    frequency_high: float
    is_cut: bool


@dataclass(frozen=True)
class FollowedPrefix:
    """A prefix that was followed, or a text that ended.

    Attributes:
        prefix: Its characters, without what fills it up.
        length: How many characters its group reports.
        ended: Whether it is a whole text.
        frequency: The share of people whose texts begin with it, with its interval, from the reports of one
            group.
        leads_to_key: Whether a text that was found begins with it.
    """

    prefix: str
    length: int
    ended: bool
    frequency: float
    frequency_low: float
    frequency_high: float
    leads_to_key: bool


@dataclass(frozen=True)
class Discovery(PeopleTable):
    """The texts that were found, the most frequent ones first.

    A table of one `FoundKey` per text: `found["alien"]` is that of a text, iteration yields all, `len` counts
    them, and `"alien" in found` says whether there is one.

    Attributes:
        task: The id of the task.
        keys: The texts.
        tree: The prefixes that were followed, from the shortest to the longest.
        reports: The number of reports.
        epsilon: The realised ε of a report.
        level: On average at most a share of 1 - level of the intervals of keys, and of those of prefixes, does
            not contain the truth: the false coverage rate.
        keys_level: The level of each interval of a key, 1 - R·(1 - level)/m for R keys found of m examined.
        tree_level: The level of each interval of a prefix, in the same way.
        false_discovery_rate: The share of texts without holders among those found, on average, is at most
            this.
        characters: How many characters of a text are found at most.
        padding: How many texts of a person a report stands for at most.
        smallest_frequency: The least frequency of a text of that many characters that is found four times out
            of five with this many reports.
        mixed: Of a mixed task, that the reports are one batch, and what holds towards whom, in words; None for others.
    """

    MISSING: ClassVar[str] = "key {!r} was not found"

    task: str
    keys: tuple[FoundKey, ...]
    tree: tuple[FollowedPrefix, ...]
    reports: int
    epsilon: float
    level: float
    keys_level: float
    tree_level: float
    false_discovery_rate: float
    characters: int
    padding: int
    smallest_frequency: float
    mixed: str | None = None

    def __iter__(self) -> Iterator[FoundKey]:
        """Yield the texts, the most frequent ones first."""
        return iter(self.keys)

    def __getitem__(self, key: str) -> FoundKey:
        """Return what is known of a text, the `key` as it was found.

        Raises:
            UnknownKey: if it was not found; it is a `KeyError`, too.
        """
        return self.keys[self.row_of(key)]

    @property
    def key(self) -> list[str]:
        """The texts, without what is known of them."""
        return [found.key for found in self.keys]

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the discovery that `to_dict` wrote, the `document`; its keys are such as a file of keys can have.

        A member that is missing, is not of its type, or is not a key is a `DataError`.
        """
        found = super().from_dict(document)
        try:
            check_names(found.key, "key")
        except ParameterError as error:
            raise DataError(str(error), place="keys") from None
        return found

    def top(self, count: int) -> Discovery:
        """Return the same discovery with the most frequent of the texts, at most `count`."""
        return replace(self, keys=self.keys[:count])

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the result says, in sentences."""
        found = f"{plural(len(self), 'key')} found" if self.keys else "No key was found"
        findable = (
            f"A key of {self.characters} characters that {percent(self.smallest_frequency)} of the people hold is "
            "found four times out of five; shorter ones are found more easily."
            if self.smallest_frequency < 1
            else f"These are too few for a key of {self.characters} characters, even if all people hold it."
        )
        first = f"{found} among {plural(self.reports, 'report')}. {findable}"
        selected = (
            f"Of the intervals of these keys, at most {percent(1 - self.level)} miss the truth by chance, on average: "
            f"each has the level {100 * self.keys_level:.6g} %, since the keys were selected."
        )
        larger = (
            f"A report stands for {plural(self.padding, 'key')} of a person at most. A person who holds more "
            "counts for less, so that true frequencies may be higher than the intervals say."
        )
        cut = sum(key.is_cut for key in self.keys)
        goes_on = (
            f"{plural(cut, 'key')} may be longer: only the first {self.characters} characters are found. Complete "
            "such keys before you measure them: a measurement counts whole keys, written alike, capital letters too."
        )
        mixed = sentence(self.mixed) if self.mixed else ""
        return tuple(filter(None, (first, selected if self.keys else "", larger, goes_on if cut else "", mixed)))

    def cells(self) -> list[tuple[str, ...]]:
        """Return what tables for people say of every key: the frequency, and its interval."""
        shares = [ranged(100 * key.frequency, 100 * key.frequency_low, 100 * key.frequency_high, " %") for key in self]
        return [(key, share.value, share.range) for key, share in zip(self.key, shares, strict=True)]

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        return "key", "frequency", f"{100 * self.level:.6g} % interval"

    @property
    def title(self) -> str:
        """What stands above the table for people."""
        return (
            f"{plural(self.reports, 'report')}, {realised_text(self.epsilon, self.mixed)}, at most "
            f"{percent(self.false_discovery_rate)} false discoveries on average"
        )

    def shown(self, count: int) -> tuple[Discovery, int]:
        """Return the most frequent texts, at most `count`, and how many others there are."""
        return self.top(count), max(len(self) - count, 0)

    def table(self) -> dict[str, Any]:
        """Return the keys as one sequence per column."""
        return (
            {"key": self.key}
            | {name: np.array([getattr(found, name) for found in self], float) for name in FREQUENCIES}
            | {"is_cut": np.array([found.is_cut for found in self], bool)}
        )

    @property
    def counted(self) -> CountedReports:
        """The reports that the table was computed from."""
        return CountedReports(self.reports, self.epsilon, self.level)

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:  # noqa: ARG002
        """Return the columns of the sheet for people."""
        shares = [(found.frequency, found.frequency_low, found.frequency_high) for found in self]
        return [
            SheetColumn.of_texts(words("Answer"), self.key),
            *share_columns(words, words("Share of people"), shares, [True] * len(self)),
            SheetColumn.of_texts(words("May be longer?"), [words("yes") if found.is_cut else "" for found in self]),
        ]

    def _findings(self, words: SheetWords) -> Iterator[str]:
        """Yield what was found, and what may be missed, in sentences for people."""
        yield words("Answers found: {number}.", number=words.count(len(self)))
        if self.smallest_frequency < 1:
            yield words(
                "An answer of {characters} characters that {share} of people have is found four times out of five.",
                characters=self.characters,
                share=words.number(percent(self.smallest_frequency)),
            )
        if any(found.is_cut for found in self):
            text = "Only the first {characters} characters are found: answers marked so may be longer."
            yield words(text, characters=self.characters)
        yield words(
            "Of one person, at most this many answers count: {padding}. If people have more, true shares may be "
            "higher than the ranges say.",
            padding=words.count(self.padding),
        )

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        facts = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in PARTS}
        mixed = {} if self.mixed is None else {"mixed": self.mixed}
        return facts | mixed | {"verdict": list(self.verdict)}

    def to_text(self) -> str:
        """Return the keys one per line: a file of keys, as a new task takes it."""
        return "".join(f"{key.key}\n" for key in self.keys)

    def __repr__(self) -> str:
        return f"<Discovery of {plural(len(self), 'key')} in {plural(self.reports, 'report')}>"
