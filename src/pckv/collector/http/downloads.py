"""Downloads: the form that a client accepts, the name of the file, and whether the client has it already."""

from __future__ import annotations

import gzip
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from operator import methodcaller
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import Query, Request
from fastapi.responses import Response

from pckv import __version__
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.base.words import Language
from pckv.collector.http.bodies import JSON_TYPE, SharedResponse, accepts_gzip
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.contract.task import Task

CSV_TYPE, TEXT_TYPE, PARQUET_TYPE = "text/csv", "text/plain", "application/vnd.apache.parquet"
# What `unchanged` leads to, in an OpenAPI document.
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Nothing has changed since."}}
SUFFIXES = {JSON_TYPE: "json", CSV_TYPE: "csv", TEXT_TYPE: "txt", PARQUET_TYPE: "parquet", XLSX_TYPE: "xlsx"}
MAX_SLUG_LETTERS = 60
# What the people who read a workbook speak.
QueryLanguage = Annotated[Language, Query()]
# For names without letters or digits.
NAMELESS = "task"


def file_stem(task: Task, day: str, what: str) -> str:
    """Return the name of a download without its extension: the task's name, the day, and what it holds.

    >>> task = Task(name="Films of the year!", keys=2, values=(1, 5), epsilon=1)
    >>> file_stem(task, "2030-01-15", "corrected+consistent")
    'films-of-the-year-2030-01-15-corrected-consistent'
    """
    return f"{_slug(task.name)}-{day}-{_slug(what)}"


def attachment(name: str) -> str:
    """Return the header Content-Disposition for a download with this name (RFC 6266).

    >>> attachment("films.csv"), attachment("ø.csv")
    ('attachment; filename="films.csv"', 'attachment; filename="task.csv"; filename*=UTF-8\\'\\'%C3%B8.csv')
    """
    if name.isascii():
        return f'attachment; filename="{name}"'
    stem, dot, suffix = name.rpartition(".")
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().strip("-") or NAMELESS
    return f"attachment; filename=\"{plain}{dot}{suffix}\"; filename*=UTF-8''{quote(name)}"


def _slug(text: str) -> str:
    """Return the letters and digits of a text, in lower case, with a hyphen for all that is between them."""
    return re.sub(r"[\W_]+", "-", text.lower())[:MAX_SLUG_LETTERS].strip("-") or NAMELESS


def accepted_format(request: Request, formats: Sequence[str], what: str) -> str:
    """Return the format that the Accept header prefers."""
    parts = [part.split(";") for part in request.headers.get("accept", "*/*").lower().split(",")]
    accepted = [(_quality(options), pattern.strip()) for pattern, *options in parts]
    for quality, pattern in sorted(accepted, key=lambda item: -item[0]):
        for media in formats:
            if quality > 0 and pattern in (media, "*/*", media.partition("/")[0] + "/*"):
                return media
    raise ProblemDetails(ProblemKind.NOT_ACCEPTABLE, f"{what} come as {', '.join(formats)}")


def _quality(options: list[str]) -> float:
    for name, _, value in (option.partition("=") for option in options):
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def download_responses(description: str, formats: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of a result in several formats."""
    content: dict[str, Any] = {media: {"schema": {}} for media in formats}
    problems = problem_responses(ProblemKind.NOT_ACCEPTABLE)
    return {200: {"description": description, "content": content}, **problems}


def for_reader(task: Task, language: Language, day: str) -> dict[str, Callable[[Any], bytes]]:
    """Return how workbooks are written, by their media type: with what was asked, in the language of the reader."""
    return {XLSX_TYPE: methodcaller("to_xlsx", task, language, day)}


def encoded(content: str | bytes) -> bytes:
    """Return a file as bytes; of a large text that takes too long for the event loop."""
    return content.encode() if isinstance(content, str) else content


def download_headers(name: str, media: str, *version: object) -> dict[str, str]:
    """Return the headers of a result as a file; its tag changes with version, form and this release.

    Another release may compute or write the same result differently. A workbook tells its day, which its name has.
    """
    dated = [name] if media == XLSX_TYPE else []
    text = " ".join(map(str, (__version__, media, *version, *dated)))
    return {
        "ETag": f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Accept",
        "Content-Disposition": attachment(f"{name}.{SUFFIXES[media]}"),
    }


class SharedFile(NamedTuple):
    """A file that is in memory once for all clients, also compressed unless that is not worth it, and its tag."""

    content: bytes
    gzipped: bytes | None
    media_type: str
    tag: str

    @classmethod
    def of(cls, content: bytes, media_type: str, tag: str, min_gzip_bytes: int = 0) -> SharedFile:
        """Return a file as it is sent; a smaller one than `min_gzip_bytes` is not compressed."""
        # Without a time, so that the same content always gives the same bytes.
        gzipped = gzip.compress(content, mtime=0) if len(content) >= min_gzip_bytes else None
        return cls(content, gzipped, media_type, tag)

    def response(self, request: Request, cache_control: str, **further: str) -> Response:
        """Return the file, compressed where the client takes that; nothing if the client has it."""
        tags = {False: f'"{self.tag}"', True: f'"{self.tag}-gzip"'}
        compressed = self.gzipped is not None and accepts_gzip(request.headers.get("accept-encoding", ""))
        headers = {
            "ETag": tags[compressed],
            "Cache-Control": cache_control,
            "Vary": "Accept-Encoding",
            **further,
        }
        if any(unchanged(request, tag) for tag in tags.values()):
            return Response(status_code=304, headers=headers)
        if compressed:
            headers["Content-Encoding"] = "gzip"
        content = self.gzipped if compressed else self.content
        return SharedResponse(content, headers=headers, media_type=self.media_type)


def unchanged(request: Request, tag: str) -> bool:
    """Return whether the client already has what the entity tag names."""
    tags = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    return tag in tags or "*" in tags
