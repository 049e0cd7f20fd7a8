"""What a collector remembers, whatever database holds it.

Reports are inserted, never updated; every batch's transaction adds the reports that are new and,
for each task, one part: the tally of exactly those. Nothing here says who sent a report or when.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from pckv.task import Task
from pckv.wire import Report


class Outcome(StrEnum):
    """What became of one report."""

    STORED = "stored"
    # The same id with the same body was there: nothing changed, and all is well.
    KNOWN = "known"
    CONFLICT = "conflict"
    INVITATION_UNKNOWN = "invitation_unknown"
    INVITATION_SPENT = "invitation_spent"
    # The task was closed or deleted between the request and its transaction.
    TASK_CLOSED = "task_closed"
    TASK_GONE = "task_gone"


class Upload(NamedTuple):
    """Reports that one request brings for one task, already decoded strictly.

    `invitations` are hashes of one-time tokens, one a report, where the task asks for them.
    """

    task: str
    reports: Sequence[Report]
    invitations: Sequence[bytes | None] = ()


@dataclass(frozen=True)
class StoredTask:
    """A task, and what the server decided about it; days as YYYY-MM-DD."""

    task: Task
    closed: str | None
    by_invitation: bool
    reports_forgotten: str | None


def may_forget(stored: StoredTask, day: str) -> bool:
    """Whether a task takes no more reports by a day, so that its stored ones are no longer needed."""
    return stored.closed is not None or (stored.task.closes is not None and stored.task.closes <= day)


@dataclass(frozen=True)
class Deletion:
    """What is left of a deleted task: how many reports its tally had counted."""

    task: str
    day: str
    reports: int


class Part(NamedTuple):
    """The tally of some of a task's reports, as bytes, and how many they are.

    The number is random: a part of a single report would otherwise tell when that came.
    """

    number: int
    tally: bytes
    reports: int


SESSION_KEY_BYTES = 32


class Role(StrEnum):
    """Who a token stands for."""

    ADMINISTRATOR = "administrator"
    ANALYST = "analyst"


class Snapshot(Protocol):
    """A store as it was at one moment."""

    def parts(self, task_id: str) -> list[Part]:
        """The parts whose tallies add up to the task's."""

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """All reports of a task in the order of their random ids."""


class Store(Protocol):
    """All transactions of a collector; each is all or nothing, and durable when it returns.

    Methods may be called from several threads. What the database cannot do now is a `StoreError`; if
    the connection broke during the commit, it may have been done all the same, and doing it again is
    always safe.
    """

    def prepare(self) -> None:
        """Bring the schema up to date, under a lock that other collectors wait for."""

    def ping(self) -> None:
        """Answer, or raise a `StoreError`; so does a store without this release's schema."""

    def close(self) -> None:
        """Let go of all connections."""

    def add_task(self, task: Task) -> bool:
        """Add a task; False if it was there. One that was deleted is refused with a `TaskGone`."""

    def find_task(self, task_id: str) -> StoredTask | None:
        """A task that was not deleted."""

    def find_deletion(self, task_id: str) -> Deletion | None:
        """What is left of a deleted task."""

    def list_tasks(self, limit: int, after: str = "") -> list[StoredTask]:
        """Tasks in the order of their ids, from beyond one."""

    def close_task(self, task_id: str, day: str) -> bool:
        """Close a task early; False if it is unknown. Closing again changes nothing."""

    def delete_task(self, task_id: str, day: str) -> Deletion | None:
        """Delete a task with its reports, parts and invitations; None if it is unknown.

        Deleting again changes nothing and gives the first deletion back.
        """

    def add_reports(self, uploads: Sequence[Upload]) -> list[list[Outcome]]:
        """Add the reports of many requests in one transaction: an outcome for every report.

        A known id is looked at before the invitation. A task that is unknown counts as gone.
        """

    def bodies(self, task_id: str, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies that are stored under some ids of a task, as far as there are any."""

    def parts(self, task_id: str) -> list[Part]:
        """The parts whose tallies add up to the task's, in no order that tells arrival."""

    def compact(self, task_id: str, *, all_of_them: bool = False) -> int:
        """Fold those parts of a task that are worth it into one, or all; how many. Uploaders are not held up.

        0 if another collector was just doing the same.
        """

    def tasks_to_compact(self, parts: int) -> list[str]:
        """The tasks with at least so many parts."""

    def part_numbers(self, task_id: str) -> list[int]:
        """The numbers of a task's parts, which never change: as long as they are the same, so is the tally."""

    def report_counts(self, task_ids: Sequence[str]) -> dict[str, int]:
        """How many reports the parts of tasks have counted; nothing is decoded. 0 for an unknown task."""

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """All reports of a task in the order of their random ids, which says nothing about arrival."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Parts and reports of one moment, while the context lasts; for checks, not for long."""

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a task and keep its tally; how many there were.

        The task was closed or its last day is over, else it is a `ParameterError`; from now on it
        counts as closed.
        """

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""

    def tokens(self) -> list[tuple[Role, bytes]]:
        """The hashes of all tokens."""

    def session_key(self) -> bytes:
        """The key that signs sessions: made once, at random, and the same for all collectors of this store."""

    def add_invitations(self, task_id: str, hashes: Sequence[bytes]) -> bool:
        """Add one-time tokens of a task, which from now on takes reports by invitation alone.

        False if the task is unknown. Tokens that are there stay as they are.
        """

    def damage(self) -> list[str]:
        """What the database itself finds wrong with its files, a line each."""
