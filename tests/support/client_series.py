"""A device that reports to a series, with faults: kills at every step, wrong clocks, lost answers, other processes.

The client is the real one, down to its requests. Its folder is in memory, so that a state can be kept and returned to,
and the collector is called directly.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from pckv import Report, Task
from pckv.base.canonical import base64url
from pckv.base.days import Phase
from pckv.base.deadline import TimedRequest
from pckv.base.errors import PckvError
from pckv.base.randomness import Tape, fixed_source
from pckv.client import Client, RetryPolicy, RoundReceipt
from pckv.client.folder import StateFolder
from pckv.client.transport import Answer, Transport
from pckv.contract.series import Series
from support.client_collector import LOST, FakeCollector, ReceivedRequest, Reply, problem

ONCE = RetryPolicy(tries=1, seconds=5)
PAIRS = {"alien": 5.0}
# What the body of every report is: its id tells reports apart.
BODY = base64url(bytes(8))
URL = "http://collector.test"
FIRST, PERIOD = dt.datetime(2030, 1, 7, tzinfo=dt.UTC), 7
TASK = Task(name="ratings", keys=["alien"], values=(1, 5), epsilon=1, mechanism="grr", padding=1)


class Killed(BaseException):
    """Ends a client like a kill: nothing of the client catches it."""


def _no_step(_: str) -> None:
    pass


def kill_at(number: int) -> Callable[[str], None]:
    """Return steps of which one kills the process, counted from 0."""
    left = number

    def step(_: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    return step


@cache
def a_series(panels: int, rounds: int | None) -> Series:
    """Return a series of weekly rounds."""
    return Series(task=TASK, first=str(FIRST.date()), period=PERIOD, panels=panels, rounds=rounds)


def during(number: int) -> dt.datetime:
    """Return a time in the middle of a round; round 0 is the week before the first."""
    return FIRST + dt.timedelta(days=PERIOD * (number - 1), hours=80)


class SeriesCollector(FakeCollector):
    """A collector of one series, which takes reports of the round that its own clock shows.

    Attributes:
        now: The time by its clock.
        trusting: Whether it takes reports of any round, whatever its clock shows.
        reachable: Whether anyone gets an answer.
        loses: Whether the answer to an upload is lost.
        seen: What it sees of devices: when each request came, its path and its body.
    """

    def __init__(self, series: Series, rounds: int) -> None:
        super().__init__()
        self.series = {series.id: series.to_json().encode()}
        self.rounds = {series.task_of(number).id: series.task_of(number) for number in range(1, rounds + 1)}
        self.now, self.trusting, self.reachable, self.loses = FIRST, False, True, False
        self.seen: list[tuple[dt.datetime, str, bytes]] = []

    def answer(self, request: ReceivedRequest) -> Reply:
        self.seen.append((self.now, request.path, request.body))
        if not self.reachable:
            return LOST
        if request.method == "GET" and "/series/" in request.path:
            text = self.series.get(request.path.partition("/series/")[2])
            return problem(404, "unknown") if text is None else Reply(200, text)
        task = self.rounds.get(request.path.partition("/tasks/")[2].split("/")[0])
        phase = Phase.CLOSED if task is None else task.dates.phase(str(self.now.date()))
        if phase is not Phase.OPEN and not self.trusting:
            return problem(403, "closed" if phase is Phase.CLOSED else "not-open")
        reply = super().answer(request)
        return LOST if self.loses and request.path.endswith("/reports") else reply


class DirectTransport(Transport):
    """The client's own requests, answered without a network; `step` is called before and after each."""

    def __init__(self, collector: FakeCollector, step: Callable[[str], None]) -> None:
        # Without the connections, which nothing here opens.
        self.url, self._retry_policy = URL, ONCE
        self._collector, self._step = collector, step

    def at(self, url: str) -> DirectTransport:
        other = copy(self)
        other.url = url
        return other

    def _request(self, request: TimedRequest, max_bytes: int) -> Answer:
        assert max_bytes > 0 < request.deadline
        self._step("request")
        data = request.data if isinstance(request.data, bytes) else b""
        reply = self._collector.answer(ReceivedRequest(request.get_method(), request.selector, {}, data))
        self._step("answer")
        return Answer(0, note="no answer") if reply is LOST else Answer(reply.status, reply.media, reply.body)


class MemoryFolder(StateFolder):
    """A state folder in memory; `step` is called wherever a kill, or another process, makes a difference."""

    def __init__(self, files: dict[str, str], step: Callable[[str], None]) -> None:
        self.path, self.files, self._step = Path("/nowhere"), files, step

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._step("lock")
        yield
        self._step("unlock")

    def put(self, name: str, text: str, *, replace: bool = False) -> bool:
        self._step("put")
        stored = replace or name not in self.files
        if stored:
            self.files[name] = text
        self._step("stored")
        return stored

    def get(self, name: str) -> str | None:
        return self.files.get(name)

    def remove(self, name: str) -> None:
        self.files.pop(name, None)
        self._step("removed")

    def names(self, suffix: str) -> list[str]:
        return sorted(name.removesuffix(suffix) for name in self.files if name.endswith(suffix))

    def sync(self) -> None:
        pass


class SteppedFolder(StateFolder):
    """A state folder on disk, with the steps of one in memory."""

    def __init__(self, path: Path, step: Callable[[str], None]) -> None:
        super().__init__(path)
        self._step = step

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._step("lock")
        with super().locked():
            yield
            self._step("unlock")

    def put(self, name: str, text: str, *, replace: bool = False) -> bool:
        self._step("put")
        stored = super().put(name, text, replace=replace)
        self._step("stored")
        return stored

    def remove(self, name: str) -> None:
        super().remove(name)
        self._step("removed")


class DeviceState(NamedTuple):
    """Everything that a device and the collector remember."""

    files: frozenset[tuple[str, str]]
    uploads: frozenset[tuple[int, str]]
    draws: int


NEW = DeviceState(frozenset(), frozenset(), 0)


class SeriesDevice:
    """A device and its collector, in a state that can be kept and returned to.

    A report that is perturbed after another of its round was sent has other bytes: two uploads of a round
    that differ prove that ε was spent twice.

    Args:
        series: The series.
        rounds: How many rounds the collector knows.
        panel: The panel that the first draw gives; later draws would give the next ones.
        patch: What the client uses of the system is replaced with this.
    """

    def __init__(self, series: Series, rounds: int, panel: int, patch: pytest.MonkeyPatch) -> None:
        self.series, self.panel = series, panel
        self.collector = SeriesCollector(series, rounds)
        self.tasks = {number: series.task_of(number).id for number in range(1, rounds + 1)}
        self.return_to(NEW)
        self._step: Callable[[str], None] = _no_step
        patch.setattr("pckv.client.client.StateFolder", lambda _: MemoryFolder(self.files, self._step))
        patch.setattr("pckv.client.client.Transport", lambda *_: DirectTransport(self.collector, self._step))
        patch.setattr("pckv.client.reports.perturb", self._perturb)
        patch.setattr("pckv.client.panel.Tape", self._tape)
        patch.setattr("pckv.client.panel.os", SimpleNamespace(urandom=bytes))
        patch.setattr(Series, "from_json", lambda _: series)
        patch.setattr(Series, "task_of", cache(Series.task_of))

    def _perturb(self, task: Task, *_: object, **__: object) -> Report:
        assert task.series is not None
        number = len(self.collector.reports.get(task.id, ()))
        return Report(hashlib.sha256(f"{task.id} {number}".encode()).digest()[:16], bytes(8))

    def _tape(self, _: int) -> Tape:
        draw = (self.panel + self.draws) % self.series.panels
        self.draws += 1
        return Tape(1, fixed_source(bytes(16) + draw.to_bytes(8, "little")))

    def state(self) -> DeviceState:
        """Return what the device and the collector remember."""
        return DeviceState(frozenset(self.files.items()), frozenset(self.uploads()), self.draws % self.series.panels)

    def return_to(self, state: DeviceState) -> None:
        """Let the device and the collector be in a state."""
        self.files: dict[str, str]
        self.files, self.draws = dict(state.files), state.draws
        self.collector.received, self.collector.seen, self.collector.reports = [], [], {}
        for number, report_id in state.uploads:
            self.collector.reports.setdefault(self.tasks[number], {})[report_id] = BODY

    def remove(self, name: str) -> None:
        """Delete a file of the device."""
        self.files.pop(name, None)

    def uploads(self) -> Iterator[tuple[int, str]]:
        """Yield the round and the id of every distinct report that the collector received."""
        for number, task_id in self.tasks.items():
            for report_id in self.collector.reports.get(task_id, ()):
                yield number, report_id

    def rounds_with(self, suffix: str) -> set[int]:
        """Return the rounds that a file of a kind is stored for."""
        return {number for number, task_id in self.tasks.items() if task_id + suffix in self.files}

    def client(self, time: dt.datetime, step: Callable[[str], None] = _no_step) -> Client:
        """Return the client of a process that has just started, with a clock that shows a time."""
        self._step = step
        return Client(URL, "/nowhere", cap=1000, local_cap=1000, clock=lambda: time)

    def report(
        self,
        time: dt.datetime,
        step: Callable[[str], None] = _no_step,
        pairs: Mapping[str, float] = PAIRS,
        spread: float = 0.0,
    ) -> RoundReceipt | str:
        """Let a new process report; return its receipt, or the code of its error, or that it was killed."""
        try:
            return self.client(time, step).report(self.series.id, pairs, spread=spread)
        except PckvError as error:
            return error.code
        except Killed:
            return "killed"


class DiskDevice(SeriesDevice):
    """A device whose files are on disk; it cannot return to an earlier state."""

    def __init__(self, series: Series, rounds: int, panel: int, patch: pytest.MonkeyPatch, place: Path) -> None:
        self._place = place
        super().__init__(series, rounds, panel, patch)
        patch.setattr("pckv.client.client.StateFolder", lambda _: SteppedFolder(place, self._step))

    @property
    def files(self) -> dict[str, str]:
        """The files as they are now."""
        folder = StateFolder(self._place)
        names = [path.name for path in self._place.iterdir() if path.name != "lock" and path.suffix != ".part"]
        return {name: folder.get(name) or "" for name in names}

    @files.setter
    def files(self, files: dict[str, str]) -> None:
        assert not files

    def remove(self, name: str) -> None:
        (self._place / name).unlink(missing_ok=True)
