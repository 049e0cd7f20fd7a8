"""The routes that take reports: an answer follows once they are on disk."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from pckv.canonical import base64url
from pckv.collector.auth import token_hash
from pckv.collector.cors import PREFLIGHT
from pckv.collector.decoding import Decoded, Refusal, decode_arrow, decode_json
from pckv.collector.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.request_bodies import read_body
from pckv.collector.state import Collector
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


UPLOAD_ROUTE = ("POST", "/tasks/{task_id}/reports")

router = APIRouter(tags=["reports"])


@router.post(
    UPLOAD_ROUTE[1],
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
async def describe_upload(task_id: str) -> Response:
    """Store reports, each once; the answer lists those that were refused.

    The same id with the same body again is fine; with another body it is a conflict, and the first stays.
    """
    # Declared for the OpenAPI document only: the gateway sends uploads to `UploadEndpoint`.
    raise NotImplementedError(task_id)


class UploadEndpoint:
    """Takes uploads straight from the gateway: most requests send one report, and FastAPI would dominate their cost."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store the reports of a request; the answer lists those that were refused."""
        collector: Collector = scope["app"].state.collector
        media = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
        if media not in DECODERS:
            raise ProblemDetails(ProblemKind.MEDIA, f"reports come as {JSON_TYPE} or {ARROW_TYPE}")
        stored = await collector.find(scope["path_params"]["task_id"])
        collector.check_open(stored)
        limits = collector.settings
        async with read_body(
            scope, receive, collector.budget, max_bytes=limits.body_bytes, seconds=limits.body_seconds
        ) as body:
            decoded = DECODERS[media](stored.task, body.content)
            refused = [*decoded.refused, *await _store(collector, stored.task, decoded)]
        collector.metrics.accepted.inc(len(decoded.reports) + len(decoded.refused) - len(refused))
        for _, reason in refused:
            collector.metrics.refused.labels(reason).inc()
        content = {"refused": [refusal._asdict() for refusal in refused]}
        await Response(json.dumps(content), media_type=JSON_TYPE)(scope, receive, send)


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
