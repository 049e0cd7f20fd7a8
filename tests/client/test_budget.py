"""What a device may spend: the cap, and a pilot or its main task."""

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
from support.client_collector import Double, problem
from support.client_devices import (
    MOVIES,
    OTHERS,
    PAIRS,
    PILOT,
    device,
    files,
    tell,
)


def test_the_cap_is_kept(double: Double, state: Path, made: list[Report]) -> None:
    both = Decimal(repr(MOVIES.realised_epsilon)) + Decimal(repr(OTHERS.realised_epsilon))
    short = device(double, state, cap=both - Decimal("1e-18"))
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    before = files(state)
    with pytest.raises(ClientError, match="over the cap") as caught:
        short.submit(OTHERS.id, PAIRS)
    assert caught.value.code == "over_budget"
    assert len(made) == 1
    # The task was pinned, which spends nothing; nothing else was written.
    assert files(state).keys() - before.keys() == {f"{OTHERS.id}.task"}
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    enough = device(double, state, cap=both)
    assert enough.submit(OTHERS.id, PAIRS).status == "sent"
    assert enough.spent == both
    assert enough.ledger.keys() == {MOVIES.id, OTHERS.id}


@pytest.mark.parametrize("cap", [0, "0.1"])
def test_a_small_cap_lets_nothing_pass(double: Double, state: Path, cap: str, made: list[Report]) -> None:
    with pytest.raises(ClientError, match=r"over the cap of 0"):
        device(double, state, cap=cap).submit(MOVIES.id, PAIRS)
    assert (made, double.sent) == ([], [])


@pytest.mark.parametrize("cap", [-1, "much", float("nan"), True])
def test_a_cap_is_a_number(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap"):
        Client("http://localhost", state, cap=cap)


def test_what_cannot_be_counted_is_not_added_to(double: Double, state: Path, made: list[Report]) -> None:
    device(double, state).submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").write_bytes(b"")
    # It may be the pilot of this very survey: there need not be a cap.
    for cap in (9, None):
        with pytest.raises(DataError, match=MOVIES.id):
            device(double, state, cap=cap).submit(OTHERS.id, PAIRS)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("first", "second", "roles"),
    [(PILOT, MOVIES, ("pilot", "main task")), (MOVIES, PILOT, ("main task", "pilot"))],
    ids=["pilot first", "pilot second"],
)
@pytest.mark.parametrize("status", Status)
def test_nobody_serves_in_a_pilot_and_its_main_task(
    double: Double,
    state: Path,
    first: Task,
    second: Task,
    roles: tuple[str, str],
    status: Status,
    made: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever became of the first report, its ε is spent."""
    replies = {Status.WAITING: problem(401, "bad-token"), Status.REFUSED: problem(403, "closed")}
    if status in replies:
        tell(double, replies[status], monkeypatch)
    client = device(double, state)
    with suppress(ClientError):
        client.submit(first.id, PAIRS)
    assert client._outbox.outcome(first.id).status is status
    before, sent = client.ledger, len(double.sent)
    with pytest.raises(ClientError) as caught:
        client.submit(second.id, PAIRS)
    assert caught.value.code == "already_served"
    assert str(caught.value) == (
        f"this device served in the {roles[0]} 'movies', task {first.id}: "
        f"it cannot serve in the {roles[1]} too; nothing was perturbed"
    )
    assert (len(made), len(double.sent), client.ledger) == (1, sent, before)
    # The same task again is a resend, and surveys of other names or tasks of the same kind are others.
    if status is Status.WAITING:
        assert client.submit(first.id, PAIRS).status == "sent"
    assert client.submit(OTHERS.id, PAIRS).perturbed
    again = Task.from_json(first.to_json().replace('"epsilon":"1"', '"epsilon":"2"'))
    double.tasks[again.id] = again.to_json().encode()
    assert client.submit(again.id, PAIRS).perturbed


def test_only_the_lock_keeps_a_pilot_and_its_main_task_apart(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the race below: who looks first and stores later serves in both."""
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(double, state), device(double, state)

    def overtaken(task: Task, pairs: dict[str, float]) -> Report:
        monkeypatch.setattr("pckv.client.client.perturb", pckv.perturb)
        assert second.submit(PILOT.id, PAIRS).perturbed
        return pckv.perturb(task, pairs)

    monkeypatch.setattr("pckv.client.client.perturb", overtaken)
    assert first.submit(MOVIES.id, PAIRS).perturbed
    assert first.ledger.keys() == {MOVIES.id, PILOT.id}
