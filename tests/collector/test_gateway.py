"""What a request may send is known from its head, and all requests together hold a bounded number of bytes."""

from __future__ import annotations

import asyncio
import gzip
import json
import select
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Match

from pckv.collector.http.bodies import MAX_PIECE_BYTES, MAX_SMALL_BYTES, MAX_TINY_BYTES, ByteBudget
from pckv.collector.http.gateway import RouteTable, routes_of
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from support.collectors import (
    ADMINISTRATOR,
    Running,
    as_items,
    check_problem,
    new_task,
    read_all,
    report,
    running,
    wait_until,
)
from support.connections import CLOSE, head, stalled, upload_head
from support.uploads import SlowStore, items

CONTINUE = "Expect: 100-continue"
AUTHORISED = f"Authorization: Bearer {ADMINISTRATOR}"
UNCOMPRESSED = {"Accept-Encoding": "identity"}
TOTAL = 2**20


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    with running(budget_bytes=TOTAL, body_seconds=60) as started:
        yield started


def budget(collector: Running) -> ByteBudget:
    used: ByteBudget = collector.app.state.collector.budget
    return used


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/tasks", (), 401),
        ("POST", "/tasks/new", (), 401),
        ("POST", "/nowhere", (), 404),
        ("PUT", "/tasks", (), 405),
        ("POST", "/tasks/x/reports", (), 415),
        ("POST", "/tasks/x/reports", ("Content-Type: application/json",), 404),
        ("POST", "/tasks", (AUTHORISED, "Content-Encoding: gzip"), 415),
    ],
)
def test_who_may_not_send_a_body_is_not_asked_for_it(
    small: Running, method: str, path: str, headers: tuple[str, ...], status: int
) -> None:
    answer = small.talk(head(method, path, CONTINUE, "Content-Length: 999999", *headers))
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"connection: close" in answer
    assert budget(small).used == 0


def test_who_may_send_a_body_is_asked_for_it(small: Running) -> None:
    task = new_task()
    text = task.to_json().encode()
    start = head(
        "POST",
        "/tasks",
        CONTINUE,
        CLOSE,
        AUTHORISED,
        "Content-Type: application/json",
        f"Content-Length: {len(text)}",
    )
    answer = small.talk(start, text, pause=0.05)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 ")


def test_a_wrong_method_says_which_are_right(small: Running) -> None:
    answer = small.client.put("/tasks/x")
    check_problem(answer, 405, "wrong-method")
    assert answer.headers["allow"] == "DELETE, GET, OPTIONS, PATCH"


@pytest.mark.parametrize(
    ("method", "path", "largest"),
    [("POST", "/session", 4096), ("GET", "/healthz", 1024), ("POST", "/tasks/{id}/close", 1024)],
)
def test_every_route_has_its_own_largest_body(small: Running, method: str, path: str, largest: int) -> None:
    address = path.format(id=small.add_task().id)
    accepted = small.administer(method, address, b"x" * largest)
    assert accepted.status_code in {200, 400}
    check_problem(small.administer(method, address, b"x" * (largest + 1)), 413, "too-large")


def test_routes_are_found_as_the_application_finds_them(small: Running) -> None:
    table = RouteTable(small.app)
    declared = {(route.method, route.path) for route in routes_of(small.app)}
    paths = [route.replace("{task_id}", "x").replace("{name}", "y") for _, route in declared]
    odd = [
        "",
        "//",
        "/tasks/",
        "/tasks/a/b",
        "/tasks//reports",
        "/client/../tasks",
        "/client/a/b",
        "/tasks/x\n",
    ]
    pairs = [(method, path) for path in [*paths, *odd] for method in (*table._by_method, "HEAD", "PUT")]
    found = {pair: kind_of_match(table, *pair) for pair in pairs}
    assert found == {pair: kind_of_match_of_application(small, *pair) for pair in pairs}
    assert list(found.values()).count(None) >= len(declared)


def kind_of_match(table: RouteTable, method: str, path: str) -> ProblemKind | None:
    """Return what is wrong with a method and path; None if there is such a route."""
    try:
        table.find(method, path)
    except ProblemDetails as problem:
        return problem.kind
    return None


def kind_of_match_of_application(collector: Running, method: str, path: str) -> ProblemKind | None:
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": []}
    matches = {route.matches(scope)[0] for route in collector.app.routes}
    if Match.FULL in matches:
        return None
    return ProblemKind.WRONG_METHOD if Match.PARTIAL in matches else ProblemKind.UNKNOWN


def test_stalled_bodies_share_one_budget_and_small_uploads_still_fit(small: Running) -> None:
    task = small.add_task()
    large = upload_head(task.id, "Content-Length: 200000") + b" " * 199_000
    with stalled(small, 12, large) as lines:
        # Half of the budget holds two of these bodies; the rest are refused.
        wait_until(lambda: budget(small).used > TOTAL // 4)
        for number in range(20):
            assert small.upload(task, report(number, task=task)) == {}
        assert budget(small).used <= TOTAL // 4 * 3
        wait_until(lambda: len(select.select(lines, (), (), 0)[0]) == 10)
        for line in select.select(lines, (), (), 0)[0]:
            answer = read_all(line)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 1" in answer
    wait_until(lambda: budget(small).used == 0)


def test_reports_that_wait_to_be_written_count_as_well() -> None:
    store = SlowStore()
    with running(store) as collector:
        task = collector.add_task()
        content = items(*(report(number, task=task) for number in range(1000)))
        store.go.clear()
        with stalled(collector, 1, upload_head(task.id, f"Content-Length: {len(content)}") + content):
            wait_until(lambda: collector.app.state.collector.ingest.writer.pending_reports)
            assert budget(collector).used >= len(content)
            store.go.set()
            wait_until(lambda: budget(collector).used == 0)


def test_answers_that_nobody_reads_share_the_budget_and_the_rest_are_refused(small: Running) -> None:
    task = small.add_task(keys=1_500)
    path = f"/tasks/{task.id}/estimates"
    size = len(small.get(path).content)
    # Large answers may take half of the budget, which is one of these.
    assert TOTAL // 4 < size < TOTAL // 2
    with stalled(small, 8, head("GET", path, f"Authorization: Bearer {ADMINISTRATOR}")):
        wait_until(lambda: budget(small).used > TOTAL // 4)
        check_problem(small.get(path), 503, "overloaded")
        assert small.get("/healthz", None).status_code == 200
        honest = small.add_task()
        assert small.upload(honest, report(1, task=honest)) == {}
    wait_until(lambda: budget(small).used == 0)
    assert len(small.get(path).content) == size


def test_what_everybody_gets_is_in_memory_once_however_many_do_not_read_it(small: Running) -> None:
    """A connection held three copies of 64 KiB of it, one of which was counted: 1,900 of them 390 MiB."""
    task = small.add_task(keys=[f"{number:0200}" for number in range(20_000)], mechanism="ue-compact")
    with stalled(small, 40, head("GET", f"/tasks/{task.id}")):
        protocols = small.server.server_state.connections

        def unsent() -> list[int]:
            return [protocol.transport.get_write_buffer_size() for protocol in list(protocols)]

        wait_until(lambda: sum(map(bool, unsent())) == 40)
        assert max(unsent()) <= MAX_PIECE_BYTES
        # Nothing but the heads of the requests.
        assert budget(small).used < 40 * 2**9
    assert small.client.get(f"/tasks/{task.id}").content == task.to_json().encode()


def test_a_budget_keeps_room_for_small_bodies() -> None:
    bounded = ByteBudget(8 * MAX_SMALL_BYTES, connections=1_000)
    large, *small, tiny = (bounded.lease() for _ in range(5))
    with large, small[0], small[1], small[2], tiny:
        large.grow(4 * MAX_SMALL_BYTES)
        for size in (1, MAX_SMALL_BYTES):
            with pytest.raises(ProblemDetails) as refused:
                large.grow(size)
            assert refused.value.kind is ProblemKind.OVERLOADED
        for lease in small:
            lease.grow(MAX_SMALL_BYTES)
        with pytest.raises(ProblemDetails):
            bounded.lease().grow(MAX_TINY_BYTES + 1)
        tiny.grow(MAX_TINY_BYTES)
        assert bounded.used == 7 * MAX_SMALL_BYTES + MAX_TINY_BYTES
    assert bounded.used == 0


def test_a_budget_has_room_for_a_small_body_on_every_connection() -> None:
    connections = 100
    bounded = ByteBudget(3 * connections * MAX_SMALL_BYTES, connections)
    large = bounded.lease()
    while bounded.used + MAX_SMALL_BYTES <= bounded.limit(large.size + MAX_SMALL_BYTES):
        large.grow(MAX_SMALL_BYTES)
    assert bounded.used > connections * MAX_SMALL_BYTES
    for _ in range(connections):
        bounded.lease().grow(MAX_SMALL_BYTES)


def test_a_task_is_sent_compressed_to_who_accepts_it(small: Running) -> None:
    task = small.add_task(keys=[f"key {number}" for number in range(1000)], mechanism="ue-compact")
    text = task.to_json().encode()
    path = f"/tasks/{task.id}"
    plain = small.client.get(path, headers=UNCOMPRESSED)
    assert plain.content == text
    assert "content-encoding" not in plain.headers
    tags = {plain.headers["etag"]}
    for accepted in ("gzip", "br, GZIP;q=0.5", "deflate , gzip"):
        zipped = small.talk(head("GET", path, CLOSE, f"Accept-Encoding: {accepted}"))
        start, _, content = zipped.partition(b"\r\n\r\n")
        assert b"content-encoding: gzip" in start
        assert b"vary: Accept-Encoding" in start
        assert len(content) < len(text) / 2
        assert gzip.decompress(content) == text
    tags.add(small.client.get(path).headers["etag"])
    assert len(tags) == 2
    for tag in tags:
        assert small.client.get(path, headers={"If-None-Match": tag}).status_code == 304
    for refused in ("gzip;q=0", "gzip; q=0.000", "br", "*;q=0", ""):
        answer = small.talk(head("GET", path, CLOSE, f"Accept-Encoding: {refused}"))
        assert answer.endswith(text)


def test_uploads_do_not_wait_for_threads_that_others_hold(small: Running) -> None:
    """Slow work of others may fill the threads that all requests share."""
    task = small.add_task()
    blocked = SlowStore()
    blocked.go.clear()

    async def fill() -> None:
        for _ in range(64):
            asyncio.get_running_loop().run_in_executor(None, blocked.go.wait, 20)

    loop = next(iter(small.server.servers)).get_loop()
    asyncio.run_coroutine_threadsafe(fill(), loop).result(20)
    try:
        answer = small.send(task, as_items(report(1, task=task)))
        assert json.loads(answer.content) == {"refused": []}
        check_problem(small.get("/tasks", "wrong"), 401, "bad-token")
    finally:
        blocked.go.set()
