"""The public routes of a mixer: what it promises and accepted, and where devices send sealed reports."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.wire import Report
from pckv.collector.contracts.contracts import TEXT_CACHING
from pckv.collector.http.auth import token_hash
from pckv.collector.http.bodies import CLOSED_OBJECT, RequestBody, json_content, media_type
from pckv.collector.http.policy import PREFLIGHT, Access, Policy, preflight
from pckv.collector.http.problem_details import (
    ACCEPTED,
    TASK_ENDED,
    ProblemDetails,
    ProblemKind,
    problem_responses,
)
from pckv.collector.ingest.admission import INVITATION_PROBLEMS
from pckv.contract.mixer import entry_bytes
from pckv.mixing.promises import CONDITIONS, PROMISES
from pckv.mixing.service import CurrentMixer, MixerService
from pckv.mixing.transactions import BatchState, StoredBatch
from pckv.store.base import InvitationState, ReportOutcome, Upload

SEALED_TYPE = "application/octet-stream"
INVITATION_HEADER = "PCKV-Invitation"
MAX_TASKS_PER_PAGE = 1000
# The same answer for every sealed report, made once.
TAKEN = JSONResponse({"held": True})
TAKEN_SCHEMA = CLOSED_OBJECT | {"required": ["held"], "properties": {"held": {"const": True}}}
REFUSED_INVITATIONS = {
    ReportOutcome.INVITATION_UNKNOWN: INVITATION_PROBLEMS[InvitationState.UNKNOWN],
    ReportOutcome.INVITATION_SPENT: INVITATION_PROBLEMS[InvitationState.SPENT],
}

router = APIRouter(tags=["devices"])
for path in ("/", "/tasks", "/tasks/{task_id}", "/series/{series_id}"):
    router.add_api_route(path, preflight, methods=["OPTIONS"], include_in_schema=False)


@router.get("/", summary="Who runs this mixer, and what they promise")
@Policy(Access.PUBLIC, any_origin=True)
async def facts(mixer: CurrentMixer) -> dict[str, Any]:
    """Return the operator, the address that tasks name, what the operator promises, and what that is worth."""
    settings = mixer.settings
    return {
        "service": "pckv mixer",
        "operator": settings.operator,
        "origin": settings.origin,
        "promises": PROMISES,
        "conditions": CONDITIONS,
    }


@router.get("/tasks", summary="The tasks that this mixer accepted")
@Policy(Access.PUBLIC, any_origin=True)
async def list_tasks(
    mixer: CurrentMixer,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,43}$")] = "",
) -> dict[str, list[dict[str, Any]]]:
    """List accepted tasks in the order of their ids, each with how many reports waited when this day began."""
    batches = await mixer.contracts.look_up(mixer.store.list_batches, limit, after)
    return {"tasks": [batch_facts(batch) for batch in batches]}


def batch_facts(batch: StoredBatch) -> dict[str, Any]:
    """Return what is public of a batch: a count that is renewed once per day does not show single arrivals."""
    is_collecting = batch.state is BatchState.COLLECTING
    return {
        "id": batch.task,
        "name": batch.name,
        "closes": batch.closes,
        "batch": batch.least,
        "state": batch.state.value,
        "waiting": batch.published if is_collecting else None,
        "as_of": batch.published_day if is_collecting else None,
        "by_invitation": batch.by_invitation,
        "series": batch.series,
    }


@router.get(
    "/tasks/{task_id}",
    summary="Fetch a task that this mixer accepted",
    response_class=Response,
    responses={
        200: {"description": "The task's canonical JSON.", **json_content()},
        304: {"description": "The client has the task already."},
    },
)
@Policy(Access.PUBLIC, any_origin=True)
async def fetch_task(task_id: str, request: Request, mixer: CurrentMixer) -> Response:
    """Return the public contract: the id is its SHA-256, so that any client can check it."""
    stored = await mixer.contracts.find(task_id)
    return (await mixer.contracts.text(stored.task)).response(request, TEXT_CACHING)


@router.get(
    "/series/{series_id}",
    summary="Fetch a series that this mixer accepted",
    response_class=Response,
    responses={
        200: {"description": "The canonical JSON of the series.", **json_content()},
        304: {"description": "The client has the series already."},
    },
)
@Policy(Access.PUBLIC, any_origin=True)
async def fetch_series(series_id: str, request: Request, mixer: CurrentMixer) -> Response:
    """Return the public contract, whose SHA-256 is the id: clients derive the tasks of its rounds from it."""
    return (await mixer.contracts.series_text(series_id)).response(request, TEXT_CACHING)


@Policy(Access.PUBLIC, any_origin=True)
async def preflight_sealed() -> Response:
    """Answer what a browser asks before it sends a sealed report to another origin."""
    headers = PREFLIGHT | {"Access-Control-Allow-Headers": f"Content-Type, {INVITATION_HEADER}"}
    return Response(status_code=204, headers=headers)


router.add_api_route("/tasks/{task_id}/sealed", preflight_sealed, methods=["OPTIONS"], include_in_schema=False)


@router.post(
    "/tasks/{task_id}/sealed",
    summary="Send a sealed report",
    response_class=Response,
    responses={
        200: {"description": "The sealed report is on disk.", **json_content(TAKEN_SCHEMA)},
        **problem_responses(
            ProblemKind.NOT_OPEN,
            ProblemKind.CLOSED,
            ProblemKind.INVITATION_UNKNOWN,
            ProblemKind.INVITATION_SPENT,
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {SEALED_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        },
        "parameters": [{"name": INVITATION_HEADER, "in": "header", "required": False, "schema": {"type": "string"}}],
    },
)
@Policy(Access.PUBLIC, any_origin=True, direct=True)
async def send_sealed(task_id: str, request: Request) -> Response:
    """Hold one sealed report, whose length the task determines; the same bytes again are one entry.

    Where the task takes reports by invitation, it is in the header `PCKV-Invitation`.
    """
    mixer: MixerService = request.app.state.service
    if media_type(request) != SEALED_TYPE:
        raise ProblemDetails(ProblemKind.MEDIA, f"a sealed report comes as {SEALED_TYPE}")
    stored = await mixer.contracts.find(task_id)
    mixer.contracts.check_open(stored)
    size = entry_bytes(stored.task)
    token = request.headers.get(INVITATION_HEADER)
    async with RequestBody(request.scope, request.receive, mixer.budget, size) as body:
        if len(body.content) != size:
            raise ProblemDetails(ProblemKind.MALFORMED, f"a sealed report of this task has {size:,} bytes")
        entry = Report(hashlib.sha256(body.content).digest(), body.content)
        invitations = () if token is None else [token_hash(token)]
        [outcome] = await mixer.writer.add(Upload(task_id, [entry], invitations))
    if outcome in ACCEPTED:
        mixer.metrics.count_accepted(1)
        return TAKEN
    if outcome is ReportOutcome.TASK_FULL:
        mixer.contracts.note_full(task_id)
    if outcome in TASK_ENDED:
        mixer.contracts.invalidate(task_id)
        raise ProblemDetails(TASK_ENDED[outcome])
    mixer.metrics.count_refused(outcome.value)
    raise ProblemDetails(REFUSED_INVITATIONS.get(outcome, ProblemKind.MALFORMED))
