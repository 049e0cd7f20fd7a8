"""The result: for every key a frequency and a mean, each with its interval."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Floats
from pckv.errors import UnknownKey, require
from pckv.estimators.set_sizes import SetSummary
from pckv.html_table import ROWS_SHOWN, html_table
from pckv.texts import TOO_RARE, plural, ranged

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SCALARS = ("task", "mechanism", "reports", "epsilon", "method", "level", "hostile")
# What every row of a CSV file repeats, since spreadsheets open nothing but a table.
REPEATED = ("reports", "epsilon", "method", "level", "hostile")
# What tables for people say instead of a mean that may be anywhere in its range.
UNKNOWN = "unknown"


class KeyEstimate(NamedTuple):
    """What is known of one key: a row of the table, in plain numbers.

    Attributes:
        key: The name of the key.
        frequency: The share of people who hold the key, with its interval `frequency_low` to `frequency_high`.
        mean: The mean value that they give it, in the task's own units, with its interval `mean_low` to `mean_high`.
        mean_known: False where the interval of the mean spans 95 % of the range or more.
        detected: Whether the key stands out from the noise.
    """

    key: str
    frequency: float
    frequency_low: float
    frequency_high: float
    mean: float
    mean_low: float
    mean_high: float
    mean_known: bool
    detected: bool


COLUMNS = KeyEstimate._fields


@dataclass(frozen=True, eq=False)
class Estimates:
    """Frequencies and means (in the task's own units) with intervals, never bare.

    A table of one `KeyEstimate` per key: `estimates["alien"]` is that of a key, iteration yields all, `len` counts them,
    and `"alien" in estimates` says whether there is one.

    Attributes:
        task: The id of the task, and `mechanism` that of its reports.
        reports: How many reports were counted.
        epsilon: The realised ε of a report, rounded up.
        method: What estimated them, with its postprocessing.
        level: The level of all intervals.
        hostile: How many reports may say anything: intervals, `detected` and `sets` are those of the honest
            participants, and hold whatever this number of the reports say.
        sets: What is known of people who hold more pairs than the padding.
        verdict: What the estimates tell, in words, over all keys that were estimated.
        key: The names of the keys; every member below has one entry per key.
        frequency: The share of people who hold the key, with its interval `frequency_low` to `frequency_high`.
        mean: The mean value that they give it, with its interval `mean_low` to `mean_high`.
        detected: Whether the key stands out from the noise: its count is beyond what noise alone gives for any key of
            the task, whatever the method.
        mean_known: False where the interval of a mean spans 95 % of the range or more.
        mean_misfit: Whether the data fit no mean of the task's range: the interval runs from the estimate to the end of
            the range that the data point to.
    """

    task: str
    mechanism: str
    reports: int
    epsilon: float
    method: str
    level: float
    hostile: int
    sets: SetSummary
    verdict: tuple[str, ...]
    key: list[str]
    frequency: Floats
    frequency_low: Floats
    frequency_high: Floats
    mean: Floats
    mean_low: Floats
    mean_high: Floats
    detected: NDArray[np.bool_]
    mean_known: NDArray[np.bool_]
    mean_misfit: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.key)

    def __getitem__(self, key: str) -> KeyEstimate:
        """Return what is known of a key.

        Args:
            key: The name of the key.

        Returns:
            Its frequency and mean with their intervals.

        Raises:
            UnknownKey: if the table has no such key; it is a `KeyError`, too.
        """
        try:
            row = self._rows[key]
        except (KeyError, TypeError):
            raise UnknownKey(f"there is no estimate of key {key!r}") from None
        return next(iter(self.take(np.array([row]))))

    def __iter__(self) -> Iterator[KeyEstimate]:
        """Yield what is known of every key, in the order of the table."""
        return map(KeyEstimate._make, zip(*self.columns().values(), strict=True))

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.key)}

    @property
    def hostile_note(self) -> str:
        """What the intervals hold against, in words; empty if all reports are taken to be honest."""
        return f"intervals hold whatever {self.hostile:,} of the reports say" if self.hostile else ""

    def headers(self, interval: str) -> tuple[str, ...]:
        """Return the headers of the table for people.

        Args:
            interval: The header of both intervals.

        Returns:
            One header per column.
        """
        return ("key", "frequency", interval, "mean", interval)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: in percent, rounded, and in words where the reports say nothing."""
        return [_cells(row) for row in self]

    def top(self, count: int) -> Estimates:
        """Return the keys with the largest estimated frequencies.

        Args:
            count: How many keys.

        Returns:
            These rows, the most frequent first.
        """
        return self.take(np.argsort(-self.frequency, kind="stable")[:count])

    def take(self, rows: NDArray[np.int64]) -> Estimates:
        """Return some rows of the table.

        Args:
            rows: Numbers of rows, from 0.

        Returns:
            These rows, in the order given.
        """
        columns = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in (*SCALARS, "sets", "verdict", "key")
        }
        return replace(self, key=[self.key[row] for row in rows], **columns)

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as plain lists, one per column."""
        return {
            name: list(getattr(self, name)) if name == "key" else getattr(self, name).tolist()
            for name in COLUMNS
        }

    def to_dict(self) -> dict[str, Any]:
        """Return scalars and rows as plain values."""
        return self._about() | {"estimates": [row._asdict() for row in self]}

    def _about(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        return {name: getattr(self, name) for name in SCALARS} | {
            "estimand": self.sets.estimand,
            "verdict": list(self.verdict),
            "sizes": self.sets.to_dict(),
        }

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_csv(self) -> str:
        """Return the table as CSV with a header; every row says how it was estimated, and from how many reports."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS + REPEATED)
        repeated = tuple(getattr(self, name) for name in REPEATED)
        writer.writerows((*row, *repeated) for row in zip(*self.columns().values(), strict=True))
        return text.getvalue()

    def to_arrow(self) -> pa.Table:
        """Return the table for Arrow, with task, method and the like in the schema's metadata."""
        arrow = require("pyarrow", extra="files")
        about = {f"pckv.{name}": _as_text(value) for name, value in self._about().items()}
        return arrow.table(self.columns()).replace_schema_metadata(about)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table for pandas, with task, method and the like in `attrs`."""
        frame: pd.DataFrame = require("pandas", extra="pandas").DataFrame(self.columns())
        frame.attrs.update(self._about())
        return frame

    def __repr__(self) -> str:
        return (
            f"<Estimates of {len(self):,} keys from {plural(self.reports, 'report')}: {self.mechanism}, "
            f"ε = {self.epsilon:g}, method {self.method}, level {self.level:g}"
            f"{(self.hostile and f', hostile {self.hostile:,}') or ''}>"
        )

    def _repr_html_(self) -> str:
        shown = self.top(ROWS_SHOWN)
        return html_table(
            repr(self).strip("<>"),
            self.headers("interval"),
            shown.cells(),
            grey=[not told for told in shown.detected],
            hidden=len(self) - len(shown),
            what="keys",
        )


def _cells(row: KeyEstimate) -> tuple[str, ...]:
    """Return what a table for people says of a key; perhaps nobody holds one that is too rare to tell."""
    share = ranged(100 * row.frequency, 100 * row.frequency_low, 100 * row.frequency_high, " %")
    mean = ranged(row.mean, row.mean_low, row.mean_high)
    known = row.detected and row.mean_known
    shown = (share.value, share.range) if row.detected else (TOO_RARE, share.most)
    return (row.key, *shown, mean.value if known else UNKNOWN, mean.range)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
