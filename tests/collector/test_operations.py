"""Health, metrics and limits on requests."""

from __future__ import annotations

import json
import pickle

import pytest

from pckv.collector.http.rate_limit import BURST_SECONDS, RateLimit
from support.collectors import Running, check_problem, running, some_reports


def test_health_metrics_and_the_openapi_document(small: Running) -> None:
    task = small.add_task()
    small.upload(task, *some_reports(range(3), task))
    small.send(task, [{"id": "x", "body": "x"}])
    assert small.get("/healthz", None).json() == small.get("/readyz", None).json() == {"status": "ok"}
    page = small.get("/metrics").text
    assert 'pckv_reports_refused_total{reason="bad_id"}' in page
    for name in ("pckv_reports_accepted_total", "pckv_queue_reports", "pckv_commit_seconds_bucket"):
        assert name in page
    assert "_created" not in page
    document = small.get("/openapi.json", None).json()
    assert "422" not in json.dumps(document)
    assert "ValidationError" not in json.dumps(document)


def test_the_openapi_document_is_made_once(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was made anew for every request, a millisecond each on the event loop."""
    first = small.get("/openapi.json", None)
    monkeypatch.setattr(small.app, "openapi", None)
    assert small.get("/openapi.json", None).content == first.content


def test_the_head_of_a_request_is_bounded(small: Running) -> None:
    answer = small.talk(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 2**17 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"urn:pckv:problem:malformed" in answer
    assert b"urn:pckv:problem:malformed" in small.talk(b"nonsense\r\n\r\n")


def test_a_burst_is_admitted_and_more_is_not() -> None:
    with running(requests_per_second=1) as collector:
        answers = [collector.client.get("/healthz") for _ in range(BURST_SECONDS + 3)]
    assert {answer.status_code for answer in answers[:BURST_SECONDS]} == {200}
    for answer in answers[BURST_SECONDS + 1 :]:
        check_problem(answer, 429, "too-often")


def test_the_rate_limit_forgets_and_keeps_no_address() -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    sender, other = "192.0.2.77", "2001:db8::77"
    assert [limit.admits(sender) for _ in range(2 * BURST_SECONDS + 1)] == [True] * 2 * BURST_SECONDS + [False]
    assert limit.admits(other)
    now[0] += 0.5
    assert [limit.admits(sender) for _ in range(2)] == [True, False]
    now[0] += 3600
    assert [limit.admits(sender) for _ in range(2 * BURST_SECONDS + 1)] == [True] * 2 * BURST_SECONDS + [False]
    remembered = pickle.dumps({name: value for name, value in vars(limit).items() if name != "_now"})
    assert not any(address.encode() in remembered for address in (sender, other))
    # Every process has its own key: the same sender uses other cells in another process.
    used_cells = [
        [level for level in range(len(rate_limit._level)) if rate_limit._level[level] < rate_limit._full]
        for rate_limit in (limit, _once(sender), _once(sender))
    ]
    assert len({tuple(cells) for cells in used_cells}) == 3


def test_a_network_of_ipv6_counts_as_one_sender_and_mapped_ipv4_as_ipv4() -> None:
    """A host with one IPv6 address has 2^64 of them."""
    limit = RateLimit(1, lambda: 0.0)
    senders = [f"2001:db8:0:7:{number:x}::{number:x}" for number in range(100)]
    assert [limit.admits(sender) for sender in senders].count(True) == BURST_SECONDS
    assert limit.admits("2001:db8:0:8::1")
    assert not limit.admits("2001:db8:0:7::")
    mapped = ["192.0.2.5", "::ffff:192.0.2.5", "::ffff:c000:205"] * BURST_SECONDS
    assert [limit.admits(sender) for sender in mapped].count(True) == BURST_SECONDS
    assert limit.admits("::ffff:192.0.2.6")
    assert limit.admits("fe80::1%eth0")
    assert limit.admits("a unix socket")


def _once(sender: str) -> RateLimit:
    limit = RateLimit(2)
    limit.admits(sender)
    return limit
