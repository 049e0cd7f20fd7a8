"""What would help a plan whose light is not green: the same form with one thing changed, planned again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pckv.base.errors import ParameterError
from pckv.base.records import Record
from pckv.collector.http.problem_details import ProblemDetails
from pckv.planning.outlook import Outlook
from pckv.planning.people import MAX_USERS
from pckv.planning.plan import Plan
from pckv.planning.sections import LIGHTS, Light
from pckv.web.task_form import PlanInputs, planned_mixed

# The privacy levels of the form, from the strongest.
LEVELS = ("1", "2", "3")
# Fewer answer options are proposed where there are at least as many.
MIN_KEYS = 6
# By how much the least share that stands out must fall for a way to be worth a line.
WORTHWHILE = 0.8
# How many times as many people are proposed, beside the number with which the light is green.
MORE_PEOPLE = 2
# How many choices per person are proposed.
FEW_CHOICES = 2
UNRATED = {"low": None, "high": None, "levels": None, "objective": None}
SINGLE = {"more": "refuse", "most_pairs": 1, "pairs": None}


@dataclass(frozen=True)
class Way(Record):
    """One change that would help.

    Attributes:
        name: What changes: `epsilon`, `keys`, `values`, `levels`, `segment`, `together`, `most` (fewer choices per
            person), `single` (one choice per person), `both` (one choice per person, without values), `mixer` or
            `people` (twice as many).
        value: What it becomes: the ε, or how many answer options, choices or people there are; None for what is left
            out.
        light: The light of the plan with it.
        smallest: The least share of people from which an answer then stands out, four times out of five.
    """

    name: str
    value: str | None
    light: Light
    smallest: float


def ways_of(inputs: PlanInputs) -> list[Way]:
    """Return the changes that make the light better, or let rarer answers stand out; none where it is green."""
    now = _plan(inputs).outlook
    if now.light == "green":
        return []
    found = [way for change in _changes(inputs) if (way := _way(inputs, now, *change))]
    names = {way.name for way in found}
    # Together they may help where neither does.
    if inputs.low is not None and not names & {"values", "single"}:
        unrated = _way(inputs, now, "both", None, UNRATED | SINGLE)
        found += [unrated] if unrated else []
    return found


def _way(inputs: PlanInputs, now: Outlook, name: str, value: str | None, changes: dict[str, Any]) -> Way | None:
    """Return a change as a way; None where it cannot be planned or does not help."""
    try:
        plan = _plan(PlanInputs.model_validate(inputs.model_dump() | changes))
    except (ParameterError, ProblemDetails):
        return None
    if plan.outlook.reach is None or not _is_better(plan.outlook, now):
        return None
    return Way(name, value, plan.outlook.light, plan.smallest_frequency)


def _plan(inputs: PlanInputs) -> Plan:
    return planned_mixed(inputs) if inputs.mixed else inputs.planner().plan()


def _is_better(then: Outlook, now: Outlook) -> bool:
    if LIGHTS.index(then.light) != LIGHTS.index(now.light):
        return LIGHTS.index(then.light) > LIGHTS.index(now.light)
    return (then.reach or math.inf) <= WORTHWHILE * (1 if now.reach is None else now.reach)


def _changes(inputs: PlanInputs) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Yield what could be changed in the form: its name, what it becomes, and the inputs that differ."""
    lighter = [level for level in LEVELS if float(level) > float(inputs.epsilon)]
    if lighter:
        yield "epsilon", lighter[0], {"epsilon": lighter[0]}
    if inputs.keys.isdecimal() and int(inputs.keys) >= MIN_KEYS:
        half = int(inputs.keys) // 2
        fewer = {"pairs": inputs.pairs and min(inputs.pairs, half)}
        yield "keys", str(half), fewer | {"keys": str(half), "most_pairs": _at_most(inputs.most_pairs, half)}
    if inputs.low is not None:
        if inputs.levels not in (None, "2"):
            yield "levels", None, {"levels": None}
        yield "values", None, UNRATED
    if inputs.labels is not None:
        yield "segment", None, {"labels": None}
    if inputs.together:
        yield "together", None, {"together": False}
    yield from _fewer_choices(inputs)
    # Items that are made of others take seconds to plan for a mixer.
    if inputs.coin == "device" and inputs.labels is None and not inputs.together:
        yield "mixer", None, {"mixed": inputs.users}
    more = MORE_PEOPLE * inputs.users
    if more <= MAX_USERS:
        yield "people", str(more), {"users": more, "mixed": inputs.mixed and more}


def _fewer_choices(inputs: PlanInputs) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Yield what could be changed of how many answer options a person may choose."""
    if inputs.more == "refuse" and inputs.most_pairs == 1:
        return
    # What is chosen together needs several choices.
    if not inputs.together:
        yield "single", None, SINGLE
    if inputs.more != "refuse" or (inputs.most_pairs or FEW_CHOICES + 1) > FEW_CHOICES:
        few = {"more": "refuse", "most_pairs": FEW_CHOICES, "pairs": inputs.pairs and min(inputs.pairs, FEW_CHOICES)}
        yield "most", str(FEW_CHOICES), few


def _at_most(number: int | None, most: int) -> int | None:
    return None if number is None else min(number, most)
