"""The series: one task repeated in rounds, from which every party derives the same task of a round."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from pckv.base.canonical import check_name, contract_id, dump, read_object
from pckv.base.days import Phase, check_day, days_after, days_between
from pckv.base.errors import ParameterError, PckvError, SeriesError
from pckv.base.limits import DISCOVERY, MAX_PANELS, MAX_ROUNDS, SERVER_COIN, check_count
from pckv.base.words import plural
from pckv.contract.facts import Fact
from pckv.contract.members import SeriesRound
from pckv.contract.task import Task

VERSION = 1
MEMBERS = ("first", "panels", "period", "rounds", "task", "version")
MAX_PERIOD_DAYS = 3660


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Series:
    """A repeated collection: a value that never changes, bound by its id.

    Round r takes reports for `period` days, from `first` + (r - 1)·period on. A device is in one of w panels,
    drawn once and uniformly, and reports in the rounds r with r mod w = panel, at the task's full ε. So any w
    rounds in a row hold at most one report of a device.

    Args:
        task: The contract of every round: a task without days of its own.
        first: The first day of round 1, YYYY-MM-DD in UTC.
        period: How many days a round takes, at most 3,660.
        panels: How many panels there are, w: 1 if every device reports in every round.
        rounds: How many rounds there are; None if the series has no end of its own.

    Raises:
        ParameterError: if any of these is outside its domain.

    >>> task = Task(name="ratings", keys=["alien", "heat"], values=(1, 5), epsilon=1, padding=2)
    >>> series = Series(task=task, first="2030-01-07", period=7, panels=4)
    >>> series.task_of(3).name, series.task_of(3).opens, series.round_on("2030-01-27")
    ('ratings, round 3', '2030-01-21', 3)
    >>> Series.from_json(series.to_json()) == series
    True
    """

    task: Task
    first: str
    period: int
    panels: int
    rounds: int | None

    def __init__(self, *, task: Task, first: str, period: int, panels: int, rounds: int | None = None) -> None:
        vars(self).update(
            task=_checked_template(task),
            first=check_day(first, "first"),
            period=check_count(period, "period", MAX_PERIOD_DAYS),
            panels=check_count(panels, "panels", MAX_PANELS),
            rounds=None if rounds is None else check_count(rounds, "rounds", MAX_ROUNDS),
        )
        if rounds is not None and panels > rounds:
            raise ParameterError(
                f"panels must be at most the number of rounds, {rounds:,}, not {panels:,}: devices would never report"
            )
        if days_after(self.first, self.period * (self.rounds or 1)) is None:
            raise ParameterError("a series must end before the year 10000")

    @property
    def name(self) -> str:
        """The name of the series, which is that of its task."""
        return self.task.name

    @property
    def schedule(self) -> str:
        """How many rounds there are, how long they are and when they begin, in words."""
        rounds = "rounds without end" if self.rounds is None else plural(self.rounds, "round")
        return f"{rounds} of {plural(self.period, 'day')} from {self.first} on"

    def opens(self, number: int) -> str:
        """Return the first day of the round with this `number`."""
        self._check_round(number)
        return str(days_after(self.first, self.period * (number - 1)))

    def closes(self, number: int) -> str:
        """Return the first day on which the round with this `number` takes no more reports."""
        self._check_round(number)
        return str(days_after(self.first, self.period * number))

    def _check_round(self, number: int) -> None:
        check_count(number, "round", self.rounds or MAX_ROUNDS)
        if days_after(self.first, self.period * number) is None:
            raise ParameterError(f"round {number:,} would end after the year 9999")

    def round_on(self, day: str) -> int | None:
        """Return the number of the round that takes reports on a `day`; None outside the series."""
        return self._existing(days_between(self.first, day) // self.period + 1)

    def _existing(self, number: int) -> int | None:
        try:
            self._check_round(number)
        except ParameterError:
            return None
        return number

    def last_round_by(self, day: str) -> int:
        """Return the number of the last round that has begun on a `day`; 0 if none has."""
        if day < self.first:
            return 0
        begun = days_between(self.first, day) // self.period + 1
        return min(begun, self.rounds or MAX_ROUNDS)

    def next_round(self, panel: int, after: int) -> int | None:
        """Return the number of the first round of a `panel` after round `after`; None if there is none."""
        return self._existing(after + 1 + (panel - after - 1) % self.panels)

    def phase(self, day: str) -> Phase:
        """Return whether the series takes reports on a `day`."""
        if day < self.first:
            return Phase.WAITING
        return Phase.OPEN if self.round_on(day) is not None else Phase.CLOSED

    def task_of(self, number: int) -> Task:
        """Return the task of round `number`, counted from 1: the same wherever it is derived.

        It is named after the round, with its days, and bound to the series.

        Raises:
            ParameterError: if the series has no such round.
        """
        opens, closes = self.opens(number), self.closes(number)
        return self.task.as_round(SeriesRound(self.id, self.panels, number), opens, closes)

    def to_json(self) -> str:
        """Return the canonical JSON text, which the id is the hash of."""
        return dump(
            {
                "first": self.first,
                "panels": self.panels,
                "period": self.period,
                "rounds": self.rounds,
                "task": json.loads(self.task.to_json()),
                "version": VERSION,
            }
        )

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the canonical JSON, as text."""
        return contract_id(self.to_json())

    @classmethod
    def from_json(cls, text: str | bytes) -> Series:
        """Return the series of a canonical JSON `text`; anything else is a `SeriesError`."""
        text, members = read_object(text, "a series", MEMBERS, VERSION, SeriesError)
        try:
            task = Task.from_json(dump(members["task"]))
            series = cls(task=task, **{name: members[name] for name in ("first", "period", "panels", "rounds")})
        except PckvError as error:
            raise SeriesError(f"not a series: {error}") from None
        if series.to_json() != text:
            raise SeriesError("not a series: the JSON is not in canonical form (order, spacing, escapes)")
        return series

    def facts(self) -> list[Fact]:
        """Return what the series promises, fact by fact, without what only a task that stands alone has."""
        turns = "every round" if self.panels == 1 else f"one round out of {self.panels:,}"
        return [
            Fact("name", {"name": self.name}, self.name),
            Fact("rounds", {name: getattr(self, name) for name in ("first", "period", "rounds")}, self.schedule),
            Fact("panels", {"panels": self.panels}, f"{self.panels:,}; a device reports in {turns}"),
            *(fact for fact in self.task.facts() if fact.name not in {"name", "days", "series", "id"}),
            Fact("id", {"id": self.id}, self.id),
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Series) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return (
            f"<Series {self.name!r}: {self.schedule}, {plural(self.panels, 'panel')}, "
            f"ε = {self.task.epsilon:g}, id {self.id[:8]}…>"
        )


def _checked_template(task: Task) -> Task:
    if not isinstance(task, Task):
        raise ParameterError(f"task must be a task, not {task!r}")
    if task.series is not None:
        raise ParameterError(f"task {task.name!r} is a round of a series itself")
    if task.opens is not None or task.closes is not None:
        raise ParameterError("the task of a series has no days of its own: its rounds have")
    if task.kind == DISCOVERY:
        raise ParameterError(
            f"task {task.name!r} is a discovery, which is not repeated: a series measures keys that are known"
        )
    if task.coin == SERVER_COIN:
        raise ParameterError(
            "the task of a series draws its coins on the device: no invitation is given for every round"
        )
    check_name(f"{task.name}, round {MAX_ROUNDS}", "the name of a round's task")
    return task
