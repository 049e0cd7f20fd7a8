"""All that is seen of a Python client from outside: bytes on the wire and when, files, receipts and errors.

Time and randomness are replaced. What a report draws is kept apart from all else, and every draw of it is the same
number: however many draws some pairs take, what is public of the report must be the same.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.errors import PckvError
from pckv.base.limits import SERVER_COIN
from pckv.base.randomness import Tape
from pckv.client import Client, RetryPolicy
from pckv.client.folder import SEAL_BYTES
from pckv.contract.series import Series
from support.holdings import (
    CLOSED,
    END_SECONDS,
    FAILURES,
    HIGHEST_BYTE,
    ROUNDS,
    START,
    Held,
    Labelled,
    Run,
    moments,
    parted,
    sealed_part,
    task_of,
    without_private_part,
)

URL = "http://collector.test"
# How long an exchange takes.
EXCHANGE_SECONDS = 0.3
# Where there is plenty of memory, files are in it.
MEMORY = os.environ.get("PYTEST_DEBUG_TEMPROOT")
POLICY = RetryPolicy(tries=3, seconds=60.0, first_pause=1.0)
Call = tuple[float, Callable[[Client], Any]]


class World:
    """A collector and a device's surroundings: a clock that waiting moves, seeded randomness, and a network in memory."""

    def __init__(self, subject: Task | Series, failures: dict[str, list[int]], seed: int) -> None:
        self.subject, self.now, self.wire, self.pauses = subject, 0.0, list[Any](), list[float]()
        self._left = {kind: list(codes) for kind, codes in failures.items()}
        self._streams = {name: random.Random(f"{seed} {name}") for name in ("jitter", "panel", "report", "coin")}
        self._draw = self._streams["report"].randbytes(7) + bytes([HIGHEST_BYTE * seed])
        self.tasks = {task.id: task for task in _tasks(subject)}

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def clock(self) -> dt.datetime:
        return START + dt.timedelta(seconds=self.now)

    def report_bytes(self, count: int) -> bytes:
        """Return an id, and the same draw again and again."""
        return self._streams["report"].randbytes(16) + self._draw * (count // 8 - 2) if count > 8 else self._draw

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let the client's surroundings be these."""
        panel = self._streams["panel"].randbytes
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("no_proxy", "*")
            patch.setattr("socket.create_connection", lambda *given: _Line(self, given))
            patch.setattr("pckv.base.deadline.time", self)
            patch.setattr("pckv.client.transport.time", self)
            jitter = SimpleNamespace(randbelow=self._streams["jitter"].randrange)
            patch.setattr("pckv.client.transport.secrets", jitter)
            patch.setattr("pckv.client.panel.Tape", partial(Tape, source=panel))
            patch.setattr("pckv.client.panel.os", SimpleNamespace(urandom=panel))
            patch.setattr("pckv.device.perturb.Tape", partial(Tape, source=self.report_bytes))
            # Reading a contract takes longer than all the rest, and pairs are not looked at yet.
            patch.setattr(type(self.subject), "from_json", lambda _: self.subject)
            patch.setattr(Series, "task_of", lambda _, number: list(self.tasks.values())[number - 1])
            yield

    def answer(self, line: tuple[Any, ...], sent: list[bytes]) -> bytes:
        """Record a request as it was sent, and return the bytes of an answer; none if it is lost."""
        head, separator, data = b"".join(sent).partition(b"\r\n\r\n")
        path = head.decode().split(" ")[1]
        kind = path.rpartition("/")[2] if path.count("/") == 3 else "contract"
        shown: Any = None
        if kind == "sealed":
            shown = head, sealed_part(self.tasks[path.split("/")[2]], base64url(data))
        else:
            text = (head + separator + data).decode()
            shown = without_private_part(self.tasks[path.split("/")[2]], text) if kind == "reports" else text
        self.wire.append((self.now, line, list(map(len, sent)), shown))
        self.now += EXCHANGE_SECONDS
        # A mixer fails as a collector does.
        left = self._left["reports" if kind == "sealed" else kind]
        status = left.pop(0) if left else 200
        if not status:
            return b""
        content = {200: self._content(path, kind), 403: CLOSED}.get(status, "").encode()
        lines = (
            f"HTTP/1.1 {status} -",
            f"Content-Type: application/{'problem+json' if status == 403 else 'json'}",
            "Retry-After: 2",
            f"Content-Length: {len(content)}",
        )
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + content

    def _content(self, path: str, kind: str) -> str:
        if kind == "contract":
            return self.subject.to_json()
        if kind in {"reports", "sealed"}:
            return '{"refused":[]}' if kind == "reports" else '{"held":true}'
        has_coin = self.tasks[path.split("/")[2]].coin == SERVER_COIN
        return json.dumps({"coin": base64url(self._streams["coin"].randbytes(16)) if has_coin else None})

    def files(self, state: Path) -> dict[str, Any]:
        """Return all files with their modes, and of reports what is public."""
        return {path.name: self._file(path) for path in sorted(state.iterdir())} if state.exists() else {}

    def _file(self, path: Path) -> Any:
        data = path.read_bytes()
        if path.suffix != ".report":
            return path.stat().st_mode, data
        # The checksum is of the whole report.
        return path.stat().st_mode, without_private_part(self.tasks[path.stem], data[:-SEAL_BYTES].decode())


class _Line:
    """A connection: what is sent is a request, and what is read its answer."""

    def __init__(self, world: World, given: tuple[Any, ...]) -> None:
        self._world, self._given, self._sent = world, given, list[bytes]()

    def sendall(self, data: bytes) -> None:
        self._sent.append(data)

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        return io.BytesIO(self._world.answer(self._given, self._sent))

    def gettimeout(self) -> None:
        return None

    def settimeout(self, _: float) -> None:
        pass

    setsockopt = shutdown = close = lambda *_: None


@cache
def _tasks(subject: Task | Series) -> tuple[Task, ...]:
    if isinstance(subject, Task):
        return (subject,)
    return tuple(map(subject.task_of, range(1, ROUNDS + 1)))


def calls(subject: Task | Series, held: Held) -> Iterator[Call]:
    """Yield what a device does, and when: it reports, and at last flushes."""
    invitation = "token" if task_of(subject).coin == SERVER_COIN else None
    pairs, label = parted(held)
    for time in moments(subject):
        if isinstance(subject, Task):
            yield time, lambda client: client.submit(subject.id, pairs, invitation=invitation, segment=label)
        else:
            yield time, lambda client: client.report(subject.id, pairs, spread=1.0, segment=label)
    yield END_SECONDS, Client.flush
    yield END_SECONDS, Client.ledger


def result_of(call: Callable[[Client], Any], client: Client) -> Any:
    """Return what a call returns, or the kind, code and text of its error."""
    try:
        return call(client)
    except PckvError as error:
        return type(error), error.code, str(error)


def observe(subject: Task | Series, run: Run) -> dict[str, Any]:
    """Return all that is seen of a new device: what its calls return, requests, pauses, and files after each call."""
    world = World(subject, FAILURES[run.way], run.seed)
    results, files = [], []
    with TemporaryDirectory(dir=MEMORY) as place, world.installed():
        state = Path(place) / "state"
        for time, call in calls(subject, run.held):
            world.now = max(world.now, time)
            client = Client(URL, state, cap=100, local_cap=100, retry_policy=POLICY, clock=world.clock)
            results.append(result_of(call, client))
            files.append(world.files(state))
    return {"results": results, "requests": world.wire, "pauses": world.pauses, "files": files}


def observe_all(subject: Task | Series, runs: Iterable[Run]) -> Iterator[dict[str, Any]]:
    """Yield what is seen in every run."""
    return (observe(subject, run) for run in runs)


# What a value in a list stands for.
_UNWRITTEN = {"NaN": float("nan"), "Infinity": float("inf"), "1e400": 10**400}


def _read(value: Any) -> Any:
    return _UNWRITTEN[value[0]] if isinstance(value, list) and value else value


def refuse(subject: Task | Series, held: Held) -> tuple[list[Any], bool]:
    """Return the errors of wrong pairs once a device knows the contract, and whether anything was asked or stored."""
    pairs, label = parted(held)
    if isinstance(pairs, dict):
        held = Labelled({key: _read(value) for key, value in pairs.items()}, label)
    world, errors = World(subject, {"contract": [], "admission": [], "reports": []}, 0), []
    with TemporaryDirectory(dir=MEMORY) as place, world.installed():
        state = Path(place) / "state"
        client = Client(URL, state, retry_policy=POLICY, clock=world.clock)
        _ = client.task(subject.id) if isinstance(subject, Task) else client.series(subject.id)
        before, asked = world.files(state), len(world.wire)
        for time, call in list(calls(subject, held))[:-2]:
            world.now = time
            errors.append(result_of(call, Client(URL, state, retry_policy=POLICY, clock=world.clock)))
        return errors, len(world.wire) > asked or world.files(state) != before
