"""The public results of a task: for everybody with the link, once somebody who runs the collection has said so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.collector.analysis.estimate_cache import EstimateOptions
from pckv.collector.analysis.estimate_routes import find_estimates
from pckv.collector.analysis.estimate_rows import DETECTED, sorted_rows, top_rows
from pckv.collector.contracts.task_routes import TASK_PROBLEMS
from pckv.collector.http.answers import SharedResponse
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.ingest.upload_routes import JSON_TYPE
from pckv.collector.state import Collector, CurrentCollector
from pckv.contract.facts import task_members
from pckv.estimators.results.estimates import Estimates
from pckv.store.base import StoredTask

LEVEL = 0.95
# The page lists at most this many keys: those that stand out from the noise first, then by frequency.
MAX_KEYS_SHOWN = 200
CACHE_SECONDS = 60
# All strangers together count as one account of those who may have estimates computed.
EVERYBODY = b"everybody"
# What the page tells of the task.
SHOWN_MEMBERS = ("name", "about", "opens", "closes", "low", "high", "padding", "keys", "other")

router = APIRouter(tags=["results"])


class _Answer(NamedTuple):
    started: float
    content: asyncio.Task[bytes]


class PublicResults:
    """The answers of the last minute, one per task: strangers cannot have a task computed more often in a worker."""

    def __init__(self, seconds: float = CACHE_SECONDS) -> None:
        self._seconds = seconds
        self._answers: dict[str, _Answer] = {}

    async def get(self, collector: Collector, stored: StoredTask) -> bytes:
        """Return the results of a task as JSON, as they were at most a minute ago."""
        task_id, now = stored.task.id, asyncio.get_running_loop().time()
        answer = self._answers.get(task_id)
        if answer is None or now - answer.started >= self._seconds:
            self._forget(lambda other: now - other.started >= self._seconds and other.content.done())
            answer = _Answer(now, asyncio.create_task(_compute(collector, stored)))
            self._answers[task_id] = answer
        try:
            # Somebody who disconnects must not end it for the others.
            return await asyncio.shield(answer.content)
        except ProblemDetails as problem:
            if problem.kind is ProblemKind.TOO_OFTEN:
                # Nothing was computed, since others were being computed.
                self._forget(lambda other: other is answer)
            raise

    def _forget(self, which: Callable[[_Answer], bool]) -> None:
        self._answers = {task_id: answer for task_id, answer in self._answers.items() if not which(answer)}


async def _compute(collector: Collector, stored: StoredTask) -> bytes:
    options = EstimateOptions(None, LEVEL, ())
    _, estimates = await find_estimates(collector, EVERYBODY, stored.task, options)
    days = await asyncio.to_thread(collector.store.last_report_days, [stored.task.id])
    facts = _facts(collector, stored) | {"last_report": days.get(stored.task.id)}
    return await collector.analysis_threads.run_short(lambda: _write(facts, estimates))


def _facts(collector: Collector, stored: StoredTask) -> dict[str, Any]:
    return task_members(stored.task, *SHOWN_MEMBERS) | {
        "phase": stored.phase(collector.today()).value,
        "closed": stored.closed,
    }


def _write(facts: dict[str, Any], estimates: Estimates) -> bytes:
    rows = sorted_rows(estimates, np.arange(len(estimates)), DETECTED)
    rows = top_rows(estimates, rows, MAX_KEYS_SHOWN)
    return json.dumps(facts | estimates.take(rows).to_dict(), ensure_ascii=False).encode()


@router.get(
    "/tasks/{task_id}/results",
    summary="The public results of a task",
    response_class=Response,
    responses={
        200: {
            "description": "The task's estimates with intervals, by its default method.",
            "content": {JSON_TYPE: {"schema": {"type": "object"}}},
        },
        **problem_responses(*TASK_PROBLEMS, ProblemKind.OVERLOADED),
    },
)
async def results(task_id: str, request: Request, collector: CurrentCollector) -> Response:
    """Return what is known about a task's keys, the most frequent ones; 404 unless its results are public.

    The numbers are at most a minute old, and state how many reports they count.
    """
    stored = await collector.find(task_id)
    if not stored.public_results:
        raise ProblemDetails(ProblemKind.UNKNOWN, "the results of this task are not public")
    public: PublicResults = request.app.state.public_results
    content = await public.get(collector, stored)
    headers = {"Cache-Control": f"public, max-age={CACHE_SECONDS}"}
    return SharedResponse(content, headers=headers, media_type=JSON_TYPE)
