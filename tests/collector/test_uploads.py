"""Reports in: everything valid is stored once, and nothing else changes anything."""

from __future__ import annotations

import gzip
import itertools
import random
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.wire import Report
from pckv.collector.http.settings import Settings
from pckv.collector.ingest.decoding import max_arrow_bytes, max_json_bytes
from support.collectors import (
    ADMINISTRATOR,
    ARROW,
    DAY,
    JSON,
    Running,
    as_items,
    check_problem,
    new_task,
    refusals,
    report,
    running,
    some_reports,
)
from support.uploads import items


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A collector with a store in memory, for requests that never reach the store."""
    with running(clock=lambda: DAY, body_bytes=2**20, body_seconds=1) as started:
        yield started


def test_a_report_is_stored_once(collector: Running) -> None:
    task = collector.add_task()
    first, second = some_reports(range(2), task)
    assert collector.upload(task, first) == {}
    assert collector.upload(task, first, second) == {}
    assert collector.upload(task) == {}
    collector.check(task, first, second)


def test_another_body_under_a_known_id_is_a_conflict_and_the_first_stays(collector: Running) -> None:
    task = collector.add_task()
    first, new = report(1, 5, task), report(2, task=task)
    collector.upload(task, first)
    other = Report(first.id, report(1, 6, task).body)
    assert collector.upload(task, other, new) == {base64url(first.id): "conflict"}
    collector.check(task, first, new)


def bad_reports(task: Task) -> Iterator[tuple[str, str, str]]:
    """Yield id, body and reason of reports that are refused one by one."""
    report_id, body = as_items(report(100, 3, task))[0].values()
    for bad in (
        "",
        report_id[:-1],
        report_id + "AA",
        report_id + "==",
        base64url(bytes(15)),
        "\0",
        "é",
        "\ud800",
    ):
        yield bad, body, "bad_id"
    # The last character has unused bits: if set, they would be a second encoding of the same id.
    yield report_id[:-1] + {"A": "B", "Q": "R", "g": "h", "w": "x"}[report_id[-1]], body, "bad_id"
    numbers = itertools.count(200)
    for bad in (
        "*",
        body + "=",
        body + "\n",
        " " + body,
        body[:-1] + "/",
        body[:-1] + "+",
        body[:-1] + "B",
        "é",
    ):
        yield base64url(report(next(numbers)).id), bad, "bad_encoding"
    for size in (0, 7, 9, 4096):
        yield base64url(report(next(numbers)).id), base64url(bytes(size)), "wrong_length"
    assert task.word_limit is not None
    for word in (task.word_limit, 2**63, 2**64 - 1):
        yield base64url(report(next(numbers)).id), base64url(word.to_bytes(8, "little")), "out_of_range"


def test_every_bad_report_is_named_and_all_others_are_stored(collector: Running) -> None:
    task = collector.add_task()
    bad, good = list(bad_reports(task)), some_reports(range(30), task)
    sent: list[Any] = [{"id": report_id, "body": body} for report_id, body, _ in bad]
    sent += as_items(*good)
    random.Random(1).shuffle(sent)
    assert refusals(collector.send(task, sent)) == {report_id: reason for report_id, _, reason in bad}
    collector.check(task, *good)


@pytest.mark.parametrize("without", [{"size_share": 0}, {"more": "refuse"}])
def test_a_size_is_refused_where_the_task_does_not_ask_for_one(collector: Running, without: dict[str, Any]) -> None:
    asking, silent = collector.add_task(padding=2), collector.add_task(padding=2, **without)
    first = asking.law.word_limit
    assert first is not None
    assert asking.size_question is not None
    assert silent.size_question is None
    assert first == silent.word_limit
    for answer in range(len(asking.size_question.ends)):
        accepted, refused = (report(answer, first + answer, asking) for _ in range(2))
        assert collector.upload(asking, accepted) == {}
        assert collector.upload(silent, refused) == {base64url(refused.id): "out_of_range"}
    collector.check(silent)


def test_planes_have_one_encoding(small: Running) -> None:
    task = small.add_task(mechanism="ue")
    good, extra, signed = (report(number, task=task).id for number in range(3))
    bodies = {good: b"\x01\x00\x01\x00", extra: b"\x00\x08\x00\x00", signed: b"\x00\x00\x01\x00"}
    sent = [Report(report_id, body) for report_id, body in bodies.items()]
    expected = {base64url(extra): "bad_encoding", base64url(signed): "bad_encoding"}
    assert small.upload(task, *sent) == expected
    small.check(task, sent[0])


def test_the_first_of_two_in_one_request_wins(collector: Running) -> None:
    task = collector.add_task()
    first, twin = report(1, 5, task), Report(report(1).id, report(1, 6, task).body)
    first = Report(twin.id, first.body)
    answer = collector.send(task, as_items(first, twin, first))
    reason = {"id": base64url(first.id), "reason": "duplicate_in_request"}
    assert answer.json() == {"refused": [reason, reason]}
    collector.check(task, first)


def test_invitations_admit_one_report_each_and_a_retry_needs_none(collector: Running) -> None:
    task = collector.add_task()
    tokens = collector.administer("POST", f"/tasks/{task.id}/invitations?count=2").json()["invitations"]
    first, second, third = some_reports(range(3), task)

    def send(sent: Report, invitation: str | None) -> dict[str, str]:
        extra = {} if invitation is None else {"invitation": invitation}
        return refusals(collector.send(task, [as_items(sent)[0] | extra]))

    assert send(first, tokens[0]) == {}
    assert send(first, tokens[0]) == send(first, None) == send(first, "wrong") == {}
    assert send(second, tokens[0]) == {base64url(second.id): "invitation_spent"}
    for wrong in (None, "", "wrong", "\ud800"):
        assert send(third, wrong) == {base64url(third.id): "invitation_unknown"}
    assert send(second, tokens[1]) == {}
    collector.check(task, first, second)


MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "cut": b'{"reports":[',
    "list": b"[]",
    "null": b"null",
    "text": b'"reports"',
    "more": b'{"reports":[],"day":1}',
    "less": b"{}",
    "object": b'{"reports":{}}',
    "numbers": b'{"reports":[1]}',
    "body-missing": b'{"reports":[{"id":"AAAA"}]}',
    "number": b'{"reports":[{"id":1,"body":"AAAA"}]}',
    "nested": b'{"reports":[{"id":["AAAA"],"body":"AAAA"}]}',
    "stranger": b'{"reports":[{"id":"AAAA","body":"AAAA","day":"AAAA"}]}',
    "constant": b'{"reports":[NaN]}',
    "infinite": b'{"reports":[{"id":"A","body":-Infinity}]}',
    "huge-number": b'{"reports":[' + b"9" * 100_000 + b"]}",
    "deep": b'{"reports":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep-object": b'{"a":' * 9_000,
    "not-utf8": b'{"reports":[{"id":"\xff","body":"AAAA"}]}',
    "surrogates": b'{"reports":[{"id":"\xed\xa0\x80","body":"AAAA"}]}',
    "utf16": '{"reports":[]}'.encode("utf-16"),
    "utf32": '{"reports":[]}'.encode("utf-32-le"),
    "marked": b'\xef\xbb\xbf{"reports":[]}',
    "two": b'{"reports":[]}{"reports":[]}',
    "nul": b'{"reports":[]}\0',
    "twice": b'{"reports":[],"reports":[]}',
    "two-bodies": b'{"reports":[{"id":"AAAA","body":"AAAA","body":"BBBB"}]}',
    "gzip": gzip.compress(b'{"reports":[]}'),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_body_changes_nothing(small: Running, content: bytes) -> None:
    task = small.add_task()
    check_problem(small.post(task, content), 400, "malformed")
    small.check(task)


def test_one_malformed_report_refuses_the_whole_request(small: Running) -> None:
    task = small.add_task()
    check_problem(small.send(task, [*as_items(*some_reports(range(5), task)), {"id": "AAAA"}]), 400, "malformed")
    small.check(task)


def test_ten_thousand_reports_are_taken_and_one_more_is_not(small: Running) -> None:
    task = small.add_task()
    reports = some_reports(range(10_001), task)
    check_problem(small.post(task, items(*reports)), 413, "too-large")
    small.check(task)
    assert small.upload(task, *reports[:-1]) == {}
    small.check(task, *reports[:-1])


def test_bodies_up_to_the_limit_of_their_task(collector: Running) -> None:
    task = collector.add_task()
    limit = max_json_bytes(task)
    assert limit < Settings().body_bytes
    check_problem(collector.post(task, b" " * limit), 400, "malformed")
    check_problem(collector.post(task, b" " * (limit + 1)), 413, "too-large")
    check_problem(collector.post(task, b" " * (max_arrow_bytes(task) + 1), ARROW), 413, "too-large")
    long = [{"id": "A" * (limit - 100), "body": "AAAA"}]
    assert set(refusals(collector.send(task, long)).values()) == {"bad_id"}
    check_problem(collector.post(task, b"[" * limit), 400, "malformed")
    collector.check(task)


def test_a_larger_body_is_refused_by_its_length_before_it_is_sent(small: Running) -> None:
    task = small.add_task()
    head = f"POST /tasks/{task.id}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\n"
    answer = small.talk(head.encode() + b"Content-Length: 1048577\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"urn:pckv:problem:too-large" in answer


def test_a_larger_body_is_refused_though_it_does_not_say_its_length(small: Running) -> None:
    task = small.add_task()
    head = f"POST /tasks/{task.id}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\n"
    chunk = b"10000\r\n" + b" " * 2**16 + b"\r\n"
    answer = small.talk(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + 17 * chunk)
    assert answer.startswith(b"HTTP/1.1 413 ")
    # A small chunked body is accepted.
    valid = report(1, task=task)
    assert refusals(small.post(task, iter([items(valid)[:9], items(valid)[9:]]))) == {}
    small.check(task, valid)


@pytest.mark.parametrize(
    ("path", "token", "status"),
    [
        ("/tasks/{id}/reports", "", 408),
        ("/tasks", ADMINISTRATOR, 408),
        # Who may not send a body is told so before it arrives.
        ("/tasks", "", 401),
        ("/nowhere", "", 404),
    ],
)
def test_a_slow_body_is_cut_off(small: Running, path: str, token: str, status: int) -> None:
    task = small.add_task()
    head = (
        f"POST {path.format(id=task.id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: {JSON}\r\nContent-Length: 99\r\n\r\n"
    )
    # One byte at a time, for longer than the time limit.
    answer = small.talk(head.encode(), *[b" "] * 12, pause=0.1)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"urn:pckv:problem:" in answer
    assert b"connection: close" in answer.lower()


def test_a_connection_closed_in_the_middle_of_a_body_stores_nothing(
    small: Running, capfd: pytest.CaptureFixture[str]
) -> None:
    task = small.add_task()
    head = f"POST /tasks/{task.id}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\nContent-Length: 99\r\n\r\n"
    with socket.create_connection(("127.0.0.1", small.port)) as line:
        line.sendall(head.encode() + b"{")
    assert small.get("/healthz").status_code == 200
    small.check(task)
    assert capfd.readouterr().err == ""


def test_media_types_and_content_encodings(small: Running) -> None:
    task = small.add_task()
    valid = report(1, task=task)
    for media in ("", "text/plain", "application/jsonx", "application/x-www-form-urlencoded"):
        check_problem(small.post(task, items(valid), media), 415, "unsupported-media")
    bomb = gzip.compress(bytes(10_000_000))
    for encoding in ("gzip", "br", "deflate", "gzip, identity", "zstd"):
        answer = small.post(task, bomb, **{"Content-Encoding": encoding})
        check_problem(answer, 415, "unsupported-media")
    small.check(task)
    answer = small.post(task, items(valid), "Application/JSON; charset=utf-8", **{"Content-Encoding": "identity"})
    assert refusals(answer) == {}
    small.check(task, valid)


@pytest.mark.parametrize(
    ("opens", "closes", "kind"),
    [
        (DAY, "2030-01-16", None),
        ("2030-01-14", DAY, "closed"),
        ("2030-01-16", None, "not-open"),
        (None, "2029-12-31", "closed"),
        (None, None, None),
    ],
)
def test_days_are_half_open(small: Running, opens: str | None, closes: str | None, kind: str | None) -> None:
    task = small.add_task(opens=opens, closes=closes)
    valid = report(1, task=task)
    answer = small.send(task, as_items(valid))
    if kind is None:
        assert refusals(answer) == {}
        small.check(task, valid)
    else:
        check_problem(answer, 403, kind)
        small.check(task)


def test_closed_early_deleted_and_unknown(collector: Running) -> None:
    task = collector.add_task()
    valid = report(1, task=task)
    collector.upload(task, valid)
    closed = collector.administer("POST", f"/tasks/{task.id}/close").json()
    assert closed["closed"] == DAY
    check_problem(collector.send(task, as_items(report(2, task=task))), 403, "closed")
    collector.check(task, valid)
    deletion = collector.administer("DELETE", f"/tasks/{task.id}?now=true").json()
    assert (deletion["task"], deletion["day"], deletion["reports"]) == (task.id, DAY, 1)
    check_problem(collector.send(task, as_items(valid)), 410, "deleted")
    for unknown in (new_task().id, "x", "%00", "%FF", "..", "a" * 5000, "%F0%9F%92%A9" * 43):
        check_problem(collector.send(unknown, as_items(valid)), 404, "unknown")


def test_a_task_that_another_collector_closed_or_deleted_takes_no_more(collector: Running) -> None:
    closing, deleting = collector.add_task(), collector.add_task()
    for task in (closing, deleting):
        collector.upload(task, report(1, task=task))
    # This collector's cache says that the tasks are open; its store knows better.
    collector.store.close_task(closing.id, DAY)
    collector.store.delete_task(deleting.id, DAY)
    check_problem(collector.send(closing, as_items(report(2, task=closing))), 403, "closed")
    check_problem(collector.send(deleting, as_items(report(2, task=deleting))), 410, "deleted")
    collector.check(closing, report(1, task=closing))
