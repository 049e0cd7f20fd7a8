"""HTTP on a connection: uvicorn's protocol on httptools, with problem details for what is not HTTP."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pckv.collector.problem_details import ProblemDetails, ProblemKind

# The largest head of a request.
MAX_HEAD_BYTES = 16 * 2**10


class CollectorProtocol(HttpToolsProtocol):
    """One connection of a collector."""

    def on_headers_complete(self) -> None:
        """Start to answer a request whose head is not too large."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES:
            raise ValueError
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse bytes that are not HTTP with problem details like all others, and hang up."""
        answer = ProblemDetails(ProblemKind.MALFORMED).response({"Connection": "close"})
        head = b"".join(b"%s: %s\r\n" % header for header in answer.raw_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + bytes(answer.body))
        self.transport.close()
