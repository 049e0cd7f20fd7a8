"""What a route declares: who may use it, how large its body may be, from which origins; what it needs.

A route that declares nothing is the administrator's alone: see `gateway`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import Response

# The body of most routes is small, or ignored.
DEFAULT_MAX_BYTES = 2**10
ANY_ORIGIN = ((b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", b"Retry-After"))
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "86400",
}

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Access(Enum):
    """Who may use a route."""

    PUBLIC = "public"
    ANALYSTS = "analysts"
    ADMINISTRATOR = "administrator"
    # Of the batch of one task, at a mixer.
    RECIPIENT = "recipient"


@dataclass(frozen=True)
class Policy:
    """What a route allows: a decorator of its endpoint.

    Args:
        access: Who may use it.
        max_bytes: The largest body; None for that of the settings.
        any_origin: Whether pages of any origin may read its answers, also refusals: without, they would
            retry for ever.
        direct: Whether requests go straight to the endpoint, which takes the path's parameters and a
            `request`, and reads the body itself. Where a request does little, the framework would dominate
            its cost.
    """

    access: Access = Access.ADMINISTRATOR
    max_bytes: int | None = DEFAULT_MAX_BYTES
    any_origin: bool = False
    direct: bool = False

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        """Declare, as a decorator, that the route of an endpoint allows this."""
        vars(endpoint)["policy"] = self
        return endpoint


@Policy(Access.PUBLIC, any_origin=True)
async def preflight() -> Response:
    """Answer what a browser asks before it sends to another origin."""
    return Response(status_code=204, headers=PREFLIGHT)


def part(name: str) -> Any:
    """Return the dependency of a route on a part of the service that its requests come to."""

    def get(request: Request) -> Any:
        return getattr(request.app.state.service, name)

    return Depends(get)
