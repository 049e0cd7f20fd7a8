"""What a device may spend: the cap, and either a pilot or its main task."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pckv.client
from pckv import Report, Task
from pckv.client import Client, Status
from pckv.errors import ClientError, DataError, ParameterError
from support.client_collector import FakeCollector, problem
from support.client_devices import (
    MOVIES,
    OTHERS,
    PAIRS,
    PILOT,
    device,
    reply_with,
    stored_files,
)


def test_the_cap_is_respected(collector: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    both = Decimal(repr(MOVIES.realised_epsilon)) + Decimal(repr(OTHERS.realised_epsilon))
    short = device(collector, state, cap=both - Decimal("1e-18"))
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    before = stored_files(state)
    with pytest.raises(ClientError, match="over the cap") as caught:
        short.submit(OTHERS.id, PAIRS)
    assert caught.value.code == "over_budget"
    assert len(perturbed_reports) == 1
    # The task was pinned, which spends nothing; nothing else was written.
    assert stored_files(state).keys() - before.keys() == {f"{OTHERS.id}.task"}
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    enough = device(collector, state, cap=both)
    assert enough.submit(OTHERS.id, PAIRS).status == "sent"
    assert enough.spent == both
    assert enough.ledger.keys() == {MOVIES.id, OTHERS.id}


@pytest.mark.parametrize("cap", [0, "0.1"])
def test_nothing_is_sent_above_a_small_cap(
    collector: FakeCollector, state: Path, cap: str, perturbed_reports: list[Report]
) -> None:
    with pytest.raises(ClientError, match=r"over the cap of 0"):
        device(collector, state, cap=cap).submit(MOVIES.id, PAIRS)
    assert (perturbed_reports, collector.sent) == ([], [])


@pytest.mark.parametrize("cap", [-1, "much", float("nan"), True])
def test_a_cap_is_a_number(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap"):
        Client("http://localhost", state, cap=cap)


def test_nothing_is_added_to_a_damaged_ledger(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    device(collector, state).submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").write_bytes(b"")
    # Even without a cap: the damaged report may be that of this survey's pilot.
    for cap in (9, None):
        with pytest.raises(DataError, match=MOVIES.id):
            device(collector, state, cap=cap).submit(OTHERS.id, PAIRS)
    assert len(perturbed_reports) == 1


@pytest.mark.parametrize(
    ("first", "second", "roles"),
    [(PILOT, MOVIES, ("pilot", "main task")), (MOVIES, PILOT, ("main task", "pilot"))],
    ids=["pilot first", "pilot second"],
)
@pytest.mark.parametrize("status", Status)
def test_nobody_serves_in_a_pilot_and_its_main_task(
    collector: FakeCollector,
    state: Path,
    first: Task,
    second: Task,
    roles: tuple[str, str],
    status: Status,
    perturbed_reports: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever became of the first report, its ε is spent."""
    replies = {Status.WAITING: problem(401, "bad-token"), Status.REFUSED: problem(403, "closed")}
    if status in replies:
        reply_with(collector, replies[status], monkeypatch)
    client = device(collector, state)
    with suppress(ClientError):
        client.submit(first.id, PAIRS)
    assert client._outbox.outcome(first.id).status is status
    before, sent = client.ledger, len(collector.sent)
    with pytest.raises(ClientError) as caught:
        client.submit(second.id, PAIRS)
    assert caught.value.code == "already_served"
    assert str(caught.value) == (
        f"this device served in the {roles[0]} 'movies', task {first.id}: "
        f"it cannot serve in the {roles[1]} too; nothing was perturbed"
    )
    assert (len(perturbed_reports), len(collector.sent), client.ledger) == (1, sent, before)
    # The same task again is a resend, and surveys of other names or tasks of the same kind are others.
    if status is Status.WAITING:
        assert client.submit(first.id, PAIRS).status == "sent"
    assert client.submit(OTHERS.id, PAIRS).perturbed
    again = Task.from_json(first.to_json().replace('"epsilon":"1"', '"epsilon":"2"'))
    collector.tasks[again.id] = again.to_json().encode()
    assert client.submit(again.id, PAIRS).perturbed


def test_only_the_lock_keeps_a_pilot_and_its_main_task_apart(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the race in test_processes.py: without the lock, a device serves in both."""
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(collector, state), device(collector, state)

    def overtaken(task: Task, pairs: dict[str, float]) -> Report:
        monkeypatch.setattr("pckv.client.client.perturb", pckv.perturb)
        assert second.submit(PILOT.id, PAIRS).perturbed
        return pckv.perturb(task, pairs)

    monkeypatch.setattr("pckv.client.client.perturb", overtaken)
    assert first.submit(MOVIES.id, PAIRS).perturbed
    assert first.ledger.keys() == {MOVIES.id, PILOT.id}
