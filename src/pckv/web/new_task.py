"""The page for a new task: the plan for what the form says, and the task that is created from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.errors import ParameterError, PckvError, TaskGone
from pckv.charts.estimates import errors_chart
from pckv.collector.contracts.tasks import CREATION_RESPONSES
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import JSON_TYPE
from pckv.collector.http.policy import Policy
from pckv.collector.http.problem_details import ADMIN_PROBLEMS, ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import CurrentCollector
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import build
from pckv.planning.assessment import planned_size_share
from pckv.planning.outlook import outlook
from pckv.planning.people import Expectations
from pckv.planning.plan import Plan
from pckv.planning.prediction import ExpectedErrors, predicted_errors
from pckv.planning.selection import tuned_law
from pckv.planning.tuning import LawSpec
from pckv.web.discovery_form import DiscoveryPlanInputs, NewDiscoveryForm, read_any_form
from pckv.web.task_form import NewTaskForm, PlanInputs

# The curves cover the values of ε that people choose, and multiples of the expected number of users.
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
USER_MULTIPLES = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
EXPECTED, MARKED = "expected", "this plan"

router = APIRouter(tags=["dashboard"])


@router.get(
    "/plan", summary="Plan a task", responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS)
)
async def show_plan(
    inputs: Annotated[PlanInputs, Query()], collector: CurrentCollector, account: Account
) -> dict[str, Any]:
    """Return what to run and the errors to expect, a traffic light, and curves as Vega-Lite specifications.

    `keys` is how many there are, or `hashed`: any text is a key. `pairs` is how many pairs people hold on average and
    `most_pairs` at most; `low` and `high` are the range of the values, for errors of means in the same units; `levels` is
    how many levels they are reported as, or the value of each, with commas between them; `coin` is who draws the public
    function of a report.
    """
    try:
        return await collector.analysis_threads.run(account, partial(_planned, inputs))
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


@router.get(
    "/plan/discovery",
    summary="Plan a discovery",
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS),
)
async def show_discovery_plan(
    inputs: Annotated[DiscoveryPlanInputs, Query()], collector: CurrentCollector, account: Account
) -> dict[str, Any]:
    """Return the least `frequency` of a text that a discovery finds four times out of five; 1 if there may be none."""
    try:
        planned = await collector.analysis_threads.run(account, inputs.plan)
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    return planned.to_dict()


# While somebody types, the page asks for the same plan many times.
@lru_cache(64)
def _planned(inputs: PlanInputs) -> dict[str, Any]:
    planned = inputs.plan()
    curves = _ErrorCurves(planned, inputs.expectations())
    at_first_sight = asdict(outlook(planned))
    return {
        "plan": planned.to_dict(),
        "outlook": at_first_sight,
        "by_epsilon": curves.by_epsilon(),
        "by_users": curves.by_users(),
    }


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
        points = [(planned.epsilon, self._errors(self._law(), planned.users))]
        for epsilon in set(EPSILONS) - {planned.epsilon}:
            # Not every mechanism exists at every ε: such a point is left out.
            with suppress(ParameterError):
                spec = LawSpec(
                    self.expected.keys, planned.padding, Fraction(str(epsilon)), self.expected.levels
                )
                law = tuned_law(planned.mechanism, spec, self.expected.aim)
                points.append((epsilon, self._errors(law, planned.users)))
        return self._chart("ε", sorted(points), planned.epsilon)

    def by_users(self) -> dict[str, Any]:
        """Draw the errors of this plan for other numbers of users."""
        law, users = self._law(), self.planned.users
        user_counts = sorted({max(1, round(users * multiple)) for multiple in USER_MULTIPLES})
        return self._chart("people", [(each, self._errors(law, each)) for each in user_counts], users)

    def _law(self) -> Law:
        planned = self.planned
        epsilon = Fraction(str(planned.epsilon))
        levels = self.expected.levels
        keys = self.expected.keys
        return build(planned.mechanism, keys, planned.padding, epsilon, planned.parameters, levels)

    def _errors(self, law: Law, users: int) -> ExpectedErrors:
        share = float(planned_size_share(law, self.expected))
        reports, scale = users * (1 - share), self.expected.scale
        return predicted_errors(law, reports, self.frequency, self.seen, share, scale=scale)

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
        "requestBody": {
            "required": True,
            "content": {
                JSON_TYPE: {
                    "schema": {
                        "oneOf": [NewTaskForm.model_json_schema(), NewDiscoveryForm.model_json_schema()]
                    }
                }
            },
        }
    },
)
@Policy(max_bytes=None)
async def create(
    request: Request, collector: CurrentCollector, account: Account, *, preview: bool = False
) -> Response:
    """Plan a task, create and store it; the answer has its canonical JSON.

    With `preview` nothing is stored. A problem's `field` is the member that is wrong. With `kind` discovery the form is that
    of a task which finds unknown keys: up to that many `characters` of an `alphabet`, reported by that many `groups`.
    """
    # Not a parameter: FastAPI would read the body before it knows whether the sender is allowed to send one.
    form = read_any_form(await request.body())
    try:
        task = await collector.analysis_threads.run(account, form.to_task)
        if preview:
            return JSONResponse({"id": task.id, "task": task.to_json()})
        new = await asyncio.to_thread(collector.store.add_task, task, collector.contracts.today())
    except TaskGone:
        raise ProblemDetails(ProblemKind.DELETED) from None
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    # As for a task that comes as JSON; nobody waits for it.
    asyncio.get_running_loop().run_in_executor(None, collector.contracts.prepare, task)
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id, "task": task.to_json()}, 201 if new else 200, headers)
