"""The result: for every key a frequency and a mean, each with its interval, and with more levels their shares."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import UnknownKey
from pckv.base.html import ROWS_SHOWN, html_paragraphs, html_table
from pckv.base.limits import REFUSE_BETWEEN, ROUND
from pckv.base.words import plural
from pckv.estimators.results import table as column_tables
from pckv.estimators.results.distributions import DEVIATIONS, Asked, Distributions, ValueSpread, ask
from pckv.estimators.results.key_estimate import COLUMNS, KeyEstimate, answer_cells, key_cells, unlisted_note
from pckv.estimators.sets import SetSummary

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SCALARS = ("task", "mechanism", "reports", "epsilon", "method", "level", "hostile")
# What every row of a CSV file repeats, since spreadsheets open nothing but a table.
REPEATED = ("reports", "epsilon", "method", "level", "hostile")
# So few that other threads need not wait long for their turn.
ROWS_PER_TEXT = 2**8
# What only some tables have: the key that stands for all that are not listed, and the rate of hashed keys.
OPTIONAL = ("other", "false_discovery_rate")


@dataclass(frozen=True, eq=False)
class Estimates(ValueSpread):
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
        detected: Whether the key stands out from the noise, whatever the method: its count is beyond what noise alone
            gives for any key of the task; of hashed keys, beyond what the false discovery rate allows.
        mean_known: False where the interval of a mean spans 95 % of the range or more, or the key is not detected.
        mean_misfit: Whether the data fit no mean of the task's range: the interval runs from the estimate to the end of
            the range that the data point to.
        collides: Of hashed keys, which of them share their number with another one that was asked for: reports do not
            tell them apart.
        distributions: How the holders are spread over the levels; its members are those of the estimates, too.
        asked: What was asked for besides: quantiles, and shares above or below a value.
        other: The name of the key that stands for all that are not listed, whose row is the last one of all keys; None
            where the table has no such row.
        false_discovery_rate: Of hashed keys, the share of keys that nobody holds among those that are `detected`, on
            average, at most; None where keys are listed.
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
    collides: NDArray[np.bool_]
    distributions: Distributions
    asked: tuple[Asked, ...] = ()
    other: str | None = None
    false_discovery_rate: float | None = None

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
        rows = zip(*self._common_columns().values(), strict=True)
        deviations = (getattr(self, name).tolist() for name in DEVIATIONS)
        spread = (
            zip(self.distributions.rows(), *deviations, strict=True)
            if self.level_values
            else repeat(((), None, None, None))
        )
        shared = self.collides.tolist() if self.is_hashed else repeat(None)
        # Only the rows end.
        table = zip(rows, spread, shared, strict=False)
        return (KeyEstimate._make((*row, *more, collides)) for row, more, collides in table)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.key)}

    @property
    def is_hashed(self) -> bool:
        """Whether any text is a key: the table has those that were asked for."""
        return self.false_discovery_rate is not None

    def ask(
        self, quantiles: Sequence[float] = (), above: Sequence[float] = (), below: Sequence[float] = ()
    ) -> Estimates:
        """Return the same table with further columns.

        Args:
            quantiles: The shares of `quantile`.
            above: The values of `share_above`.
            below: The values of `share_below`.

        Returns:
            The table that JSON, files and tables show with these columns.

        Raises:
            ParameterError: as these methods do.
        """
        return replace(self, asked=ask(self.distributions, quantiles, above, below))

    @property
    def hostile_note(self) -> str:
        """What the intervals hold against, in words; empty if all reports are taken to be honest."""
        return f"intervals hold whatever {self.hostile:,} of the reports say" if self.hostile else ""

    @property
    def other_note(self) -> str:
        """How many people hold keys that are not listed, in words; empty where the table has no such row."""
        return "" if self.other is None else unlisted_note(self[self.other])

    def headers(self, interval: str) -> tuple[str, ...]:
        """Return the headers of the table for people.

        Args:
            interval: The header of both intervals.

        Returns:
            One header per column.
        """
        levels = [f"at {name}" for name in self.distributions.names]
        spread = ["deviation", *levels] if levels else []
        asked = (header for each in self.asked for header in (each.title, interval))
        collides = ["collides"] if self.collides.any() else []
        return ("key", "frequency", interval, "mean", interval, *spread, *asked, *collides)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: in percent, rounded, and in words where the reports say nothing."""
        names = dict(zip(self.level_values, self.distributions.names, strict=True))
        asked = [each.cells(names) for each in self.asked]
        some_collide = bool(self.collides.any())
        return [
            (
                *key_cells(row),
                *(cell for cells in asked for cell in answer_cells(cells[number], row)),
                *(["yes" if row.collides else ""] if some_collide else []),
            )
            for number, row in enumerate(self)
        ]

    def top(self, count: int) -> Estimates:
        """Return the keys with the largest estimated frequencies.

        Args:
            count: How many keys; the one that stands for all that are not listed is not counted.

        Returns:
            These rows, the most frequent first, and after them that of all others where the table has it: `top(3)` then
            has four rows.
        """
        order = np.argsort(-self.frequency, kind="stable")
        if self.other is None:
            return self.take(order[:count])
        others = self._rows[self.other]
        return self.take(np.append(order[order != others][:count], others))

    @property
    def listed(self) -> Estimates:
        """The same table without the key that stands for all that are not listed, unless it has no other."""
        if self.other is None or len(self) == 1:
            return self
        return self.take(np.delete(np.arange(len(self)), self._rows[self.other]))

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
            if field.name not in (*SCALARS, *OPTIONAL, "sets", "verdict", "key", "distributions", "asked")
        }
        keys = [self.key[row] for row in rows]
        return replace(
            self,
            key=keys,
            other=self.other if self.other in keys else None,
            distributions=self.distributions.take(rows),
            asked=tuple(each.take(rows) for each in self.asked),
            **columns,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as plain lists, one per column."""
        columns = self._common_columns() | self.distributions.columns()
        for each in self.asked:
            columns |= each.columns()
        return columns | ({"collides": self.collides.tolist()} if self.is_hashed else {})

    def _common_columns(self) -> dict[str, list[Any]]:
        return {
            name: list(getattr(self, name)) if name == "key" else getattr(self, name).tolist()
            for name in COLUMNS
        }

    def to_dict(self) -> dict[str, Any]:
        """Return scalars and rows as plain values."""
        rows = [row.to_dict() for row in self]
        for each in self.asked:
            for row, answer in zip(rows, each.rows(), strict=True):
                row.setdefault(each.member, []).append(answer)
        return self._heading() | {"estimates": rows}

    def _heading(self) -> dict[str, Any]:
        between = {"between": REFUSE_BETWEEN if self.distributions.exact else ROUND}
        return self._about() | (between if self.level_values else {})

    def _about(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        optional = {name: getattr(self, name) for name in self._optional}
        return (
            {name: getattr(self, name) for name in SCALARS}
            | optional
            | {
                "estimand": self.sets.estimand,
                "verdict": list(self.verdict),
                "sizes": self.sets.to_dict(),
            }
        )

    @property
    def _optional(self) -> tuple[str, ...]:
        """The members that only some tables have, those that this one has."""
        return tuple(name for name in OPTIONAL if getattr(self, name) is not None)

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return "".join(self._json_texts())

    def _json_texts(self) -> Iterator[str]:
        """Yield the parts of the text: as plain values, many keys with many levels would take gigabytes."""
        yield json.dumps(self._heading(), ensure_ascii=False)[:-1] + ', "estimates": ['
        for start in range(0, len(self), ROWS_PER_TEXT):
            some = self.take(np.arange(start, min(start + ROWS_PER_TEXT, len(self))))
            rows = json.dumps(some.to_dict()["estimates"], ensure_ascii=False)
            yield (", " if start else "") + rows[1:-1]
        yield "]}"

    def to_csv(self) -> str:
        """Return the table as CSV with a header; every row says how it was estimated, and from how many reports."""
        repeated = {name: getattr(self, name) for name in (*REPEATED, *self._optional)}
        return column_tables.to_csv(self.columns(), repeated)

    def to_arrow(self) -> pa.Table:
        """Return the table for Arrow, with task, method and the like in the schema's metadata."""
        return column_tables.to_arrow(self.columns(), self._about())

    def to_pandas(self) -> pd.DataFrame:
        """Return the table for pandas, with task, method and the like in `attrs`."""
        return column_tables.to_pandas(self.columns(), self._about())

    def __repr__(self) -> str:
        return (
            f"<Estimates of {plural(len(self.listed), 'key')} from {plural(self.reports, 'report')}: {self.mechanism}, "
            f"ε = {self.epsilon:g}, method {self.method}, level {self.level:g}"
            f"{(self.hostile and f', hostile {self.hostile:,}') or ''}"
            f"{(self.level_values and f', {len(self.level_values)} levels') or ''}>"
        )

    def _repr_html_(self) -> str:
        listed = self.listed
        shown = listed.top(ROWS_SHOWN)
        table = html_table(
            repr(self).strip("<>"),
            shown.headers("interval"),
            shown.cells(),
            grey=[not told for told in shown.detected],
            hidden=len(listed) - len(shown),
            what="keys",
        )
        return table + html_paragraphs([f"{self.other_note}."] if self.other else [])
