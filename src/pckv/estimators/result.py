"""The result: for every key a frequency and a mean, each with its interval."""

from __future__ import annotations

import csv
import html
import io
import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Floats
from pckv.errors import require
from pckv.estimators.set_sizes import SetSummary
from pckv.texts import TOO_RARE

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


COLUMNS = (
    "key",
    "frequency",
    "frequency_low",
    "frequency_high",
    "mean",
    "mean_low",
    "mean_high",
    "mean_known",
    "detected",
)
SCALARS = ("task", "mechanism", "reports", "epsilon", "method", "level", "hostile")
# What every row of a CSV file repeats, since spreadsheets open nothing but a table.
REPEATED = ("reports", "epsilon", "method", "level", "hostile")
ROWS_SHOWN = 20
# What tables for people say instead of a mean that may be anywhere in its range.
UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class Estimates:
    """Frequencies and means (in the task's own units) with intervals, never bare.

    `verdict` says in words what they tell, over all keys that were estimated; `sets` what is known of people who hold
    more pairs than the padding. `detected` marks the keys that stand out from the noise: their counts are beyond what noise
    alone gives for any key of the task, whatever the method. `mean_known` is false where the interval of a mean spans
    95 % of the range or more. `mean_misfit` marks the keys whose data fit no mean of the task's range: their interval runs from
    the estimate to the end of the range that the data point to. If `hostile` is above 0, intervals, `detected` and `sets` are
    those of the honest participants, and hold whatever this number of the reports say.
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

    @property
    def hostile_note(self) -> str:
        """What the intervals hold against, in words; empty if all reports are taken to be honest."""
        return f"intervals hold whatever {self.hostile:,} of the reports say" if self.hostile else ""

    def headers(self, interval: str) -> tuple[str, ...]:
        """Return the headers of the table for people.

        Args:
            interval: The header of both intervals; marks need none.

        Returns:
            One header per column.
        """
        return ("key", "frequency", interval, "mean", interval, "")

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: rounded, and marked where the reports say nothing."""
        rows = zip(*self.columns().values(), strict=True)
        return [
            (
                key,
                f"{frequency:.4f}",
                f"{low:.4f} – {high:.4f}",
                f"{mean:.3f}" if known else UNKNOWN,
                f"{mean_low:.3f} – {mean_high:.3f}",
                "" if is_detected else TOO_RARE,
            )
            for key, frequency, low, high, mean, mean_low, mean_high, known, is_detected in rows
        ]

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
        columns = self.columns()
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return self._about() | {"estimates": rows}

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
            f"<Estimates of {len(self):,} keys from {self.reports:,} reports: {self.mechanism}, "
            f"ε = {self.epsilon:g}, method {self.method}, level {self.level:g}"
            f"{(self.hostile and f', hostile {self.hostile:,}') or ''}>"
        )

    def _repr_html_(self) -> str:
        shown = self.top(ROWS_SHOWN)
        head = "".join(f"<th>{name}</th>" for name in self.headers("interval"))
        body = "".join(
            _html_row(cells, grey=not told) for cells, told in zip(shown.cells(), shown.detected, strict=True)
        )
        caption = html.escape(repr(self).strip("<>"))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _html_row(cells: tuple[str, ...], *, grey: bool) -> str:
    style = ' style="color: #767676"' if grey else ""
    return f"<tr{style}>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"
