"""Commands that talk to a collector as its administrator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pckv.cli.remote import warn_if_readable_on_the_way
from support.cli import run, run_refused

COMMANDS = (
    "task push {task} --url {url}",
    "task close x --url {url}",
    "task delete x --url {url} --yes",
    "task list --url {url}",
    "task status x --url {url}",
    "estimate x --url {url}",
    "invitations new x --url {url} --count 1 --out new.txt --yes",
)
# Nothing listens there.
ADDRESS = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    "content",
    [b"secret word", b"secret\nline", "secret-\u20ac".encode(), b"secret\xff\x00", b"secret\x7f"],
    ids=["space", "line", "euro", "bytes", "control"],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[:14])
def test_a_token_that_cannot_be_one_is_refused_and_not_shown(command: str, content: bytes) -> None:
    Path("bad.token").write_bytes(content)
    line = run_refused(command.format(task="grr.json", url=ADDRESS) + " --token-file bad.token")
    assert line == "pckv: bad.token: not a token: one line of ASCII characters without spaces\n"


def test_a_token_of_the_environment_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCKV_ADMIN_TOKEN", "secret word")
    line = run_refused(f"task close x --url {ADDRESS}")
    assert line == "pckv: PCKV_ADMIN_TOKEN: not a token: one line of ASCII characters without spaces\n"


class RecordingServer(ThreadingHTTPServer):
    """Answers everything with one status and place, and records the tokens that arrive."""

    def __init__(self, status: int = 200, location: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.location = status, location
        self.tokens: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: RecordingServer

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.tokens.append(self.headers.get("Authorization"))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(b'{"id": "stolen", "closed": "stolen", "task": "stolen", "reports": 0}')

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def recording(status: int = 200, location: str = "") -> Iterator[RecordingServer]:
    with RecordingServer(status, location) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_token_never_follows_a_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCKV_ADMIN_TOKEN", "secret")
    with recording() as thief, recording() as collector:
        collector.location = f"{thief.url}/elsewhere"
        for collector.status in (301, 302, 303, 307, 308):
            for command in COMMANDS:
                line = run_refused(command.format(task="grr.json", url=collector.url))
                assert line == (
                    f"pckv: {collector.url}: it redirects to {thief.url}/elsewhere; "
                    "give that address if you trust it with the token\n"
                )
        assert collector.tokens == ["Bearer secret"] * 5 * len(COMMANDS)
        assert thief.tokens == []
        # The control: the thief would have recorded a token.
        assert run(f"task close x --url {thief.url}").exit_code == 0
        assert thief.tokens == ["Bearer secret"]


@pytest.mark.parametrize(
    "url",
    [
        "collect.example",
        "ftp://collect.example",
        "https://collect.example@evil.example",
        "https://",
        "http://[::1",
    ],
)
def test_an_address_that_cannot_be_a_collectors_gets_no_token(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCKV_ADMIN_TOKEN", "secret")
    line = run_refused(f"task close x --url {url}")
    assert line == f"pckv: {url!r} is not a collector's address, like https://example.org\n"


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://collect.example", True),
        ("http://192.0.2.1:8000", True),
        ("http://localhost.example", True),
        ("http://[2001:db8::1]:8000", True),
        ("https://collect.example", False),
        ("http://localhost:8000", False),
        ("http://127.0.0.1", False),
        ("http://[::1]:8000", False),
    ],
)
def test_plain_http_to_another_host_gets_one_line(url: str, warned: bool, capsys: pytest.CaptureFixture[str]) -> None:
    warn_if_readable_on_the_way(url, "the report")
    line = f"pckv: warning: {url} is not https: others on the network can read the report\n"
    assert capsys.readouterr().err == (line if warned else "")


def test_every_command_that_sends_something_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """These addresses do not exist: names below .invalid do not resolve."""
    monkeypatch.setenv("PCKV_ADMIN_TOKEN", "secret")
    url = "http://collect.invalid"
    sending = [command.format(task="grr.json", url=url) for command in COMMANDS]
    for command in (*sending, f"submit --flush --url {url} --state state"):
        result = run(command)
        [warning] = [line for line in result.stderr.splitlines() if "warning" in line]
        what = "the report" if command.startswith("submit") else "the administrator's token"
        assert warning == f"pckv: warning: {url} is not https: others on the network can read {what}"
