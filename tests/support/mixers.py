"""Mixers for tests: tasks that they accept, sealed reports, and the real application on a real socket."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2

from pckv import Task
from pckv.base.canonical import base64url, dump
from pckv.base.days import days_between
from pckv.base.wire import Report
from pckv.collector.http.auth import token_hash
from pckv.contract.mixer import entry_bytes
from pckv.contract.series import Series
from pckv.mixing.app import create_mixer
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.service import MixerService
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore
from pckv.store.base import ReportOutcome, Role, Upload
from support.collectors import bearer, served
from support.stores import store_url

ORIGIN, OPERATOR = "https://mix.example", "Example Mixers"
SETTINGS = MixerSettings(origin=ORIGIN, operator=OPERATOR)
OPERATOR_TOKEN, RECIPIENT_TOKEN = "operators-token", "recipients-token"
# Of tasks in most tests.
OPENS, DAY, CLOSES = "2030-01-10", "2030-01-15", "2030-01-20"
SECONDS_PER_DAY = 24 * 60 * 60
KEY = base64url(hashlib.sha256(b"a recipient").digest()[:31] + b"\x01")

_numbers = itertools.count()


def mixer_member(batch: int = 3, honest: int | None = None, epsilon: object = 1, **members: Any) -> dict[str, Any]:
    """Return the mixer of a task, whose claim is that of a single report unless another ε is given."""
    defaults = {"url": ORIGIN, "operator": OPERATOR, "key": KEY, "delta": "0.000001"}
    return defaults | {"batch": batch, "honest": honest or batch, "epsilon": epsilon} | members


def mixed_task(batch: int = 3, **members: Any) -> Task:
    """Return a mixed task that no other test has."""
    defaults: dict[str, Any] = {"name": f"mixed {next(_numbers)}", "keys": 11, "values": (0, 1), "epsilon": 1}
    defaults |= {"opens": OPENS, "closes": CLOSES, "mechanism": "grr", "mixer": mixer_member(batch)}
    return Task(**(defaults | members))


def edited(task: Task, **mixer: object) -> bytes:
    """Return the text of a task with other members of its mixer, which nothing has checked."""
    members = json.loads(task.to_json())
    members["mixer"] |= mixer
    return dump(members).encode()


def sealed(task: Task, number: int) -> bytes:
    """Return bytes that a mixer cannot tell from a sealed report: the same for all tasks with bodies of one length."""
    return hashlib.shake_256(b"sealed %d" % number).digest(entry_bytes(task))


def entry(task: Task, number: int) -> Report:
    content = sealed(task, number)
    return Report(hashlib.sha256(content).digest(), content)


def accept(store: MixerStore, task: Task, day: str = DAY) -> None:
    assert store.accept_task(task, day, token_hash(RECIPIENT_TOKEN))


def add(store: MixerStore, task: Task, *numbers: int, day: str = DAY, held: int = 4) -> list[ReportOutcome]:
    """Send sealed reports, each in a request of its own, in one transaction."""
    uploads = [Upload(task.id, [entry(task, number)], [None]) for number in numbers]
    return [outcome for (outcome,) in store.add_sealed(uploads, day, held)]


def batch_bytes(store: MixerStore, task: Task) -> bytes:
    """Return all pages of a released batch."""
    pages = (store.find_page(task.id, number) for number in itertools.count())
    return b"".join(itertools.takewhile(lambda page: page is not None, pages))  # type: ignore[arg-type]


def entries_of(task: Task, content: bytes) -> list[bytes]:
    size = entry_bytes(task)
    return [content[start : start + size] for start in range(0, len(content), size)]


@contextmanager
def opened(url: str) -> Iterator[MixerStore]:
    """Open and prepare the store of a mixer; close it in the end."""
    store = open_mixer_store(url)
    try:
        store.prepare()
        yield store
    finally:
        store.close()


@contextmanager
def new_store(kind: str, folder: Path) -> Iterator[MixerStore]:
    with opened(store_url(kind, folder)) as store:
        yield store


class Clock:
    """A clock that tests set, and one that nothing sets: both go on together unless one jumps."""

    def __init__(self, day: str = DAY) -> None:
        self.seconds = float(days_between("1970-01-01", day) * SECONDS_PER_DAY)
        self.elapsed = 0.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.elapsed

    def pass_time(self, seconds: float) -> None:
        self.seconds += seconds
        self.elapsed += seconds

    def pass_days(self, days: float) -> None:
        self.pass_time(days * SECONDS_PER_DAY)

    def jump_days(self, days: float) -> None:
        self.seconds += days * SECONDS_PER_DAY


@dataclass
class RunningMixer:
    """A running mixer, and an HTTP client for it."""

    service: MixerService
    store: MixerStore
    clock: Clock
    port: int
    client: httpx2.Client = field(repr=False)

    def take_own_address(self) -> str:
        """Let the origin of the mixer be where it listens, so that a collector can ask it; return that."""
        self.service.settings = replace(self.service.settings, origin=f"http://127.0.0.1:{self.port}")
        return self.service.settings.origin

    def accept(self, task: Task | bytes, **query: Any) -> httpx2.Response:
        content = task if isinstance(task, bytes) else task.to_json().encode()
        return self._post("/tasks", content, **query)

    def accept_series(self, series: Series) -> httpx2.Response:
        return self._post("/series", series.to_json().encode())

    def _post(self, path: str, content: bytes, **query: Any) -> httpx2.Response:
        headers = bearer(OPERATOR_TOKEN) | {"Content-Type": "application/json"}
        return self.client.post(path, params=query, content=content, headers=headers)

    def accepted(self, task: Task) -> str:
        """Accept a task; return its recipient's token."""
        answer = self.accept(task)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def send(self, task: Task | str, content: bytes, invitation: str | None = None) -> httpx2.Response:
        task_id = task if isinstance(task, str) else task.id
        headers = {"Content-Type": "application/octet-stream"}
        headers |= {} if invitation is None else {"PCKV-Invitation": invitation}
        return self.client.post(f"/tasks/{task_id}/sealed", content=content, headers=headers)

    def send_all(self, task: Task, numbers: range) -> None:
        for number in numbers:
            assert self.send(task, sealed(task, number)).status_code == 200

    def operate(self, method: str, path: str, **query: Any) -> httpx2.Response:
        return self.client.request(method, path, params=query, headers=bearer(OPERATOR_TOKEN))

    def fetch(self, task: Task, token: str, part: str = "") -> httpx2.Response:
        return self.client.get(f"/tasks/{task.id}/batch{part}", headers=bearer(token))

    def acknowledge(self, task: Task, token: str, sha256: str) -> httpx2.Response:
        return self.client.post(f"/tasks/{task.id}/batch/acknowledge", json={"sha256": sha256}, headers=bearer(token))

    def do_due(self) -> None:
        """Do what maintenance does every minute, an hour after it did so last."""
        self.service.maintenance.do_due()
        self.clock.pass_time(3600)
        self.service.maintenance.do_due()


@contextmanager
def running_mixer(store: MixerStore, clock: Clock | None = None, **settings: Any) -> Iterator[RunningMixer]:
    """Run a mixer while the context lasts."""
    clock = clock or Clock()
    store.set_token(Role.ADMINISTRATOR, token_hash(OPERATOR_TOKEN))
    chosen = MixerSettings(**({"origin": ORIGIN, "operator": OPERATOR} | settings))
    app = create_mixer(store, chosen, now=clock.now, elapsed=clock.monotonic)
    with served(app) as (port, client, _):
        yield RunningMixer(app.state.service, store, clock, port, client)
