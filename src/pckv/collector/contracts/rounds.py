"""The rounds of series: each becomes a task one round before it opens, without an operator's help."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from pckv.base.errors import TaskGone
from pckv.collector.computations import do_each
from pckv.collector.http.logs import log
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import StoredSeries
from pckv.store.store import Store


def due_rounds(series: Series, day: str) -> list[int]:
    """Return the rounds that must have a task on a day: the one that takes reports, and the next."""
    upcoming = next_round(series, day)
    return [number for number in (series.round_on(day), upcoming) if number is not None]


def next_round(series: Series, day: str) -> int | None:
    """Return the number of the first round that begins after a day; None if there is none."""
    begun = series.last_round_by(day)
    return series.next_round((begun + 1) % series.panels, begun)


class RoundMaker:
    """Adds the tasks of rounds to a store; a series determines its rounds, so several collectors agree."""

    def __init__(self, store: Store, prepare: Callable[[Task], None]) -> None:
        self._store, self._prepare = store, prepare
        # The rounds of each series that were due last and need no more work: deriving a task of many keys
        # takes long.
        self._done: dict[str, set[int]] = {}

    def add_due(self, day: str) -> None:
        """Add the rounds of all open series that are due on a day."""
        do_each(partial(self.add_rounds, stored, day) for stored in self._store.all_series())

    def add_rounds(self, stored: StoredSeries, day: str) -> None:
        """Add the rounds of a series that are due on a day."""
        series = stored.series
        if stored.closed is not None:
            return
        due = due_rounds(series, day)
        # Rounds of other days are forgotten: a clock that was wrong once must not keep the right ones away.
        done = self._done[series.id] = self._done.get(series.id, set()).intersection(due)
        for number in due:
            if number not in done:
                self._add(series, number, day)
                done.add(number)

    def _add(self, series: Series, number: int, day: str) -> None:
        task = series.task_of(number)
        # A round that was deleted stays deleted.
        with suppress(TaskGone):
            if self._store.add_round(task, day):
                log("round_added", series=series.id, round=number, task=task.id)
                self._prepare(task)
