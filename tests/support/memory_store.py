"""The store in memory, the oracle of tests: the same decisions as the databases, gone with its process."""

from __future__ import annotations

import secrets
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pckv.base.days import Phase
from pckv.base.errors import ParameterError, TaskGone
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.survey import survey_of
from pckv.contract.task import Task
from pckv.store.base import (
    ALL_TASKS,
    MAX_SESSIONS_PER_TOKEN,
    AlarmCheck,
    Deletion,
    Invitation,
    InvitationState,
    Part,
    PartChanges,
    PartSummary,
    ReportDay,
    ReportOutcome,
    Role,
    Session,
    StoredPart,
    StoredRound,
    StoredSeries,
    StoredTask,
    TaskChanges,
    TaskFilter,
    Upload,
)
from pckv.store.duplicates import (
    BatchDecision,
    TaskBatch,
    decide,
    group_by_task,
    has_server_coin,
    outcomes_per_upload,
    refuse_all,
)
from pckv.store.parts import choose_compaction, compact_parts, count_all_words, new_part


@dataclass
class _TaskData:
    """Everything that belongs to one task."""

    stored: StoredTask
    reports: dict[bytes, bytes] = field(default_factory=dict)
    parts: dict[int, StoredPart] = field(default_factory=dict)
    invitations: dict[bytes, Invitation] = field(default_factory=dict)
    days: Counter[str] = field(default_factory=Counter)
    alarm_check_begun: int | None = None
    alarm_check: AlarmCheck | None = None

    def decide(self, batch: TaskBatch) -> BatchDecision:
        if self.stored.closed or self.stored.reports_forgotten:
            return refuse_all(batch, ReportOutcome.TASK_CLOSED)
        known = {report.id: self.reports[report.id] for report in batch.reports if report.id in self.reports}
        invitations = self.invitations if self.stored.by_invitation else None
        return decide(batch, known, invitations, by_coin=has_server_coin(self.stored.task))

    def new_part(self, decision: BatchDecision) -> Part:
        return new_part(self.stored.task, [report.body for report in decision.stored])

    def apply(self, decision: BatchDecision, part: Part, day: str) -> None:
        if decision.stored:
            self.days[day] += part.reports
            self.reports.update(decision.stored)
            self.invitations.update(dict.fromkeys(decision.spent, Invitation(spent=True)))
            self.add_part(part)

    def as_round(self, number: int) -> StoredRound:
        stored, task = self.stored, self.stored.task
        days = (task.opens or "", task.closes or "", stored.closed, stored.reports_forgotten)
        return StoredRound(number, task.id, *days, sum(part.reports for part in self.parts.values()))

    def add_part(self, part: Part) -> None:
        number = secrets.randbits(63)
        self.parts[number] = StoredPart(number, *part)

    def replace_parts(self, numbers: Sequence[int], part: Part) -> int:
        if not all(number in self.parts for number in numbers):
            return 0
        for number in numbers:
            del self.parts[number]
        self.add_part(part)
        return len(numbers)


def _summary(part: StoredPart) -> PartSummary:
    return PartSummary(part.number, part.uncounted, len(part.content))


class MemoryStore:
    """A `Store` that is not durable."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tokens: set[tuple[Role, bytes]] = set()
        self._sessions: dict[bytes, Session] = {}
        self._series: dict[str, StoredSeries] = {}
        self._tasks: dict[str, _TaskData] = {}
        self._deletions: dict[str, Deletion] = {}
        self._created = 0

    def prepare(self) -> None:
        """Do nothing: there is no schema."""

    def ping(self) -> None:
        """Do nothing: memory always answers."""

    def close(self) -> None:
        """Do nothing: there are no connections."""

    def add_task(self, task: Task, day: str) -> bool:
        """Add a task on a day; return False if it is stored already."""
        with self._lock:
            if task.id in self._deletions:
                raise TaskGone(f"task {task.id} was deleted")
            if task.id in self._tasks:
                return False
            self._created += 1
            stored = StoredTask(task, day, has_server_coin(task), number=self._created)
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

    def newest_tasks(
        self, limit: int, before: int | None = None, chosen: TaskFilter = ALL_TASKS
    ) -> list[StoredTask]:
        """Return tasks in the reverse order of their creation."""
        with self._lock:
            stored = [data.stored for data in reversed(self._tasks.values()) if chosen.admits(data.stored)]
        return [task for task in stored if before is None or task.number < before][:limit]

    def change_task(self, task_id: str, changes: TaskChanges) -> bool:
        """Change what may be changed about a task; return False if it is unknown."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, **changes)
            return data is not None

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.stored.closed is None:
                data.stored = replace(data.stored, closed=day)
            return data is not None

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with everything that belongs to it."""
        with self._lock:
            data = self._tasks.pop(task_id, None)
            if data:
                counted = sum(part.reports for part in data.parts.values())
                self._deletions[task_id] = Deletion(task_id, day, counted, erased=True)
            return self._deletions.get(task_id)

    def add_reports(self, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
        """Add the reports of many requests in one step."""
        batches = group_by_task(uploads)
        with self._lock:
            tasks = {task_id: self._tasks[task_id] for task_id in batches if task_id in self._tasks}
            decisions = {task_id: data.decide(batches[task_id]) for task_id, data in tasks.items()}
            # All parts are made before any is stored: an invalid report leaves everything as it was.
            parts = {task_id: data.new_part(decisions[task_id]) for task_id, data in tasks.items()}
            for task_id, data in tasks.items():
                data.apply(decisions[task_id], parts[task_id], day)
        gone = {task_id: refuse_all(batch, ReportOutcome.TASK_GONE) for task_id, batch in batches.items()}
        return outcomes_per_upload(uploads, gone | decisions)

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored bodies of those of the given ids that a task has."""
        with self._lock:
            data = self._tasks.get(task_id)
            reports = data.reports if data else {}
            return {report_id: reports[report_id] for report_id in ids if report_id in reports}

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally."""
        with self._lock:
            data = self._tasks.get(task_id)
            return [data.parts[number] for number in sorted(data.parts)] if data else []

    def part_changes(self, task_id: str, known: Collection[int]) -> PartChanges:
        """Return the parts that came since the parts with the known numbers were read."""
        parts = self.parts(task_id)
        replaced = not set(known) <= {part.number for part in parts}
        return PartChanges(replaced, [part for part in parts if replaced or part.number not in known])

    def part_summaries(self, task_id: str) -> list[PartSummary]:
        """Return a task's parts without their contents."""
        return [_summary(part) for part in self.parts(task_id)]

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one; uploads go on meanwhile."""
        stored = self.find_task(task_id)
        if stored is None:
            return 0
        parts = {part.number: part for part in self.parts(task_id)}
        compaction = choose_compaction(stored.task, [_summary(part) for part in parts.values()], fully=fully)
        if not compaction.numbers:
            return 0
        contents = (parts[number].content for number in compaction.numbers)
        total = compact_parts(stored.task, contents, compaction)
        with self._lock:
            data = self._tasks.get(task_id)
            return data.replace_parts(compaction.numbers, total) if data else 0

    def tasks_to_compact(self, parts: int, uncounted: int) -> list[str]:
        """Return the ids of the tasks that have at least this many parts, or uncounted reports."""
        found = []
        for task_id in sorted(self._tasks):
            summaries = self.part_summaries(task_id)
            waiting = sum(part.uncounted for part in summaries)
            if summaries and (len(summaries) >= parts or waiting >= uncounted):
                found.append(task_id)
        return found

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """Return how many reports each task's parts count."""
        return {task_id: sum(part.reports for part in self.parts(task_id)) for task_id in task_ids}

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order."""
        with self._lock:
            data = self._tasks.get(task_id)
            return [ReportDay(*row) for row in sorted(data.days.items())] if data else []

    def _all_rounds(self, series_id: str) -> list[StoredRound]:
        with self._lock:
            return sorted(
                data.as_round(data.stored.task.series.round)
                for data in self._tasks.values()
                if data.stored.task.series is not None and data.stored.task.series.id == series_id
            )

    def last_report_days(self, task_ids: Sequence[str]) -> dict[str, str]:
        """Return the last day on which a report came, of those tasks that have one."""
        days = {task_id: self.report_days(task_id) for task_id in task_ids}
        return {task_id: listed[-1].day for task_id, listed in days.items() if listed}

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
            if data is None or data.stored.reports_forgotten:
                return 0
            if data.stored.phase(day) is not Phase.CLOSED:
                raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
            data.stored = replace(data.stored, reports_forgotten=day)
            forgotten = len(data.reports)
            data.reports.clear()
        count_all_words(self, task_id)
        return forgotten

    def erase_deleted(self) -> None:
        """Do nothing: there are no files."""

    def pending_erasures(self) -> list[str]:
        """Return nothing: there are no files."""
        return []

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task; return False if it is unknown."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, by_invitation=True)
                data.invitations = dict.fromkeys(hashes, Invitation(spent=False)) | data.invitations
            return data is not None

    def invitation_state(self, task_id: str, invitation: bytes) -> InvitationState:
        """Return whether an invitation, given by its hash, admits a report of a task."""
        with self._lock:
            data = self._tasks.get(task_id)
            stored = data.invitations.get(invitation) if data else None
            return stored.state if stored else InvitationState.UNKNOWN

    def issue_coin(self, task_id: str, invitation: bytes, coin: bytes) -> bytes | InvitationState:
        """Return the coin of an invitation: the given one, unless it has one already."""
        with self._lock:
            state = self.invitation_state(task_id, invitation)
            if state is not InvitationState.VALID:
                return state
            invitations = self._tasks[task_id].invitations
            issued = invitations[invitation].coin or coin
            invitations[invitation] = Invitation(spent=False, coin=issued)
            return issued

    def add_series(self, series: Series, day: str) -> bool:
        """Add a series on a day; return False if it is stored already."""
        with self._lock:
            if series.id in self._series:
                return False
            number = len(self._series) + 1
            self._series[series.id] = StoredSeries(series, day, number=number)
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

    def add_round(self, task: Task, day: str) -> bool:
        """Add the task of a round, unless its series is unknown or closed; return False if nothing was added."""
        with self._lock:
            stored = self._series.get(task.series.id) if task.series else None
            return stored is not None and stored.closed is None and self.add_task(task, day)

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        """Return the last rounds of a series that have a task, in order."""
        listed = self._all_rounds(series_id)
        return [one for one in listed if before is None or one.number < before][-limit:]

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""
        with self._lock:
            if role is Role.ADMINISTRATOR:
                self._tokens = {token for token in self._tokens if token[0] is not role}
                self._end_sessions(lambda session: session.role is role)
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

    def find_role(self, token_hash: bytes) -> Role | None:
        """Return whom a stored token authorises: of two roles, the administrator's."""
        return min((role for role, stored in self.tokens() if stored == token_hash), default=None)

    def revoke_token(self, token_hash: bytes) -> bool:
        """Delete a token and end its sessions; return False if it is unknown."""
        with self._lock:
            left = {token for token in self._tokens if token[1] != token_hash}
            known, self._tokens = len(left) < len(self._tokens), left
            self._end_sessions(lambda session: session.token == token_hash)
            return known

    def add_session(self, session: Session) -> None:
        """Remember a session; beyond a number of sessions per token, those that end first are ended."""
        with self._lock:
            self._sessions.setdefault(session.hash, session)
            same = [other for other in self._sessions.values() if other.token == session.token]
            same.sort(key=lambda other: (-other.expires, other.hash))
            for other in same[MAX_SESSIONS_PER_TOKEN:]:
                del self._sessions[other.hash]

    def find_session(self, session_hash: bytes) -> Session | None:
        """Return a session that has not been ended, also after its time."""
        return self._sessions.get(session_hash)

    def end_session(self, session_hash: bytes) -> bool:
        """End a session; return False if it is unknown."""
        return self._end_sessions(lambda session: session.hash == session_hash) > 0

    def end_expired_sessions(self, now: int) -> int:
        """End all sessions whose time is over; return how many."""
        return self._end_sessions(lambda session: session.expires <= now)

    def _end_sessions(self, ends: Callable[[Session], bool]) -> int:
        with self._lock:
            left = {key: session for key, session in self._sessions.items() if not ends(session)}
            ended, self._sessions = len(self._sessions) - len(left), left
            return ended

    def count_sessions(self, now: int) -> dict[bytes, int]:
        """Return the number of sessions that end after a time, by the hash of the token, for tokens that have some."""
        with self._lock:
            live = [session for session in self._sessions.values() if session.expires > now]
        return dict(Counter(session.token for session in live))

    def claim_alarm_check(self, task_id: str, now: int, pause: int) -> bool:
        """Note that a check of a task begins now; return False if one began less than a pause before or after."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None or (
                data.alarm_check_begun is not None and abs(data.alarm_check_begun - now) < pause
            ):
                return False
            data.alarm_check_begun = now
            return True

    def record_alarm_check(self, task_id: str, check: AlarmCheck) -> None:
        """Keep what a claimed check found in place of the check before."""
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.alarm_check_begun is not None:
                data.alarm_check = check

    def alarm_checks(self, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        """Return the last checks that were recorded, of those tasks that have one."""
        with self._lock:
            found = {task_id: self._tasks[task_id] for task_id in task_ids if task_id in self._tasks}
            return {task_id: data.alarm_check for task_id, data in found.items() if data.alarm_check}

    def backup(self, *_args: object, **_options: object) -> None:
        """Refuse: what is in memory ends with its process."""
        raise ParameterError("a store in memory has no backup")

    def integrity_errors(self) -> list[str]:
        """Return nothing: memory has no files."""
        return []
