"""A model of the ledger: which surveys are answered, and plain sums of what was spent.

It shares no code with the clients. Days are numbers, and a survey is a number too, whatever the names of its tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NamedTuple

# What a collector does in a step, besides taking reports of tasks that are open on its day: it gives no answer, loses
# those to uploads, answers uploads with 503, with 401, or with a refusal, or refuses all admissions.
OK, AWAY, LOSES, BUSY, UNSURE, REFUSES, UNADMITTED = "ok", "away", "loses", "busy", "unsure", "refuses", "unadmitted"
DEFAULT_CAP, DEFAULT_LOCAL_CAP, DELTA_CAP = Decimal(10), Decimal(40), Decimal("0.00001")


class Claim(NamedTuple):
    """What a mixed task claims towards its recipient."""

    epsilon: Decimal
    delta: Decimal


class Sums(NamedTuple):
    """What counts towards recipients, and whatever fails."""

    recipients: Decimal
    delta: Decimal
    local: Decimal


class SurveyTask(NamedTuple):
    """A task that stands alone; a mixed one has a claim."""

    id: str
    survey: int
    name: str
    cost: Decimal
    opens: int | None
    closes: int | None
    claim: Claim | None = None

    @property
    def costs(self) -> Sums:
        """What a report adds to each sum."""
        if self.claim is None:
            return Sums(self.cost, Decimal(0), self.cost)
        return Sums(*self.claim, self.cost)


class SurveySeries(NamedTuple):
    """A series of rounds, of which the ids are those of tasks."""

    id: str
    survey: int
    name: str
    cost: Decimal
    first: int
    period: int
    panels: int
    rounds: tuple[str, ...]
    claim: Claim | None = None

    @property
    def costs(self) -> Sums:
        """What a report of a round adds to each sum."""
        return self.round_task(1).costs

    def round_on(self, day: int) -> int | None:
        number = (day - self.first) // self.period + 1
        return number if 1 <= number <= len(self.rounds) else None

    def round_task(self, number: int) -> SurveyTask:
        opens = self.first + self.period * (number - 1)
        closes = opens + self.period
        return SurveyTask(self.rounds[number - 1], self.survey, self.name, self.cost, opens, closes, self.claim)


Survey = SurveyTask | SurveySeries


class PeriodLimit(NamedTuple):
    """The most ε in a number of days."""

    epsilon: Decimal
    days: int


class GivenCaps(NamedTuple):
    """The caps that a client is made with."""

    in_all: Decimal | None = None
    per_period: PeriodLimit | None = None
    local: Decimal | None = None


class Collector(NamedTuple):
    """What the collector does in a step; a trusting one takes reports on any day."""

    today: int
    mode: str = OK
    trusting: bool = False

    def phase(self, task: SurveyTask) -> str:
        return "open" if self.trusting else phase_on(task, self.today)

    def refusal(self, task: SurveyTask) -> str | None:
        """Return why it would not take a report that is not made yet; None if it would, or gives no answer."""
        if self.mode == AWAY or (self.mode != UNADMITTED and self.phase(task) == "open"):
            return None
        return "deleted" if self.mode == UNADMITTED else self.phase(task)


class Made(NamedTuple):
    """A report that was made."""

    task: SurveyTask
    day: int
    series: str | None
    round: int | None
    status: str = "waiting"


class Result(NamedTuple):
    """What a call says: a status or the code of an error, whether it perturbed, and the round if it names one."""

    says: str
    perturbed: bool = False
    round: int | None = None


def phase_on(task: SurveyTask, day: int) -> str:
    if task.opens is not None and day < task.opens:
        return "not_open"
    return "closed" if task.closes is not None and day >= task.closes else "open"


@dataclass
class Model:
    """What a device must remember, and what its calls must say.

    Attributes:
        reports: Every report that was ever made, by the id of its task.
        known: The ids of the contracts that were fetched.
        panels: The panel of every series that was joined.
        uploads: The tasks of the reports that reached the collector in this step.
    """

    cap: Decimal = DEFAULT_CAP
    local_cap: Decimal = DEFAULT_LOCAL_CAP
    per_period: PeriodLimit | None = None
    reports: dict[str, Made] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    panels: dict[str, int] = field(default_factory=dict)
    uploads: list[str] = field(default_factory=list)

    def copy(self) -> Model:
        return replace(self, reports=dict(self.reports), known=set(self.known), panels=dict(self.panels), uploads=[])

    def remember(self, caps: GivenCaps) -> None:
        self.cap = self.cap if caps.in_all is None else caps.in_all
        self.local_cap = self.local_cap if caps.local is None else caps.local
        self.per_period = caps.per_period or self.per_period

    def forget(self, series: str) -> None:
        """Forget the text and the panel of a series, but not what was spent on it."""
        self.known.discard(series)
        self.panels.pop(series, None)

    def remove(self, task: str) -> None:
        """Remove a report, but not what was spent on it."""
        self.reports[task] = self.reports[task]._replace(status="removed")

    def is_removed(self, task: str) -> bool:
        return task in self.reports and self.reports[task].status == "removed"

    def sums(self, since: int | None = None) -> Sums:
        """Return what all reports spent, or those from a day on."""
        recipients = delta = local = Decimal(0)
        for made in self.reports.values():
            if since is None or made.day >= since:
                recipients += made.task.costs.recipients
                delta += made.task.costs.delta
                local += made.task.costs.local
        return Sums(recipients, delta, local)

    def left(self, clock: int) -> Sums:
        """Return what caps still allow of each sum."""
        spent = self.sums()
        left = self.cap - spent.recipients
        if self.per_period is not None:
            lately = self.sums(self._day(clock) - self.per_period.days + 1).recipients
            left = min(left, self.per_period.epsilon - lately)
        return Sums(left, DELTA_CAP - spent.delta, self.local_cap - spent.local)

    def submit(self, task: SurveyTask, clock: int, collector: Collector) -> Result:
        if task.id in self.reports and not self.is_removed(task.id):
            return self._send(task.id, collector)
        if not self._knows(task.id, collector) or phase_on(task, clock) != "open":
            return Result("not_sent")
        refusal = self._refusal(task, None, clock) or collector.refusal(task)
        if refusal:
            return Result(refusal)
        # Without an answer the report is made, and waits; but a mixer must answer.
        if collector.mode == AWAY and task.claim is not None:
            return Result("not_sent")
        self._make(Made(task, self._day(clock), None, None))
        sent = self._send(task.id, collector)
        # A refusal is an error, which does not tell.
        return sent._replace(perturbed=sent.says != "refused")

    def report(self, series: SurveySeries, clock: int, collector: Collector, draw: int) -> Result:
        if not self._knows(series.id, collector):
            return Result("unreachable")
        panel, current = self.panels.setdefault(series.id, draw % series.panels), series.round_on(clock)
        if current is not None and series.rounds[current - 1] in self.reports:
            return self._send(series.rounds[current - 1], collector)
        number = self._next_round(series, panel, clock)
        if number is None:
            return Result("over")
        if number != current:
            return Result("not_started" if current is None else "not_due", round=number)
        return self._report_in(series, number, clock, collector)

    def _report_in(self, series: SurveySeries, number: int, clock: int, collector: Collector) -> Result:
        task = series.round_task(number)
        refusal = self._refusal(task, series.id, clock)
        if refusal:
            return Result(refusal)
        if collector.mode == AWAY:
            return Result("unreachable", round=number)
        if collector.refusal(task):
            return Result("refused", round=number)
        self._make(Made(task, self._day(clock), series.id, number))
        return self._send(task.id, collector)._replace(perturbed=True)

    def _next_round(self, series: SurveySeries, panel: int, clock: int) -> int | None:
        """Return the next round of a panel, of which as many in a row as there are panels hold one report."""
        current = series.round_on(clock)
        if current is None and clock >= series.first:
            return None
        last = max((made.round or 0 for made in self.reports.values() if made.series == series.id), default=0)
        earliest = max(current or 1, last + series.panels if last else 1)
        return next((n for n in range(earliest, len(series.rounds) + 1) if n % series.panels == panel), None)

    def flush(self, collector: Collector) -> list[tuple[str, str]]:
        """Return what is said of all reports that wait, in the order of their tasks' ids."""
        waiting = sorted(task for task, made in self.reports.items() if made.status == "waiting")
        # The first one that gets no answer, or 503, is the last one that is tried there: at the collector, or the mixer.
        mixed = [task for task in waiting if self.reports[task].task.claim is not None]
        clear = [task for task in waiting if task not in mixed]
        tried = mixed[:1] + clear[:1] if collector.mode in {AWAY, LOSES, BUSY} else waiting
        return [(task, self._send(task, collector).says if task in tried else "waiting") for task in waiting]

    def _knows(self, contract: str, collector: Collector) -> bool:
        if collector.mode != AWAY:
            self.known.add(contract)
        return contract in self.known

    def _day(self, clock: int) -> int:
        """Return the day that something is spent on: no earlier than all that was spent before."""
        return max([clock, *(made.day for made in self.reports.values())])

    def _refusal(self, task: SurveyTask, series: str | None, clock: int) -> str | None:
        for made in self.reports.values():
            if made.task.survey == task.survey and (series is None or made.series != series):
                return "answered"
        is_over = any(cost > left for cost, left in zip(task.costs, self.left(clock), strict=True))
        return "over_budget" if is_over else None

    def _make(self, made: Made) -> None:
        assert made.task.id not in self.reports
        self.reports[made.task.id] = made

    def _send(self, task: str, collector: Collector) -> Result:
        made = self.reports[task]
        if made.status == "waiting" and collector.mode != AWAY:
            self.uploads.append(task)
            made = made._replace(status=_outcome(made, collector))
            self.reports[task] = made
        return Result(made.status, round=made.round)


def _outcome(made: Made, collector: Collector) -> str:
    """Return what becomes of a report that is uploaded."""
    if collector.mode in {LOSES, BUSY, UNSURE}:
        return "waiting"
    phase = collector.phase(made.task)
    if collector.mode == REFUSES or phase == "closed":
        return "refused"
    return "sent" if phase == "open" else "waiting"
