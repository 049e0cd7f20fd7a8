"""Cross-origin access: pages of any origin may load the client, fetch a task or series, ask for admission and send a report."""

from __future__ import annotations

import re

from starlette.types import Scope

CLIENT_REQUEST = re.compile(
    r"GET /client/.+|(?:GET|OPTIONS) /(?:tasks|series)/[^/]+|(?:POST|OPTIONS) /tasks/[^/]+/(?:admission|reports)"
)
ANY_ORIGIN = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"Retry-After"),
)
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "86400",
}


def is_client_request(scope: Scope) -> bool:
    """Return whether pages of any origin may read the answer, also a refusal: they would retry for ever without."""
    return CLIENT_REQUEST.fullmatch(f"{scope['method']} {scope['path']}") is not None
