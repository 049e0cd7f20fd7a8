"""The processes of a demo: services on loopback ports, and participants who send them their reports."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pckv.base.errors import DataError
from pckv.base.progress import Progress
from pckv.cli.remote import RemoteCollector
from pckv.cli.signals import EndSignals
from pckv.collector.http.settings import PREFIX, TOKEN_VARIABLE
from pckv.contract.task import Task

COLLECTOR = (sys.executable, "-m", "pckv", "serve")
PARTICIPANTS = (sys.executable, "-m", "pckv.cli.participants")
SECONDS_TO_START = 60
SECONDS_BETWEEN_CHECKS = 0.1
PROCESSES = 2
# A client per participant takes about 13 ms of processor time: three requests, and files on its device. So
# most reports are sent in batches, which take less than a tenth of a millisecond per report.
PARTICIPANTS_PER_CLIENT = 100
# All devices are on this machine: where files can be kept in memory, its disk need not be the bottleneck.
MEMORY = Path("/dev/shm")  # noqa: S108

Pairs = Mapping[str, float]


class RunningService(NamedTuple):
    """A collector or a mixer as a process, how to ask it, and the line that its program reads on standard input."""

    remote: RemoteCollector
    process: subprocess.Popen[bytes]

    def tell(self, line: str) -> None:
        """Write a line to the standard input of the process."""
        assert self.process.stdin is not None  # noqa: S101
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


@contextmanager
def running_service(
    command: Sequence[str], settings: Mapping[str, str], signals: EndSignals, name: str = "collector"
) -> Iterator[RunningService]:
    """Run a service on a loopback port, with its own store, which is deleted with it.

    Args:
        command: The program.
        settings: What its environment says beside its token; `{folder}` in a value is the folder of its store.
        signals: Those that end the demo.
        name: What it is called in errors.
    """
    token = secrets.token_urlsafe(32)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder, (Path(folder) / "log").open("w+") as log:
        chosen = {setting: value.format(folder=folder) for setting, value in settings.items()}
        process = subprocess.Popen(  # noqa: S603
            command,
            env=environment | chosen | {TOKEN_VARIABLE: token},
            stdin=subprocess.PIPE,
            stderr=log,
            # Ctrl-C is not for a service, which is needed until the participants have stopped.
            start_new_session=True,
        )
        with process:
            try:
                port = _port(process, log, signals, name)
                yield RunningService(RemoteCollector(f"http://127.0.0.1:{port}", token), process)
            finally:
                process.terminate()
                process.wait()


@contextmanager
def running_collector(signals: EndSignals) -> Iterator[RemoteCollector]:
    """Run a collector on a free port."""
    settings = {"PCKV_PORT": "0", "PCKV_STORE": "sqlite:///{folder}/pckv.db"}
    with running_service(COLLECTOR, settings, signals) as running:
        yield running.remote


def _port(process: subprocess.Popen[bytes], log: IO[str], signals: EndSignals, name: str) -> int:
    """Wait until a service says which port it listens on."""
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        signals.check()
        waiting = process.poll() is None and time.monotonic() < deadline
        # The process writes through the same open file, whose position must not move.
        text = os.pread(log.fileno(), 2**16, 0).decode()
        for line in text.splitlines(keepends=True):
            if line.endswith("\n") and line.startswith("{") and "port" in (event := json.loads(line)):
                return int(event["port"])
        if not waiting:
            raise DataError(f"the {name} does not start: {text.strip() or 'it says nothing'}")
        time.sleep(0.02)


def collect(
    collector: RemoteCollector,
    task: Task,
    participants: Sequence[Pairs],
    progress: Progress,
    signals: EndSignals,
) -> int:
    """Let all participants take part, alone or in batches, and return how many used their own client."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pckv-", dir=place) as devices, ExitStack() as running:
        groups = [participants[number::PROCESSES] for number in range(PROCESSES)]
        clients = [-(-len(group) // PARTICIPANTS_PER_CLIENT) for group in groups]
        command = [*PARTICIPANTS, collector.url, task.id]
        processes = [
            running.enter_context(_participants(command, Path(devices) / str(number), group, clients[number]))
            for number, group in enumerate(groups)
        ]
        done = 0
        for reports in _finished(processes, signals):
            done += reports
            progress(done / len(participants))
        for number, process in enumerate(processes):
            if process.wait():
                problem = (Path(devices) / str(number) / "errors").read_text(encoding="utf-8").strip()
                raise DataError(problem or "a process of participants ended before its work was done")
    return sum(clients)


@contextmanager
def _participants(
    command: Sequence[str], folder: Path, participants: Sequence[Pairs], clients: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of participants, and end it if it has not ended itself."""
    folder.mkdir()
    pairs, errors = folder / "pairs.jsonl", folder / "errors"
    pairs.write_text("".join(f"{json.dumps(each)}\n" for each in participants), encoding="utf-8")
    with pairs.open("rb") as given, errors.open("wb") as problems:
        process = subprocess.Popen(  # noqa: S603
            [*command, str(folder / "devices"), str(clients)],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=problems,
            # Ctrl-C is for the program that started this one.
            start_new_session=True,
        )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _finished(processes: Sequence[subprocess.Popen[bytes]], signals: EndSignals) -> Iterator[int]:
    """Yield how many more participants are done, until all processes have ended."""
    with selectors.DefaultSelector() as selector:
        for process in processes:
            selector.register(process.stdout.fileno(), selectors.EVENT_READ)  # type: ignore[union-attr]
        while selector.get_map():
            signals.check()
            for key, _ in selector.select(SECONDS_BETWEEN_CHECKS):
                lines = os.read(key.fd, 2**12)
                if not lines:
                    selector.unregister(key.fd)
                yield len(lines)
