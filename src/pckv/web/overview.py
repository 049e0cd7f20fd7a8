"""What the dashboard shows of tasks: where each is, how many reports there are, and the chart."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse, Response

from pckv.channels import SIZES
from pckv.charts import estimates_chart
from pckv.collector.estimates import Asked, estimated
from pckv.collector.problem_details import ProblemKind, documented
from pckv.collector.state import Collector, collector, phase, task_facts
from pckv.collector.tasks import ADMINISTRATION, MOST_LISTED, OF_A_TASK
from pckv.estimators.estimate import default_method, methods_for, posts_for
from pckv.limits import REPORT_ID_BYTES
from pckv.planning.set_sizes import MAX_PILOT_REPORTS
from pckv.store.base import StoredTask

Here = Annotated[Collector, Depends(collector)]

router = APIRouter(tags=["dashboard"])


def _facts(here: Collector, found: StoredTask, reports: int) -> dict[str, Any]:
    return task_facts(found) | {"phase": phase(found, here.today(), reports).value, "reports": reports}


@router.get(
    "/overview",
    summary="Tasks with their reports counted",
    responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION),
)
async def tasks(
    here: Here,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, list[dict[str, Any]]]:
    """Tasks in the order of their ids, beyond `after`: where each is, and how many reports it has."""

    def work() -> list[dict[str, Any]]:
        listed = here.store.list_tasks(limit, after)
        counts = here.store.report_counts([each.task.id for each in listed])
        return [_facts(here, each, counts[each.task.id]) for each in listed]

    return {"tasks": await asyncio.to_thread(work)}


@router.get(
    "/tasks/{task_id}/overview",
    summary="A task with its reports counted",
    responses=documented(*ADMINISTRATION, *OF_A_TASK),
)
async def task(task_id: str, here: Here) -> dict[str, Any]:
    """Where a task is, how many reports it has, and what a page needs to know of it."""
    found = await here.find(task_id)
    counts = await asyncio.to_thread(here.store.report_counts, [task_id])
    channel = found.task.channel
    return _facts(here, found, counts[task_id]) | {
        "low": found.task.low,
        "high": found.task.high,
        "padding": found.task.padding,
        "parameters": found.task.parameters,
        "realised_epsilon": found.task.realised_epsilon,
        "bytes_a_report": REPORT_ID_BYTES + channel.body_bytes,
        "first_key": found.task.key_name(0),
        "method": default_method(found.task),
        "methods": methods_for(found.task),
        "posts": posts_for(found.task),
        "most_reports": MAX_PILOT_REPORTS if found.task.kind == SIZES else None,
        "reports_forgotten": found.reports_forgotten,
    }


@router.get(
    "/tasks/{task_id}/chart",
    summary="A chart of the most frequent keys",
    responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION, *OF_A_TASK),
)
async def chart(
    task_id: str,
    here: Here,
    asked: Asked,
) -> Response:
    """Frequency and mean of the most frequent keys with their intervals, as a Vega-Lite specification.

    Of a pilot, the share of people in every bucket.
    """
    found = await here.find(task_id)
    _, made = await estimated(here, found.task, asked)
    drawn = await asyncio.to_thread(lambda: estimates_chart(made).to_dict())
    return JSONResponse(drawn, headers={"Cache-Control": "private, no-cache"})
