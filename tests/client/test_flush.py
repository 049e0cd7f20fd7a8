"""Reports that wait, invitations, and reports that change their address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pckv import Report, Task
from pckv.base.errors import ClientError, DataError, ParameterError
from support.client_collector import FakeCollector, Reply, problem
from support.client_devices import KEYS, MOVIES, OTHERS, PAIRS, QUICK, REFUSED, device, reply_with


@pytest.mark.usefixtures("pauses")
def test_flush_sends_what_waits_for_this_collector(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, Reply(500), monkeypatch, 6)
    client = device(collector, state)
    for task in (MOVIES, OTHERS):
        assert client.submit(task.id, PAIRS).status == "waiting"
    with FakeCollector().serving() as elsewhere:
        assert device(elsewhere, state).flush() == []
        assert elsewhere.received == []
    assert [receipt.status for receipt in client.flush()] == ["sent", "sent"]
    assert len(set(collector.sent)) == 2


@pytest.mark.usefixtures("pauses")
def test_flush_gives_up_on_a_failing_collector_but_not_after_one_task(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(collector, state)
    reply_with(collector, problem(403, "not-open", "it opens on 2999-01-01"), monkeypatch, 3)
    for task in (MOVIES, OTHERS):
        client.submit(task.id, PAIRS)
    receipts = client.flush()
    assert [(receipt.status, receipt.reason) for receipt in receipts] == [
        ("waiting", "not-open: it opens on 2999-01-01"),
        ("sent", ""),
    ]
    others = [Task(name=f"task {number}", keys=KEYS, values=(1, 5), epsilon=1) for number in range(3)]
    collector.tasks |= {task.id: task.to_json().encode() for task in others}
    reply_with(collector, Reply(500), monkeypatch, 999)
    for task in others:
        client.submit(task.id, PAIRS)
    before = len(collector.sent)
    assert {(receipt.status, receipt.reason) for receipt in client.flush()} == {("waiting", "HTTP 500")}
    assert len(collector.sent) - before == QUICK.tries


@pytest.mark.usefixtures("pauses")
def test_flush_records_refusals_before_it_reports_damage(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(collector, state)
    reply_with(collector, Reply(500), monkeypatch, 6)
    for task in (MOVIES, OTHERS):
        client.submit(task.id, PAIRS)
    reply_with(collector, problem(410, "deleted"), monkeypatch)
    damaged, sound = sorted((MOVIES.id, OTHERS.id))
    (state / f"{damaged}.report").write_bytes(b"")
    with pytest.raises(DataError, match=damaged):
        client.flush()
    with pytest.raises(ClientError, match=f"{sound} was refused: the task was deleted"):
        client.submit(sound, PAIRS)


def test_an_invitation_travels_with_its_report(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(collector, state)
    reply_with(collector, problem(401, "bad-token"), monkeypatch)
    client.submit(MOVIES.id, PAIRS, invitation="tokeN")
    client.flush()
    assert [json.loads(body)["reports"][0].pop("invitation") for body in collector.sent] == ["tokeN"] * 2
    assert len(perturbed_reports) == 1
    with pytest.raises(ParameterError, match="invitation"):
        client.submit(OTHERS.id, PAIRS, invitation="")


def test_a_mistyped_invitation_loses_nothing(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(collector, state)
    reply_with(collector, Reply(200, REFUSED.replace(b"conflict", b"invitation_unknown")), monkeypatch, 2)
    for invitation in ("mistyped", None, "mistyped"):
        with pytest.raises(ClientError, match="the invitation is missing or unknown"):
            client.submit(MOVIES.id, PAIRS, invitation=invitation)
    receipt = client.submit(MOVIES.id, PAIRS, invitation="right")
    assert (receipt.status, receipt.perturbed, len(perturbed_reports)) == ("sent", False, 1)
    reports = [json.loads(body)["reports"][0] for body in collector.sent]
    assert [report.pop("invitation") for report in reports] == ["mistyped", "mistyped", "right"]
    assert reports == [reports[0]] * 3


def test_a_refusal_elsewhere_loses_nothing(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    client = device(collector, state)
    client.task(MOVIES.id)
    with FakeCollector().serving() as elsewhere:
        elsewhere.answers.append(problem(404, "unknown"))
        with pytest.raises(ClientError, match="there is no such task"):
            device(elsewhere, state).submit(MOVIES.id, PAIRS)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert [elsewhere.sent, len(perturbed_reports)] == [collector.sent, 1]


def test_a_refusal_does_not_undo_a_success(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, other = device(collector, state), device(collector, state)
    client.task(MOVIES.id)
    real = client._transport.send

    def overtaken(*arguments: Any) -> Any:
        assert other.submit(MOVIES.id, PAIRS).status == "sent"
        collector.answers.append(problem(403, "closed"))
        return real(*arguments)

    monkeypatch.setattr(client._transport, "send", overtaken)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert other.submit(MOVIES.id, PAIRS).status == "sent"
