"""The bench of mixed tasks starts: small numbers go through all of its parts, and no speed is judged."""

from __future__ import annotations

import socket
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from pckv.sealing.recipient_key import RecipientKey

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mixing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the bench with small numbers."""
    monkeypatch.syspath_prepend(str(ROOT))
    bench = import_module("bench.mixing")
    for name, value in {"PAIRS": 1, "OPENED": 40, "RELEASED": 60, "ADDED_AT_ONCE": 20, "SEALED_AT_ONCE": 2}.items():
        monkeypatch.setattr(bench, name, value)
    return bench


def test_batches_are_opened_and_released(mixing: Any, tmp_path: Path) -> None:
    made = [mixing.opening(tmp_path), *mixing.release("sqlite", tmp_path)]
    assert [measurement.unit for measurement in made] == ["reports/s", "s", "MB"]
    assert all(measurement.result > 0 for measurement in made)


@pytest.mark.verify
def test_a_mixer_and_a_page_start(mixing: Any, tmp_path: Path) -> None:
    task = mixing.mixed_task(RecipientKey.generate(), 60, mixing.CLOSING_DAY)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with mixing.running_mixer(port, tmp_path, task), urlopen(f"http://127.0.0.1:{port}/tasks/{task.id}") as answer:
        assert answer.read() == task.to_json().encode()
    seal_time, size = mixing.participants_page()
    assert seal_time.result > 0
    # No clock is involved.
    assert size.met
