"""Tables of a result that has several: columns of equal length, read and written by the type of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

import numpy as np

from pckv.base.arrays import Flags, Integers
from pckv.base.records import read_columns
from pckv.base.words import percent, plural
from pckv.contract.facts import realised_text
from pckv.estimators.results.workbooks import CountedReports, PeopleTable

# The declared types of columns that are arrays; others are lists of texts.
NUMBERS = (bool, float, float | None)


class Origin(NamedTuple):
    """What the tables of one result have in common: the members of the same names of `Estimates`.

    The method is without postprocessing, which is of frequencies over all people alone.
    """

    task: str
    mechanism: str
    reports: int
    epsilon: float
    method: str
    level: float
    hostile: int
    mixed: str | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Origin:
        """Return the origin of tables that belong to estimates with these facts."""
        found = cls(**{name: facts[name] for name in cls._fields if name in facts})
        return found._replace(method=found.method.split("+")[0])

    @property
    def noise(self) -> str:
        """What things stand out from, in words."""
        return "the noise" + (f", whatever {self.hostile:,} of the reports say" if self.hostile else "")

    @property
    def title(self) -> str:
        """Where numbers come from, in words."""
        realised = realised_text(self.epsilon, self.mixed)
        told = f"{plural(self.reports, 'report')}, {self.mechanism}, {realised}, method {self.method}"
        return told + (f", intervals hold whatever {self.hostile:,} of the reports say" if self.hostile else "")


@dataclass(frozen=True, eq=False)
class ColumnTable(PeopleTable):
    """A table whose columns are fields of the names that the type of a row, `ROW`, has.

    Attributes:
        origin: What the rows were estimated from, and how.
        ROW: The type of a row: a named tuple.
        MAYBE: Columns that some tables do not have: these are None.
    """

    REPEATED: ClassVar[tuple[str, ...]] = Origin._fields[2:]
    ROW: ClassVar[Any]
    MAYBE: ClassVar[tuple[str, ...]] = ()

    origin: Origin

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name in self.ROW._fields if getattr(self, name) is not None)

    def __iter__(self) -> Iterator[Any]:
        columns = self.lists()
        return (self.ROW(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))

    def _columns(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.names]

    def table(self) -> dict[str, Any]:
        """Return one sequence per column."""
        return dict(self._columns())

    @property
    def counted(self) -> CountedReports:
        """The reports that the table was computed from."""
        return CountedReports(self.origin.reports, self.origin.epsilon, self.origin.level)

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        return {name: fact for name, fact in self.origin._asdict().items() if fact is not None}

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain values."""
        columns = self.lists()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts and the rows as plain values."""
        return self.facts() | {"rows": self.rows()}

    @classmethod
    def read_rows(cls, rows: Any, place: str) -> dict[str, Any]:
        """Return columns from the rows that `rows` gave, or raise a `DataError` that names the place."""
        has_all = not rows or not isinstance(rows, list) or not cls.MAYBE or cls.MAYBE[0] in rows[0]
        names = [name for name in cls.ROW._fields if has_all or name not in cls.MAYBE]
        found = read_columns(cls.ROW, rows, names, place)
        # Evaluated: a named tuple keeps texts of types as references.
        hints = get_type_hints(cls.ROW)
        columns: dict[str, Any] = dict.fromkeys(cls.ROW._fields)
        for name, column in found.items():
            kind = np.bool_ if hints[name] is bool else np.float64
            columns[name] = np.array(column, kind) if hints[name] in NUMBERS else column
        return columns

    def take(self, rows: Integers | Flags) -> Self:
        """Return some rows, by their numbers from 0 or by a flag each."""
        numbers = np.arange(len(self))[rows]
        taken: dict[str, Any] = {
            name: [column[row] for row in numbers] if isinstance(column, list) else column[numbers]
            for name, column in self._columns()
        }
        return replace(self, **taken)

    @property
    def interval_header(self) -> str:
        """What stands above the intervals."""
        return f"{100 * self.origin.level:.6g} % interval"

    @property
    def title(self) -> str:
        """What stands above the table for people."""
        return self.origin.title

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the table says, in sentences: those stand with the whole result."""
        return ()


def tested_note(tested: int, rate: float) -> str:
    """Return among how many something was found, and what a false discovery rate means, in words."""
    return f"of {tested:,} tested (at most {percent(rate)} of such flags are false, on average)"
