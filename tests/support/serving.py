"""Collectors as processes: `pckv serve`, its environment, and its message if it does not start."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from support.collectors import SECONDS

COMMAND = "from pckv.cli import main; from pckv.cli.serve import serve_command as s; main.add_command(s); main()"

# A collector whose pages wait less before they ask for news. Routes in the browser could shorten the waits
# too, but with them it caches nothing: it would load and compile every script again for every page.
IMPATIENT_COMMAND = f"""
import re
from pckv.web import static_files
from_bytes = static_files._static_file
def without_waits(content, extension):
    text = content.decode()
    for wait, short in {{
        r"POLL_SECONDS = 3\\b": "POLL_SECONDS = 0.5",
        r"CHART_SECONDS = \\d+": "CHART_SECONDS = 0.5",
        r"\\d+ \\* \\(Date\\.now\\(\\) - began\\)": "0",
    }}.items():
        text = re.sub(wait, short, text)
    return from_bytes(text.encode(), extension)
static_files._static_file = without_waits
{COMMAND}
"""


CANARIES = {"User-Agent": "canary-agent", "X-Forwarded-For": "203.0.113.99", "Cookie": "canary-cookie"}


SENDER = "127.0.0.77"


# A collector with workers imports everything twice, one after the other.
START_SECONDS = 3 * SECONDS


NOTHING: Mapping[str, str] = {}


WITH_TOKEN = {"admin_token": "x" * 32}


def command(*flags: str, program: str = COMMAND) -> list[str]:
    return [sys.executable, "-c", program, "serve", *flags]


def environment(**settings: str) -> dict[str, str]:
    rest = {name: value for name, value in os.environ.items() if not name.startswith("PCKV_")}
    return rest | {f"PCKV_{name.upper()}": value for name, value in settings.items()}


def refusal(folder: Path, *flags: str, **settings: str) -> str:
    """Run a collector that must not start; return the one line that it prints."""
    ended = subprocess.run(
        command(*flags),
        env=environment(**settings),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert re.fullmatch(r"pckv: .+\n", ended.stderr)
    return ended.stderr


def unused_port() -> int:
    """Return a port for a server whose address must be known before it starts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


class ServeProcess(NamedTuple):
    """A collector that was started by `pckv serve`."""

    port: int
    process: subprocess.Popen[bytes]
    errors: Path

    def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = NOTHING) -> bytes:
        """Send a request with identifying headers, which must leave no trace; return the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, SECONDS, source_address=(SENDER, 0))
        with closing(connection):
            all_headers = CANARIES | {"Content-Type": "application/json", "Connection": "close", **headers}
            connection.request(method, path, body, all_headers)
            return connection.getresponse().read()


@contextmanager
def serving(folder: Path, *flags: str, program: str = COMMAND, **settings: str) -> Iterator[ServeProcess]:
    errors = folder / "stderr"
    with errors.open("wb") as file:
        process = subprocess.Popen(
            command("--port", "0", *flags, program=program),
            env=environment(**settings),
            cwd=folder,
            stderr=file,
        )
    try:
        ends = time.monotonic() + START_SECONDS
        while b'"ready"' not in errors.read_bytes():
            assert process.poll() is None, errors.read_text()
            assert time.monotonic() < ends
            time.sleep(0.02)
        logged = [json.loads(line) for line in errors.read_text().splitlines()]
        port = next(line["port"] for line in logged if line["event"] == "listening")
        yield ServeProcess(port, process, errors)
        process.send_signal(signal.SIGTERM)
        assert process.wait(START_SECONDS) == 0
        assert errors.read_text().splitlines()[-1] == '{"event": "stopped"}'
    finally:
        process.kill()
        process.wait()
