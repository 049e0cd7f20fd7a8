"""The protocol that every store implements, and the values that go in and out of it.

Reports are inserted and never updated. The transaction of a batch inserts the reports that are new and adds,
for each task, one part: exactly those reports, counted or to be counted later. It also counts them under the
day on which they came. Nothing in a store says who sent a report, or which of a task's days a report belongs
to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict

from pckv.base.days import Phase, phase_on
from pckv.base.progress import Progress, no_progress
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.task import Task


class AlarmCheck(NamedTuple):
    """What a check of a task's reports for alarms found, when it began, and of how many reports.

    The time is in seconds since 1970.
    """

    seconds: int
    reports: int
    result: str


@dataclass(frozen=True)
class StoredSeries:
    """A series and what the server decided about it; days are YYYY-MM-DD, and numbers grow."""

    series: Series
    created: str
    closed: str | None = None
    number: int = field(default=0, compare=False)

    def phase(self, day: str) -> Phase:
        """Return whether the series takes reports on a day, which an early close prevents."""
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
        """Return whether the round takes reports on a day, which an early close prevents."""
        return Phase.CLOSED if self.closed is not None else phase_on(day, self.opens, self.closes)


class ReportOutcome(StrEnum):
    """What the store did with one report."""

    STORED = "stored"
    # The same id with the same body is stored already: nothing changed, and that is fine.
    KNOWN = "known"
    CONFLICT = "conflict"
    INVITATION_UNKNOWN = "invitation_unknown"
    INVITATION_SPENT = "invitation_spent"
    # The collector handed out another coin with this invitation, or none.
    WRONG_COIN = "wrong_coin"
    # The task was closed or deleted between the request and its transaction.
    TASK_CLOSED = "task_closed"
    TASK_GONE = "task_gone"


class Upload(NamedTuple):
    """The reports that one request brings for one task, already decoded strictly.

    `invitations` are hashes of one-time tokens, one per report, if the task requires them.
    """

    task: str
    reports: Sequence[Report]
    invitations: Sequence[bytes | None] = ()


@dataclass(frozen=True)
class StoredTask:
    """A task and what the server decided about it; days are YYYY-MM-DD, and numbers grow."""

    task: Task
    created: str
    by_invitation: bool
    closed: str | None = None
    reports_forgotten: str | None = None
    # How many reports are wanted, if the operator said so.
    target: int | None = None
    public_results: bool = False
    number: int = field(default=0, compare=False)

    def phase(self, day: str) -> Phase:
        """Return whether the task takes reports on a day, which an early close prevents."""
        return Phase.CLOSED if self.closed is not None else self.task.dates.phase(day)


class TaskChanges(TypedDict, total=False):
    """What an operator may change about a task at any time; what is not named stays."""

    target: int | None
    public_results: bool


class TaskFilter(NamedTuple):
    """Which tasks to list: by a text in the name, ignoring case, a phase on a day, and with rounds or not."""

    search: str = ""
    phase: Phase | None = None
    day: str = ""
    rounds: bool = True

    def admits(self, stored: StoredTask) -> bool:
        """Return whether a task is to be listed."""
        named = self.search.casefold() in stored.task.name.casefold()
        chosen = self.rounds or stored.task.series is None
        return named and chosen and (self.phase is None or stored.phase(self.day) is self.phase)


ALL_TASKS = TaskFilter()


class ReportDay(NamedTuple):
    """How many reports of a task came on a day, in UTC."""

    day: str
    reports: int


@dataclass(frozen=True)
class Deletion:
    """What is left of a deleted task: the day, and how many reports its tally had counted.

    `erased` says whether its reports are gone from the database's files, too.
    """

    task: str
    day: str
    reports: int
    erased: bool


class Part(NamedTuple):
    """Some of a task's reports, as bytes: their tally, or their words, which wait to be counted.

    `uncounted` is the number of reports that wait: none, or all.
    """

    reports: int
    uncounted: int
    content: bytes


class StoredPart(NamedTuple):
    """A part in a store.

    The number is random: in sequence, the number of a part with one report would reveal when that report
    came.
    """

    number: int
    reports: int
    uncounted: int
    content: bytes


class PartSummary(NamedTuple):
    """A part without its content, of which it says the size in bytes."""

    number: int
    uncounted: int
    size: int


class PartChanges(NamedTuple):
    """The parts of a task that a reader does not know yet; all of them, if a known one was `replaced`."""

    replaced: bool
    parts: list[StoredPart]


TASKS_PER_PAGE = 100
MAX_SESSIONS_PER_TOKEN = 100


class Role(StrEnum):
    """Whom a token authorises."""

    ADMINISTRATOR = "administrator"
    ANALYST = "analyst"


class Session(NamedTuple):
    """A signed-in operator: the hashes of their cookie and token, and the end in seconds since 1970."""

    hash: bytes
    token: bytes
    role: Role
    expires: int


class InvitationState(StrEnum):
    """Whether an invitation admits a report."""

    VALID = "valid"
    SPENT = "spent"
    UNKNOWN = "unknown"


class Invitation(NamedTuple):
    """A stored invitation; `coin` is the one that was handed out for it, until its report comes."""

    spent: bool
    coin: bytes | None = None

    @property
    def state(self) -> InvitationState:
        """Return whether the invitation admits a report."""
        return InvitationState.SPENT if self.spent else InvitationState.VALID


class Snapshot(Protocol):
    """A store as it was at one moment."""

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally."""

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their random ids."""

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order."""


class Store(Protocol):
    """All transactions of a collector; each is all or nothing, and durable when it returns.

    Methods may be called from several threads. A `StoreError` says that the database cannot do this now; if
    the connection broke during the commit, the change may still have happened. Repeating a call is
    always safe.
    """

    def prepare(self) -> None:
        """Migrate the schema to this release, under a lock that other collectors wait for."""

    def ping(self) -> None:
        """Return if the database answers and has this release's schema, or raise a `StoreError`."""

    def close(self) -> None:
        """Close all connections."""

    def add_task(self, task: Task, day: str) -> bool:
        """Add a task on a day; return False if it is stored already.

        A deleted task is refused with a `TaskGone`.
        """

    def find_task(self, task_id: str) -> StoredTask | None:
        """Return a task; None if it is unknown or deleted."""

    def find_deletion(self, task_id: str) -> Deletion | None:
        """Return what is left of a deleted task."""

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Return tasks in the order of their ids, starting after a given id."""

    def newest_tasks(
        self, limit: int, before: int | None = None, chosen: TaskFilter = ALL_TASKS
    ) -> list[StoredTask]:
        """Return tasks, newest first, starting with those created before a given number."""

    def change_task(self, task_id: str, changes: TaskChanges) -> bool:
        """Change what may be changed about a task; return False if it is unknown."""

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; return False if it is unknown. Closing it again changes nothing."""

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with everything that belongs to it; return None if it is unknown.

        Deleting it again changes nothing and returns the first deletion.
        """

    def claim_alarm_check(self, task_id: str, now: int, pause: int) -> bool:
        """Note that a check of a task begins; return False if one began within a pause before or after.

        Of several collectors that do this at the same time, one gets True. A claim whose answer is lost
        counts.
        """

    def record_alarm_check(self, task_id: str, check: AlarmCheck) -> None:
        """Keep what a claimed check found in place of the one before; of an unknown task, nothing."""

    def alarm_checks(self, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        """Return the last checks that were recorded, of those tasks that have one."""

    def add_series(self, series: Series, day: str) -> bool:
        """Add a series on a day; return False if it is stored already."""

    def find_series(self, series_id: str) -> StoredSeries | None:
        """Return a series; None if it is unknown."""

    def list_series(self, limit: int, before: int | None = None) -> list[StoredSeries]:
        """Return series, newest first, starting with those created before a given number."""

    def series_named(self, name: str) -> list[str]:
        """Return the ids of all series that devices take for the survey of this name, in order."""

    def close_series(self, series_id: str, day: str) -> bool:
        """Close a series early, and its rounds that are not over by that day; return False if it is unknown.

        From now on no round is added to it. Closing it again changes nothing.
        """

    def add_round(self, task: Task, day: str) -> bool:
        """Add the task of a round on a day, unless its series is unknown or closed.

        Return False if nothing was added. A deleted task is refused with a `TaskGone`.
        """

    def rounds(self, series_id: str, limit: int, before: int | None = None) -> list[StoredRound]:
        """Return the last rounds of a series that have a task, or the last before a given one, in order."""

    def add_reports(self, uploads: Sequence[Upload], day: str) -> list[list[ReportOutcome]]:
        """Add the reports of many requests, which came on a day, in one transaction.

        Return one outcome per report. A known id is recognised before its invitation is checked. An unknown
        task counts as gone.
        """

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored bodies of those of the given ids that a task has."""

    def parts(self, task_id: str) -> list[StoredPart]:
        """Return the parts that add up to the task's tally, in an order that does not reveal arrival."""

    def part_changes(self, task_id: str, known: Collection[int]) -> PartChanges:
        """Return the parts that came since those with the known numbers were read."""

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one; return how many were merged.

        Words that wait are counted if they are many, or if all parts are merged. Uploads go on meanwhile.
        Return 0 if another collector was just doing the same.
        """

    def tasks_to_compact(self, parts: int, uncounted: int) -> list[str]:
        """Return the ids of the tasks that have at least this many parts, or uncounted reports."""

    def part_summaries(self, task_id: str) -> list[PartSummary]:
        """Return a task's parts without their contents.

        A part never changes: equal numbers mean an equal tally.
        """

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """Return how many reports each task's parts count, without decoding them; 0 for an unknown task."""

    def report_days(self, task_id: str) -> list[ReportDay]:
        """Return the days on which reports of a task came, in order; none for an unknown task."""

    def last_report_days(self, task_ids: Sequence[str]) -> dict[str, str]:
        """Return the last day on which a report came, of those tasks that have one."""

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their random ids, which does not reveal arrival."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Return a context with the parts and reports of one moment; for checks, not for long."""

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a task and keep its tally; return how many reports there were.

        Refuse with a `ParameterError` if the task still takes reports. From now on it counts as closed.
        """

    def erase_deleted(self) -> None:
        """Remove deleted rows from the database's files and log, as far as possible now.

        Uploads do not wait for it longer than for another upload. What is left, `pending_erasures` tells.
        """

    def pending_erasures(self) -> list[str]:
        """Return the ids of the tasks whose deleted reports may still be in the database's files."""

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, ending that role's sessions, or add one for an analyst."""

    def add_first_token(self, token_hash: bytes) -> bool:
        """Store an administrator's token if there is none yet; return whether it was stored.

        Of several collectors that do this at the same time, exactly one stores its token.
        """

    def tokens(self) -> list[tuple[Role, bytes]]:
        """Return the hashes of all tokens."""

    def find_role(self, token_hash: bytes) -> Role | None:
        """Return whom a stored token authorises: of two roles, the administrator's."""

    def revoke_token(self, token_hash: bytes) -> bool:
        """Delete a token and end its sessions; return False if it is unknown."""

    def add_session(self, session: Session) -> None:
        """Add a session; beyond a number of sessions per token, those that end first are ended."""

    def find_session(self, session_hash: bytes) -> Session | None:
        """Return a session that has not been ended, also after its time."""

    def end_session(self, session_hash: bytes) -> bool:
        """End a session; return False if it is unknown."""

    def end_expired_sessions(self, now: int) -> int:
        """End all sessions whose time is over; return how many."""

    def count_sessions(self, now: int) -> dict[bytes, int]:
        """Return how many sessions end after a time, by the hash of the token, where there are any."""

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task, which from now on takes reports by invitation only.

        Return False if the task is unknown. Tokens that are stored already stay as they are.
        """

    def invitation_state(self, task_id: str, invitation: bytes) -> InvitationState:
        """Return whether an invitation, given by its hash, admits a report of a task."""

    def issue_coin(self, task_id: str, invitation: bytes, coin: bytes) -> bytes | InvitationState:
        """Return the coin of an invitation: the given one, unless it has one already.

        If the invitation admits no report, return its state. The coin is erased when the report is stored.
        """

    def backup(self, path: Path, *, force: bool = False, progress: Progress = no_progress) -> None:
        """Write a copy of the store, as of one moment, to a file that only its owner can read.

        Refuse a file that exists, unless `force`. The store may be in use meanwhile. A database that has its
        own tool for this refuses with a `ParameterError` that names it.
        """

    def integrity_errors(self) -> list[str]:
        """Return what the database itself finds wrong with its files, one line each."""


def all_tasks(store: Store) -> Iterator[StoredTask]:
    """Yield all tasks of a store in the order of their ids, with one query per page."""
    after = ""
    while page := store.list_tasks(TASKS_PER_PAGE, after):
        yield from page
        after = page[-1].task.id


def all_series(store: Store) -> Iterator[StoredSeries]:
    """Yield all series of a store, newest first, with one query per page."""
    before = None
    while page := store.list_series(TASKS_PER_PAGE, before):
        yield from page
        before = page[-1].number
