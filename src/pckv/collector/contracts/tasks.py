"""The routes of tasks: create, show, list, change, close, open again, invite."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from pckv.base.errors import ParameterError
from pckv.collector.contracts.contracts import (
    MAX_INVITATIONS_PER_REQUEST,
    TEXT_CACHING,
    Contracts,
    CurrentContracts,
    refuse_mixed,
    task_facts,
)
from pckv.collector.http.bodies import check_json, json_body, json_content
from pckv.collector.http.policy import Access, Policy, preflight
from pckv.collector.http.problem_details import (
    ProblemDetails,
    ProblemKind,
    malformed_input,
    problem_responses,
)
from pckv.contract.task import Task
from pckv.planning.people import MAX_USERS
from pckv.store.base import TaskChanges

MAX_TASKS_PER_PAGE = 1000

router = APIRouter(tags=["tasks"])
router.add_api_route("/tasks/{task_id}", preflight, methods=["OPTIONS"], include_in_schema=False)

CREATION_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The task exists already."},
    201: {"description": "The task was created."},
    **problem_responses(ProblemKind.DELETED, ProblemKind.NOT_MIXABLE, ProblemKind.NAME_TAKEN),
}


@router.post(
    "/tasks",
    summary="Create a task",
    status_code=201,
    response_class=Response,
    responses=CREATION_RESPONSES,
    openapi_extra=json_body(),
)
@Policy(max_bytes=None)
async def create_task(request: Request, contracts: CurrentContracts) -> Response:
    """Create a task from its canonical JSON; it never changes afterwards.

    Refused are a closing day in the past, and a name that another task or series has, apart from case and spaces:
    devices take both for one survey.
    """
    check_json(request, "a task")
    with malformed_input():
        task = await asyncio.to_thread(Task.from_json, await request.body())
    if task.series is not None:
        detail = f"this is a round of the series {task.series.id}, which adds its rounds automatically"
        raise ProblemDetails(ProblemKind.MALFORMED, detail)
    return await contracts.create(task)


@router.get("/tasks", summary="List tasks")
async def list_tasks(
    contracts: CurrentContracts,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, list[dict[str, Any]]]:
    """List tasks in the order of their ids, starting after `after`; those in the bin are left out."""
    tasks = await asyncio.to_thread(contracts.store.list_tasks, limit, after)
    return {"tasks": [task_facts(stored, contracts.today()) for stored in tasks]}


@router.get(
    "/tasks/{task_id}",
    summary="Fetch a task",
    response_class=Response,
    responses={
        200: {"description": "The task's canonical JSON.", **json_content()},
        304: {"description": "The client has the task already."},
    },
)
@Policy(Access.PUBLIC, any_origin=True)
async def fetch_task(task_id: str, request: Request, contracts: CurrentContracts) -> Response:
    """Return the public contract: the id is its SHA-256, so that any client can check it."""
    stored = await contracts.find_for_participants(task_id)
    return (await contracts.text(stored.task)).response(request, TEXT_CACHING)


class TaskSettings(BaseModel):
    """What may be changed about a task at any time; what is not named stays as it is."""

    model_config = ConfigDict(extra="forbid", strict=True)

    target: Annotated[int, Field(ge=1, le=MAX_USERS)] | None = None
    public_results: bool = False


@router.patch("/tasks/{task_id}", summary="Change what the server knows about a task")
async def change_task(task_id: str, contracts: CurrentContracts, changes: TaskSettings) -> dict[str, Any]:
    """Set how many reports are wanted (`target`, or null), and whether the results are public.

    Neither is part of the contract: the task and its id stay as they are.
    """
    named = cast("TaskChanges", changes.model_dump(exclude_unset=True))
    stored = await contracts.find(task_id)
    if changes.public_results and not stored.task.lists_keys:
        raise ProblemDetails(
            ProblemKind.MALFORMED,
            f"results of {stored.task.keys_text} have no public page: the task lists no keys",
        )
    await asyncio.to_thread(contracts.store.change_task, task_id, named)
    return await changed_task(contracts, task_id)


@router.post("/tasks/{task_id}/close", summary="Close a task early", responses=problem_responses(ProblemKind.MIXED))
async def close_task(task_id: str, contracts: CurrentContracts) -> dict[str, Any]:
    """Take no more reports from now on; the day of a mixed task is its mixer's, and stays.

    It can be undone until `reopen_until`, except for rounds of series.
    """
    refuse_mixed((await contracts.find(task_id)).task)
    await asyncio.to_thread(contracts.store.close_task, task_id, contracts.today())
    return await changed_task(contracts, task_id)


@router.post(
    "/tasks/{task_id}/reopen",
    summary="Undo the early close of a task",
    responses=problem_responses(ProblemKind.NOT_REOPENABLE),
)
async def reopen_task(task_id: str, contracts: CurrentContracts) -> dict[str, Any]:
    """Take reports again, until seven days after the close; of an open task nothing changes.

    Refused later, from the closing day on, when reports were deleted meanwhile, and for mixed tasks and rounds of
    series; `detail` says why.
    """
    await contracts.find(task_id)
    try:
        await asyncio.to_thread(contracts.store.reopen_task, task_id, contracts.today())
    except ParameterError as refusal:
        raise ProblemDetails(ProblemKind.NOT_REOPENABLE, str(refusal)) from None
    return await changed_task(contracts, task_id)


async def changed_task(contracts: Contracts, task_id: str) -> dict[str, Any]:
    """Return a task as it is after a change."""
    contracts.invalidate(task_id)
    return task_facts(await contracts.find(task_id), contracts.today())


@router.post(
    "/tasks/{task_id}/invitations",
    summary="Create invitations",
    status_code=201,
    response_model=dict[str, list[str]],
    responses=problem_responses(ProblemKind.MIXED),
)
async def create_invitations(
    task_id: str,
    contracts: CurrentContracts,
    count: Annotated[int, Query(ge=1, le=MAX_INVITATIONS_PER_REQUEST)] = 1,
) -> JSONResponse:
    """Create one-time tokens, shown this once; from now on the task takes reports by invitation only."""
    # Not validated, which would hold the event loop for thousands of them.
    return JSONResponse({"invitations": await contracts.invite(task_id, count)}, 201)
