"""The routes of the organisation that runs a collector: its name and logo, as pages show them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pckv.base.canonical import check_name
from pckv.collector.computations import Computations
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.downloads import SharedFile
from pckv.collector.http.policy import Access, Policy, part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input, problem_responses
from pckv.store.base import Logo, Organisation

MAX_LOGO_BYTES = 256 * 2**10
# As a data URL, with the name.
MAX_ORGANISATION_BYTES = 2 * MAX_LOGO_BYTES
# Strangers ask for it with every page: the store is asked this often.
CACHE_SECONDS = 2
DATA_URL, BASE64 = "data:", ";base64,"
PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"
# What a file begins with, at which place: whatever it is called.
SIGNATURES = {PNG: (0, b"\x89PNG\r\n\x1a\n"), JPEG: (0, b"\xff\xd8\xff"), WEBP: (8, b"WEBP")}
RIFF = b"RIFF"

router = APIRouter(tags=["organisation"])


class Organisations:
    """The name and logo of the organisation, asked of the store every other second at most."""

    def __init__(self, contracts: Contracts) -> None:
        self._contracts = contracts
        self._found: Computations[Organisation] = Computations(1, lambda _: 1)
        self._logos: Computations[SharedFile | None] = Computations(1, lambda _: 1)

    async def find(self) -> Organisation:
        """Return the name, and whether there is a logo."""
        store = self._contracts.store
        return await self._found.get("", _moment(), lambda: self._contracts.look_up(store.find_organisation))

    async def logo(self) -> SharedFile | None:
        """Return the logo, if there is one."""
        return await self._logos.get("", _moment(), lambda: self._contracts.look_up(self._read_logo))

    def _read_logo(self) -> SharedFile | None:
        logo = self._contracts.store.find_logo()
        if logo is None:
            return None
        # Pictures are compressed already.
        return SharedFile(logo.content, None, logo.media_type, hashlib.sha256(logo.content).hexdigest()[:32])

    async def change(self, name: str | None, *, logo: Logo | None, keep_logo: bool) -> Organisation:
        """Store the name, and the logo unless that stays; return what there is then."""
        store = self._contracts.store
        await asyncio.to_thread(store.set_organisation, name, logo=logo, keep_logo=keep_logo)
        self._found.forget("")
        self._logos.forget("")
        return await self.find()


CurrentOrganisations = Annotated[Organisations, part("organisations")]


class OrganisationForm(BaseModel):
    """The name of an organisation, and a logo as a data URL; a logo that is not named stays."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str | None
    logo: str | None = None


@router.get("/organisation", summary="Who runs this collector")
@Policy(Access.PUBLIC)
async def show_organisation(organisations: CurrentOrganisations) -> dict[str, Any]:
    """Return the name of the organisation, null where none was given, and whether there is a logo."""
    return _members(await organisations.find())


@router.put("/organisation", summary="Say who runs this collector", responses=problem_responses(ProblemKind.TOO_LARGE))
@Policy(max_bytes=MAX_ORGANISATION_BYTES)
async def change_organisation(organisations: CurrentOrganisations, form: OrganisationForm) -> dict[str, Any]:
    """Set the name of the organisation, or null, and its logo: a data URL of a PNG, JPEG or WebP picture, or null.

    A logo that is left out stays. Everybody who has a link sees both.
    """
    name = form.name.strip() if form.name is not None else None
    if name:
        with malformed_input("name"):
            check_name(name, "the name of the organisation")
    logo = None if form.logo is None else await asyncio.to_thread(read_logo, form.logo)
    keep_logo = "logo" not in form.model_fields_set
    return _members(await organisations.change(name or None, logo=logo, keep_logo=keep_logo))


@router.get(
    "/organisation/logo",
    summary="The logo of the organisation",
    response_class=Response,
    responses={
        200: {"description": "A picture.", "content": {media: {"schema": {}} for media in SIGNATURES}},
        304: {"description": "The client has the picture already."},
        **problem_responses(ProblemKind.UNKNOWN),
    },
)
@Policy(Access.PUBLIC)
async def show_logo(request: Request, organisations: CurrentOrganisations) -> Response:
    """Return the picture."""
    logo = await organisations.logo()
    if logo is None:
        raise ProblemDetails(ProblemKind.UNKNOWN, "there is no logo")
    return logo.response(request, "no-cache", **{"X-Content-Type-Options": "nosniff"})


def read_logo(url: str) -> Logo:
    """Return the picture of a data URL; its first bytes say what it is."""
    head, found, text = url.partition(BASE64)
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, binascii.Error):
        found = ""
    if not found or not head.startswith(DATA_URL):
        raise _wrong_logo("the logo is not a data URL with base64")
    if len(content) > MAX_LOGO_BYTES:
        detail = f"a logo has at most {MAX_LOGO_BYTES // 2**10} KiB"
        raise ProblemDetails(ProblemKind.TOO_LARGE, detail, field="logo")
    for media, (place, signature) in SIGNATURES.items():
        if content[place:].startswith(signature) and (media != WEBP or content.startswith(RIFF)):
            return Logo(media, content)
    raise _wrong_logo("the logo is not a picture in PNG, JPEG or WebP")


def _wrong_logo(detail: str) -> ProblemDetails:
    return ProblemDetails(ProblemKind.MALFORMED, detail, field="logo")


def _members(organisation: Organisation) -> dict[str, Any]:
    return {"name": organisation.name, "logo": organisation.has_logo}


def _moment() -> int:
    return int(asyncio.get_running_loop().time() / CACHE_SECONDS)
