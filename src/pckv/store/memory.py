"""The store in memory, for tests and trials: the same decisions as the databases, gone with its process."""

from __future__ import annotations

import secrets
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pckv.errors import ParameterError, TaskGone
from pckv.store.base import (
    SESSION_KEY_BYTES,
    Deletion,
    ReportOutcome,
    Role,
    StoredTask,
    TallyPart,
    Upload,
)
from pckv.store.parts import choose_parts_to_merge, merge_parts, tally_of
from pckv.store.uploads import (
    BatchDecision,
    TaskBatch,
    decide,
    group_by_task,
    outcomes_per_upload,
    refuse_all,
)
from pckv.tally import Tally
from pckv.task import Phase, Task
from pckv.wire import Report


@dataclass
class _TaskData:
    """Everything that belongs to one task."""

    stored: StoredTask
    reports: dict[bytes, bytes] = field(default_factory=dict)
    parts: dict[int, TallyPart] = field(default_factory=dict)
    invitations: dict[bytes, bool] = field(default_factory=dict)

    def decide(self, batch: TaskBatch) -> BatchDecision:
        if self.stored.closed or self.stored.reports_forgotten:
            return refuse_all(batch, ReportOutcome.TASK_CLOSED)
        known = {report.id: self.reports[report.id] for report in batch.reports if report.id in self.reports}
        return decide(batch, known, self.invitations if self.stored.by_invitation else None)

    def tally(self, decision: BatchDecision) -> Tally:
        return tally_of(self.stored.task, [report.body for report in decision.stored])

    def apply(self, decision: BatchDecision, tally: Tally) -> None:
        if decision.stored:
            self.reports.update(decision.stored)
            self.invitations.update(dict.fromkeys(decision.spent, True))
            self.add_part(tally)

    def add_part(self, tally: Tally) -> None:
        number = secrets.randbits(63)
        self.parts[number] = TallyPart(number, bytes(tally), tally.reports)


class MemoryStore:
    """A `Store` that is not durable."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tasks: dict[str, _TaskData] = {}
        self._deletions: dict[str, Deletion] = {}
        self._tokens: set[tuple[Role, bytes]] = set()
        self._session_key = secrets.token_bytes(SESSION_KEY_BYTES)

    def prepare(self) -> None:
        """Do nothing: there is no schema."""

    def ping(self) -> None:
        """Do nothing: memory always answers."""

    def close(self) -> None:
        """Do nothing: there are no connections."""

    def add_task(self, task: Task) -> bool:
        """Add a task; return False if it is stored already."""
        with self._lock:
            if task.id in self._deletions:
                raise TaskGone(f"task {task.id} was deleted")
            if task.id in self._tasks:
                return False
            stored = StoredTask(task, None, by_invitation=False, reports_forgotten=None)
            self._tasks[task.id] = _TaskData(stored)
            return True

    def find_task(self, task_id: str) -> StoredTask | None:
        """Return a task; None if it is unknown or deleted."""
        with self._lock:
            data = self._tasks.get(task_id)
            return data.stored if data else None

    def find_deletion(self, task_id: str) -> Deletion | None:
        """Return what is left of a deleted task."""
        return self._deletions.get(task_id)

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Return tasks in the order of their ids, starting after a given id."""
        with self._lock:
            ids = sorted(self._tasks)
            start = bisect_right(ids, after)
            return [self._tasks[task_id].stored for task_id in ids[start : start + limit]]

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.stored.closed is None:
                data.stored = replace(data.stored, closed=day)
            return data is not None

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with its reports, parts and invitations."""
        with self._lock:
            data = self._tasks.pop(task_id, None)
            if data:
                counted = sum(part.reports for part in data.parts.values())
                self._deletions[task_id] = Deletion(task_id, day, counted)
            return self._deletions.get(task_id)

    def add_reports(self, uploads: Sequence[Upload]) -> list[list[ReportOutcome]]:
        """Add the reports of many requests in one step."""
        batches = group_by_task(uploads)
        with self._lock:
            tasks = {task_id: self._tasks[task_id] for task_id in batches if task_id in self._tasks}
            decisions = {task_id: data.decide(batches[task_id]) for task_id, data in tasks.items()}
            # All are tallied before any is stored: an invalid report leaves everything as it was.
            tallies = {task_id: data.tally(decisions[task_id]) for task_id, data in tasks.items()}
            for task_id, data in tasks.items():
                data.apply(decisions[task_id], tallies[task_id])
        gone = {task_id: refuse_all(batch, ReportOutcome.TASK_GONE) for task_id, batch in batches.items()}
        return outcomes_per_upload(uploads, gone | decisions)

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored bodies of those of the given ids that a task has."""
        with self._lock:
            data = self._tasks.get(task_id)
            reports = data.reports if data else {}
            return {report_id: reports[report_id] for report_id in ids if report_id in reports}

    def parts(self, task_id: str) -> list[TallyPart]:
        """Return the parts whose tallies add up to the task's tally."""
        with self._lock:
            data = self._tasks.get(task_id)
            return [data.parts[number] for number in sorted(data.parts)] if data else []

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None:
                return 0
            sizes = {number: len(part.tally) for number, part in data.parts.items()}
            numbers = choose_parts_to_merge(sizes, fully=fully)
            tallies = [data.parts.pop(number).tally for number in numbers]
            if tallies:
                data.add_part(merge_parts(data.stored.task, tallies))
            return len(tallies)

    def tasks_to_compact(self, parts: int) -> list[str]:
        """Return the ids of the tasks that have at least this many parts."""
        with self._lock:
            return sorted(
                task_id for task_id, data in self._tasks.items() if len(data.parts) >= max(1, parts)
            )

    def part_numbers(self, task_id: str) -> list[int]:
        """Return the numbers of a task's parts."""
        return [part.number for part in self.parts(task_id)]

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """Return how many reports each task's parts count."""
        return {task_id: sum(part.reports for part in self.parts(task_id)) for task_id in task_ids}

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their ids."""
        with self._lock:
            data = self._tasks.get(task_id)
            reports = sorted(data.reports.items()) if data else []
        for start in range(0, len(reports), batch):
            yield [Report(*row) for row in reports[start : start + batch]]

    @contextmanager
    def snapshot(self) -> Iterator[MemoryStore]:
        """Return a context with the parts and reports of one moment: others wait."""
        with self._lock:
            yield self

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a closed task and keep its tally."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None:
                return 0
            if data.stored.phase(day) is not Phase.CLOSED:
                raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
            data.stored = replace(data.stored, reports_forgotten=data.stored.reports_forgotten or day)
            forgotten = len(data.reports)
            data.reports.clear()
            return forgotten

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""
        with self._lock:
            if role is Role.ADMINISTRATOR:
                self._tokens = {token for token in self._tokens if token[0] is not role}
            self._tokens.add((role, token_hash))

    def add_first_token(self, token_hash: bytes) -> bool:
        """Store an administrator's token if there is none yet; return whether it was stored."""
        with self._lock:
            if any(role is Role.ADMINISTRATOR for role, _ in self._tokens):
                return False
            self._tokens.add((Role.ADMINISTRATOR, token_hash))
            return True

    def tokens(self) -> list[tuple[Role, bytes]]:
        """Return the hashes of all tokens."""
        with self._lock:
            return sorted(self._tokens)

    def session_key(self) -> bytes:
        """Return the key that signs sessions."""
        return self._session_key

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; return False if it is unknown."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, by_invitation=True)
                data.invitations = dict.fromkeys(hashes, False) | data.invitations
            return data is not None

    def integrity_errors(self) -> list[str]:
        """Return nothing: memory has no files."""
        return []
