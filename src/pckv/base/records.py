"""Records as plain values and JSON, and back.

Records are dataclasses and named tuples. The names and types of their fields declare what a document holds:
texts, flags, whole numbers, numbers, one of some texts, None, other records, tuples and dictionaries of
these, and unions. What is read is checked against these types; a refusal is one line that names the place.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Self, Union, get_args, get_origin, get_type_hints

from pckv.base.errors import DataError

# Whole numbers are below this, as in every file and store.
WHOLE_NUMBER_LIMIT = 2**63
# Whole numbers that may be larger are declared as this.
AnySize = Annotated[int, "of any size"]
# Plain types, and what a value of each is called.
_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    AnySize: "a whole number",
    float: "a finite number",
}


class Record:
    """A dataclass that is written to JSON and read back: `from_json(record.to_json()) == record`.

    A field that is None, and by default so, is not written.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, under the names of its fields."""
        document: dict[str, Any] = plain(self)
        return document

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the record that `to_dict` wrote; a `DataError` names what is missing, unknown or of another type."""
        found: Self = read_value(cls, document, exact=True)
        return found

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the record that `to_json` wrote; a `DataError` says what of the `text` is not that of one."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError("not JSON") from None
        return cls.from_dict(document)


class _Field(NamedTuple):
    """The declared type of a record's field, and what it is where a document has no such member."""

    kind: Any
    default: Any


@cache
def _fields_of(record: type) -> dict[str, _Field]:
    hints = get_type_hints(record, include_extras=True)
    if is_dataclass(record):
        return {each.name: _Field(hints[each.name], each.default) for each in fields(record)}
    names, defaults = record._fields, record._field_defaults  # type: ignore[attr-defined]
    return {name: _Field(hints[name], defaults.get(name, MISSING)) for name in names}


def plain(value: Any) -> Any:
    """Return records, tuples and dictionaries as plain values."""
    if is_dataclass(value) or hasattr(value, "_fields"):
        record: Any = type(value)
        members = ((name, getattr(value, name), field.default) for name, field in _fields_of(record).items())
        return {name: plain(member) for name, member, default in members if member is not None or default is not None}
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return list(map(plain, value)) if isinstance(value, tuple | list) else value


def read_value(kind: Any, value: Any, place: str = "", *, exact: bool = False) -> Any:
    """Return a plain value as an instance of a declared type, or raise a `DataError` that names its place.

    With `exact`, members that a record does not declare are refused, instead of not read.

    >>> read_value(tuple[float, ...], [1, 0.5], "shares")
    (1.0, 0.5)
    >>> read_value(tuple[float, ...], [1, None], "shares")
    Traceback (most recent call last):
        ...
    pckv.base.errors.DataError: shares[1]: not a finite number
    """
    origin, kinds = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _read_union(kinds, value, place, exact=exact)
    if origin is Literal:
        if value not in kinds:
            raise DataError(f"not {' or '.join(map(repr, kinds))}", place=place or None)
        return value
    if origin is tuple:
        return _read_tuple(kinds, _list(value, place), place, exact=exact)
    if origin is dict:
        [members] = _mappings([value], lambda _: place)
        return {name: read_value(kinds[1], each, f"{place}.{name}", exact=exact) for name, each in members.items()}
    if kind in _NAMES:
        return _read_values(kind, [value], lambda _: place)[0]
    return kind(**read_members(kind, value, place=place, exact=exact))


def read_members(
    record: type, document: Any, names: Iterable[str] | None = None, place: str = "", *, exact: bool = False
) -> dict[str, Any]:
    """Return members of a document by the types that a record declares for the fields of their `names`.

    By default all fields are read. A missing member is a `DataError`; `exact` is that of `read_value`.
    """
    [members] = _mappings([document], lambda _: place)
    declared = _fields_of(record)
    if exact and (unknown := [name for name in members if name not in declared]):
        raise DataError(f"unknown member {unknown[0]!r}", place=place or None)
    found = {}
    for name in declared if names is None else names:
        kind, default = declared[name]
        if name not in members and default is MISSING:
            raise DataError(f"no member {name!r}", place=place or None)
        inner = f"{place}.{name}" if place else name
        found[name] = read_value(kind, members[name], inner, exact=exact) if name in members else default
    return found


def read_columns(record: type, rows: Any, names: Iterable[str] | None = None, place: str = "") -> dict[str, list[Any]]:
    """Return a list of mappings as one list per column, by the types that a record of one row declares.

    By default all columns are read. A row without such a member, or with one of another type, is a `DataError`.
    """
    members = _mappings(_list(rows, place), lambda number: f"{place}[{number}]")
    declared = _fields_of(record)
    return {name: _read_column(members, name, declared[name], place) for name in (declared if names is None else names)}


def _read_column(rows: Sequence[Mapping[str, Any]], name: str, field: _Field, place: str) -> list[Any]:
    values = [row.get(name, field.default) for row in rows]
    if field.default is MISSING and MISSING in values:
        raise DataError(f"no member {name!r}", place=f"{place}[{values.index(MISSING)}]")
    return _read_values(field.kind, values, lambda number: f"{place}[{number}].{name}")


def _read_union(kinds: tuple[Any, ...], value: Any, place: str, *, exact: bool) -> Any:
    """Return a value of the first of several types that it fits; the refusal is that of the first."""
    if value is None and NoneType in kinds:
        return None
    refusals = []
    for kind in kinds:
        if kind is NoneType:
            continue
        try:
            return read_value(kind, value, place, exact=exact)
        except DataError as error:
            refusals.append(error)
    raise refusals[0]


def _read_tuple(kinds: tuple[Any, ...], values: list[Any], place: str, *, exact: bool) -> tuple[Any, ...]:
    """Return as many values as a tuple declares, or any number of values of one type."""
    if kinds[-1] is Ellipsis:
        return tuple(_read_values(kinds[0], values, lambda number: f"{place}[{number}]", exact=exact))
    if len(values) != len(kinds):
        raise DataError(f"not {len(kinds)} values", place=place or None)
    return tuple(
        read_value(kind, value, f"{place}[{number}]", exact=exact)
        for number, (kind, value) in enumerate(zip(kinds, values, strict=True))
    )


def _read_values(kind: Any, values: list[Any], place: Callable[[int], str], *, exact: bool = False) -> list[Any]:
    """Return values of one type."""
    if kind not in _NAMES:
        return [read_value(kind, value, place(number), exact=exact) for number, value in enumerate(values)]
    # Tables have many finite numbers, texts and flags: those are not looked at one by one.
    types = set(map(type, values))
    if types == {float} == {kind} and all(map(math.isfinite, values)):
        return values
    if kind in {str, bool} and types <= {kind}:
        return values
    for number, value in enumerate(values):
        if not _fits(kind, value):
            raise DataError(f"not {_NAMES[kind]}", place=place(number) or None)
    return list(map(float, values)) if kind is float else values


def _fits(kind: Any, value: Any) -> bool:
    """Whether JSON gave a value of a plain type."""
    if kind is float:
        return type(value) in {float, int} and abs(value) <= sys.float_info.max
    if kind in {int, AnySize}:
        return type(value) is int and value >= 0 and (value < WHOLE_NUMBER_LIMIT or kind == AnySize)
    return type(value) is kind


def _mappings(values: list[Any], place: Callable[[int], str]) -> list[dict[str, Any]]:
    if not set(map(type, values)) <= {dict}:
        wrong = [type(value) is not dict for value in values].index(True)
        raise DataError("not a JSON object", place=place(wrong) or None)
    return values


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError("not a list", place=place or None)
    return value
