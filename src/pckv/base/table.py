"""Results as tables that go both ways: plain values and JSON and back, CSV, Arrow, Parquet, pandas and HTML.

A result is a table with facts about the whole. Records (named tuples and dataclasses) declare what a document holds
once, by the names and types of their fields: text, whole number, number, flag, `| None`, tuples and other records. What
is read is checked against these types, and a refusal is one line that names the place.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property, lru_cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, get_args, get_origin, get_type_hints

from pckv.base.errors import DataError, UnknownKey, require
from pckv.base.html import ROWS_SHOWN, html_paragraphs, html_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# What whole numbers of results are below, as in every file and store.
WHOLE_NUMBER_LIMIT = 2**63
# Plain types, and what a value of each is called.
_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a finite number"}


def _fits(kind: type, value: Any) -> bool:
    """Whether JSON gave a value of a plain type."""
    if kind is float:
        return type(value) in {float, int} and abs(value) <= sys.float_info.max
    if kind is int:
        return type(value) is int and 0 <= value < WHOLE_NUMBER_LIMIT
    return type(value) is kind


class _Field(NamedTuple):
    """The declared type of a record's field, and what it is where a document has no such member."""

    kind: Any
    default: Any


@lru_cache(maxsize=64)
def _fields_of(record: type) -> dict[str, _Field]:
    hints = get_type_hints(record)
    if is_dataclass(record):
        return {each.name: _Field(hints[each.name], each.default) for each in fields(record)}
    names, defaults = record._fields, record._field_defaults  # type: ignore[attr-defined]
    return {name: _Field(hints[name], defaults.get(name, MISSING)) for name in names}


def plain(value: Any) -> Any:
    """Return a record, or a sequence of records, as plain values."""
    if is_dataclass(value) or hasattr(value, "_fields"):
        record: Any = type(value)
        return {name: plain(getattr(value, name)) for name in _fields_of(record)}
    return list(map(plain, value)) if isinstance(value, tuple | list) else value


def read_value(kind: Any, value: Any, place: str = "") -> Any:
    """Return a plain value as an instance of a declared type.

    Args:
        kind: The type: a plain one, a record, a tuple of these, or one of them or None.
        value: What JSON gave.
        place: Where the value stands, for the message.

    Raises:
        DataError: if the value is not of that type.

    >>> read_value(tuple[float, ...], [1, 0.5], "shares")
    (1.0, 0.5)
    >>> read_value(tuple[float, ...], [1, None], "shares")
    Traceback (most recent call last):
        ...
    pckv.base.errors.DataError: shares[1]: not a finite number
    """
    if get_origin(kind) is UnionType:
        [kind] = set(get_args(kind)) - {NoneType}
        return None if value is None else read_value(kind, value, place)
    if get_origin(kind) is tuple:
        return tuple(
            _read_values(get_args(kind)[0], _list(value, place), lambda number: f"{place}[{number}]")
        )
    if kind in _NAMES:
        return _read_values(kind, [value], lambda _: place)[0]
    return kind(**read_members(kind, value, place=place))


def read_members(
    record: type, document: Any, names: Iterable[str] | None = None, place: str = ""
) -> dict[str, Any]:
    """Return members of a document by the types that a record declares for the fields of their names.

    Args:
        record: The record.
        document: What JSON gave; members that the record does not declare are not read.
        names: Which fields are read; by default all.
        place: Where the document stands, for the message.

    Raises:
        DataError: if a member is missing, or is not of its type.
    """
    [members] = _mappings([document], lambda _: place)
    declared = _fields_of(record)
    found = {}
    for name in declared if names is None else names:
        kind, default = declared[name]
        if name not in members and default is MISSING:
            raise DataError(f"no member {name!r}", place=place or None)
        inner = f"{place}.{name}" if place else name
        found[name] = read_value(kind, members[name], inner) if name in members else default
    return found


def read_columns(
    record: type, rows: Any, names: Iterable[str] | None = None, place: str = ""
) -> dict[str, list[Any]]:
    """Return rows as one list per column, by the types that a record of one row declares.

    Args:
        record: The record of a row.
        rows: What JSON gave: a list with one mapping per row.
        names: Which columns are read; by default all.
        place: Where the rows stand, for the message.

    Raises:
        DataError: if a row has no such member, or one of another type.
    """
    members = _mappings(_list(rows, place), lambda number: f"{place}[{number}]")
    declared = _fields_of(record)
    return {
        name: _read_column(members, name, declared[name], place)
        for name in (declared if names is None else names)
    }


def _read_column(rows: Sequence[Mapping[str, Any]], name: str, field: _Field, place: str) -> list[Any]:
    values = [row.get(name, field.default) for row in rows]
    if field.default is MISSING and MISSING in values:
        raise DataError(f"no member {name!r}", place=f"{place}[{values.index(MISSING)}]")
    return _read_values(field.kind, values, lambda number: f"{place}[{number}].{name}")


def _read_values(kind: Any, values: list[Any], place: Callable[[int], str]) -> list[Any]:
    """Return values of one type."""
    if kind not in _NAMES:
        return [read_value(kind, value, place(number)) for number, value in enumerate(values)]
    # Tables have many finite numbers, texts and flags: those are not looked at one by one.
    types = set(map(type, values))
    if types == {float} == {kind} and all(map(math.isfinite, values)):
        return values
    if kind in {float, int} or not types <= {kind}:
        for number, value in enumerate(values):
            if not _fits(kind, value):
                raise DataError(f"not {_NAMES[kind]}", place=place(number) or None)
    return list(map(kind, values))


def _mappings(values: list[Any], place: Callable[[int], str]) -> list[dict[str, Any]]:
    if not set(map(type, values)) <= {dict}:
        wrong = [type(value) is not dict for value in values].index(True)
        raise DataError("not a JSON object", place=place(wrong) or None)
    return values


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError("not a list", place=place or None)
    return value


class ResultTable(ABC):
    """A result: one row per key, or per key and round, with facts about the whole.

    A class declares what it holds and how it is told: `to_dict` and `from_dict`, `table` and `facts`, `title`, `headers`,
    `cells`, `shown` and `verdict`. Here it becomes JSON, CSV, Arrow, Parquet, pandas and HTML.

    Attributes:
        REPEATED: The facts that every row of a CSV file repeats, since spreadsheets open nothing but a table; those that
            a result does not have are left out.
        MISSING: What is said of a key that the table does not have, with a place for it.
    """

    REPEATED: ClassVar[tuple[str, ...]] = ()
    MISSING: ClassVar[str]

    if TYPE_CHECKING:
        # A field of some results, and computed by others.
        @property
        def key(self) -> Sequence[str]:
            """The names of the keys, one per row."""

        @property
        def verdict(self) -> tuple[str, ...]:
            """What the result says, in sentences."""

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
        document: dict[str, Any] = plain(self)
        return document | {"verdict": list(self.verdict)}

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the result that `to_dict` wrote; what follows from other members is not read.

        Args:
            document: The plain values.

        Raises:
            DataError: if a member is missing, is not of its type, or contradicts others; the message names it.
        """
        found: Self = read_value(cls, document)
        return found

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the result that `to_json` wrote.

        Args:
            text: The JSON text.

        Raises:
            DataError: if the text is not JSON, or not that of such a result; the message names the member.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError("not JSON") from None
        return cls.from_dict(document)

    @abstractmethod
    def table(self) -> dict[str, Any]:
        """Return one sequence per column: texts as lists, numbers and flags as arrays, which have types without rows."""

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
    def grey(self) -> list[bool]:
        """Which rows do not stand out from the noise; empty where none is marked so."""
        return []

    def lists(self) -> dict[str, list[Any]]:
        """Return the same columns as plain lists."""
        return {
            name: column if isinstance(column, list) else column.tolist()
            for name, column in self.table().items()
        }

    def to_csv(self) -> str:
        """Return the table as CSV with a header; every row says how it was estimated."""
        columns, facts = self.lists(), self.facts()
        repeated = {name: facts[name] for name in self.REPEATED if name in facts}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow((*columns, *repeated))
        writer.writerows((*row, *repeated.values()) for row in zip(*columns.values(), strict=True))
        return text.getvalue()

    def to_arrow(self) -> pa.Table:
        """Return the table for Arrow, with the facts about the whole in the schema's metadata."""
        arrow = require("pyarrow", extra="files")
        columns = {
            name: arrow.array(column, arrow.string()) if isinstance(column, list) else column
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
        table = html_table(
            self.title, shown.headers(), shown.cells(), grey=shown.grey, hidden=hidden, what="keys"
        )
        return table + html_paragraphs(self.verdict)
