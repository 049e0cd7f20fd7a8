"""How the expected errors of a running task shrink with reports, as the plan predicts them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query

from pckv.charts import errors_chart
from pckv.collector.problem_details import ProblemKind, problem_responses
from pckv.collector.state import CurrentCollector
from pckv.collector.task_routes import ADMIN_PROBLEMS, TASK_PROBLEMS
from pckv.planning.expectations import MIN_FREQUENCY
from pckv.planning.precision import users_for
from pckv.planning.prediction import predicted_errors
from pckv.task import Task

# The curve runs from MIN_REPORTS to ten times today's reports, at least to MIN_SPAN.
MIN_REPORTS, MIN_SPAN = 100, 100_000
POINTS = 25
# The frequency that the page begins with.
REFERENCE_FREQUENCY = 0.05
EXPECTED, TODAY = "expected", "today"

router = APIRouter(tags=["dashboard"])


def _errors(task: Task, frequency: float, reports: float) -> tuple[float, float]:
    """Return the expected errors of a key's frequency and mean (in the task's units), if the padding is long enough."""
    frequency_error, mean_error = predicted_errors(task.channel, reports, frequency)
    return frequency_error, mean_error * (task.high - task.low) / 2


@router.get(
    "/tasks/{task_id}/precision",
    summary="How errors shrink with reports",
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
async def precision(
    task_id: str,
    collector: CurrentCollector,
    frequency: Annotated[float, Query(ge=MIN_FREQUENCY, le=1)] = REFERENCE_FREQUENCY,
    wanted: Annotated[float, Query(ge=1e-6, lt=1)] = 0.01,
) -> dict[str, Any]:
    """Return the errors expected today for a key of a frequency, and the reports needed for a wanted error.

    The curve is a Vega-Lite specification.
    """
    stored = await collector.find(task_id)
    task = stored.task
    counts = await asyncio.to_thread(collector.store.report_counts, [task_id])
    reports = counts[task_id]
    now = _errors(task, frequency, reports) if reports else None
    chart = await asyncio.to_thread(lambda: _curve(task, frequency, reports))
    return {
        "reports": reports,
        "frequency": frequency,
        "frequency_error": now and now[0],
        "mean_error": now and now[1],
        "wanted": wanted,
        "needed": users_for(task.channel, frequency, wanted),
        "chart": chart,
    }


def _curve(task: Task, frequency: float, reports: int) -> dict[str, Any]:
    last = max(MIN_SPAN, 10 * reports)
    steps = [MIN_REPORTS * (last / MIN_REPORTS) ** (step / (POINTS - 1)) for step in range(POINTS)]
    rows = [_row(task, frequency, step, EXPECTED) for step in steps]
    if reports:
        rows.append(_row(task, frequency, reports, TODAY))
    chart = errors_chart(rows, x="reports", mean_unit="", expected=EXPECTED, marked=TODAY)
    specification: dict[str, Any] = chart.to_dict()
    return specification


def _row(task: Task, frequency: float, reports: float, series: str) -> dict[str, Any]:
    frequency_error, mean_error = _errors(task, frequency, reports)
    return {"reports": reports, "series": series, "frequency": frequency_error, "mean": mean_error}
