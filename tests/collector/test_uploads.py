"""Reports in: everything that is sound is kept once, and nothing else changes anything."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pckv import Task
from pckv.canonical import base64url
from pckv.collector.decoding import decode_arrow
from pckv.collector.problem_details import Problem
from pckv.errors import StoreError
from pckv.files.reports.format import as_arrays, report_schema, stream_reports
from pckv.store.base import Outcome
from pckv.store.memory import MemoryStore
from pckv.wire import Report
from support.collectors import (
    ARROW,
    JSON,
    Running,
    as_items,
    check_problem,
    new_task,
    refused,
    report,
    running,
    some_reports,
    wait_until,
)
from support.stores import KINDS, opened, store_url

DAY = "2030-01-15"


@pytest.fixture(scope="module", params=KINDS)
def collector(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = store_url(request.param, tmp_path_factory.mktemp("store"))
    with opened(url) as store, running(store, lambda: DAY) as found:
        yield found


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A collector over memory, for what never reaches the store."""
    with running(clock=lambda: DAY, body_bytes=2**20, body_seconds=1) as found:
        yield found


def items(*reports: Report) -> bytes:
    return json.dumps({"reports": as_items(*reports)}).encode()


def test_a_report_is_kept_once(collector: Running) -> None:
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
    """Id, body and reason of reports that are refused one by one."""
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
    # The last character has bits that no byte needs: set, they would be a second text of the same id.
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


def test_each_bad_report_is_named_and_all_others_are_kept(collector: Running) -> None:
    task = collector.add_task()
    bad, good = list(bad_reports(task)), some_reports(range(30), task)
    sent: list[Any] = [{"id": report_id, "body": body} for report_id, body, _ in bad]
    sent += as_items(*good)
    random.Random(1).shuffle(sent)
    assert refused(collector.send(task, sent)) == {report_id: reason for report_id, _, reason in bad}
    collector.check(task, *good)


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

    def send(each: Report, invitation: str | None) -> dict[str, str]:
        extra = {} if invitation is None else {"invitation": invitation}
        return refused(collector.send(task, [as_items(each)[0] | extra]))

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
    "deep-object": b'{"a":' * 100_000,
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
    check_problem(
        small.send(task, [*as_items(*some_reports(range(5), task)), {"id": "AAAA"}]), 400, "malformed"
    )
    small.check(task)


def test_ten_thousand_reports_are_taken_and_one_more_is_not(small: Running) -> None:
    task = small.add_task()
    reports = some_reports(range(10_001), task)
    check_problem(small.post(task, items(*reports)), 413, "too-large")
    small.check(task)
    assert small.upload(task, *reports[:-1]) == {}
    small.check(task, *reports[:-1])


def test_large_bodies_within_the_limit(collector: Running) -> None:
    task = collector.add_task()
    check_problem(collector.post(task, b" " * 10_000_000), 400, "malformed")
    long = [{"id": "A" * 10_000_000, "body": "AAAA"}]
    assert set(refused(collector.send(task, long)).values()) == {"bad_id"}
    check_problem(collector.post(task, b"[" * 10_000_000), 400, "malformed")
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
    # Chunks are fine as such.
    kept = report(1, task=task)
    assert refused(small.post(task, iter([items(kept)[:9], items(kept)[9:]]))) == {}
    small.check(task, kept)


@pytest.mark.parametrize("path", ["/tasks/{id}/reports", "/nowhere", "/tasks"])
def test_a_slow_body_is_cut_off(small: Running, path: str) -> None:
    task = small.add_task()
    head = f"POST {path.format(id=task.id)} HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\nContent-Length: 99\r\n\r\n"
    # One byte now and then, for longer than anybody would wait.
    answer = small.talk(head.encode(), *[b" "] * 12, pause=0.1)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"urn:pckv:problem:slow" in answer
    assert b"connection: close" in answer.lower()


def test_whoever_hangs_up_in_the_middle_of_a_body_leaves_nothing(
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
    kept = report(1, task=task)
    for media in ("", "text/plain", "application/jsonx", "application/x-www-form-urlencoded"):
        check_problem(small.post(task, items(kept), media), 415, "unsupported-media")
    bomb = gzip.compress(bytes(10_000_000))
    for encoding in ("gzip", "br", "deflate", "gzip, identity", "zstd"):
        answer = small.post(task, bomb, **{"Content-Encoding": encoding})
        check_problem(answer, 415, "unsupported-media")
    small.check(task)
    answer = small.post(
        task, items(kept), "Application/JSON; charset=utf-8", **{"Content-Encoding": "identity"}
    )
    assert refused(answer) == {}
    small.check(task, kept)


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
    kept = report(1, task=task)
    answer = small.send(task, as_items(kept))
    if kind is None:
        assert refused(answer) == {}
        small.check(task, kept)
    else:
        check_problem(answer, 403, kind)
        small.check(task)


def test_closed_early_deleted_and_unknown(collector: Running) -> None:
    task = collector.add_task()
    kept = report(1, task=task)
    collector.upload(task, kept)
    closed = collector.administer("POST", f"/tasks/{task.id}/close").json()
    assert closed["closed"] == DAY
    check_problem(collector.send(task, as_items(report(2, task=task))), 403, "closed")
    collector.check(task, kept)
    assert collector.administer("DELETE", f"/tasks/{task.id}").json() == {
        "task": task.id,
        "day": DAY,
        "reports": 1,
    }
    check_problem(collector.send(task, as_items(kept)), 410, "deleted")
    for unknown in (new_task().id, "x", "%00", "%FF", "..", "a" * 5000, "%F0%9F%92%A9" * 43):
        check_problem(collector.send(unknown, as_items(kept)), 404, "unknown")


def test_a_task_that_another_collector_closed_or_deleted_takes_no_more(collector: Running) -> None:
    closing, deleting = collector.add_task(), collector.add_task()
    for task in (closing, deleting):
        collector.upload(task, report(1, task=task))
    # This collector believes what it knew about the tasks, and its store knows better.
    collector.store.close_task(closing.id, DAY)
    collector.store.delete_task(deleting.id, DAY)
    check_problem(collector.send(closing, as_items(report(2, task=closing))), 403, "closed")
    check_problem(collector.send(deleting, as_items(report(2, task=deleting))), 410, "deleted")
    collector.check(closing, report(1, task=closing))


# A pilot takes so many

PILOT: dict[str, Any] = {"kind": "sizes", "mechanism": "buckets", "padding": 8}


def set_limit(monkeypatch: pytest.MonkeyPatch, reports: int, believed: float = 1000.0) -> None:
    """The most reports of a pilot, and how long their count is believed."""
    for place in ("state", "uploads"):
        monkeypatch.setattr(f"pckv.collector.{place}.MAX_PILOT_REPORTS", reports)
    monkeypatch.setattr("pckv.collector.state.BELIEVED_SECONDS", believed)


def check_enough(answer: Any) -> None:
    check_problem(answer, 403, "closed")
    assert answer.json()["detail"] == "the pilot has the 10 reports that it needs"


def test_a_pilot_that_has_enough_is_closed_to_new_reports_and_knows_the_old_ones(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, 10)
    pilot, pairs = collector.add_task(**PILOT), collector.add_task()
    kept, new = some_reports(range(10), pilot), report(10, task=pilot)
    for each in kept[:8]:
        assert collector.upload(pilot, each) == {}
    assert collector.upload(pilot, *kept[5:]) == {}
    check_enough(collector.send(pilot, as_items(new)))
    # Whoever was not answered sends the same bytes again.
    assert collector.upload(pilot, kept[3]) == collector.upload(pilot, *kept) == {}
    assert refused(collector.post(pilot, arrow_body(pilot, *kept), ARROW)) == {}
    assert refused(collector.send(pilot, [{"id": "", "body": ""}])) == {"": "bad_id"}
    other = Report(kept[0].id, report(0, 3, pilot).body)
    for sent in ([other], [*kept, new]):
        check_enough(collector.send(pilot, as_items(*sent)))
    collector.check(pilot, *kept)
    assert collector.upload(pairs, *some_reports(range(20), pairs)) == {}
    assert collector.upload(pairs, report(20, task=pairs)) == {}
    assert collector.administer("POST", f"/tasks/{pilot.id}/close").json()["closed"] == DAY
    check_problem(collector.send(pilot, as_items(kept[0])), 403, "closed")


def test_an_invited_pilot_knows_the_old_reports_too(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    pilot = small.add_task(**PILOT)
    kept = some_reports(range(10), pilot)
    tokens = small.administer("POST", f"/tasks/{pilot.id}/invitations?count=11").json()["invitations"]
    invited = [item | {"invitation": token} for item, token in zip(as_items(*kept), tokens, strict=False)]
    assert refused(small.send(pilot, invited)) == {}
    assert small.upload(pilot, *kept) == {}
    late = as_items(report(10, task=pilot))[0] | {"invitation": tokens[10]}
    check_enough(small.send(pilot, [late]))


def test_the_reports_of_a_pilot_are_counted_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    with running() as found:
        asked: list[str] = []
        counts = found.store.report_counts

        def report_counts(task_ids: list[str]) -> dict[str, int]:
            asked.extend(task_ids)
            return counts(task_ids)

        monkeypatch.setattr(found.store, "report_counts", report_counts)
        pilot, pairs = found.add_task(**PILOT), found.add_task()
        for number in range(10):
            for task in (pilot, pairs):
                assert found.upload(task, report(number, task=task)) == {}
        check_enough(found.send(pilot, as_items(report(10, task=pilot))))
        assert asked == [pilot.id]


def test_reports_that_came_to_another_collector_count_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10, believed=0)
    store = MemoryStore()
    with running(store) as one, running(store) as two:
        pilot = one.add_task(**PILOT)
        assert two.upload(pilot, *some_reports(range(2), pilot)) == {}
        assert one.upload(pilot, *some_reports(range(2, 10), pilot)) == {}
        check_enough(two.send(pilot, as_items(report(10, task=pilot))))


def test_a_pilot_may_get_more_by_what_was_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, 10)
    store = Stubborn()
    with running(store) as found:
        pilot = found.add_task(**PILOT)
        sent = some_reports(range(12), pilot)
        store.go.clear()
        threads = [threading.Thread(target=found.upload, args=(pilot, each)) for each in sent]
        for thread in threads:
            thread.start()
        wait_until(lambda: b"pckv_queue_reports 12.0" in found.get("/metrics").content)
        store.go.set()
        for thread in threads:
            thread.join()
        check_enough(found.send(pilot, as_items(report(12, task=pilot))))
        found.check(pilot, *sent)


class Stubborn(MemoryStore):
    """A store that waits before it writes, or fails, as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.go.set()
        self.error: Exception | None = None

    def ping(self) -> None:
        if self.error is not None:
            raise self.error

    def add_reports(self, uploads: Any) -> list[list[Outcome]]:
        assert self.go.wait(20)
        self.ping()
        return super().add_reports(uploads)


def test_a_full_queue_refuses_and_everything_else_is_kept() -> None:
    store = Stubborn()
    with running(store, queue_reports=10) as collector:
        task = collector.add_task()
        reports = some_reports(range(11), task)
        store.go.clear()
        waiting = threading.Thread(target=collector.upload, args=(task, *reports[:10]))
        waiting.start()
        wait_until(lambda: b"pckv_queue_reports 10.0" in collector.get("/metrics").content)
        check_problem(collector.send(task, as_items(reports[10])), 503, "overloaded")
        assert collector.get("/healthz").status_code == 200
        store.go.set()
        waiting.join()
        collector.check(task, *reports[:10])
        assert collector.upload(task, reports[10]) == {}
        collector.check(task, *reports)


def test_a_failing_store_is_503_and_recovers_without_a_restart() -> None:
    store = Stubborn()
    with running(store) as collector:
        task = collector.add_task()
        kept = report(1, task=task)
        assert collector.get("/readyz", None).status_code == 200
        store.error = StoreError("the disk is full")
        check_problem(collector.send(task, as_items(kept)), 503, "overloaded")
        check_problem(collector.get("/readyz", None), 503, "overloaded")
        store.error = None
        assert collector.get("/readyz", None).status_code == 200
        assert collector.upload(task, kept) == {}
        collector.check(task, kept)


def test_a_fault_of_ours_does_not_stop_the_writing() -> None:
    store = Stubborn()
    with running(store) as collector:
        task = collector.add_task()
        store.error = ZeroDivisionError("a fault")
        assert collector.post(task, items(report(1, task=task)), Connection="close").status_code == 500
        store.error = None
        assert collector.upload(task, report(2, task=task)) == {}
        collector.check(task, report(2, task=task))


def test_uploads_of_many_connections_share_commits() -> None:
    store = Stubborn()
    with running(store) as collector:
        task = collector.add_task()
        store.go.clear()
        reports = some_reports(range(20), task)
        threads = [threading.Thread(target=collector.upload, args=(task, each)) for each in reports]
        for thread in threads:
            thread.start()
        wait_until(lambda: b"pckv_queue_reports 20.0" in collector.get("/metrics").content)
        store.go.set()
        for thread in threads:
            thread.join()
        collector.check(task, *reports)
        assert len(store.parts(task.id)) < len(reports)


# Arrow streams


def arrow_body(task: Task, *reports: Report) -> bytes:
    sink = io.BytesIO()
    stream_reports(sink, task, [as_arrays(task, list(reports))])
    return sink.getvalue()


def table_body(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as stream:
        stream.write_table(table)
    return sink.getvalue()


def table(task: Task, ids: list[Any], messages: list[Any]) -> Any:
    schema = report_schema(task)
    nullable = pa.schema([pa.field(each.name, each.type) for each in schema])
    return pa.table({"report_id": ids, schema.names[1]: messages}, nullable)


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision", "ue"])
def test_arrow_streams(collector: Running, mechanism: str) -> None:
    task = collector.add_task(mechanism=mechanism)
    reports = some_reports(range(500), task)
    for _ in range(2):
        assert refused(collector.post(task, arrow_body(task, *reports), ARROW)) == {}
    collector.check(task, *reports)


def test_bad_rows_of_a_stream_are_named_and_all_others_are_kept(collector: Running) -> None:
    task = collector.add_task()
    assert task.word_limit is not None
    ids = [report(number, task=task).id for number in range(6)]
    words = [0, 1, -1, task.word_limit, None, 2**63 - 1]
    body = table_body(table(task, [*ids, None, ids[0]], [*words, 3, 4]))
    assert refused(collector.post(task, body, ARROW)) == {
        base64url(ids[2]): "out_of_range",
        base64url(ids[3]): "out_of_range",
        base64url(ids[4]): "bad_encoding",
        base64url(ids[5]): "out_of_range",
        "": "bad_id",
        base64url(ids[0]): "duplicate_in_request",
    }
    collector.check(task, report(0, 0, task), report(1, 1, task))


BAD_STREAMS: dict[str, tuple[int, Callable[[Task, bytes], bytes]]] = {
    "empty": (400, lambda _, __: b""),
    "json": (400, lambda _, __: b'{"reports":[]}'),
    "cut-in-schema": (400, lambda _, body: body[:50]),
    "cut-in-batch": (400, lambda _, body: body[: len(body) // 2]),
    "cut-before-the-end": (400, lambda _, body: body[:-9]),
    "names-not-text": (400, lambda _, body: body.replace(b"word", b"\xff\xff\xff\xff")),
    "trailing": (400, lambda _, body: body + b"garbage"),
    "twice": (400, lambda _, body: body + body),
    "another-task": (400, lambda task, _: arrow_body(new_task(), report(1, task=task))),
    "other-names": (400, lambda _, __: table_body(pa.table({"id": [bytes(16)], "word": [1]}))),
    "other-types": (400, lambda _, __: table_body(pa.table({"report_id": [bytes(16)], "word": [1]}))),
    "one-column": (400, lambda task, _: table_body(table(task, [bytes(16)], [1]).select([0]))),
    "other-order": (400, lambda task, _: table_body(table(task, [bytes(16)], [1]).select([1, 0]))),
    "more-columns": (
        400,
        lambda task, _: table_body(table(task, [bytes(16)], [1]).append_column("x", pa.array([1]))),
    ),
    "dictionary": (
        400,
        lambda task, _: table_body(
            table(task, [bytes(16)], [1]).set_column(1, "word", pa.array([1]).dictionary_encode())
        ),
    ),
    "lz4": (415, lambda task, _: table_body(table(task, [bytes(16)], [1]), compression="lz4")),
    "zstd": (
        415,
        lambda task, _: table_body(table(task, [bytes(16)] * 10_000, [0] * 10_000), compression="zstd"),
    ),
    "no-end": (400, lambda _, whole: whole[:-8]),
    "too-many": (413, lambda task, _: arrow_body(task, *some_reports(range(10_001), task))),
}


@pytest.mark.parametrize("kind", BAD_STREAMS)
def test_a_bad_stream_changes_nothing(small: Running, kind: str) -> None:
    task = small.add_task()
    status, make = BAD_STREAMS[kind]
    body = make(task, arrow_body(task, *some_reports(range(100), task)))
    name = {400: "malformed", 413: "too-large", 415: "unsupported-media"}[status]
    check_problem(small.post(task, body, ARROW), status, name)
    small.check(task)


@pytest.mark.parametrize("mechanism", ["grr", "ue"])
def test_damaged_streams_are_refused_and_never_a_fault(mechanism: str) -> None:
    """Hostile offsets, lengths, types and counts: numbers of every size in every place of a small stream."""
    task = new_task(mechanism=mechanism)
    body = arrow_body(task, *some_reports(range(3), task))
    hostile = [
        b"\0",
        b"\x7f",
        b"\x80",
        b"\xff",
        *(struct.pack("<q", n) for n in (-1, 2**31 - 1, 2**40, 2**63 - 1)),
    ]
    outcomes = set()
    for place, piece in itertools.product(range(len(body)), hostile):
        try:
            decode_arrow(task, body[:place] + piece + body[place + len(piece) :])
            outcomes.add(200)
        except Problem as problem:
            outcomes.add(problem.kind.value.status)
    assert {200, 400} <= outcomes <= {200, 400, 413, 415}


def test_what_was_accepted_survives_the_collector(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as store, running(store) as collector:
        task = collector.add_task()
        collector.upload(task, *some_reports(range(50), task))
    with opened(url) as store, running(store) as collector:
        collector.check(task, *some_reports(range(50), task))
