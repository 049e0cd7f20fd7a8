"""The ledger: what the surveys of a state folder have spent, and whether a task may spend more.

It has two sums. Towards recipients, a report that was sent in clear counts with its own ε, and a sealed one of a mixed
task with the central claim, (ε, δ). Whatever fails, every report counts with its own ε. Basic composition covers both,
whatever tasks were chosen in view of earlier reports.

Every report leaves a record, written before the report is first sent. A record that is missing is restored
from its report, and one that contradicts it is refused: what was spent is not forgotten while one is left.

A record has the day on which it was spent. That day is never before the day of an earlier record, and the
rounds of a series only go up: a clock that is set back frees nothing.
"""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from pckv.base.canonical import decimal_text, dump, is_decimal_text
from pckv.base.days import days_between, is_day
from pckv.base.errors import ClientError
from pckv.base.limits import MAX_CENTRAL_DELTA
from pckv.client.caps import Caps
from pckv.client.outbox import OUTCOME_SUFFIX, REPORT_SUFFIX, SPENT_SUFFIX, Outbox, Status, StoredReport
from pckv.contract.members import SeriesRound, read_series_round
from pckv.contract.survey import survey_of
from pckv.contract.task import Task

VERSION = 2
# Decimals of tasks have at most 40 digits: sums at this precision are exact.
SUM_DIGITS = 60
# The most δ of all mixed reports together: what one task may claim.
DELTA_CAP = Decimal(MAX_CENTRAL_DELTA.numerator) / MAX_CENTRAL_DELTA.denominator
_STATES = {
    Status.SENT: "the {holder} has the report",
    Status.WAITING: "the report waits to be sent",
    Status.REFUSED: "the {holder} refused the report",
    Status.REMOVED: "the report was removed from this device",
}
_CONDITION = "if the mixer follows the protocol and enough of the other reports are honest"


class CentralClaim(NamedTuple):
    """What a mixed report spends towards its recipient, if the mixer follows the protocol and enough are honest.

    It is `epsilon` with `delta`, the claim of the task.
    """

    epsilon: Decimal
    delta: Decimal

    @classmethod
    def from_mixer(cls, mixer: Mapping[str, Any] | None) -> CentralClaim | None:
        """Return the claim of a task's member `mixer`; None if the task is not mixed."""
        return None if mixer is None else cls(Decimal(mixer["epsilon"]), Decimal(mixer["delta"]))

    def to_member(self) -> dict[str, str]:
        """Return the member of a record."""
        return {"delta": f"{self.delta:f}", "epsilon": f"{self.epsilon:f}"}


class ReportCost(NamedTuple):
    """What a report spends: its own ε, which holds whatever fails, and the claim of a mixed task."""

    epsilon: Decimal
    claim: CentralClaim | None = None

    @classmethod
    def of(cls, task: Task) -> ReportCost:
        """Return what a report of a task spends."""
        mixer = None if task.mixer is None else task.mixer.to_member()
        return cls(realised_epsilon(task), CentralClaim.from_mixer(mixer))


class SpentSums(NamedTuple):
    """What reports have spent: ε and δ towards recipients, and ε whatever fails."""

    recipients: Decimal
    delta: Decimal
    local: Decimal

    @classmethod
    def of(cls, costs: Iterable[ReportCost | LedgerEntry]) -> SpentSums:
        """Add up what each report has spent."""
        spent = list(costs)
        return cls(
            _sum(each.epsilon if each.claim is None else each.claim.epsilon for each in spent),
            _sum(each.claim.delta for each in spent if each.claim is not None),
            _sum(each.epsilon for each in spent),
        )


class Spending(NamedTuple):
    """What a report has spent, the text of a record: as in `LedgerEntry`, with the whole round of a series."""

    survey: str
    epsilon: Decimal
    day: str
    series: SeriesRound | None
    claim: CentralClaim | None

    @classmethod
    def of(cls, stored: StoredReport) -> Spending:
        """Return what a stored report has spent."""
        members = json.loads(stored.task)
        series = read_series_round(members["series"])
        claim = CentralClaim.from_mixer(members["mixer"])
        return cls(survey_name(members["name"], series), stored.epsilon, stored.day, series, claim)

    @classmethod
    def from_json(cls, text: str) -> Spending | None:
        """Read a record; None if it is not one."""
        try:
            members = json.loads(text)
            survey, day, epsilon = str(members["survey"]), members["day"], members["epsilon"]
            series = read_series_round(members["series"])
            numbers = [epsilon, *(members["claim"] or {}).values()]
            claim = CentralClaim.from_mixer(members["claim"])
            valid = members["version"] == VERSION and all(map(is_decimal_text, numbers)) and is_day(day)
        except (KeyError, TypeError, ValueError, AttributeError, decimal.InvalidOperation):
            return None
        return cls(survey, Decimal(epsilon), day, series, claim) if valid else None

    def to_json(self) -> str:
        """Return the text of the record."""
        series = None if self.series is None else self.series.to_dict()
        claim = None if self.claim is None else self.claim.to_member()
        written = {"epsilon": f"{self.epsilon:f}", "series": series, "claim": claim, "version": VERSION}
        return dump(self._asdict() | written)


@dataclass(frozen=True)
class LedgerEntry:
    """What one report has spent.

    Attributes:
        survey: The name of the survey; of a round, the name of its series.
        task: The id of the task that was answered.
        epsilon: The realised ε of the report, rounded up, which holds whatever fails.
        status: The state of the report.
        day: The day on which it was spent, YYYY-MM-DD in UTC.
        series: The id of the series, None for a task that stands alone.
        round: The number of the round of the series, None for a task that stands alone.
        claim: For a mixed task, the ε and δ that count towards its recipient instead; None for others.
    """

    survey: str
    task: str
    epsilon: Decimal
    status: Status
    day: str
    series: str | None = None
    round: int | None = None
    claim: CentralClaim | None = None

    @property
    def text(self) -> str:
        """The entry as a sentence."""
        survey = f"“{self.survey}”" if self.round is None else f"round {self.round} of “{self.survey}”"
        if self.claim is None:
            state = _STATES[self.status].format(holder="collector")
            return f"On {self.day}, a report for {survey} spent ε = {self.epsilon:f}; {state}."
        state = _STATES[self.status].format(holder="mixer")
        return (
            f"On {self.day}, a sealed report for {survey} spent ε = {self.claim.epsilon:f} and "
            f"δ = {self.claim.delta:f} towards its recipient, {_CONDITION}, and ε = {self.epsilon:f} whatever fails; "
            f"{state}."
        )


class Ledger:
    """What all surveys have spent; it counts from the moment that a report is stored, whatever becomes of it."""

    def __init__(self, outbox: Outbox, caps: Caps) -> None:
        self._outbox, self._folder, self._caps = outbox, outbox.folder, caps

    def entries(self) -> list[LedgerEntry]:
        """Return what each report has spent, sent or not, in the order of days."""
        suffixes = (REPORT_SUFFIX, SPENT_SUFFIX, OUTCOME_SUFFIX)
        tasks = {task_id for suffix in suffixes for task_id in self._folder.names(suffix)}
        entries = [self._entry(task_id) for task_id in tasks]
        return sorted(entries, key=lambda entry: (entry.day, entry.survey, entry.round or 0, entry.task))

    def sums(self) -> SpentSums:
        """Return what all surveys have spent together."""
        return SpentSums.of(self.entries())

    def summary(self) -> tuple[str, str]:
        """Return one sentence per sum: what is spent towards recipients, and whatever fails, of how much."""
        sums, period = self.sums(), self._caps.per_period
        lately = "" if period is None else f", and at most {period.epsilon:f} in any {period.days:,} days"
        spent, most, condition = f"ε = {sums.recipients:f} is", f"{self._caps.in_all:f}", ""
        if sums.delta:
            spent = f"ε = {sums.recipients:f} and δ = {sums.delta:f} are"
            most, condition = f"{most} and {DELTA_CAP:f}", f", {_CONDITION}"
        return (
            f"Towards recipients, {spent} spent, of at most {most} in all{lately}{condition}.",
            f"Whatever fails, ε = {sums.local:f} is spent, of at most {self._caps.local:f} in all.",
        )

    def last_round(self, series_id: str) -> int:
        """Return the last round of a series that a report was made for; 0 if there is none."""
        return _last_round(self.entries(), series_id)

    def check(self, task: Task, cost: ReportCost, today: str) -> str:
        """Refuse a survey that was answered, a round too early, and a cost beyond a cap.

        Call it under the lock, so that no other process spends now. A file that cannot be read prevents every
        new report: what was spent is unknown then.

        Returns:
            The day on which it is spent: `today`, or that of the latest record if the clock was set back.

        Raises:
            ClientError: `answered`, `not_due` or `over_budget`.
        """
        entries = self.entries()
        for entry in entries:
            self.record(entry.task)
        _check_survey(task, entries)
        day = max([today, *(entry.day for entry in entries)])
        self._check_caps(cost, day, entries)
        return day

    def _check_caps(self, cost: ReportCost, day: str, entries: list[LedgerEntry]) -> None:
        new, spent = SpentSums.of([cost]), SpentSums.of(entries)
        most, local, period = self._caps.in_all, self._caps.local, self._caps.per_period
        price = f"ε = {new.recipients:f}, and"
        refusal = f"{price} {spent.recipients:f} is spent: over the cap of {most:f} in all"
        _check_cap(new.recipients, spent.recipients, most, refusal)
        if period is not None:
            lately = SpentSums.of(entry for entry in entries if days_between(entry.day, day) < period.days).recipients
            days = f"{period.days:,} days"
            refusal = f"{price} {lately:f} is spent in {days}: over the cap of {period.epsilon:f} per {days}"
            _check_cap(new.recipients, lately, period.epsilon, refusal)
        refusal = f"δ = {new.delta:f}, and {spent.delta:f} is spent: over the cap of {DELTA_CAP:f} on δ"
        _check_cap(new.delta, spent.delta, DELTA_CAP, refusal)
        refusal = f"ε = {new.local:f} whatever fails, and {spent.local:f} is spent: over the local cap of {local:f}"
        _check_cap(new.local, spent.local, local, refusal)

    def is_recorded(self, task_id: str) -> bool:
        """Whether a task's spending is remembered apart from its report."""
        return self._folder.get(task_id + SPENT_SUFFIX) is not None

    def record(self, task_id: str) -> None:
        """Record what the stored report of a task has spent, under the lock, unless that was done."""
        if not self.is_recorded(task_id) and (stored := self._outbox.find(task_id)) is not None:
            self._folder.put(task_id + SPENT_SUFFIX, Spending.of(stored).to_json())

    def _entry(self, task_id: str) -> LedgerEntry:
        text = self._folder.get(task_id + SPENT_SUFFIX)
        if text is not None and self._folder.get(task_id + REPORT_SUFFIX) is None:
            recorded = Spending.from_json(text)
            if recorded is None:
                raise self._folder.damage_error(task_id + SPENT_SUFFIX, "not a record this release reads")
            return _entry_of(task_id, recorded, Status.REMOVED)
        stored = self._outbox.find(task_id)
        if stored is None:
            raise self._folder.damage_error(task_id + REPORT_SUFFIX, "removed")
        spending = Spending.of(stored)
        if text is not None and text != spending.to_json():
            raise self._folder.damage_error(task_id + SPENT_SUFFIX, "does not fit its report")
        return _entry_of(task_id, spending, self._outbox.outcome(task_id).status)


def realised_epsilon(task: Task) -> Decimal:
    """Return the realised ε of a task's reports as an exact decimal."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def _check_cap(cost: Decimal, spent: Decimal, most: Decimal, refusal: str) -> None:
    if _sum((spent, cost)) > most:
        raise ClientError("over_budget", f"the task costs {refusal}")


def survey_name(name: str, series: SeriesRound | None) -> str:
    """Return the name of the survey that a task belongs to: of a round, the name of its series."""
    return name if series is None else name.removesuffix(series.suffix)


def _entry_of(task_id: str, spending: Spending, status: Status) -> LedgerEntry:
    survey, epsilon, day, series, claim = spending
    series_id, number = (None, None) if series is None else (series.id, series.round)
    return LedgerEntry(survey, task_id, epsilon, status, day, series_id, number, claim)


def _check_survey(task: Task, entries: list[LedgerEntry]) -> None:
    """Refuse a survey answered by another task or series, or in one of the last rounds of this series."""
    series, survey = task.series, survey_of(survey_name(task.name, task.series))
    for entry in entries:
        is_other = series is None or entry.series != series.id
        if is_other and survey_of(entry.survey) == survey:
            raise ClientError(
                "answered",
                f"this device has answered the survey {entry.survey!r} (task {entry.task}); "
                "another run of it needs another name; nothing was perturbed",
            )
    if series is None:
        return
    last = _last_round(entries, series.id)
    if last and series.round < last + series.panels:
        raise ClientError(
            "not_due",
            f"this device has reported in round {last} of series {series.id}, so that its next report is for "
            f"round {last + series.panels} or later, not for round {series.round}; nothing was perturbed",
        )


def _last_round(entries: list[LedgerEntry], series_id: str) -> int:
    return max((entry.round or 0 for entry in entries if entry.series == series_id), default=0)


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    with decimal.localcontext(prec=SUM_DIGITS, rounding=decimal.ROUND_UP):
        return sum(numbers, Decimal(0))
