"""Devices for client tests, their tasks, and the answers that a collector may give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.client import Client, RetryPolicy
from support.client_collector import LOST, FakeCollector, Reply, problem

KEYS = ["alien", "heat"]


MOVIES = Task(name="movies", keys=KEYS, values=(1, 5), epsilon=1)


OTHERS = Task(name="others", keys=KEYS, values=(1, 5), epsilon="0.500000001", mechanism="ue")


PAIRS = {"alien": 5.0}


# Pauses are short; a busy machine has time to answer.
QUICK = RetryPolicy(tries=3, seconds=60.0, first_pause=0.001, timeout=30.0)


def device(collector: FakeCollector, state: Path, **options: Any) -> Client:
    return Client(collector.url, state, **({"retry_policy": QUICK} | options))


def stored_files(state: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in state.iterdir()} if state.exists() else {}


REFUSED = b'{"refused":[{"id":"ID","reason":"conflict"}]}'


TEMPORARY_FAILURES = [
    LOST,
    Reply(500),
    Reply(502, b"<h1>Bad gateway", "text/html"),
    problem(503, "overloaded"),
    problem(429, "too-often"),
    problem(408, "slow"),
    Reply(200, b'{"refused":[]}', claimed=99),
]


LASTING_FAILURES = [
    problem(401, "bad-token"),
    problem(403, "not-open", "it opens on 2999-01-01"),
    problem(403, "forbidden"),
    Reply(404, b"<h1>Not found", "text/html"),
    Reply(403, b'{"type":"urn:pckv:problem:closed"}'),
    Reply(400, b"[]", "application/problem+json"),
    Reply(200, b"<h1>Welcome to the hotel", "text/html"),
    Reply(200, b'{"refused":[]}', "text/html"),
    Reply(200, b"not JSON"),
    Reply(200, b"[" * 60_000),
    Reply(200, b"{}"),
    Reply(200, b'{"refused":null}'),
    Reply(200, b'{"refused":[{"id":"another","reason":"conflict"}]}'),
    Reply(200, b'{"refused":[{"id":"ID"}]}'),
    Reply(204),
    Reply(302, headers={"Location": "/elsewhere"}),
    Reply(307, headers={"Location": "/elsewhere"}),
]


FINAL_REFUSALS = {
    "conflict": Reply(200, REFUSED),
    "an unknown reason": Reply(200, REFUSED.replace(b"conflict", b"\\u001b[2J")),
    "malformed: detail here": problem(400, "malformed", "detail\n\x1bhere"),
    "unknown": problem(404, "unknown"),
    "closed": problem(403, "closed"),
    "deleted": problem(410, "deleted"),
    "too-large": problem(413, "too-large"),
    "unsupported-media": problem(415, "unsupported-media"),
    "HTTP 410": problem(410, "\x1b[2J"),
}


def reply_with(collector: FakeCollector, reply: Reply, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
    """Answer the next uploads with this reply; ID in its body stands for the report's id."""
    usual_answer, left = collector.answer, [reply] * times

    def answer(request: Any) -> Reply:
        if not request.path.endswith("/reports") or not left:
            return usual_answer(request)
        next_reply = left.pop()
        if next_reply is LOST:
            collector.answers.append(LOST)
            return usual_answer(request)
        collector.received.append(request)
        report_id = json.loads(request.body)["reports"][0]["id"].encode()
        headers = next_reply.headers
        return Reply(
            next_reply.status,
            next_reply.body.replace(b"ID", report_id),
            next_reply.media,
            headers,
            next_reply.claimed,
            next_reply.drip,
        )

    monkeypatch.setattr(collector, "answer", answer)
