"""Requests to a collector as its administrator, with the standard library only."""

from __future__ import annotations

import json
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from pckv.cli.common import FilePath
from pckv.collector.settings import TOKEN_VARIABLE
from pckv.errors import DataError, ParameterError

TIMEOUT_SECONDS = 30
# What a token may consist of: ASCII without spaces and control characters.
FIRST_PRINTABLE, LAST_PRINTABLE = ord("!"), ord("~")

url_option = click.option(
    "--url", required=True, help="The collector's address, such as https://collect.example."
)
token_option = click.option(
    "--token-file", type=FilePath, help=f"A file with the administrator's token. [default: {TOKEN_VARIABLE}]"
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


def ask(method: str, url: str, path: str, token: str, body: bytes | None = None) -> Any:
    """Return what a collector answers; a problem becomes an error with one line."""
    with _answer(method, url, path, token, body) as answer:
        return json.load(answer)


def download(url: str, path: str, token: str, out: Path) -> None:
    """Save what a collector answers to a file."""
    with _answer("GET", url, path, token) as answer, out.open("wb") as file:
        shutil.copyfileobj(answer, file)


@contextmanager
def _answer(method: str, url: str, path: str, token: str, body: bytes | None = None) -> Iterator[IO[bytes]]:
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise ParameterError(f"{url!r} is not an address of a collector: it begins with https:// or http://")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url.rstrip("/") + path, body, headers, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            yield answer
    except urllib.error.HTTPError as error:
        with error:
            raise DataError(f"{url}: {_problem(error)}") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{url}: {getattr(error, 'reason', error)}") from None


def _problem(error: urllib.error.HTTPError) -> str:
    try:
        problem = json.load(error)
        return " ".join(filter(None, (problem["title"], problem.get("detail"))))
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"
