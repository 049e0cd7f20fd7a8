"""Problems of requests, as RFC 9457 problem details of a closed set, and reasons to refuse a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from pckv.base.errors import PckvError, StoreError
from pckv.collector.http.logs import log
from pckv.store.base import ReportOutcome

MEDIA_TYPE = "application/problem+json"
URN = "urn:pckv:problem:"
RETRY_SECONDS = 1


class _ProblemType(NamedTuple):
    name: str
    status: int
    title: str


class ProblemKind(Enum):
    """The closed set of problem types."""

    MALFORMED = _ProblemType("malformed", 400, "There is a mistake in what was sent.")
    BAD_TOKEN = _ProblemType("bad-token", 401, "A valid token is needed.")
    NOT_OPEN = _ProblemType("not-open", 403, "The task does not take reports yet.")
    CLOSED = _ProblemType("closed", 403, "The task takes no more reports.")
    INVITATION_UNKNOWN = _ProblemType("invitation-unknown", 403, "The task has no such invitation.")
    INVITATION_SPENT = _ProblemType("invitation-spent", 403, "The invitation was used before.")
    MIXED = _ProblemType("mixed", 403, "The reports of this task go to its mixer.")
    FORBIDDEN = _ProblemType("forbidden", 403, "This token does not allow it.")
    UNKNOWN = _ProblemType("unknown", 404, "There is no such task or page here.")
    WRONG_METHOD = _ProblemType("wrong-method", 405, "There is no such method here.")
    NOT_ACCEPTABLE = _ProblemType("not-acceptable", 406, "None of the accepted forms can be given.")
    SLOW = _ProblemType("slow", 408, "The request took too long to arrive.")
    NOT_MIXABLE = _ProblemType("not-mixable", 409, "The mixer or the private key of this task is not ready.")
    DRAFTS_FULL = _ProblemType("drafts-full", 409, "No more drafts can be kept.")
    NAME_TAKEN = _ProblemType("name-taken", 409, "This name is taken.")
    NOT_REOPENABLE = _ProblemType("not-reopenable", 409, "The survey cannot be opened again.")
    OUTDATED = _ProblemType("outdated", 409, "These results are no longer kept.")
    DELETED = _ProblemType("deleted", 410, "The task was deleted.")
    TOO_LARGE = _ProblemType("too-large", 413, "The request is too large.")
    MEDIA = _ProblemType("unsupported-media", 415, "The media type or content encoding is not taken.")
    TOO_OFTEN = _ProblemType("too-often", 429, "Too many requests.")
    OVERLOADED = _ProblemType("overloaded", 503, "This service cannot take this now.")


class ProblemDetails(Exception):
    """The refusal of a whole request; nothing of the request was written.

    `field` is the parameter or member that is wrong, where it is one.
    """

    def __init__(
        self,
        kind: ProblemKind,
        detail: str = "",
        headers: Mapping[str, str] | None = None,
        *,
        field: str = "",
    ) -> None:
        super().__init__(detail or kind.value.title)
        self.kind, self.detail, self.headers, self.field = kind, detail, headers or {}, field

    def response(self, headers: Mapping[str, str] | None = None) -> JSONResponse:
        """Return the problem as it is sent."""
        name, status, title = self.kind.value
        content = {"type": URN + name, "title": title, "status": status}
        content |= {"detail": self.detail} if self.detail else {}
        content |= {"field": self.field} if self.field else {}
        retry = {"Retry-After": str(RETRY_SECONDS)} if status in RETRY_STATUSES else {}
        challenge = {"WWW-Authenticate": "Bearer"} if self.kind is ProblemKind.BAD_TOKEN else {}
        return JSONResponse(content, status, {**retry, **challenge, **self.headers, **(headers or {})}, MEDIA_TYPE)


RETRY_STATUSES = {ProblemKind.TOO_OFTEN.value.status, ProblemKind.OVERLOADED.value.status}
BY_STATUS = {404: ProblemKind.UNKNOWN, 405: ProblemKind.WRONG_METHOD}


# What people meet who follow a link, through no fault of a page.
SHOWN_AS_PAGES = {ProblemKind.UNKNOWN, ProblemKind.TOO_OFTEN, ProblemKind.OVERLOADED}


def shows_pages(request: Request) -> bool:
    """Return whether a request is that of a browser for a page: what scripts and programs ask for names no HTML."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def problem_answer(request: Request, problem: ProblemDetails, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a request that met a problem: for a browser a page, if the application has pages."""
    page: Callable[[Request, int], Response] | None = getattr(request.app.state, "problem_page", None)
    answer = problem.response(headers)
    if page is None or problem.kind not in SHOWN_AS_PAGES or not shows_pages(request):
        return answer
    shown = page(request, answer.status_code)
    for name in ("Connection", "Retry-After"):
        if name in answer.headers:
            shown.headers[name] = answer.headers[name]
    return shown


async def handle_problem(request: Request, problem: Exception) -> Response:
    """Answer a request that raised problem details."""
    assert isinstance(problem, ProblemDetails)  # noqa: S101
    return problem_answer(request, problem)


async def handle_store_error(request: Request, error: Exception) -> Response:
    """Answer a request that the store failed: it may succeed later."""
    log("store_failed", reason=str(error))
    return problem_answer(request, ProblemDetails(ProblemKind.OVERLOADED, "the store does not answer"))


@contextmanager
def malformed_input(field: str = "") -> Iterator[None]:
    """Turn an error about what a request asks for into the problem that it is malformed; the store's stay."""
    try:
        yield
    except StoreError:
        raise
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error), field=field) from None


def problem_responses(*kinds: ProblemKind) -> dict[int | str, dict[str, object]]:
    """Return the OpenAPI description of these problems, by status."""
    responses: dict[int | str, dict[str, object]] = {}
    for kind in kinds:
        _, status, title = kind.value
        known = responses.get(status, {}).get("description")
        responses[status] = {
            "description": f"{known} {title}" if known else title,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return responses


# Why a report can be refused before the store has seen it.
BAD_ID, DUPLICATE, WRONG_COIN = "bad_id", "duplicate_in_request", "wrong_coin"
DECODING_REASONS = (BAD_ID, "bad_encoding", "wrong_length", "out_of_range", DUPLICATE, WRONG_COIN)
ACCEPTED = frozenset({ReportOutcome.STORED, ReportOutcome.KNOWN})
# The whole request is refused.
TASK_ENDED = {
    ReportOutcome.TASK_CLOSED: ProblemKind.CLOSED,
    ReportOutcome.TASK_GONE: ProblemKind.DELETED,
    ReportOutcome.TASK_FULL: ProblemKind.CLOSED,
}
# Why a report can be refused, before the store has seen it and by the store.
REFUSAL_REASONS = tuple(
    dict.fromkeys(
        [
            *DECODING_REASONS,
            *(outcome.value for outcome in ReportOutcome if outcome not in ACCEPTED | TASK_ENDED.keys()),
        ]
    )
)
