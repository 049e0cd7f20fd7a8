"""The outbox: one report per task, perturbed once, and its outcome.

Three files per task: `ID.report` holds the bytes, which never change (those of a mixed task are sealed, and the body
stands beside them for the participant, who could not open them); `ID.spent` is what the ledger
remembers, even if the report is removed, and is written before the first send; `ID.outcome` exists once the
collector has decided. What is sent is what was read from the disk, so nothing is sent that is not stored. A
report that waits for a year is sent as it was made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from pckv.base.canonical import base64url, contract_id, dump, from_base64url, is_decimal_text
from pckv.base.days import is_day
from pckv.base.limits import SERVER_COIN
from pckv.base.wire import Report, check_id
from pckv.client.folder import StateFolder

REPORT_SUFFIX, OUTCOME_SUFFIX, SPENT_SUFFIX = ".report", ".outcome", ".spent"
VERSION = 2


class Status(StrEnum):
    """The state of a report.

    Attributes:
        SENT: The collector has it.
        WAITING: It is stored, and will be sent.
        REFUSED: The collector does not take it.
        REMOVED: It was removed from the state folder; its ε stays spent.
    """

    SENT = "sent"
    WAITING = "waiting"
    REFUSED = "refused"
    REMOVED = "removed"


class DeliveryOutcome(NamedTuple):
    """The state of a report, and why if it was not taken."""

    status: Status
    reason: str = ""


class SealedReport(NamedTuple):
    """A report of a mixed task: the body, which stays here, and the sealed bytes, which are sent; it has no id."""

    body: bytes
    sealed: bytes


@dataclass(frozen=True)
class StoredReport:
    """A report with its task, the ε it spent on a day, and where it goes: a sealed one to the mixer of its task."""

    report: Report | SealedReport
    task: str
    epsilon: Decimal
    day: str
    url: str
    invitation: str | None

    def to_json(self) -> str:
        """Return the text that is stored."""
        report = self.report
        return dump(
            {
                "body": base64url(report.body),
                "day": self.day,
                "epsilon": f"{self.epsilon:f}",
                "id": None if isinstance(report, SealedReport) else base64url(report.id),
                "invitation": self.invitation,
                "sealed": base64url(report.sealed) if isinstance(report, SealedReport) else None,
                "task": self.task,
                "url": self.url,
                "version": VERSION,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> StoredReport:
        """Read a stored text; an invalid one is a `ValueError`, `KeyError` or `TypeError`."""
        members = json.loads(text)
        valid = is_decimal_text(members["epsilon"]) and is_day(members["day"])
        if members.pop("version") != VERSION or not valid:
            raise ValueError("another version")
        report_id, body, sealed = members.pop("id"), from_base64url(members.pop("body")), members.pop("sealed")
        report: Report | SealedReport
        if report_id is None:
            report = SealedReport(body, from_base64url(sealed))
        else:
            report = Report(from_base64url(report_id), body)
            check_id(report.id)
        return cls(report, epsilon=Decimal(members.pop("epsilon")), **members)


class Outbox:
    """The reports in a state folder."""

    def __init__(self, folder: StateFolder) -> None:
        self.folder = folder

    def tasks(self) -> list[str]:
        """Return the ids of all tasks that have a report."""
        return self.folder.names(REPORT_SUFFIX)

    def find(self, task_id: str) -> StoredReport | None:
        """Return the report of a task, None if there never was one; a damaged or removed file is refused."""
        text = self.folder.get(task_id + REPORT_SUFFIX)
        if text is None:
            left = (self.folder.get(task_id + suffix) for suffix in (SPENT_SUFFIX, OUTCOME_SUFFIX))
            if all(text is None for text in left):
                return None
            # Another process may have made it in between: a report is stored before what is left of it.
            text = self.folder.get(task_id + REPORT_SUFFIX)
        if text is None:
            # A removed report is not replaced by a second one: the first may have been sent.
            raise self.folder.damage_error(task_id + REPORT_SUFFIX, "removed, though its ε is spent")
        try:
            stored = StoredReport.from_json(text)
        except (KeyError, TypeError, ValueError):
            name = task_id + REPORT_SUFFIX
            raise self.folder.damage_error(name, "not a report this release reads") from None
        if task_id_of(stored.task) != task_id:
            raise self.folder.damage_error(task_id + REPORT_SUFFIX, "the report of another task")
        return stored

    def add(self, task_id: str, report: StoredReport) -> bool:
        """Store a report, under the lock; return False if there was one, which stays."""
        return self.folder.put(task_id + REPORT_SUFFIX, report.to_json())

    def outcome(self, task_id: str) -> DeliveryOutcome:
        """Return the outcome of a task's report."""
        text = self.folder.get(task_id + OUTCOME_SUFFIX)
        if text is None:
            return DeliveryOutcome(Status.WAITING)
        try:
            members = json.loads(text)
            return DeliveryOutcome(Status(members["status"]), str(members["reason"]))
        except (KeyError, TypeError, ValueError):
            name = task_id + OUTCOME_SUFFIX
            raise self.folder.damage_error(name, "not an outcome this release reads") from None

    def decide(self, task_id: str, outcome: DeliveryOutcome) -> DeliveryOutcome:
        """Store what the collector decided; once it has taken a report, no refusal changes that."""
        text = dump({"reason": outcome.reason, "status": outcome.status})
        with self.folder.locked():
            self.folder.put(task_id + OUTCOME_SUFFIX, text, replace=outcome.status is Status.SENT)
            return self.outcome(task_id)

    def readdress(self, task_id: str, url: str, invitation: str | None) -> None:
        """Send the same bytes to another address or with another invitation from now on.

        A mistyped address or invitation is no reason to lose a report whose ε is spent. A report that was
        made with a coin keeps its invitation, which the coin belongs to, and sealed bytes keep their mixer.
        """
        with self.folder.locked():
            stored, outcome = self.find(task_id), self.outcome(task_id)
            if stored is None or outcome.status is Status.SENT:
                return
            if json.loads(stored.task)["coin"] == SERVER_COIN:
                invitation = None
            if isinstance(stored.report, SealedReport):
                url = stored.url
            readdressed = replace(stored, url=url, invitation=invitation or stored.invitation)
            new_invitation = invitation is not None and outcome.reason.startswith("invitation_")
            if readdressed.url != stored.url or new_invitation:
                self.folder.remove(task_id + OUTCOME_SUFFIX)
            if readdressed != stored:
                self.folder.put(task_id + REPORT_SUFFIX, readdressed.to_json(), replace=True)


def task_id_of(task: str) -> str:
    """Return the id of a task, given its canonical JSON, without parsing that."""
    return contract_id(task)
