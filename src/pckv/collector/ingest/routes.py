"""The routes of reports: a client asks whether one would be taken, perturbs, and sends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.base.canonical import base64url
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.auth import token_hash
from pckv.collector.http.bodies import (
    ANY_OBJECT,
    CLOSED_OBJECT,
    JSON_TYPE,
    MAX_SMALL_BYTES,
    TEXT,
    ByteBudget,
    RequestBody,
    json_content,
)
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.policy import Access, Policy, preflight
from pckv.collector.http.problem_details import (
    ACCEPTED,
    TASK_ENDED,
    ProblemDetails,
    ProblemKind,
    problem_responses,
)
from pckv.collector.ingest.decoding import (
    Decoded,
    Refusal,
    decode_arrow,
    decode_json,
    max_arrow_bytes,
    max_json_bytes,
)
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.contract.task import Task
from pckv.store.base import Upload

ARROW_TYPE = "application/vnd.apache.arrow.stream"
# What a report takes in memory besides its body, once it is decoded.
DECODED_BYTES_PER_REPORT = 256
REPORT = CLOSED_OBJECT | {
    "required": ["id", "body"],
    "properties": {"id": TEXT, "body": TEXT, "invitation": TEXT},
}
REPORTS = {"reports": {"type": "array", "items": REPORT}}
REPORTS_SCHEMA = CLOSED_OBJECT | {"required": ["reports"], "properties": REPORTS}
REFUSAL = ANY_OBJECT | {"required": ["id", "reason"], "properties": {"id": TEXT, "reason": TEXT}}
REFUSALS = {"refused": {"type": "array", "items": REFUSAL}}
REFUSED_SCHEMA = ANY_OBJECT | {"required": ["refused"], "properties": REFUSALS}

Decode = Callable[[Task, bytes], Decoded]


class UploadFormat(NamedTuple):
    """How reports are written: what reads them, and how large a body may be."""

    decode: Decode
    max_bytes: Callable[[Task], int]


FORMATS = {
    JSON_TYPE.encode(): UploadFormat(decode_json, max_json_bytes),
    ARROW_TYPE.encode(): UploadFormat(decode_arrow, max_arrow_bytes),
}

router = APIRouter(tags=["reports"])
router.add_api_route("/tasks/{task_id}/reports", preflight, methods=["OPTIONS"], include_in_schema=False)


@dataclass
class Ingest:
    """What takes reports: from the task that a request names to the writer.

    Large bodies are decoded in one thread, so that any number may wait and the event loop has half of the
    interpreter's time.
    """

    contracts: Contracts
    writer: ReportWriter
    budget: ByteBudget
    metrics: Metrics
    max_bytes: int
    large_bodies: ThreadPoolExecutor

    async def decode(self, decode: Decode, task: Task, body: bytes) -> Decoded:
        """Return the reports of a body."""
        if len(body) <= MAX_SMALL_BYTES:
            return decode(task, body)
        return await asyncio.get_running_loop().run_in_executor(self.large_bodies, decode, task, body)

    async def store(self, task_id: str, decoded: Decoded) -> list[Refusal]:
        """Store reports; return those that the store refused."""
        if not decoded.reports:
            return []
        hashes = [None if token is None else token_hash(token) for token in decoded.invitations]
        outcomes = await self.writer.add(Upload(task_id, decoded.reports, hashes))
        if ACCEPTED.issuperset(outcomes):
            return []
        for outcome in outcomes:
            if outcome in TASK_ENDED:
                self.contracts.invalidate(task_id)
                raise ProblemDetails(TASK_ENDED[outcome])
        return [
            Refusal(base64url(report.id), outcome.value)
            for report, outcome in zip(decoded.reports, outcomes, strict=True)
            if outcome not in ACCEPTED
        ]


@router.post(
    "/tasks/{task_id}/reports",
    summary="Send reports",
    response_class=Response,
    responses={
        200: {"description": "What was refused.", **json_content(REFUSED_SCHEMA)},
        **problem_responses(ProblemKind.NOT_OPEN, ProblemKind.CLOSED, ProblemKind.MIXED),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                JSON_TYPE: {"schema": REPORTS_SCHEMA},
                ARROW_TYPE: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
@Policy(Access.PUBLIC, any_origin=True, direct=True)
async def send_reports(task_id: str, request: Request) -> Response:
    """Store reports, each once; the answer lists those that were refused.

    The same id with the same body again is fine; with another body it is a conflict, and the first stays.
    """
    ingest: Ingest = request.app.state.service.ingest
    upload_format = _format_of(request)
    stored = await ingest.contracts.find_for_participants(task_id)
    task = stored.task
    ingest.contracts.check_open(stored)
    limit = min(ingest.max_bytes, upload_format.max_bytes(task))
    async with RequestBody(request.scope, request.receive, ingest.budget, limit) as body:
        decoded = await ingest.decode(upload_format.decode, task, body.content)
        body.hold(len(decoded.reports) * (DECODED_BYTES_PER_REPORT + task.message_format.body_bytes))
        refused = decoded.refused + await ingest.store(task_id, decoded)
    ingest.metrics.count_accepted(len(decoded.reports) + len(decoded.refused) - len(refused))
    for _, reason in refused:
        ingest.metrics.count_refused(reason)
    return _answer(refused) if refused else ALL_ACCEPTED


def _answer(refused: list[Refusal]) -> Response:
    # In ASCII: a refused id may be a text that has no UTF-8.
    content = json.dumps({"refused": [refusal._asdict() for refusal in refused]})
    return Response(content, media_type=JSON_TYPE)


ALL_ACCEPTED = _answer([])


def _format_of(request: Request) -> UploadFormat:
    media = next((value for name, value in request.scope["headers"] if name == b"content-type"), b"")
    found = FORMATS.get(media) or FORMATS.get(media.partition(b";")[0].strip().lower())
    if found is None:
        raise ProblemDetails(ProblemKind.MEDIA, f"reports come as {JSON_TYPE} or {ARROW_TYPE}")
    return found
