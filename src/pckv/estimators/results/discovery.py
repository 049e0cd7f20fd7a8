"""What a discovery found: texts with frequencies and intervals, and the prefixes that led to them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pckv.base.errors import UnknownKey
from pckv.base.html import ROWS_SHOWN, html_paragraphs, html_table
from pckv.base.words import percent, plural, ranged
from pckv.estimators.results import table as column_tables

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# What is not a property of the whole table.
PARTS = ("keys", "tree")


@dataclass(frozen=True)
class FoundKey:
    """A text that was found.

    Attributes:
        key: The text.
        frequency: The share of people who hold it, with its interval, `frequency_low` to `frequency_high`. Of those that
            are only just found, more are too high than too low: others of the same frequency were not found.
        is_cut: Whether it has as many characters as are found, so that people may hold longer texts that begin like it.
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
        frequency: The share of people whose texts begin with it, with its interval, from the reports of one group.
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
class Discovery:
    """The texts that were found, the most frequent ones first.

    A table of one `FoundKey` per text: `found["alien"]` is that of a text, iteration yields all, `len` counts them, and
    `"alien" in found` says whether there is one.

    Attributes:
        task: The id of the task.
        keys: The texts.
        tree: The prefixes that were followed, from the shortest to the longest.
        reports: The number of reports.
        epsilon: The realised ε of a report.
        level: The level of the intervals, each on its own.
        false_discovery_rate: The share of texts that nobody holds among those found, on average, is at most this.
        characters: How many characters of a text are found at most.
        padding: How many texts of somebody a report stands for at most.
        smallest_frequency: The least frequency of a text of that many characters that is found four times out of five
            with so many reports.
    """

    task: str
    keys: tuple[FoundKey, ...]
    tree: tuple[FollowedPrefix, ...]
    reports: int
    epsilon: float
    level: float
    false_discovery_rate: float
    characters: int
    padding: int
    smallest_frequency: float

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[FoundKey]:
        """Yield the texts, the most frequent ones first."""
        return iter(self.keys)

    def __getitem__(self, key: str) -> FoundKey:
        """Return what is known of a text.

        Args:
            key: The text, as it was found.

        Returns:
            Its frequency with its interval.

        Raises:
            UnknownKey: if it was not found; it is a `KeyError`, too.
        """
        try:
            return self._found[key]
        except (KeyError, TypeError):
            raise UnknownKey(f"key {key!r} was not found") from None

    def __contains__(self, key: object) -> bool:
        return key in self._found

    @cached_property
    def _found(self) -> dict[str, FoundKey]:
        return {found.key: found for found in self.keys}

    def top(self, count: int) -> Discovery:
        """Return the most frequent of the texts.

        Args:
            count: How many at most.

        Returns:
            The same discovery with these keys.
        """
        return replace(self, keys=self.keys[:count])

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the result says, in sentences."""
        found = f"{plural(len(self), 'key')} found" if self.keys else "No key was found"
        findable = (
            f"A key of {self.characters} characters that {percent(self.smallest_frequency)} of the people hold is found four "
            "times out of five; shorter ones are found more easily."
            if self.smallest_frequency < 1
            else f"These are too few for a key of {self.characters} characters, even if everybody holds it."
        )
        sentence = f"{found} among {plural(self.reports, 'report')}. {findable}"
        larger = (
            f"A report stands for {plural(self.padding, 'key')} of a person at most. Whoever holds more counts for less, so "
            "that true frequencies may be higher than the intervals say."
        )
        cut = sum(key.is_cut for key in self.keys)
        goes_on = (
            f"{plural(cut, 'key')} may go on: no more than {self.characters} characters are found. Complete such keys before "
            "you measure them: a measurement counts whole keys, written alike, capital letters too."
        )
        return (sentence, larger, goes_on) if cut else (sentence, larger)

    def cells(self) -> list[tuple[str, str, str]]:
        """Return what tables for people say of every key: the frequency, and its interval."""
        return [
            (
                key.key,
                *ranged(100 * key.frequency, 100 * key.frequency_low, 100 * key.frequency_high, " %")[:2],
            )
            for key in self.keys
        ]

    def headers(self) -> tuple[str, str, str]:
        """Return the names of these columns."""
        return "key", "frequency", f"{100 * self.level:.6g} % interval"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return asdict(self) | {"verdict": list(self.verdict)}

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_csv(self) -> str:
        """Return the keys as CSV with a header."""
        return column_tables.to_csv(self.columns(), {})

    def columns(self) -> dict[str, Any]:
        """Return the keys as one sequence per column; those of numbers are arrays, which have types without rows, too."""
        numbers = ("frequency", "frequency_low", "frequency_high")
        return (
            {"key": [found.key for found in self]}
            | {name: np.array([getattr(found, name) for found in self], float) for name in numbers}
            | {"is_cut": np.array([found.is_cut for found in self], bool)}
        )

    def to_arrow(self) -> pa.Table:
        """Return the keys for Arrow, with task, rate and the like in the schema's metadata."""
        return column_tables.to_arrow(self.columns(), self._about())

    def to_pandas(self) -> pd.DataFrame:
        """Return the keys for pandas, with task, rate and the like in `attrs`."""
        return column_tables.to_pandas(self.columns(), self._about())

    def _about(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        about = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in PARTS}
        return about | {"verdict": list(self.verdict)}

    def to_text(self) -> str:
        """Return the keys one per line: a file of keys, as a new task takes it."""
        return "".join(f"{key.key}\n" for key in self.keys)

    def __repr__(self) -> str:
        return f"<Discovery of {plural(len(self), 'key')} in {plural(self.reports, 'report')}>"

    def _repr_html_(self) -> str:
        shown: Sequence[Sequence[str]] = self.top(ROWS_SHOWN).cells()
        table = html_table("Keys found", self.headers(), shown, hidden=len(self) - len(shown), what="keys")
        return table + html_paragraphs(self.verdict)
