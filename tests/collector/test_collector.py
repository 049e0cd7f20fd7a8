"""The collector beside its uploads: who may do what, tasks, estimates, upkeep, and nothing about anybody."""

from __future__ import annotations

import csv
import hmac
import io
import json
import pickle
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.routing import APIRoute, APIRouter, iter_route_contexts

import pckv
from pckv.collector import auth, maintenance, tallies
from pckv.collector.limits import BURST_SECONDS, RateLimit
from pckv.errors import StoreError
from pckv.files.reports.reader import ReportFile
from pckv.store.base import Role
from pckv.store.memory import MemoryStore
from pckv.wire import Report
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    JSON,
    Running,
    as_items,
    bearer,
    check_problem,
    new_task,
    report,
    running,
    some_reports,
    wait_until,
)
from support.stores import KINDS, opened, store_url, tally, total

DAY = "2030-01-15"
PARQUET = "application/vnd.apache.parquet"


@pytest.fixture(scope="module", params=KINDS)
def collector(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = store_url(request.param, tmp_path_factory.mktemp("store"))
    with opened(url) as store, running(store, lambda: DAY) as found:
        yield found


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    with running(clock=lambda: DAY) as found:
        yield found


# Who may do what


def routes(found: Running) -> set[tuple[str, str]]:
    """Every method and path that the application answers to."""
    walked = list(iter_route_contexts(found.app.routes))
    # Anything else, as a mounted application, would go past the guard.
    assert all(isinstance(route.original_route, APIRoute) for route in walked)
    return {(method, str(route.path)) for route in walked for method in route.methods or ()}


def test_every_route_is_closed_unless_it_is_listed() -> None:
    with running() as found:

        @found.app.get("/planted/{task_id}")
        async def planted() -> str:
            return "nobody thought of who may see this"

        below = APIRouter()
        below.add_api_route("/healthz", planted)
        found.app.include_router(below, prefix="/below")
        walked = routes(found)
        assert {("GET", "/planted/{task_id}"), ("GET", "/below/healthz")} <= walked
        assert walked >= auth.PUBLIC | auth.ANALYSTS
        for method, path in walked:
            asked = path.replace("{task_id}", new_task().id)
            answers = {
                token: found.client.request(method, asked, headers=bearer(token) if token else {})
                for token in ("", "wrong", ANALYST, ADMINISTRATOR)
            }
            if (method, path) in auth.PUBLIC:
                assert {401} != {answer.status_code for answer in answers.values()}
                assert answers[""].status_code == answers["wrong"].status_code != 401
                continue
            for token in ("", "wrong"):
                check_problem(answers[token], 401, "bad-token")
                assert answers[token].headers["www-authenticate"] == "Bearer"
            if (method, path) in auth.ANALYSTS:
                assert answers[ANALYST].status_code not in {401, 403}
            else:
                check_problem(answers[ANALYST], 403, "forbidden")
            assert answers[ADMINISTRATOR].status_code not in {401, 403}


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", ADMINISTRATOR, f"Basic {ADMINISTRATOR}", "Bearer é", "Bearer \xff"],
)
def test_what_is_no_token(small: Running, authorization: str) -> None:
    answer = small.client.get("/tasks", headers={b"Authorization": authorization.encode("latin-1")})
    check_problem(answer, 401, "bad-token")


def test_the_token_of_the_environment_wins_over_the_stored_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(auth.ENVIRONMENT, "from the environment")
    with running() as found:
        assert found.get("/tasks", "from the environment").status_code == 200
        check_problem(found.get("/tasks", ADMINISTRATOR), 401, "bad-token")
        assert found.get("/metrics", ANALYST).status_code == 200


def test_a_new_token_replaces_the_administrators_and_adds_an_analysts() -> None:
    with running() as found:
        found.store.set_token(Role.ADMINISTRATOR, auth.token_hash("another"))
        found.store.set_token(Role.ANALYST, auth.token_hash("a second analyst"))
        assert found.get("/tasks", "another").status_code == 200
        check_problem(found.get("/tasks", ADMINISTRATOR), 401, "bad-token")
        assert (
            found.get("/metrics", "a second analyst").status_code == found.get("/metrics").status_code == 200
        )


def test_tokens_are_compared_in_constant_time(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(kept: bytes, found: bytes) -> bool:
        compared.append((kept, found))
        return kept == found

    monkeypatch.setattr(hmac, "compare_digest", compare)
    small.get("/tasks", ADMINISTRATOR)
    assert {len(side) for pair in compared for side in pair} == {32}
    assert len(compared) == 2  # All are compared, also after the right one.


# Tasks


def test_a_task_is_made_once_and_shown_to_all(collector: Running) -> None:
    task = new_task(keys=["<script>alert(1)</script>", "ключ"])
    made = collector.administer("POST", "/tasks", task.to_json().encode())
    assert (made.status_code, made.json(), made.headers["location"]) == (
        201,
        {"id": task.id},
        f"/tasks/{task.id}",
    )
    assert collector.administer("POST", "/tasks", task.to_json().encode()).status_code == 200
    shown = collector.get(f"/tasks/{task.id}", None)
    assert shown.content == task.to_json().encode()
    assert shown.headers["content-type"] == JSON
    assert "max-age" in shown.headers["cache-control"]
    tag = shown.headers["etag"]
    for tags in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = collector.get(f"/tasks/{task.id}", None, **{"If-None-Match": tags})
        assert (again.status_code, again.content) == (304, b"")
    assert collector.get(f"/tasks/{task.id}", None, **{"If-None-Match": '"x"'}).status_code == 200


BAD_TASKS: dict[str, Callable[[str], bytes]] = {
    "empty": lambda _: b"",
    "list": lambda _: b"[]",
    "spaces": lambda text: text.replace(",", ", ").encode(),
    "order": lambda text: json.dumps(
        dict(reversed(json.loads(text).items())), separators=(",", ":")
    ).encode(),
    "twice": lambda text: text.replace('{"closes"', '{"closes":null,"closes"').encode(),
    "stranger": lambda text: text.replace('{"closes"', '{"a\\ud800":1,"closes"').encode(),
    "escapes": lambda text: text.replace("task", "\\u0074ask").encode(),
    "surrogate": lambda text: text.replace("task", "\\ud800").encode(),
    "not-utf8": lambda text: text.replace("task", "é").encode("latin-1"),
    "marked": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "nan": lambda text: text.replace("11", "NaN").encode(),
    "float": lambda text: text.replace("11", "11.0").encode(),
    "huge": lambda text: text.replace("11", "9" * 100_000).encode(),
    "deep": lambda _: b"[" * 100_000,
    "epsilon": lambda text: text.replace('"epsilon":"1"', '"epsilon":"1e400"').encode(),
    "trailing": lambda text: text.encode() + b"\n",
}


@pytest.mark.parametrize("kind", BAD_TASKS)
def test_a_task_that_is_not_canonical_is_refused(small: Running, kind: str) -> None:
    task = new_task()
    changed = BAD_TASKS[kind](task.to_json())
    assert changed != task.to_json().encode()
    check_problem(small.administer("POST", "/tasks", changed), 400, "malformed")
    check_problem(small.get(f"/tasks/{task.id}", None), 404, "unknown")


def test_tasks_are_listed_page_by_page_closed_and_deleted(collector: Running) -> None:
    made = {collector.add_task().id for _ in range(5)}
    listed: list[str] = []
    while page := collector.get(f"/tasks?limit=2&after={listed[-1] if listed else ''}", ADMINISTRATOR).json()[
        "tasks"
    ]:
        listed += [each["id"] for each in page]
    assert made <= set(listed)
    assert len(listed) == len(set(listed))
    task_id = made.pop()
    for _ in range(2):
        closed = collector.administer("POST", f"/tasks/{task_id}/close").json()
        assert (closed["id"], closed["closed"]) == (task_id, DAY)
    for _ in range(2):
        deleted = collector.administer("DELETE", f"/tasks/{task_id}").json()
        assert deleted == {"task": task_id, "day": DAY, "reports": 0}
    for method, path in (
        ("GET", ""),
        ("POST", "/close"),
        ("POST", "/invitations"),
        ("GET", "/estimates"),
        ("GET", "/reports"),
    ):
        check_problem(collector.administer(method, f"/tasks/{task_id}{path}"), 410, "deleted")
        for unknown in (new_task().id, "x", "%00", "%ED%A0%80"):
            check_problem(collector.administer(method, f"/tasks/{unknown}{path}"), 404, "unknown")
    check_problem(collector.administer("DELETE", "/tasks/%00"), 404, "unknown")


def test_a_deleted_task_cannot_be_made_again(collector: Running) -> None:
    task = collector.add_task()
    collector.administer("DELETE", f"/tasks/{task.id}")
    check_problem(collector.administer("POST", "/tasks", task.to_json().encode()), 410, "deleted")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=1001", "limit=x", "limit=9" + "9" * 5000, "after=%00", "after=é"]
)
def test_bad_queries_of_the_list(collector: Running, query: str) -> None:
    check_problem(collector.get(f"/tasks?{query}", ADMINISTRATOR), 400, "malformed")


def test_other_methods_and_other_places(small: Running) -> None:
    task = small.add_task()
    check_problem(small.administer("PUT", f"/tasks/{task.id}"), 405, "wrong-method")
    for path in (
        "/tasks/",
        f"/tasks/{task.id}/",
        f"/tasks/{task.id}/nothing",
        "/docs",
        "/tasks//",
        "/redoc",
    ):
        check_problem(small.administer("GET", path), 404, "unknown")
    text = small.client.post(
        "/tasks", headers=bearer(ADMINISTRATOR) | {"Content-Type": "text/plain"}, content=b"{}"
    )
    check_problem(text, 415, "unsupported-media")


def test_pages_of_other_origins_may_do_what_clients_do_and_read_refusals(small: Running) -> None:
    task = small.add_task()
    origin = {"Origin": "https://elsewhere.example"}
    for path in (f"/tasks/{task.id}", f"/tasks/{task.id}/reports"):
        asked = small.client.options(path, headers=origin | {"Access-Control-Request-Method": "POST"})
        assert asked.status_code == 204
        assert asked.headers["access-control-allow-headers"] == "Content-Type"
    clients = [
        small.client.get(f"/tasks/{task.id}", headers=origin),
        small.client.get("/tasks/unknown", headers=origin),
        small.send(task, as_items(report(1, task=task))),
        small.post(task, b"", "text/plain"),
        small.post(task, b"", **{"Content-Encoding": "gzip"}),
    ]
    for answer in (*clients, asked):
        assert answer.headers["access-control-allow-origin"] == "*"
    others = [
        small.get(path, ADMINISTRATOR, **origin)
        for path in ("/tasks", "/metrics", "/healthz", "/openapi.json")
    ]
    others += [small.get(f"/tasks/{task.id}/{what}", **origin) for what in ("estimates", "reports")]
    others += [
        small.administer("POST", f"/tasks/{task.id}/close"),
        small.administer("DELETE", f"/tasks/{task.id}"),
    ]
    for answer in others:
        assert not [name for name in answer.headers if name.startswith("access-control")]


# Estimates and report files


def test_estimates_are_those_of_the_library_digit_for_digit(collector: Running) -> None:
    task = collector.add_task(keys=["<script>", "=1+1", "b,\"'", "a"], values=(1, 5))
    collector.upload(task, *some_reports(range(200), task))
    counted = tally(some_reports(range(200), task), task)
    for method, level, post in (
        ("corrected", 0.95, ()),
        ("baseline", 0.5, ("consistent",)),
        ("bayes", 0.999, ("consistent", "consistent")),
    ):
        expected = pckv.estimate(counted, method=method, level=level, post=post)
        path = f"/tasks/{task.id}/estimates?method={method}&level={level}" + "".join(
            f"&post={name}" for name in post
        )
        answer = collector.get(path)
        assert answer.text == expected.to_json()
        assert answer.headers["content-type"] == JSON
        as_csv = collector.get(path, Accept="text/csv")
        assert as_csv.text == expected.to_csv()
        assert [row["key"] for row in csv.DictReader(io.StringIO(as_csv.text))] == list(task.keys)  # type: ignore[arg-type]
        table = pq.read_table(io.BytesIO(collector.get(path, Accept=PARQUET).content))
        assert table.to_pydict() == expected.to_arrow().to_pydict()


def test_a_pilot_from_its_task_to_its_end(collector: Running) -> None:
    task = new_task(kind="sizes", mechanism="buckets", padding=8)
    assert collector.administer("POST", "/tasks", task.to_json().encode()).status_code == 201
    reports = some_reports([*range(50), *range(1000, 1200, 5)], task)
    collector.upload(task, *reports)
    collector.check(task, *reports)
    expected = pckv.estimate(tally(reports, task))
    assert expected.key == ["0", "1", "2", "3-4", "5+"]
    path = f"/tasks/{task.id}/estimates"
    assert collector.get(path).text == collector.get(f"{path}?method=consistent").text == expected.to_json()
    assert collector.get(path, Accept="text/csv").text == expected.to_csv()
    table = pq.read_table(io.BytesIO(collector.get(path, Accept=PARQUET).content))
    assert table.to_pydict() == expected.to_arrow().to_pydict()

    def buckets(query: str) -> list[str]:
        return [row["key"] for row in collector.get(f"{path}?{query}").json()["estimates"]]

    assert buckets("top=2") == expected.top(2).key
    assert buckets("keys=5%2B&keys=0") == ["5+", "0"]
    assert buckets("search=4") == ["3-4"]
    for bad in ("method=corrected", "keys=7", "keys=5-8"):
        check_problem(collector.get(f"{path}?{bad}"), 400, "malformed")
    download = collector.get(f"/tasks/{task.id}/reports").content
    assert pq.read_table(io.BytesIO(download)).num_rows == len(reports)
    closed = collector.administer("POST", f"/tasks/{task.id}/close").json()
    assert (closed["kind"], closed["closed"]) == ("sizes", DAY)
    deleted = collector.administer("DELETE", f"/tasks/{task.id}").json()
    assert deleted == {"task": task.id, "day": DAY, "reports": len(reports)}


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", JSON),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON),
        ("text/*", "text/csv"),
        ("text/csv;q=0.1, application/json;q=0.5", JSON),
        ("application/json;q=0, text/csv;q=0.1", "text/csv"),
        ("Application/Vnd.Apache.Parquet", PARQUET),
        ("text/html", None),
        ("", None),
        ("text/csv;q=much", None),
    ],
)
def test_the_form_follows_accept(small: Running, accept: str, form: str | None) -> None:
    task = small.add_task()
    answer = small.get(f"/tasks/{task.id}/estimates", Accept=accept)
    if form is None:
        check_problem(answer, 406, "not-acceptable")
    else:
        assert answer.headers["content-type"].partition(";")[0] == form


def test_rows_are_chosen_sorted_and_paged(small: Running) -> None:
    task = small.add_task(keys=["alien", "Heat", "heat 2", "ran", "é"])
    small.upload(task, *some_reports(range(300), task))
    made = pckv.estimate(tally(some_reports(range(300), task), task))

    def keys(query: str) -> list[str]:
        answer = small.get(f"/tasks/{task.id}/estimates?{query}").json()
        return [row["key"] for row in answer["estimates"]]

    by_frequency = [made.key[row] for row in np.argsort(-made.frequency, kind="stable")]
    by_mean = [made.key[row] for row in np.argsort(made.mean, kind="stable")]
    assert keys("") == made.key
    assert keys("sort=-frequency") == by_frequency
    assert keys("sort=mean") == by_mean
    assert keys("top=2") == made.top(2).key
    assert keys("top=99999999999999999999") == by_frequency
    assert keys("search=HEAT") == ["Heat", "heat 2"]
    assert keys("search=nothing") == []
    assert keys("keys=ran&keys=alien") == ["ran", "alien"]
    assert keys("keys=ran&keys=heat%202&search=heat") == ["heat 2"]
    assert keys("sort=-frequency&limit=2&offset=1") == by_frequency[1:3]
    assert keys("offset=99999999999999999999&limit=99999999999999999999") == []
    for bad in (
        "top=0", "limit=0", "offset=-1", "sort=name", "keys=unknown", "keys=%00", "method=best", "level=0", "level=1",
        "post=tidy", "post=", "post=oversize", "method=corrected%2Bconsistent", "post=consistent&post=tidy",
        "level=nan", "level=inf", "level=0.99999999999999999", "level=x", "top=1e3", "search=" + "x" * 257,
    ):  # fmt: skip
        check_problem(small.get(f"/tasks/{task.id}/estimates?{bad}"), 400, "malformed")
    assert small.get(f"/tasks/{task.id}/estimates?level=0.9999999999999999").status_code in {200, 400}


def test_the_tag_changes_with_the_tally_and_a_hit_decodes_nothing(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = collector.add_task()
    made: list[Any] = []

    def estimate(*given: Any, **asked: Any) -> pckv.Estimates:
        made.append(given)
        return pckv.estimate(*given, **asked)

    monkeypatch.setattr(tallies, "estimate", estimate)
    path = f"/tasks/{task.id}/estimates"
    tags = []
    for number in range(3):
        collector.upload(task, report(number, task=task))
        first = collector.get(path)
        collector.upload(task, report(number, task=task))
        collector.store.compact(task.id)
        again = collector.get(path, **{"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert collector.get(path).text == first.text
        assert len(made) == number + 1
        tags.append(first.headers["etag"])
    assert len(set(tags)) == 3
    assert collector.get(path, Accept="text/csv").headers["etag"] not in tags


@pytest.mark.parametrize("mechanism", ["grr", "ue", "collision"])
def test_a_download_is_a_report_file_that_does_not_tell_arrival(
    collector: Running, mechanism: str, tmp_path: Path
) -> None:
    task = collector.add_task(mechanism=mechanism)
    empty = collector.get(f"/tasks/{task.id}/reports")
    assert pq.read_table(io.BytesIO(empty.content)).num_rows == 0
    reports = some_reports(range(300), task)
    random.Random(3).shuffle(reports)
    for start in range(0, 300, 100):
        collector.upload(task, *reports[start : start + 100])
    answer = collector.get(f"/tasks/{task.id}/reports")
    assert answer.headers["content-type"] == PARQUET
    file = tmp_path / "reports.parquet"
    file.write_bytes(answer.content)
    assert ReportFile(file, task).rows == 300
    table = pq.read_table(file)
    assert table.column("report_id").to_pylist() == sorted(each.id for each in reports)
    from pckv.cli import main  # noqa: PLC0415

    (tmp_path / "task.json").write_text(task.to_json(), encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(
            [
                "tally",
                str(file),
                "--task",
                str(tmp_path / "task.json"),
                "--out",
                str(tmp_path / "counts.tally"),
            ]
        )
    assert (tmp_path / "counts.tally").read_bytes() == bytes(total(collector.store, task))


# Upkeep


def test_parts_are_folded_while_uploads_go_on(collector: Running) -> None:
    task = collector.add_task()
    reports = some_reports(range(60), task)
    here = collector.app.state.collector

    def send(some: list[Report]) -> None:
        for each in some:
            assert collector.upload(task, each) == {}

    senders = [threading.Thread(target=send, args=(reports[start::2],)) for start in range(2)]
    for sender in senders:
        sender.start()
    while any(sender.is_alive() for sender in senders):
        maintenance.fold(here, 2)
        time.sleep(0.01)
    for sender in senders:
        sender.join()
    collector.check(task, *reports)
    before = collector.get(f"/tasks/{task.id}/estimates").text
    maintenance.fold(here, 1)
    sizes = sorted(len(part.tally) for part in collector.store.parts(task.id))
    assert all(size > sum(sizes[:place]) for place, size in enumerate(sizes))
    collector.administer("POST", f"/tasks/{task.id}/close")
    maintenance.settle(here, None, here.today())
    assert len(collector.store.parts(task.id)) == 1
    assert collector.get(f"/tasks/{task.id}/estimates").text == before


def test_reports_are_forgotten_some_days_after_closing_and_the_tally_stays(collector: Running) -> None:
    here = collector.app.state.collector
    closing, ending, running_on = (
        collector.add_task(),
        collector.add_task(closes="2030-01-20"),
        collector.add_task(),
    )
    for task in (closing, ending, running_on):
        collector.upload(task, *some_reports(range(20), task))
    before = [bytes(total(collector.store, task)) for task in (closing, ending, running_on)]
    collector.administer("POST", f"/tasks/{closing.id}/close")

    def left(day: str) -> list[int]:
        maintenance.settle(here, 7, day)
        stored = (collector.store.reports(task.id) for task in (closing, ending, running_on))
        return [sum(map(len, batches)) for batches in stored]

    assert left("2030-01-21") == [20, 20, 20]
    assert left("2030-01-22") == [0, 20, 20]
    assert left("2030-01-26") == [0, 20, 20]
    assert left("2030-01-27") == [0, 0, 20]
    assert [bytes(total(collector.store, task)) for task in (closing, ending, running_on)] == before


def test_upkeep_runs_by_itself_and_survives_a_store_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "SECONDS_BETWEEN", 0.02)
    day, failures = ["2030-01-15"], [3]

    class Failing(MemoryStore):
        def forget_reports(self, task_id: str, day: str) -> int:
            failures[0] -= 1
            if failures[0] >= 0:
                raise StoreError("not now")
            return super().forget_reports(task_id, day)

    store = Failing()
    with running(store, lambda: day[0], keep_reports=3) as found:
        task = found.add_task(closes="2030-01-16")
        for number in range(maintenance.PARTS_TO_FOLD):
            found.upload(task, report(number, task=task))
        wait_until(lambda: len(store.parts(task.id)) == 1)
        found.check(task, *some_reports(range(maintenance.PARTS_TO_FOLD), task))
        day[0] = "2030-01-19"
        wait_until(lambda: not list(store.reports(task.id)))
        assert total(store, task).reports == maintenance.PARTS_TO_FOLD


# Operations


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


def test_the_head_of_a_request_is_bounded(small: Running) -> None:
    answer = small.talk(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 2**17 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"urn:pckv:problem:malformed" in answer
    assert b"urn:pckv:problem:malformed" in small.talk(b"nonsense\r\n\r\n")


def test_a_burst_is_admitted_and_more_is_not() -> None:
    with running(rate=1) as found:
        answers = [found.client.get("/healthz") for _ in range(BURST_SECONDS + 3)]
    assert {answer.status_code for answer in answers[:BURST_SECONDS]} == {200}
    for answer in answers[BURST_SECONDS + 1 :]:
        check_problem(answer, 429, "too-often")


def test_the_rate_limit_forgets_and_keeps_no_address() -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    sender, other = "192.0.2.77", "2001:db8::77"
    assert [limit.admits(sender) for _ in range(2 * BURST_SECONDS + 1)] == [True] * 2 * BURST_SECONDS + [
        False
    ]
    assert limit.admits(other)
    now[0] += 0.5
    assert [limit.admits(sender) for _ in range(2)] == [True, False]
    now[0] += 3600
    assert [limit.admits(sender) for _ in range(2 * BURST_SECONDS + 1)] == [True] * 2 * BURST_SECONDS + [
        False
    ]
    kept = pickle.dumps({name: value for name, value in vars(limit).items() if name != "_now"})
    assert not any(address.encode() in kept for address in (sender, other))
    # Another process has another key: what one kept says nothing to it.
    places = [
        [level for level in range(len(each._level)) if each._level[level] < each._full]
        for each in (limit, _once(sender), _once(sender))
    ]
    assert len({tuple(place) for place in places}) == 3


def _once(sender: str) -> RateLimit:
    limit = RateLimit(2)
    limit.admits(sender)
    return limit
