"""Links to share: the address that they begin with, and their QR codes."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from typing import Annotated, Any, Literal

import segno
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from pckv.collector.app import CurrentCollector
from pckv.collector.http.address import public_address
from pckv.collector.http.bodies import json_body
from pckv.collector.http.policy import Access, Policy
from pckv.web.task_form import read_form

MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
# Pixels per module of a PNG, which then prints well on a page.
PNG_SCALE = 20
PICTURES: dict[int | str, dict[str, Any]] = {
    200: {"content": {media: {"schema": {"type": "string"}} for media in MEDIA_TYPES.values()}}
}
Form = Literal["svg", "png"]
ORIGIN = r"^https?://[A-Za-z0-9.\-:\[\]]+$"

router = APIRouter(tags=["dashboard"])


@router.get(
    "/tasks/{task_id}/qr.{form}",
    summary="The QR code of a task's link",
    response_class=Response,
    responses=PICTURES,
)
@Policy(Access.ANALYSTS)
async def qr_code(
    task_id: str, form: Form, collector: CurrentCollector, origin: Annotated[str, Query(max_length=256, pattern=ORIGIN)]
) -> Response:
    """Return the link to take part as a QR code, a picture.

    `origin` begins the link, such as `https://survey.example.org`: behind a proxy only the page knows it.
    """
    await collector.contracts.find(task_id)
    return await collector.analysis_threads.run_short(partial(_picture, f"{origin}/join/{task_id}", form))


@router.get(
    "/series/{series_id}/qr.{form}",
    summary="The QR code of a series' link",
    response_class=Response,
    responses=PICTURES,
)
@Policy(Access.ANALYSTS)
async def series_qr_code(
    series_id: str,
    form: Form,
    collector: CurrentCollector,
    origin: Annotated[str, Query(max_length=256, pattern=ORIGIN)],
) -> Response:
    """Return the link to take part in all rounds as a QR code, a picture; `origin` begins it."""
    await collector.contracts.find_series(series_id)
    return await collector.analysis_threads.run_short(partial(_picture, f"{origin}/join/{series_id}", form))


def _picture(link: str, form: Form) -> Response:
    code = segno.make(link, error="m", micro=False, boost_error=False)
    picture = BytesIO()
    # Dark on light whatever the colours of the page, and with a size that a page or a document can set.
    of_form = {"xmldecl": False, "omitsize": True} if form == "svg" else {"scale": PNG_SCALE}
    code.save(picture, kind=form, dark="#000", light="#fff", **of_form)
    return Response(picture.getvalue(), media_type=MEDIA_TYPES[form])


MAX_LINKS, MAX_LINK_LETTERS = 100, 512
# Dark modules need this many light ones around them.
QUIET_MODULES = 4


class LinksForm(BaseModel):
    """The links of a sheet to print."""

    model_config = ConfigDict(extra="forbid", strict=True)

    links: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MAX_LINK_LETTERS)]],
        Field(min_length=1, max_length=MAX_LINKS),
    ]


@router.get("/address", summary="The address that links begin with")
@Policy(Access.ANALYSTS)
async def address(request: Request, collector: CurrentCollector) -> dict[str, str | None]:
    """Return the origin that links and QR codes begin with: of the setting `public_url`, or as the request shows it.

    `url` is null if participants could not use it, for the `reason` that it is `plain`, without https, or
    `loopback`, known to the collector's own machine alone.
    """
    return public_address(collector.settings.public_url, request)._asdict()


@router.post("/tasks/{task_id}/qr", summary="QR codes of links", openapi_extra=json_body(LinksForm.model_json_schema()))
@Policy(Access.ANALYSTS, max_bytes=None)
async def qr_codes(task_id: str, request: Request, collector: CurrentCollector) -> dict[str, list[dict[str, Any]]]:
    """Return up to 100 links as QR codes, such as those of invitations, in their order; nothing is stored.

    A code is a square of `size` units with its margin, and the `path` (SVG, to fill) is what is dark of it.
    """
    await collector.contracts.find(task_id)
    form = read_form(await request.body(), LinksForm)
    return {"codes": await collector.analysis_threads.run_short(partial(_codes, form.links))}


def _codes(links: list[str]) -> list[dict[str, Any]]:
    return [_code(link) for link in links]


def _code(link: str) -> dict[str, Any]:
    made = segno.make(link, error="m", micro=False, boost_error=False)
    rows = [bytes(row) for row in made.matrix_iter(border=QUIET_MODULES)]
    return {
        "size": len(rows),
        "path": "".join(f"M{x} {y}h{n}v1h-{n}z" for y, row in enumerate(rows) for x, n in _runs(row)),
    }


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Return where runs of dark modules begin in a row, and their lengths."""
    return [(found.start(), len(found[0])) for found in re.finditer(b"\x01+", row)]
