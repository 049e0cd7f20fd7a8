"""The task: the immutable public contract of one collection."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

from pckv import channels
from pckv.budget import epsilon_of
from pckv.canonical import base64url, check_name, decimal_text, dump, is_decimal_text, load
from pckv.errors import PairsError, ParameterError, PckvError, TaskError
from pckv.limits import (
    AUTO,
    DEFAULT_OBJECTIVE,
    DEFAULT_USERS,
    MAX_KEYS,
    Numeric,
    check_epsilon,
    check_padding,
)

VERSION = 1
MEMBERS = (
    "closes",
    "epsilon",
    "high",
    "keys",
    "kind",
    "low",
    "mechanism",
    "name",
    "opens",
    "padding",
    "version",
)


class Phase(StrEnum):
    """Whether a task takes reports."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"


def utc_today() -> str:
    """Return the current day in UTC, as `Task.phase` takes it."""
    return dt.datetime.now(dt.UTC).date().isoformat()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Task:
    """What is collected, at which ε and how: a value that never changes, bound by its id.

    A task of kind `sizes` asks how many of the keys people hold, up to the padding, and not which: a pilot,
    by which the padding of the task of kind `pairs` is chosen.

    Args:
        name: What people read; it tells two runs of one survey apart.
        keys: The names of the keys, or how many there are (then they are named "0", "1", …).
        values: The least and the largest value.
        epsilon: The privacy budget of a report, above 0 and at most 20.
        padding: How many pairs a report stands for at most.
        mechanism: A name, `auto`, or a mapping of a name and parameters.
        kind: `pairs` or `sizes`.
        opens: The first day, YYYY-MM-DD in UTC.
        closes: The first day on which no reports are taken any more.
        objective: A hint for what the mechanism leaves open: `both`, `frequency` or `mean`; not part of the task.
        users: A hint: how many are expected; not part of the task.

    Raises:
        ParameterError: if any of these is outside its domain.

    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0, padding=2)
    >>> task.mechanism, task.parameters
    ('grr', {'allocation': 'optimized'})
    >>> Task.from_json(task.to_json()) == task
    True
    """

    kind: str
    name: str
    keys: tuple[str, ...] | int
    padding: int
    opens: str | None
    closes: str | None
    channel: channels.Channel
    # As decimal texts, exactly as the task's JSON has them.
    _low: str
    _high: str
    _epsilon: str

    def __init__(
        self,
        *,
        name: str,
        keys: Iterable[str] | int,
        values: tuple[Numeric, Numeric],
        epsilon: Numeric,
        padding: int = 1,
        mechanism: str | Mapping[str, object] = AUTO,
        kind: str = channels.PAIRS,
        opens: str | None = None,
        closes: str | None = None,
        objective: str = DEFAULT_OBJECTIVE,
        users: int = DEFAULT_USERS,
    ) -> None:
        wanted = {"name": mechanism} if isinstance(mechanism, str) else dict(mechanism)
        self._set_contract(name, keys, values, epsilon, padding, kind, opens, closes)
        # Only the author of a task has a mechanism to choose: a device that reads one never loads the planner.
        from pckv.planning.expectations import expect  # noqa: PLC0415
        from pckv.planning.selection import choose_channel  # noqa: PLC0415

        expected = expect(self.key_count, users=users, objective=objective, padding=self.padding)
        channel = choose_channel(self.key_count, Fraction(self._epsilon), wanted, self.padding, expected)
        self._set_channel(channel)

    def _set_contract(  # noqa: PLR0917
        self,
        name: str,
        keys: Iterable[str] | int,
        values: tuple[Numeric, Numeric],
        epsilon: Numeric,
        padding: int,
        kind: str,
        opens: str | None,
        closes: str | None,
    ) -> None:
        if kind not in channels.KINDS:
            raise ParameterError(f"kind {kind!r} does not exist: choose from {', '.join(channels.KINDS)}")
        low, high = _checked_range(values)
        opens, closes = _checked_days(opens, closes)
        # The instance is frozen: what is set here is set once, past `__setattr__`.
        vars(self).update(
            kind=kind,
            name=check_name(name, "the task's name"),
            keys=_checked_keys(keys),
            padding=check_padding(padding),
            opens=opens,
            closes=closes,
            _low=low,
            _high=high,
            _epsilon=check_epsilon(epsilon),
        )

    def _set_channel(self, channel: channels.Channel) -> None:
        if channel.kind != self.kind:
            raise ParameterError(
                f"mechanism {channel.name!r} is for tasks of kind {channel.kind!r}, not {self.kind!r}"
            )
        vars(self).update(channel=channel)

    @property
    def key_count(self) -> int:
        """The number of keys, d."""
        return self.keys if isinstance(self.keys, int) else len(self.keys)

    @cached_property
    def low(self) -> float:
        """The least value a key may have."""
        return float(self._low)

    @cached_property
    def high(self) -> float:
        """The largest value a key may have."""
        return float(self._high)

    @property
    def epsilon(self) -> float:
        """The ε that was asked for."""
        return float(self._epsilon)

    @cached_property
    def realised_epsilon(self) -> float:
        """The ε that the shipped integers give, rounded up; never above the one asked for."""
        return epsilon_of(self.channel.realised)

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return self.channel.name

    @property
    def parameters(self) -> dict[str, str | int]:
        """What the mechanism fixes besides its name."""
        return self.channel.parameters

    @property
    def word_limit(self) -> int | None:
        """Words are below this; None where a report is two bit planes."""
        return self.channel.word_limit

    @cached_property
    def _index(self) -> dict[str, int]:
        return {} if isinstance(self.keys, int) else {key: index for index, key in enumerate(self.keys)}

    def key_index(self, key: str) -> int:
        """The number of a key, or a `PairsError` that names it."""
        try:
            if not isinstance(self.keys, int):
                return self._index[key]
            # Numbered keys are named by their number, written in the one plain way.
            index = int(key)
            if 0 <= index < self.keys and str(index) == key:
                return index
        except (KeyError, ValueError, TypeError):
            pass
        raise PairsError(f"key {key!r} is not a key of task {self.name!r}")

    def key_name(self, index: int) -> str:
        """The name of a key, given its number."""
        return str(index) if isinstance(self.keys, int) else self.keys[index]

    def phase(self, day: str) -> Phase:
        """Whether the task takes reports on a day (YYYY-MM-DD, UTC): from `opens` on, and before `closes`."""
        if self.closes is not None and day >= self.closes:
            return Phase.CLOSED
        return Phase.WAITING if self.opens is not None and day < self.opens else Phase.OPEN

    def to_json(self) -> str:
        """The canonical JSON text, which the id is the hash of."""
        return dump(
            {
                "closes": self.closes,
                "epsilon": self._epsilon,
                "high": self._high,
                "keys": self.keys if isinstance(self.keys, int) else list(self.keys),
                "kind": self.kind,
                "low": self._low,
                "mechanism": {"name": self.mechanism, **self.parameters},
                "name": self.name,
                "opens": self.opens,
                "padding": self.padding,
                "version": VERSION,
            }
        )

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.to_json().encode()).digest()

    @property
    def id(self) -> str:
        """The digest in unpadded base64url."""
        return base64url(self.digest)

    @classmethod
    def from_json(cls, text: str | bytes) -> Task:
        """Read a task; anything but its one canonical text is refused."""
        if isinstance(text, bytes):
            try:
                text = text.decode()
            except UnicodeDecodeError:
                raise TaskError("not a task: the text is not UTF-8") from None
        try:
            members = _checked_members(load(text))
        except ValueError as error:
            raise error if isinstance(error, TaskError) else TaskError(f"not a task: {error}") from None
        task = object.__new__(cls)
        try:
            task._set_contract(
                members["name"],
                members["keys"],
                (members["low"], members["high"]),
                members["epsilon"],
                members["padding"],
                members["kind"],
                members["opens"],
                members["closes"],
            )
            parameters = dict(members["mechanism"])
            mechanism = str(parameters.pop("name"))
            epsilon = Fraction(task._epsilon)
            task._set_channel(channels.build(mechanism, task.key_count, task.padding, epsilon, parameters))
        except PckvError as error:
            raise TaskError(f"not a task: {error}") from None
        if task.to_json() != text:
            raise TaskError("not a task: the JSON is not in canonical form (order, spacing, escapes)")
        return task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {self.key_count:,} keys, {self.mechanism}, "
            f"ε = {self.epsilon:g}, padding {self.padding}, id {self.id[:8]}…>"
        )


def _checked_members(members: Any) -> dict[str, Any]:
    if not isinstance(members, dict):
        raise TaskError("not a task: the JSON is not an object")
    for member in sorted(members.keys() ^ set(MEMBERS)):
        raise TaskError(f"not a task: member {member!r} is {'unknown' if member in members else 'missing'}")
    if members["version"] != VERSION or isinstance(members["version"], bool):
        raise TaskError(f"not a task this release reads: version {members['version']!r}")
    if members["kind"] not in channels.KINDS:
        raise TaskError(f"not a task this release reads: kind {members['kind']!r}")
    for member in ("epsilon", "low", "high"):
        if not is_decimal_text(members[member]):
            raise TaskError(f"not a task: {member} must be a plain decimal in quotes")
    mechanism = members["mechanism"]
    if not isinstance(mechanism, dict) or mechanism.get("name") not in list(channels.MECHANISMS):
        raise TaskError("not a task: mechanism must be an object that names a mechanism")
    return members


def _checked_keys(keys: Iterable[str] | int) -> tuple[str, ...] | int:
    if isinstance(keys, bool | str | bytes | Mapping) or not isinstance(keys, int | Iterable):
        raise ParameterError(f"keys must be a list of names or their number, not {keys!r}")
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


def _checked_range(values: tuple[Numeric, Numeric]) -> tuple[str, str]:
    if not isinstance(values, tuple | list) or len(values) != 2:  # noqa: PLR2004
        raise ParameterError("values must be the pair (low, high)")
    low, high = decimal_text(values[0], "low"), decimal_text(values[1], "high")
    if not float(low) < float(high):
        raise ParameterError(f"low must be below high: {low} ≥ {high}")
    return low, high


def _checked_days(opens: str | None, closes: str | None) -> tuple[str | None, str | None]:
    for what, day in (("opens", opens), ("closes", closes)):
        if day is not None and not _is_day(day):
            raise ParameterError(f"{what} must be a day as YYYY-MM-DD, not {day!r}")
    if opens is not None and closes is not None and not opens < closes:
        raise ParameterError(f"a task that opens on {opens} cannot close on {closes}")
    return opens, closes


def _is_day(day: object) -> bool:
    try:
        return isinstance(day, str) and dt.date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False
