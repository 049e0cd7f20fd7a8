"""The routes of the bin: deleted tasks wait in it for some days, unless they are deleted at once."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter

from pckv.base.errors import NameTaken, TaskGone
from pckv.collector.contracts.contracts import Contracts, CurrentContracts, check_id, name_taken
from pckv.collector.contracts.tasks import changed_task
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses

router = APIRouter(tags=["tasks"])


@router.delete("/tasks/{task_id}", summary="Delete a task with all its reports")
async def delete_task(
    task_id: str,
    contracts: CurrentContracts,
    now: bool = False,  # noqa: FBT002
) -> dict[str, Any]:
    """Put a task into the bin: it takes no reports and has no results, and can be restored `until` a day.

    Afterwards, or at once with `now`, everything is deleted but the fact that there was a task; that cannot be
    undone, and the answer says whether its reports are gone from the database's files.
    """
    check_id(task_id)
    return await (_delete if now else _bin)(contracts, task_id)


async def _bin(contracts: Contracts, task_id: str) -> dict[str, Any]:
    stored = await asyncio.to_thread(contracts.store.bin_task, task_id, contracts.today())
    contracts.invalidate(task_id)
    if stored is None:
        deletion = await asyncio.to_thread(contracts.store.find_deletion, task_id)
        raise ProblemDetails(ProblemKind.DELETED if deletion else ProblemKind.UNKNOWN)
    return {"task": task_id, "until": stored.binned_until}


async def _delete(contracts: Contracts, task_id: str) -> dict[str, Any]:
    await asyncio.to_thread(contracts.forget_key, task_id)
    deletion = await asyncio.to_thread(contracts.store.delete_task, task_id, contracts.today())
    contracts.invalidate(task_id)
    if deletion is None:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    erasure = "done" if deletion.erased else "pending"
    return {"task": deletion.task, "day": deletion.day, "reports": deletion.reports, "erasure": erasure}


@router.get("/deleted", summary="List the tasks in the bin")
async def list_deleted(contracts: CurrentContracts) -> dict[str, list[dict[str, Any]]]:
    """List deleted tasks that can be restored, with the days on which they were deleted, the last one first.

    They are deleted for good after the day `until`.
    """

    def query_store() -> list[dict[str, Any]]:
        binned = contracts.store.binned_tasks()
        counts = contracts.store.report_counts([stored.task.id for stored in binned])
        return [
            {
                "id": stored.task.id,
                "name": stored.task.name,
                "deleted": stored.binned,
                "until": stored.binned_until,
                "reports": counts[stored.task.id],
            }
            for stored in binned
        ]

    return {"tasks": await asyncio.to_thread(query_store)}


@router.post(
    "/tasks/{task_id}/restore",
    summary="Restore a task from the bin",
    responses=problem_responses(ProblemKind.NAME_TAKEN),
)
async def restore_task(task_id: str, contracts: CurrentContracts) -> dict[str, Any]:
    """Take a task out of the bin, as it was; a task that is not in it stays as it is.

    Refused if another survey has its name by now.
    """
    check_id(task_id)
    try:
        await asyncio.to_thread(contracts.store.restore_task, task_id, contracts.today())
    except NameTaken:
        raise name_taken() from None
    except TaskGone:
        raise ProblemDetails(ProblemKind.DELETED, "Its time in the bin is over.") from None
    return await changed_task(contracts, task_id)
