"""The routes of a mixer's operator: accept and withdraw tasks and series, invite people, and see what waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.errors import TaskGone
from pckv.collector.contracts.contracts import MAX_INVITATIONS_PER_REQUEST, check_id
from pckv.collector.http.auth import new_token, token_hash
from pckv.collector.http.bodies import check_json, json_body
from pckv.collector.http.policy import Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input, problem_responses
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.mixing.acceptance import check_series, check_task
from pckv.mixing.public_routes import MAX_TASKS_PER_PAGE, batch_facts
from pckv.mixing.service import CurrentMixer, MixerService

router = APIRouter(tags=["operator"])

ACCEPTANCE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "It was accepted before: `token` is null, unless a new one was asked for."},
    201: {"description": "It was accepted: `token` is the recipient's, shown this once."},
    **problem_responses(ProblemKind.DELETED),
}


@router.post(
    "/tasks",
    summary="Accept a task",
    status_code=201,
    response_class=Response,
    responses=ACCEPTANCE_RESPONSES,
    openapi_extra=json_body(),
)
@Policy(max_bytes=None)
async def accept_task(
    request: Request,
    mixer: CurrentMixer,
    new_recipient: bool = False,  # noqa: FBT002
) -> Response:
    """Accept a task from its canonical JSON, after its claim was computed again; one task per survey name.

    With `new_recipient`, the recipient of a task that was accepted before gets a new token in place of the old one.
    """
    check_json(request, "a task")
    body = await request.body()

    def accept() -> tuple[str, str | None]:
        task, today, token = Task.from_json(body), mixer.contracts.today(), new_token()
        # One that was accepted before may be closed by now.
        if mixer.store.find_task(task.id) is None:
            check_task(task, mixer.settings, today)
        stored = mixer.store.accept_task(task, today, token_hash(token), renew=new_recipient)
        return task.id, token if stored else None

    return await _accept(mixer, "tasks", accept)


@router.post(
    "/series",
    summary="Accept a series",
    status_code=201,
    response_class=Response,
    responses=ACCEPTANCE_RESPONSES,
    openapi_extra=json_body(),
)
@Policy(max_bytes=None)
async def accept_series(
    request: Request,
    mixer: CurrentMixer,
    new_recipient: bool = False,  # noqa: FBT002
) -> Response:
    """Accept a series from its canonical JSON, as a task: all of its rounds follow, one batch each."""
    check_json(request, "a series")
    body = await request.body()

    def accept() -> tuple[str, str | None]:
        series, today, token = Series.from_json(body), mixer.contracts.today(), new_token()
        known = mixer.store.find_series(series.id)
        if known is None:
            check_series(series, mixer.settings, today)
        elif known.closed is not None:
            raise TaskGone(f"series {series.id} was withdrawn")
        stored = mixer.store.accept_series(series, today, token_hash(token), renew=new_recipient)
        accepted = mixer.store.find_series(series.id)
        if accepted is not None:
            mixer.contracts.rounds.add_rounds(accepted, today)
        return series.id, token if stored else None

    return await _accept(mixer, "series", accept)


async def _accept(mixer: MixerService, kind: str, accept: Callable[[], tuple[str, str | None]]) -> Response:
    """Accept a contract in a thread, since computing its claim takes long; return its id and the recipient's token."""
    with malformed_input():
        try:
            contract_id, token = await asyncio.to_thread(accept)
        except TaskGone:
            raise ProblemDetails(ProblemKind.DELETED, "it was withdrawn") from None
    mixer.contracts.invalidate(contract_id)
    content = {"id": contract_id, "token": token}
    return JSONResponse(content, 200 if token is None else 201, {"Location": f"/{kind}/{contract_id}"})


@router.get("/status", summary="What waits, by task")
async def show_status(
    mixer: CurrentMixer,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, Any]:
    """List tasks in the order of their ids, as all see them, with whether what was deleted is erased."""

    def query_store() -> list[dict[str, Any]]:
        pending = set(mixer.store.pending_erasures())
        return [
            batch_facts(batch)
            | {"acknowledged": batch.acknowledged, "erasure": "pending" if batch.task in pending else "done"}
            for batch in mixer.store.list_batches(limit, after)
        ]

    return {"operator": mixer.settings.operator, "tasks": await asyncio.to_thread(query_store)}


@router.delete("/tasks/{task_id}", summary="Withdraw a task with all its sealed reports")
async def withdraw_task(task_id: str, mixer: CurrentMixer) -> dict[str, str]:
    """Delete a task's sealed reports, unread; it cannot be undone, and no other task of its name is accepted."""
    check_id(task_id)
    today = mixer.contracts.today()
    found = await asyncio.to_thread(mixer.store.withdraw, task_id, today)
    mixer.contracts.invalidate(task_id)
    if not found and await asyncio.to_thread(mixer.store.find_deletion, task_id) is None:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    await asyncio.to_thread(mixer.store.erase_deleted)
    return {"task": task_id, "state": "withdrawn"}


@router.delete("/series/{series_id}", summary="Withdraw a series and its rounds that were not released")
async def withdraw_series(series_id: str, mixer: CurrentMixer) -> dict[str, Any]:
    """Open no other round, and delete the sealed reports that wait, unread; released batches stay."""
    check_id(series_id)
    today = mixer.contracts.today()

    def withdraw() -> list[str] | None:
        if not mixer.store.close_series(series_id, today):
            return None
        rounds: list[str] = mixer.store.unreleased_rounds(series_id)
        for task_id in rounds:
            mixer.store.withdraw(task_id, today)
        mixer.store.erase_deleted()
        return rounds

    rounds = await asyncio.to_thread(withdraw)
    if rounds is None:
        raise ProblemDetails(ProblemKind.UNKNOWN, "no series has this id")
    for task_id in rounds:
        mixer.contracts.invalidate(task_id)
    return {"series": series_id, "state": "withdrawn", "rounds": rounds}


@router.post("/tasks/{task_id}/invitations", summary="Create invitations", status_code=201)
async def create_invitations(
    task_id: str,
    mixer: CurrentMixer,
    count: Annotated[int, Query(ge=1, le=MAX_INVITATIONS_PER_REQUEST)] = 1,
) -> dict[str, list[str]]:
    """Create one-time tokens, shown this once; from now on the task takes reports by invitation only."""
    return {"invitations": await mixer.contracts.invite(task_id, count)}
