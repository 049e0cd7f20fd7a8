"""The page for a new task: the plan for what the form says, and the task that is created from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pckv.channels import Channel, build
from pckv.charts import errors_chart
from pckv.collector.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import CurrentCollector
from pckv.collector.task_routes import ADMIN_PROBLEMS, CREATION_RESPONSES
from pckv.collector.upload_routes import JSON_TYPE
from pckv.errors import ParameterError, PckvError, TaskGone
from pckv.limits import MAX_KEYS
from pckv.planning.expectations import MAX_USERS
from pckv.planning.objective import Objective
from pckv.planning.plan import Plan, plan
from pckv.planning.prediction import ExpectedErrors, predicted_errors
from pckv.planning.selection import tuned_channel
from pckv.planning.tuning import ChannelSpec
from pckv.task import Task

# The curves cover the values of ε that people choose, and multiples of the expected number of users.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
USER_MULTIPLES = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
EXPECTED, MARKED = "expected", "this plan"

ObjectiveName = Literal["both", "frequency", "mean"]
Decimal = Annotated[str, Field(pattern=r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$")]
EPSILON = r"^[0-9]{1,2}(\.[0-9]{1,15})?$"

router = APIRouter(tags=["dashboard"])


@lru_cache(1024)
def _cached_plan(keys: int, users: int, epsilon: str, pairs: int, objective: str) -> Plan:
    """Plan a task; while somebody types, the page asks for the same plan many times."""
    return plan(keys=keys, users=users, epsilon=epsilon, pairs=pairs, objective=objective)


class NewTaskForm(BaseModel):
    """The fields of the form for a new task."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    keys: list[str] | Annotated[int, Field(ge=1, le=MAX_KEYS)]
    low: Decimal
    high: Decimal
    epsilon: Annotated[str, Field(pattern=EPSILON)]
    users: Annotated[int, Field(ge=1, le=MAX_USERS)] = 10_000
    pairs: Annotated[int, Field(ge=1, le=MAX_KEYS)] = 1
    objective: ObjectiveName = "both"
    opens: str | None = None
    closes: str | None = None

    def to_task(self) -> Task:
        """Return the task with the planned mechanism and padding."""
        keys = self.keys if isinstance(self.keys, int) else len(self.keys)
        planned = _cached_plan(keys, self.users, self.epsilon, self.pairs, self.objective)
        return Task(
            name=self.name,
            keys=self.keys,
            values=(self.low, self.high),
            epsilon=self.epsilon,
            padding=planned.padding,
            mechanism={"name": planned.mechanism, **planned.parameters},
            opens=self.opens,
            closes=self.closes,
        )


@router.get(
    "/plan", summary="Plan a task", responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS)
)
async def show_plan(
    keys: Annotated[int, Query(ge=1, le=MAX_KEYS)],
    users: Annotated[int, Query(ge=1, le=MAX_USERS)],
    epsilon: Annotated[str, Query(pattern=EPSILON)],
    pairs: Annotated[int, Query(ge=1, le=MAX_KEYS)] = 1,
    objective: Annotated[ObjectiveName, Query()] = "both",
) -> dict[str, Any]:
    """Return what to run and the errors to expect, with curves as Vega-Lite specifications."""

    def compute() -> dict[str, Any]:
        planned = _cached_plan(keys, users, epsilon, pairs, objective)
        curves = {"by_epsilon": _errors_by_epsilon(planned), "by_users": _errors_by_users(planned)}
        return {"plan": planned.to_dict(), **curves}

    try:
        return await asyncio.to_thread(compute)
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


def _errors_by_epsilon(planned: Plan) -> dict[str, Any]:
    """Draw the errors of this mechanism and padding at several ε, its parameters tuned for each of them.

    The best mechanism for each ε would take a plan per point, too slow for a page that follows what is typed.
    """
    objective = Objective(planned.objective, planned.users, planned.frequency)
    points = [(planned.epsilon, _errors(_channel(planned), planned, planned.users))]
    for epsilon in set(EPSILONS) - {planned.epsilon}:
        # Not every mechanism exists at every ε: such a point is left out.
        with suppress(ParameterError):
            channel = tuned_channel(
                planned.mechanism,
                ChannelSpec(planned.keys, planned.padding, Fraction(str(epsilon))),
                objective,
            )
            points.append((epsilon, _errors(channel, planned, planned.users)))
    return _curves("ε", sorted(points), planned.epsilon)


def _errors_by_users(planned: Plan) -> dict[str, Any]:
    """Draw the errors of this plan for other numbers of users."""
    channel = _channel(planned)
    user_counts = sorted({max(1, round(planned.users * multiple)) for multiple in USER_MULTIPLES})
    return _curves(
        "people", [(users, _errors(channel, planned, users)) for users in user_counts], planned.users
    )


def _channel(planned: Plan) -> Channel:
    return build(
        planned.mechanism, planned.keys, planned.padding, Fraction(str(planned.epsilon)), planned.parameters
    )


def _errors(channel: Channel, planned: Plan, users: int) -> ExpectedErrors:
    return predicted_errors(channel, users, planned.frequency, planned.seen)


def _curves(x: str, points: list[tuple[float, ExpectedErrors]], marked: float) -> dict[str, Any]:
    rows = []
    for value, (frequency_error, mean_error) in points:
        row = {x: value, "frequency": frequency_error, "mean": mean_error}
        rows.append(row | {"series": EXPECTED})
        if value == marked:
            rows.append(row | {"series": MARKED})
    chart = errors_chart(rows, x=x, mean_unit=", of [-1, 1]", expected=EXPECTED, marked=MARKED)
    specification: dict[str, Any] = chart.to_dict()
    return specification


@router.post(
    "/tasks/new",
    summary="Create a task from a form",
    status_code=201,
    response_class=Response,
    responses=CREATION_RESPONSES,
    openapi_extra={
        "requestBody": {"required": True, "content": {JSON_TYPE: {"schema": NewTaskForm.model_json_schema()}}}
    },
)
async def create(request: Request, collector: CurrentCollector) -> Response:
    """Plan a task, create and store it; the answer has its canonical JSON."""
    # Not a parameter: FastAPI would read the body before it knows whether the sender is allowed to send one.
    form = _read_form(await request.body())
    try:
        task = await asyncio.to_thread(form.to_task)
        new = await asyncio.to_thread(collector.store.add_task, task)
    except TaskGone:
        raise ProblemDetails(ProblemKind.DELETED) from None
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id, "task": task.to_json()}, 201 if new else 200, headers)


def _read_form(body: bytes) -> NewTaskForm:
    try:
        return NewTaskForm.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ProblemDetails(ProblemKind.MALFORMED, f"{field}: {first['msg']}") from None
