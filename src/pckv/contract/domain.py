"""What a task asks about: its keys, and the values that they may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar
from unicodedata import normalize

from pckv.base.canonical import check_name, decimal_text, distinct_names, is_decimal_text
from pckv.base.errors import PairsError, ParameterError
from pckv.base.levels import Levels, checked_levels, level_count, level_values
from pckv.base.limits import (
    BETWEEN,
    DISCOVERY,
    HASHED,
    MAX_ITEMS,
    MAX_KEYS,
    ONE_LEVEL,
    PAIRS,
    REFUSE_BETWEEN,
    ROUND,
    Numeric,
    check_choice,
)
from pckv.contract.members import read_decimal
from pckv.mechanisms.discovery.prefix_tree import PrefixTree, read_prefix_tree

# The names of keys, how many numbered ones there are, `hashed`, or of a discovery the tree of all texts.
Keys = tuple[str, ...] | int | str | PrefixTree


@dataclass(frozen=True)
class Values:
    """The values that a key may have: a range, the levels to report, and what becomes of values between them.

    The ends and named levels are decimal texts, exactly as the task's JSON has them.
    """

    low: str
    high: str
    levels: Levels
    between: str

    MEMBERS: ClassVar = ("between", "high", "levels", "low")

    @classmethod
    def of(cls, ends: tuple[Numeric, Numeric], levels: Iterable[Numeric] | int, between: str | None = None) -> Values:
        """Return the values between two ends, or refuse what is outside its domain.

        Named levels are what people choose from, so that nothing is between them unless said otherwise.
        """
        low, high = checked_range(ends)
        checked = checked_levels(levels, low, high)
        by_default = ROUND if isinstance(checked, int) else REFUSE_BETWEEN
        rule = by_default if between is None else check_choice(between, "between", BETWEEN)
        return cls(low, high, checked, rule)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> Values:
        """Return the values that a task's members name."""
        levels = members["levels"]
        if not (isinstance(levels, int) or (isinstance(levels, list) and all(map(is_decimal_text, levels)))):
            raise ParameterError("levels must be a number of them, or a list of plain decimals in quotes")
        low, high = read_decimal(members, "low"), read_decimal(members, "high")
        if members["kind"] == DISCOVERY:
            check_fixed(members, NO_VALUES.to_members())
            return NO_VALUES
        return cls.of((low, high), levels, check_choice(members["between"], "between", BETWEEN))

    def to_members(self) -> dict[str, object]:
        """Return the members of the task."""
        levels = self.levels if isinstance(self.levels, int) else list(self.levels)
        return {"between": self.between, "high": self.high, "levels": levels, "low": self.low}

    @property
    def level_count(self) -> int:
        """The number of levels, L."""
        return level_count(self.levels)

    @property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units."""
        return level_values(self.levels, self.low, self.high)


# A text that is found has no value.
NO_VALUES = Values("0", "1", ONE_LEVEL, ROUND)


@dataclass(frozen=True)
class Domain:
    """The keys of a task, the one that stands for all that are not listed, and their values."""

    keys: Keys
    other: str | None
    values: Values

    MEMBERS: ClassVar = ("keys", "kind", "other", *Values.MEMBERS)

    @classmethod
    def of(cls, keys: Iterable[str] | int, other: str | None, values: Values) -> Domain:
        """Return the domain of these keys, or refuse what is outside its own domain."""
        checked = checked_keys(keys)
        return cls(checked, checked_other(other, checked), values)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> Domain:
        """Return the domain that a task's members name."""
        if members["kind"] == DISCOVERY:
            values = Values.from_members(members)
            # A discovery is not repeated.
            check_fixed(members, {"other": None, "series": None})
            return cls(read_prefix_tree(members["keys"]), None, values)
        keys = checked_keys(members["keys"])
        return cls(keys, checked_other(members["other"], keys), Values.from_members(members))

    def to_members(self) -> dict[str, object]:
        """Return the members of the task."""
        keys = self.keys.to_dict() if isinstance(self.keys, PrefixTree) else self.keys
        return {"keys": keys, "kind": self.kind, "other": self.other, **self.values.to_members()}

    @property
    def kind(self) -> str:
        """What is collected: `pairs`, or unknown texts (`discovery`)."""
        return DISCOVERY if isinstance(self.keys, PrefixTree) else PAIRS

    @property
    def is_hashed(self) -> bool:
        """Whether any text is a key, whose number is a hash."""
        return self.keys == HASHED

    @cached_property
    def key_count(self) -> int:
        """The number of keys, d: with the one that stands for all others, or of all hashes."""
        if isinstance(self.keys, str | PrefixTree):
            return MAX_ITEMS // self.values.level_count
        listed = self.keys if isinstance(self.keys, int) else len(self.keys)
        return listed + (self.other is not None)

    @cached_property
    def index(self) -> dict[str, int]:
        """The numbers of the keys that have names of their own."""
        names = self.keys if isinstance(self.keys, tuple) else ()
        found = {key: number for number, key in enumerate(names)}
        return found if self.other is None else {**found, self.other: self.key_count - 1}

    def find(self, key: str) -> int | None:
        """Return the number of a listed key; None for anything else."""
        try:
            found = self.index.get(key)
            if found is not None or not isinstance(self.keys, int):
                return found
            # Numbered keys are named by their number, written in the one plain way.
            number = int(key)
            return number if 0 <= number < self.keys and str(number) == key else None
        except (ValueError, TypeError):
            return None


def normal_form(key: object) -> str:
    """Return a participant's key in normal form C; what is not a text is refused."""
    if not isinstance(key, str):
        raise PairsError(f"key {key!r} is not a text")
    return normalize("NFC", key)


def check_fixed(members: Mapping[str, Any], fixed: Mapping[str, object]) -> None:
    """Refuse members that a discovery has no choice of, where they are not as fixed."""
    for member, value in fixed.items():
        if members[member] != value or type(members[member]) is not type(value):
            raise ParameterError(f"{member} of a discovery must be {value!r}")


def checked_keys(keys: Iterable[str] | int) -> tuple[str, ...] | int | str:
    """Return the names of the keys, each once, or their number, or that they are hashed."""
    if isinstance(keys, PrefixTree):
        raise ParameterError("keys must be a list of names or their number; Task.discovery finds unknown ones")
    if keys == HASHED:
        return HASHED
    if isinstance(keys, bool | str | bytes | Mapping) or not isinstance(keys, int | Iterable):
        raise ParameterError(f"keys must be a list of names, their number or {HASHED!r}, not {keys!r}")
    checked: tuple[str, ...] | int
    if isinstance(keys, int):
        count = checked = keys
    else:
        checked = distinct_names(keys)
        count = len(checked)
    if count < 1:
        raise ParameterError("a task needs at least one key")
    if count > MAX_KEYS:
        raise ParameterError(f"a task takes at most 2^31 keys, not {count:,}")
    return checked


def checked_other(other: str | None, keys: tuple[str, ...] | int | str) -> str | None:
    """Return the name of the key that stands for all that are not listed; None where there is none."""
    if other is None:
        return None
    if keys == HASHED:
        raise ParameterError("other must be left out where keys are hashed: every text is a key")
    check_name(other, "other")
    if other in keys if isinstance(keys, tuple) else other.isdecimal():
        raise ParameterError(f"other must not have the name of a listed key, {other!r}")
    if keys == MAX_KEYS or (isinstance(keys, tuple) and len(keys) == MAX_KEYS):
        raise ParameterError("a task takes at most 2^31 keys, and other is one more")
    return other


def checked_range(values: tuple[Numeric, Numeric]) -> tuple[str, str]:
    """Return the ends of the range of values, as decimal texts."""
    if not isinstance(values, tuple | list) or len(values) != 2:  # noqa: PLR2004
        raise ParameterError("values must be the pair (low, high)")
    low, high = decimal_text(values[0], "low"), decimal_text(values[1], "high")
    if not float(low) < float(high):
        raise ParameterError(f"low must be below high: {low} ≥ {high}")
    return low, high
