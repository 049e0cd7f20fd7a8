"""The store in memory, for tests and trials: the same decisions as everywhere, gone with its process."""

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
    Outcome,
    Part,
    Role,
    StoredTask,
    Upload,
    may_forget,
)
from pckv.store.parts import merge_parts, tally_of, worth_folding
from pckv.store.uploads import Batch, Verdict, decide, gather, refuse, scatter
from pckv.tally import Tally
from pckv.task import Task
from pckv.wire import Report


@dataclass
class _Room:
    """All that belongs to one task."""

    stored: StoredTask
    reports: dict[bytes, bytes] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    invitations: dict[bytes, bool] = field(default_factory=dict)

    def decide(self, batch: Batch) -> Verdict:
        if self.stored.closed or self.stored.reports_forgotten:
            return refuse(batch, Outcome.TASK_CLOSED)
        known = {report.id: self.reports[report.id] for report in batch.reports if report.id in self.reports}
        return decide(batch, known, self.invitations if self.stored.by_invitation else None)

    def tally(self, verdict: Verdict) -> Tally:
        return tally_of(self.stored.task, [report.body for report in verdict.stored])

    def keep(self, verdict: Verdict, tally: Tally) -> None:
        if verdict.stored:
            self.reports.update(verdict.stored)
            self.invitations.update(dict.fromkeys(verdict.spent, True))
            self.add_part(tally)

    def add_part(self, tally: Tally) -> None:
        number = secrets.randbits(63)
        self.parts[number] = Part(number, bytes(tally), tally.reports)


class MemoryStore:
    """A `Store` that forgets."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rooms: dict[str, _Room] = {}
        self._deletions: dict[str, Deletion] = {}
        self._tokens: set[tuple[Role, bytes]] = set()
        self._session_key = secrets.token_bytes(SESSION_KEY_BYTES)

    def prepare(self) -> None:
        """Nothing to bring up to date."""

    def ping(self) -> None:
        """Memory is always there."""

    def close(self) -> None:
        """Nothing to let go of."""

    def add_task(self, task: Task) -> bool:
        """Add a task; False if it was there."""
        with self._lock:
            if task.id in self._deletions:
                raise TaskGone(f"task {task.id} was deleted")
            if task.id in self._rooms:
                return False
            self._rooms[task.id] = _Room(StoredTask(task, None, by_invitation=False, reports_forgotten=None))
            return True

    def find_task(self, task_id: str) -> StoredTask | None:
        """A task that was not deleted."""
        with self._lock:
            room = self._rooms.get(task_id)
            return room.stored if room else None

    def find_deletion(self, task_id: str) -> Deletion | None:
        """What is left of a deleted task."""
        return self._deletions.get(task_id)

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Tasks in the order of their ids, from beyond one."""
        with self._lock:
            ids = sorted(self._rooms)
            start = bisect_right(ids, after)
            return [self._rooms[task_id].stored for task_id in ids[start : start + limit]]

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; False if it is unknown."""
        with self._lock:
            room = self._rooms.get(task_id)
            if room and room.stored.closed is None:
                room.stored = replace(room.stored, closed=day)
            return room is not None

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with its reports, parts and invitations."""
        with self._lock:
            room = self._rooms.pop(task_id, None)
            if room:
                counted = sum(part.reports for part in room.parts.values())
                self._deletions[task_id] = Deletion(task_id, day, counted)
            return self._deletions.get(task_id)

    def add_reports(self, uploads: Sequence[Upload]) -> list[list[Outcome]]:
        """Add the reports of many requests in one step."""
        batches = gather(uploads)
        with self._lock:
            rooms = {task_id: self._rooms[task_id] for task_id in batches if task_id in self._rooms}
            verdicts = {task_id: room.decide(batches[task_id]) for task_id, room in rooms.items()}
            # All are tallied before any is kept: a report that is none leaves everything as it was.
            tallies = {task_id: room.tally(verdicts[task_id]) for task_id, room in rooms.items()}
            for task_id, room in rooms.items():
                room.keep(verdicts[task_id], tallies[task_id])
        gone = {task_id: refuse(batch, Outcome.TASK_GONE) for task_id, batch in batches.items()}
        return scatter(uploads, gone | verdicts)

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies that are stored under some ids of a task."""
        with self._lock:
            room = self._rooms.get(task_id)
            return {each: room.reports[each] for each in ids if each in room.reports} if room else {}

    def parts(self, task_id: str) -> list[Part]:
        """The parts whose tallies add up to the task's."""
        with self._lock:
            room = self._rooms.get(task_id)
            return [room.parts[number] for number in sorted(room.parts)] if room else []

    def compact(self, task_id: str, *, all_of_them: bool = False) -> int:
        """Fold those parts of a task that are worth it into one, or all."""
        with self._lock:
            room = self._rooms.get(task_id)
            if room is None:
                return 0
            sizes = {number: len(part.tally) for number, part in room.parts.items()}
            numbers = worth_folding(sizes, all_of_them=all_of_them)
            folded = [room.parts.pop(number).tally for number in numbers]
            if folded:
                room.add_part(merge_parts(room.stored.task, folded))
            return len(folded)

    def tasks_to_compact(self, parts: int) -> list[str]:
        """The tasks with at least so many parts."""
        with self._lock:
            many = (task_id for task_id, room in self._rooms.items() if len(room.parts) >= max(1, parts))
            return sorted(many)

    def part_numbers(self, task_id: str) -> list[int]:
        """The numbers of a task's parts."""
        return [part.number for part in self.parts(task_id)]

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """How many reports the parts of tasks have counted."""
        return {task_id: sum(part.reports for part in self.parts(task_id)) for task_id in task_ids}

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """All reports of a task in the order of their ids."""
        with self._lock:
            room = self._rooms.get(task_id)
            found = sorted(room.reports.items()) if room else []
        for start in range(0, len(found), batch):
            yield [Report(*item) for item in found[start : start + batch]]

    @contextmanager
    def snapshot(self) -> Iterator[MemoryStore]:
        """Parts and reports of one moment: others wait."""
        with self._lock:
            yield self

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a closed task and keep its tally."""
        with self._lock:
            room = self._rooms.get(task_id)
            if room is None:
                return 0
            if not may_forget(room.stored, day):
                raise ParameterError(f"task {task_id} is open: its reports tell repeated ones apart")
            room.stored = replace(room.stored, reports_forgotten=room.stored.reports_forgotten or day)
            forgotten = len(room.reports)
            room.reports.clear()
            return forgotten

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""
        with self._lock:
            if role is Role.ADMINISTRATOR:
                self._tokens = {token for token in self._tokens if token[0] is not role}
            self._tokens.add((role, token_hash))

    def tokens(self) -> list[tuple[Role, bytes]]:
        """The hashes of all tokens."""
        with self._lock:
            return sorted(self._tokens)

    def session_key(self) -> bytes:
        """The key that signs sessions."""
        return self._session_key

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; False if it is unknown."""
        with self._lock:
            room = self._rooms.get(task_id)
            if room:
                room.stored = replace(room.stored, by_invitation=True)
                room.invitations = dict.fromkeys(hashes, False) | room.invitations
            return room is not None

    def damage(self) -> list[str]:
        """Memory has no files."""
        return []
