"""The outbox: one report a task, made once, and what became of it.

Two files a task: `ID.report` holds the bytes, which never change, and `ID.outcome` is there once the
collector has decided. What is sent is what was read from the disk, so what is not there is never sent.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from pckv.canonical import base64url, dump, from_base64url, is_decimal_text
from pckv.client.folder import Folder
from pckv.wire import Report, check_id

REPORT, OUTCOME = ".report", ".outcome"
VERSION = 1


class Status(StrEnum):
    """Where a report is."""

    SENT = "sent"
    WAITING = "waiting"
    REFUSED = "refused"


class Outcome(NamedTuple):
    """What became of a report, and why if it was not taken."""

    status: Status
    reason: str = ""


@dataclass(frozen=True)
class Kept:
    """A report with its task, the ε it spent, and where it goes."""

    report: Report
    task: str
    epsilon: Decimal
    url: str
    invitation: str | None

    def to_json(self) -> str:
        """The text that is stored."""
        return dump(
            {
                "body": base64url(self.report.body),
                "epsilon": f"{self.epsilon:f}",
                "id": base64url(self.report.id),
                "invitation": self.invitation,
                "task": self.task,
                "url": self.url,
                "version": VERSION,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Kept:
        """Read a stored text; a `ValueError`, `KeyError` or `TypeError` if it is none."""
        members = json.loads(text)
        if members.pop("version") != VERSION or not is_decimal_text(members["epsilon"]):
            raise ValueError("another version")
        report = Report(from_base64url(members.pop("id")), from_base64url(members.pop("body")))
        check_id(report.id)
        return cls(report, epsilon=Decimal(members.pop("epsilon")), **members)


class Outbox:
    """The reports in a state folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def tasks(self) -> list[str]:
        """The ids of all tasks that a report was made for."""
        return self._folder.names(REPORT)

    def find(self, task_id: str) -> Kept | None:
        """The report of a task, None if none was made yet; damage is refused."""
        text = self._folder.get(task_id + REPORT)
        if text is None:
            if self._folder.get(task_id + OUTCOME) is not None:
                raise self._folder.damage(task_id + REPORT, "missing, though the collector has decided on it")
            return None
        try:
            kept = Kept.from_json(text)
        except (KeyError, TypeError, ValueError):
            raise self._folder.damage(task_id + REPORT, "not a report this release reads") from None
        if id_of(kept.task) != task_id:
            raise self._folder.damage(task_id + REPORT, "the report of another task")
        return kept

    def add(self, task_id: str, kept: Kept) -> bool:
        """Store a report, under the lock; False if there was one, which stays."""
        return self._folder.put(task_id + REPORT, kept.to_json())

    def outcome(self, task_id: str) -> Outcome:
        """What became of a report."""
        text = self._folder.get(task_id + OUTCOME)
        if text is None:
            return Outcome(Status.WAITING)
        try:
            members = json.loads(text)
            return Outcome(Status(members["status"]), str(members["reason"]))
        except (KeyError, TypeError, ValueError):
            raise self._folder.damage(task_id + OUTCOME, "not an outcome this release reads") from None

    def decide(self, task_id: str, outcome: Outcome) -> Outcome:
        """Remember what the collector decided; once it has a report, no refusal changes that."""
        text = dump({"reason": outcome.reason, "status": outcome.status})
        with self._folder.locked():
            self._folder.put(task_id + OUTCOME, text, replace=outcome.status is Status.SENT)
            return self.outcome(task_id)

    def readdress(self, task_id: str, url: str, invitation: str | None) -> None:
        """Send the same bytes to another place or by another invitation from now on.

        A mistyped address or invitation is no reason to lose a report whose ε is spent.
        """
        with self._folder.locked():
            kept, outcome = self.find(task_id), self.outcome(task_id)
            if kept is None or outcome.status is Status.SENT:
                return
            better = replace(kept, url=url, invitation=invitation or kept.invitation)
            invited = invitation is not None and outcome.reason.startswith("invitation_")
            if better.url != kept.url or invited:
                self._folder.remove(task_id + OUTCOME)
            if better != kept:
                self._folder.put(task_id + REPORT, better.to_json(), replace=True)


def id_of(task: str) -> str:
    """The id of a task's canonical JSON, without reading it."""
    return base64url(hashlib.sha256(task.encode()).digest())
