"""What the collector answers, and when the client tries again."""

from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path

import pytest

from pckv import Report
from pckv.client import RetryPolicy
from pckv.errors import ClientError
from support.client_collector import Double, Reply, problem
from support.client_devices import (
    FINAL,
    LASTING,
    MOVIES,
    PAIRS,
    PASSING,
    device,
    tell,
)


@pytest.mark.parametrize("reply", PASSING, ids=str)
@pytest.mark.usefixtures("pauses")
def test_what_passes_is_tried_again(
    double: Double, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 2)
    receipt = device(double, state).submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", True)
    assert len(double.sent) == 3
    assert len(set(double.sent)) == 1
    assert len(double.reports[MOVIES.id]) == 1


@pytest.mark.parametrize("reply", PASSING, ids=str)
@pytest.mark.usefixtures("pauses")
def test_what_does_not_pass_waits(
    double: Double, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 3)
    client = device(double, state)
    assert client.submit(MOVIES.id, PAIRS).status == "waiting"
    assert [receipt.status for receipt in client.flush()] == ["sent"]
    assert len(set(double.sent)) == 1


@pytest.mark.parametrize("reply", LASTING, ids=str)
def test_what_needs_time_waits_without_trying_on(
    double: Double, state: Path, reply: Reply, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch)
    client = device(double, state)
    receipt = client.submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert receipt.reason
    assert (len(double.sent), pauses) == (1, [])
    assert all(request.path != "/elsewhere" for request in double.received)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert len(set(double.sent)) == 1


@pytest.mark.parametrize(("reason", "reply"), FINAL.items(), ids=list(FINAL))
def test_what_is_refused_stays_refused(
    double: Double,
    state: Path,
    reason: str,
    reply: Reply,
    made: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tell(double, reply, monkeypatch)
    for _ in range(3):
        client = device(double, state)
        with pytest.raises(ClientError) as caught:
            client.submit(MOVIES.id, PAIRS)
        assert caught.value.code == "refused"
        assert str(caught.value) == f"the collector refuses the report of {MOVIES.id}: {reason}"
        assert client.flush() == []
    assert (len(made), len(double.sent)) == (1, 1)
    assert client.spent > 0


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (Reply(200, bytes(2**16 + 1)), "more than 65,536 bytes"),
        (Reply(200, b'{"refused":[]}', drip=0.1), "takes too long"),
        (Reply(200, b'{"refused":[]}', drip=0.5), "timed out"),
    ],
    ids=["large", "slow", "silent"],
)
def test_answers_are_bounded(
    double: Double, state: Path, reply: Reply, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 9)
    retry_policy = RetryPolicy(tries=2, seconds=0.6, first_pause=0.001, timeout=0.3)
    began = time.monotonic()
    receipt = device(double, state, retry_policy=retry_policy).submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert note in receipt.reason
    assert time.monotonic() - began < 5


def test_pauses_double_and_are_drawn_at_random(
    double: Double, state: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, Reply(500), monkeypatch, 1000)
    retry_policy = RetryPolicy(tries=5, seconds=1000, first_pause=1.0)
    client = device(double, state, retry_policy=retry_policy)
    client.submit(MOVIES.id, PAIRS)
    for _ in range(19):
        client.flush()
    assert len(pauses) == 20 * 4
    for place in range(4):
        drawn = pauses[place::4]
        assert len(set(drawn)) == 20
        # All 20 in one half of their range: 2 · 2^-20 for each place, 8e-6 in all.
        assert 0 <= min(drawn) < 2**place / 2 < max(drawn) < 2**place


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("7", [7.0]),
        ("0", [0.0]),
        ("nonsense", [0.0]),
        ("a minute ago", [0.0]),
        ("3600", []),
        ("9" * 400, []),
        ("in an hour", []),
    ],
)
def test_a_collector_says_when_to_come_back(
    double: Double,
    state: Path,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    expected: list[float],
) -> None:
    days = {"a minute ago": time.time() - 60, "in an hour": time.time() + 3600}
    header = formatdate(days[said], usegmt=True) if said in days else said
    tell(double, problem(503, "overloaded", Retry_After=header), monkeypatch)
    retry_policy = RetryPolicy(tries=2, seconds=60, first_pause=1e-9)
    receipt = device(double, state, retry_policy=retry_policy).submit(MOVIES.id, PAIRS)
    assert pauses == pytest.approx(expected, abs=1e-6)
    assert receipt.status == ("sent" if expected else "waiting")
