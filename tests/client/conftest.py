"""A fake collector, a state folder and spies for the tests of this folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import pckv.client
from pckv import Report, Task
from support.client_collector import FakeCollector
from support.client_devices import MOVIES, OTHERS


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def collector() -> Iterator[FakeCollector]:
    with FakeCollector(MOVIES, OTHERS).serving() as serving:
        yield serving


@pytest.fixture
def perturbed_reports(monkeypatch: pytest.MonkeyPatch) -> list[Report]:
    """Record all reports that are perturbed."""
    reports: list[Report] = []

    def watched(
        task: Task, pairs: dict[str, float], coin: bytes | None = None, *, segment: str | None = None
    ) -> Report:
        reports.append(pckv.perturb(task, pairs, coin, segment=segment))
        return reports[-1]

    monkeypatch.setattr("pckv.client.reports.perturb", watched)
    return reports


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record the pauses between attempts instead of waiting."""
    seconds: list[float] = []
    # Not the module's own function: other threads of the test run sleep too.
    clock = SimpleNamespace(time=time.time, monotonic=time.monotonic, sleep=seconds.append)
    monkeypatch.setattr("pckv.client.transport.time", clock)
    return seconds


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "some" / "state"
