"""The routes of tasks: create, show, list, change, close, delete, invite."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from pckv.base.errors import TaskError, TaskGone
from pckv.collector.contracts.task_cache import ContractText, check_task_id
from pckv.collector.http.answers import SharedResponse, accepts_gzip
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.http.tokens import new_token, token_hash
from pckv.collector.ingest.upload_routes import JSON_TYPE
from pckv.collector.state import CurrentCollector, task_facts, unchanged
from pckv.contract.task import Task
from pckv.planning.people import MAX_USERS
from pckv.store.base import TaskChanges

MAX_TASKS_PER_PAGE = 1000
MAX_INVITATIONS_PER_REQUEST = 100_000
ADMIN_PROBLEMS = (ProblemKind.BAD_TOKEN, ProblemKind.FORBIDDEN, ProblemKind.OVERLOADED)
TASK_PROBLEMS = (ProblemKind.UNKNOWN, ProblemKind.DELETED)

router = APIRouter(tags=["tasks"])

CREATION_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The task exists already."},
    201: {"description": "The task was created."},
    **problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS, ProblemKind.DELETED),
}


@router.post(
    "/tasks",
    summary="Create a task",
    status_code=201,
    response_class=Response,
    responses=CREATION_RESPONSES,
    openapi_extra={"requestBody": {"required": True, "content": {JSON_TYPE: {"schema": {"type": "object"}}}}},
)
async def create_task(request: Request, collector: CurrentCollector) -> Response:
    """Create a task from its canonical JSON; it never changes afterwards."""
    check_media(request, "a task")
    try:
        task = await asyncio.to_thread(Task.from_json, await request.body())
        if task.series is not None:
            detail = f"this is a round of the series {task.series.id}, which adds its rounds by itself"
            raise ProblemDetails(ProblemKind.MALFORMED, detail)
        new = await asyncio.to_thread(collector.store.add_task, task, collector.today())
    except TaskError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    except TaskGone:
        raise ProblemDetails(ProblemKind.DELETED) from None
    # Nobody waits for it.
    asyncio.get_running_loop().run_in_executor(None, collector.compactor.prepare, task)
    headers = {"Location": f"/tasks/{task.id}"}
    return JSONResponse({"id": task.id}, 201 if new else 200, headers)


def check_media(request: Request, what: str) -> None:
    """Refuse a contract that does not come as JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        raise ProblemDetails(ProblemKind.MEDIA, f"{what} comes as {JSON_TYPE}")


@router.get(
    "/tasks",
    summary="List tasks",
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS),
)
async def list_tasks(
    collector: CurrentCollector,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, list[dict[str, Any]]]:
    """List tasks in the order of their ids, starting after `after`."""
    tasks = await asyncio.to_thread(collector.store.list_tasks, limit, after)
    return {"tasks": [task_facts(stored) for stored in tasks]}


@router.get(
    "/tasks/{task_id}",
    summary="Fetch a task",
    response_class=Response,
    responses={
        200: {
            "description": "The task's canonical JSON.",
            "content": {JSON_TYPE: {"schema": {"type": "object"}}},
        },
        304: {"description": "The client has the task already."},
        **problem_responses(*TASK_PROBLEMS, ProblemKind.OVERLOADED),
    },
)
async def fetch_task(task_id: str, request: Request, collector: CurrentCollector) -> Response:
    """Return the public contract: the id is its SHA-256, so that anybody can check it."""
    stored = await collector.find(task_id)
    return contract_response(request, task_id, await collector.task_cache.text(stored.task))


def contract_response(request: Request, contract_id: str, text: ContractText) -> Response:
    """Return the text of a task or series, compressed where the client takes that; nothing if the client has it."""
    tags = {False: f'"{contract_id}"', True: f'"{contract_id}-gzip"'}
    compressed = text.gzipped is not None and accepts_gzip(request.headers.get("accept-encoding", ""))
    headers = {"ETag": tags[compressed], "Cache-Control": "public, max-age=3600", "Vary": "Accept-Encoding"}
    if any(unchanged(request, tag) for tag in tags.values()):
        return Response(status_code=304, headers=headers)
    if compressed:
        headers["Content-Encoding"] = "gzip"
    return SharedResponse(text.gzipped if compressed else text.json, headers=headers, media_type=JSON_TYPE)


class TaskSettings(BaseModel):
    """What may be changed about a task at any time; what is not named stays as it is."""

    model_config = ConfigDict(extra="forbid", strict=True)

    target: Annotated[int, Field(ge=1, le=MAX_USERS)] | None = None
    public_results: bool = False


@router.patch(
    "/tasks/{task_id}",
    summary="Change what the server knows about a task",
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
async def change_task(task_id: str, collector: CurrentCollector, changes: TaskSettings) -> dict[str, Any]:
    """Set how many reports are wanted (`target`, or null), and whether everybody may see the results.

    Neither is part of the contract: the task and its id stay as they are.
    """
    named: TaskChanges = {}
    if "target" in changes.model_fields_set:
        named["target"] = changes.target
    if "public_results" in changes.model_fields_set:
        named["public_results"] = changes.public_results
    stored = await collector.find(task_id)
    if changes.public_results and not stored.task.lists_keys:
        raise ProblemDetails(
            ProblemKind.MALFORMED,
            f"results of {stored.task.keys_text} have no public page: nobody named the keys to show",
        )
    await asyncio.to_thread(collector.store.change_task, task_id, named)
    collector.task_cache.invalidate(task_id)
    return task_facts(await collector.find(task_id))


@router.post(
    "/tasks/{task_id}/close",
    summary="Close a task early",
    responses=problem_responses(*ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
async def close_task(task_id: str, collector: CurrentCollector) -> dict[str, Any]:
    """Take no more reports from now on."""
    await collector.find(task_id)
    await asyncio.to_thread(collector.store.close_task, task_id, collector.today())
    collector.task_cache.invalidate(task_id)
    return task_facts(await collector.find(task_id))


@router.delete(
    "/tasks/{task_id}",
    summary="Delete a task with all its reports",
    responses=problem_responses(*ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
async def delete_task(task_id: str, collector: CurrentCollector) -> dict[str, Any]:
    """Delete everything but the fact that there was a task; it cannot be undone."""
    check_task_id(task_id)
    deletion = await asyncio.to_thread(collector.store.delete_task, task_id, collector.today())
    collector.task_cache.invalidate(task_id)
    if deletion is None:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    erasure = "done" if deletion.erased else "pending"
    return {"task": deletion.task, "day": deletion.day, "reports": deletion.reports, "erasure": erasure}


@router.post(
    "/tasks/{task_id}/invitations",
    summary="Create invitations",
    status_code=201,
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
async def create_invitations(
    task_id: str,
    collector: CurrentCollector,
    count: Annotated[int, Query(ge=1, le=MAX_INVITATIONS_PER_REQUEST)] = 1,
) -> dict[str, list[str]]:
    """Create one-time tokens, shown this once; from now on the task takes reports by invitation only."""
    if (await collector.find(task_id)).task.series is not None:
        raise ProblemDetails(ProblemKind.MALFORMED, "nobody is invited to a round of a series")
    tokens = [new_token() for _ in range(count)]
    added = await asyncio.to_thread(
        collector.store.add_invitations, task_id, [token_hash(token) for token in tokens]
    )
    collector.task_cache.invalidate(task_id)
    if not added:
        raise ProblemDetails(ProblemKind.DELETED)
    return {"invitations": tokens}
