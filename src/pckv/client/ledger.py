"""The ledger: the ε that the surveys of a state folder have spent, and the caps on what they may spend.

Every report leaves a record, written before the report is first sent. A record that is missing is restored
from its report, and one that contradicts it is refused: what was spent is not forgotten while one is left.

A record has the day on which it was spent. That day is never before the day of an earlier record, and the
rounds of a series only go up: a clock that is set back frees nothing.
"""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from pckv.base.canonical import decimal_text, dump, is_decimal_text
from pckv.base.days import days_between, is_day
from pckv.base.errors import ClientError, ParameterError
from pckv.base.limits import Numeric, check_count
from pckv.client.folder import StateFolder
from pckv.client.outbox import OUTCOME_SUFFIX, REPORT_SUFFIX, SPENT_SUFFIX, Outbox, Status, StoredReport
from pckv.contract.members import SeriesRound, read_series_round
from pckv.contract.survey import survey_of
from pckv.contract.task import Task

# What a device spends in all, unless a cap is given.
DEFAULT_CAP = Decimal(10)
CAP_NAME, CAP_PER_PERIOD_NAME = "cap", "cap_per_period"
MAX_CAP_DAYS = 36_525


class PeriodCap(NamedTuple):
    """The most ε, `epsilon`, in any `days` in a row."""

    epsilon: Decimal
    days: int

    def to_json(self) -> str:
        """Return the text that is stored."""
        return dump({"days": self.days, "epsilon": f"{self.epsilon:f}"})


class Caps:
    """The caps that were given: the most ε in all, and in a number of days.

    A cap that is None is the one that the folder remembers, or else the default in all, and none per period.
    """

    def __init__(
        self,
        folder: StateFolder,
        cap: Numeric | None = None,
        cap_per_period: tuple[Numeric, int] | None = None,
    ) -> None:
        self._folder = folder
        self._given = None if cap is None else _checked_epsilon(cap, "the cap")
        self._given_per_period = None if cap_per_period is None else _checked_period_cap(cap_per_period)

    @property
    def in_all(self) -> Decimal:
        """The most ε that all surveys may spend together."""
        if self._given is not None:
            return self._given
        text = self._folder.get(CAP_NAME)
        if text is None:
            return DEFAULT_CAP
        if not is_decimal_text(text):
            raise self._folder.damage_error(CAP_NAME, "not a cap")
        return Decimal(text)

    @property
    def per_period(self) -> PeriodCap | None:
        """The most ε of all surveys together in a number of days; None if only the total counts."""
        if self._given_per_period is not None:
            return self._given_per_period
        text = self._folder.get(CAP_PER_PERIOD_NAME)
        if text is None:
            return None
        try:
            members = json.loads(text)
            return _checked_period_cap((members["epsilon"], members["days"]))
        except (KeyError, TypeError, ValueError):
            raise self._folder.damage_error(CAP_PER_PERIOD_NAME, "not a cap") from None

    def remember(self) -> None:
        """Store the caps that were given, if any were."""
        if self._given is not None:
            self._store(CAP_NAME, f"{self._given:f}")
        if self._given_per_period is not None:
            self._store(CAP_PER_PERIOD_NAME, self._given_per_period.to_json())

    def _store(self, name: str, text: str) -> None:
        if text != self._folder.get(name):
            with self._folder.locked():
                self._folder.put(name, text, replace=True)


def _checked_epsilon(epsilon: Numeric, what: str) -> Decimal:
    checked = Decimal(decimal_text(epsilon, what))
    if checked < 0:
        raise ParameterError(f"{what} must not be below 0: {epsilon}")
    return checked


def _checked_period_cap(given: tuple[Numeric, int]) -> PeriodCap:
    try:
        epsilon, days = given
    except (TypeError, ValueError):
        raise ParameterError(f"the cap per period must be an ε and a number of days, not {given!r}") from None
    return PeriodCap(
        _checked_epsilon(epsilon, "the cap per period"),
        check_count(days, "the days of the cap per period", MAX_CAP_DAYS),
    )


VERSION = 1
# An ε has at most 2 digits before the point and 24 behind it: sums at this precision are exact.
SUM_DIGITS = 60
_STATES = {
    Status.SENT: "the collector has the report",
    Status.WAITING: "the report waits to be sent",
    Status.REFUSED: "the collector refused the report",
    Status.REMOVED: "the report was removed from this device",
}


class Spending(NamedTuple):
    """What a report has spent, the text of a record: as in `LedgerEntry`, with the whole round of a series."""

    survey: str
    epsilon: Decimal
    day: str
    series: SeriesRound | None

    @classmethod
    def of(cls, stored: StoredReport) -> Spending:
        """Return what a stored report has spent."""
        members = json.loads(stored.task)
        series = read_series_round(members["series"])
        return cls(survey_name(members["name"], series), stored.epsilon, stored.day, series)

    @classmethod
    def from_json(cls, text: str) -> Spending | None:
        """Read a record; None if it is not one."""
        try:
            members = json.loads(text)
            survey, day, epsilon = str(members["survey"]), members["day"], members["epsilon"]
            series = read_series_round(members["series"])
            valid = members["version"] == VERSION and is_decimal_text(epsilon) and is_day(day)
        except (KeyError, TypeError, ValueError):
            return None
        return cls(survey, Decimal(epsilon), day, series) if valid else None

    def to_json(self) -> str:
        """Return the text of the record."""
        series = None if self.series is None else self.series.to_dict()
        return dump(self._asdict() | {"epsilon": f"{self.epsilon:f}", "series": series, "version": VERSION})


@dataclass(frozen=True)
class LedgerEntry:
    """What one report has spent.

    Attributes:
        survey: The name of the survey; of a round, the name of its series.
        task: The id of the task that was answered.
        epsilon: The realised ε, rounded up.
        status: The state of the report.
        day: The day on which it was spent, YYYY-MM-DD in UTC.
        series: The id of the series, None for a task that stands alone.
        round: The number of the round of the series, None for a task that stands alone.
    """

    survey: str
    task: str
    epsilon: Decimal
    status: Status
    day: str
    series: str | None = None
    round: int | None = None

    @property
    def text(self) -> str:
        """The entry as a sentence."""
        survey = f"“{self.survey}”" if self.round is None else f"round {self.round} of “{self.survey}”"
        return f"On {self.day}, a report for {survey} spent ε = {self.epsilon:f}; {_STATES[self.status]}."


class Ledger:
    """The ε of all surveys; it counts from the moment that a report is stored, whatever becomes of it."""

    def __init__(self, outbox: Outbox, caps: Caps) -> None:
        self._outbox, self._folder, self._caps = outbox, outbox.folder, caps

    def entries(self) -> list[LedgerEntry]:
        """Return what each report has spent, sent or not, in the order of days."""
        suffixes = (REPORT_SUFFIX, SPENT_SUFFIX, OUTCOME_SUFFIX)
        tasks = {task_id for suffix in suffixes for task_id in self._folder.names(suffix)}
        entries = [self._entry(task_id) for task_id in tasks]
        return sorted(entries, key=lambda entry: (entry.day, entry.survey, entry.round or 0, entry.task))

    def spent(self) -> Decimal:
        """Return what all surveys have spent together."""
        return _sum(entry.epsilon for entry in self.entries())

    def last_round(self, series_id: str) -> int:
        """Return the last round of a series that a report was made for; 0 if there is none."""
        return _last_round(self.entries(), series_id)

    def check(self, task: Task, epsilon: Decimal, today: str) -> str:
        """Refuse a survey that was answered, a round too early, and an ε beyond a cap.

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
        self._check_caps(epsilon, day, entries)
        return day

    def _check_caps(self, epsilon: Decimal, day: str, entries: list[LedgerEntry]) -> None:
        spent, cap = _sum(entry.epsilon for entry in entries), self._caps.in_all
        if _sum((spent, epsilon)) > cap:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {spent:f} is spent: over the cap of {cap:f} in all",
            )
        period = self._caps.per_period
        if period is None:
            return
        lately = _sum(entry.epsilon for entry in entries if days_between(entry.day, day) < period.days)
        if _sum((lately, epsilon)) > period.epsilon:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {lately:f} is spent in {period.days:,} days: "
                f"over the cap of {period.epsilon:f} per {period.days:,} days",
            )

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
    """Return a task's realised ε as an exact decimal."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def survey_name(name: str, series: SeriesRound | None) -> str:
    """Return the name of the survey that a task belongs to: of a round, the name of its series."""
    return name if series is None else name.removesuffix(series.suffix)


def _entry_of(task_id: str, spending: Spending, status: Status) -> LedgerEntry:
    survey, epsilon, day, series = spending
    placed = () if series is None else (series.id, series.round)
    return LedgerEntry(survey, task_id, epsilon, status, day, *placed)


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
