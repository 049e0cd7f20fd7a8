"""The route that says whether a report would be taken, and hands out coins: clients ask before they perturb."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from pckv.base.canonical import RepeatedMember, base64url, refuse_repeated_members
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.collector.http.cors import PREFLIGHT
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.http.request_bodies import RequestBody
from pckv.collector.http.tokens import token_hash
from pckv.collector.ingest.upload_routes import JSON_TYPE
from pckv.collector.state import Collector
from pckv.contract.task import Task
from pckv.store.base import InvitationState, Store

ADMISSION_ROUTE = ("POST", "/tasks/{task_id}/admission")
MAX_REQUEST_BYTES = 4 * 2**10
REFUSALS = {
    InvitationState.UNKNOWN: ProblemKind.INVITATION_UNKNOWN,
    InvitationState.SPENT: ProblemKind.INVITATION_SPENT,
}
REQUEST_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"invitation": {"type": "string"}},
}
ADMISSION_SCHEMA = {
    "type": "object",
    "required": ["coin"],
    "additionalProperties": False,
    "properties": {"coin": {"type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{22}$"}},
}

router = APIRouter(tags=["reports"])


@router.post(
    ADMISSION_ROUTE[1],
    summary="Ask whether a report would be taken",
    response_class=Response,
    responses={
        200: {
            "description": "A report would be taken now, with this coin as its id unless it is null.",
            "content": {JSON_TYPE: {"schema": ADMISSION_SCHEMA}},
        },
        **problem_responses(
            ProblemKind.MALFORMED,
            ProblemKind.NOT_OPEN,
            ProblemKind.CLOSED,
            ProblemKind.INVITATION_UNKNOWN,
            ProblemKind.INVITATION_SPENT,
            ProblemKind.UNKNOWN,
            ProblemKind.DELETED,
            ProblemKind.OVERLOADED,
        ),
    },
    openapi_extra={"requestBody": {"required": True, "content": {JSON_TYPE: {"schema": REQUEST_SCHEMA}}}},
)
async def describe_admission(task_id: str) -> Response:
    """Say whether a report would be taken now; where the task needs one, hand out the coin of the invitation.

    Nothing is spent. Asked again with an unspent invitation, the answer has the same coin.
    """
    # Declared for the OpenAPI document only: the gateway sends requests to `AdmissionEndpoint`.
    raise NotImplementedError(task_id)


class AdmissionEndpoint:
    """Says whether reports would be taken, straight from the gateway: clients ask once per report."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a coin or none, or raise the problem that no report would be taken."""
        media = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
        if media != JSON_TYPE:
            raise ProblemDetails(ProblemKind.MEDIA, f"an admission is asked for in {JSON_TYPE}")
        collector: Collector = scope["app"].state.collector
        stored = await collector.find(scope["path_params"]["task_id"])
        collector.check_open(stored)
        async with RequestBody(scope, receive, collector.budget, MAX_REQUEST_BYTES) as body:
            invitation = _read_invitation(body.content)
        coin = None
        if stored.by_invitation:
            if invitation is None:
                raise ProblemDetails(
                    ProblemKind.INVITATION_UNKNOWN, "this task takes reports by invitation only"
                )
            running = asyncio.get_running_loop().run_in_executor
            coin = await running(collector.threads.lookups, _coin, collector.store, stored.task, invitation)
        content = {"coin": None if coin is None else base64url(coin)}
        answer = JSONResponse(content, headers={"Cache-Control": "no-store"})
        await answer(scope, receive, send)


def _read_invitation(body: bytes) -> str | None:
    """Return the invitation that a body names, if it names one."""
    try:
        content: Any = json.loads(body.decode(), object_pairs_hook=refuse_repeated_members)
    except RepeatedMember:
        raise ProblemDetails(ProblemKind.MALFORMED, "a member appears twice") from None
    except (ValueError, RecursionError):
        raise ProblemDetails(ProblemKind.MALFORMED, "the body is not JSON") from None
    match content:
        case {"invitation": str(invitation), **others} if not others:
            return invitation
        case {**members} if not members:
            return None
    raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"invitation": "…"} or {}')


def _coin(store: Store, task: Task, invitation: str) -> bytes | None:
    """Return the coin of an invitation, None where the task needs none; or raise the problem with the invitation."""
    hashed = token_hash(invitation)
    # Read first: whoever guesses must not make the store write.
    found: bytes | InvitationState = store.invitation_state(task.id, hashed)
    if found is InvitationState.VALID and task.coin == SERVER_COIN:
        found = store.issue_coin(task.id, hashed, secrets.token_bytes(REPORT_ID_BYTES))
    if isinstance(found, bytes):
        return found
    if found in REFUSALS:
        raise ProblemDetails(REFUSALS[found])
    return None


@router.options(ADMISSION_ROUTE[1], include_in_schema=False)
async def preflight(task_id: str) -> Response:  # noqa: ARG001
    """Answer what a browser asks before it sends to another origin."""
    return Response(status_code=204, headers=PREFLIGHT)
