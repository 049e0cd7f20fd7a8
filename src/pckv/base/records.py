"""Frozen dataclasses of plain values as dictionaries and JSON, and back."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from pckv.base.errors import DataError

T = TypeVar("T")


class Record:
    """A dataclass that is written to JSON and read back: `from_json(record.to_json()) == record`.

    Fields are numbers, texts, other dataclasses, tuples and dictionaries of these, or None. A field that may
    be left out and is None is not written.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, under the names of its fields."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` wrote as `plain`; a `DataError` names the member that is wrong."""
        return from_plain(cls, plain)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the record that `to_json` wrote as `text`; a `DataError` says what is wrong."""
        try:
            plain = json.loads(text)
        except ValueError as error:
            raise DataError(f"not JSON: {error}") from None
        return cls.from_dict(plain)


def to_plain(value: Any) -> Any:
    """Return a value with dataclasses as dictionaries and tuples as lists."""
    if is_dataclass(value):
        members = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: to_plain(member)
            for field, member in members
            if member is not None or field.default is not None
        }
    if isinstance(value, dict):
        return {name: to_plain(member) for name, member in value.items()}
    return [to_plain(member) for member in value] if isinstance(value, tuple | list) else value


def from_plain(kind: type[T], plain: Any, what: str = "") -> T:
    """Return a dataclass from its dictionary; `what` is the member that it was found in."""
    place = what or kind.__name__
    if not isinstance(plain, Mapping):
        raise DataError(f"{place} must be an object")
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    if unknown := sorted(set(plain) - set(known)):
        raise DataError(f"{place} has no member {unknown[0]!r}")
    # A field without a default must be there; one with a default may be left out.
    if missing := [name for name, field in known.items() if field.default is not None and name not in plain]:
        raise DataError(f"{place} needs the member {missing[0]!r}")
    hints = get_type_hints(kind)
    return kind(
        **{
            name: _read(hints[name], value, f"{what}.{name}" if what else name)
            for name, value in plain.items()
        }
    )


def _read(hint: Any, plain: Any, what: str) -> Any:
    """Return a plain value as what a type hint says."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _read_any(arguments, plain, what)
    if origin is tuple and isinstance(plain, list | tuple):
        return _read_tuple(arguments, plain, what)
    if origin is dict and isinstance(plain, Mapping):
        return {name: _read(arguments[1], member, f"{what}.{name}") for name, member in plain.items()}
    if is_dataclass(hint):
        return from_plain(hint, plain, what)  # type: ignore[arg-type]
    is_number = hint is float and type(plain) is int
    if not (is_number or type(plain) is hint or (origin is Literal and plain in arguments)):
        raise DataError(f"{what}: {plain!r} is not of the kind that is expected")
    return float(plain) if is_number else plain


def _read_tuple(kinds: tuple[Any, ...], plain: Sequence[Any], what: str) -> tuple[Any, ...]:
    """Return a list as a tuple of as many members as its type hint has, or of any number of one kind."""
    each = kinds[:1] * len(plain) if kinds[-1] is Ellipsis else kinds
    if len(each) != len(plain):
        raise DataError(f"{what} must have {len(each)} members")
    return tuple(
        _read(kind, member, f"{what}[{n}]") for n, (kind, member) in enumerate(zip(each, plain, strict=True))
    )


def _read_any(kinds: tuple[Any, ...], plain: Any, what: str) -> Any:
    """Return a plain value as the first of several kinds that it can be; the problem is that of the first."""
    if plain is None and type(None) in kinds:
        return None
    problems = []
    for kind in kinds:
        try:
            return _read(kind, plain, what)
        except DataError as error:
            problems.append(error)
    raise problems[0]
