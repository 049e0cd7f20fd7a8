"""The files of the pages and of the JavaScript client, read once and served from memory."""

from __future__ import annotations

import asyncio
import hashlib
import html
import posixpath
import re
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.base.limits import DISCOVERY
from pckv.collector.app import CurrentCollector
from pckv.collector.http.downloads import SharedFile
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
# Browsers ask every time whether there is a newer one.
CACHING = "no-cache"
FOLDERS = ("static", "client")
# The participant's page includes a task of at most this many bytes, and fetches a larger one.
MAX_TASK_BYTES = 16 * 2**10
PAGES_KEPT = 64

router = APIRouter(include_in_schema=False)


def load_files() -> dict[str, SharedFile]:
    """Return every file that is served, by its path."""
    loaded: dict[str, SharedFile] = {}
    for folder in FOLDERS:
        _load(files("pckv.web") / folder, folder, loaded)
    return loaded


def _load(folder: Traversable, prefix: str, loaded: dict[str, SharedFile]) -> None:
    for entry in folder.iterdir():
        path = f"{prefix}/{entry.name}"
        extension = entry.name.rpartition(".")[2]
        if entry.is_dir():
            _load(entry, path, loaded)
        elif extension in MEDIA_TYPES:
            loaded[path] = _static_file(entry.read_bytes(), extension)


def _static_file(content: bytes, extension: str) -> SharedFile:
    """Return a file with its media type, and an ETag that changes with its content."""
    etag = hashlib.sha256(content).hexdigest()[:32]
    return SharedFile.of(content, MEDIA_TYPES[extension], etag)


def _serve(request: Request, path: str) -> Response:
    loaded: dict[str, SharedFile] = request.app.state.static_files
    if path not in loaded:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    return loaded[path].response(request, CACHING)


@router.get("/")
@Policy(Access.PUBLIC)
async def dashboard(request: Request) -> Response:
    """Serve the operator's page."""
    return _serve(request, "static/index.html")


@router.get("/results/{task_id}")
@Policy(Access.PUBLIC)
async def public_results(request: Request, task_id: str) -> Response:
    """Serve the page of public results: the same file for all tasks, whose script asks for the results."""
    del task_id
    return _serve(request, "static/results.html")


@router.get("/favicon.ico")
@Policy(Access.PUBLIC)
async def favicon(request: Request) -> Response:
    """Serve the icon."""
    return _serve(request, "static/favicon.svg")


@router.get("/join/{task_id}")
@Policy(Access.PUBLIC)
async def join(request: Request, task_id: str, collector: CurrentCollector) -> Response:
    """Serve the participant's page with the task in it; a large task is fetched by the page's script instead.

    A header names the files of the client that only some tasks need, so that browsers load them at once.
    """
    loaded: dict[str, SharedFile] = request.app.state.static_files
    page = loaded["static/join.html"]
    try:
        task = (await collector.contracts.find(task_id)).task
    except ProblemDetails:
        # The script says what is wrong with the task.
        return page.response(request, CACHING)
    paths = [f"client/mechanisms/{task.mechanism}.js"]
    if task.size_question:
        paths.append("client/size-question.js")
    if task.kind == DISCOVERY:
        paths.append("client/discovery.js")
    if task.is_hashed or task.other is not None:
        paths.append("client/unlisted.js")
    # Without what every page loads.
    known = _modules(loaded, ["client/index.js"])
    further = [path for path in _modules(loaded, paths) if path not in known]
    links = ", ".join(f"</{path}>; rel=modulepreload" for path in further)
    text = (await collector.contracts.text(task)).content
    if len(text) <= MAX_TASK_BYTES:
        page = _page_with_task(page.content, text)
    return page.response(request, CACHING, Link=links)


@lru_cache(PAGES_KEPT)
def _page_with_task(page: bytes, text: bytes) -> SharedFile:
    """Return the participant's page with a task's JSON in its head, which saves a request before its use."""
    head, end, rest = page.partition(b"</head>")
    meta = f'  <meta name="task" content="{html.escape(text.decode())}" />\n  '
    return _static_file(head + meta.encode() + end + rest, "html")


def _modules(loaded: dict[str, SharedFile], paths: list[str]) -> list[str]:
    """Return modules and all that they import, each once."""
    found: list[str] = []
    waiting = list(paths)
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
            waiting += _imported(path, loaded[path].content)
    return found


@cache
def _imported(path: str, content: bytes) -> list[str]:
    """Return the paths of the modules that a module imports when it is loaded."""
    folder = posixpath.dirname(path)
    names = re.findall(r'from "(\.[^"]+)"', content.decode())
    return [posixpath.normpath(f"{folder}/{name}") for name in names]


@router.get("/static/{path:path}")
@Policy(Access.PUBLIC)
async def static(request: Request, path: str) -> Response:
    """Serve a script or style of the pages."""
    return _serve(request, f"static/{path}")


@router.get("/client/{path:path}")
@Policy(Access.PUBLIC, any_origin=True)
async def client(request: Request, path: str) -> Response:
    """Serve a file of the JavaScript client, which pages of other sites may load too."""
    return _serve(request, f"client/{path}")


@router.get("/vega.js")
@Policy(Access.PUBLIC)
async def chart_script(request: Request) -> Response:
    """Serve the script that draws charts."""
    state = request.app.state
    # Any client may ask for it, any number of times: its tag is computed once.
    if not hasattr(state, "chart_file"):
        state.chart_file = _static_file(await asyncio.to_thread(state.chart_script.get), "js")
    chart_file: SharedFile = state.chart_file
    return chart_file.response(request, CACHING)
