"""What a store remembers of series: the contracts, whether they were closed, and the tasks of their rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from pckv.days import Phase, phase_on
from pckv.series import Series
from pckv.task import Task


@dataclass(frozen=True)
class StoredSeries:
    """A series and what the server decided about it; days are YYYY-MM-DD, and numbers grow from series to series."""

    series: Series
    created: str
    closed: str | None = None
    number: int = field(default=0, compare=False)

    def phase(self, day: str) -> Phase:
        """Return whether the series takes reports on a day: by its own days, unless the server closed it early."""
        return Phase.CLOSED if self.closed is not None else self.series.phase(day)


class StoredRound(NamedTuple):
    """A round of a series that has a task, and how many reports that has."""

    number: int
    task: str
    opens: str
    closes: str
    closed: str | None
    reports_forgotten: str | None
    reports: int

    def phase(self, day: str) -> Phase:
        """Return whether the round takes reports on a day: by its own days, unless the server closed it early."""
        return Phase.CLOSED if self.closed is not None else phase_on(day, self.opens, self.closes)


class SeriesStore(Protocol):
    """The series of a `Store`."""

    def add_series(self, series: Series, day: str | None = None) -> bool:
        """Add a series on a day, by default today; return False if it is stored already."""

    def find_series(self, series_id: str) -> StoredSeries | None:
        """Return a series; None if it is unknown."""

    def list_series(self, limit: int, before: int | None = None) -> list[StoredSeries]:
        """Return series in the reverse order of their creation, starting with those created before a given number."""

    def series_named(self, name: str) -> list[str]:
        """Return the ids of all series that devices take for the survey of this name, in order."""

    def close_series(self, series_id: str, day: str) -> bool:
        """Close a series early, and its rounds that are not over by that day; return False if it is unknown.

        From now on no round is added to it. Closing it again changes nothing.
        """

    def add_round(self, task: Task, day: str | None = None) -> bool:
        """Add the task of a round on a day, by default today, unless its series is unknown or closed.

        Return False if nothing was added. A deleted task is refused with a `TaskGone`.
        """

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        """Return the last rounds of a series that have a task, or the last before a given one, in order."""
