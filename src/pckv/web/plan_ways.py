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
from pckv.planning.sections import LIGHTS, Light
from pckv.web.task_form import PlanInputs

# The privacy levels of the form, from the strongest.
LEVELS = ("1", "2", "3")
# Fewer answer options are proposed where there are at least as many.
MIN_KEYS = 6
# By how much the least share that stands out must fall for a way to be worth a line.
WORTHWHILE = 0.8


@dataclass(frozen=True)
class Way(Record):
    """One change that would help.

    Attributes:
        name: What changes: `epsilon`, `keys`, `values`, `levels`, `segment`, `together` or `single`.
        value: What it becomes: the ε, or how many answer options there are; None for what is left out.
        light: The light of the plan with it.
        reach: The least share of people from which answers then stand out.
    """

    name: str
    value: str | None
    light: Light
    reach: float


def ways_of(inputs: PlanInputs) -> list[Way]:
    """Return the changes that make the light better, or let rarer answers stand out; none where it is green."""
    now = _outlook(inputs)
    if now.light == "green":
        return []
    found = []
    for name, value, changes in _changes(inputs):
        try:
            then = _outlook(PlanInputs.model_validate(inputs.model_dump() | changes))
        except (ParameterError, ProblemDetails):
            continue
        if then.reach is not None and _is_better(then, now):
            found.append(Way(name, value, then.light, then.reach))
    return found


def _outlook(inputs: PlanInputs) -> Outlook:
    return inputs.planner().plan().outlook


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
        yield "values", None, {"low": None, "high": None, "levels": None, "objective": None}
    if inputs.labels is not None:
        yield "segment", None, {"labels": None}
    if inputs.together:
        yield "together", None, {"together": False}
    elif inputs.more != "refuse" or inputs.most_pairs != 1:
        yield "single", None, {"more": "refuse", "most_pairs": 1, "pairs": None}


def _at_most(number: int | None, most: int) -> int | None:
    return None if number is None else min(number, most)
