"""Random lives of a device: years of surveys and rounds, each step compared with the model of the ledger.

A life has restarts, two processes or tabs that overtake each other, a collector that is away for a day or for more than a
year, loses answers and refuses, a clock that is set back, caps that change, and names that come again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any, NamedTuple

from pckv import Series, Task
from support.ledger_model import (
    AWAY,
    BUSY,
    LOSES,
    OK,
    REFUSES,
    UNADMITTED,
    UNSURE,
    Claim,
    Collector,
    GivenCaps,
    Model,
    PeriodLimit,
    Survey,
    SurveySeries,
    SurveyTask,
)
from support.tasks import a_mixed_task

PAIRS = {"alien": 5.0}
# Steps of a life: a short one makes about 40 reports, a long one more than 100 in 800 calls.
SHORT, LONG = 150, 700
SEEDS = [str(seed) for seed in range(12)]
# Every planted fault shows in one of these.
FAULT_SEEDS = ("1", "4", "9", "7", "11", "0", "2", "12", "22")
SLOW_LIVES = 300
FIRST, YEARS_IN_DAYS = dt.date(2030, 1, 1).toordinal(), 5 * 365
EPSILONS = ("0.05", "0.1", "0.25", "0.5", "1", "0.000001", "0.3333333333333333333", "2.12345678901234567")
# Days of a round, panels, and rounds.
SCHEDULES = (
    (7, 4, None),
    (7, 1, None),
    (30, 3, None),
    (14, 2, 110),
    (90, 1, None),
    (30, 5, 40),
    (10, 6, None),
    (7, 3, 200),
)
TOTALS = tuple(map(Decimal, ("1.5", "10", "25", "80")))
# Caps on the ε of all reports, whatever fails.
LOCAL_TOTALS = tuple(map(Decimal, ("20", "90", "200")))
# Of mixed tasks: ε of a report, and ε and δ of the claim.
MIXED = (("2", "0.05", "0.0000001"), ("3.5", "0.25", "0.000001"), ("1", "0.5", "0.0000004"), ("4", "1", "0.000003"))
MIXER = "http://localhost:1"
# The rounds of these schedules are mixed.
MIXED_SCHEDULES = (2, 7)
LIMITS = tuple(
    PeriodLimit(Decimal(most), days) for most, days in (("1.5", 30), ("3", 365), ("2", 90), ("0.6", 7), ("4", 400))
)
# How a collector refuses a report: the status of its answer, 200 for one that lists it, and the problem.
REFUSALS = (
    (200, "conflict"),
    (400, "bad-report"),
    (403, "closed"),
    (404, "unknown"),
    (410, "deleted"),
    (413, "too-large"),
)
MODES = {OK: 62, AWAY: 5, LOSES: 10, BUSY: 3, UNSURE: 3, REFUSES: 13, UNADMITTED: 4}


class Call(NamedTuple):
    """A call by one of two clients; one that is restarted is made with new caps."""

    client: int
    method: str
    contract: str
    clock: int
    restarted: bool
    caps: GivenCaps


class Step(NamedTuple):
    """A call, and what it meets; at a step of its own, counted from 0, it may be overtaken by another call.

    `draw` is the number that is drawn for a panel, the other client draws the next one; `forgotten` is a series of which the
    text and the panel are removed before, `removed` a task whose report is.
    """

    call: Call
    collector: Collector
    refusal: tuple[int, str]
    draw: int
    forgotten: str | None = None
    removed: str | None = None
    overtaken: tuple[int, Call] | None = None

    @property
    def calls(self) -> list[Call]:
        return [self.call] if self.overtaken is None else [self.call, self.overtaken[1]]

    def draw_of(self, client: int) -> int:
        return self.draw + (client != self.call.client)


@dataclass(frozen=True)
class Contracts:
    """What a collector has: the texts by path, and the surveys by id."""

    texts: dict[str, str]
    surveys: dict[str, Survey]

    def days(self) -> dict[str, tuple[str | None, str | None]]:
        """Return the days on which every task and round opens and closes."""
        tasks = [survey for survey in self.surveys.values() if isinstance(survey, SurveyTask)]
        for series in self.surveys.values():
            if isinstance(series, SurveySeries):
                tasks += [series.round_task(number) for number in range(1, len(series.rounds) + 1)]
        return {task.id: (day_text(task.opens), day_text(task.closes)) for task in tasks}


def day_text(number: int | None) -> str | None:
    return None if number is None else dt.date.fromordinal(number).isoformat()


@cache
def contracts_of(surveys: int) -> Contracts:
    """Return the contracts of some surveys: most are a task, some are several, and some are a series and a task."""
    random, mixed = Random(surveys), Random(f"mixed {surveys}")
    found = Contracts({}, {})
    for number in range(surveys):
        name = f"survey {number}"
        spellings = (name, name.upper(), f" {name}", name.replace(" ", "  "))
        for spelling in random.sample(spellings, random.choice((1, 1, 2))):
            opens = FIRST + random.randrange(YEARS_IN_DAYS) if random.random() < 0.05 else None
            closes = (opens or FIRST) + random.choice((10, 300, 900)) if random.random() < 0.1 else None
            epsilon, claim = random.choice(EPSILONS), None
            if mixed.random() < 0.3:
                epsilon, *claimed = mixed.choice(MIXED)
                claim, closes = Claim(*map(Decimal, claimed)), closes or FIRST + 2 * YEARS_IN_DAYS
            task = _task(spelling, epsilon, claim, opens=day_text(opens), closes=day_text(closes))
            cost = Decimal(repr(task.realised_epsilon))
            found.surveys[task.id] = SurveyTask(task.id, number, spelling, cost, opens, closes, claim)
            found.texts[f"/tasks/{task.id}"] = task.to_json()
    for at, (period, panels, rounds) in enumerate(SCHEDULES):
        # Two series share a name, two have that of a task.
        number, name = (surveys + at // 2, f"Series {at // 2}") if at < 6 else (at, f"Survey {at} ")
        first = FIRST + random.randrange(-60, 90)
        epsilon, claim = random.choice(EPSILONS[:5]), None
        if at in MIXED_SCHEDULES:
            epsilon, claim = "0.5", Claim(Decimal("0.05"), Decimal("0.0000001"))
        task = _task(name, epsilon, claim)
        series = Series(task=task, first=str(day_text(first)), period=period, panels=panels, rounds=rounds)
        # Clocks may be ahead.
        count = rounds or (YEARS_IN_DAYS + 500) // period
        ids = tuple(series.task_of(round_number).id for round_number in range(1, count + 1))
        cost = Decimal(repr(task.realised_epsilon))
        found.surveys[series.id] = SurveySeries(series.id, number, name, cost, first, period, panels, ids, claim)
        found.texts[f"/series/{series.id}"] = series.to_json()
    return found


def _task(name: str, epsilon: str, claim: Claim | None = None, **days: Any) -> Task:
    task = Task(
        name=name, keys=["alien"], values=(1, 5), epsilon=epsilon, mechanism="grr", padding=1, size_share=0, **days
    )
    if claim is None:
        return task
    return a_mixed_task(task, MIXER, epsilon=f"{claim.epsilon:f}", delta=f"{claim.delta:f}")


class Life:
    """The steps of a life, drawn with a seed and what the model says at every step."""

    def __init__(self, seed: str, steps: int) -> None:
        self.seed, self.random, self.steps = seed, Random(seed), steps
        # Calls that overtake each other may leave several possibilities.
        self.models = [Model()]
        self.contracts = contracts_of(steps // 2)
        surveys = self.contracts.surveys.values()
        self._tasks = [survey.id for survey in surveys if isinstance(survey, SurveyTask)]
        self._series = [survey.id for survey in surveys if isinstance(survey, SurveySeries)]
        self._today, self._mode, self._mode_ends = FIRST, OK, FIRST
        self._caps = [GivenCaps(), GivenCaps()]
        # Some devices have only a total, some only a limit per period; caps are then raised or lowered at some restarts.
        self._totals, self._limits = self.random.choice([(TOTALS, LIMITS), (TOTALS[-1:], LIMITS), (TOTALS, ())])

    @property
    def model(self) -> Model:
        """What the device must remember, by one of the possibilities."""
        return self.models[0]

    def __iter__(self) -> Iterator[Step]:
        yield self._step(self._call(self._caps_to_give()), Collector(self._today))
        for left in range(self.steps - 1, 0, -1):
            self._pass_time((FIRST + YEARS_IN_DAYS - self._today) / left)
            collector = Collector(self._today, self._mode, trusting=self.random.random() < 0.3)
            call = self._call()
            yield self._race(call, collector) if self.random.random() < 0.2 else self._step(call, collector)

    def _pass_time(self, mean: float) -> None:
        """Let days pass, often to the last day on which something counts in its period, or to the next one."""
        random, model = self.random, self.model
        limit = model.per_period
        last_days = [made.day + limit.days - 1 for made in model.reports.values()] if limit else []
        soon = [day for day in last_days if self._today <= day <= self._today + 4 * mean]
        if soon and random.random() < 0.3:
            self._today = min(soon) + random.randrange(2)
        elif random.random() < 0.25:
            # What is done comes in bursts.
            self._today += int(mean * (20 if self._mode == AWAY else 3) * random.expovariate(1))
        elif random.random() < 0.3:
            self._today += 1
        self._today = min(self._today, FIRST + YEARS_IN_DAYS)
        if self._today >= self._mode_ends:
            [self._mode] = random.choices([*MODES], [*MODES.values()])
            lengths = (2, 9, 40, 420) if self._mode == AWAY else (0, 1, 5, 20)
            self._mode_ends = self._today + random.choice(lengths)

    def _step(self, call: Call, collector: Collector, overtaken: tuple[int, Call] | None = None) -> Step:
        random, survey = self.random, self.contracts.surveys.get(call.contract)
        draw, forgotten = random.randrange(60), None
        if isinstance(survey, SurveySeries):
            # A panel that is drawn anew is often that of this round, which may be too early.
            refused = any(
                report.series == survey.id and report.status == "refused" for report in self.model.reports.values()
            )
            forgotten = survey.id if random.random() < (0.4 if refused or overtaken else 0.15) else None
            draw = random.choice((survey.round_on(call.clock) or draw, draw))
        # A round whose report is removed is not answered by all clients alike.
        made = [task for task, report in self.model.reports.items() if report.round is None]
        removed = random.choice(made) if made and random.random() < 0.03 else None
        return Step(call, collector, random.choice(REFUSALS), draw, forgotten, removed, overtaken)

    def _caps_to_give(self) -> GivenCaps:
        random = self.random
        limit = random.choice(self._limits) if self._limits else None
        return GivenCaps(random.choice(self._totals), limit, random.choice(LOCAL_TOTALS))

    def _call(self, caps: GivenCaps | None = None) -> Call:
        """Draw a call; with caps, by a client that is made with them."""
        random = self.random
        client, restarted = random.randrange(2), caps is not None or random.random() < 0.2
        if restarted:
            has_new_caps = caps is None and random.random() < 0.15
            self._caps[client] = self._caps_to_give() if has_new_caps else caps or GivenCaps()
        return Call(client, *self._asked(), restarted, self._caps[client])

    def _asked(self) -> tuple[str, str, int]:
        """Draw the method of a call, what it is about, and what the clock shows."""
        clock = self._clock()
        [method] = self.random.choices(["submit", "report", "flush"], [55, 42, 3])
        if method == "flush":
            return method, "", clock
        return method, self._a_task(clock) if method == "submit" else self.random.choice(self._series), clock

    def _clock(self) -> int:
        random = self.random
        moved = random.choices([0, -random.choice((1, 3, 30, 200, 800)), random.choice((1, 8, 40))], [84, 14, 2])[0]
        return self._today + moved

    def _a_task(self, clock: int) -> str:
        """Draw a task: any, one of an answered survey, one with a report, or the dearest one that caps still allow."""
        random, reports, surveys = self.random, self.model.reports, self.contracts.surveys
        answered = {made.task.survey for made in reports.values()}
        again = [task for task in self._tasks if surveys[task].survey in answered and task not in reports]
        old = [task for task in self._tasks if task in reports and reports[task].day < clock - 400]
        states = {
            status: [task for task in self._tasks if task in reports and reports[task].status == status]
            for status in ("waiting", "refused", "sent")
        }
        old_and_waiting = [task for task in old if task in states["waiting"]]
        free = [task for task in self._tasks if surveys[task].survey not in answered]
        critical = self._critical(free, clock)
        choices = [free, critical, again, old_and_waiting, *states.values()]
        [chosen] = random.choices(choices, [40, 25, 10, 10, 4, 5, 3])
        return random.choice(chosen or free or self._tasks)

    def _critical(self, tasks: list[str], clock: int) -> list[str]:
        """Return the dearest tasks that caps still allow, and the cheapest that they do not."""
        left = self.model.left(clock)
        # How much more of the scarcest sum would be too much; δ in millionths.
        margins = {}
        for task in tasks:
            costs = self.contracts.surveys[task].costs
            ratios = (1, 10**6, 1)
            margins[task] = min(
                ratio * (most - cost) for ratio, most, cost in zip(ratios, left, costs, strict=True) if cost
            )
        dearest = min((margin for margin in margins.values() if margin >= 0), default=None)
        cheapest = max((margin for margin in margins.values() if margin < 0), default=None)
        return [task for task, margin in margins.items() if margin in (dearest, cheapest)]

    def _race(self, call: Call, collector: Collector) -> Step:
        """Let the other client overtake a call, often about the same; both have the caps that are stored."""
        random, survey = self.random, self.contracts.surveys.get(call.contract)
        method, contract, clock = self._asked()
        if isinstance(survey, SurveySeries) and collector.trusting:
            # The last round of the device's own, and by the other's clock the one after it.
            number, panel = survey.round_on(call.clock) or 1, self.model.panels.get(survey.id, 0)
            call = call._replace(clock=call.clock - survey.period * ((number - panel) % survey.panels))
            method, contract, clock = "report", survey.id, call.clock + survey.period * survey.panels
        elif survey is not None and random.random() < 0.7:
            method, contract, clock = call.method, call.contract, call.clock
        # A client that was made with caps stores them at every call.
        restarted = [caps != GivenCaps() for caps in self._caps]
        self._caps = [GivenCaps(), GivenCaps()]
        other = Call(1 - call.client, method, contract, clock, restarted[1 - call.client], GivenCaps())
        call = call._replace(restarted=call.restarted or restarted[call.client], caps=GivenCaps())
        return self._step(call, collector, (random.randrange(9), other))
