"""Drafts are kept as they are sent, for administrators alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pckv.collector.contracts.drafts import MAX_DRAFTS, MAX_VALUES_BYTES
from support.collectors import ADMINISTRATOR, DAY, Running, check_problem, running


def keep(collector: Running, name: str, values: Any, method: str = "POST", path: str = "/drafts") -> Any:
    return collector.administer(method, path, json.dumps({"name": name, "values": values}).encode())


def test_a_draft_is_kept_changed_listed_and_deleted(collector: Running) -> None:
    values = {"keys": ["ключ", "\0", "\U0001f600"], "epsilon": 1.5, "nested": [{"a": None}]}
    first, second = (keep(collector, name, values) for name in ("", "Später \0"))
    assert first.status_code == second.status_code == 201
    one, two = first.json()["id"], second.json()["id"]
    assert first.headers["location"] == f"/drafts/{one}"
    shown = collector.get(f"/drafts/{one}", ADMINISTRATOR)
    assert shown.json() == {"id": one, "name": "", "changed": DAY, "values": values}

    def listed() -> list[tuple[str, str]]:
        drafts = collector.get("/drafts", ADMINISTRATOR).json()["drafts"]
        assert {draft["changed"] for draft in drafts} == {DAY}
        return [(draft["id"], draft["name"]) for draft in drafts]

    assert listed() == [(two, "Später \0"), (one, "")]
    assert keep(collector, "Mould", {}, "PUT", f"/drafts/{one}").json() == {"id": one}
    assert listed() == [(one, "Mould"), (two, "Später \0")]
    assert collector.get(f"/drafts/{one}", ADMINISTRATOR).json()["values"] == {}
    assert collector.administer("DELETE", f"/drafts/{one}").json() == {"id": one}
    assert listed() == [(two, "Später \0")]
    for gone in (one, "%00", "x" * 65):
        check_problem(collector.get(f"/drafts/{gone}", ADMINISTRATOR), 404, "unknown")
        check_problem(keep(collector, "Mould", {}, "PUT", f"/drafts/{gone}"), 404, "unknown")
        check_problem(collector.administer("DELETE", f"/drafts/{gone}"), 404, "unknown")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"name": "x"}',
        b'{"name": "x", "values": []}',
        b'{"name": null, "values": {}}',
        b'{"name": "x", "values": {}, "more": 1}',
        b'{"name": "\\ud800", "values": {}}',
        b'{"name": "x", "values": {"a": NaN}}',
        b'{"name": "' + b"x" * 257 + b'", "values": {}}',
        b'{"name": "x", "values": {"a": ' + b"[" * 100_000 + b"}}",
    ],
)
def test_what_is_no_draft_is_refused(small: Running, body: bytes) -> None:
    check_problem(small.administer("POST", "/drafts", body), 400, "malformed")


def test_drafts_are_bounded() -> None:
    with running() as collector:
        limit = MAX_VALUES_BYTES - len('{"a":""}')
        large = keep(collector, "x", {"a": "x" * (limit + 1)})
        check_problem(large, 413, "too-large", "values")
        assert keep(collector, "x", {"a": "x" * limit}).status_code == 201
        for _ in range(MAX_DRAFTS - 1):
            last = keep(collector, "x", {})
            assert last.status_code == 201
        check_problem(keep(collector, "x", {}), 409, "drafts-full")
        # What is there can be changed, and makes room when it is deleted.
        assert keep(collector, "y", {}, "PUT", last.headers["location"]).status_code == 200
        assert collector.administer("DELETE", last.headers["location"]).status_code == 200
        assert keep(collector, "x", {}).status_code == 201
