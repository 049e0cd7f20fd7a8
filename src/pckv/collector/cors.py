"""Cross-origin access: pages of any origin may load the client, fetch a task, ask for admission and send a report."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLIENT_REQUEST = re.compile(
    r"GET /client/.+|(?:GET|OPTIONS) /tasks/[^/]+|(?:POST|OPTIONS) /tasks/[^/]+/(?:admission|reports)"
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


class CrossOriginHeaders:
    """Middleware around everything: a page must be able to read refusals too, or it would retry for ever."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the answers that clients need."""

        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *ANY_ORIGIN]}
            await send(message)

        client = scope["type"] == "http" and CLIENT_REQUEST.fullmatch(f"{scope['method']} {scope['path']}")
        await self._app(scope, receive, mark if client else send)
