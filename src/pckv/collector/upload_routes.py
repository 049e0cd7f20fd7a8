"""The routes that take reports: an answer follows once they are on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from pckv.canonical import base64url
from pckv.collector.cors import PREFLIGHT
from pckv.collector.decoding import Decoded, Refusal, decode_arrow, decode_json
from pckv.collector.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import Collector, get_collector
from pckv.collector.tokens import token_hash
from pckv.store.base import ReportOutcome, Upload
from pckv.task import Task

JSON_TYPE, ARROW_TYPE = "application/json", "application/vnd.apache.arrow.stream"
DECODERS = {JSON_TYPE: decode_json, ARROW_TYPE: decode_arrow}
ACCEPTED = {ReportOutcome.STORED, ReportOutcome.KNOWN}
TASK_ENDED = {ReportOutcome.TASK_CLOSED: ProblemKind.CLOSED, ReportOutcome.TASK_GONE: ProblemKind.DELETED}
TEXT = {"type": "string"}
REPORTS_SCHEMA = {
    "type": "object",
    "required": ["reports"],
    "additionalProperties": False,
    "properties": {
        "reports": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "body"],
                "additionalProperties": False,
                "properties": {"id": TEXT, "body": TEXT, "invitation": TEXT},
            },
        }
    },
}
REFUSED_SCHEMA = {
    "type": "object",
    "required": ["refused"],
    "properties": {
        "refused": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "reason"],
                "properties": {"id": TEXT, "reason": TEXT},
            },
        }
    },
}


class DirectRoute(APIRoute):
    """A route without FastAPI's parsing: most requests are uploads of one report, and it would dominate their cost."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function, behind the same guard as all routes."""

        async def handle(request: Request) -> Response:
            await request.app.state.guard(request)
            response: Response = await self.endpoint(request, **request.path_params)
            return response

        return handle


router = APIRouter(tags=["reports"], route_class=DirectRoute)


@router.post(
    "/tasks/{task_id}/reports",
    summary="Send reports",
    response_class=Response,
    responses={
        200: {"description": "What was refused.", "content": {JSON_TYPE: {"schema": REFUSED_SCHEMA}}},
        **problem_responses(
            ProblemKind.MALFORMED,
            ProblemKind.NOT_OPEN,
            ProblemKind.CLOSED,
            ProblemKind.UNKNOWN,
            ProblemKind.DELETED,
            ProblemKind.OVERLOADED,
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                JSON_TYPE: {"schema": REPORTS_SCHEMA},
                ARROW_TYPE: {"schema": {"type": "string", "format": "binary"}},
            },
        },
    },
)
async def upload(request: Request, task_id: str) -> Response:
    """Store reports, each once; the answer lists those that were refused.

    The same id with the same body again is fine; with another body it is a conflict, and the first stays.
    """
    collector = get_collector(request)
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in DECODERS:
        raise ProblemDetails(ProblemKind.MEDIA, f"reports come as {JSON_TYPE} or {ARROW_TYPE}")
    stored = await collector.find(task_id)
    collector.check_open(stored)
    decoded = DECODERS[media](stored.task, await request.body())
    refused = [*decoded.refused, *await _store(collector, stored.task, decoded)]
    collector.metrics.accepted.inc(len(decoded.reports) + len(decoded.refused) - len(refused))
    for _, reason in refused:
        collector.metrics.refused.labels(reason).inc()
    content = {"refused": [refusal._asdict() for refusal in refused]}
    return Response(json.dumps(content), media_type=JSON_TYPE)


async def _store(collector: Collector, task: Task, decoded: Decoded) -> list[Refusal]:
    if not decoded.reports:
        return []
    hashes = [None if token is None else token_hash(token) for token in decoded.invitations]
    outcomes = await collector.report_writer.add(Upload(task.id, decoded.reports, hashes))
    for outcome in outcomes:
        if outcome in TASK_ENDED:
            collector.task_cache.invalidate(task.id)
            raise ProblemDetails(TASK_ENDED[outcome])
    return [
        Refusal(base64url(report.id), outcome.value)
        for report, outcome in zip(decoded.reports, outcomes, strict=True)
        if outcome not in ACCEPTED
    ]


@router.options("/tasks/{task_id}", include_in_schema=False)
@router.options("/tasks/{task_id}/reports", include_in_schema=False)
async def preflight(request: Request, task_id: str) -> Response:  # noqa: ARG001
    """Answer what a browser asks before it sends to another origin."""
    return Response(status_code=204, headers=PREFLIGHT)
