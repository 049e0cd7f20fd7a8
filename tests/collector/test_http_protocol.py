"""One connection can make the collector hold and do little, and many connections lock no client out."""

from __future__ import annotations

import logging
import resource
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pckv.collector.http import protocol
from pckv.collector.http.bodies import MAX_SMALL_BYTES
from pckv.collector.http.protocol import MAX_HEAD_BYTES, MAX_HEADERS, MAX_PIPELINED_REQUESTS, MAX_SMALL_PIECES
from support.collectors import Running, read_all, report, running, wait_until
from support.connections import CLOSE, connect, head, read_until, stalled, upload_head
from support.uploads import SlowStore, items

# Far longer than these tests may take, however busy the machine is; and far shorter.
LONG, SHORT = 60.0, 0.3


@pytest.fixture(scope="module")
def patient() -> Iterator[Running]:
    with running(head_seconds=LONG, write_seconds=LONG) as started:
        yield started


@pytest.fixture(scope="module")
def hasty() -> Iterator[Running]:
    with running(head_seconds=SHORT, write_seconds=SHORT, body_seconds=LONG) as started:
        yield started


LENGTH, CHUNKED = "Content-Length: 14", "Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    "headers",
    [
        (LENGTH, CHUNKED),
        (CHUNKED, LENGTH),
        (LENGTH, LENGTH),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: identity",),
        ("Transfer-Encoding: chunked, chunked",),
        (CHUNKED, CHUNKED),
        ("Content-Length: +14",),
        ("Content-Length: 99999999999999999999999999",),
        ("Connection: upgrade", "Upgrade: h2c", LENGTH),
        ("Connection: upgrade", "Upgrade: h2c", CHUNKED),
    ],
)
def test_an_ambiguous_length_is_refused_and_the_connection_closed(patient: Running, headers: tuple[str, ...]) -> None:
    """A proxy in front might see another end of this request, and so another request behind it."""
    hidden = head("GET", "/healthz", CLOSE)
    answer = patient.talk(upload_head("x", *headers), b"0\r\n\r\n" + hidden + hidden, pause=0.05)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"urn:pckv:problem:malformed" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET /healthz HTTP/1.0\r\n\r\n", b"200"),
    ],
)
def test_a_request_names_one_host(patient: Running, start: bytes, status: bytes) -> None:
    assert patient.talk(start).split()[1] == status


def test_a_peer_that_sends_no_more_is_answered() -> None:
    store = SlowStore()
    with running(store, head_seconds=LONG) as collector:
        task = collector.add_task()
        content = items(report(1, task=task))
        upload = upload_head(task.id, f"Content-Length: {len(content)}") + content
        store.go.clear()
        with connect(collector) as whole, connect(collector) as part, connect(collector) as idle:
            whole.sendall(head("GET", "/healthz") + upload)
            part.sendall(upload[:-1])
            for line in (whole, part, idle):
                line.shutdown(socket.SHUT_WR)
            wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports)
            assert read_all(part) == read_all(idle) == b""
            store.go.set()
            assert read_all(whole).count(b"HTTP/1.1 200 ") == 2


def test_a_request_for_an_upgrade_is_answered_without_one(patient: Running) -> None:
    upgrading = head("GET", "/healthz", "Connection: upgrade", "Upgrade: h2c")
    assert patient.talk(upgrading + head("GET", "/healthz", CLOSE)).count(b"HTTP/1.1 200 ") == 2


def test_a_head_is_bounded_however_it_is_cut(patient: Running) -> None:
    largest = head("GET", "/healthz", CLOSE, f"X: {'x' * (MAX_HEAD_BYTES - 200)}")
    assert patient.talk(largest).startswith(b"HTTP/1.1 200 ")
    for endless in (b"GET /" + b"x" * 2**17, b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 2**15, b"\r\n" * 2**16):
        assert b"urn:pckv:problem:malformed" in patient.talk(endless)


def test_a_head_has_few_headers_and_is_refused_while_it_arrives(patient: Running) -> None:
    """Tiny headers took two hundred times their bytes in memory."""
    # One is the host, one says that the connection ends.
    many = [f"a{number}: b" for number in range(MAX_HEADERS - 2)]
    assert patient.talk(head("GET", "/healthz", CLOSE, *many)).startswith(b"HTTP/1.1 200 ")
    with connect(patient) as line:
        # The end of the head is not waited for.
        line.sendall(head("GET", "/healthz", CLOSE, *many, "c: d", "e: f").removesuffix(b"\r\n"))
        assert f"at most {MAX_HEADERS} headers".encode() in read_all(line)


def test_heads_count_until_their_requests_are_answered(patient: Running) -> None:
    budget = patient.app.state.collector.budget
    wait_until(lambda: budget.used == 0)
    large = f"X: {'x' * 10_000}"
    unfinished = head("GET", "/healthz", large, "Y: y").removesuffix(b"\r\n")
    with stalled(patient, 20, unfinished) as lines:
        wait_until(lambda: budget.used > 20 * 10_000)
        for line in lines:
            line.sendall(b"\r\n" + head("GET", "/healthz", large, CLOSE))
            assert read_all(line).count(b"HTTP/1.1 200 ") == 2
        wait_until(lambda: budget.used == 0)
    with stalled(patient, 20, unfinished):
        wait_until(lambda: budget.used > 20 * 10_000)
    wait_until(lambda: budget.used == 0)


def test_heads_beyond_the_budget_are_refused_and_small_ones_are_not() -> None:
    unfinished = head("GET", "/healthz", f"X: {'x' * 10_000}", "Y: y").removesuffix(b"\r\n")
    with running(head_seconds=LONG, budget_bytes=2**17) as collector, stalled(collector, 20, unfinished):
        wait_until(lambda: collector.app.state.collector.budget.used > 2**16)
        assert b"urn:pckv:problem:overloaded" in collector.talk(head("GET", "/healthz", f"X: {'x' * 15_000}"))
        assert collector.talk(head("GET", "/healthz", CLOSE)).startswith(b"HTTP/1.1 200 ")


def test_chunks_of_a_byte_cannot_keep_the_collector_busy(patient: Running) -> None:
    """A MiB of them took a second of the loop's time; now a few thousand are enough to refuse the request."""
    task = patient.add_task()
    start = time.process_time()
    answer = patient.talk(upload_head(task.id, CHUNKED) + b"1\r\n \r\n" * 2**20)
    busy = time.process_time() - start
    assert b"urn:pckv:problem:malformed" in answer
    # Of this process, most of it for sending.
    assert busy < 0.5
    # Five bytes each, they are refused as soon.
    few = b"5\r\n     \r\n" * (2 * MAX_SMALL_PIECES)
    assert b"urn:pckv:problem:malformed" in patient.talk(upload_head(task.id, CHUNKED) + few)
    # Chunks of some bytes, and few chunks of a byte each, are accepted.
    content = items(report(1, task=task))
    for size in (1, 20):
        chunks = [content[at : at + size] for at in range(0, len(content), size)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        assert patient.talk(upload_head(task.id, CHUNKED, CLOSE) + body + b"0\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_trailers_are_ignored_and_bounded(patient: Running) -> None:
    task = patient.add_task()
    start = upload_head(task.id, CHUNKED) + b'e\r\n{"reports":[]}\r\n0\r\n'
    after = head("GET", "/healthz", CLOSE)
    assert patient.talk(start + b"X: y\r\n\r\n" + after).count(b"HTTP/1.1 200 ") == 2
    assert b"urn:pckv:problem:malformed" in patient.talk(start + b"X: y\r\n" * 2**14)
    assert b"urn:pckv:problem:malformed" in patient.talk(start + b"X: " + b"y" * 2**17)


def test_some_requests_may_come_before_the_first_is_answered_and_more_may_not(patient: Running) -> None:
    request = head("GET", "/healthz")
    last = head("GET", "/healthz", CLOSE)
    assert patient.talk(request * MAX_PIPELINED_REQUESTS + last).count(b"200 OK") == MAX_PIPELINED_REQUESTS + 1
    assert patient.talk(request * 500) == b""


def test_what_follows_a_request_never_mixes_with_its_answer() -> None:
    store = SlowStore()
    with running(store) as collector:
        task = collector.add_task()
        content = items(report(1, task=task))
        store.go.clear()
        with connect(collector) as line:
            line.sendall(upload_head(task.id, f"Content-Length: {len(content)}") + content)
            wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports)
            line.sendall(b"nonsense\r\n\r\n")
            assert read_all(line) == b""
        store.go.set()
        wait_until(lambda: not collector.app.state.collector.ingest.writer.pending_reports)
        collector.check(task, report(1, task=task))


def test_nobody_answers_a_connection_that_was_lost_with_requests_waiting(
    patient: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the request that arrived last was told; the others were answered, each with an error in the log."""
    task = patient.add_task(keys=[f"{number:0200}" for number in range(5_000)], mechanism="ue-compact")
    protocols = patient.server.server_state.connections
    with stalled(patient, 1, head("GET", f"/tasks/{task.id}") * MAX_PIPELINED_REQUESTS):
        wait_until(lambda: any(protocol.transport.get_write_buffer_size() for protocol in protocols))
    wait_until(lambda: not patient.server.server_state.tasks)
    assert [record.name for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("before", [b"", head("GET", "/healthz")])
def test_a_head_must_arrive_in_time_although_bytes_drip(hasty: Running, before: bytes) -> None:
    with connect(hasty) as line:
        line.sendall(before)
        if before:
            assert read_until(line, b'{"status":"ok"}').startswith(b"HTTP/1.1 200 ")
        start = time.monotonic()
        try:
            line.sendall(b"GET /healthz HTTP/1.1\r\n")
            while time.monotonic() - start < LONG / 2:
                line.sendall(b"X: y\r\n")
                time.sleep(0.02)
        except ConnectionError:
            pass
        assert time.monotonic() - start < LONG / 2
        assert read_all(line).startswith(b"HTTP/1.1 408 ")


def test_an_idle_connection_ends_and_a_request_in_progress_does_not(hasty: Running) -> None:
    task = hasty.add_task()
    content = items(report(1, task=task))
    with connect(hasty) as idle, connect(hasty) as busy:
        busy.sendall(upload_head(task.id, CLOSE, f"Content-Length: {len(content)}"))
        assert read_all(idle) == b""
        time.sleep(2 * SHORT)
        busy.sendall(content)
        assert read_all(busy).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("headers", [(), (CLOSE,)])
def test_an_answer_that_nobody_reads_is_aborted(hasty: Running, headers: tuple[str, ...]) -> None:
    task = hasty.add_task(keys=[f"{number:0200}" for number in range(5_000)], mechanism="ue-compact")
    size = len(task.to_json())
    with stalled(hasty, 1, head("GET", f"/tasks/{task.id}", *headers)) as [line]:
        protocols = hasty.server.server_state.connections
        wait_until(lambda: any(protocol.transport.get_write_buffer_size() for protocol in protocols))
        wait_until(lambda: not any(protocol.transport.get_write_buffer_size() for protocol in protocols))
        assert len(read_all(line)) < size
    # A client that reads gets it whole.
    with connect(hasty) as line:
        line.sendall(head("GET", f"/tasks/{task.id}", CLOSE))
        assert read_all(line).endswith(task.to_json().encode())


def test_idle_connections_lock_nobody_out_and_requests_in_progress_are_kept() -> None:
    store = SlowStore()
    with running(store, connections=10, head_seconds=LONG) as collector, ThreadPoolExecutor(1) as pool:
        task = collector.add_task()
        store.go.clear()
        upload = pool.submit(collector.upload, task, report(1, task=task))
        wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports)
        # Bodies that do not arrive are no better than silence.
        for sent in (b"", b"GET / HTTP/1.1\r\n", upload_head(task.id, "Content-Length: 99")):
            with stalled(collector, 30, sent):
                assert collector.talk(head("GET", "/healthz", CLOSE)).startswith(b"HTTP/1.1 200 ")
                assert len(collector.server.server_state.connections) <= 11
        store.go.set()
        assert upload.result() == {}


def test_requests_that_are_answered_slowly_lock_nobody_out() -> None:
    """Connections with requests that waited for their answers were never closed, and every new one was."""
    store = SlowStore()
    with running(store, connections=30, head_seconds=LONG) as collector, ThreadPoolExecutor(1) as pool:
        task = collector.add_task()
        store.go.clear()
        upload = pool.submit(collector.upload, task, report(1, task=task))
        wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports)
        store.answers.clear()
        with stalled(collector, 60, head("GET", "/readyz") * (MAX_PIPELINED_REQUESTS + 1)):
            wait_until(lambda: collector.app.state.collector.budget.used > 20 * 3 * 200)
            # A new peer is not closed in favour of the next ones: most of the others wait for an answer.
            with connect(collector) as honest, stalled(collector, 5, head("GET", "/readyz")):
                honest.sendall(head("GET", "/healthz", CLOSE))
                assert read_all(honest).startswith(b"HTTP/1.1 200 ")
            store.answers.set()
        store.go.set()
        assert upload.result() == {}


def test_stalled_bodies_of_some_kilobytes_keep_no_others_out() -> None:
    """The budget has room for a small body on every connection, whatever large ones hold."""
    connections, size = 40, MAX_SMALL_BYTES
    with running(connections=connections, budget_bytes=2 * connections * 2 * size, body_seconds=LONG) as collector:
        task = collector.add_task()
        declared = upload_head(task.id, f"Content-Length: {size}")
        with stalled(collector, connections - 2, declared + b" " * (size - 1)):
            wait_until(lambda: collector.app.state.collector.budget.used > (connections - 3) * size)
            body = items(report(1, task=task))
            body += b" " * (size - len(body))
            closing = upload_head(task.id, CLOSE, f"Content-Length: {size}")
            assert collector.talk(closing + body[:-1], body[-1:], pause=0.05).startswith(b"HTTP/1.1 200 ")


def test_a_new_connection_is_dropped_if_all_are_uploads_that_are_being_stored() -> None:
    store = SlowStore()
    with running(store, connections=3) as collector, ThreadPoolExecutor(3) as pool:
        task = collector.add_task()
        store.go.clear()
        uploads = [pool.submit(collector.upload, task, report(number, task=task)) for number in range(3)]
        wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports == 3)
        assert collector.talk(head("GET", "/healthz", CLOSE)) == b""
        store.go.set()
        assert [upload.result() for upload in uploads] == [{}] * 3


@pytest.mark.parametrize(
    ("limits", "allowed", "raised"),
    [
        ((1024, 4096), 2000, 2000 + protocol.RESERVED_DESCRIPTORS),
        ((1024, 1024), 1024 - protocol.RESERVED_DESCRIPTORS, None),
        ((1024, resource.RLIM_INFINITY), 2000, 2000 + protocol.RESERVED_DESCRIPTORS),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), 2000, None),
        ((64, 64), 1, None),
        ((100_000, 100_000), 2000, None),
    ],
)
def test_connections_leave_descriptors_for_the_store(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], allowed: int, raised: int | None
) -> None:
    changed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: changed.append(pair))
    assert protocol.allowed_connections(2000) == allowed
    assert changed == ([] if raised is None else [(raised, limits[1])])
