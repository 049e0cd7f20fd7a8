"""Requests to a collector as its administrator, with the standard library only."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request

import click

from pckv.base.deadline import bounded_opener, problem_text
from pckv.base.errors import DataError, ParameterError, PckvError
from pckv.base.words import one_line
from pckv.cli.common import Command, FilePath, harmless, with_options
from pckv.client.transport import checked_url
from pckv.collector.http.settings import TOKEN_VARIABLE

# A collector computes estimates and trends for up to a minute, by default, before it answers.
TIMEOUT_SECONDS, ESTIMATE_TIMEOUT_SECONDS = 30, 90
# How slowly an answer may arrive, on average, once the time-out is over.
MIN_BYTES_PER_SECOND = 4 * 2**10
# The largest answer that is read, and the largest estimates, which grow with the keys.
MAX_ANSWER_BYTES, MAX_ESTIMATES_BYTES = 2**26, 2**30
# As many as a collector lists at once.
ROWS_PER_PAGE = 1000
# What a token may consist of: ASCII without spaces and control characters.
FIRST_PRINTABLE, LAST_PRINTABLE = ord("!"), ord("~")


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


def contract_path(kind: str, contract_id: str, part: str = "") -> str:
    """Return the path of a task (`tasks`) or a series on a collector, or of a part of it."""
    return f"/{kind}/{quote(contract_id, safe='')}{part}"


class RemoteCollector(NamedTuple):
    """A collector, or a mixer, by its address, and the token of its administrator or of an analyst."""

    url: str
    token: str

    def __repr__(self) -> str:
        """Name the collector; a traceback or a log must not show the token."""
        return f"RemoteCollector({self.url!r})"

    def ask(self, method: str, path: str, body: bytes | None = None, *, estimates: bool = False) -> Any:
        """Return what the collector answers; a problem becomes an error with one line.

        Estimates take their time, and may be large.
        """
        seconds = ESTIMATE_TIMEOUT_SECONDS if estimates else TIMEOUT_SECONDS
        with self._answer(method, path, body, seconds) as answer:
            content = self._read(answer, MAX_ESTIMATES_BYTES if estimates else MAX_ANSWER_BYTES)
        try:
            return json.loads(content)
        except (ValueError, RecursionError, MemoryError):
            raise self.not_understood() from None

    def list_all(self, path: str, member: str, **query: str | int) -> Iterator[dict[str, Any]]:
        """Yield what the collector lists, newest first, one page after another."""
        query["limit"] = ROWS_PER_PAGE
        number: int | None = None
        while True:
            page = self.ask("GET", f"{path}?{urlencode(query)}")[member]
            yield from page
            if len(page) < ROWS_PER_PAGE:
                return
            before, number = number, int(page[-1]["number"])
            if before is not None and number >= before:
                # It would never end.
                raise self.not_understood()
            query["after"] = number

    def close(self, path: str) -> None:
        """Close a task or a series early, and say so."""
        answer = self.ask("POST", f"{path}/close")
        with self.understood():
            line = f"{answer['id']}  closed on {answer['closed']}"
        click.echo(harmless(line))

    def reopen(self, path: str) -> None:
        """Undo the early close of a task or a series, and say so."""
        answer = self.ask("POST", f"{path}/reopen")
        with self.understood():
            line = f"{answer['id']}  takes reports again"
        click.echo(harmless(line))

    def fetch(self, path: str) -> bytes:
        """Return the bytes that the collector answers."""
        with self._answer("GET", path) as answer:
            return self._read(answer, MAX_ANSWER_BYTES)

    def download(self, path: str, out: Path) -> None:
        """Save what the collector answers to a file."""
        with self._answer("GET", path) as answer, out.open("wb") as file:
            shutil.copyfileobj(answer, file)

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Refuse in one line an answer that is JSON, but not what a collector says."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            if isinstance(error, PckvError):
                raise
            raise self.not_understood() from None

    def not_understood(self) -> DataError:
        """Return the error that an answer is not what a collector says."""
        return DataError(f"{self.url}: this is not the answer of a collector")

    def _read(self, answer: IO[bytes], max_bytes: int) -> bytes:
        content = answer.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise DataError(f"{self.url}: an answer of more than {max_bytes:,} bytes")
        return content

    @contextmanager
    def _answer(
        self, method: str, path: str, body: bytes | None = None, seconds: float | None = None
    ) -> Iterator[IO[bytes]]:
        url = checked_url(self.url)
        _warn_once(url)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = Request(url + path, body, headers, method=method)  # noqa: S310
        try:
            with bounded_opener(MIN_BYTES_PER_SECOND).open(request, timeout=seconds or TIMEOUT_SECONDS) as answer:
                yield answer
        except HTTPError as error:
            with error:
                raise DataError(f"{url}: {one_line(problem_text(error))}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise DataError(f"{url}: {one_line(str(getattr(error, 'reason', error)))}") from None


def _token_option(whose: str) -> Callable[[Command], Command]:
    return click.option("--token-file", type=FilePath, help=f"A file with {whose} token. [default: {TOKEN_VARIABLE}]")


# What an analyst's token suffices for.
reading_token_option = _token_option("the administrator's or an analyst's")


def _given_service(
    token_option: Callable[[Command], Command], name: str = "collector", example: str = "https://collect.example"
) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options of a collector or a mixer, and what they make."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_service(url: str, token_file: Path | None, **others: Any) -> None:
            command(**{name: RemoteCollector(url, read_token(token_file))}, **others)

        url_option = click.option("--url", required=True, help=f"The {name}'s address, such as {example}.")
        return with_options(url_option, token_option)(with_service)

    return decorate


administered_collector = _given_service(_token_option("the administrator's"))
read_collector = _given_service(reading_token_option)
operated_mixer = _given_service(_token_option("the operator's"), "mixer", "https://mix.example")


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
