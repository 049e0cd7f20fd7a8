"""What the dashboard shows about tasks: phase, number of reports, and the chart of the estimates."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from pckv.base.days import Phase
from pckv.charts.shares import shares_chart
from pckv.collector.analysis.estimates import ASKED_KEYS_BODY, AskedKeys, EstimateOptions, QueryOptions
from pckv.collector.contracts.contracts import task_facts
from pckv.collector.contracts.tasks import MAX_TASKS_PER_PAGE
from pckv.collector.http.auth import Account
from pckv.collector.http.downloads import file_stem
from pckv.collector.http.policy import Access, Policy
from pckv.collector.state import Collector, CurrentCollector
from pckv.contract.facts import fact_members, said
from pckv.estimators.estimate import METHODS, POSTS, default_method
from pckv.store.base import StoredTask, TaskFilter

# The largest number that a database gives a task.
MAX_NUMBER = 2**63 - 1
# The key of examples for a task that lists none.
ANY_KEY = "any text"

router = APIRouter(tags=["dashboard"])


def _facts(collector: Collector, stored: StoredTask, reports: int) -> dict[str, Any]:
    return task_facts(stored) | {
        "phase": stored.phase(collector.contracts.today()).value,
        "reports": reports,
    }


@router.get("/overview", summary="Tasks with their reports counted")
@Policy(Access.ANALYSTS)
async def tasks(
    collector: CurrentCollector,
    search: Annotated[str, Query(max_length=256)] = "",
    state: Phase | None = None,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
    rounds: bool = False,  # noqa: FBT002
) -> dict[str, list[dict[str, Any]]]:
    """Return tasks, newest first, with their phases, numbers of reports and the last report's days.

    `search` is a part of the name, whatever its case; `state` is waiting, open or closed; `after` is the
    `number` of the last task that is known already. Rounds of series are left out unless `rounds` is true.
    """
    # No name holds one, and PostgreSQL takes none.
    chosen = TaskFilter(search.replace("\0", "\ufffd"), state, collector.contracts.today(), rounds)

    def query_store() -> list[dict[str, Any]]:
        listed = collector.store.newest_tasks(limit, after, chosen)
        ids = [stored.task.id for stored in listed]
        counts, days = collector.store.report_counts(ids), collector.store.last_report_days(ids)
        return [
            _facts(collector, stored, counts[stored.task.id]) | {"last_report": days.get(stored.task.id)}
            for stored in listed
        ]

    return {"tasks": await asyncio.to_thread(query_store)}


@router.get("/tasks/{task_id}/overview", summary="A task with its reports counted")
@Policy(Access.ANALYSTS)
async def task(task_id: str, collector: CurrentCollector) -> dict[str, Any]:
    """Return a task's phase, its number of reports, and what its page shows."""
    stored = await collector.contracts.find(task_id)
    counts = await asyncio.to_thread(collector.store.report_counts, [task_id])
    days = await asyncio.to_thread(collector.store.report_days, task_id)
    checked = await asyncio.to_thread(collector.alarm_watch.find, task_id)
    facts = stored.task.facts()
    return {
        **_facts(collector, stored, counts[task_id]),
        **fact_members(facts),
        "facts": said(facts),
        "days": [day._asdict() for day in days],
        "last_report": days[-1].day if days else None,
        "first_key": stored.task.key_name(0) if stored.task.lists_keys else ANY_KEY,
        "method": default_method(stored.task),
        "methods": list(METHODS),
        "posts": list(POSTS) if stored.task.lists_keys else [],
        "reports_forgotten": stored.reports_forgotten,
        "keep_reports": collector.settings.keep_reports,
        "alarms": None if checked is None else checked.to_dict(),
    }


@router.get("/tasks/{task_id}/chart", summary="A chart of the most frequent keys")
@Policy(Access.ANALYSTS)
async def chart(
    task_id: str,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
) -> Response:
    """Return a chart of the most frequent keys with their intervals, as a Vega-Lite specification.

    With more than two levels, it has a stacked bar of their shares per key, too.
    Its `usermeta` has the name of the `file` for a downloaded picture, without an extension.
    """
    return await _chart(task_id, collector, account, options)


@router.post(
    "/tasks/{task_id}/chart",
    summary="A chart of the most frequent of the keys named",
    openapi_extra=ASKED_KEYS_BODY,
)
@Policy(Access.ANALYSTS, max_bytes=None)
async def chart_of_keys(
    task_id: str,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    keys: AskedKeys,
) -> Response:
    """Return the chart of the most frequent of the hashed keys that the body names; see GET."""
    return await _chart(task_id, collector, account, options._replace(keys=keys))


async def _chart(task_id: str, collector: Collector, account: bytes, options: EstimateOptions) -> Response:
    stored = await collector.contracts.find(task_id)
    _, estimates = await collector.estimates.find(account, stored.task, options)
    task, day = stored.task, collector.contracts.today()

    def draw() -> dict[str, Any]:
        drawn = shares_chart(estimates, name=task.name, unit=task.about.unit)
        file = {"file": file_stem(task, day, estimates.method)}
        specification: dict[str, Any] = drawn.properties(usermeta=file).to_dict()
        return specification

    specification = await collector.analysis_threads.run_short(draw)
    return JSONResponse(specification, headers={"Cache-Control": "private, no-cache"})
