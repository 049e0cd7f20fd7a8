"""A program whose children use one state folder: killed at any line, or all at once.

Arguments: the action, the collector's address, a folder, and a file with one task per line. It prints one line
of JSON per task or child.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from pckv import Task, perturb
from pckv.base.errors import PckvError
from pckv.base.wire import Report
from pckv.client import Client, RetryPolicy
from pckv.client.ledger import Ledger, realised_epsilon
from pckv.client.outbox import SealedReport, StoredReport
from pckv.client.reports import Reports
from pckv.contract.series import Series
from pckv.sealing.seal import seal

# Processes are killed at lines of the client, with sealing, and, less often, of the HTTP module that it uses.
WEIGHTS = {
    f"{os.sep}pckv{os.sep}client{os.sep}": 10,
    f"{os.sep}pckv{os.sep}sealing{os.sep}": 10,
    f"{os.sep}http{os.sep}client.py": 1,
}
RETRY_POLICY = RetryPolicy(tries=2, seconds=5, first_pause=0.001, timeout=5)
PAIRS = {"alien": 3.0}
RACERS = 8


def child(work: Callable[[], None]) -> int:
    """Start a child process that only does this work; return its process id."""
    number = os.fork()
    if number:
        return number
    try:
        work()
    finally:
        os._exit(0)


def killed(number: int) -> bool:
    """Wait for a child; return whether it was killed."""
    _, status = os.waitpid(number, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def kill_at(moment: int) -> None:
    """Kill this process once the weights of the lines that it ran sum to `moment`."""
    left = moment

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        weight = next((weight for part, weight in WEIGHTS.items() if part in frame.f_code.co_filename), 0)
        if event == "line":
            left -= weight
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace if weight else None

    sys.settrace(trace)


def submitting(url: str, state: Path, task: Task, moment: int = 0) -> Callable[[], None]:
    """Return the work of a device that is killed at a moment, if one is given."""

    def work() -> None:
        client = Client(url, state, retry_policy=RETRY_POLICY)
        if moment:
            kill_at(moment)
        with suppress(PckvError):
            client.submit(task.id, PAIRS)

    return work


def kill(url: str, root: Path, tasks: list[Task], step: int, *, remove: bool = False) -> None:
    """For every task: kill a child later than before, kill another at random, then let one finish.

    With `remove`, the report is removed after the first kill: what was sent must not be made again.
    """
    choose = random.Random(5)
    for number, task in enumerate(tasks, 1):
        moment, state = number * step, root / task.name
        kills = int(killed(child(submitting(url, state, task, moment))))
        if not kills:
            break
        if remove:
            for suffix in (".report", ".outcome"):
                (state / f"{task.id}{suffix}").unlink(missing_ok=True)
        kills += killed(child(submitting(url, state, task, choose.randint(1, moment))))
        sound = not killed(child(submitting(url, state, task)))
        client = Client(url, state)
        spent = {"spent": f"{client.spent:f}", "delta": f"{client.spent_delta:f}", "local": f"{client.local_spent:f}"}
        print(json.dumps({"task": task.id, "kills": kills, "sound": sound} | spent))  # noqa: T201


def make_sending_first(
    self: Reports,
    task: Task,
    pairs: dict[str, float],
    segment: str | None,
    invitation: str | None,
    coin: bytes | None,
) -> bool:
    """Send the report before it is stored: the planted fault that must be caught."""
    report: Report | SealedReport = perturb(task, pairs, coin, segment=segment)
    if task.mixer is not None:
        report = SealedReport(report.body, seal(report.body, task.mixer.public_key, task.digest))
        self.transport_of(task).send_sealed(task.id, report.sealed, invitation)
    elif isinstance(report, Report):
        self._transport.send(task.id, report, invitation)
    stored = StoredReport(report, task.to_json(), realised_epsilon(task), self.today(), self._transport.url, invitation)
    with self._folder.locked():
        return self._outbox.add(task.id, stored)


def race(url: str, root: Path, tasks: list[Task], cap: str | None) -> None:
    """Let all children submit at once, each for one of the tasks."""

    def submit(client: Client, number: int) -> dict[str, object]:
        receipt = client.submit(tasks[number % len(tasks)].id, PAIRS)
        return {"status": receipt.status, "perturbed": receipt.perturbed}

    def fetch(client: Client, number: int) -> object:
        return client.task(tasks[number % len(tasks)].id)

    _race(Client(url, root / "shared", cap=cap, retry_policy=RETRY_POLICY), fetch, submit)


def race_in_rounds(url: str, root: Path, series: Series) -> None:
    """Let all children report to a series at once; no panel is drawn yet."""

    def report(client: Client, _: int) -> dict[str, object]:
        receipt = client.report(series.id, PAIRS)
        return {"status": receipt.status, "perturbed": receipt.perturbed, "round": receipt.round}

    client = Client(url, root / "shared", retry_policy=RETRY_POLICY)
    _race(client, lambda client, _: client.series(series.id), report)


def _race(
    client: Client, prepare: Callable[[Client, int], object], run: Callable[[Client, int], dict[str, object]]
) -> None:
    """Let all children prepare, then run at once, and print what each one returns."""
    ready, go = os.pipe()

    def racer(number: int) -> Callable[[], None]:
        def work() -> None:
            os.close(go)
            prepare(client, number)
            os.read(ready, 1)
            try:
                outcome = run(client, number)
            except PckvError as error:
                outcome = {"status": error.code, "perturbed": False, "error": str(error)}
            os.write(1, json.dumps(outcome).encode() + b"\n")

        return work

    children = [child(racer(number)) for number in range(RACERS)]
    os.close(ready)
    os.close(go)
    for number in children:
        killed(number)


def main() -> None:
    # A killed process loses nothing that it wrote; power cuts are not tested here.
    os.fsync = lambda fd: None  # noqa: ARG005
    action, url, root, file = sys.argv[1:5]
    if action == "race-in-rounds":
        race_in_rounds(url, Path(root), Series.from_json(Path(file).read_text(encoding="utf-8")))
        return
    tasks = [Task.from_json(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    if action == "race":
        race(url, Path(root), tasks, sys.argv[5] if len(sys.argv) > 5 else None)
        return
    if action == "send-first":
        Reports.make = make_sending_first  # type: ignore[assignment,method-assign]
    if action == "remove-without-record":
        # Records are the only thing that outlives a report.
        Ledger.record = lambda *_: None  # type: ignore[method-assign]
    kill(url, Path(root), tasks, int(sys.argv[5]), remove=action.startswith("remove"))


if __name__ == "__main__":
    main()
