"""The routes of drafts: forms of surveys that are kept until they are published."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from pckv.collector.contracts.contracts import CurrentContracts
from pckv.collector.http.auth import new_token
from pckv.collector.http.bodies import JSON_TYPE, json_content
from pckv.collector.http.policy import Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.store.base import Draft

MAX_DRAFTS = 200
MAX_NAME_CHARACTERS = 256
MAX_VALUES_BYTES = 2**20
# With the name, and whatever escapes and white space a client writes.
MAX_DRAFT_BYTES = 2 * MAX_VALUES_BYTES
_ID = re.compile("[A-Za-z0-9_-]{1,64}")

T = TypeVar("T", Draft, str)

router = APIRouter(tags=["drafts"])


class DraftForm(BaseModel):
    """A form as it is so far: its name, which may be missing, and its values, which mean nothing here."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
    values: dict[str, Any]

    def to_draft(self, draft_id: str, day: str) -> Draft:
        """Return the draft to store, or raise the problem that its values are too large, or no JSON."""
        try:
            # In ASCII: not every database takes every character.
            content = json.dumps(self.values, allow_nan=False, separators=(",", ":"))
        except ValueError:
            raise ProblemDetails(ProblemKind.MALFORMED, "a value is not a number of JSON", field="values") from None
        if len(content) > MAX_VALUES_BYTES:
            detail = f"the values of a draft have at most {MAX_VALUES_BYTES:,} bytes"
            raise ProblemDetails(ProblemKind.TOO_LARGE, detail, field="values")
        return Draft(draft_id, self.name, day, content)


@router.post("/drafts", summary="Keep a draft", status_code=201, responses=problem_responses(ProblemKind.DRAFTS_FULL))
@Policy(max_bytes=MAX_DRAFT_BYTES)
async def create_draft(contracts: CurrentContracts, form: DraftForm) -> JSONResponse:
    """Keep a form of a survey that is not published; it collects nothing."""
    draft = await asyncio.to_thread(form.to_draft, new_token(), contracts.today())
    if not await asyncio.to_thread(contracts.store.add_draft, draft, MAX_DRAFTS):
        raise ProblemDetails(ProblemKind.DRAFTS_FULL, f"there are {MAX_DRAFTS} drafts: delete one first")
    return JSONResponse({"id": draft.id}, 201, {"Location": f"/drafts/{draft.id}"})


@router.get("/drafts", summary="List drafts")
async def list_drafts(contracts: CurrentContracts) -> dict[str, list[dict[str, str]]]:
    """List all drafts with the days on which they were changed, the last changed one first."""
    drafts = await asyncio.to_thread(contracts.store.list_drafts)
    return {"drafts": [draft._asdict() for draft in drafts]}


@router.get(
    "/drafts/{draft_id}",
    summary="Fetch a draft",
    response_class=Response,
    responses={
        200: {"description": "The draft with its values.", **json_content()},
        **problem_responses(ProblemKind.UNKNOWN),
    },
)
async def fetch_draft(draft_id: str, contracts: CurrentContracts) -> Response:
    """Return a draft with the values of its form."""
    draft = await asyncio.to_thread(contracts.store.find_draft, draft_id) if _ID.fullmatch(draft_id) else None
    if draft is None:
        raise _unknown()
    head = json.dumps({"id": draft.id, "name": draft.name, "changed": draft.changed})
    return Response(f'{head[:-1]}, "values": {draft.content}}}', media_type=JSON_TYPE)


@router.put("/drafts/{draft_id}", summary="Change a draft", responses=problem_responses(ProblemKind.UNKNOWN))
@Policy(max_bytes=MAX_DRAFT_BYTES)
async def change_draft(draft_id: str, contracts: CurrentContracts, form: DraftForm) -> dict[str, str]:
    """Replace the name and the values of a draft."""
    draft = await asyncio.to_thread(form.to_draft, draft_id, contracts.today())
    await _change(contracts.store.change_draft, draft)
    return {"id": draft_id}


@router.delete("/drafts/{draft_id}", summary="Delete a draft", responses=problem_responses(ProblemKind.UNKNOWN))
async def delete_draft(draft_id: str, contracts: CurrentContracts) -> dict[str, str]:
    """Delete a draft, at once."""
    await _change(contracts.store.delete_draft, draft_id)
    return {"id": draft_id}


async def _change(work: Callable[[T], bool], what: T) -> None:
    """Do something to a draft, or raise the problem that it is unknown."""
    draft_id = what.id if isinstance(what, Draft) else str(what)
    if _ID.fullmatch(draft_id) is None or not await asyncio.to_thread(work, what):
        raise _unknown()


def _unknown() -> ProblemDetails:
    return ProblemDetails(ProblemKind.UNKNOWN, "no draft has this id")
