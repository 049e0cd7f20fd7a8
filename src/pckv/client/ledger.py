"""The ledger: the ε that the surveys of a state folder have spent, and what may still be spent.

Every report leaves a record, written before the report is first sent. A record that is missing is restored from its
report; one that contradicts it is refused. So nothing that was spent is forgotten while one of the two is left.
"""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from pckv.canonical import decimal_text, dump, is_decimal_text
from pckv.client.outbox import OUTCOME_SUFFIX, REPORT_SUFFIX, SPENT_SUFFIX, Outbox, Status, StoredReport
from pckv.client.survey import survey_of
from pckv.errors import ClientError, ParameterError
from pckv.limits import Numeric
from pckv.task import Task

# What a device spends in all, unless somebody decides otherwise.
DEFAULT_CAP = Decimal(10)
CAP_NAME = "cap"
VERSION = 1
# An ε has at most 2 digits before the point and 24 behind it: sums at this precision are exact.
SUM_DIGITS = 60


@dataclass(frozen=True)
class LedgerEntry:
    """What one survey has spent.

    Attributes:
        survey: The name of the survey.
        task: The id of the task that was answered.
        epsilon: The realised ε, rounded up.
        status: The state of the report.
    """

    survey: str
    task: str
    epsilon: Decimal
    status: Status


class Ledger:
    """The ε of all surveys; it counts from the moment that a report is stored, whatever becomes of the report.

    A `cap` that is given bounds the ε of all surveys together, and `remember_cap` stores it for those who give none.
    """

    def __init__(self, outbox: Outbox, cap: Numeric | None = None) -> None:
        self._outbox, self._folder = outbox, outbox.folder
        self._given_cap = None if cap is None else Decimal(decimal_text(cap, "the cap"))
        if self._given_cap is not None and self._given_cap < 0:
            raise ParameterError(f"the cap must not be below 0: {cap}")

    @property
    def cap(self) -> Decimal:
        """The cap that was given, or else the one that was remembered, or else the default."""
        if self._given_cap is not None:
            return self._given_cap
        text = self._folder.get(CAP_NAME)
        if text is None:
            return DEFAULT_CAP
        if not is_decimal_text(text):
            raise self._folder.damage_error(CAP_NAME, "not a cap")
        return Decimal(text)

    def remember_cap(self) -> None:
        """Store the cap that was given, if one was."""
        text = None if self._given_cap is None else f"{self._given_cap:f}"
        if text is not None and text != self._folder.get(CAP_NAME):
            with self._folder.locked():
                self._folder.put(CAP_NAME, text, replace=True)

    def entries(self) -> list[LedgerEntry]:
        """Return what each survey has spent, sent or not."""
        suffixes = (REPORT_SUFFIX, SPENT_SUFFIX, OUTCOME_SUFFIX)
        tasks = {task_id for suffix in suffixes for task_id in self._folder.names(suffix)}
        return [self._entry(task_id) for task_id in sorted(tasks)]

    def spent(self) -> Decimal:
        """Return what all surveys have spent together."""
        return _sum(entry.epsilon for entry in self.entries())

    def check(self, task: Task, epsilon: Decimal) -> None:
        """Refuse a survey that was answered, and an ε beyond the cap; under the lock, so that nobody else spends now.

        A file that cannot be read prevents every new report: nobody knows what was spent.
        """
        survey, entries = survey_of(task.name), self.entries()
        for entry in entries:
            self.record(entry.task)
            if survey_of(entry.survey) == survey:
                raise ClientError(
                    "answered",
                    f"this device has answered the survey {entry.survey!r} (task {entry.task}); "
                    "another run of it needs another name; nothing was perturbed",
                )
        spent = _sum(entry.epsilon for entry in entries)
        if _sum((spent, epsilon)) > self.cap:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {spent:f} is spent: over the cap of {self.cap:f} in all",
            )

    def is_recorded(self, task_id: str) -> bool:
        """Whether a task's spending is remembered apart from its report."""
        return self._folder.get(task_id + SPENT_SUFFIX) is not None

    def record(self, task_id: str) -> None:
        """Remember what the stored report of a task has spent, under the lock, unless that was done before."""
        if not self.is_recorded(task_id) and (stored := self._outbox.find(task_id)) is not None:
            self._folder.put(task_id + SPENT_SUFFIX, _record_text(*_facts(stored)))

    def _entry(self, task_id: str) -> LedgerEntry:
        text = self._folder.get(task_id + SPENT_SUFFIX)
        if text is not None and self._folder.get(task_id + REPORT_SUFFIX) is None:
            return LedgerEntry(*self._read(task_id, text), Status.REMOVED)
        stored = self._outbox.find(task_id)
        if stored is None:
            raise self._folder.damage_error(task_id + REPORT_SUFFIX, "removed")
        survey, epsilon = _facts(stored)
        if text is not None and text != _record_text(survey, epsilon):
            raise self._folder.damage_error(task_id + SPENT_SUFFIX, "does not fit its report")
        return LedgerEntry(survey, task_id, epsilon, self._outbox.outcome(task_id).status)

    def _read(self, task_id: str, text: str) -> tuple[str, str, Decimal]:
        try:
            members = json.loads(text)
            if members["version"] == VERSION and is_decimal_text(members["epsilon"]):
                return str(members["survey"]), task_id, Decimal(members["epsilon"])
        except (KeyError, TypeError, ValueError):
            pass
        raise self._folder.damage_error(task_id + SPENT_SUFFIX, "not a record this release reads")


def realised_epsilon(task: Task) -> Decimal:
    """Return a task's realised ε as an exact decimal."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def _facts(stored: StoredReport) -> tuple[str, Decimal]:
    """Return the name of a report's survey, and the ε that it spent."""
    return json.loads(stored.task)["name"], stored.epsilon


def _record_text(survey: str, epsilon: Decimal) -> str:
    return dump({"epsilon": f"{epsilon:f}", "survey": survey, "version": VERSION})


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    with decimal.localcontext(prec=SUM_DIGITS, rounding=decimal.ROUND_UP):
        return sum(numbers, Decimal(0))
