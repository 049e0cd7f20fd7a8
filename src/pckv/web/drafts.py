"""A task before it is one: what a form would give, and the task made from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pckv.channels import Channel, build
from pckv.charts import errors_chart
from pckv.collector.problem_details import Problem, ProblemKind, documented
from pckv.collector.state import Collector, collector
from pckv.collector.tasks import ADMINISTRATION, MADE
from pckv.collector.uploads import JSON_TYPE
from pckv.errors import ParameterError, PckvError, TaskGone
from pckv.limits import MAX_KEYS
from pckv.planning.objective import Objective
from pckv.planning.plan import MOST_USERS, Plan, plan
from pckv.planning.prediction import Errors, predicted_errors
from pckv.planning.selection import tuned_channel
from pckv.planning.tuning import ChannelSpec
from pckv.task import Task

# Curves against ε and users: what people choose from, and as much beyond as tells something.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
SPREADS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
EXPECTED, MARKED = "expected", "this plan"

Here = Annotated[Collector, Depends(collector)]
ObjectiveName = Literal["both", "frequency", "mean"]
Decimal = Annotated[str, Field(pattern=r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$")]
EPSILON = r"^[0-9]{1,2}(\.[0-9]{1,15})?$"

router = APIRouter(tags=["dashboard"])


@lru_cache(1024)
def _plan(keys: int, users: int, epsilon: str, pairs: int, objective: str) -> Plan:
    """A plan; whoever types asks for the same ones again and again."""
    return plan(keys=keys, users=users, epsilon=epsilon, pairs=pairs, objective=objective)


class Draft(BaseModel):
    """The fields of the form for a new task."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    keys: list[str] | Annotated[int, Field(ge=1, le=MAX_KEYS)]
    low: Decimal
    high: Decimal
    epsilon: Annotated[str, Field(pattern=EPSILON)]
    users: Annotated[int, Field(ge=1, le=MOST_USERS)] = 10_000
    pairs: Annotated[int, Field(ge=1, le=MAX_KEYS)] = 1
    objective: ObjectiveName = "both"
    opens: str | None = None
    closes: str | None = None

    def task(self) -> Task:
        """The task with the planned mechanism and padding."""
        keys = self.keys if isinstance(self.keys, int) else len(self.keys)
        chosen = _plan(keys, self.users, self.epsilon, self.pairs, self.objective)
        return Task(
            name=self.name,
            keys=self.keys,
            values=(self.low, self.high),
            epsilon=self.epsilon,
            padding=chosen.padding,
            mechanism={"name": chosen.mechanism, **chosen.parameters},
            opens=self.opens,
            closes=self.closes,
        )


@router.get("/plan", summary="Plan a task", responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION))
async def planned(
    keys: Annotated[int, Query(ge=1, le=MAX_KEYS)],
    users: Annotated[int, Query(ge=1, le=MOST_USERS)],
    epsilon: Annotated[str, Query(pattern=EPSILON)],
    pairs: Annotated[int, Query(ge=1, le=MAX_KEYS)] = 1,
    objective: Annotated[ObjectiveName, Query()] = "both",
) -> dict[str, Any]:
    """What to run and what errors to expect, with curves as Vega-Lite specifications."""

    def work() -> dict[str, Any]:
        made = _plan(keys, users, epsilon, pairs, objective)
        return {"plan": made.to_dict(), "by_epsilon": _by_epsilon(made), "by_users": _by_users(made)}

    try:
        return await asyncio.to_thread(work)
    except PckvError as error:
        raise Problem(ProblemKind.MALFORMED, str(error)) from None


def _by_epsilon(made: Plan) -> dict[str, Any]:
    """The errors of this mechanism and padding at every ε, with the parameters that suit it there.

    The best choice at every ε would take as many plans, and whoever types waits for them.
    """
    wanted = Objective(made.objective, made.users, made.frequency)
    points = [(made.epsilon, _errors(_channel(made), made, made.users))]
    for epsilon in set(EPSILONS) - {made.epsilon}:
        # Some cannot be at every ε: a point less.
        with suppress(ParameterError):
            channel = tuned_channel(
                made.mechanism, ChannelSpec(made.keys, made.padding, Fraction(str(epsilon))), wanted
            )
            points.append((epsilon, _errors(channel, made, made.users)))
    return _curves("ε", sorted(points), made.epsilon)


def _by_users(made: Plan) -> dict[str, Any]:
    """The errors of this choice with other numbers of people."""
    channel = _channel(made)
    numbers = sorted({max(1, round(made.users * spread)) for spread in SPREADS})
    return _curves("people", [(users, _errors(channel, made, users)) for users in numbers], made.users)


def _channel(made: Plan) -> Channel:
    return build(made.mechanism, made.keys, made.padding, Fraction(str(made.epsilon)), made.parameters)


def _errors(channel: Channel, made: Plan, users: int) -> Errors:
    return predicted_errors(channel, users, made.frequency, made.seen)


def _curves(x: str, points: list[tuple[float, Errors]], here: float) -> dict[str, Any]:
    rows = []
    for at, (of_frequency, of_mean) in points:
        row = {x: at, "frequency": of_frequency, "mean": of_mean}
        rows.append(row | {"series": EXPECTED})
        if at == here:
            rows.append(row | {"series": MARKED})
    chart = errors_chart(rows, x=x, mean_unit=", of [-1, 1]", expected=EXPECTED, marked=MARKED)
    drawn: dict[str, Any] = chart.to_dict()
    return drawn


@router.post(
    "/tasks/new",
    summary="Make a task from a form",
    status_code=201,
    response_class=Response,
    responses=MADE,
    openapi_extra={
        "requestBody": {"required": True, "content": {JSON_TYPE: {"schema": Draft.model_json_schema()}}}
    },
)
async def make(request: Request, here: Here) -> Response:
    """Plan a task, make it and take it in; the answer has its canonical JSON."""
    # Read here: FastAPI would look at a body before it knows whether the sender may send one.
    draft = _read(await request.body())
    try:
        task = await asyncio.to_thread(draft.task)
        new = await asyncio.to_thread(here.store.add_task, task)
    except TaskGone:
        raise Problem(ProblemKind.DELETED) from None
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise Problem(ProblemKind.MALFORMED, str(error)) from None
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id, "task": task.to_json()}, 201 if new else 200, headers)


def _read(body: bytes) -> Draft:
    try:
        return Draft.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Problem(ProblemKind.MALFORMED, f"{place}: {first['msg']}") from None
