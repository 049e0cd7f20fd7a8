"""Estimates of keys that an analyst names: of hashed keys, which are not listed, and apart from all others."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pckv
from pckv.collector.analysis import estimates as asked_keys
from pckv.collector.http.problem_details import ProblemDetails
from support.collectors import Running, check_problem, perturbed, some_reports
from support.stores import add, total


def test_keys_of_any_task_may_be_named(small: Running) -> None:
    task = small.add_task(keys=["a", "b", "c"], values=(1, 5))
    add(small.store, *some_reports(range(50), task), task=task)
    named = small.get(f"/tasks/{task.id}/estimates?keys=c&keys=a")
    assert small.ask(task, ["c", "a"]).json() == named.json()
    answer = small.ask(task, ["c", "d"])
    check_problem(answer, 400, "malformed")
    assert "'d' is not a key" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "must be"),
        (b"{", "must be"),
        (b'{"keys": "a"}', "must be"),
        (b'{"keys": []}', "must be"),
        (b'{"keys": ["a", 1]}', "must be"),
        (b'{"keys": ["a", ["b"]]}', "must be"),
        (b'{"keys": ["a" "b"]}', "must be"),
        (b'{"keys": ["a"], "top": 3}', "must be"),
        (b'{"keys": ["a\xff"]}', "must be"),
        (b'["a"]', "must be"),
        (["a", "b", "a"], "key 3 'a' is the same as key 1"),
        (["a", ""], "key 2 is empty"),
        (["a", "e\u0301"], "key 2 'e\u0301' is not in Unicode normal form C"),
        (["a\n"], "key 1 'a\\n' holds a control character"),
        (["\ud800"], "key 1 '\\ud800' is not valid Unicode"),
        (["x" * 257], "is longer than 256 bytes"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_its_place(small: Running, content: Any, reason: str) -> None:
    task = small.add_task(keys="hashed", mechanism="collision", padding=1)
    answer = small.ask(task, content)
    check_problem(answer, 400, "malformed")
    assert reason in answer.json()["detail"]


def test_a_request_that_is_wrong_otherwise_is_refused(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = small.add_task(keys="hashed", mechanism="collision", padding=1)
    keys = ["a", "b"]
    check_problem(small.ask(task, keys, **{"Content-Type": "text/csv"}), 415, "unsupported-media")
    check_problem(small.ask(task, keys, Accept="text/html"), 406, "not-acceptable")
    check_problem(small.ask(task, keys, Authorization="Bearer wrong"), 401, "bad-token")
    check_problem(small.ask(task, keys, "sort=size"), 400, "malformed")
    for place in ("estimates", "chart"):
        answer = small.administer("POST", f"/tasks/{task.id}/{place}?keys=a", json.dumps({"keys": keys}).encode())
        check_problem(answer, 400, "malformed")
        assert "leave keys out of the address" in answer.json()["detail"]
    check_problem(small.ask("A" * 43, keys), 404, "unknown")
    check_problem(small.ask(task, b" " * (16 * 2**20 + 1)), 413, "too-large")
    monkeypatch.setattr(asked_keys, "MAX_ASKED_KEYS", 1)
    check_problem(small.ask(task, keys), 413, "too-large")
    for path in (f"/tasks/{task.id}/estimates", f"/tasks/{task.id}/chart"):
        answer = small.get(path)
        check_problem(answer, 400, "malformed")
        assert "name the keys" in answer.json()["detail"]


def test_texts_of_json_are_taken_as_they_are() -> None:
    keys = ['"', "\\", "[{", "a,b", "]}", "東", "\\u0041"]
    for ascii_only in (True, False):
        body = json.dumps({"keys": keys}, ensure_ascii=ascii_only, indent=1).encode()
        assert asked_keys.parse_asked_keys(body) == tuple(keys)
    most = [f'{number}"' for number in range(asked_keys.MAX_ASKED_KEYS)]
    assert asked_keys.parse_asked_keys(json.dumps({"keys": most}).encode()) == tuple(most)
    many = json.dumps({"keys": [*most, "one more"]}).encode()
    with pytest.raises(ProblemDetails, match="at most 100,000 keys"):
        asked_keys.parse_asked_keys(many)


@pytest.mark.parametrize("text", ["", "\\", '"', "a"])
def test_too_many_keys_are_refused_before_they_are_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing millions of texts held the interpreter, and so uploads, for seconds."""
    body = json.dumps({"keys": [text] * 3 * asked_keys.MAX_ASKED_KEYS}).encode()
    monkeypatch.delattr(asked_keys, "_LIST_OF_TEXTS")
    with pytest.raises(ProblemDetails, match="at most 100,000 keys"):
        asked_keys.parse_asked_keys(body)


def test_the_key_for_all_others_is_no_top_key(small: Running) -> None:
    task = small.add_task(name="with others", keys=["a", "b"], other="else", values=(1, 5), epsilon=6, padding=1)
    held: list[dict[str, float]] = [{"x": 5}, {"y": 4}, {"z": 5}, {"a": 1}]
    add(small.store, *perturbed(task, *held, times=60), task=task)
    path = f"/tasks/{task.id}"

    def names(query: str) -> list[str]:
        rows = small.get(f"{path}/estimates?{query}").json()["estimates"]
        return [row["key"] for row in rows]

    assert names("") == ["a", "b", "else"]
    assert names("sort=-frequency") == names("sort=detected") == ["a", "b", "else"]
    assert names("sort=frequency") == ["b", "a", "else"]
    assert names("top=1") == ["a", "else"]
    assert names("top=1") == [row.key for row in pckv.estimate(total(small.store, task)).top(1)]
    assert names("keys=else&keys=a") == ["else", "a"]
    overview = small.get(f"{path}/overview").json()
    assert (overview["keys"], overview["other"]) == (3, "else")
    found = small.get(f"{path}/key?name=else").json()
    assert (found["estimate"]["key"], found["rank"]) == ("else", None)
    first = small.get(f"{path}/key?name=a").json()
    assert (first["rank"], first["keys"], first["next"]) == (1, 2, "b")
    assert small.administer("PATCH", path, b'{"public_results":true}').status_code == 200
    public = small.get(f"{path}/results", token=None).json()
    assert [row["key"] for row in public["estimates"]] == ["a", "b", "else"]
    assert public["other"] == "else"
