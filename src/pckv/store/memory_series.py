"""Series and their rounds of the store in memory."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from pckv.days import utc_today
from pckv.series import Series
from pckv.store.memory_accounts import MemoryAccounts
from pckv.store.stored_series import StoredRound, StoredSeries
from pckv.survey import survey_of
from pckv.task import Task


class MemorySeries(MemoryAccounts):
    """The series of a `Store` in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._series: dict[str, StoredSeries] = {}

    @abstractmethod
    def add_task(self, task: Task, day: str | None = None) -> bool:
        """Add a task on a day, by default today; return False if it is stored already."""

    @abstractmethod
    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown."""

    @abstractmethod
    def _all_rounds(self, series_id: str) -> list[StoredRound]:
        """Return all rounds of a series that have a task, in order."""

    def add_series(self, series: Series, day: str | None = None) -> bool:
        """Add a series on a day, by default today; return False if it is stored already."""
        with self._lock:
            if series.id in self._series:
                return False
            number = len(self._series) + 1
            self._series[series.id] = StoredSeries(series, day or utc_today(), number=number)
            return True

    def find_series(self, series_id: str) -> StoredSeries | None:
        """Return a series; None if it is unknown."""
        with self._lock:
            return self._series.get(series_id)

    def list_series(self, limit: int, before: int | None = None) -> list[StoredSeries]:
        """Return series in the reverse order of their creation."""
        with self._lock:
            stored = list(reversed(self._series.values()))
        return [series for series in stored if before is None or series.number < before][:limit]

    def series_named(self, name: str) -> list[str]:
        """Return the ids of all series that devices take for the survey of this name, in order."""
        survey = survey_of(name)
        with self._lock:
            return sorted(
                key for key, stored in self._series.items() if survey_of(stored.series.name) == survey
            )

    def close_series(self, series_id: str, day: str) -> bool:
        """Close a series early, and its rounds that are not over by that day; return False if it is unknown."""
        with self._lock:
            stored = self._series.get(series_id)
            if stored is None:
                return False
            self._series[series_id] = replace(stored, closed=stored.closed or day)
            for listed in self._all_rounds(series_id):
                if listed.closes > day:
                    self.close_task(listed.task, day)
            return True

    def add_round(self, task: Task, day: str | None = None) -> bool:
        """Add the task of a round, unless its series is unknown or closed; return False if nothing was added."""
        with self._lock:
            stored = self._series.get(task.series.id) if task.series else None
            return stored is not None and stored.closed is None and self.add_task(task, day)

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        """Return the last rounds of a series that have a task, in order."""
        listed = self._all_rounds(series_id)
        return [one for one in listed if before is None or one.number < before][-limit:]
