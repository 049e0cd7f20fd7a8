"""The result: for every key a frequency and a mean, each with its interval, and with more levels their shares."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Floats
from pckv.errors import UnknownKey, require
from pckv.estimators.asked import Asked, ask
from pckv.estimators.distributions import DEVIATIONS, Distributions, Quantiles, Shares
from pckv.estimators.key_estimate import COLUMNS, KeyEstimate, answer_cells, key_cells
from pckv.estimators.set_sizes import SetSummary
from pckv.html_table import ROWS_SHOWN, html_table
from pckv.limits import REFUSE_BETWEEN, ROUND
from pckv.texts import plural

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SCALARS = ("task", "mechanism", "reports", "epsilon", "method", "level", "hostile")
# What every row of a CSV file repeats, since spreadsheets open nothing but a table.
REPEATED = ("reports", "epsilon", "method", "level", "hostile")
# So few that other threads need not wait long for their turn.
ROWS_PER_TEXT = 2**8


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
        distributions: How the holders are spread over the levels; its members are those of the estimates, too.
        asked: What was asked for besides: quantiles, and shares above or below a value.
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
    distributions: Distributions
    asked: tuple[Asked, ...] = ()

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
        if not self.level_values:
            return starmap(KeyEstimate, rows)
        deviations = (getattr(self, name).tolist() for name in DEVIATIONS)
        spread = zip(self.distributions.rows(), *deviations, strict=True)
        return (KeyEstimate(*row, *more) for row, more in zip(rows, spread, strict=True))

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.key)}

    @property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units; empty where there are two."""
        return self.distributions.values  # noqa: PD011

    @property
    def shares(self) -> Floats:
        """The share of the holders at every level, one row per key; no column where the task has two levels."""
        return self.distributions.shares

    @property
    def shares_low(self) -> Floats:
        """The lower limits of the shares."""
        return self.distributions.shares_low

    @property
    def shares_high(self) -> Floats:
        """The upper limits of the shares."""
        return self.distributions.shares_high

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the values of every key; empty where the task has two levels.

        Values that were rounded to levels at random vary more than they did before; the lower limits allow for that.
        """
        return self.distributions.deviation

    @property
    def deviation_low(self) -> Floats:
        """The lower limits of the standard deviations."""
        return self.distributions.deviation_low

    @property
    def deviation_high(self) -> Floats:
        """The upper limits of the standard deviations."""
        return self.distributions.deviation_high

    def quantile(self, p: float) -> Quantiles:
        """Return a quantile of every key's values: the least value that this share of the holders do not exceed.

        Where the task refuses values between its levels, it is a level. Otherwise values between two levels are taken
        to be spread evenly there, and the interval holds however they are spread.

        Args:
            p: The share, such as 0.5 for the median.

        Returns:
            The quantile of every key with its interval, in the task's own units.

        Raises:
            ParameterError: if the share is not between 0 and 1, or the task has two levels.
        """
        return self.distributions.quantile(p)

    def share_above(self, value: float) -> Shares:
        """Return the share of every key's holders at levels above a value.

        Args:
            value: A level, or any value of the range where the task refuses values between its levels.

        Returns:
            The share of every key with its interval.

        Raises:
            ParameterError: if the value is none of these, or the task has two levels.
        """
        return self.distributions.share_above(value)

    def share_below(self, value: float) -> Shares:
        """Return the share of every key's holders at levels below a value.

        Args:
            value: A level, or any value of the range where the task refuses values between its levels.

        Returns:
            The share of every key with its interval.

        Raises:
            ParameterError: if the value is none of these, or the task has two levels.
        """
        return self.distributions.share_below(value)

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
        return ("key", "frequency", interval, "mean", interval, *spread, *asked)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: in percent, rounded, and in words where the reports say nothing."""
        names = dict(zip(self.level_values, self.distributions.names, strict=True))
        asked = [each.cells(names) for each in self.asked]
        return [
            (*key_cells(row), *(cell for cells in asked for cell in answer_cells(cells[number], row)))
            for number, row in enumerate(self)
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
            if field.name not in (*SCALARS, "sets", "verdict", "key", "distributions", "asked")
        }
        return replace(
            self,
            key=[self.key[row] for row in rows],
            distributions=self.distributions.take(rows),
            asked=tuple(each.take(rows) for each in self.asked),
            **columns,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as plain lists, one per column."""
        columns = self._common_columns() | self.distributions.columns()
        for each in self.asked:
            columns |= each.columns()
        return columns

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
        return {name: getattr(self, name) for name in SCALARS} | {
            "estimand": self.sets.estimand,
            "verdict": list(self.verdict),
            "sizes": self.sets.to_dict(),
        }

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
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns, repeated = self.columns(), tuple(getattr(self, name) for name in REPEATED)
        writer.writerow((*columns, *REPEATED))
        writer.writerows((*row, *repeated) for row in zip(*columns.values(), strict=True))
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
            f"{(self.hostile and f', hostile {self.hostile:,}') or ''}"
            f"{(self.level_values and f', {len(self.level_values)} levels') or ''}>"
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


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
