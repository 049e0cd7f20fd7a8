"""How the client handles answers, and when it tries again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pckv import Report
from pckv.base.errors import ClientError
from pckv.client import Client, RetryPolicy
from pckv.client.transport import explain
from support.client_collector import FakeCollector, Reply, problem
from support.client_devices import (
    FINAL_REFUSALS,
    LASTING_FAILURES,
    MOVIES,
    PAIRS,
    TEMPORARY_FAILURES,
    device,
    reply_with,
)
from support.endless import ENDLESS_ANSWERS, endless_collector


@pytest.mark.parametrize("reply", TEMPORARY_FAILURES, ids=str)
@pytest.mark.usefixtures("pauses")
def test_temporary_failures_are_retried(
    collector: FakeCollector, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, reply, monkeypatch, 2)
    receipt = device(collector, state).submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", True)
    assert len(collector.sent) == 3
    assert len(set(collector.sent)) == 1
    assert len(collector.reports[MOVIES.id]) == 1


@pytest.mark.parametrize("reply", TEMPORARY_FAILURES, ids=str)
@pytest.mark.usefixtures("pauses")
def test_a_report_waits_after_the_last_attempt(
    collector: FakeCollector, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, reply, monkeypatch, 3)
    client = device(collector, state)
    assert client.submit(MOVIES.id, PAIRS).status == "waiting"
    assert [receipt.status for receipt in client.flush()] == ["sent"]
    assert len(set(collector.sent)) == 1


@pytest.mark.parametrize("reply", LASTING_FAILURES, ids=str)
def test_lasting_failures_are_not_retried_at_once(
    collector: FakeCollector, state: Path, reply: Reply, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, reply, monkeypatch)
    client = device(collector, state)
    receipt = client.submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert receipt.reason
    assert (len(collector.sent), pauses) == (1, [])
    assert all(request.path != "/elsewhere" for request in collector.received)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert len(set(collector.sent)) == 1


@pytest.mark.parametrize(("reason", "reply"), FINAL_REFUSALS.items(), ids=list(FINAL_REFUSALS))
def test_a_refusal_is_final(
    collector: FakeCollector,
    state: Path,
    reason: str,
    reply: Reply,
    perturbed_reports: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reply_with(collector, reply, monkeypatch)
    for _ in range(3):
        client = device(collector, state)
        with pytest.raises(ClientError) as caught:
            client.submit(MOVIES.id, PAIRS)
        assert caught.value.code == "refused"
        said = f"the report of task {MOVIES.id} was refused: {explain(reason)}; ε = {client.spent:f} is spent"
        assert str(caught.value) == said
        assert client.flush() == []
    assert (len(perturbed_reports), len(collector.sent)) == (1, 1)
    assert client.spent > 0


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (Reply(200, bytes(2**16 + 1)), "more than 65,536 bytes"),
        (Reply(200, b'{"refused":[]}', drip=0.1), "takes too long"),
        (Reply(200, b'{"refused":[]}', drip=0.5), "no answer"),
    ],
    ids=["large", "slow", "silent"],
)
def test_answers_are_bounded(
    collector: FakeCollector, state: Path, reply: Reply, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, reply, monkeypatch, 9)
    retry_policy = RetryPolicy(tries=2, seconds=0.6, first_pause=0.001, timeout=0.3)
    began = time.monotonic()
    receipt = device(collector, state, retry_policy=retry_policy).submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert note in receipt.reason
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("answer", ENDLESS_ANSWERS)
def test_any_endless_answer_ends(state: Path, answer: str) -> None:
    """One that answers "100 Continue" again and again, or drips its head, held a client for as long as it liked."""
    retry_policy = RetryPolicy(tries=2, seconds=0.6, first_pause=0.001, timeout=0.3)
    began = time.monotonic()
    with endless_collector(answer) as collector:
        with pytest.raises(ClientError) as caught:
            Client(collector.url, state, retry_policy=retry_policy).submit(MOVIES.id, PAIRS)
        assert caught.value.code == "not_sent"
        assert collector.bytes_sent
    assert time.monotonic() - began < 20


def test_pauses_double_and_are_drawn_at_random(
    collector: FakeCollector, state: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    reply_with(collector, Reply(500), monkeypatch, 1000)
    retry_policy = RetryPolicy(tries=5, seconds=1000, first_pause=1.0)
    client = device(collector, state, retry_policy=retry_policy)
    client.submit(MOVIES.id, PAIRS)
    for _ in range(19):
        client.flush()
    assert len(pauses) == 20 * 4
    for attempt in range(4):
        lengths = pauses[attempt::4]
        assert len(set(lengths)) == 20
        # All 20 in one half of their range: 2 · 2^-20 per attempt, 8e-6 in all.
        assert 0 <= min(lengths) < 2**attempt / 2 < max(lengths) < 2**attempt


@pytest.mark.parametrize(
    ("retry_after", "expected"),
    [
        ("7", [7.0]),
        ("0", [0.0]),
        ("nonsense", [0.0]),
        ("3600", []),
        ("9" * 400, []),
        # To wait until a date would show how the clock of the device is set.
        ("Wed, 01 Jan 2020 00:00:00 GMT", [0.0]),
        ("Fri, 31 Dec 9999 23:59:59 GMT", [0.0]),
    ],
)
def test_retry_after_is_respected(
    collector: FakeCollector,
    state: Path,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    retry_after: str,
    expected: list[float],
) -> None:
    reply_with(collector, problem(503, "overloaded", Retry_After=retry_after), monkeypatch)
    retry_policy = RetryPolicy(tries=2, seconds=60, first_pause=1e-9)
    receipt = device(collector, state, retry_policy=retry_policy).submit(MOVIES.id, PAIRS)
    assert pauses == pytest.approx(expected, abs=1e-6)
    assert receipt.status == ("sent" if expected else "waiting")
