"""The Python client as a device that reports to mixed tasks."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Series, Task
from pckv.base.canonical import base64url
from pckv.base.errors import PckvError
from pckv.client import Client
from pckv.client.folder import StateFolder
from pckv.client.outbox import REPORT_SUFFIX, SPENT_SUFFIX, Outbox, SealedReport
from pckv.sealing.envelope import suite
from support.client_collector import ReceivedRequest, Reply
from support.client_devices import QUICK
from support.mixed_checks import PAIRS, Answer, Place, StoredSealed


class MixedPython:
    """A state folder, and a new client for every call."""

    def __init__(self, place: Place, state: Path) -> None:
        self.early, self._state = 0, state
        answer = place.mixer.answer

        def watched(request: ReceivedRequest) -> Reply:
            if request.path.endswith("/sealed"):
                self.early += not self._is_stored(request.path.split("/")[2], request.body)
            return answer(request)

        place.mixer.answer = watched  # type: ignore[method-assign]

    def _is_stored(self, task_id: str, sealed: bytes) -> bool:
        report, record = (self._state / (task_id + suffix) for suffix in (REPORT_SUFFIX, SPENT_SUFFIX))
        return record.exists() and report.exists() and base64url(sealed).encode() in report.read_bytes()

    def _client(self, url: str, **options: Any) -> Client:
        return Client(url, self._state, **({"retry_policy": QUICK} | options))

    def _answer(self, call: Callable[[], Any]) -> Answer:
        try:
            receipt = call()
        except PckvError as error:
            return Answer(error.code, str(error))
        return Answer(str(receipt.status), receipt.reason)

    def submit(
        self, task: Task, url: str, pairs: dict[str, float] = PAIRS, *, invitation: str | None = None, **caps: str
    ) -> Answer:
        return self._answer(lambda: self._client(url, **caps).submit(task.id, pairs, invitation=invitation))

    def report(self, series: Series, url: str, now: dt.datetime) -> Answer:
        return self._answer(lambda: self._client(url, clock=lambda: now).report(series.id, PAIRS))

    def flush(self, url: str) -> list[str]:
        return [str(receipt.status) for receipt in self._client(url).flush()]

    def stored(self, task: Task) -> StoredSealed | None:
        found = Outbox(StateFolder(self._state)).find(task.id)
        if found is None:
            return None
        report = found.report
        if isinstance(report, SealedReport):
            return StoredSealed(report.body, report.sealed, has_id=False)
        return StoredSealed(report.body, b"", has_id=True)

    def sums(self) -> tuple[Decimal, Decimal, Decimal]:
        client = self._client("http://nowhere.test")
        return client.spent, client.spent_delta, client.local_spent

    def words(self) -> list[str]:
        client = self._client("http://nowhere.test")
        return [*(entry.text for entry in client.ledger()), *client.ledger_summary()]

    @contextmanager
    def cannot_seal(self) -> Iterator[None]:
        """Let the package be missing."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("hpke", "asymmetric.x25519"):
                patch.setitem(sys.modules, f"cryptography.hazmat.primitives.{name}", None)
            suite.cache_clear()
            yield
        suite.cache_clear()
