"""The Python client as a device whose ledger is checked."""

from __future__ import annotations

import datetime as dt
import os
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import PckvError
from pckv.client import Client
from pckv.client.folder import _sealed
from pckv.client.outbox import REPORT_SUFFIX, SPENT_SUFFIX
from pckv.client.reports import Clock, utc_now
from support.client_collector import FakeCollector
from support.client_devices import PAIRS, QUICK

SECONDS_PER_DAY = 86_400
_real_time = time.time


class _Killed(BaseException):
    """Ends a client like a kill: nothing of the client catches it."""


class PythonDevice:
    """A state folder, and a new client for every call."""

    def __init__(self, collector: FakeCollector, state: Path, patch: pytest.MonkeyPatch) -> None:
        self.collector, self._state, self._patch = collector, state, patch
        self._clock: Clock = utc_now

    def _client(self, cap: str | None = None, folder: str = "") -> Client:
        return Client(self.collector.url + folder, self._state, cap=cap, retry_policy=QUICK, clock=self._clock)

    def submit(self, task: Task, cap: str | None = None, folder: str = "") -> str:
        try:
            return self._client(cap, folder).submit(task.id, PAIRS).status
        except PckvError as error:
            return error.code

    def crash_while_sending(self, task: Task) -> None:
        client = self._client()
        send = client._transport.send

        def sent_and_killed(*arguments: Any) -> None:
            send(*arguments)
            raise _Killed

        self._patch.setattr(client._transport, "send", sent_and_killed)
        with pytest.raises(_Killed):
            client.submit(task.id, PAIRS)

    def spent(self) -> Decimal:
        return self._client().spent

    def remove_report(self, task: Task) -> None:
        (self._state / (task.id + REPORT_SUFFIX)).unlink()
        (self._state / f"{task.id}.outcome").unlink(missing_ok=True)

    def remove_record(self, task: Task) -> None:
        (self._state / (task.id + SPENT_SUFFIX)).unlink()

    def edit_record(self, task: Task) -> None:
        path = self._state / (task.id + SPENT_SUFFIX)
        text = path.read_text(encoding="utf-8").splitlines()[0]
        path.write_bytes(_sealed(text.replace('"epsilon":"1"', '"epsilon":"0"')))

    def move_clock(self, days: int) -> None:
        """Files also look older by as many days."""
        now, seconds = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days), days * SECONDS_PER_DAY
        self._clock = lambda: now
        self._patch.setattr(time, "time", lambda: _real_time() + seconds)
        for path in self._state.iterdir() if self._state.exists() else ():
            os.utime(path, (_real_time() - seconds,) * 2)
