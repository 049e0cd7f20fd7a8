"""The files of the pages and of the JavaScript client, read once and served from memory."""

from __future__ import annotations

import asyncio
import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.state import unchanged

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
FOLDERS = ("static", "client")

router = APIRouter(include_in_schema=False)


class File(NamedTuple):
    """A file as it is sent."""

    content: bytes
    media: str
    tag: str


def load_files() -> dict[str, File]:
    """Every file that is served, by its path."""
    found: dict[str, File] = {}
    for folder in FOLDERS:
        _load(files("pckv.web") / folder, folder, found)
    return found


def _load(folder: Traversable, prefix: str, found: dict[str, File]) -> None:
    for each in folder.iterdir():
        path = f"{prefix}/{each.name}"
        kind = each.name.rpartition(".")[2]
        if each.is_dir():
            _load(each, path, found)
        elif kind in TYPES:
            found[path] = as_file(each.read_bytes(), kind)


def as_file(content: bytes, kind: str) -> File:
    """A file with its type, and a tag that tells whether it has changed."""
    return File(content, TYPES[kind], f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def answer(request: Request, file: File) -> Response:
    """The file, unless the browser has this very one."""
    headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
    if unchanged(request, file.tag):
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media)


def _found(request: Request, path: str) -> Response:
    known: dict[str, File] = request.app.state.files
    if path not in known:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    return answer(request, known[path])


@router.get("/")
async def dashboard(request: Request) -> Response:
    """The operator's page."""
    return _found(request, "static/index.html")


@router.get("/join/{task_id}")
async def join(request: Request, task_id: str) -> Response:
    """The participant's page, the same for all tasks: it fetches its task by itself."""
    del task_id
    return _found(request, "static/join.html")


@router.get("/favicon.ico")
async def favicon(request: Request) -> Response:
    """The icon."""
    return _found(request, "static/favicon.svg")


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    """Scripts and styles of the pages."""
    return _found(request, f"static/{name}")


@router.get("/client/{path:path}")
async def client(request: Request, path: str) -> Response:
    """The JavaScript client, which other pages may load too."""
    return _found(request, f"client/{path}")


@router.get("/vega.js")
async def vega(request: Request) -> Response:
    """The script that draws charts."""
    script = await asyncio.to_thread(request.app.state.vega.script)
    return answer(request, as_file(script, "js"))
