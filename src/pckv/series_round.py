"""What a task says of the series that it is a round of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from pckv.canonical import from_base64url
from pckv.errors import ParameterError, ReportError

MAX_PANELS = 1000
MAX_ROUNDS = 1_000_000
ID_BYTES = 32


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


def is_id(text: object) -> bool:
    """Whether something is an id: a SHA-256 in unpadded base64url."""
    try:
        return isinstance(text, str) and len(from_base64url(text)) == ID_BYTES
    except ReportError:
        return False


def check_count(count: object, what: str, most: int) -> int:
    """Return a whole number from 1 to `most`, or refuse anything else."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise ParameterError(f"{what} must be a whole number, not {count!r}")
    if not 1 <= count <= most:
        raise ParameterError(f"{what} must be at least 1 and at most {most:,}, not {count:,}")
    return count
