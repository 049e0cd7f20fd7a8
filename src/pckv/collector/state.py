"""What the routes of one collector share."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from fastapi import Request

from pckv.channels import SIZES
from pckv.collector.metrics import Metrics
from pckv.collector.problem_details import Problem, ProblemKind
from pckv.collector.report_writer import Batcher
from pckv.collector.settings import Settings
from pckv.collector.tallies import Tallies
from pckv.estimators.result import Estimates
from pckv.planning.set_sizes import MAX_PILOT_REPORTS
from pckv.store.base import Store, StoredTask
from pckv.task import Task

# How long a task's state is believed without asking the store again; its transactions ask anyway.
BELIEVED_SECONDS = 2.0
MOST_BELIEVED = 1000
TASK_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def today() -> str:
    """The day that it is, in UTC."""
    return dt.datetime.now(dt.UTC).date().isoformat()


class Phase(StrEnum):
    """Whether a task takes reports."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"


def phase(found: StoredTask, day: str, reports: int = 0) -> Phase:
    """Where a task is on a day, and with so many reports."""
    task = found.task
    if found.closed is not None or (task.closes is not None and day >= task.closes) or is_full(task, reports):
        return Phase.CLOSED
    return Phase.WAITING if task.opens is not None and day < task.opens else Phase.OPEN


def is_full(task: Task, reports: int) -> bool:
    """Whether so many reports are all that a task needs: more people in a pilot would be lost to the main task."""
    return task.kind == SIZES and reports >= MAX_PILOT_REPORTS


@dataclass
class Believed:
    """What the store said of a task, when it did, and of a pilot how many reports it has, counted on since."""

    when: float
    found: StoredTask
    reports: int


@dataclass
class Collector:
    """Store, settings, clock and the parts in between."""

    store: Store
    settings: Settings
    batcher: Batcher
    metrics: Metrics
    tallies: Tallies
    today: Callable[[], str] = today
    # Estimates that are being made, by task, method, level and the parts they are made of.
    estimating: dict[tuple[object, ...], asyncio.Future[tuple[str, Estimates]]] = field(default_factory=dict)
    _believed: dict[str, Believed] = field(default_factory=dict)

    async def find(self, task_id: str) -> StoredTask:
        """A task, or the problem that there is none (any more)."""
        check_task_id(task_id)
        now = asyncio.get_running_loop().time()
        known = self._believed.get(task_id)
        if known is not None and now - known.when < BELIEVED_SECONDS:
            return known.found
        found, reports = await asyncio.to_thread(self._look, task_id)
        if found is None:
            self.forget(task_id)
            deleted = await asyncio.to_thread(self.store.find_deletion, task_id)
            raise Problem(ProblemKind.DELETED if deleted else ProblemKind.UNKNOWN)
        if len(self._believed) >= MOST_BELIEVED:
            self._believed.clear()
        self._believed[task_id] = Believed(now, found, reports)
        return found

    def _look(self, task_id: str) -> tuple[StoredTask | None, int]:
        found = self.store.find_task(task_id)
        is_pilot = found is not None and found.task.kind == SIZES
        return found, self.store.report_counts([task_id])[task_id] if is_pilot else 0

    def count(self, task_id: str, reports: int) -> None:
        """Take note of reports that were just stored, so that nobody needs to ask how many there are now."""
        if known := self._believed.get(task_id):
            known.reports += reports

    def has_enough(self, task: Task) -> bool:
        """Whether a task is a pilot that takes no new reports any more; those under way are not known of."""
        known = self._believed.get(task.id)
        return known is not None and is_full(task, known.reports)

    def forget(self, task_id: str) -> None:
        """Ask the store about a task the next time."""
        self._believed.pop(task_id, None)

    def check_open(self, found: StoredTask) -> None:
        """Refuse reports outside the task's days: the day of receipt decides."""
        now = phase(found, self.today())
        if now is Phase.CLOSED:
            raise Problem(ProblemKind.CLOSED)
        if now is Phase.WAITING:
            raise Problem(ProblemKind.NOT_OPEN, f"it opens on {found.task.opens}")


def check_task_id(task_id: str) -> None:
    """What cannot be an id is unknown; not every database can be asked about every text."""
    if not TASK_ID.fullmatch(task_id):
        raise Problem(ProblemKind.UNKNOWN)


def ended(found: StoredTask) -> str | None:
    """The day from which a task took no more reports, if that is settled."""
    days = [day for day in (found.closed, found.task.closes) if day is not None]
    return min(days, default=None)


def collector(request: Request) -> Collector:
    """The collector that a request came to."""
    found: Collector = request.app.state.collector
    return found


def unchanged(request: Request, tag: str) -> bool:
    """Whether the asker has what the tag names already."""
    tags = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    return tag in tags or "*" in tags


def task_facts(found: StoredTask) -> dict[str, object]:
    """A stored task as plain values."""
    task: Task = found.task
    return {
        "id": task.id,
        "name": task.name,
        "kind": task.kind,
        "mechanism": task.mechanism,
        "keys": task.key_count,
        "epsilon": task.epsilon,
        "opens": task.opens,
        "closes": task.closes,
        "closed": found.closed,
        "by_invitation": found.by_invitation,
    }
