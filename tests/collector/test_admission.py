"""Asking for admission: whether a report would be taken, and one coin per invitation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pckv import Report, Task, perturb
from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import AuditFailure
from support.collectors import JSON, Running, as_items, check_problem, new_task, refusals
from support.faults import Fault, in_place
from support.recorded import recording

COINS: dict[str, Any] = {"mechanism": "collision", "padding": 2, "size_share": "0.25", "coin": "server"}


def ask(collector: Running, task: Task | str, content: Any = None, media: str = JSON) -> httpx2.Response:
    """Ask for admission; the content is a body, or an invitation."""
    task_id = task if isinstance(task, str) else task.id
    if not isinstance(content, bytes):
        content = json.dumps({} if content is None else {"invitation": content}).encode()
    return collector.client.post(f"/tasks/{task_id}/admission", content=content, headers={"Content-Type": media})


def invite(collector: Running, task: Task, count: int = 1) -> list[str]:
    made = collector.administer("POST", f"/tasks/{task.id}/invitations?count={count}")
    tokens: list[str] = made.json()["invitations"]
    return tokens


def send(collector: Running, task: Task, report: Report, invitation: str) -> dict[str, str]:
    [item] = as_items(report)
    return refusals(collector.send(task, [item | {"invitation": invitation}]))


def test_a_task_without_invitations_admits_everybody(collector: Running) -> None:
    task = collector.add_task()
    for invitation in (None, "whatever"):
        answer = ask(collector, task, invitation)
        assert (answer.status_code, answer.json()) == (200, {"coin": None})
    assert answer.headers["cache-control"] == "no-store"


def test_who_would_be_refused_is_told_why(collector: Running) -> None:
    waiting, over = collector.add_task(opens="2030-01-16"), collector.add_task(closes="2030-01-15")
    early, gone = collector.add_task(), collector.add_task()
    collector.administer("POST", f"/tasks/{early.id}/close")
    collector.administer("DELETE", f"/tasks/{gone.id}?now=true")
    check_problem(ask(collector, waiting), 403, "not-open")
    check_problem(ask(collector, over), 403, "closed")
    check_problem(ask(collector, early), 403, "closed")
    check_problem(ask(collector, gone), 410, "deleted")
    check_problem(ask(collector, new_task()), 404, "unknown")
    check_problem(ask(collector, "no id"), 404, "unknown")


def test_an_invitation_admits_until_its_report_comes(collector: Running) -> None:
    task = collector.add_task()
    first, second = invite(collector, task, 2)
    for _ in range(2):
        assert ask(collector, task, first).json() == {"coin": None}
    for wrong in (None, "another", "\ud800"):
        check_problem(ask(collector, task, wrong), 403, "invitation-unknown")
    report = perturb(task, {"3": 1})
    assert send(collector, task, report, first) == {}
    check_problem(ask(collector, task, first), 403, "invitation-spent")
    assert ask(collector, task, second).status_code == 200
    # A retry of the report that spent it is not refused.
    assert send(collector, task, report, first) == {}


def test_one_coin_per_invitation_bound_to_its_report(collector: Running) -> None:
    task = collector.add_task(**COINS)
    check_problem(ask(collector, task), 403, "invitation-unknown")
    invitations = invite(collector, task, 3)
    coins = [from_base64url(ask(collector, task, each).json()["coin"]) for each in invitations]
    # A lost answer costs nothing, and asking again gives no other coin.
    assert coins == [from_base64url(ask(collector, task, each).json()["coin"]) for each in invitations]
    assert ({len(coin) for coin in coins}, len(set(coins))) == ({16}, 3)
    first, second, third = (perturb(task, {"3": 1}, coin) for coin in coins)
    assert send(collector, task, first, invitations[0]) == {}
    check_problem(ask(collector, task, invitations[0]), 403, "invitation-spent")
    assert send(collector, task, second, invitations[2]) == {base64url(second.id): "wrong_coin"}
    own = perturb(task, {"3": 1}, bytes(16))
    assert send(collector, task, own, invitations[1]) == {base64url(own.id): "wrong_coin"}
    assert send(collector, task, second, invitations[1]) == {}
    assert send(collector, task, third, invitations[2]) == {}
    collector.check(task, first, second, third)


def check_coins(collector: Running) -> None:
    """Check that every coin is 16 bytes of the system's randomness, used for it alone."""
    task = collector.add_task(**COINS)
    invitations = invite(collector, task, 3)
    with recording(1) as recorder:
        coins = [from_base64url(ask(collector, task, each).json()["coin"]) for each in invitations]
    if coins != [block.data for block in recorder.blocks if block.asker == "collector.ingest.admission"]:
        raise AuditFailure("sources: coins are not the system's bytes")


DRAWN = "secrets.token_bytes(REPORT_ID_BYTES)"
COIN_FAULTS = (
    in_place("a coin from its invitation", "collector/ingest/admission.py", {DRAWN: "task.digest[:8] + str(hashed).encode()[-8:]"}, check_coins),
    in_place("a coin of half its bytes", "collector/ingest/admission.py", {DRAWN: "secrets.token_bytes(REPORT_ID_BYTES // 2) * 2"}, check_coins),
)  # fmt: skip


def test_coins_are_the_systems_bytes(small: Running) -> None:
    check_coins(small)


@pytest.mark.parametrize("fault", COIN_FAULTS, ids=str)
def test_a_fault_of_coins_is_caught(small: Running, fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, small)


def test_a_coin_must_have_been_fetched(collector: Running) -> None:
    task = collector.add_task(**COINS)
    [invitation] = invite(collector, task)
    report = perturb(task, {}, bytes(range(16)))
    assert send(collector, task, report, invitation) == {base64url(report.id): "wrong_coin"}
    assert ask(collector, task, invitation).status_code == 200


BAD_BODIES = [
    b"",
    b"null",
    b"[]",
    b'""',
    b"{",
    b'{"invitation":null}',
    b'{"invitation":1}',
    b'{"invitation":["a"]}',
    b'{"invitation":"a","coin":"b"}',
    b'{"Invitation":"a"}',
    b'{"invitation":"a","invitation":"b"}',
    b'{"invitation":"\xff"}',
    b"[" * 4000,
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:30]))
def test_what_is_no_request_is_refused(small: Running, body: bytes) -> None:
    check_problem(ask(small, small.add_task(), body), 400, "malformed")


def test_bodies_are_short_and_json(small: Running) -> None:
    task = small.add_task()
    check_problem(ask(small, task, b'{"invitation":"' + b"a" * 4096 + b'"}'), 413, "too-large")
    check_problem(ask(small, task, b"{}", "text/plain"), 415, "unsupported-media")
    assert ask(small, task, b"{}", "application/json; charset=utf-8").status_code == 200


def test_pages_of_any_origin_may_ask(small: Running) -> None:
    path = f"/tasks/{small.add_task().id}/admission"
    headers = {"Origin": "https://elsewhere.example", "Content-Type": JSON}
    for answer in (
        small.client.post(path, content=b"{}", headers=headers),
        small.client.post(path, content=b"[]", headers=headers),
        small.client.options(path, headers=headers),
    ):
        assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.status_code == 204
    assert "POST" in answer.headers["access-control-allow-methods"]
