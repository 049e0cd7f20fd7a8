"""The members of a task that stand for themselves: its days, and the series that it is a round of.

A part of a task is a value with `MEMBERS`, `from_members` and `to_members`; `Task.from_json` and
`Task.to_json` name every part once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from pckv.base.canonical import is_decimal_text, is_id
from pckv.base.days import Phase, checked_days, phase_on
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_PANELS, MAX_ROUNDS, check_count


def read_decimal(members: Mapping[str, Any], name: str) -> str:
    """Return the member called `name`, a decimal text in the one form that a task has it in."""
    text = members[name]
    if not is_decimal_text(text):
        raise ParameterError(f"{name} must be a plain decimal in quotes: no exponent, no trailing zeros")
    return str(text)


@dataclass(frozen=True)
class Dates:
    """The days on which a task takes reports: from `opens` on, and before `closes`; None is no limit."""

    opens: str | None = None
    closes: str | None = None

    MEMBERS: ClassVar = ("closes", "opens")

    def __post_init__(self) -> None:
        checked_days(self.opens, self.closes)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> Dates:
        """Return the days that a task's members name."""
        return cls(members["opens"], members["closes"])

    def to_members(self) -> dict[str, object]:
        """Return the members of the task."""
        return asdict(self)

    def phase(self, day: str) -> Phase:
        """Return whether reports are taken on a `day`."""
        return phase_on(day, self.opens, self.closes)


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
    if member is None:
        return None
    if not isinstance(member, Mapping) or member.keys() != {"id", "panels", "round"}:
        raise ParameterError("series must be null, or an object of id, panels and round")
    return SeriesRound(**member)
