"""A collection on this machine: a real collector, and participants who each go through the real client."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import IO, NamedTuple

from pckv.cli.remote import ENVIRONMENT, ask
from pckv.client import Client, Status
from pckv.collector.settings import PREFIX
from pckv.errors import DataError
from pckv.task import Task

SERVE = "from pckv.cli import main; main()"
SECONDS_TO_START = 60
PROCESSES = 4
# Participants that a process takes on at once.
GROUP = 50
# The made-up devices are all on this machine: where files can be kept in memory, its disk need not be the bottleneck.
MEMORY = Path("/dev/shm")  # noqa: S108

Pairs = Mapping[str, float]


class Address(NamedTuple):
    """Where a collector is, and the administrator's token."""

    url: str
    token: str


@contextmanager
def running_collector() -> Iterator[Address]:
    """A collector on a free loopback port, with a store of its own that goes with it."""
    token = secrets.token_urlsafe(32)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder, (Path(folder) / "log").open("w+") as log:
        command = ["serve", "--port", "0", "--store", f"sqlite:///{folder}/pckv.db"]
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", SERVE, *command],
            env=environment | {ENVIRONMENT: token},
            stderr=log,
        )
        try:
            yield Address(f"http://127.0.0.1:{_port(process, log)}", token)
        finally:
            process.terminate()
            process.wait()


def _port(process: subprocess.Popen[bytes], log: IO[str]) -> int:
    """The port that the collector says it listens on."""
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        waiting = process.poll() is None and time.monotonic() < deadline
        # The process writes through the same open file, whose place is left alone here.
        said = os.pread(log.fileno(), 2**16, 0).decode()
        for line in said.splitlines(keepends=True):
            if line.endswith("\n") and line.startswith("{") and "port" in (told := json.loads(line)):
                return int(told["port"])
        if not waiting:
            raise DataError(f"the collector does not start: {said.strip() or 'it says nothing'}")
        time.sleep(0.02)


def collect(address: Address, task: Task, people: Sequence[Pairs], progress: Callable[[float], None]) -> None:
    """Have everybody take part, each with a device of her own."""
    ask("POST", address.url, "/tasks", address.token, task.to_json().encode())
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="pckv-", dir=place) as devices,
        ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool,
    ):
        groups: list[Future[None]] = [
            pool.submit(take_part, address.url, task.id, f"{devices}/{start}", people[start : start + GROUP])
            for start in range(0, len(people), GROUP)
        ]
        for done, group in enumerate(as_completed(groups), 1):
            group.result()
            progress(done / len(groups))


def take_part(url: str, task_id: str, devices: str, people: Sequence[Pairs]) -> None:
    """Send the reports of some people, one after another."""
    for number, pairs in enumerate(people):
        receipt = Client(url, f"{devices}/{number}").submit(task_id, pairs)
        if receipt.status is not Status.SENT:
            raise DataError(f"{url}: a report waits: {receipt.reason}")
