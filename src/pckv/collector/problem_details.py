"""Everything that can be wrong with a whole request: RFC 9457 problems of a closed set of types."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"
URN = "urn:pckv:problem:"
RETRY_SECONDS = 1


class Kind(NamedTuple):
    """A type of problem."""

    name: str
    status: int
    title: str


class ProblemKind(Enum):
    """The closed set."""

    MALFORMED = Kind("malformed", 400, "The request cannot be read.")
    BAD_TOKEN = Kind("bad-token", 401, "A valid token is needed.")
    NOT_OPEN = Kind("not-open", 403, "The task does not take reports yet.")
    CLOSED = Kind("closed", 403, "The task takes no more reports.")
    FORBIDDEN = Kind("forbidden", 403, "This token does not allow it.")
    UNKNOWN = Kind("unknown", 404, "There is no such thing here.")
    WRONG_METHOD = Kind("wrong-method", 405, "There is no such method here.")
    NOT_ACCEPTABLE = Kind("not-acceptable", 406, "None of the accepted forms can be given.")
    SLOW = Kind("slow", 408, "The request took too long to arrive.")
    DELETED = Kind("deleted", 410, "The task was deleted.")
    TOO_LARGE = Kind("too-large", 413, "The request is too large.")
    MEDIA = Kind("unsupported-media", 415, "The media type or content encoding is not taken.")
    TOO_OFTEN = Kind("too-often", 429, "Too many requests.")
    OVERLOADED = Kind("overloaded", 503, "The collector cannot take this now.")


class Problem(Exception):
    """A whole request that is refused; nothing of it was written."""

    def __init__(self, kind: ProblemKind, detail: str = "") -> None:
        super().__init__(detail or kind.value.title)
        self.kind, self.detail = kind, detail

    def response(self, headers: Mapping[str, str] | None = None) -> JSONResponse:
        """The problem as it is sent."""
        name, status, title = self.kind.value
        content = {"type": URN + name, "title": title, "status": status}
        retry = {"Retry-After": str(RETRY_SECONDS)} if status in RETRIED else {}
        asked = {"WWW-Authenticate": "Bearer"} if self.kind is ProblemKind.BAD_TOKEN else {}
        return JSONResponse(
            content | ({"detail": self.detail} if self.detail else {}),
            status,
            {**retry, **asked, **(headers or {})},
            MEDIA_TYPE,
        )


RETRIED = {ProblemKind.TOO_OFTEN.value.status, ProblemKind.OVERLOADED.value.status}
BY_STATUS = {404: ProblemKind.UNKNOWN, 405: ProblemKind.WRONG_METHOD}


async def answer(_: Request, problem: Exception) -> JSONResponse:
    """The handler of problems."""
    assert isinstance(problem, Problem)  # noqa: S101
    return problem.response()


def documented(*kinds: ProblemKind) -> dict[int | str, dict[str, object]]:
    """What OpenAPI says of these problems."""
    described: dict[int | str, dict[str, object]] = {}
    for kind in kinds:
        _, status, title = kind.value
        known = described.get(status, {}).get("description")
        described[status] = {
            "description": f"{known} {title}" if known else title,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return described
