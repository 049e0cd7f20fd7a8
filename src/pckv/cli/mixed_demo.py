"""The mixed demo: a mixer and a collector as two processes, and a task as `pckv plan --mixed` proposes it."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pckv.base.canonical import base64url
from pckv.base.days import days_after, utc_today
from pckv.base.durable import PRIVATE_MODE, write_new
from pckv.base.errors import DataError
from pckv.cli.demo_processes import RunningService, running_service
from pckv.cli.remote import RemoteCollector
from pckv.cli.signals import EndSignals
from pckv.contract.mixer import Mixer
from pckv.contract.task import Task
from pckv.planning.plan import Plan
from pckv.planning.planner import plan
from pckv.sealing.recipient_key import RecipientKey

SERVICE = (sys.executable, "-m", "pckv.cli.moved_clock")
OPERATOR = "Demo Mixers"
# The task closes on the second day from now: it stays open, although a day may end while it runs.
OPEN_DAYS = 2
SECONDS_PER_DAY = 24 * 60 * 60
SECONDS_FOR_BATCH = 300
SECONDS_BETWEEN_QUESTIONS = 0.1


class MixedServices(NamedTuple):
    """A mixer and a collector that run, the task that both have, and the plan that it is from."""

    mixer: RunningService
    collector: RunningService
    plan: Plan
    task: Task
    signals: EndSignals

    def move_to_closing_day(self) -> str:
        """Move the clocks of both, wait until the batch is released, opened, stored and acknowledged; say what came."""
        seconds = str(OPEN_DAYS * SECONDS_PER_DAY)
        self.mixer.tell(seconds)
        self._wait("the mixer does not release the batch", lambda: self._mixer_state() != "collecting")
        self.collector.tell(seconds)
        self._wait("the collector does not open the batch", lambda: self._batch()["state"] in ("done", "too few"))
        batch = self._batch()
        if batch["state"] != "done" or self._mixer_state() != "done":
            raise DataError(str(batch["sentence"]))
        return str(batch["sentence"])

    def _mixer_state(self) -> str:
        return str(self.mixer.remote.ask("GET", "/tasks")["tasks"][0]["state"])

    def _batch(self) -> dict[str, Any]:
        batch: dict[str, Any] = self.collector.remote.ask("GET", f"/tasks/{self.task.id}/overview")["batch"]
        return batch

    def _wait(self, problem: str, is_done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS_FOR_BATCH
        while not is_done():
            self.signals.check()
            if time.monotonic() > deadline:
                raise DataError(f"{problem}: {self._batch()['sentence']}")
            time.sleep(SECONDS_BETWEEN_QUESTIONS)


def proposed_task(
    members: Mapping[str, Any], epsilon: int, pairs: float, users: int, **author: Any
) -> tuple[Plan, Task]:
    """Return what `pckv plan --mixed` recommends, and the task that it proposes.

    Args:
        members: The members of the task that a plan does not propose: name, keys, values, and others.
        epsilon: ε towards the recipient.
        pairs: How many pairs people hold on average.
        users: How many people take part.
        author: The members of its mixer that a plan does not propose: url, operator and key.
    """
    values = (float(members["values"][0]), float(members["values"][1]))
    planned = plan(len(members["keys"]), users, epsilon, pairs, values=values, mixed=users)
    assert planned.mixed is not None  # noqa: S101
    mixer = Mixer(**author, **vars(planned.mixed.mixer))
    return planned, Task(**members, epsilon=planned.epsilon, pairs=pairs, users=users, mixer=mixer)


@contextmanager
def mixed_services(
    members: Mapping[str, Any], epsilon: int, pairs: float, users: int, signals: EndSignals
) -> Iterator[MixedServices]:
    """Run a mixer and a collector that have accepted the task which a plan proposes for what `proposed_task` takes."""
    key, port = RecipientKey.generate(), _free_port()
    url, public_key = f"http://127.0.0.1:{port}", base64url(key.public_key)
    members = {**members, "closes": days_after(utc_today(), OPEN_DAYS)}
    planned, task = proposed_task(members, epsilon, pairs, users, url=url, operator=OPERATOR, key=public_key)
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder:
        keys = Path(folder) / "keys"
        keys.mkdir(0o700)
        key.write(keys / f"{public_key}.key")
        with (
            running_service((*SERVICE, "mixer"), _mixer_settings(url, port), signals, "mixer") as second_party,
            running_service((*SERVICE, "collector"), _collector_settings(keys), signals) as recipient,
        ):
            token = _push(second_party.remote, task)["token"]
            write_new(keys / f"{public_key}.token", f"{token}\n".encode(), PRIVATE_MODE)
            _push(recipient.remote, task)
            yield MixedServices(second_party, recipient, planned, task, signals)


def _mixer_settings(url: str, port: int) -> dict[str, str]:
    own = {"ORIGIN": url, "OPERATOR": OPERATOR, "PORT": str(port), "STORE": "sqlite:///{folder}/mixer.db"}
    return {f"PCKV_MIX_{name}": value for name, value in own.items()}


def _collector_settings(keys: Path) -> dict[str, str]:
    return {"PCKV_PORT": "0", "PCKV_STORE": "sqlite:///{folder}/pckv.db", "PCKV_MIXER_KEYS": os.fspath(keys)}


def _push(service: RemoteCollector, task: Task) -> dict[str, Any]:
    answer: dict[str, Any] = service.ask("POST", "/tasks", task.to_json().encode())
    return answer


def _free_port() -> int:
    """Return a port that is free now: a task names its mixer's before the mixer starts."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
