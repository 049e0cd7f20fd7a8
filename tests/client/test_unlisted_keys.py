"""Pairs of unlisted keys: hashed ones, and all others of a task that has a key for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from pckv import Report, Task
from pckv.base.errors import PairsError
from support.client_collector import FakeCollector
from support.client_devices import device
from support.tasks import a_task

HASHED = Task(name="any site", keys="hashed", values=(1, 5), epsilon=2, padding=2)
WITH_OTHER = a_task(
    name="some sites", keys=["alien", "heat", "né"], other="else", values=(1, 5), padding=2, more="refuse"
)
UNLISTED = "a site that nobody listed"


@pytest.fixture
def collector() -> Iterator[FakeCollector]:
    with FakeCollector(HASHED, WITH_OTHER).serving() as serving:
        yield serving


@pytest.mark.parametrize(
    ("task", "pairs"),
    [
        (HASHED, {UNLISTED: 5.0, "東京": 2.0, "x" * 256: 1.0}),
        # What cannot be a key is left out, and a second form of a key is the same key.
        (HASHED, {UNLISTED: 5.0, "": 1.0, "x" * 257: 1.0, "a\tb": 1.0, "\ud800": 1.0, "é": 5.0, "e\u0301": 1.0}),
        (HASHED, {"": 1.0}),
        (WITH_OTHER, {"alien": 5.0, UNLISTED: 2.0, "another": 3.0, "else": 1.0}),
        (WITH_OTHER, {"né": 5.0, "ne\u0301": 2.0, UNLISTED: 1.0}),
    ],
    ids=["hashed", "no keys among hashed ones", "no key", "other", "two forms of a listed key"],
)
def test_unlisted_keys_are_reported_once_and_stay_on_the_device(
    collector: FakeCollector,
    state: Path,
    perturbed_reports: list[Report],
    task: Task,
    pairs: dict[str, float],
) -> None:
    client = device(collector, state)
    receipt = client.submit(task.id, pairs)
    assert (receipt.status, receipt.epsilon) == ("sent", Decimal(repr(task.realised_epsilon)))
    assert client.submit(task.id, {"another time": 1.0}).perturbed is False
    assert (len(perturbed_reports), client.spent) == (1, receipt.epsilon)
    [sent] = set(collector.sent)
    assert len(json.loads(sent)["reports"]) == 1
    written = [file.read_bytes() for file in state.rglob("*") if file.is_file()]
    assert written
    for text in (sent, *written):
        assert UNLISTED.encode() not in text


@pytest.mark.parametrize(
    ("task", "pairs", "reason"),
    [
        (HASHED, {5: 1.0}, "key 5 is not a text"),
        # Even the values of what is left out.
        (HASHED, {"": 6.0}, "not a number within"),
        (HASHED, {"a": 6.0}, "not a number within"),
        # A value that is wrong is refused, whichever of the unlisted keys would be reported.
        (WITH_OTHER, {"x": 3.0, "y": 6.0}, "not a number within"),
        # All unlisted keys together are one pair.
        (WITH_OTHER, {"alien": 1.0, "heat": 1.0, "x": 1.0, "y": 1.0}, "at most 2 pairs, not 3"),
    ],
)
def test_what_cannot_be_reported_costs_nothing(
    collector: FakeCollector, state: Path, task: Task, pairs: dict[str, float], reason: str
) -> None:
    client = device(collector, state)
    with pytest.raises(PairsError, match=reason):
        client.submit(task.id, pairs)
    # Not even whether a participant would take part was asked.
    assert [request.method for request in collector.received] == ["GET"]
    assert client.spent == 0
    assert not client.ledger()
