"""The QR code of the link that participants take part by."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated

import segno
from fastapi import APIRouter, Query
from fastapi.responses import Response

from pckv.collector.http.policy import Access, Policy
from pckv.collector.state import CurrentCollector

MEDIA_TYPE = "image/svg+xml"
ORIGIN = r"^https?://[A-Za-z0-9.\-:\[\]]+$"

router = APIRouter(tags=["dashboard"])


@router.get(
    "/tasks/{task_id}/qr.svg",
    summary="The QR code of a task's link",
    response_class=Response,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
@Policy(Access.ANALYSTS)
async def qr_code(
    task_id: str,
    collector: CurrentCollector,
    origin: Annotated[str, Query(max_length=256, pattern=ORIGIN)],
) -> Response:
    """Return the link to take part as a QR code, an SVG picture.

    `origin` begins the link, such as `https://survey.example.org`: behind a proxy only the page knows it.
    """
    await collector.contracts.find(task_id)
    code = segno.make(f"{origin}/join/{task_id}", error="m", micro=False, boost_error=False)
    picture = BytesIO()
    # Dark on light whatever the colours of the page, and with a size that a page or a document can set.
    code.save(picture, kind="svg", dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return Response(picture.getvalue(), media_type=MEDIA_TYPE)
