"""Requests to a collector as its administrator, with the standard library only."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import click

from pckv.base.errors import DataError, ParameterError, PckvError
from pckv.cli.common import FilePath
from pckv.client.transport import checked_url, one_line
from pckv.collector.http.settings import TOKEN_VARIABLE

# A collector computes estimates and trends for up to a minute, by default, before it answers.
TIMEOUT_SECONDS, ESTIMATE_TIMEOUT_SECONDS = 30, 90
# The largest answer that is read, and the largest problem; estimates grow with the keys, and have no limit.
MAX_ANSWER_BYTES, MAX_PROBLEM_BYTES = 2**26, 2**16
REDIRECT_STATUSES = range(300, 400)
# What a token may consist of: ASCII without spaces and control characters.
FIRST_PRINTABLE, LAST_PRINTABLE = ord("!"), ord("~")

url_option = click.option(
    "--url", required=True, help="The collector's address, such as https://collect.example."
)
token_option = click.option(
    "--token-file", type=FilePath, help=f"A file with the administrator's token. [default: {TOKEN_VARIABLE}]"
)
# What an analyst's token suffices for.
reading_token_option = click.option(
    "--token-file",
    type=FilePath,
    help=f"A file with the administrator's or an analyst's token. [default: {TOKEN_VARIABLE}]",
)


def read_token(token_file: Path | None) -> str:
    """Return the administrator's token from a file or the environment."""
    place = token_file or TOKEN_VARIABLE
    text = token_file.read_bytes() if token_file else os.fsencode(os.environ.get(TOKEN_VARIABLE, ""))
    token = text.strip()
    if not token:
        raise ParameterError(f"no token: set {TOKEN_VARIABLE} or name a --token-file")
    # Anything else could not be sent as a header, and the message of that error would show the token.
    if not all(FIRST_PRINTABLE <= byte <= LAST_PRINTABLE for byte in token):
        raise ParameterError(f"{place}: not a token: one line of ASCII characters without spaces")
    return token.decode("ascii")


def collected(task_id: str, part: str = "") -> str:
    """Return the path of a task on a collector, or of a part of it."""
    return f"/tasks/{quote(task_id, safe='')}{part}"


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Refuse in one line an answer that is JSON, but not what a collector says."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, PckvError):
            raise
        raise DataError(f"{url}: this is not the answer of a collector") from None


def ask(
    method: str, url: str, path: str, token: str, body: bytes | None = None, *, estimates: bool = False
) -> Any:
    """Return what a collector answers; a problem becomes an error with one line.

    Estimates take their time, and may be large.
    """
    seconds = ESTIMATE_TIMEOUT_SECONDS if estimates else TIMEOUT_SECONDS
    with _answer(method, url, path, token, body, seconds) as answer:
        content = answer.read(-1 if estimates else MAX_ANSWER_BYTES + 1)
    if not estimates:
        _check_size(url, content)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise DataError(f"{url}: this is not the answer of a collector") from None


def fetch(url: str, path: str, token: str) -> bytes:
    """Return the bytes that a collector answers."""
    with _answer("GET", url, path, token) as answer:
        content = answer.read(MAX_ANSWER_BYTES + 1)
    _check_size(url, content)
    return content


def _check_size(url: str, content: bytes) -> None:
    """Refuse an answer that is too large, of which only the beginning was read."""
    if len(content) > MAX_ANSWER_BYTES:
        raise DataError(f"{url}: an answer of more than {MAX_ANSWER_BYTES:,} bytes")


def download(url: str, path: str, token: str, out: Path) -> None:
    """Save what a collector answers to a file."""
    with _answer("GET", url, path, token) as answer, out.open("wb") as file:
        shutil.copyfileobj(answer, file)


class _RefusedRedirects(HTTPRedirectHandler):
    """Follows no redirect, which may lead to any host: the request carries the administrator's token."""

    def redirect_request(self, *_: object) -> None:
        """Leave a redirect as the answer, which is then an error like any other that is not a success."""


@contextmanager
def _answer(
    method: str,
    url: str,
    path: str,
    token: str,
    body: bytes | None = None,
    seconds: float = TIMEOUT_SECONDS,
) -> Iterator[IO[bytes]]:
    url = checked_url(url)
    _warn_once(url)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = Request(url + path, body, headers, method=method)  # noqa: S310
    try:
        with build_opener(_RefusedRedirects).open(request, timeout=seconds) as answer:
            yield answer
    except HTTPError as error:
        with error:
            raise DataError(f"{url}: {one_line(_problem(error))}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise DataError(f"{url}: {one_line(str(getattr(error, 'reason', error)))}") from None


def _warn_once(url: str) -> None:
    """Warn of plain http before the first request of a command, and not before each."""
    context = click.get_current_context(silent=True)
    told = {} if context is None else context.meta
    if told.get(__name__) != url:
        told[__name__] = url
        warn_if_readable_on_the_way(url, "the administrator's token")


def warn_if_readable_on_the_way(url: str, what: str) -> None:
    """Warn on stderr, in one line, that others on the network can read what plain http sends to a host."""
    if urlsplit(url).scheme == "http" and not _is_this_machine(urlsplit(url).hostname or ""):
        click.echo(f"pckv: warning: {url} is not https: others on the network can read {what}", err=True)


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _problem(error: HTTPError) -> str:
    location = error.headers.get("Location")
    if location and error.code in REDIRECT_STATUSES:
        return f"it redirects to {location}; give that address if you trust it with the token"
    try:
        problem = json.loads(error.read(MAX_PROBLEM_BYTES))
        return " ".join(filter(None, (problem["title"], problem.get("detail"))))
    except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return f"{error.code} {error.reason}"
