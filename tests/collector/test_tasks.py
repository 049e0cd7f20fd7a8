"""The routes of tasks."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pckv.store.postgres import PostgresStore
from support.collectors import ADMINISTRATOR, ANALYST, DAY, JSON, Running, bearer, check_problem, new_task
from support.mixed_tasks import a_mixed_task


def test_a_task_is_created_once_and_shown_to_all(collector: Running) -> None:
    task = new_task(keys=["<script>alert(1)</script>", "ключ"])
    created = collector.administer("POST", "/tasks", task.to_json().encode())
    assert (created.status_code, created.json(), created.headers["location"]) == (
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
    "order": lambda text: json.dumps(dict(reversed(json.loads(text).items())), separators=(",", ":")).encode(),
    "twice": lambda text: text.replace('"closes"', '"closes":null,"closes"').encode(),
    "stranger": lambda text: text.replace('{"about"', '{"a\\ud800":1,"about"').encode(),
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


def test_a_mixed_task_needs_a_day_on_which_it_closes(small: Running) -> None:
    endless = a_mixed_task(closes=None)
    answer = small.administer("POST", "/tasks", endless.to_json().encode())
    check_problem(answer, 400, "malformed")
    assert "needs a day on which it closes" in answer.json()["detail"]
    check_problem(small.get(f"/tasks/{endless.id}", None), 404, "unknown")


def test_the_target_and_public_results_can_be_changed(collector: Running) -> None:
    task = collector.add_task()
    path, text = f"/tasks/{task.id}", task.to_json()
    changed = collector.administer("PATCH", path, b'{"target": 10000}').json()
    assert (changed["target"], changed["public_results"]) == (10_000, False)
    changed = collector.administer("PATCH", path, b'{"public_results": true}').json()
    assert (changed["target"], changed["public_results"]) == (10_000, True)
    assert collector.administer("PATCH", path, b"{}").json() == changed
    changed = collector.administer("PATCH", path, b'{"target": null, "public_results": false}').json()
    assert (changed["target"], changed["public_results"]) == (None, False)
    # The contract stays as it is.
    assert collector.get(path, None).text == text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"target": 0}',
        b'{"target": 1.5}',
        b'{"target": "5"}',
        b'{"target": true}',
        b'{"target": 1000000000000001}',
        b'{"public_results": null}',
        b'{"public_results": 1}',
        b'{"target": 5, "epsilon": 2}',
    ],
)
def test_a_change_that_makes_no_sense_changes_nothing(collector: Running, body: bytes) -> None:
    task = collector.add_task()
    answer = collector.administer("PATCH", f"/tasks/{task.id}", body)
    check_problem(answer, 400, "malformed")
    assert not answer.json().get("detail", "").startswith(":")
    stored = collector.store.find_task(task.id)
    assert stored is not None
    assert (stored.target, stored.public_results) == (None, False)


def test_only_the_administrator_changes_tasks(collector: Running) -> None:
    task = collector.add_task()
    answer = collector.client.patch(f"/tasks/{task.id}", headers=bearer(ANALYST), json={"target": 5})
    check_problem(answer, 403, "forbidden")
    check_problem(collector.client.patch(f"/tasks/{task.id}", json={"target": 5}), 401, "bad-token")
    check_problem(collector.administer("PATCH", f"/tasks/{43 * 'A'}", b"{}"), 404, "unknown")


def test_tasks_are_listed_page_by_page_closed_and_deleted(collector: Running) -> None:
    added = {collector.add_task().id for _ in range(5)}
    listed: list[str] = []
    while page := collector.get(f"/tasks?limit=2&after={listed[-1] if listed else ''}", ADMINISTRATOR).json()["tasks"]:
        listed += [task["id"] for task in page]
    assert added <= set(listed)
    assert len(listed) == len(set(listed))
    task_id = added.pop()
    for _ in range(2):
        closed = collector.administer("POST", f"/tasks/{task_id}/close").json()
        assert (closed["id"], closed["closed"]) == (task_id, DAY)
    for _ in range(2):
        deleted = collector.administer("DELETE", f"/tasks/{task_id}?now=true").json()
        # PostgreSQL keeps deleted rows in its files until they are rewritten.
        erasure = "pending" if isinstance(collector.store, PostgresStore) else "done"
        assert deleted == {"task": task_id, "day": DAY, "reports": 0, "erasure": erasure}
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
    for query in ("", "?now=true"):
        check_problem(collector.administer("DELETE", f"/tasks/%00{query}"), 404, "unknown")


def test_a_deleted_task_cannot_be_created_again(collector: Running) -> None:
    task = collector.add_task()
    collector.administer("DELETE", f"/tasks/{task.id}?now=true")
    check_problem(collector.administer("POST", "/tasks", task.to_json().encode()), 410, "deleted")


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "limit=9" + "9" * 5000, "after=%00", "after=é"])
def test_bad_queries_of_the_list(collector: Running, query: str) -> None:
    check_problem(collector.get(f"/tasks?{query}", ADMINISTRATOR), 400, "malformed")


def test_unknown_methods_paths_and_media_types(small: Running) -> None:
    task = small.add_task()
    check_problem(small.administer("PUT", f"/tasks/{task.id}"), 405, "wrong-method")
    for path in ("/tasks/", f"/tasks/{task.id}/", f"/tasks/{task.id}/nothing", "/docs", "/tasks//", "/redoc"):
        check_problem(small.administer("GET", path), 404, "unknown")
    text = small.client.post("/tasks", headers=bearer(ADMINISTRATOR) | {"Content-Type": "text/plain"}, content=b"{}")
    check_problem(text, 415, "unsupported-media")
