"""The route by which a device asks whether its report would be taken, before it perturbs anything."""

from __future__ import annotations

import json
import secrets
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.canonical import RepeatedMember, base64url, refuse_repeated_members
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.collector.contracts.contracts import ContractCache
from pckv.collector.http.auth import token_hash
from pckv.collector.http.bodies import CLOSED_OBJECT, JSON_TYPE, TEXT, RequestBody, json_body, json_content, media_type
from pckv.collector.http.policy import Access, Policy, preflight
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.contract.task import Task
from pckv.store.base import InvitationState
from pckv.store.contract_store import ContractStore

COIN = {"coin": {"type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{22}$"}}
ADMISSION_SCHEMA = CLOSED_OBJECT | {"required": ["coin"], "properties": COIN}
INVITATION_SCHEMA = CLOSED_OBJECT | {"properties": {"invitation": TEXT}}

MAX_REQUEST_BYTES = 4 * 2**10
INVITATION_PROBLEMS = {
    InvitationState.UNKNOWN: ProblemKind.INVITATION_UNKNOWN,
    InvitationState.SPENT: ProblemKind.INVITATION_SPENT,
}

router = APIRouter(tags=["reports"])
router.add_api_route("/tasks/{task_id}/admission", preflight, methods=["OPTIONS"], include_in_schema=False)


@router.post(
    "/tasks/{task_id}/admission",
    summary="Ask whether a report would be taken",
    response_class=Response,
    responses={
        200: {
            "description": "A report would be taken now, with this coin as its id unless it is null.",
            **json_content(ADMISSION_SCHEMA),
        },
        **problem_responses(
            ProblemKind.NOT_OPEN,
            ProblemKind.CLOSED,
            ProblemKind.INVITATION_UNKNOWN,
            ProblemKind.INVITATION_SPENT,
        ),
    },
    openapi_extra=json_body(INVITATION_SCHEMA),
)
@Policy(Access.PUBLIC, any_origin=True, direct=True)
async def ask_admission(task_id: str, request: Request) -> Response:
    """Say whether a report would be taken now; where the task needs one, hand out the coin of the invitation.

    Nothing is spent. Asked again with an unspent invitation, the answer has the same coin.
    """
    if media_type(request) != JSON_TYPE:
        raise ProblemDetails(ProblemKind.MEDIA, f"an admission is asked for in {JSON_TYPE}")
    service = request.app.state.service
    contracts: ContractCache = service.contracts
    stored = await contracts.find_for_participants(task_id)
    contracts.check_open(stored)
    async with RequestBody(request.scope, request.receive, service.budget, MAX_REQUEST_BYTES) as body:
        invitation = _read_invitation(body.content)
    coin = None
    if stored.by_invitation:
        if invitation is None:
            raise ProblemDetails(ProblemKind.INVITATION_UNKNOWN, "this task takes reports by invitation only")
        coin = await contracts.look_up(_coin, contracts.store, stored.task, invitation)
    content = {"coin": None if coin is None else base64url(coin)}
    return JSONResponse(content, headers={"Cache-Control": "no-store"})


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


def _coin(store: ContractStore, task: Task, invitation: str) -> bytes | None:
    """Return the coin of an invitation, None where the task needs none; or raise what is wrong with it."""
    hashed = token_hash(invitation)
    # Read first: a guess must not make the store write.
    found: bytes | InvitationState = store.invitation_state(task.id, hashed)
    if found is InvitationState.VALID and task.coin == SERVER_COIN:
        found = store.issue_coin(task.id, hashed, secrets.token_bytes(REPORT_ID_BYTES))
    if isinstance(found, bytes):
        return found
    if found in INVITATION_PROBLEMS:
        raise ProblemDetails(INVITATION_PROBLEMS[found])
    return None
