"""The store in memory, the oracle of tests: the same decisions as the databases, gone with its process."""

from __future__ import annotations

import secrets
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, cast

from pckv.base.days import Phase
from pckv.base.errors import NameTaken, ParameterError, TaskGone
from pckv.base.limits import SERVER_COIN
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.survey import survey_of
from pckv.contract.task import Task
from pckv.store.base import (
    ALL_TASKS,
    MAX_SESSIONS_PER_TOKEN,
    AlarmCheck,
    Deletion,
    Draft,
    DraftSummary,
    FetchedBatch,
    Invitation,
    InvitationCounts,
    InvitationState,
    KeyedTask,
    Logo,
    Organisation,
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
from pckv.store.duplicates import BatchDecision, TaskBatch, decide, group_by_task, outcomes_per_upload, refuse_all
from pckv.store.parts import choose_compaction, compact_parts, new_part
from pckv.store.sql.reports import Snapshot
from pckv.store.store import Store


@dataclass
class _TaskData:
    """Everything that belongs to one task."""

    stored: StoredTask
    closed_with_series: bool = False
    reports: dict[bytes, bytes] = field(default_factory=dict)
    parts: dict[int, StoredPart] = field(default_factory=dict)
    invitations: dict[bytes, Invitation] = field(default_factory=dict)
    days: Counter[str] = field(default_factory=Counter)
    alarm_check_begun: int | None = None
    alarm_check: AlarmCheck | None = None
    batch: FetchedBatch = field(default_factory=FetchedBatch)

    def decide(self, batch: TaskBatch) -> BatchDecision:
        if self.stored.closed or self.stored.reports_forgotten or self.stored.binned:
            return refuse_all(batch, ReportOutcome.TASK_CLOSED)
        known = {report.id: self.reports[report.id] for report in batch.reports if report.id in self.reports}
        invitations = self.invitations if self.stored.by_invitation else None
        return decide(batch, known, invitations, by_coin=self.stored.task.coin == SERVER_COIN)

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


def _is_listed(chosen: TaskFilter, stored: StoredTask) -> bool:
    if stored.binned is not None:
        return False
    named = chosen.search.casefold() in stored.task.name.casefold()
    among = chosen.rounds or stored.task.series is None
    return named and among and (chosen.phase is None or stored.phase(chosen.day) is chosen.phase)


class MemoryStore(Store):
    """A `Store` that is not durable."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._tokens: set[tuple[Role, bytes]] = set()
        self._sessions: dict[bytes, Session] = {}
        self._series: dict[str, StoredSeries] = {}
        self._tasks: dict[str, _TaskData] = {}
        self._deletions: dict[str, Deletion] = {}
        self._created = 0
        self._drafts: dict[str, Draft] = {}
        self._organisation: str | None = None
        self._logo: Logo | None = None

    def _read(self, *_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a store in memory has no SQL")

    _write = _check_erasures = _read

    def prepare(self) -> None:
        """Do nothing: there is no schema."""

    def ping(self) -> None:
        """Do nothing: memory always answers."""

    def check_writable(self) -> None:
        """Do nothing: memory can always be written to."""

    def close(self) -> None:
        """Do nothing: there are no connections."""

    def add_task(self, task: Task, day: str) -> bool:
        with self._lock:
            if task.id in self._deletions:
                raise TaskGone(f"task {task.id} was deleted")
            if task.id in self._tasks:
                if self._tasks[task.id].stored.binned:
                    raise TaskGone(f"task {task.id} is in the bin")
                return False
            self._take_survey(task)
            self._created += 1
            stored = StoredTask(task, day, task.coin == SERVER_COIN, number=self._created)
            self._tasks[task.id] = _TaskData(stored)
            return True

    def _take_survey(self, contract: Task | Series) -> None:
        if isinstance(contract, Task) and contract.series is not None:
            return
        if (owner := self.survey_owner(contract.name)) not in {None, contract.id}:
            raise NameTaken(f"{owner} has the name {contract.name!r} (case and spaces do not count)")

    def survey_owner(self, name: str) -> str | None:
        tasks = [data.stored for data in self._tasks.values()]
        named: list[Task | Series] = [one.task for one in tasks if one.binned is None and one.task.series is None]
        named += [one.series for one in self._series.values()]
        return next((one.id for one in named if survey_of(one.name) == survey_of(name)), None)

    def find_task(self, task_id: str) -> StoredTask | None:
        with self._lock:
            data = self._tasks.get(task_id)
            return data.stored if data else None

    def find_deletion(self, task_id: str) -> Deletion | None:
        return self._deletions.get(task_id)

    def list_tasks(self, limit: int, after: str = "", *, with_binned: bool = False) -> list[StoredTask]:
        with self._lock:
            ids = sorted(key for key, data in self._tasks.items() if with_binned or data.stored.binned is None)
            start = bisect_right(ids, after)
            return [self._tasks[task_id].stored for task_id in ids[start : start + limit]]

    def newest_tasks(self, limit: int, before: int | None = None, chosen: TaskFilter = ALL_TASKS) -> list[StoredTask]:
        with self._lock:
            stored = [data.stored for data in reversed(self._tasks.values()) if _is_listed(chosen, data.stored)]
        return [task for task in stored if before is None or task.number < before][:limit]

    def change_task(self, task_id: str, changes: TaskChanges) -> bool:
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, **changes)
            return data is not None

    def close_task(self, task_id: str, day: str) -> bool:
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.stored.closed is None:
                data.stored = replace(data.stored, closed=day)
            return data is not None

    def reopen_task(self, task_id: str, day: str) -> bool:
        with self._lock:
            if data := self._tasks.get(task_id):
                if refusal := data.stored.reopening_refusal(day):
                    raise ParameterError(refusal)
                data.stored = replace(data.stored, closed=None)
            return data is not None

    def bin_task(self, task_id: str, day: str) -> StoredTask | None:
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, binned=data.stored.binned or day)
            return data.stored if data else None

    def restore_task(self, task_id: str, day: str) -> StoredTask | None:
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.stored.is_expired(day):
                raise TaskGone(f"task {task_id} was in the bin until {data.stored.binned_until}")
            if data and data.stored.binned is not None:
                self._take_survey(data.stored.task)
                data.stored = replace(data.stored, binned=None)
            return data.stored if data else None

    def binned_tasks(self) -> list[StoredTask]:
        with self._lock:
            found = [data.stored for data in self._tasks.values() if data.stored.binned is not None]
        return sorted(found, key=lambda stored: (stored.binned, stored.number), reverse=True)

    def delete_task(self, task_id: str, day: str, *, expired: bool = False) -> Deletion | None:
        with self._lock:
            known = self._tasks.get(task_id)
            if expired and not (known and known.stored.is_expired(day)):
                return self._deletions.get(task_id)
            data = self._tasks.pop(task_id, None)
            if data:
                counted = sum(part.reports for part in data.parts.values())
                self._deletions[task_id] = Deletion(task_id, day, counted, erased=True)
            return self._deletions.get(task_id)

    def add_reports(self, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
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

    def find_batch(self, task_id: str) -> FetchedBatch | None:
        return self.fetched_batches([task_id]).get(task_id)

    def fetched_batches(self, task_ids: Sequence[str]) -> dict[str, FetchedBatch]:
        with self._lock:
            return {task_id: data.batch for task_id, data in self._mixed().items() if task_id in task_ids}

    def _mixed(self) -> dict[str, _TaskData]:
        return {task_id: data for task_id, data in sorted(self._tasks.items()) if data.stored.task.mixer is not None}

    def unfinished_batches(self) -> list[str]:
        with self._lock:
            return [task_id for task_id, data in self._mixed().items() if not data.batch.is_final]

    def tasks_with_key(self, key: str) -> list[KeyedTask]:
        with self._lock:
            tasks = [(data.stored.task, data.batch.is_final) for data in self._mixed().values()]
        mixed = [(task, is_final) for task, is_final in tasks if task.mixer is not None and task.mixer.key == key]
        return [KeyedTask(task.id, task.series.id if task.series else None, is_final) for task, is_final in mixed]

    def claim_batch(self, task_id: str, now: int, pause: int) -> bool:
        with self._lock:
            data = self._mixed().get(task_id)
            if data is None or data.batch.next_try > now:
                return False
            data.batch = data.batch._replace(next_try=now + pause)
            return True

    def record_batch(self, task_id: str, batch: FetchedBatch) -> None:
        with self._lock:
            if task_id in self._tasks:
                self._tasks[task_id].batch = batch

    def add_opened_reports(self, task_id: str, opened: Sequence[Report], day: str) -> bool:
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None or data.stored.reports_forgotten:
                return False
            known = {report.id: data.reports[report.id] for report in opened if report.id in data.reports}
            decision = decide(TaskBatch(list(opened), [None] * len(opened)), known)
            data.apply(decision, data.new_part(decision), day)
            return True

    def parts(self, task_id: str) -> list[StoredPart]:
        with self._lock:
            data = self._tasks.get(task_id)
            return [data.parts[number] for number in sorted(data.parts)] if data else []

    def part_changes(self, task_id: str, known: Collection[int]) -> PartChanges:
        parts = self.parts(task_id)
        replaced = not set(known) <= {part.number for part in parts}
        return PartChanges(replaced, [part for part in parts if replaced or part.number not in known])

    def part_summaries(self, task_id: str) -> list[PartSummary]:
        return [_summary(part) for part in self.parts(task_id)]

    def compact(self, task_id: str, *, fully: bool = False) -> int:
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
        found = []
        for task_id in sorted(self._tasks):
            summaries = self.part_summaries(task_id)
            waiting = sum(part.uncounted for part in summaries)
            if summaries and (len(summaries) >= parts or waiting >= uncounted):
                found.append(task_id)
        return found

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        return {task_id: sum(part.reports for part in self.parts(task_id)) for task_id in task_ids}

    def report_days(self, task_id: str) -> list[ReportDay]:
        with self._lock:
            data = self._tasks.get(task_id)
            return [ReportDay(*row) for row in sorted(data.days.items())] if data else []

    def _all_rounds(self, series_id: str, *, with_binned: bool = False) -> list[StoredRound]:
        with self._lock:
            return sorted(
                data.as_round(data.stored.task.series.round)
                for data in self._tasks.values()
                if data.stored.task.series is not None
                and data.stored.task.series.id == series_id
                and (with_binned or data.stored.binned is None)
            )

    def last_report_days(self, task_ids: Sequence[str]) -> dict[str, str]:
        days = {task_id: self.report_days(task_id) for task_id in task_ids}
        return {task_id: listed[-1].day for task_id, listed in days.items() if listed}

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        with self._lock:
            data = self._tasks.get(task_id)
            reports = sorted(data.reports.items()) if data else []
        for start in range(0, len(reports), batch):
            yield [Report(*row) for row in reports[start : start + batch]]

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        # Others wait.
        with self._lock:
            yield cast("Snapshot", self)

    def forget_reports(self, task_id: str, day: str) -> int:
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None or data.stored.reports_forgotten:
                return 0
            if data.stored.phase(day) is not Phase.CLOSED:
                raise ParameterError(f"task {task_id} is open: its reports are needed to recognise repeats")
            data.stored = replace(data.stored, reports_forgotten=day)
            forgotten = len(data.reports)
            data.reports.clear()
        self._count_all_words(task_id)
        return forgotten

    def erase_deleted(self) -> None:
        """Do nothing: there are no files."""

    def pending_erasures(self) -> list[str]:
        """Return nothing: there are no files."""
        return []

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        with self._lock:
            data = self._tasks.get(task_id)
            if data:
                data.stored = replace(data.stored, by_invitation=True)
                data.invitations = dict.fromkeys(hashes, Invitation(spent=False)) | data.invitations
            return data is not None

    def invitation_counts(self, task_id: str) -> InvitationCounts:
        with self._lock:
            data = self._tasks.get(task_id)
            made = data.invitations.values() if data else ()
            return InvitationCounts(len(made), sum(one.spent for one in made))

    def invitation_state(self, task_id: str, invitation: bytes) -> InvitationState:
        with self._lock:
            data = self._tasks.get(task_id)
            stored = data.invitations.get(invitation) if data else None
            if stored is None:
                return InvitationState.UNKNOWN
            return InvitationState.SPENT if stored.spent else InvitationState.VALID

    def issue_coin(self, task_id: str, invitation: bytes, coin: bytes) -> bytes | InvitationState:
        with self._lock:
            state = self.invitation_state(task_id, invitation)
            if state is not InvitationState.VALID:
                return state
            invitations = self._tasks[task_id].invitations
            issued = invitations[invitation].coin or coin
            invitations[invitation] = Invitation(spent=False, coin=issued)
            return issued

    def add_series(self, series: Series, day: str) -> bool:
        with self._lock:
            if series.id in self._series:
                return False
            self._take_survey(series)
            number = len(self._series) + 1
            self._series[series.id] = StoredSeries(series, day, number=number)
            return True

    def find_series(self, series_id: str) -> StoredSeries | None:
        with self._lock:
            return self._series.get(series_id)

    def list_series(self, limit: int, before: int | None = None) -> list[StoredSeries]:
        with self._lock:
            stored = list(reversed(self._series.values()))
        return [series for series in stored if before is None or series.number < before][:limit]

    def close_series(self, series_id: str, day: str) -> bool:
        with self._lock:
            stored = self._series.get(series_id)
            if stored is None:
                return False
            self._series[series_id] = replace(stored, closed=stored.closed or day)
            for listed in self._all_rounds(series_id, with_binned=True):
                if listed.closes > day and listed.closed is None:
                    self.close_task(listed.task, day)
                    self._tasks[listed.task].closed_with_series = True
            return True

    def reopen_series(self, series_id: str, day: str) -> bool:
        with self._lock:
            stored = self._series.get(series_id)
            if stored and stored.closed:
                if refusal := stored.reopening_refusal(day):
                    raise ParameterError(refusal)
                self._series[series_id] = replace(stored, closed=None)
                for one in self._all_rounds(series_id, with_binned=True):
                    data, is_left = self._tasks[one.task], one.closes > day and not one.reports_forgotten
                    if data.closed_with_series and is_left:
                        data.stored, data.closed_with_series = replace(data.stored, closed=None), False
            return stored is not None

    def add_round(self, task: Task, day: str) -> bool:
        with self._lock:
            stored = self._series.get(task.series.id) if task.series else None
            return stored is not None and stored.closed is None and self.add_task(task, day)

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        listed = self._all_rounds(series_id)
        return [one for one in listed if before is None or one.number < before][-limit:]

    def add_draft(self, draft: Draft, limit: int) -> bool:
        with self._lock:
            if len(self._drafts) < limit:
                self._drafts.setdefault(draft.id, draft)
            return draft.id in self._drafts

    def change_draft(self, draft: Draft) -> bool:
        with self._lock:
            known = self.delete_draft(draft.id)
            if known:
                self._drafts[draft.id] = draft
            return known

    def list_drafts(self) -> list[DraftSummary]:
        with self._lock:
            return [DraftSummary(*draft[:3]) for draft in reversed(self._drafts.values())]

    def find_draft(self, draft_id: str) -> Draft | None:
        return self._drafts.get(draft_id)

    def delete_draft(self, draft_id: str) -> bool:
        with self._lock:
            return self._drafts.pop(draft_id, None) is not None

    def find_organisation(self) -> Organisation:
        return Organisation(self._organisation, has_logo=self._logo is not None)

    def find_logo(self) -> Logo | None:
        return self._logo

    def set_organisation(self, name: str | None, *, logo: Logo | None, keep_logo: bool) -> None:
        with self._lock:
            self._organisation, self._logo = name, self._logo if keep_logo else logo

    def set_token(self, role: Role, token_hash: bytes) -> None:
        with self._lock:
            if role is Role.ADMINISTRATOR:
                self._tokens = {token for token in self._tokens if token[0] is not role}
                self._end_sessions(lambda session: session.role is role)
            self._tokens.add((role, token_hash))

    def add_first_token(self, token_hash: bytes) -> bool:
        with self._lock:
            if any(role is Role.ADMINISTRATOR for role, _ in self._tokens):
                return False
            self._tokens.add((Role.ADMINISTRATOR, token_hash))
            return True

    def tokens(self) -> list[tuple[Role, bytes]]:
        with self._lock:
            return sorted(self._tokens)

    def find_role(self, token_hash: bytes) -> Role | None:
        return min((role for role, stored in self.tokens() if stored == token_hash), default=None)

    def revoke_token(self, token_hash: bytes) -> bool:
        with self._lock:
            left = {token for token in self._tokens if token[1] != token_hash}
            known, self._tokens = len(left) < len(self._tokens), left
            self._end_sessions(lambda session: session.token == token_hash)
            return known

    def add_session(self, session: Session) -> None:
        with self._lock:
            self._sessions.setdefault(session.hash, session)
            same = [other for other in self._sessions.values() if other.token == session.token]
            same.sort(key=lambda other: (-other.expires, other.hash))
            for other in same[MAX_SESSIONS_PER_TOKEN:]:
                del self._sessions[other.hash]

    def find_session(self, session_hash: bytes) -> Session | None:
        return self._sessions.get(session_hash)

    def end_session(self, session_hash: bytes) -> bool:
        return self._end_sessions(lambda session: session.hash == session_hash) > 0

    def end_expired_sessions(self, now: int) -> int:
        return self._end_sessions(lambda session: session.expires <= now)

    def _end_sessions(self, ends: Callable[[Session], bool]) -> int:
        with self._lock:
            left = {key: session for key, session in self._sessions.items() if not ends(session)}
            ended, self._sessions = len(self._sessions) - len(left), left
            return ended

    def count_sessions(self, now: int) -> dict[bytes, int]:
        with self._lock:
            live = [session for session in self._sessions.values() if session.expires > now]
        return dict(Counter(session.token for session in live))

    def claim_alarm_check(self, task_id: str, now: int, pause: int) -> bool:
        with self._lock:
            data = self._tasks.get(task_id)
            if data is None or (data.alarm_check_begun is not None and abs(data.alarm_check_begun - now) < pause):
                return False
            data.alarm_check_begun = now
            return True

    def record_alarm_check(self, task_id: str, check: AlarmCheck) -> None:
        with self._lock:
            data = self._tasks.get(task_id)
            if data and data.alarm_check_begun is not None:
                data.alarm_check = check

    def alarm_checks(self, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        with self._lock:
            found = {task_id: self._tasks[task_id] for task_id in task_ids if task_id in self._tasks}
            return {task_id: data.alarm_check for task_id, data in found.items() if data.alarm_check}

    def round_alarm_checks(self, series_id: str) -> dict[str, AlarmCheck]:
        return self.alarm_checks([one.task for one in self._all_rounds(series_id)])

    def backup(self, *_args: object, **_options: object) -> None:
        """Refuse: what is in memory ends with its process."""
        raise ParameterError("a store in memory has no backup")

    def integrity_errors(self) -> list[str]:
        """Return nothing: memory has no files."""
        return []
