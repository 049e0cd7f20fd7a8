"""The routes of a task's recipient: the state of its batch, its pages, and that the whole arrived."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.mixer import entry_bytes
from pckv.mixing.public_routes import SEALED_TYPE
from pckv.mixing.service import CurrentMixer, MixerService
from pckv.mixing.transactions import BatchState, StoredBatch, page_entries

MAX_PAGE_NUMBER = 2**31

router = APIRouter(tags=["recipient"])


@router.get("/tasks/{task_id}/batch", summary="What became of the sealed reports of a task")
@Policy(Access.RECIPIENT)
async def fetch_batch(task_id: str, mixer: CurrentMixer) -> dict[str, Any]:
    """Return the state of a batch: `collecting` until its closing day, then `released` or `too few`, at last `done`.

    `count` and `sha256`, that of all sealed reports in their order, are null unless it is released. `acknowledged`
    says of a batch that is done whether its recipient had all of it, or 30 days had passed.
    """
    task = (await mixer.contracts.find(task_id)).task
    batch = await _find(mixer, task_id)
    is_released = batch.state is BatchState.RELEASED
    return {
        "task": task_id,
        "state": batch.state.value,
        "closes": batch.closes,
        "count": batch.size if is_released else None,
        "sha256": batch.sha256 if is_released else None,
        "page_entries": batch.page_entries or page_entries(task),
        "entry_bytes": entry_bytes(task),
        "acknowledged": batch.acknowledged,
    }


@router.get(
    "/tasks/{task_id}/batch/{page}",
    summary="A page of a released batch",
    response_class=Response,
    responses={
        200: {
            "description": "Sealed reports, one after the other.",
            "content": {SEALED_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
@Policy(Access.RECIPIENT)
async def fetch_page(
    task_id: str, page: Annotated[int, Path(ge=0, le=MAX_PAGE_NUMBER)], mixer: CurrentMixer
) -> Response:
    """Return a page, counted from 0; it is the same however often it is asked for, until the batch is acknowledged."""
    content = await mixer.contracts.look_up(mixer.store.find_page, task_id, page)
    if content is None:
        batch = await _find(mixer, task_id)
        raise ProblemDetails(ProblemKind.UNKNOWN, f"there is no such page: the batch is in state {batch.state.value!r}")
    return Response(content, media_type=SEALED_TYPE, headers={"Cache-Control": "no-store"})


class Acknowledgement(BaseModel):
    """That all pages arrived: the SHA-256 of all sealed reports in their order."""

    model_config = ConfigDict(extra="forbid", strict=True)

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@router.post("/tasks/{task_id}/batch/acknowledge", summary="Acknowledge a batch, which is then deleted")
@Policy(Access.RECIPIENT)
async def acknowledge(task_id: str, acknowledgement: Acknowledgement, mixer: CurrentMixer) -> dict[str, str]:
    """Delete and erase a batch that its recipient has whole; doing it again changes nothing."""
    if not await mixer.contracts.look_up(mixer.store.acknowledge, task_id, acknowledgement.sha256):
        batch = await _find(mixer, task_id)
        detail = (
            f"no batch is released: the state is {batch.state.value!r}"
            if batch.sha256 is None
            else "this is not the SHA-256 of the batch: fetch its pages again"
        )
        raise ProblemDetails(ProblemKind.MALFORMED, detail, field="sha256")
    return {"task": task_id, "state": BatchState.DONE.value}


async def _find(mixer: MixerService, task_id: str) -> StoredBatch:
    batch: StoredBatch | None = await mixer.contracts.look_up(mixer.store.find_batch, task_id)
    if batch is None:
        raise ProblemDetails(ProblemKind.DELETED)
    return batch
