"""The files of the pages and of the JavaScript client, read once and served from memory."""

from __future__ import annotations

import asyncio
import hashlib
import html
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.base.days import Phase
from pckv.base.limits import DISCOVERY
from pckv.base.words import rounded_up
from pckv.collector.app import CurrentCollector
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.contracts.organisation import Organisations
from pckv.collector.http.downloads import SharedFile
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.mixer import Mixer
from pckv.contract.task import Task
from pckv.web.bundles import FOLDER, Bundles
from pckv.web.languages import FIRST_LANGUAGE, VARY, accepted_languages, nearest_language

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

# Browsers load nothing from other origins and run no inline script.
CONTENT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self' data:",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
}

# Comments of our scripts have lines of their own.
_COMMENT_LINE = re.compile(rb"^[ \t]*//.*$", re.MULTILINE)

router = APIRouter(include_in_schema=False)


def policy_text(changes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the header Content-Security-Policy of a page, with some directives changed."""
    return "; ".join(f"{name} {source}" for name, source in {**CONTENT_POLICY, **changes}.items())


def load_files() -> dict[str, SharedFile]:
    """Return every file that is served, by its path."""
    contents: dict[str, bytes] = {}
    for folder in FOLDERS:
        _load(files("pckv.web") / folder, folder, contents)
    scripts = {path: content.decode() for path, content in contents.items() if path.endswith(".js")}
    contents |= {path: script.encode() for path, script in Bundles(scripts).files()}
    # Pages that load the same module later have the same file for it.
    made = {content: _static_file(content, path.rpartition(".")[2]) for path, content in contents.items()}
    return {path: made[content] for path, content in contents.items()}


def _load(folder: Traversable, prefix: str, contents: dict[str, bytes]) -> None:
    for entry in folder.iterdir():
        path = f"{prefix}/{entry.name}"
        extension = entry.name.rpartition(".")[2]
        if entry.is_dir():
            _load(entry, path, contents)
        elif extension in MEDIA_TYPES:
            content = entry.read_bytes()
            contents[path] = without_comments(content) if extension == "js" else content


def without_comments(script: bytes) -> bytes:
    r"""Return one of our scripts without its comments, a quarter of its bytes; its lines keep their numbers.

    >>> without_comments(b"// Why.\nlet url = 'https://example.org';\n  // More.\n")
    b"\nlet url = 'https://example.org';\n\n"
    """
    return _COMMENT_LINE.sub(b"", script)


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


@router.get("/join/{survey_id}")
@Policy(Access.PUBLIC)
async def join(request: Request, survey_id: str, collector: CurrentCollector) -> Response:
    """Serve the participant's page of a task or a series, with the task in it.

    A large task, and a series, is fetched by the page's script instead. A header names the scripts
    that only some tasks and readers need, so that browsers load them at once.
    """
    loaded: dict[str, SharedFile] = request.app.state.static_files
    page = loaded["static/join.html"]
    told = await _organisation(collector.organisations)
    try:
        task, known = await _find(collector.contracts, survey_id)
    except ProblemDetails:
        # The script says what is wrong with the task.
        return _page_with(page.content, tuple(told)).response(request, CACHING)
    told += known.items()
    is_series = "series" in known
    preferred = accepted_languages(request.headers.get("accept-language", ""))
    language = nearest_language(*preferred, task.about.language)
    links = (f"</{path}>; rel=modulepreload" for path in _further_bundles(task, is_series, language))
    headers = {"Link": ", ".join(links), "Vary": f"Accept-Encoding, {VARY}"}
    text = b"" if is_series else (await collector.contracts.text(task)).content
    if 0 < len(text) <= MAX_TASK_BYTES:
        told.append(("task", text.decode()))
    if task.mixer is not None:
        # All that the page asks for and sends, it asks of and sends to the mixer, a large task included.
        told.append(("mixer", task.mixer.url))
        told.append(("epsilon-of-few", await asyncio.to_thread(_epsilon_of_few, task, task.mixer)))
        headers["Content-Security-Policy"] = policy_text({"connect-src": task.mixer.url, "form-action": "'none'"})
    return _page_with(page.content, tuple(told)).response(request, CACHING, **headers)


async def _organisation(organisations: Organisations) -> list[tuple[str, str]]:
    """Return who asks, as far as that is known: the page of a mixed task may not ask the collector for it."""
    try:
        name, has_logo = await organisations.find()
    except ProblemDetails:
        # A store that is busy delays no survey.
        return []
    told = [] if name is None else [("organisation", name)]
    return [*told, ("organisation-logo", "/organisation/logo")] if has_logo else told


async def _find(contracts: Contracts, survey_id: str) -> tuple[Task, dict[str, str]]:
    """Return a task, and what its page is told: if it is a series, closed, or for anyone, and where its results are.

    Raises:
        ProblemDetails: if there is neither a task nor a series.
    """
    try:
        stored = await contracts.find_for_participants(survey_id)
    except ProblemDetails as problem:
        if problem.kind is not ProblemKind.UNKNOWN:
            raise
        repeated = await contracts.find_series(survey_id)
        is_over = repeated.phase(contracts.today()) is Phase.CLOSED
        return repeated.series.task, {"series": survey_id} | ({"closed": "yes"} if is_over else {})
    known = {"results": f"/results/{survey_id}"} if stored.public_results and stored.binned is None else {}
    if stored.binned is not None or stored.phase(contracts.today()) is Phase.CLOSED:
        known["closed"] = "yes"
    # Invitations to a mixed task are its mixer's, which this collector does not know.
    elif not stored.by_invitation and stored.task.mixer is None:
        known["anyone"] = "yes"
    return stored.task, known


def _further_bundles(task: Task, is_series: bool, language: str) -> list[str]:
    """Return the bundles that the page of a task in a language loads beyond the first."""
    needed = [f"client/mechanisms/{task.mechanism}.js"]
    if language != FIRST_LANGUAGE:
        needed.append(f"static/join/strings-{language}.js")
    if is_series:
        needed.append("static/join/repeated.js")
    if task.size_question:
        needed.append("client/size-question.js")
    if task.kind == DISCOVERY:
        needed.append("client/discovery.js")
    if task.is_hashed or task.other is not None:
        needed.append("client/unlisted.js")
    if task.mixer is not None:
        needed.append("client/mixed.js")
    if task.derivation is not None:
        needed.append("client/derived.js")
    if task.segment is not None:
        needed.append("static/join/segment-field.js")
    if task.about.translations:
        needed.append("client/translations.js")
    return [f"{FOLDER}/join/{path}" for path in needed]


@lru_cache(PAGES_KEPT)
def _epsilon_of_few(task: Task, mixer: Mixer) -> str:
    """Return the central ε of a mixed task if few of its reports are honest, which no browser computes."""
    return rounded_up(min(mixer.central_epsilon(task.reporting, mixer.few_honest), task.realised_epsilon))


@lru_cache(PAGES_KEPT)
def _page_with(page: bytes, told: tuple[tuple[str, str], ...]) -> SharedFile:
    """Return the participant's page with named texts in its head: a task's JSON saves a request before its use."""
    head, end, rest = page.partition(b"</head>")
    metas = "".join(f'  <meta name="{name}" content="{html.escape(text)}" />\n  ' for name, text in told)
    return _static_file(head + metas.encode() + end + rest, "html")


@router.get("/static/{path:path}")
@Policy(Access.PUBLIC)
async def static(request: Request, path: str) -> Response:
    """Serve a script or style of the pages."""
    return _serve(request, f"static/{path}")


@router.get("/scripts/{path:path}")
@Policy(Access.PUBLIC)
async def bundle(request: Request, path: str) -> Response:
    """Serve a bundle of the modules of a page."""
    return _serve(request, f"{FOLDER}/{path}")


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
