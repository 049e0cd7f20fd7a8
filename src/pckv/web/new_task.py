"""The page for a new task: the plan for what the form says, and the task that is created from it."""

from __future__ import annotations

import asyncio
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.stopping import check_stop
from pckv.charts.estimates import ranges_chart
from pckv.collector.app import CurrentCollector
from pckv.collector.contracts.tasks import CREATION_RESPONSES
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import json_body
from pckv.collector.http.policy import Policy
from pckv.collector.http.problem_details import malformed_input
from pckv.collector.http.protocol import peer_left
from pckv.contract.task import Task
from pckv.planning.curves import Curve, errors_by_epsilon, errors_by_users
from pckv.planning.plan import Plan
from pckv.planning.sections import HALF_RANGE
from pckv.sealing.public_key import write_public_key
from pckv.sealing.recipient_key import RecipientKey
from pckv.web.plan_ways import ways_of
from pckv.web.task_form import (
    DiscoveryPlanInputs,
    NewDiscoveryForm,
    NewTaskForm,
    PlanInputs,
    planned_mixed,
    read_any_form,
)

EXPECTED, MARKED = "expected", "this plan"

router = APIRouter(tags=["dashboard"])

PeerLeft = Annotated[asyncio.Event, Depends(peer_left)]


@router.get("/plan", summary="Plan a task")
async def show_plan(
    inputs: Annotated[PlanInputs, Query()], collector: CurrentCollector, account: Account, left: PeerLeft
) -> dict[str, Any]:
    """Return a plan, what it says in `sections`, and curves of 95 % ranges as Vega-Lite specifications.

    The first section is what to think of the plan at first sight, with a traffic light.

    `keys` is how many there are, or `hashed`: any text is a key. `pairs` is how many pairs people hold on
    average and `most_pairs` at most, `holding` the share of people who hold any; `low` and `high` are the range of
    the values, for errors of means in the same units; `levels` is how many levels they are reported as, or the
    value of each, with commas between them. Without these three, keys have no values, and the plan no means.
    `coin` is who draws the public function of a report.

    With `mixed` the plan is that of reports which so many people send through a mixer: `epsilon` is then the one
    towards the recipient, `users` are those of all `panels` of a series of so many `rounds`, and there are no curves.
    """
    with malformed_input():
        return await collector.analysis_threads.run_wanted(account, partial(_planned, inputs), left)


@router.get("/plan/ways", summary="What would help a plan")
async def show_ways(
    inputs: Annotated[PlanInputs, Query()], collector: CurrentCollector, account: Account, left: PeerLeft
) -> dict[str, Any]:
    """Return `ways` to a better light, each planned with one thing changed; none where the light is green.

    The parameters are those of `GET /plan`; with `mixed` there are none.
    """
    with malformed_input():
        return {"ways": await collector.analysis_threads.run_wanted(account, partial(_ways, inputs), left)}


@router.get("/plan/discovery", summary="Plan a discovery")
async def show_discovery_plan(
    inputs: Annotated[DiscoveryPlanInputs, Query()], collector: CurrentCollector, account: Account, left: PeerLeft
) -> dict[str, Any]:
    """Return the least `frequency` of a text that a discovery finds four times out of five; 1 if none.

    `sections` say it in words.
    """
    with malformed_input():
        planned = await collector.analysis_threads.run_wanted(account, inputs.plan, left)
    return planned.to_dict() | {"sections": [section.to_dict() for section in planned.sections()]}


# While an operator types, the page asks for the same plan many times.
@lru_cache(64)
def _planned(inputs: PlanInputs) -> dict[str, Any]:
    if inputs.mixed is not None:
        # Its curves would be those of one ε of a report, which itself depends on the people and on the ε wanted.
        return _told(planned_mixed(inputs)) | {"by_epsilon": None, "by_users": None}
    planner = inputs.planner()
    plan, chosen = planner.plan(), planner.chosen
    quantities = ("frequency",) if plan.values is None else ("frequency", "mean")
    return _told(plan) | {
        "by_epsilon": _chart("ε", errors_by_epsilon(chosen), plan.epsilon, quantities),
        "by_users": _chart("people", errors_by_users(chosen), plan.users, quantities),
    }


@lru_cache(64)
def _ways(inputs: PlanInputs) -> list[dict[str, Any]]:
    return [] if inputs.mixed is not None else [way.to_dict() for way in ways_of(inputs)]


def _told(plan: Plan) -> dict[str, Any]:
    return {"plan": plan.to_dict(), "sections": [section.to_dict() for section in plan.sections()]}


def _chart(x: str, curve: Curve, marked: float, quantities: tuple[str, ...]) -> dict[str, Any]:
    """Draw half the 95 % ranges of a typical one of the keys that matter, those of the plan marked."""
    check_stop()
    rows = []
    for value, errors in curve:
        row = {x: value, **{name: HALF_RANGE * getattr(errors, name) for name in quantities}}
        rows += [row | {"series": series} for series in (EXPECTED, *([MARKED] if value == marked else []))]
    specification: dict[str, Any] = ranges_chart(
        rows, x=x, expected=EXPECTED, marked=MARKED, quantities=quantities
    ).to_dict()
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

    With `preview` nothing is stored; a mixed task is refused if another survey has its name, before its mixer is
    asked. A problem's `field` is the member that is wrong. With `kind` discovery the form is that of a task which
    finds unknown keys: up to that many `characters` of an `alphabet`, reported by that many `groups`.

    A form with a `mixer`, the origin of one, names its `mixer_operator` and the `recipient_key` too; a preview may
    leave out the key. Its `epsilon` is the one towards the recipient: that of a report, the batch and the claim are
    planned. The task is created if the mixer has accepted it, as with `POST /tasks`.
    """
    # Not a parameter: FastAPI would read the body before it knows whether the sender is allowed to send one.
    form = await asyncio.to_thread(read_any_form, await request.body())
    with malformed_input():
        # Plans that the account asked for while the form was filled in must not be why it is refused.
        task, text = await collector.analysis_threads.run_short(partial(_task_of, form, preview=preview))
    if preview:
        if form.mixer is not None:
            # Its mixer accepts a mixed task before the collector does.
            await asyncio.to_thread(collector.contracts.check_name, task)
        # The id is the hash of a text, which takes long with many names.
        return await asyncio.to_thread(lambda: JSONResponse({"id": task.id, "task": text}))
    return await collector.contracts.create(task, text)


def _task_of(form: NewTaskForm | NewDiscoveryForm, *, preview: bool) -> tuple[Task, str]:
    """Return the task of a form, and its text."""
    if preview and form.mixer is not None and form.recipient_key is None:
        # What is previewed needs a key, and nothing is sealed for it: its private half is gone at once.
        key = write_public_key(RecipientKey.generate().public_key)
        form = form.model_copy(update={"recipient_key": key})
    task = form.to_task()
    return task, task.to_json()
