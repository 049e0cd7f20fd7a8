"""The page for a new task: the plan for what the form says, and the task that is created from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pckv.channels import Channel, build
from pckv.charts import errors_chart
from pckv.collector.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import Account, CurrentCollector
from pckv.collector.task_routes import ADMIN_PROBLEMS, CREATION_RESPONSES
from pckv.collector.upload_routes import JSON_TYPE
from pckv.errors import ParameterError, PckvError, TaskGone
from pckv.limits import DEFAULT_USERS, MAX_KEYS
from pckv.planning.assessment import planned_size_share
from pckv.planning.expectations import MAX_USERS, Expectations, expect
from pckv.planning.plan import UNIT_RANGE, Plan, plan
from pckv.planning.prediction import ExpectedErrors, predicted_errors
from pckv.planning.selection import tuned_channel
from pckv.planning.tuning import ChannelSpec
from pckv.task import Task

# The curves cover the values of ε that people choose, and multiples of the expected number of users.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
USER_MULTIPLES = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
EXPECTED, MARKED = "expected", "this plan"

ObjectiveName = Literal["both", "frequency", "mean"]
MoreName = Literal["sample", "refuse"]
CoinName = Literal["device", "server"]
Decimal = Annotated[str, Field(pattern=r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$")]
EPSILON = r"^[0-9]{1,2}(\.[0-9]{1,15})?$"

router = APIRouter(tags=["dashboard"])


class PlanHints(BaseModel):
    """What decides on padding and mechanism, besides the keys."""

    epsilon: Annotated[str, Field(pattern=EPSILON)]
    users: Annotated[int, Field(ge=1, le=MAX_USERS)] = DEFAULT_USERS
    pairs: Annotated[float, Field(ge=1, le=MAX_KEYS, allow_inf_nan=False)] | None = None
    most_pairs: Annotated[int, Field(ge=1, le=MAX_KEYS)] | None = None
    more: MoreName = "sample"
    coin: CoinName = "device"
    objective: ObjectiveName = "both"


class PlanInputs(PlanHints):
    """What the form says so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: Annotated[int, Field(ge=1, le=MAX_KEYS)]
    low: Annotated[float, Field(allow_inf_nan=False)] = UNIT_RANGE[0]
    high: Annotated[float, Field(allow_inf_nan=False)] = UNIT_RANGE[1]

    def plan(self) -> Plan:
        """Return the plan, in the units of the values."""
        return plan(
            self.keys,
            self.users,
            self.epsilon,
            self.pairs,
            most_pairs=self.most_pairs,
            objective=self.objective,
            more=self.more,
            coin=self.coin,
            values=(self.low, self.high),
        )

    def expectations(self) -> Expectations:
        """Return what the plan expects of the people."""
        return expect(
            self.keys,
            users=self.users,
            pairs=self.pairs,
            most_pairs=self.most_pairs,
            objective=self.objective,
            more=self.more,
            coin=self.coin,
        )


class NewTaskForm(PlanHints):
    """The fields of the form for a new task."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    keys: list[str] | Annotated[int, Field(ge=1, le=MAX_KEYS)]
    low: Decimal
    high: Decimal
    opens: str | None = None
    closes: str | None = None

    def to_task(self) -> Task:
        """Return the task, whose padding and mechanism are chosen as a plan does."""
        return Task(
            name=self.name,
            keys=self.keys,
            values=(self.low, self.high),
            epsilon=self.epsilon,
            more=self.more,
            coin=self.coin,
            opens=self.opens,
            closes=self.closes,
            pairs=self.pairs,
            most_pairs=self.most_pairs,
            users=self.users,
            objective=self.objective,
        )


@router.get(
    "/plan", summary="Plan a task", responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS)
)
async def show_plan(
    inputs: Annotated[PlanInputs, Query()], collector: CurrentCollector, account: Account
) -> dict[str, Any]:
    """Return what to run and the errors to expect, with curves as Vega-Lite specifications.

    `pairs` is how many pairs people hold on average and `most_pairs` at most; `low` and `high` are the range of the values,
    for errors of means in the same units; `coin` is who draws the public function of a report.
    """
    try:
        return await collector.analysis_threads.run(account, partial(_planned, inputs))
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


# While somebody types, the page asks for the same plan many times.
@lru_cache(64)
def _planned(inputs: PlanInputs) -> dict[str, Any]:
    planned = inputs.plan()
    curves = _ErrorCurves(planned, inputs.expectations())
    return {"plan": planned.to_dict(), "by_epsilon": curves.by_epsilon(), "by_users": curves.by_users()}


class _ErrorCurves:
    """The errors of a plan for a typical one of the keys that matter, if ε or the number of people were others."""

    def __init__(self, planned: Plan, expected: Expectations) -> None:
        self.planned, self.expected = planned, expected
        typical = len(expected.frequencies) // 2
        self.frequency = expected.frequencies[typical]
        self.seen = min(1.0, expected.shown(planned.padding)[typical] / self.frequency)

    def by_epsilon(self) -> dict[str, Any]:
        """Draw the errors of this mechanism and padding at several ε, its parameters tuned for each of them.

        The best mechanism for each ε would take a plan per point, too slow for a page that follows what is typed.
        """
        planned = self.planned
        points = [(planned.epsilon, self._errors(self._channel(), planned.users))]
        for epsilon in set(EPSILONS) - {planned.epsilon}:
            # Not every mechanism exists at every ε: such a point is left out.
            with suppress(ParameterError):
                spec = ChannelSpec(planned.keys, planned.padding, Fraction(str(epsilon)))
                channel = tuned_channel(planned.mechanism, spec, self.expected.aim)
                points.append((epsilon, self._errors(channel, planned.users)))
        return self._chart("ε", sorted(points), planned.epsilon)

    def by_users(self) -> dict[str, Any]:
        """Draw the errors of this plan for other numbers of users."""
        channel, users = self._channel(), self.planned.users
        user_counts = sorted({max(1, round(users * multiple)) for multiple in USER_MULTIPLES})
        return self._chart("people", [(each, self._errors(channel, each)) for each in user_counts], users)

    def _channel(self) -> Channel:
        planned = self.planned
        epsilon = Fraction(str(planned.epsilon))
        return build(planned.mechanism, planned.keys, planned.padding, epsilon, planned.parameters)

    def _errors(self, channel: Channel, users: int) -> ExpectedErrors:
        share = float(planned_size_share(channel, self.expected))
        return predicted_errors(channel, users * (1 - share), self.frequency, self.seen, share)

    def _chart(self, x: str, points: list[tuple[float, ExpectedErrors]], marked: float) -> dict[str, Any]:
        low, high = self.planned.values
        rows = []
        for value, (frequency_error, mean_error) in points:
            row = {x: value, "frequency": frequency_error, "mean": mean_error * (high - low) / 2}
            rows.append(row | {"series": EXPECTED})
            if value == marked:
                rows.append(row | {"series": MARKED})
        specification: dict[str, Any] = errors_chart(rows, x=x, expected=EXPECTED, marked=MARKED).to_dict()
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
async def create(request: Request, collector: CurrentCollector, account: Account) -> Response:
    """Plan a task, create and store it; the answer has its canonical JSON."""
    # Not a parameter: FastAPI would read the body before it knows whether the sender is allowed to send one.
    form = _read_form(await request.body())
    try:
        task = await collector.analysis_threads.run(account, form.to_task)
        new = await asyncio.to_thread(collector.store.add_task, task)
    except TaskGone:
        raise ProblemDetails(ProblemKind.DELETED) from None
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    # As for a task that comes as JSON; nobody waits for it.
    asyncio.get_running_loop().run_in_executor(None, collector.compactor.prepare, task)
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id, "task": task.to_json()}, 201 if new else 200, headers)


def _read_form(body: bytes) -> NewTaskForm:
    try:
        return NewTaskForm.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ProblemDetails(ProblemKind.MALFORMED, f"{field}: {first['msg']}") from None
