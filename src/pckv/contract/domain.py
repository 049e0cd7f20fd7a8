"""What a task asks about: its keys, and the values that they may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar
from unicodedata import normalize

from pckv.base.canonical import check_name, decimal_text, distinct_names, is_decimal_text
from pckv.base.errors import PairsError, ParameterError
from pckv.base.levels import KEY_ALONE, Levels, checked_levels, level_count, level_values
from pckv.base.limits import (
    BETWEEN,
    DISCOVERY,
    HASHED,
    MAX_ITEMS,
    MAX_KEYS,
    MIN_LEVELS,
    ONE_LEVEL,
    PAIRS,
    REFUSE_BETWEEN,
    ROUND,
    Numeric,
    check_choice,
)
from pckv.base.words import plural
from pckv.contract.members import read_decimal
from pckv.contract.survey import survey_of
from pckv.mechanisms.derivation import Derivation, Segment, checked_derivation
from pckv.mechanisms.discovery.prefix_tree import PrefixTree, read_prefix_tree

# The names of keys, how many numbered ones there are, `hashed`, or of a discovery the tree of all texts.
Keys = tuple[str, ...] | int | str | PrefixTree

# Lists of keys are shown up to this many names.
KEYS_NAMED = 12
_KEY_PREFIX = b"pckv key"
_KEY_HASH_BYTES = 8


@dataclass(frozen=True)
class Values:
    """The values that a key may have: a range, the levels to report, and what becomes of values between them.

    The ends and named levels are decimal texts, exactly as the task's JSON has them. Keys without values have one level
    and nothing else.
    """

    low: str | None
    high: str | None
    levels: Levels
    between: str | None

    MEMBERS: ClassVar = ("between", "high", "levels", "low")

    @classmethod
    def of(
        cls,
        ends: tuple[Numeric, Numeric] | None,
        levels: Iterable[Numeric] | int | None = None,
        between: str | None = None,
    ) -> Values:
        """Return the values between two ends, or none where there are no ends; refuse what is outside its domain.

        By default there are two levels. Named ones are what people choose from, so that nothing is between them unless
        said otherwise.
        """
        if ends is None:
            if levels not in (None, ONE_LEVEL) or between is not None:
                raise ParameterError("keys without values have no levels, and nothing between them")
            return NO_VALUES
        low, high = checked_range(ends)
        checked = checked_levels(MIN_LEVELS if levels is None else levels, low, high)
        by_default = ROUND if isinstance(checked, int) else REFUSE_BETWEEN
        rule = by_default if between is None else check_choice(between, "between", BETWEEN)
        return cls(low, high, checked, rule)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> Values:
        """Return the values that a task's members name."""
        levels = members["levels"]
        if not (isinstance(levels, int) or (isinstance(levels, list) and all(map(is_decimal_text, levels)))):
            raise ParameterError("levels must be a number of them, or a list of plain decimals in quotes")
        if members["kind"] == DISCOVERY or members["low"] is None:
            check_fixed(members, NO_VALUES.to_members())
            return NO_VALUES
        low, high = read_decimal(members, "low"), read_decimal(members, "high")
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
        """What each level is worth, in the task's own units; a key without a value counts as 1."""
        if self.low is None or self.high is None:
            return KEY_ALONE
        return level_values(self.levels, self.low, self.high)


NO_VALUES = Values(None, None, ONE_LEVEL, None)


@dataclass(frozen=True)
class Domain:
    """The keys of a task, the one that stands for all that are not listed, their values, and what is derived.

    A `segment` is asked for besides the keys; `together` tells that pairs of keys are asked about too.
    """

    keys: Keys
    other: str | None
    values: Values
    segment: Segment | None = None
    together: bool = False

    MEMBERS: ClassVar = ("keys", "kind", "other", "segment", "together", *Values.MEMBERS)

    def __post_init__(self) -> None:
        # Refuses what cannot be derived.
        self.derivation  # noqa: B018

    @classmethod
    def of(
        cls,
        keys: Iterable[str] | int,
        other: str | None,
        values: Values,
        *,
        segment: Segment | None = None,
        together: bool = False,
    ) -> Domain:
        """Return the domain of these keys, or refuse what is outside its own domain."""
        checked = checked_keys(keys)
        if not isinstance(segment, Segment):
            segment = Segment.from_member(segment)
        return cls(checked, checked_other(other, checked), values, segment, together)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> Domain:
        """Return the domain that a task's members name."""
        if members["kind"] == DISCOVERY:
            values = Values.from_members(members)
            # A discovery is not repeated.
            check_fixed(members, {"other": None, "segment": None, "series": None, "together": False})
            return cls(read_prefix_tree(members["keys"]), None, values)
        keys = checked_keys(members["keys"])
        other, values = checked_other(members["other"], keys), Values.from_members(members)
        return cls(keys, other, values, Segment.from_member(members["segment"]), members["together"])

    def to_members(self) -> dict[str, object]:
        """Return the members of the task."""
        keys = self.keys.to_dict() if isinstance(self.keys, PrefixTree) else self.keys
        return {
            "keys": keys,
            "kind": self.kind,
            "other": self.other,
            "segment": None if self.segment is None else self.segment.to_member(),
            "together": self.together,
            **self.values.to_members(),
        }

    @cached_property
    def derivation(self) -> Derivation | None:
        """How items are made of the keys; None where the keys themselves are the items."""
        listed, levels = isinstance(self.keys, tuple | int), self.values.level_count
        labels = None if self.segment is None else len(self.segment.labels)
        return checked_derivation(
            labels, self.together, self.key_count, levels, listed=listed, has_other=self.other is not None
        )

    @property
    def kind(self) -> str:
        """What is collected: `pairs`, or unknown texts (`discovery`)."""
        return DISCOVERY if isinstance(self.keys, PrefixTree) else PAIRS

    @property
    def has_values(self) -> bool:
        """Whether keys have values, or are only held."""
        return self.values.level_count > ONE_LEVEL

    @property
    def noun(self) -> str:
        """What participants hold: a `pair`, a `key` without a value, or a `text`."""
        return "text" if self.kind == DISCOVERY else "pair" if self.has_values else "key"

    @property
    def kind_text(self) -> str:
        """What a refusal of values calls the task."""
        return "a discovery" if self.kind == DISCOVERY else "this task"

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

    @property
    def keys_text(self) -> str:
        """How many keys there are, in words."""
        if isinstance(self.keys, PrefixTree):
            return f"texts of up to {self.keys.characters} characters"
        return "hashed keys" if self.is_hashed else plural(self.key_count, "key")

    @property
    def other_index(self) -> int | None:
        """The number of the key that stands for all unlisted ones, the last; None where there is none."""
        return None if self.other is None else self.key_count - 1

    def key_name(self, index: int) -> str:
        """Return the name of key number `index`; of a hash, which has none, its number."""
        if index == self.other_index:
            return str(self.other)
        return self.keys[index] if isinstance(self.keys, tuple) else str(index)

    def key_names(self, indices: Iterable[int]) -> list[str]:
        """Return the names of the keys with these `indices`, in the same order."""
        if self.other is not None:
            return list(map(self.key_name, indices))
        return list(map(self.keys.__getitem__ if isinstance(self.keys, tuple) else str, indices))

    def first_keys(self) -> tuple[list[str], int]:
        """Return the names of the first listed keys, and how many more are listed."""
        count = self.key_count - (self.other is not None) if isinstance(self.keys, tuple | int) else 0
        named = min(count, KEYS_NAMED)
        return self.key_names(range(named)), count - named

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


def text_hash(digest: bytes, text: str) -> int:
    """Return 64 bits of the hash of a key, bound to the task of this digest."""
    return int.from_bytes(sha256(_KEY_PREFIX + digest + text.encode()).digest()[:_KEY_HASH_BYTES])


def check_fixed(members: Mapping[str, Any], fixed: Mapping[str, object]) -> None:
    """Refuse members that a discovery, or a task whose keys have no values, has no choice of."""
    for member, value in fixed.items():
        if members[member] != value or type(members[member]) is not type(value):
            kind = "a discovery" if members["kind"] == DISCOVERY else "a task without values"
            raise ParameterError(f"{member} of {kind} must be {'null' if value is None else repr(value)}")


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


def distinct_segment(name: str, labels: Sequence[str]) -> Segment:
    """Return a segment for a new task; labels that a reader does not tell apart are a `ParameterError`.

    A label that looks like the name is one as well: it is the header of a list.
    """
    segment = Segment(name, labels)
    seen = {survey_of(name): "the name of the segment"}
    for label in segment.labels:
        if (text := survey_of(label)) in seen:
            raise ParameterError(f"label {label!r} looks like {seen[text]}")
        seen[text] = f"label {label!r}"
    return segment
