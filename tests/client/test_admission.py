"""A client asks before it perturbs: against a real collector, and against answers of all kinds."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pckv
from pckv import Report, Task
from pckv.base.canonical import base64url
from pckv.base.errors import ClientError, PairsError
from pckv.client import Client
from pckv.client.transport import MEANINGS
from pckv.contract.coins import follows_coin
from support.client_collector import LOST, FakeCollector, Reply, problem
from support.client_devices import KEYS, LASTING_FAILURES, MOVIES, PAIRS, QUICK, TEMPORARY_FAILURES, device
from support.collectors import Running, new_task, running
from support.mixed_tasks import a_mixed_task
from support.stores import stored_reports

COINS = Task(
    name="coins",
    keys=KEYS,
    values=(1, 5),
    epsilon=1,
    padding=1,
    mechanism={"name": "ue-compact", "q": 3},
    size_share="0.25",
    coin="server",
)
COIN = bytes(range(16))
GIVEN = Reply(200, json.dumps({"coin": base64url(COIN)}).encode())


@pytest.fixture(scope="module")
def real() -> Iterator[Running]:
    with running() as started:
        yield started


def client_of(real: Running, state: Path) -> Client:
    return Client(f"http://127.0.0.1:{real.port}", state, retry_policy=QUICK)


def a_task(real: Running, **members: Any) -> Task:
    return real.add_task(**{"keys": KEYS, "values": (1, 5)} | members)


def invite(real: Running, task: Task) -> str:
    made = real.administer("POST", f"/tasks/{task.id}/invitations?count=1").json()
    return str(made["invitations"][0])


def test_a_coin_is_fetched_and_its_report_taken(real: Running, state: Path, perturbed_reports: list[Report]) -> None:
    task = a_task(real, mechanism="collision", padding=1, size_share="0.25", coin="server")
    invitation = invite(real, task)
    receipt = client_of(real, state).submit(task.id, PAIRS, invitation=invitation)
    assert (receipt.status, receipt.perturbed) == ("sent", True)
    [report] = perturbed_reports
    assert stored_reports(real.store, task) == [report]
    assert follows_coin(task, report.id, task.message_format.decode(report.body))


def test_who_dies_with_a_coin_gets_the_same_one_again(
    real: Running, state: Path, monkeypatch: pytest.MonkeyPatch, perturbed_reports: list[Report]
) -> None:
    task = a_task(real, mechanism="ue-compact", padding=1, coin="server")
    invitation, fetched = invite(real, task), []

    def dies(_: Task, __: dict[str, float], coin: bytes | None, *, segment: str | None) -> Report:
        assert segment is None
        fetched.append(coin)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pckv.client.reports.perturb", dies)
        with pytest.raises(KeyboardInterrupt):
            client_of(real, state).submit(task.id, PAIRS, invitation=invitation)
    assert client_of(real, state).spent == 0
    assert client_of(real, state).submit(task.id, PAIRS, invitation=invitation).status == "sent"
    assert [report.id for report in perturbed_reports] == fetched


def refused_tasks(real: Running) -> Iterator[tuple[str, Task, str | None]]:
    """Yield the code of a refusal, a task that a collector refuses, and an invitation."""
    closed, deleted, invited = (a_task(real) for _ in range(3))
    yield "closed", closed, None
    yield "deleted", deleted, None
    invitation = invite(real, invited)
    yield "invitation_unknown", invited, None
    yield "invitation_unknown", invited, "another"
    [item] = [{"id": "A" * 22, "body": "A" * 11, "invitation": invitation}]
    assert real.send(invited, [item]).json() == {"refused": []}
    yield "invitation_spent", invited, invitation
    coins = a_task(real, mechanism="collision", coin="server")
    yield "invitation_unknown", coins, None


def test_nothing_is_spent_on_a_report_that_would_be_refused(
    real: Running, tmp_path: Path, perturbed_reports: list[Report]
) -> None:
    cases = list(refused_tasks(real))
    for number, (code, task, invitation) in enumerate(cases):
        client = client_of(real, tmp_path / str(number))
        # The client knows the task from before it was closed.
        client.task(task.id)
        if code in {"closed", "deleted"}:
            path = f"/tasks/{task.id}"
            real.administer(*(("DELETE", f"{path}?now=true") if code == "deleted" else ("POST", f"{path}/close")))
        with pytest.raises(ClientError, match="nothing was perturbed") as caught:
            client.submit(task.id, PAIRS, invitation=invitation)
        assert (caught.value.code, "\n" in str(caught.value)) == (code, False)
        assert f"no report of task {task.id} can be made: {MEANINGS[code]}" in str(caught.value)
        assert (client.spent, client.ledger()) == (Decimal(0), [])
    assert perturbed_reports == []


def test_a_task_that_opens_later_is_not_perturbed(state: Path, perturbed_reports: list[Report]) -> None:
    tomorrow = str(dt.datetime.now(dt.UTC).date() + dt.timedelta(2))
    task = new_task(keys=KEYS, values=(1, 5), opens=tomorrow)
    with FakeCollector(task).serving() as collector:
        with pytest.raises(ClientError, match=f"opens on {tomorrow}; nothing was perturbed"):
            device(collector, state).submit(task.id, PAIRS)
        assert [request.method for request in collector.received] == ["GET"]
    assert perturbed_reports == []


def test_a_mixed_task_that_never_closes_is_not_perturbed(state: Path, perturbed_reports: list[Report]) -> None:
    with FakeCollector().serving() as collector:
        task = a_mixed_task({"url": collector.url}, closes=None)
        collector.tasks[task.id] = task.to_json().encode()
        with pytest.raises(ClientError, match=r"needs a day on which it closes: .*; nothing was perturbed") as caught:
            device(collector, state).submit(task.id, {})
        assert caught.value.code == "not_sent"
        assert {request.method for request in collector.received} == {"GET"}
    assert perturbed_reports == []


@pytest.mark.parametrize("reply", [*TEMPORARY_FAILURES, *LASTING_FAILURES[3:]], ids=str)
def test_whoever_does_not_decide_leaves_a_report_that_waits(
    collector: FakeCollector, state: Path, reply: Reply, perturbed_reports: list[Report], pauses: list[float]
) -> None:
    """As before there was an admission, offline too; but nothing is sent to a server that does not answer like a collector."""
    collector.admissions.extend([reply] * 3)
    receipt = device(collector, state).submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed, len(perturbed_reports)) == ("waiting", True, 1)
    assert receipt.reason
    assert collector.sent == []
    assert len(pauses) == (2 if reply in TEMPORARY_FAILURES else 0)
    collector.admissions.clear()
    assert device(collector, state).submit(MOVIES.id, PAIRS).status == "sent"


NO_COINS = [
    LOST,
    Reply(500),
    problem(503, "overloaded"),
    Reply(200, b'{"coin":null}'),
    Reply(200, b"{}"),
    Reply(200, b'{"coin":""}'),
    Reply(200, b'{"coin":"AAAA"}'),
    Reply(200, GIVEN.body.replace(b'"}', b'="}')),
    Reply(200, b'{"coin":["AAECAwQFBgcICQoLDA0ODw"]}'),
    Reply(200, GIVEN.body, "text/html"),
    Reply(302, GIVEN.body, headers={"Location": "/elsewhere"}),
]


@pytest.mark.parametrize("reply", NO_COINS, ids=str)
def test_without_a_coin_nothing_is_perturbed(
    collector: FakeCollector, state: Path, reply: Reply, perturbed_reports: list[Report], pauses: list[float]
) -> None:
    collector.tasks[COINS.id] = COINS.to_json().encode()
    collector.admissions.extend([reply] * 3)
    client = device(collector, state)
    with pytest.raises(ClientError, match=r"needs a coin from its collector \(.+\); nothing was perturbed") as caught:
        client.submit(COINS.id, PAIRS, invitation="token")
    assert caught.value.code == "not_sent"
    assert (perturbed_reports, collector.sent, client.spent) == ([], [], Decimal(0))
    assert len(pauses) <= 2


def test_a_coin_for_a_task_that_has_none_is_not_a_collectors_answer(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    collector.admissions.append(GIVEN)
    assert device(collector, state).submit(MOVIES.id, PAIRS).reason == "an answer that is not a collector's"
    assert perturbed_reports[0].id != COIN


def test_a_retry_sends_the_same_bytes_with_the_same_invitation(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    """Another invitation has another coin: it could only lose the report."""
    collector.tasks[COINS.id] = COINS.to_json().encode()
    collector.admissions.append(GIVEN)
    collector.replies.extend([Reply(500)] * 3)
    assert device(collector, state).submit(COINS.id, PAIRS, invitation="first").status == "waiting"
    assert device(collector, state).submit(COINS.id, {}, invitation="second").status == "sent"
    assert len(set(collector.sent)) == 1
    [item] = json.loads(collector.sent[-1])["reports"]
    assert (item["id"], item["invitation"]) == (base64url(COIN), "first")
    assert [report.id for report in perturbed_reports] == [COIN]


def test_what_is_wrong_here_is_said_before_anybody_is_asked(collector: FakeCollector, state: Path) -> None:
    client = device(collector, state, cap="0.5")
    with pytest.raises(ClientError) as caught:
        client.submit(MOVIES.id, PAIRS)
    assert caught.value.code == "over_budget"
    with pytest.raises(PairsError):
        device(collector, state, cap=9).submit(MOVIES.id, {"alien": 99})
    assert [request.method for request in collector.received] == ["GET"]


def test_the_library_alone_needs_the_coin_too() -> None:
    assert pckv.perturb(COINS, PAIRS, COIN).id == COIN
