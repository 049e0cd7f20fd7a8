"""The values that go in and out of a store.

Reports are inserted and never updated. The transaction of a batch inserts the reports that are new and adds,
for each task, one part: exactly those reports, counted or to be counted later. It also counts them under the
day on which they came. Nothing in a store says who sent a report, or which of a task's days a report belongs
to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypedDict

from pckv.base.days import Phase, days_after, phase_on
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.task import Task

# For how many days an early close can be undone, and a task waits in the bin.
DAYS_TO_UNDO = 7
# The end of all days.
_LAST_DAY = "9999-12-31"


def _last_day_to_reopen(closed: str | None, closes: str | None) -> str:
    """Return the last day on which an early close on a day can be undone: at most the day before the closing day."""
    last = days_after(closed or _LAST_DAY, DAYS_TO_UNDO) or _LAST_DAY
    return min(last, days_after(closes or _LAST_DAY, -1) or _LAST_DAY)


def _too_late(closed: str | None, closes: str | None, day: str) -> str:
    """Return why an early close cannot be undone any more on a day; nothing if it can, or there was none."""
    if closed is not None and day > (last := _last_day_to_reopen(closed, closes)):
        return f"It was closed on {closed}, which could be undone until {last}."
    return ""


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

    @property
    def _closing_day(self) -> str | None:
        rounds = self.series.rounds
        return None if rounds is None else self.series.closes(rounds)

    def reopen_until(self, day: str) -> str | None:
        """Return the last day on which the early close of the series can be undone, None if it cannot be on a day."""
        is_final = self.closed is None or self.reopening_refusal(day)
        return None if is_final else _last_day_to_reopen(self.closed, self._closing_day)

    def reopening_refusal(self, day: str) -> str:
        """Return why the series cannot be opened again on a day, in one sentence; nothing if it can, or is open."""
        if self.series.task.mixer is not None:
            return "The days of a survey that goes through a mixer are fixed."
        if self.series.phase(day) is Phase.CLOSED:
            return "Its last round is over."
        return _too_late(self.closed, self._closing_day, day)


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
    # A mixer holds as many sealed reports of the task as it may.
    TASK_FULL = "task_full"


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
    # The day on which it was put into the bin: it is as it was, and takes no reports.
    binned: str | None = None
    number: int = field(default=0, compare=False)

    def phase(self, day: str) -> Phase:
        """Return whether the task takes reports on a day, which an early close prevents, unless it is in the bin."""
        return Phase.CLOSED if self.closed is not None else self.task.dates.phase(day)

    @property
    def binned_until(self) -> str | None:
        """The last day on which the task can be restored; None if it is not in the bin."""
        return None if self.binned is None else days_after(self.binned, DAYS_TO_UNDO) or _LAST_DAY

    def is_expired(self, day: str) -> bool:
        """Return whether the time of the task in the bin is over on a day."""
        until = self.binned_until
        return until is not None and day > until

    def reopen_until(self, day: str) -> str | None:
        """Return the last day on which the early close of the task can be undone, None if it cannot be on a day."""
        is_final = self.closed is None or self.reopening_refusal(day)
        return None if is_final else _last_day_to_reopen(self.closed, self.task.closes)

    def reopening_refusal(self, day: str) -> str:
        """Return why the task cannot be opened again on a day, in one sentence; nothing if it can, or is open."""
        task = self.task
        if task.mixer is not None:
            return "The closing day of a survey that goes through a mixer is fixed."
        if task.series is not None:
            return "A round of a repeated survey stays closed."
        if task.closes is not None and task.closes <= day:
            return f"Its closing day, {task.closes}, has come."
        if self.reports_forgotten is not None:
            return f"Its reports were deleted on {self.reports_forgotten}: only their counts are left."
        return _too_late(self.closed, task.closes, day)


class FetchState(StrEnum):
    """How far a collector is with the batch of a mixed task."""

    # At the mixer, until the task's closing day.
    WAITING = "waiting"
    # Here, still sealed, and found to be what the mixer says.
    PULLED = "pulled"
    # Every report that opens is stored; the mixer is told.
    OPENED = "opened"
    # The mixer knows, and the private key is deleted unless later rounds need it.
    DONE = "done"
    # The mixer deleted the reports unread: fewer than a batch had come, or its operator withdrew the task.
    TOO_FEW = "too few"
    WITHDRAWN = "withdrawn"


FINAL_STATES = (FetchState.DONE, FetchState.TOO_FEW, FetchState.WITHDRAWN)


class FetchedBatch(NamedTuple):
    """What a collector knows about the batch of a mixed task.

    `entries` and `sha256` are those of the batch, once it is pulled; `opened` and `unreadable` are how many of its
    entries are stored reports, and how many are none. `waiting` is how many reports the mixer said that it holds, on
    the day `asked`. `reason` says why the last attempt failed; None if it did not. `next_try` is in seconds since
    1970.
    """

    state: FetchState = FetchState.WAITING
    entries: int | None = None
    sha256: str | None = None
    opened: int | None = None
    unreadable: int | None = None
    waiting: int | None = None
    asked: str | None = None
    reason: str | None = None
    failures: int = 0
    next_try: int = 0

    @property
    def is_final(self) -> bool:
        """Whether nothing is left to do."""
        return self.state in FINAL_STATES


class KeyedTask(NamedTuple):
    """A mixed task by its id, the series it is a round of, and whether nothing is left to do for its batch."""

    id: str
    series: str | None
    is_final: bool


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


class DraftSummary(NamedTuple):
    """A draft without its content, and the day on which it was changed last."""

    id: str
    name: str
    changed: str


class Draft(NamedTuple):
    """A form of a survey that is not published; the content is JSON of the form's own."""

    id: str
    name: str
    changed: str
    content: str


class Organisation(NamedTuple):
    """Who runs the collector, as pages say it, if they may, and whether there is a logo."""

    name: str | None
    has_logo: bool


class Logo(NamedTuple):
    """A picture and its media type."""

    media_type: str
    content: bytes


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


class InvitationCounts(NamedTuple):
    """How many invitations of a task were made, and how many of them were used."""

    made: int
    used: int


class Invitation(NamedTuple):
    """A stored invitation; `coin` is the one that was handed out for it, until its report comes."""

    spent: bool
    coin: bytes | None = None
