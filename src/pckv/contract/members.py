"""The members of a task, checked one by one: what is outside its domain is refused.

What a task says of the series that it is a round of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from pckv.base.canonical import check_name, decimal_text, is_decimal_text, is_id, read_object
from pckv.base.errors import ParameterError, TaskError
from pckv.base.limits import (
    DISCOVERY,
    HASHED,
    HASHED_MECHANISM,
    KINDS,
    MAX_KEYS,
    MAX_PANELS,
    MAX_ROUNDS,
    ONE_LEVEL,
    REFUSE,
    ROUND,
    SAMPLE,
    SERVER_COIN,
    Numeric,
    check_coin,
    check_count,
)
from pckv.contract.about import MEMBERS as ABOUT_MEMBERS
from pckv.contract.domain import Keys
from pckv.mechanisms import registry
from pckv.mechanisms.base import Law
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import PrefixTree, read_prefix_tree
from pckv.mechanisms.size_question.law import SizeQuestion


@dataclass(frozen=True)
class SeriesRound:
    """The round of a series that a task is.

    Attributes:
        id: The id of the series.
        panels: How many panels the devices are in: every device reports in one round out of that many.
        round: The number of the round, from 1.
    """

    id: str
    panels: int
    round: int

    def __post_init__(self) -> None:
        if not is_id(self.id):
            raise ParameterError(f"series.id must be the id of a series, not {self.id!r}")
        check_count(self.panels, "panels", MAX_PANELS)
        check_count(self.round, "round", MAX_ROUNDS)

    @property
    def suffix(self) -> str:
        """What the name of the task ends with, after the name of the series."""
        return f", round {self.round}"

    def to_dict(self) -> dict[str, object]:
        """Return the member of a task."""
        return asdict(self)


def read_series_round(member: object) -> SeriesRound | None:
    """Return what the member `series` of a task says; None if the task is no round of a series."""
    if member is None or isinstance(member, SeriesRound):
        return member
    if not isinstance(member, Mapping) or member.keys() != {"id", "panels", "round"}:
        raise ParameterError("series must be null, or an object of id, panels and round")
    return SeriesRound(**member)


VERSION = 1
MEMBERS = (
    "about",
    "between",
    "closes",
    "coin",
    "epsilon",
    "high",
    "keys",
    "kind",
    "levels",
    "low",
    "mechanism",
    "more",
    "name",
    "opens",
    "other",
    "padding",
    "series",
    "size_share",
    "version",
)
# What is set before the law, which depends on it; the two ends of the range besides.
CONTRACT = (
    "name",
    "keys",
    "other",
    "levels",
    "between",
    "epsilon",
    "more",
    "about",
    "opens",
    "closes",
    "series",
)
# What a discovery has no choice of.
_OF_DISCOVERIES = {
    "between": ROUND,
    "high": "1",
    "levels": ONE_LEVEL,
    "low": "0",
    "more": SAMPLE,
    "other": None,
    "series": None,
    "size_share": "0",
}


def read_members(text: str | bytes) -> tuple[str, dict[str, Any]]:
    """Return the text of a task's JSON and its members, each of the right kind and none unknown or missing."""
    text, members = read_object(text, "a task", MEMBERS, VERSION, TaskError)
    if members["kind"] not in KINDS:
        raise TaskError(f"not a task this release reads: kind {members['kind']!r}")
    for member in ("epsilon", "low", "high", "size_share"):
        if not is_decimal_text(members[member]):
            raise TaskError(
                f"not a task: {member} must be a plain decimal in quotes: no exponent, no trailing zeros"
            )
    if not isinstance(members["about"], dict) or members["about"].keys() != set(ABOUT_MEMBERS):
        raise TaskError(f"not a task: about must be an object of {', '.join(ABOUT_MEMBERS)}")
    levels = members["levels"]
    if not (isinstance(levels, int) or (isinstance(levels, list) and all(map(is_decimal_text, levels)))):
        raise TaskError("not a task: levels must be a number of them, or a list of plain decimals in quotes")
    mechanism = members["mechanism"]
    if not isinstance(mechanism, dict) or mechanism.get("name") not in list(registry.LAWS):
        raise TaskError("not a task: mechanism must be an object that names a mechanism")
    if members["kind"] == DISCOVERY:
        _read_discovery(members)
    return text, members


def _read_discovery(members: dict[str, Any]) -> None:
    """Read the keys of a discovery, and refuse members that only other tasks may have."""
    for member, value in _OF_DISCOVERIES.items():
        if members[member] != value or type(members[member]) is not type(value):
            raise TaskError(f"not a task: {member} of a discovery must be {value!r}")
    if members["mechanism"]["name"] != HASHED_MECHANISM:
        raise TaskError(f"not a task: mechanism of a discovery must be {HASHED_MECHANISM!r}")
    try:
        members["keys"] = read_prefix_tree(members["keys"])
    except ParameterError as error:
        raise TaskError(f"not a task: {error}") from None


def build_law(  # noqa: PLR0917
    keys: Keys,
    key_count: int,
    levels: int,
    padding: int,
    epsilon: Fraction,
    mechanism: Mapping[str, object],
) -> Law:
    """Return the law that the members of a task name, with all of its parameters."""
    parameters = dict(mechanism)
    name = str(parameters.pop("name"))
    if isinstance(keys, PrefixTree):
        law: Law = DiscoveryLaw.of_groups(keys.groups, padding, epsilon, parameters)
    else:
        law = registry.build(name, key_count, padding, epsilon, parameters, levels)
    if missing := sorted(law.parameters.keys() - parameters.keys()):
        raise ParameterError(f"mechanism {name!r} needs {' and '.join(missing)}")
    return law


def checked_question(law: Law, share: Fraction, more: str) -> SizeQuestion | None:
    """Return the question that a share of the reports answers; None if that is 0."""
    if share == 0:
        return None
    if more == REFUSE:
        raise ParameterError("size_share must be 0 where more pairs than the padding are refused")
    if law.word_limit is None:
        raise ParameterError(f"size_share must be 0 for {law.name!r}, whose reports are not words")
    # No law has more than 2^63 - 2^32 words, so there is room for the few answers in any case.
    return SizeQuestion(law.keys, law.padding, law.epsilon, share)


def checked_coin(law: Law, coin: str) -> str:
    """Return who draws the function of a report; the server can only where a mechanism has public functions."""
    if check_coin(coin) == SERVER_COIN and law.functions is None:
        raise ParameterError(
            f"coin must be 'device' for {law.name!r}, whose reports name no function that a coin could choose"
        )
    return coin


def checked_keys(keys: Iterable[str] | int | PrefixTree) -> Keys:
    """Return the names of the keys, each once, or their number, or that they are hashed; a tree was checked before."""
    if isinstance(keys, PrefixTree):
        return keys
    if keys == HASHED:
        return HASHED
    if isinstance(keys, bool | str | bytes | Mapping) or not isinstance(keys, int | Iterable):
        raise ParameterError(f"keys must be a list of names, their number or {HASHED!r}, not {keys!r}")
    if isinstance(keys, int):
        count: int = keys
        checked: tuple[str, ...] | int = keys
    else:
        names = tuple(check_name(key, f"key {number}") for number, key in enumerate(keys, 1))
        seen: set[str] = set()
        for key in names:
            if key in seen:
                raise ParameterError(f"key {key!r} appears twice")
            seen.add(key)
        count, checked = len(names), names
    if count < 1:
        raise ParameterError("a task needs at least one key")
    if count > MAX_KEYS:
        raise ParameterError(f"a task takes at most 2^31 keys, not {count:,}")
    return checked


def checked_other(other: str | None, keys: Keys) -> str | None:
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


def checked_hashing(law: Law, keys: Keys) -> None:
    """Refuse a mechanism whose reports cannot be asked about keys that are named afterwards."""
    if keys == HASHED and law.name != HASHED_MECHANISM:
        raise ParameterError(f"hashed keys need mechanism {HASHED_MECHANISM!r}, not {law.name!r}")


def checked_range(values: tuple[Numeric, Numeric]) -> tuple[str, str]:
    """Return the ends of the range of values, as decimal texts."""
    if not isinstance(values, tuple | list) or len(values) != 2:  # noqa: PLR2004
        raise ParameterError("values must be the pair (low, high)")
    low, high = decimal_text(values[0], "low"), decimal_text(values[1], "high")
    if not float(low) < float(high):
        raise ParameterError(f"low must be below high: {low} ≥ {high}")
    return low, high
