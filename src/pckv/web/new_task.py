"""The page for a new task: the plan for what the form says, and the task that is created from it."""

from __future__ import annotations

import asyncio
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.charts.estimates import errors_chart
from pckv.collector.app import CurrentCollector
from pckv.collector.contracts.tasks import CREATION_RESPONSES
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import json_body
from pckv.collector.http.policy import Policy
from pckv.collector.http.problem_details import malformed_input
from pckv.contract.task import Task
from pckv.planning.curves import Curve, errors_by_epsilon, errors_by_users
from pckv.planning.sections import HALF_RANGE
from pckv.web.task_form import DiscoveryPlanInputs, NewDiscoveryForm, NewTaskForm, PlanInputs, read_any_form

EXPECTED, MARKED, MEASURE = "expected", "this plan", "half the 95 % range"

router = APIRouter(tags=["dashboard"])


@router.get("/plan", summary="Plan a task")
async def show_plan(
    inputs: Annotated[PlanInputs, Query()], collector: CurrentCollector, account: Account
) -> dict[str, Any]:
    """Return a plan, what it says in `sections`, and curves of 95 % ranges as Vega-Lite specifications.

    The first section is what to think of the plan at first sight, with a traffic light.

    `keys` is how many there are, or `hashed`: any text is a key. `pairs` is how many pairs people hold on
    average and `most_pairs` at most, `holding` the share of people who hold any; `low` and `high` are the range of
    the values, for errors of means in the same units; `levels` is how many levels they are reported as, or the
    value of each, with commas between them; `coin` is who draws the public function of a report.
    """
    with malformed_input():
        return await collector.analysis_threads.run(account, partial(_planned, inputs))


@router.get("/plan/discovery", summary="Plan a discovery")
async def show_discovery_plan(
    inputs: Annotated[DiscoveryPlanInputs, Query()], collector: CurrentCollector, account: Account
) -> dict[str, Any]:
    """Return the least `frequency` of a text that a discovery finds four times out of five; 1 if none.

    `sections` say it in words.
    """
    with malformed_input():
        planned = await collector.analysis_threads.run(account, inputs.plan)
    return planned.to_dict() | {"sections": [section.to_dict() for section in planned.sections()]}


# While an operator types, the page asks for the same plan many times.
@lru_cache(64)
def _planned(inputs: PlanInputs) -> dict[str, Any]:
    planner = inputs.planner()
    plan, chosen = planner.plan(), planner.chosen
    return {
        "plan": plan.to_dict(),
        "sections": [section.to_dict() for section in plan.sections()],
        "by_epsilon": _chart("ε", errors_by_epsilon(chosen), plan.epsilon),
        "by_users": _chart("people", errors_by_users(chosen), plan.users),
    }


def _chart(x: str, curve: Curve, marked: float) -> dict[str, Any]:
    """Draw half the 95 % ranges of a typical one of the keys that matter, those of the plan marked."""
    rows = []
    for value, errors in curve:
        row = {x: value, **{quantity: HALF_RANGE * error for quantity, error in errors._asdict().items()}}
        rows += [row | {"series": series} for series in (EXPECTED, *([MARKED] if value == marked else []))]
    specification: dict[str, Any] = errors_chart(rows, x=x, expected=EXPECTED, marked=MARKED, measure=MEASURE).to_dict()
    return specification


@router.post(
    "/tasks/new",
    summary="Create a task from a form",
    status_code=201,
    response_class=Response,
    responses=CREATION_RESPONSES,
    openapi_extra=json_body({"oneOf": [NewTaskForm.model_json_schema(), NewDiscoveryForm.model_json_schema()]}),
)
@Policy(max_bytes=None)
async def create(request: Request, collector: CurrentCollector, *, preview: bool = False) -> Response:
    """Plan a task, create and store it; the answer has its canonical JSON.

    With `preview` nothing is stored. A problem's `field` is the member that is wrong. With `kind` discovery
    the form is that of a task which finds unknown keys: up to that many `characters` of an `alphabet`,
    reported by that many `groups`.
    """
    # Not a parameter: FastAPI would read the body before it knows whether the sender is allowed to send one.
    form = await asyncio.to_thread(read_any_form, await request.body())
    with malformed_input():
        # Plans that the account asked for while the form was filled in must not be why it is refused.
        task, text = await collector.analysis_threads.run_short(lambda: _with_text(form.to_task()))
    if preview:
        return await asyncio.to_thread(JSONResponse, {"id": task.id, "task": text})
    return await collector.contracts.create(task, text)


def _with_text(task: Task) -> tuple[Task, str]:
    return task, task.to_json()
