"""The routes that take reports: an answer follows once they are on disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from pckv.base.canonical import base64url
from pckv.collector.http.byte_budget import MAX_SMALL_BYTES
from pckv.collector.http.cors import PREFLIGHT
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.http.request_bodies import RequestBody
from pckv.collector.http.tokens import token_hash
from pckv.collector.ingest.arrow_decoding import decode_arrow, max_arrow_bytes
from pckv.collector.ingest.decoding import ACCEPTED, TASK_ENDED, Decoded, Refusal, decode_json, max_json_bytes
from pckv.collector.state import Collector
from pckv.contract.task import Task
from pckv.store.base import Upload

JSON_TYPE, ARROW_TYPE = "application/json", "application/vnd.apache.arrow.stream"
# What a report takes in memory besides its body, once it is decoded.
DECODED_BYTES_PER_REPORT = 256
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

Decode = Callable[[Task, bytes], Decoded]


class UploadFormat(NamedTuple):
    """How reports are written: what reads them, and how large a body may be."""

    decode: Decode
    max_bytes: Callable[[Task], int]


FORMATS = {
    JSON_TYPE.encode(): UploadFormat(decode_json, max_json_bytes),
    ARROW_TYPE.encode(): UploadFormat(decode_arrow, max_arrow_bytes),
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
        upload_format = _format_of(scope)
        task_id = scope["path_params"]["task_id"]
        stored = await collector.find(task_id)
        collector.check_open(stored)
        task = stored.task
        limit = min(collector.settings.body_bytes, upload_format.max_bytes(task))
        async with RequestBody(scope, receive, collector.budget, limit) as body:
            decoded = await _decode(collector, upload_format.decode, task, body.content)
            body.hold(len(decoded.reports) * (DECODED_BYTES_PER_REPORT + task.message_format.body_bytes))
            refused = decoded.refused + await _store(collector, task_id, decoded)
        collector.metrics.count_accepted(len(decoded.reports) + len(decoded.refused) - len(refused))
        for _, reason in refused:
            collector.metrics.count_refused(reason)
        await _send(send, _answer(refused) if refused else ALL_ACCEPTED)


async def _decode(collector: Collector, decode: Decode, task: Task, body: bytes) -> Decoded:
    if len(body) <= MAX_SMALL_BYTES:
        return decode(task, body)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(collector.threads.large_bodies, decode, task, body)


def _format_of(scope: Scope) -> UploadFormat:
    media = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    found = FORMATS.get(media) or FORMATS.get(media.partition(b";")[0].strip().lower())
    if found is None:
        raise ProblemDetails(ProblemKind.MEDIA, f"reports come as {JSON_TYPE} or {ARROW_TYPE}")
    return found


async def _store(collector: Collector, task_id: str, decoded: Decoded) -> list[Refusal]:
    if not decoded.reports:
        return []
    hashes = [None if token is None else token_hash(token) for token in decoded.invitations]
    outcomes = await collector.report_writer.add(Upload(task_id, decoded.reports, hashes))
    if ACCEPTED.issuperset(outcomes):
        return []
    for outcome in outcomes:
        if outcome in TASK_ENDED:
            collector.task_cache.invalidate(task_id)
            raise ProblemDetails(TASK_ENDED[outcome])
    return [
        Refusal(base64url(report.id), outcome.value)
        for report, outcome in zip(decoded.reports, outcomes, strict=True)
        if outcome not in ACCEPTED
    ]


def _answer(refused: list[Refusal]) -> bytes:
    return json.dumps({"refused": [refusal._asdict() for refusal in refused]}).encode()


ALL_ACCEPTED = _answer([])


async def _send(send: Send, content: bytes) -> None:
    length = str(len(content)).encode()
    headers = [(b"content-type", JSON_TYPE.encode()), (b"content-length", length)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


@router.options("/tasks/{task_id}", include_in_schema=False)
@router.options("/tasks/{task_id}/reports", include_in_schema=False)
async def preflight(request: Request, task_id: str) -> Response:  # noqa: ARG001
    """Answer what a browser asks before it sends to another origin."""
    return Response(status_code=204, headers=PREFLIGHT)
