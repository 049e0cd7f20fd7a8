"""How errors shrink with reports, for a task that runs: as the plan predicts them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from pckv.channels import SIZES
from pckv.charts import errors_chart
from pckv.collector.problem_details import Problem, ProblemKind, documented
from pckv.collector.state import Collector, collector
from pckv.collector.tasks import ADMINISTRATION, OF_A_TASK
from pckv.planning.plan import REFERENCE_FREQUENCY, SMALLEST_FREQUENCY, users_for
from pckv.planning.prediction import predicted_errors
from pckv.task import Task

# The curve runs from a hundred reports to as far beyond today's as tells something.
FEWEST_SHOWN, LEAST_SPAN = 100, 100_000
POINTS = 25
EXPECTED, TODAY = "expected", "today"

Here = Annotated[Collector, Depends(collector)]

router = APIRouter(tags=["dashboard"])


def errors(task: Task, frequency: float, reports: float) -> tuple[float, float]:
    """The expected errors of frequency and mean (in the task's units) of a key; a padding that is long enough."""
    of_frequency, of_mean = predicted_errors(task.channel, reports, frequency)
    return of_frequency, of_mean * (task.high - task.low) / 2


@router.get(
    "/tasks/{task_id}/precision",
    summary="How errors shrink with reports",
    responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION, *OF_A_TASK),
)
async def precision(
    task_id: str,
    here: Here,
    frequency: Annotated[float, Query(ge=SMALLEST_FREQUENCY, le=1)] = REFERENCE_FREQUENCY,
    wanted: Annotated[float, Query(ge=1e-6, lt=1)] = 0.01,
) -> dict[str, Any]:
    """The expected errors for a key of some frequency today, and how many reports a wanted error takes.

    The curve is a Vega-Lite specification.
    """
    found = await here.find(task_id)
    task = found.task
    if task.kind == SIZES:
        raise Problem(
            ProblemKind.MALFORMED, "a pilot tells nothing of keys: its shares have intervals of their own"
        )
    counts = await asyncio.to_thread(here.store.report_counts, [task_id])
    reports = counts[task_id]
    now = errors(task, frequency, reports) if reports else None
    drawn = await asyncio.to_thread(lambda: _curve(task, frequency, reports))
    return {
        "reports": reports,
        "frequency": frequency,
        "frequency_error": now and now[0],
        "mean_error": now and now[1],
        "wanted": wanted,
        "needed": users_for(task.channel, frequency, wanted),
        "chart": drawn,
    }


def _curve(task: Task, frequency: float, reports: int) -> dict[str, Any]:
    last = max(LEAST_SPAN, 10 * reports)
    steps = [FEWEST_SHOWN * (last / FEWEST_SHOWN) ** (step / (POINTS - 1)) for step in range(POINTS)]
    rows = [_row(task, frequency, step, EXPECTED) for step in steps]
    if reports:
        rows.append(_row(task, frequency, reports, TODAY))
    chart = errors_chart(rows, x="reports", mean_unit="", expected=EXPECTED, marked=TODAY)
    drawn: dict[str, Any] = chart.to_dict()
    return drawn


def _row(task: Task, frequency: float, reports: float, series: str) -> dict[str, Any]:
    of_frequency, of_mean = errors(task, frequency, reports)
    return {"reports": reports, "series": series, "frequency": of_frequency, "mean": of_mean}
