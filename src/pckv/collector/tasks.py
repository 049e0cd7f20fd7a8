"""Tasks: made, shown, listed, closed and deleted."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.collector.auth import new_token, token_hash
from pckv.collector.problem_details import Problem, ProblemKind, documented
from pckv.collector.state import Collector, check_task_id, collector, task_facts, unchanged
from pckv.collector.uploads import JSON_TYPE
from pckv.errors import TaskError, TaskGone
from pckv.task import Task

MOST_LISTED = 1000
MOST_INVITATIONS = 100_000
ADMINISTRATION = (ProblemKind.BAD_TOKEN, ProblemKind.FORBIDDEN, ProblemKind.OVERLOADED)
OF_A_TASK = (ProblemKind.UNKNOWN, ProblemKind.DELETED)

Here = Annotated[Collector, Depends(collector)]

router = APIRouter(tags=["tasks"])

# What comes of making a task.
MADE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The task was there already."},
    201: {"description": "The task was made."},
    **documented(ProblemKind.MALFORMED, *ADMINISTRATION, ProblemKind.DELETED),
}


@router.post(
    "/tasks",
    summary="Make a task",
    status_code=201,
    response_class=Response,
    responses=MADE,
    openapi_extra={"requestBody": {"required": True, "content": {JSON_TYPE: {"schema": {"type": "object"}}}}},
)
async def make(request: Request, here: Here) -> Response:
    """Take in a task in its canonical JSON; it never changes afterwards."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        raise Problem(ProblemKind.MEDIA, f"a task comes as {JSON_TYPE}")
    try:
        task = await asyncio.to_thread(Task.from_json, await request.body())
        new = await asyncio.to_thread(here.store.add_task, task)
    except TaskError as error:
        raise Problem(ProblemKind.MALFORMED, str(error)) from None
    except TaskGone:
        raise Problem(ProblemKind.DELETED) from None
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id}, 201 if new else 200, headers)


@router.get(
    "/tasks",
    summary="List tasks",
    responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION),
)
async def listed(
    here: Here,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, list[dict[str, Any]]]:
    """Tasks in the order of their ids, beyond `after`."""
    found = await asyncio.to_thread(here.store.list_tasks, limit, after)
    return {"tasks": [task_facts(each) for each in found]}


@router.get(
    "/tasks/{task_id}",
    summary="Fetch a task",
    response_class=Response,
    responses={
        200: {
            "description": "The task's canonical JSON.",
            "content": {JSON_TYPE: {"schema": {"type": "object"}}},
        },
        304: {"description": "The task is the one that you have."},
        **documented(*OF_A_TASK, ProblemKind.OVERLOADED),
    },
)
async def fetch(task_id: str, request: Request, here: Here) -> Response:
    """The public contract: its SHA-256 is its id, so that anybody can check it."""
    found = await here.find(task_id)
    headers = {"ETag": f'"{task_id}"', "Cache-Control": "public, max-age=3600"}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(found.task.to_json(), headers=headers, media_type=JSON_TYPE)


@router.post(
    "/tasks/{task_id}/close",
    summary="Close a task early",
    responses=documented(*ADMINISTRATION, *OF_A_TASK),
)
async def close(task_id: str, here: Here) -> dict[str, Any]:
    """Take no more reports from now on."""
    await here.find(task_id)
    await asyncio.to_thread(here.store.close_task, task_id, here.today())
    here.forget(task_id)
    return task_facts(await here.find(task_id))


@router.delete(
    "/tasks/{task_id}",
    summary="Delete a task with all its reports",
    responses=documented(*ADMINISTRATION, *OF_A_TASK),
)
async def delete(task_id: str, here: Here) -> dict[str, Any]:
    """Delete everything but the fact that there was a task; it cannot be undone."""
    check_task_id(task_id)
    deletion = await asyncio.to_thread(here.store.delete_task, task_id, here.today())
    here.forget(task_id)
    if deletion is None:
        raise Problem(ProblemKind.UNKNOWN)
    return {"task": deletion.task, "day": deletion.day, "reports": deletion.reports}


@router.post(
    "/tasks/{task_id}/invitations",
    summary="Make invitations",
    status_code=201,
    responses=documented(ProblemKind.MALFORMED, *ADMINISTRATION, *OF_A_TASK),
)
async def invite(
    task_id: str, here: Here, count: Annotated[int, Query(ge=1, le=MOST_INVITATIONS)] = 1
) -> dict[str, list[str]]:
    """Make one-time tokens, shown this once; from now on the task takes reports by invitation alone."""
    await here.find(task_id)
    tokens = [new_token() for _ in range(count)]
    added = await asyncio.to_thread(
        here.store.add_invitations, task_id, [token_hash(token) for token in tokens]
    )
    here.forget(task_id)
    if not added:
        raise Problem(ProblemKind.DELETED)
    return {"invitations": tokens}
