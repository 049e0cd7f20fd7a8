"""Results as tables: plain values and JSON, both ways, and CSV, Arrow, Parquet, pandas and HTML."""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pckv.base.errors import UnknownKey, require
from pckv.base.html import ROWS_SHOWN, html_paragraphs, html_table
from pckv.base.records import Record, read_value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Where a cell may begin: spreadsheets of many countries split lines at semicolons, whatever stands between the commas.
_SEPARATORS = ";|\t\r\n"
# What a spreadsheet evaluates, and what looks like such a text made harmless: so no two texts become one.
_FORMULA = re.compile(rf"(?:\A|(?<=[{_SEPARATORS}]))(?=[\"']*[=+\-@\t\r])")


class ResultTable(Record, ABC):
    """A result: one row per key, or per key and round, with facts about the whole.

    A class declares what it holds and how it is told: `to_dict` and `from_dict`, `table` and `facts`,
    `title`, `headers`, `cells`, `shown`, `warning` and `verdict`. Here it becomes JSON, CSV, Arrow, Parquet, pandas,
    HTML.

    Attributes:
        REPEATED: The facts that every row of a CSV file repeats, since spreadsheets open nothing but a table;
            those that a result does not have are left out.
        MISSING: What is said of a key that the table does not have, with a place for it.
        NOUN: What rows are about.
        TEXTS: How many columns of the table for people are texts, from the first on.
    """

    REPEATED: ClassVar[tuple[str, ...]] = ()
    MISSING: ClassVar[str]
    NOUN: ClassVar[str] = "keys"
    TEXTS: ClassVar[int] = 1

    if TYPE_CHECKING:
        # A field of some results, and computed by others.
        @property
        def key(self) -> Sequence[str]:
            """The names of the keys, one per row."""

        @property
        def verdict(self) -> tuple[str, ...]:
            """What the result says, in sentences."""

    @property
    def warning(self) -> tuple[str, ...]:
        """What is to be read before the numbers: the first sentences of the verdict; normally none."""
        return ()

    @property
    def conclusion(self) -> tuple[str, ...]:
        """What the result says besides the warning."""
        return self.verdict[len(self.warning) :]

    def __len__(self) -> int:
        return len(self.key)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.key)}

    def row_of(self, key: str) -> int:
        """Return the number of a key's row; a key that the table does not have is an `UnknownKey`."""
        try:
            return self._rows[key]
        except (KeyError, TypeError):
            raise UnknownKey(self.MISSING.format(key)) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return super().to_dict() | {"verdict": list(self.verdict)}

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the result that `to_dict` wrote; what follows from other members is not read.

        A `DataError` names a member that is missing, is not of its type, or contradicts others.
        """
        found: Self = read_value(cls, document)
        return found

    @abstractmethod
    def table(self) -> dict[str, Any]:
        """Return one sequence per column: texts as lists, others as arrays, which are typed without rows."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What stands above the table for people: where its numbers come from."""

    @abstractmethod
    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""

    @abstractmethod
    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: rounded, and in words where the reports say nothing."""

    @abstractmethod
    def shown(self, count: int) -> tuple[Self, int]:
        """Return the rows that are shown first, at most `count`, and how many others there are."""

    @property
    def less_important(self) -> Sequence[int]:
        """The numbers of columns that are left out first where there is no room for all, before those to the right."""
        return ()

    @property
    def grey(self) -> list[bool]:
        """Which rows do not stand out from the noise; empty where none is marked so."""
        return []

    def lists(self) -> dict[str, list[Any]]:
        """Return the same columns as plain lists, with None for what a row does not have."""
        return {name: _listed(column) for name, column in self.table().items()}

    def to_csv(self) -> str:
        """Return the table as CSV with a header; every row says how it was estimated."""
        columns, facts = self.lists(), self.facts()
        repeated = {name: facts[name] for name in self.REPEATED if name in facts}
        told = [" ".join(fact) if isinstance(fact, list) else fact for fact in repeated.values()]
        rows = ((*row, *told) for row in zip(*columns.values(), strict=True))
        return csv_text(chain([(*columns, *repeated)], rows))

    def to_arrow(self) -> pa.Table:
        """Return the table for Arrow, with the facts about the whole in the schema's metadata."""
        arrow = require("pyarrow", extra="files")
        columns = {
            name: arrow.array(column, arrow.string() if isinstance(column, list) else None, from_pandas=True)
            for name, column in self.table().items()
        }
        facts = {
            f"pckv.{name}": fact if isinstance(fact, str) else json.dumps(fact, ensure_ascii=False)
            for name, fact in self.facts().items()
        }
        return arrow.table(columns).replace_schema_metadata(facts)

    def to_parquet(self) -> bytes:
        """Return the same as a Parquet file."""
        file = io.BytesIO()
        require("pyarrow.parquet", extra="files").write_table(self.to_arrow(), file)
        return file.getvalue()

    def to_pandas(self) -> pd.DataFrame:
        """Return the table for pandas, with the facts about the whole in `attrs`."""
        frame: pd.DataFrame = require("pandas", extra="pandas").DataFrame(self.table())
        frame.attrs.update(self.facts())
        return frame

    def _repr_html_(self) -> str:
        shown, hidden = self.shown(ROWS_SHOWN)
        table = html_table(self.title, shown.headers(), shown.cells(), grey=shown.grey, hidden=hidden, what=self.NOUN)
        return html_paragraphs(self.warning) + table + html_paragraphs(self.conclusion)


class _Lines(io.StringIO):
    """Lines of a CSV file; its writer quotes what has one of the characters that lines end with for it."""

    def write(self, line: str) -> int:
        return super().write(f"{line.removesuffix(_SEPARATORS)}\n")


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as a CSV file, of which a spreadsheet evaluates nothing."""
    lines = _Lines()
    csv.writer(lines, lineterminator=_SEPARATORS).writerows(map(plain_cell, row) for row in rows)
    return lines.getvalue()


def plain_cell(value: Any) -> Any:
    """Return a cell of a CSV file, of which a spreadsheet evaluates nothing: participants choose texts.

    An apostrophe stands before what would be taken for a formula, at the beginning and after what may separate cells;
    also where apostrophes or quotation marks come first: taking one away there gives every text back.
    """
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


def _listed(column: Any) -> list[Any]:
    """Return a column as a list; a number that is none, in columns that not all rows have, becomes None."""
    if isinstance(column, list):
        return column
    values: list[Any] = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values  # noqa: PLR0124
